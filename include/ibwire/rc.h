/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rc.h - the counters and timers of reliable services: PSNs, MSNs, AETH syndromes, timer codes.
 *
 * PSNs, MSNs, codes and times are host integers; times are in the unit the function is
 * named for. Of a number wider than its field, only the low bits count. Nothing here fails, keeps
 * state or reads memory: any thread may call it at any time.
 */
#ifndef IBWIRE_RC_H
#define IBWIRE_RC_H

#include "base.h"

/* PSNs and MSNs are counted modulo 2^24: IBTA vol 1, 9.7.2 */
#define IBW_PSN_MASK 0xffffffu

/* The PSN (or MSN) @n after @psn. */
IBW_INLINE uint32_t ibw_psn_add(uint32_t psn, uint32_t n)
{
	return (psn + n) & IBW_PSN_MASK;
}

/* The PSN @n before @psn. */
IBW_INLINE uint32_t ibw_psn_sub(uint32_t psn, uint32_t n)
{
	return (psn - n) & IBW_PSN_MASK;
}

/* How far @psn is after @from, -2^23 to 2^23 - 1: below 0 it is before it. */
IBW_INLINE int32_t ibw_psn_diff(uint32_t psn, uint32_t from)
{
	return (int32_t)((psn - from) << 8) >> 8;
}

/* Whether @psn comes before @other. Of two that are 2^23 apart each comes before the other. */
IBW_INLINE bool ibw_psn_is_before(uint32_t psn, uint32_t other)
{
	return ibw_psn_diff(psn, other) < 0;
}

/* Whether @psn is one of the @n PSNs from @first on; @n 0 to 2^24. */
IBW_INLINE bool ibw_psn_is_within(uint32_t psn, uint32_t first, uint32_t n)
{
	return ibw_psn_sub(psn, first) < n;
}

/*
 * The PSNs that @bytes take at a path MTU of @mtu bytes, a power of two (ibw_mtu_bytes()); 1
 * for an empty message: the packets of a SEND or WRITE, the responses to a READ. It does not
 * divide, because not every processor can.
 */
IBW_INLINE uint32_t ibw_psns(uint32_t bytes, uint32_t mtu)
{
	uint32_t more = bytes ? bytes - 1 : 0; /* after the first byte, then after the first PSN */

	for (; mtu > 1; mtu >>= 1)
		more >>= 1;
	return more + 1;
}

/* AETH syndrome: IBTA vol 1, 9.7.5.2. The type in bits 6:5, the value in 4:0. */
#define IBW_AETH_TYPE(syndrome) (0xe0u & (syndrome))
#define IBW_AETH_VALUE(syndrome) (0x1fu & (syndrome))
#define IBW_AETH_TYPE_ACK 0x00u
#define IBW_AETH_TYPE_RNR 0x20u
#define IBW_AETH_TYPE_NAK 0x60u

/* The credit code of a responder that counts no credits; one with an SRQ has to use it: 9.7.7.2 */
#define IBW_CREDIT_NONE 31u
/* The largest credit code, of 32768 credits. */
#define IBW_CREDIT_MAX 30u

/* The syndrome of an ACK with a credit code. */
IBW_INLINE uint8_t ibw_aeth_ack(uint32_t credit_code)
{
	return (uint8_t)(IBW_AETH_TYPE_ACK | IBW_AETH_VALUE(credit_code));
}

/* The syndrome of an RNR NAK with an RNR timer code. */
IBW_INLINE uint8_t ibw_aeth_rnr(uint32_t timer_code)
{
	return (uint8_t)(IBW_AETH_TYPE_RNR | IBW_AETH_VALUE(timer_code));
}

/* The syndrome of a NAK with a NAK code: 0 PSN sequence error ... 4 invalid RD request. */
IBW_INLINE uint8_t ibw_aeth_nak(uint32_t nak_code)
{
	return (uint8_t)(IBW_AETH_TYPE_NAK | IBW_AETH_VALUE(nak_code));
}

/*
 * The scale of credit counts, 0 1 2 3 4 6 8 12 16 24 ..., of 5 bits: IBTA vol 1, 9.7.7.2.4.
 * That of the RNR timer is the same, in units of 10 us, with 0 standing for 32: 9.7.5.2.8.
 */
IBW_INLINE uint32_t ibw_half_octaves(uint32_t code)
{
	if (code < 2)
		return code;
	return code % 2 ? 3u << (code - 3) / 2 : 1u << code / 2;
}

/* The largest code, up to 32, whose place on the scale is not above @n. */
IBW_INLINE uint32_t ibw_half_octaves_code(uint32_t n)
{
	uint32_t octave;

	if (n < 2)
		return n;
	octave = 31u - (uint32_t)__builtin_clz(n);
	if (octave >= 16)
		return 32;
	return 2 * octave + (n >> (octave - 1) & 1);
}

/* Credits of a credit code, 0 to IBW_CREDIT_MAX. */
IBW_INLINE uint32_t ibw_credits(uint32_t code)
{
	return ibw_half_octaves(code);
}

/* The credit code of a responder with @credits receives posted: as many, or fewer. */
IBW_INLINE uint8_t ibw_credit_code(uint32_t credits)
{
	uint32_t code = ibw_half_octaves_code(credits);

	return (uint8_t)(code < IBW_CREDIT_MAX ? code : IBW_CREDIT_MAX);
}

/*
 * The limit sequence number of an ACK with @msn and a credit code other than
 * IBW_CREDIT_NONE: messages numbered up to it may be sent. IBTA vol 1, 9.7.7.2
 */
IBW_INLINE uint32_t ibw_credit_limit(uint32_t msn, uint32_t code)
{
	return ibw_psn_add(msn, ibw_credits(code));
}

/* Microseconds of an RNR timer code. */
IBW_INLINE uint32_t ibw_rnr_usec(uint32_t code)
{
	return 10 * ibw_half_octaves(code ? code : 32);
}

/* The RNR timer code of the shortest time that is not below @usec; 0, 655.36 ms, if none is. */
IBW_INLINE uint8_t ibw_rnr_code(uint32_t usec)
{
	uint32_t tens = usec / 10 + (usec % 10 != 0), code;

	if (tens < 2)
		return 1;
	code = ibw_half_octaves_code(tens - 1) + 1;
	return (uint8_t)(code < 32 ? code : 0);
}

/* Nanoseconds of a 5-bit time code, 4.096 us * 2^code: packet life, response and service times. */
IBW_INLINE uint64_t ibw_time_nsec(uint32_t code)
{
	return (uint64_t)4096 << (code & 0x1f);
}

/* The code of the shortest time that is not below @nsec; 31, 2.4 hours, if none is. */
IBW_INLINE uint8_t ibw_time_code(uint64_t nsec)
{
	uint8_t code = 0;

	while (code < 31 && ibw_time_nsec(code) < nsec)
		code++;
	return code;
}

/* Nanoseconds of a local ACK timeout code; 0: there is no timeout. IBTA vol 1, 9.7.6 */
IBW_INLINE uint64_t ibw_ack_timeout_nsec(uint32_t code)
{
	return code & 0x1f ? ibw_time_nsec(code) : 0;
}

/*
 * The local ACK timeout code of a path whose packets live for code @life, to a channel
 * adapter that delays ACKs for code @delay: the shortest that is not below twice the packet life
 * plus the delay, 31 at most. Linux's CM computes the same sum, but rounds it down where one part
 * is a quarter of the other or less.
 */
IBW_INLINE uint8_t ibw_ack_timeout_code(uint32_t life, uint32_t delay)
{
	return ibw_time_code(2 * ibw_time_nsec(life) + ibw_time_nsec(delay));
}

#endif /* IBWIRE_RC_H */
