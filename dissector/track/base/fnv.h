/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fnv.h - the FNV-1a hash with 64 bits, for uses in which a sender gains nothing from a collision.
 *
 * Tables use a hash with a secret key instead: table.h.
 */
#ifndef IBWIRE_TRACK_FNV_H
#define IBWIRE_TRACK_FNV_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TRACK_FNV_BEGIN UINT64_C(0xcbf29ce484222325)

/* Continues @hash (TRACK_FNV_BEGIN at first) with @n more bytes. */
static inline uint64_t track_fnv(uint64_t hash, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	size_t i;

	for (i = 0; i < n; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/*
 * The same for many bytes, eight at a time, with a result other than that of track_fnv(). A multiplication moves differences up only:
 * the turn before it brings the highest bits down again.
 */
static inline uint64_t track_fnv_long(uint64_t hash, const void *bytes, size_t n)
{
	const uint8_t *p = bytes, *end = p + (n & ~(size_t)7);
	uint64_t word;

	for (; p < end; p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		hash = ((hash << 29 | hash >> 35) ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	}
	hash ^= hash >> 32;
	return track_fnv(hash, p, n & 7);
}

#endif /* IBWIRE_TRACK_FNV_H */
