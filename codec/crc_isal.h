/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* crc_isal.h - what CRCs by ISA-L have in common; after <isa-l/crc.h>. Private to codec/. */
#ifndef IBWIRE_CODEC_CRC_ISAL_H
#define IBWIRE_CODEC_CRC_ISAL_H

/* Below it, crc32_gzip_refl() of ISA-L 2.30 takes 13 ns whatever the length, the tables 2 to 4. */
#define ISAL_FROM 16

/* From here on it uses 512-bit registers. */
#define ISAL_WIDE_FROM 256

/*
 * ISA-L uses 512-bit registers and leaves their upper parts dirty.
 * On some processors that makes every later change between old and new vector
 * instructions cost 70 cycles, in code that knows nothing of it; cleaning takes one.
 */
static inline void clean_vector_registers(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroupper" ::
					 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
					   "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
					   "xmm13", "xmm14", "xmm15");
#endif
}

#endif /* IBWIRE_CODEC_CRC_ISAL_H */
