/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.h - the memory budget of the state of connections: its limit and its use.
 *
 * A list that would grow checks the budget first; if it is used up, the list evicts its oldest
 * entries.
 */
#ifndef IBWIRE_TRACK_MEMORY_H
#define IBWIRE_TRACK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The default, enough for 450,000 connections (flood.py), and the smallest limit. */
#define TRACK_MEMORY ((uint64_t)1 << 30)
#define TRACK_MEMORY_MIN ((uint64_t)1 << 20)

/* The part of it for tables other than connections: one in this many. */
#define TRACK_MEMORY_TABLES 4u

/* The overhead of the allocator per piece. */
#define TRACK_MEMORY_PIECE 16u

struct track_memory {
	uint64_t used, max;
	uint64_t forgotten; /* requests without a response that were evicted */
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
