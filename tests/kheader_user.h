/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kheader_user.h - what ibwire-kheader's output takes from the Linux kernel, for user space. */
#ifndef TESTS_KHEADER_USER_H
#define TESTS_KHEADER_USER_H

#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

/* One byte after the other: nothing in common with ibwire/base.h. */
static inline u64 kheader_get(const u8 *p, unsigned int bytes)
{
	u64 v = 0;

	while (bytes--)
		v = v << 8 | *p++;
	return v;
}

static inline void kheader_put(u64 v, u8 *p, unsigned int bytes)
{
	while (bytes--) {
		p[bytes] = (u8)v;
		v >>= 8;
	}
}

#define get_unaligned_be16(p) ((u16)kheader_get(p, 2))
#define get_unaligned_be24(p) ((u32)kheader_get(p, 3))
#define get_unaligned_be32(p) ((u32)kheader_get(p, 4))
#define get_unaligned_be64(p) kheader_get(p, 8)
#define put_unaligned_be16(v, p) kheader_put((u16)(v), p, 2)
#define put_unaligned_be24(v, p) kheader_put((u32)(v), p, 3)
#define put_unaligned_be32(v, p) kheader_put((u32)(v), p, 4)
#define put_unaligned_be64(v, p) kheader_put(v, p, 8)

#endif /* TESTS_KHEADER_USER_H */
