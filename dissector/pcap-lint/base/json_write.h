/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_write.h - JSON lines: one object a line, its keys in the order they are written.
 *
 *	pl_json_begin(o, "finding");
 *	pl_json_number(o, "frame", 7);
 *	pl_json_end(o);			{"type":"finding","frame":7}
 */
#ifndef PL_JSON_WRITE_H
#define PL_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include <ibwire/out.h>

#include "frames.h"

/*
 * The number of all keys and their order; a key added, removed or moved makes it another one, but for figures added
 * to the directions of a flow and the lists of a timeline, and for what an option adds where it is given ("asked").
 */
#define PL_JSON_SCHEMA 3

/* An object of a line, and its end. */
void pl_json_begin(struct ibw_out *o, const char *type);
void pl_json_end(struct ibw_out *o);

/* ,"key": for a value the caller writes. */
void pl_json_key(struct ibw_out *o, const char *key);

/* A key and its value; a text that is NULL is null. */
void pl_json_number(struct ibw_out *o, const char *key, uint64_t n);
void pl_json_text(struct ibw_out *o, const char *key, const char *text);
void pl_json_bool(struct ibw_out *o, const char *key, bool value);
void pl_json_time(struct ibw_out *o, const char *key, bool known, uint64_t time_ns);
void pl_json_numbers(struct ibw_out *o, const char *key, const uint64_t *n, unsigned int count);
void pl_json_number_or_null(struct ibw_out *o, const char *key, uint64_t n, bool known);

/* A frame by its number in @file, or "FILE:7" if it is in another one; 0, which is none, as it is. */
void pl_json_frame(struct ibw_out *o, const struct pl_frames *frames, uint64_t number,
		   const char *file);

/* A key and a frame, null if there is none; a key and a list of frames. */
void pl_json_frame_or_null(struct ibw_out *o, const char *key, const struct pl_frames *frames,
			   uint64_t number, const char *file);
void pl_json_frames(struct ibw_out *o, const char *key, const struct pl_frames *frames,
		    const uint64_t *n, unsigned int count, const char *file);

/* A key and the object {"name":n, ...} of what is not 0. */
void pl_json_counts(struct ibw_out *o, const char *key, const char *const *names, const uint64_t *n,
		    unsigned int count);

/* Seconds with the decimals that are not zero. */
void pl_json_seconds(struct ibw_out *o, const char *key, uint64_t ns);

/* The time itself, quoted. */
void pl_json_time_or_null(struct ibw_out *o, bool known, uint64_t time_ns);

/* The string itself, quoted and escaped. */
void pl_json_string(struct ibw_out *o, const char *text);

#endif /* PL_JSON_WRITE_H */
