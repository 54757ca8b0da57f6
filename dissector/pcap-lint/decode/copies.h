/* SPDX-License-Identifier: GPL-2.0-or-later */
/* copies.h - which frames of a capture are copies of earlier ones, for a second reading of it. */
#ifndef PL_COPIES_H
#define PL_COPIES_H

#include "track/link/twice.h"

struct pl_copies;

struct pl_copies *pl_copies_new(void);
void pl_copies_free(struct pl_copies *c); /* NULL is fine */

/* Each packet, in the order of the file; after the last one, it is decided which are copies. */
void pl_copies_packet(struct pl_copies *c, struct track_view *view, const struct track_at *at,
		      uint32_t iface);
void pl_copies_end(struct pl_copies *c);

/* @c NULL: none is. */
bool pl_copies_has(const struct pl_copies *c, uint64_t frame);

#endif /* PL_COPIES_H */
