/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ranks.c - counts which numbers are left after some were removed. */
#include "ranks.h"

#define WORD 64u
#define BLOCK_WORDS 64u
#define BLOCK ((uint64_t)WORD * BLOCK_WORDS)

void track_ranks_open(struct track_ranks *r)
{
	r->bits = g_array_new(FALSE, TRUE, sizeof(uint64_t));
	r->counts = g_array_new(FALSE, TRUE, sizeof(uint32_t));
}

void track_ranks_close(struct track_ranks *r)
{
	g_array_unref(r->bits);
	g_array_unref(r->counts);
}

void track_ranks_take(struct track_ranks *r, uint64_t number)
{
	unsigned int block = (unsigned int)(number / BLOCK);
	uint64_t *word;

	if (block >= r->counts->len) {
		g_array_set_size(r->counts, block + 1);
		g_array_set_size(r->bits, (block + 1) * BLOCK_WORDS);
	}
	word = &g_array_index(r->bits, uint64_t, number / WORD);
	if (*word >> number % WORD & 1)
		return;
	*word |= (uint64_t)1 << number % WORD;
	g_array_index(r->counts, uint32_t, block)++;
}

void track_ranks_give(struct track_ranks *r, uint64_t number)
{
	unsigned int block = (unsigned int)(number / BLOCK);
	uint64_t bit = (uint64_t)1 << number % WORD, *word;

	if (block >= r->counts->len)
		return;
	word = &g_array_index(r->bits, uint64_t, number / WORD);
	if (!(*word & bit))
		return;
	*word &= ~bit;
	g_array_index(r->counts, uint32_t, block)--;
}

static uint64_t taken_below(const struct track_ranks *r, uint64_t number)
{
	unsigned int i, block = (unsigned int)(number / BLOCK),
			word = (unsigned int)(number / WORD);
	uint64_t n = 0;

	for (i = 0; i < MIN(block, r->counts->len); i++)
		n += g_array_index(r->counts, uint32_t, i);
	if (block >= r->counts->len)
		return n;
	for (i = block * BLOCK_WORDS; i < word; i++)
		n += (unsigned int)__builtin_popcountll(g_array_index(r->bits, uint64_t, i));
	return n + (unsigned int)__builtin_popcountll(g_array_index(r->bits, uint64_t, i) &
						      (((uint64_t)1 << number % WORD) - 1));
}

uint64_t track_ranks_below(const struct track_ranks *r, uint64_t number)
{
	return number - 1 - taken_below(r, number);
}
