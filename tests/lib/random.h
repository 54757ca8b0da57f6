/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* random.h - xorshift64: the same values on every machine, every time. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdint.h>

static uint32_t next_random(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

#endif /* TESTS_RANDOM_H */
