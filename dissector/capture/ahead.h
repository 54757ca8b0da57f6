/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ahead.h - packets that were read before it is known what they are, in their order.
 *
 *	capture_ahead_add(a, &kept);
 *	...
 *	while ((kept = capture_ahead_next(a, nth)))
 *		... kept->packet, valid until capture_ahead_clear() ...
 *	capture_ahead_clear(a);
 */
#ifndef CAPTURE_AHEAD_H
#define CAPTURE_AHEAD_H

#include "capture.h"

struct capture_ahead;

struct capture_kept {
	struct capture_packet packet; /* its data is a copy of those that were added */
	uint64_t offset, size;        /* capture_record() */
	bool has_record;
	unsigned int nth; /* its file */
	uint32_t ticket;  /* the caller's */
};

struct capture_ahead *capture_ahead_new(void);
void capture_ahead_free(struct capture_ahead *a); /* NULL is fine */

void capture_ahead_add(struct capture_ahead *a, const struct capture_kept *kept);

/* How many there are, and bytes of them. */
unsigned int capture_ahead_count(const struct capture_ahead *a);
uint64_t capture_ahead_bytes(const struct capture_ahead *a);

/* The first that was not asked for yet; NULL: there is no more, or it is not of file number @nth. */
const struct capture_kept *capture_ahead_next(struct capture_ahead *a, unsigned int nth);
void capture_ahead_clear(struct capture_ahead *a);

#endif /* CAPTURE_AHEAD_H */
