/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * codecs.h - the inline code of every header as functions in a table.
 *
 * codecs[] has one row a line of list/headers.def, in the order of
 * ibw_headers[], so that a test or a fuzz target loops over all headers there
 * are and takes each new one in without being touched. It is compiled once,
 * in codecs.c.
 */
#ifndef TESTS_CODECS_H
#define TESTS_CODECS_H

#include <ibwire/tables.h>

/* Wire bytes and value structs of the largest headers fit, with room to see an overrun. */
#define CODEC_ROOM 4096

struct codec {
	const char *name;
	size_t bytes;       /* sizeof(struct ibw_NAME_wire) */
	size_t value_bytes; /* sizeof(struct ibw_NAME) */
	const void *(*view)(const void *p, size_t left);
	void *(*view_mut)(void *p, size_t left);
	void (*unpack)(void *value, const void *wire);
	void (*pack)(void *wire, const void *value);
	bool (*rsvd_set)(const void *wire);
};

extern const struct codec codecs[];

#endif /* TESTS_CODECS_H */
