/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ahead.h - fetches memory into the cache before it is needed.
 *
 * With many connections in any order, each packet's state is at another place in memory. The state of
 * a whole batch is fetched at once, so that the waits overlap. One byte is read: the processor drops a
 * prefetch if it does not know the address of the page, but not a read.
 */
#ifndef IBWIRE_TRACK_AHEAD_H
#define IBWIRE_TRACK_AHEAD_H

#include <stddef.h>
#include <stdint.h>

#define TRACK_LINE 64

/* Does not wait: some of it may not be fetched. */
static inline void track_hint(const void *memory, size_t bytes)
{
	const uint8_t *p = memory;
	size_t i;

	for (i = 0; i < bytes; i += TRACK_LINE)
		__builtin_prefetch(p + i, 1);
	__builtin_prefetch(p + bytes - 1, 1);
}

/* All of it is fetched, because its first byte is read. */
static inline void track_ask(const void *memory, size_t bytes)
{
	(void)*(const volatile uint8_t *)memory;
	track_hint(memory, bytes);
}

#endif /* IBWIRE_TRACK_AHEAD_H */
