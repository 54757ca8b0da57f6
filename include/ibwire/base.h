/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * base.h - integers, and big-endian loads and stores at any alignment.
 *
 * Besides a compiler, these headers need only <stdint.h>, <stddef.h> and <stdbool.h>, which come with it, or in
 * a kernel <linux/types.h> and <linux/stddef.h>. No function is called by name. Where registers are narrow or
 * unaligned access is slow (i386, ARMv7, RISC-V, MIPS, AArch64 with -mstrict-align, x86-64 with -mno-sse,
 * anything with -Os), a compiler may call memcpy() and memset() to copy or clear a structure: there the program
 * has to provide both, as gcc and clang require of every freestanding program. On x86-64 and s390x with -O1 or
 * -O2 neither is called. tests/tree/headers.py tests all of this.
 *
 * This is the only file that depends on whether it is compiled for user space, for the Linux kernel or
 * freestanding, and the only one that depends on the byte order of the machine.
 */
#ifndef IBWIRE_BASE_H
#define IBWIRE_BASE_H

#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/stddef.h>
#else
#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif
#endif

#ifdef __cplusplus
#define IBW_STATIC_ASSERT(cond, text) static_assert(cond, text)
#else
#define IBW_STATIC_ASSERT(cond, text) _Static_assert(cond, text)
#endif

/* Every accessor folds to a few instructions, but only where it is inlined. */
#define IBW_INLINE static inline __attribute__((always_inline))

#define IBW_UNUSED __attribute__((unused))

#if !defined(__BYTE_ORDER__)
#error "ibwire: the compiler does not tell the byte order"
#elif __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define IBW_SWAP_BE16(x) __builtin_bswap16(x)
#define IBW_SWAP_BE32(x) __builtin_bswap32(x)
#define IBW_SWAP_BE64(x) __builtin_bswap64(x)
#define IBW_SWAP_LE16(x) (x)
#define IBW_SWAP_LE32(x) (x)
#define IBW_SWAP_LE64(x) (x)
#else
#define IBW_SWAP_BE16(x) (x)
#define IBW_SWAP_BE32(x) (x)
#define IBW_SWAP_BE64(x) (x)
#define IBW_SWAP_LE16(x) __builtin_bswap16(x)
#define IBW_SWAP_LE32(x) __builtin_bswap32(x)
#define IBW_SWAP_LE64(x) __builtin_bswap64(x)
#endif

/*
 * memcpy of a constant size is one load or store on every machine, whatever
 * the alignment. Shifting single bytes together costs up to four times as
 * much with gcc, and a pointer cast is undefined behaviour.
 */
#define IBW_COPY(to, from, n) __builtin_memcpy((to), (from), (n))
#define IBW_FILL(to, byte, n) __builtin_memset((to), (byte), (n))

/*
 * @n bytes, @n constant. Compilers call memcpy() for copies that are too long to unroll, and turn a
 * plain loop into a call, too; a freestanding program has no memcpy().
 */
IBW_INLINE void ibw_copy_bytes(uint8_t *to, const uint8_t *from, size_t n)
{
	if (__builtin_constant_p(n) && n <= 64) {
		IBW_COPY(to, from, n);
		return;
	}
	for (; n >= 32; n -= 32, to += 32, from += 32) {
		IBW_COPY(to, from, 32);
		__asm__ volatile("" : : : "memory");
	}
	for (; n; n--) {
		*to++ = *from++;
		__asm__ volatile("" : : : "memory");
	}
}

/* The same where @n is written as a number, so that the compiler knows it. */
#define IBW_COPY_BYTES(to, from, n)                                                                \
	((n) <= 64 ? (void)IBW_COPY(to, from, (n) <= 64 ? (n) : 0) : ibw_copy_bytes(to, from, n))

#define IBW_DEFINE_LOAD_STORE(order, ORDER, bits)                                                  \
	IBW_INLINE uint##bits##_t ibw_get_##order##bits(const void *p)                             \
	{                                                                                          \
		uint##bits##_t v;                                                                  \
		IBW_COPY(&v, p, sizeof(v));                                                        \
		return IBW_SWAP_##ORDER##bits(v);                                                  \
	}                                                                                          \
	IBW_INLINE void ibw_put_##order##bits(void *p, uint##bits##_t v)                           \
	{                                                                                          \
		v = IBW_SWAP_##ORDER##bits(v);                                                     \
		IBW_COPY(p, &v, sizeof(v));                                                        \
	}

IBW_DEFINE_LOAD_STORE(be, BE, 16)
IBW_DEFINE_LOAD_STORE(be, BE, 32)
IBW_DEFINE_LOAD_STORE(be, BE, 64)
IBW_DEFINE_LOAD_STORE(le, LE, 16)
IBW_DEFINE_LOAD_STORE(le, LE, 32)
IBW_DEFINE_LOAD_STORE(le, LE, 64)

#undef IBW_DEFINE_LOAD_STORE

/* Pasting and quoting after expansion of the arguments. */
#define IBW_CAT2_(a, b) a##b
#define IBW_CAT2(a, b) IBW_CAT2_(a, b)
#define IBW_CAT3_(a, b, c) a##b##c
#define IBW_CAT3(a, b, c) IBW_CAT3_(a, b, c)
#define IBW_CAT4_(a, b, c, d) a##b##c##d
#define IBW_CAT4(a, b, c, d) IBW_CAT4_(a, b, c, d)
#define IBW_STR_(a) #a
#define IBW_STR(a) IBW_STR_(a)

#endif /* IBWIRE_BASE_H */
