/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ahead.h - memory that is in no cache, asked for before it is needed.
 *
 * Of many connections in any order each packet's is somewhere else. What a batch needs is asked for at
 * once, so that the times to wait pass together. A byte of it is read: a prefetch is dropped where the
 * processor does not know the address of the page, a read is not.
 */
#ifndef IBWIRE_TRACK_AHEAD_H
#define IBWIRE_TRACK_AHEAD_H

#include <stddef.h>
#include <stdint.h>

#define TRACK_LINE 64

/* Without waiting: some of it may not come. */
static inline void track_hint(const void *memory, size_t bytes)
{
	const uint8_t *p = memory;
	size_t i;

	for (i = 0; i < bytes; i += TRACK_LINE)
		__builtin_prefetch(p + i, 1);
	__builtin_prefetch(p + bytes - 1, 1);
}

/* All of it comes, for its first byte is read. */
static inline void track_ask(const void *memory, size_t bytes)
{
	(void)*(const volatile uint8_t *)memory;
	track_hint(memory, bytes);
}

#endif /* IBWIRE_TRACK_AHEAD_H */
