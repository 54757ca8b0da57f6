/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nearest.h - finds the known word that a mistyped word probably means. */
#ifndef PL_NEAREST_H
#define PL_NEAREST_H

#include <stddef.h>

struct pl_nearest {
	const char *word; /* what was written */
	size_t len;
	const char *best; /* NULL: nothing is near */
	unsigned int distance;
};

struct pl_nearest pl_nearest_to(const char *word, size_t len);

/* A word there is. */
void pl_nearest_try(struct pl_nearest *nearest, const char *word);

#endif /* PL_NEAREST_H */
