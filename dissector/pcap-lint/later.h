/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * later.h - findings that wait for the end of the capture: whose connection they are about (chosen.h), or of which
 * incident they are part (fold.h), is not known before. There is room for some; beyond that the next ones are
 * forgotten, and counted.
 */
#ifndef PL_LATER_H
#define PL_LATER_H

#include <lint/lint.h>

#define PL_LATER_MAX 65536u

struct pl_later;

struct pl_later *pl_later_new(void);
void pl_later_free(struct pl_later *later); /* NULL is fine */

/* One with its words; or @n of which it is one, up to frame @last_frame. It is copied. */
void pl_later_take(struct pl_later *later, const struct lint_finding *finding, uint64_t n,
		   uint64_t last_frame);

/* In the order they came. @n is 0 of one with its words. */
typedef void pl_later_do(void *user, const struct lint_finding *finding, uint64_t n,
			 uint64_t last_frame);
void pl_later_each(const struct pl_later *later, pl_later_do *what, void *user);

/* Whether the next one would be kept. */
bool pl_later_has_room(const struct pl_later *later);

uint64_t pl_later_forgotten(const struct pl_later *later);

#endif /* PL_LATER_H */
