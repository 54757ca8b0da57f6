/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* heap.h - how many bytes of memory are allocated now, with and without a sanitizer. */
#ifndef FUZZ_HEAP_H
#define FUZZ_HEAP_H

#include <malloc.h>
#include <stddef.h>

__attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes(void);

static inline size_t heap_bytes(void)
{
	struct mallinfo2 info;

	if (__sanitizer_get_current_allocated_bytes)
		return __sanitizer_get_current_allocated_bytes();
	info = mallinfo2();
	return info.uordblks + info.hblkhd;
}

/* So much may be counted that was freed: without a sanitizer, what a thread keeps for itself. */
static inline size_t heap_slack(void)
{
	return __sanitizer_get_current_allocated_bytes ? 0 : 65536;
}

#endif /* FUZZ_HEAP_H */
