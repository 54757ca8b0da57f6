/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ranks.h - counts how many numbers from 1 up to a given one are left after some were removed.
 *
 * There is a bit per number and a count per 4096 numbers, allocated as needed.
 */
#ifndef IBWIRE_TRACK_RANKS_H
#define IBWIRE_TRACK_RANKS_H

#include <stdint.h>

#include <glib.h>

struct track_ranks {
	GArray *bits;   /* of uint64_t: the removed numbers */
	GArray *counts; /* of uint32_t: in a block */
};

void track_ranks_open(struct track_ranks *r);
void track_ranks_close(struct track_ranks *r);

/* Removes @number. */
void track_ranks_take(struct track_ranks *r, uint64_t number);

/* Puts it back. */
void track_ranks_give(struct track_ranks *r, uint64_t number);

/* How many are left below @number. */
uint64_t track_ranks_below(const struct track_ranks *r, uint64_t number);

#endif /* IBWIRE_TRACK_RANKS_H */
