/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * upper.c - a message of an upper layer, cut anywhere: spans lie in what was captured, those of the cut message are the first ones
 * of the whole one, with little room the same are found; texts and operations in it end.
 *
 * Input: a byte, the upper layer; a byte, the flags; a byte, how many of 255 parts were captured; then the message.
 */
#include <stdlib.h>
#include <string.h>

#include <ibwire/ulp.h>

#include "fuzz.h"

#define HEAD 3
#define SPANS 300

/* The bytes alone in memory, so that a read of one more is seen. */
static uint8_t *copy_of(const uint8_t *p, uint32_t n)
{
	uint8_t *copy = malloc(n ? n : 1);

	if (!copy)
		abort();
	memcpy(copy, p, n);
	return copy;
}

static void check_walked(const struct ibw_ulp_walked *u, const struct ibw_span *span, uint32_t n,
			 uint32_t len, uint32_t room)
{
	uint32_t i;

	FUZZ_CHECK(u->n_spans == (u->needed_spans < room ? u->needed_spans : room));
	FUZZ_CHECK(u->needed_spans <= 20 + len / 4);
	for (i = 0; i < u->n_spans; i++) {
		FUZZ_CHECK(span[i].layer < IBW_LAYER_COUNT);
		FUZZ_CHECK(span[i].off <= n && span[i].len <= n - span[i].off);
		FUZZ_CHECK(span[i].len >= ibw_headers[span[i].layer].bytes);
	}
	FUZZ_CHECK(u->data_off <= len && u->data_len <= len - u->data_off);
	FUZZ_CHECK(u->outcome != IBW_CUT || n < len);
}

/* Keys and operations that lie in @p; each moves on. */
static void check_contents(const uint8_t *p, uint32_t n)
{
	uint32_t at = 0, before = 0, op, done;
	struct ibw_iscsi_key k;
	struct ibw_nfs4_ops o;

	while (ibw_iscsi_next_key(&k, p, n, &at)) {
		FUZZ_CHECK(at > before && at <= n);
		FUZZ_CHECK(k.key >= p && k.key + k.key_bytes <= p + n);
		FUZZ_CHECK(k.value >= k.key && k.value + k.value_bytes <= p + n);
		before = at;
	}
	if (!ibw_nfs4_ops_begin(&o, p, n, n & 1))
		return;
	for (done = 0; ibw_nfs4_next_op(&o, &op); done++)
		FUZZ_CHECK(o.at <= n && done <= n / 4);
}

static void check_message(enum ibw_ulp ulp, unsigned int flags, const uint8_t *p, uint32_t n,
			  uint32_t len)
{
	static struct ibw_span whole[SPANS], cut[SPANS], few[4];
	uint8_t *copy = copy_of(p, n);
	struct ibw_ulp_walked a, b, c;

	ibw_ulp_walk(&a, ulp, flags, p, len, len, whole, SPANS);
	check_walked(&a, whole, len, len, SPANS);
	ibw_ulp_walk(&b, ulp, flags, copy, n, len, cut, SPANS);
	check_walked(&b, cut, n, len, SPANS);
	FUZZ_CHECK(b.n_spans <= a.n_spans);
	FUZZ_CHECK(!memcmp(whole, cut, b.n_spans * sizeof(*cut)));
	ibw_ulp_walk(&c, ulp, flags, p, len, len, few, 3);
	check_walked(&c, few, len, len, 3);
	FUZZ_CHECK(c.outcome == a.outcome && c.needed_spans == a.needed_spans);
	check_contents(copy, n);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t len;

	if (size < HEAD || size > 1 << 16)
		return 0;
	len = (uint32_t)size - HEAD;
	check_message((enum ibw_ulp)(data[0] % IBW_ULP_COUNT), data[1], data + HEAD,
		      len * data[2] / 255, len);
	return 0;
}
