/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * records.h - the file offsets of the records of frames, and the lengths of files.
 *
 * Memory is bounded: the offsets of later frames are not kept.
 */
#ifndef PL_RECORDS_H
#define PL_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

/* 64 MiB */
#define PL_RECORDS_MAX (UINT64_C(4) << 20)

struct pl_records;

struct pl_records *pl_records_new(void);
void pl_records_free(struct pl_records *records); /* NULL is fine */

/* The record of frame number @frame, from 1. */
void pl_records_add(struct pl_records *records, uint64_t frame, uint64_t offset, uint64_t bytes);

/* The next file has @bytes; 0: not known, or compressed. */
void pl_records_file(struct pl_records *records, uint64_t bytes);

/* Of file number @i, from 0. */
uint64_t pl_records_of_file(const struct pl_records *records, unsigned int i);

/* False: not known. */
bool pl_records_find(const struct pl_records *records, uint64_t frame, uint64_t *offset,
		     uint64_t *bytes);

#endif /* PL_RECORDS_H */
