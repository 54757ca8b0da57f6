/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ranks.h - numbers from 1 up, of which some are taken away: how many are left below one.
 *
 * A bit each, and a count for each 4096 of them, made as they are needed.
 */
#ifndef IBWIRE_TRACK_RANKS_H
#define IBWIRE_TRACK_RANKS_H

#include <stdint.h>

#include <glib.h>

struct track_ranks {
	GArray *bits;   /* of uint64_t: taken away */
	GArray *counts; /* of uint32_t: in a block */
};

void track_ranks_open(struct track_ranks *r);
void track_ranks_close(struct track_ranks *r);

/* @number is taken away. */
void track_ranks_take(struct track_ranks *r, uint64_t number);

/* It is not, after all. */
void track_ranks_give(struct track_ranks *r, uint64_t number);

/* How many are left below @number. */
uint64_t track_ranks_below(const struct track_ranks *r, uint64_t number);

#endif /* IBWIRE_TRACK_RANKS_H */
