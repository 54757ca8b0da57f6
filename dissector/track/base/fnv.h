/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fnv.h - FNV-1a, 64 bits: a number that stands for bytes, where who makes two alike on purpose gains nothing.
 *
 * Tables hash by themselves, with a key that nobody knows: table.h.
 */
#ifndef IBWIRE_TRACK_FNV_H
#define IBWIRE_TRACK_FNV_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TRACK_FNV_BEGIN UINT64_C(0xcbf29ce484222325)

/* Of what gave @hash so far, TRACK_FNV_BEGIN without any, and @n bytes more. */
static inline uint64_t track_fnv(uint64_t hash, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	size_t i;

	for (i = 0; i < n; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/*
 * The same of many bytes, eight at a time, and not the number that track_fnv() gives. What the product carries out at the top comes back
 * below, else two differences in the last byte of eight would meet in eight bits.
 */
static inline uint64_t track_fnv_long(uint64_t hash, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	uint64_t word;

	for (; n >= sizeof(word); p += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	return track_fnv(hash, p, n);
}

#endif /* IBWIRE_TRACK_FNV_H */
