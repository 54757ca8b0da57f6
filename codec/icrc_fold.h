/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * icrc_fold.h - the ICRC of a short packet by carry-less multiplication. Private to codec/.
 *
 * The 44 to 60 bytes of an ACK take 21 ns with tables, or with a library made for long blocks, and 5
 * to 6 ns this way. Where the machine cannot do it, or the code may not use vector registers, as in the
 * Linux kernel, there is none of this: IBW_ICRC_FOLDS is not defined.
 */
#ifndef IBWIRE_CODEC_ICRC_FOLD_H
#define IBWIRE_CODEC_ICRC_FOLD_H

#include <ibwire/base.h>

#if defined(__x86_64__) && defined(__SSE2__) && !defined(__CHECKER__) && !defined(IBW_ICRC_NO_FOLD)
#define IBW_ICRC_FOLDS

/* What this machine's processor can do. */
static inline bool icrc_can_fold(void)
{
	return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
}

/*
 * The CRC of @n bytes of @p, 16 to 64 of them in whole words, or-ed with as many of @ones, after those
 * whose CRC is @start.
 */
uint32_t icrc_fold(uint32_t start, const uint8_t *p, const uint8_t *ones, size_t n);
#endif

#endif /* IBWIRE_CODEC_ICRC_FOLD_H */
