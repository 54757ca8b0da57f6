/* SPDX-License-Identifier: GPL-2.0-or-later */
/* time.c - pcapng time stamps of any resolution as nanoseconds since 1970. */
#include "impl.h"

static uint64_t power_of_10(unsigned int exponent)
{
	uint64_t v = 1;

	while (exponent--)
		v *= 10;
	return v;
}

uint64_t capture_ns_per_tick(uint8_t resolution)
{
	unsigned int exponent = resolution & 0x7f;

	/* 10^9 has nine factors of 2 and of 10: any finer tick is no whole number */
	if (exponent > 9)
		return 0;
	return resolution & 0x80 ? 1000000000u >> exponent : power_of_10(9 - exponent);
}

/* floor(ticks * 10^9 / 2^bits) for ticks below 2^bits, without overflow. */
static uint64_t binary_fraction_ns(uint64_t ticks, unsigned int bits)
{
	uint64_t high, low;

	if (bits <= 32)
		return ticks * 1000000000u >> bits;
	high = (ticks >> 32) * 1000000000u;
	low = (ticks & 0xffffffffu) * 1000000000u >> 32;
	return bits - 32 < 64 ? (high + low) >> (bits - 32) : 0;
}

/* Seconds and nanoseconds of a time stamp whose tick is no whole number of nanoseconds. */
static void split_time(const struct capture_interface *iface, uint64_t ticks, uint64_t *sec,
		       uint64_t *ns)
{
	unsigned int exponent = iface->ts_resolution & 0x7f;
	uint64_t per_second;

	*sec = 0;
	*ns = 0;
	if (iface->ts_resolution & 0x80) {
		if (exponent < 64) {
			*sec = ticks >> exponent;
			ticks &= (UINT64_C(1) << exponent) - 1;
		}
		*ns = binary_fraction_ns(ticks, exponent);
	} else if (exponent <= 19) {
		per_second = power_of_10(exponent);
		*sec = ticks / per_second;
		ticks %= per_second;
		*ns = exponent <= 9 ? ticks * power_of_10(9 - exponent)
				    : ticks / power_of_10(exponent - 9);
	} else if (exponent - 9 <= 19) {
		*ns = ticks / power_of_10(exponent - 9);
	}
}

/* A tick is unsigned: only if_tsoffset leads there. */
bool capture_time_before_1970(const struct capture *cap, const struct capture_packet *pkt)
{
	const struct capture_interface *iface = capture_interface(cap, pkt->iface);
	uint64_t sec, ns;

	if (!pkt->has_time || iface->ts_offset >= 0)
		return false;
	split_time(iface, pkt->ticks, &sec, &ns);
	return sec < 0 - (uint64_t)iface->ts_offset;
}

uint64_t capture_time_ns(const struct capture_interface *iface, uint64_t ticks)
{
	uint64_t sec, ns, offset, whole;

	if (iface->ns_per_tick && !iface->ts_offset &&
	    !__builtin_mul_overflow(ticks, iface->ns_per_tick, &whole))
		return whole;
	split_time(iface, ticks, &sec, &ns);
	if (iface->ts_offset < 0) {
		offset = 0 - (uint64_t)iface->ts_offset;
		if (sec < offset)
			return 0;
		sec -= offset;
	} else if (__builtin_add_overflow(sec, (uint64_t)iface->ts_offset, &sec)) {
		return UINT64_MAX;
	}
	if (__builtin_mul_overflow(sec, UINT64_C(1000000000), &whole) ||
	    __builtin_add_overflow(whole, ns, &whole))
		return UINT64_MAX;
	return whole;
}
