/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nearest.c - finds the known word that a mistyped word probably means. */
#include <string.h>

#include <glib.h>

#include "nearest.h"

/* The longest rule's name has 31 characters. */
#define WORD_MAX 48

struct pl_nearest pl_nearest_to(const char *word, size_t len)
{
	/* One letter in three may be wrong. */
	return (struct pl_nearest){ .word = word,
				    .len = len,
				    .distance = (unsigned int)MIN(len, WORD_MAX) / 3 + 1 };
}

/* Letters to insert, to leave out or to change: Levenshtein's distance, row by row. */
static unsigned int distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned int row[WORD_MAX + 1], above, corner;
	size_t i, j;

	for (j = 0; j <= m; j++)
		row[j] = (unsigned int)j;
	for (i = 1; i <= n; i++) {
		corner = row[0];
		row[0] = (unsigned int)i;
		for (j = 1; j <= m; j++) {
			above = row[j];
			corner += g_ascii_tolower(a[i - 1]) != g_ascii_tolower(b[j - 1]);
			row[j] = MIN(corner, MIN(above, row[j - 1]) + 1);
			corner = above;
		}
	}
	return row[m];
}

void pl_nearest_try(struct pl_nearest *nearest, const char *word)
{
	const size_t len = strlen(word);
	unsigned int d;

	if (nearest->len < 2 || nearest->len > WORD_MAX || len > WORD_MAX)
		return;
	/* The beginning of a word is as near as one letter. */
	d = g_ascii_strncasecmp(word, nearest->word, nearest->len) == 0
		    ? 1
		    : distance(nearest->word, nearest->len, word, len);
	if (d < nearest->distance) {
		nearest->distance = d;
		nearest->best = word;
	}
}
