/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rc.c - the numbers of reliable services and static rates: every code against what Linux and
 * rdma-core have for it (data/codes.csv), every inverse against a search, PSNs against 64 bits.
 */
#include "fact_rows.h"
#include <ibwire/ibwire.h>
#include <ibwire/rate.h>

#define CODES 64u

/* What others say; 0 and not known: nothing. */
static uint64_t credits[CODES], rnr[CODES], rate[CODES];
static unsigned int n_credits, n_rnr, n_rate;

static void say(uint64_t *table, unsigned int *n, unsigned int code, uint64_t value)
{
	if (!CHECK(code < CODES))
		return;
	if (table[code] && value != table[code])
		CHECK_EQ(value, table[code]); /* two sources disagree */
	else if (!table[code])
		(*n)++;
	table[code] = value;
}

static void use_row(char **column)
{
	unsigned int code = fact_number(column[1]);
	uint64_t value = fact_number(column[2]);

	if (strcmp(column[0], "credits") == 0)
		say(credits, &n_credits, code, value);
	else if (strcmp(column[0], "rnr") == 0)
		say(rnr, &n_rnr, code, value);
	else if (CHECK_STR(column[0], "rate"))
		say(rate, &n_rate, code, value);
}

static void test_codes(void)
{
	uint32_t code;

	check_case("codes");
	CHECK_EQ(n_credits, 31);
	CHECK_EQ(n_rnr, 32);
	CHECK_EQ(n_rate, 23);
	for (code = 0; code <= IBW_CREDIT_MAX; code++)
		CHECK_EQ(ibw_credits(code), credits[code]);
	for (code = 0; code < 32; code++)
		CHECK_EQ(ibw_rnr_usec(code), rnr[code]);
	for (code = 0; code < 256; code++)
		CHECK_EQ(ibw_rate_mbps(code), code < CODES ? rate[code] : 0);
}

/* The largest code whose value is not above @n, by looking at each. */
static uint32_t below(const uint64_t *table, uint32_t n_codes, uint64_t n)
{
	uint32_t code, best = 0;

	for (code = 0; code < n_codes; code++)
		if (table[code] <= n && (table[best] > n || table[code] >= table[best]))
			best = code;
	return best;
}

static void test_credit_code(uint32_t n)
{
	CHECK_EQ(ibw_credit_code(n), below(credits, 31, n));
}

static void test_rnr_code(uint32_t usec)
{
	uint32_t code, want = 0;

	for (code = 0; code < 32; code++)
		if (rnr[code] >= usec && rnr[code] < rnr[want])
			want = code;
	CHECK_EQ(ibw_rnr_code(usec), want);
}

static void test_rate_code(uint32_t mbps)
{
	uint32_t want = below(rate, CODES, mbps);

	CHECK_EQ(ibw_rate_code(mbps), rate[want] ? want : 0);
}

static void test_inverses(void)
{
	static const uint32_t far[] = { 0x7fffffff, 0x80000000, 0xfffffff6, 0xffffffff };
	uint32_t n, i;

	check_case("inverses");
	for (n = 0; n < 70000; n++)
		test_credit_code(n);
	for (n = 0; n < 660000; n += n < 20000 ? 1 : 7)
		test_rnr_code(n);
	for (i = 0; i < 32; i++) {
		test_rnr_code((uint32_t)rnr[i] - 1);
		test_rnr_code((uint32_t)rnr[i]);
		test_rnr_code((uint32_t)rnr[i] + 1);
	}
	for (n = 0; n < 1300000; n += 13)
		test_rate_code(n);
	for (i = 0; i < CODES; i++)
		if (rate[i]) {
			test_rate_code((uint32_t)rate[i] - 1);
			test_rate_code((uint32_t)rate[i]);
		}
	for (i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
		test_credit_code(far[i]);
		test_rnr_code(far[i]);
		test_rate_code(far[i]);
	}
}

/* Quarters of a Mb/s, with those that rate[] leaves out: lanes of 14.0625 and 25.78125 Gb/s. */
static uint64_t quarters(uint32_t code)
{
	return 4 * rate[code] + (rate[code] == 14062 ? 2 : rate[code] == 25781);
}

/* IBTA vol 1, 9.11: a packet's time is waited so many times; no more than needed. */
static void test_delays(void)
{
	uint32_t code, port, delay;

	check_case("a lane of four");
	CHECK_EQ(ibw_rate_delay(IBW_RATE_25, (uint32_t)rate[IBW_RATE_100]), 3);
	CHECK_EQ(ibw_rate_delay(IBW_RATE_14, (uint32_t)rate[IBW_RATE_56]), 3);
	CHECK_EQ(ibw_rate_delay(IBW_RATE_2_5, UINT32_MAX), 255);
	CHECK_EQ(ibw_rate_delay(IBW_RATE_2_5, 0x40000000), 255); /* 2^32 quarters */

	for (code = 0; code < CODES; code++)
		for (port = 0; port < CODES; port++) {
			check_case("delay of rate %u at a port of %u", code, port);
			delay = ibw_rate_delay(code, (uint32_t)rate[port]);
			if (!rate[code] || rate[port] <= rate[code]) {
				CHECK_EQ(delay, 0);
				continue;
			}
			CHECK(delay == 255 || 4 * rate[port] <= (delay + 1) * quarters(code));
			CHECK(4 * rate[port] > delay * quarters(code));
		}
}

/* 4.096 us * 2^code, worked out by doubling. */
static void test_times(void)
{
	uint64_t nsec = 4096, of[32];
	uint32_t code, life, delay;

	for (code = 0; code < 32; code++, nsec *= 2) {
		check_case("time code %u", code);
		of[code] = nsec;
		CHECK_EQ(ibw_time_nsec(code), nsec);
		CHECK_EQ(ibw_time_nsec(code + 32), nsec);
		CHECK_EQ(ibw_ack_timeout_nsec(code), code ? nsec : 0);
		CHECK_EQ(ibw_time_code(nsec), code);
		CHECK_EQ(ibw_time_code(nsec + 1), code < 31 ? code + 1 : 31);
		CHECK_EQ(ibw_time_code(nsec - 1), code);
	}
	CHECK_EQ(ibw_time_code(0), 0);
	CHECK_EQ(ibw_time_code(UINT64_MAX), 31);
	for (life = 0; life < 32; life++)
		for (delay = 0; delay < 32; delay++) {
			check_case("life %u delay %u", life, delay);
			code = 0;
			while (code < 31 && of[code] < 2 * of[life] + of[delay])
				code++;
			CHECK_EQ(ibw_ack_timeout_code(life, delay), code);
		}
}

static void test_syndromes(void)
{
	uint32_t s;

	/* Linux 6.12 rxe_hdr.h:781: ACK 0x00, RNR NAK 0x20, NAK 0x60, the value in 5 bits */
	for (s = 0; s < 256; s++) {
		check_case("syndrome %u", s);
		CHECK_EQ(ibw_aeth_ack(s), s % 32);
		CHECK_EQ(ibw_aeth_rnr(s), 0x20 + s % 32);
		CHECK_EQ(ibw_aeth_nak(s), 0x60 + s % 32);
		CHECK_EQ(IBW_AETH_TYPE(s), s / 32 * 32);
		CHECK_EQ(IBW_AETH_VALUE(s), s % 32);
	}
	CHECK_EQ(ibw_aeth_ack(IBW_CREDIT_NONE), 0x1f);
	for (s = 0; s <= IBW_CREDIT_MAX; s++)
		CHECK_EQ(ibw_credit_limit(0xfffff0, s), (0xfffff0 + credits[s]) % (1 << 24));
}

/* Each PSN and a few distances, against counters that do not wrap. */
static void test_psn(uint32_t psn)
{
	static const int64_t far[] = { 0, 1, 2, 255, 0x7fffff, -1, -2, -256, -0x7fffff, -0x800000 };
	const int64_t span = 1 << 24;
	size_t i;

	for (i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
		uint32_t other = (uint32_t)((psn + far[i] + span) % span);

		CHECK_EQ(ibw_psn_diff(other, psn), far[i]);
		CHECK_EQ(ibw_psn_diff(other | 0xab000000, psn | 0x12000000), far[i]);
		CHECK_EQ(ibw_psn_is_before(other, psn), far[i] < 0);
		if (far[i] >= 0) {
			CHECK_EQ(ibw_psn_add(psn, (uint32_t)far[i]), other);
			CHECK_EQ(ibw_psn_sub(other, (uint32_t)far[i]), psn);
			CHECK(ibw_psn_is_within(other, psn, (uint32_t)far[i] + 1));
			CHECK(!ibw_psn_is_within(other, psn, (uint32_t)far[i]));
		} else {
			CHECK(!ibw_psn_is_within(other, psn, 0x7fffff));
		}
	}
}

static void test_psns(void)
{
	uint32_t psn, bytes, mtu, packets, left;

	for (psn = 0; psn < 1u << 24; psn += psn < 4096 || psn > 0xffe000 ? 1 : 251) {
		check_case("PSN 0x%06x", psn);
		test_psn(psn);
	}
	for (mtu = IBW_MTU_MIN; mtu <= IBW_MTU_MAX; mtu *= 2) {
		for (bytes = 0; bytes < 20000; bytes += 1 + bytes / 9000 * 6) {
			check_case("%u bytes in packets of %u", bytes, mtu);
			packets = 1;
			for (left = bytes; left > mtu; left -= mtu)
				packets++;
			CHECK_EQ(ibw_psns(bytes, mtu), packets);
		}
		CHECK_EQ(ibw_psns(IBW_MESSAGE_MAX, mtu), IBW_MESSAGE_MAX / mtu);
		CHECK_EQ(ibw_psns(UINT32_MAX, mtu), 0x100000000ull / mtu);
	}
}

int main(void)
{
	fact_rows("tests/data/codes.csv", 4, use_row);
	test_codes();
	test_inverses();
	test_delays();
	test_times();
	check_case("codes that are too wide");
	CHECK_EQ(ibw_half_octaves_code(98304), 32);
	CHECK_EQ(ibw_half_octaves_code(UINT32_MAX), 32);
	CHECK_EQ(ibw_ack_timeout_nsec(32), 0);
	test_syndromes();
	test_psns();
	return check_end();
}
