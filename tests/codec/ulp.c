/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ulp.c - what every walk over a message of an upper layer keeps to, whatever the bytes: spans lie in the captured
 * bytes, no more are written than there is room for, what a capture cuts off changes nothing before it, and no byte
 * after the captured ones is read: a page of no access follows them.
 */
#include "check.h"
#include "guard.h"
#include "random.h"

#include <ibwire/ulp.h>

#define MESSAGE_MAX 2048
#define SPANS_MAX 256
#define ROUNDS 20000

static uint8_t message[MESSAGE_MAX];
static struct guard guard;

/* How messages begin that get far into a walk. */
static const struct {
	uint8_t bytes[80];
	unsigned int flags;
} seeds[] = {
	{ { 0x7f, 0x40, 0, 0, 0x01, [33] = 0x04, [39] = 0x01 }, IBW_ULP_FROM_INITIATOR },
	{ { 0x7f, 0x40, 0, 0, 0x04 }, IBW_ULP_FROM_INITIATOR },
	{ { 0x01, 0x40, [33] = 0x02, [39] = 0x01 }, IBW_ULP_FROM_INITIATOR | IBW_ULP_NVME_IO },
	{ { 0x02, 0x40, [32] = 0x40, [39] = 0x31 }, IBW_ULP_FROM_INITIATOR | IBW_ULP_NVME_IO },
	{ { 0 }, 0 },
	{ { 0x02, [5] = 0x11, [32] = 0x28 }, IBW_ULP_FROM_INITIATOR },
	{ { 0x02, [5] = 0x22, 1, 1 }, IBW_ULP_FROM_INITIATOR },
	{ { 0x02, [5] = 0x30, [51] = 40 }, IBW_ULP_FROM_INITIATOR },
	{ { 0xc1, [18] = 0x03, [31] = 18, [35] = 4, [40] = 0x70 }, 0 },
	{ { 0x10, [28] = 0x01, [35] = 40 }, IBW_ULP_FROM_INITIATOR },
	{ { 0x10, [28] = 0x21, [35] = 40, [77] = 18, 0x70 }, 0 },
	{ { [7] = 1, [15] = 1, [19] = 1, [43] = 0, [47] = 1, [51] = 2 }, 0 },
	{ { [7] = 1, [63] = 23 }, 0 },
	{ { [7] = 1, [35] = 1, [51] = 2 }, 0 },
	{ { [7] = 1, [15] = 4, [19] = 1 }, 0 },
	{ { 1, [12] = 24, [16] = 100, [24] = 0xfe, 0x53, 0x4d, 0x42, [44] = 64 }, 0 },
	{ { 0, 1, 0, 1, [6] = 1 }, IBW_ULP_FROM_INITIATOR },
	{ { [32] = 1, [37] = 3 }, 0 },
	{ { 0xc1, [18] = 0x02, [31] = 18, [36] = 0x72 }, 0 },
};

static uint32_t below(uint32_t n)
{
	return next_random() % n;
}

/* A message of @len bytes: one of the seeds, changed here and there, or only random. */
static unsigned int make_message(uint32_t len)
{
	const size_t n_seeds = sizeof(seeds) / sizeof(seeds[0]);
	size_t seed = below((uint32_t)n_seeds + 1);
	unsigned int flags = next_random() & 0xff;
	uint32_t i, changes;

	for (i = 0; i < len; i++)
		message[i] = (uint8_t)next_random();
	if (seed == n_seeds)
		return flags;
	memcpy(message, seeds[seed].bytes, len < 80 ? len : 80);
	for (changes = below(6); changes && len; changes--)
		message[below(len < 80 ? len : 80)] = (uint8_t)next_random();
	return seeds[seed].flags;
}

static void check_spans(const struct ibw_ulp_walked *u, const struct ibw_span *span, uint32_t n,
			uint32_t len, uint32_t room)
{
	uint32_t i;

	CHECK_EQ(u->n_spans, u->needed_spans < room ? u->needed_spans : room);
	for (i = 0; i < u->n_spans; i++) {
		CHECK(span[i].layer < IBW_LAYER_COUNT);
		CHECK(span[i].off <= n && span[i].len <= n - span[i].off);
	}
	CHECK(u->data_off <= len && u->data_len <= len - u->data_off);
	CHECK(u->outcome != IBW_CUT || n < len);
	if (u->outcome != IBW_OK && u->outcome != IBW_OTHER)
		CHECK(u->error.layer < IBW_LAYER_COUNT && u->error.off <= len);
}

/* The same message, cut: it has the first spans of the whole one. */
static void check_cut(enum ibw_ulp ulp, unsigned int flags, uint32_t n, uint32_t len,
		      const struct ibw_ulp_walked *whole, const struct ibw_span *all)
{
	static struct ibw_span span[SPANS_MAX];
	struct ibw_ulp_walked u;
	uint32_t i;

	ibw_ulp_walk(&u, ulp, flags, guard_tail(&guard, message, n), n, len, span, SPANS_MAX);
	check_spans(&u, span, n, len, SPANS_MAX);
	CHECK(u.n_spans <= whole->n_spans);
	for (i = 0; i < u.n_spans && i < whole->n_spans; i++)
		CHECK_MEM(&span[i], &all[i], sizeof(all[i]));
	if (whole->outcome == IBW_OK && n < len)
		CHECK(u.outcome == IBW_CUT || u.outcome == IBW_OK);
}

static void check_message(enum ibw_ulp ulp, unsigned int flags, uint32_t len)
{
	static struct ibw_span span[SPANS_MAX], few[SPANS_MAX];
	struct ibw_ulp_walked u, again;
	uint32_t room = below(6);

	ibw_ulp_walk(&u, ulp, flags, guard_tail(&guard, message, len), len, len, span, SPANS_MAX);
	check_spans(&u, span, len, len, SPANS_MAX);
	CHECK_EQ(u.ulp, ulp);
	memset(few, 0xa5, sizeof(few));
	ibw_ulp_walk(&again, ulp, flags, guard_tail(&guard, message, len), len, len, few, room);
	CHECK_EQ(again.outcome, u.outcome);
	CHECK_EQ(again.needed_spans, u.needed_spans);
	CHECK_MEM(few, span, again.n_spans * sizeof(span[0]));
	CHECK_EQ(few[room].off, 0xa5a5a5a5u);
	check_cut(ulp, flags, below(len + 1), len, &u, span);
}

/* A message that the capture says less of than is there is as long as that. */
static void check_length(void)
{
	struct ibw_span span[4];
	struct ibw_ulp_walked u;

	memset(message, 0, sizeof(message));
	CHECK_EQ(ibw_ulp_walk(&u, IBW_ULP_NVME, 0, message, 20, 10, span, 4), IBW_OK);
	CHECK_EQ(u.data_len, 4u);
}

static void check_names(void)
{
	unsigned int ulp;

	CHECK(ibw_ulp_text(IBW_ULP_NONE) == NULL);
	CHECK(ibw_ulp_text(IBW_ULP_COUNT) == NULL);
	for (ulp = IBW_ULP_NONE + 1; ulp < IBW_ULP_COUNT; ulp++)
		CHECK(ibw_ulp_text(ulp) && *ibw_ulp_text(ulp));
	CHECK_STR(ibw_ulp_text(IBW_ULP_NVME), "NVMe");
	CHECK_STR(ibw_ulp_text(IBW_ULP_CEPH), "Ceph");
}

int main(void)
{
	unsigned int round, flags, ulp;
	uint32_t len;

	guard = guard_open(MESSAGE_MAX);
	for (round = 0; round < ROUNDS; round++) {
		len = below(round % 4 ? 200 : MESSAGE_MAX);
		flags = make_message(len);
		for (ulp = 0; ulp < IBW_ULP_COUNT; ulp++) {
			check_case("round %u, %u of %u bytes", round, ulp, len);
			check_message((enum ibw_ulp)ulp, flags, len);
		}
	}
	check_case("%s", "");
	check_length();
	check_names();
	guard_close(&guard);
	return check_end();
}
