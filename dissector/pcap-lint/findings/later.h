/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * later.h - findings that wait for the end of the capture, because their connection (chosen.h) or their incident
 * (fold.h) is not known before. Their number is limited; further ones are only counted.
 */
#ifndef PL_LATER_H
#define PL_LATER_H

#include <lint/lint.h>

#define PL_LATER_MAX 65536u

struct pl_later;

/* The connection of a flow by the number that it has so far, and its service: later its queue pair may be another one's. */
struct pl_whose {
	uint64_t service_id; /* 0: not known */
	uint64_t serial;     /* struct track_qp has it */
	uint32_t connection;
	bool known; /* the connection */
};

/* NULL for either is fine. */
struct pl_whose pl_whose(const struct track *track, const struct track_flow *flow);

/* One with its words; or @n of which it is one, up to frame @last_frame. */
struct pl_waiting {
	struct lint_finding finding;
	struct pl_whose whose; /* when it was found */
	uint64_t n;            /* 0: it has words */
	uint64_t last_frame;
};

struct pl_later *pl_later_new(const struct track *track);
void pl_later_free(struct pl_later *later); /* NULL is fine */

/* It is copied. */
void pl_later_take(struct pl_later *later, const struct lint_finding *finding, uint64_t n,
		   uint64_t last_frame);

/* The capture ended: what the connections of those that wait are called now, which are @n of @qps. */
struct track_qp;
void pl_later_settle(struct pl_later *later, const struct track_qp *const *qps, unsigned int n);

/* In the order they came. */
typedef void pl_later_do(void *user, const struct pl_waiting *waiting);
void pl_later_each(const struct pl_later *later, pl_later_do *what, void *user);

/* Whether the next one would be kept. */
bool pl_later_has_room(const struct pl_later *later);

uint64_t pl_later_forgotten(const struct pl_later *later);

#endif /* PL_LATER_H */
