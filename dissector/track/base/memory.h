/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.h - what is remembered of the packets of connections may take so many bytes, and takes so many.
 *
 * Lists that could grow look whether it is full, and forget what is oldest in them instead.
 */
#ifndef IBWIRE_TRACK_MEMORY_H
#define IBWIRE_TRACK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What 450,000 connections fit in (flood.py), and the least that can be asked for. */
#define TRACK_MEMORY ((uint64_t)1 << 30)
#define TRACK_MEMORY_MIN ((uint64_t)1 << 20)

/* The part of it that is for tables of what is no connection: one in so many. */
#define TRACK_MEMORY_TABLES 4u

/* Of the allocator, for each piece. */
#define TRACK_MEMORY_PIECE 16u

struct track_memory {
	uint64_t used, max;
	uint64_t forgotten; /* requests without a response, for want of room */
};

static inline bool track_memory_is_full(const struct track_memory *m)
{
	return m->used >= m->max;
}

static inline void track_memory_take(struct track_memory *m, size_t bytes)
{
	m->used += bytes + TRACK_MEMORY_PIECE;
}

static inline void track_memory_give(struct track_memory *m, size_t bytes)
{
	m->used -= bytes + TRACK_MEMORY_PIECE;
}

#endif /* IBWIRE_TRACK_MEMORY_H */
