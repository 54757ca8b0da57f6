/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rate.h - static rates: IBW_RATE_... to Mb/s and back, and the delay between packets.
 *
 * Mb/s are the signalling rates of the lanes, including the encoding, as in Linux and rdma-core: 14
 * Gb/s are 14,062. Nothing here fails, keeps state or reads memory: any thread may call it at any
 * time.
 */
#ifndef IBWIRE_RATE_H
#define IBWIRE_RATE_H

#include "sa.h"

/* The static rate of an address that asks for no limit, in verbs; none is sent in a path record */
#define IBW_RATE_PORT 0

/* Mb/s of a rate code, 0 of one that is not defined, IBW_RATE_PORT included. */
static inline uint32_t ibw_rate_mbps(uint32_t code)
{
	switch (code) {
	case IBW_RATE_2_5:
		return 2500;
	case IBW_RATE_5:
		return 5000;
	case IBW_RATE_10:
		return 10000;
	case IBW_RATE_14:
		return 14062;
	case IBW_RATE_20:
		return 20000;
	case IBW_RATE_25:
		return 25781;
	case IBW_RATE_28:
		return 28125;
	case IBW_RATE_30:
		return 30000;
	case IBW_RATE_40:
		return 40000;
	case IBW_RATE_50:
		return 53125;
	case IBW_RATE_56:
		return 56250;
	case IBW_RATE_60:
		return 60000;
	case IBW_RATE_80:
		return 80000;
	case IBW_RATE_100:
		return 103125;
	case IBW_RATE_112:
		return 112500;
	case IBW_RATE_120:
		return 120000;
	case IBW_RATE_168:
		return 168750;
	case IBW_RATE_200:
		return 206250;
	case IBW_RATE_300:
		return 309375;
	case IBW_RATE_400:
		return 425000;
	case IBW_RATE_600:
		return 637500;
	case IBW_RATE_800:
		return 850000;
	case IBW_RATE_1200:
		return 1275000;
	default:
		return 0;
	}
}

/* The code of the highest rate that is not above @mbps; IBW_RATE_PORT if none is. */
static inline uint8_t ibw_rate_code(uint32_t mbps)
{
	uint32_t best = 0, rate, code, found = IBW_RATE_PORT;

	for (code = IBW_RATE_2_5; code <= IBW_RATE_1200; code++) {
		rate = ibw_rate_mbps(code);
		if (rate <= mbps && rate > best) {
			best = rate;
			found = code;
		}
	}
	return (uint8_t)found;
}

/* In quarters of a Mb/s, so that every rate is an integer: 14,062.5 and 25,781.25 Mb/s. */
IBW_INLINE uint32_t ibw_rate_quarters(uint32_t code)
{
	if (code == IBW_RATE_14)
		return 56250;
	return code == IBW_RATE_25 ? 103125 : 4 * ibw_rate_mbps(code);
}

/*
 * The inter packet delay of a port of @port_mbps that sends at rate code @code: the pause after a
 * packet, in multiples of its transmission time. 0: the rate is none, or not below the port's.
 * Rounded up, so that the rate is never exceeded; 255 at most. IBTA vol 1, 9.11
 */
IBW_INLINE uint8_t ibw_rate_delay(uint32_t code, uint32_t port_mbps)
{
	const uint32_t most = ~(uint32_t)0;
	uint32_t rate = ibw_rate_quarters(code), port, times;

	port = port_mbps < most / 4 ? 4 * port_mbps : most;
	if (!rate || rate >= port)
		return 0;
	times = (port - 1) / rate;
	return (uint8_t)(times < 255 ? times : 255);
}

#endif /* IBWIRE_RATE_H */
