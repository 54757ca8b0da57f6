/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ICRC and VCRC: known packets, which bits count, all lengths, options, pieces, bounds. */
#include "check.h"
#include "crc_ref.h"
#include "crc_vectors.h"
#include "guard.h"

static void test_vectors(void)
{
	static struct crc_vector v;
	FILE *f = crc_vectors_open();
	uint8_t stored[4], whole[sizeof(v.p) + 4];
	struct guard g = guard_open(sizeof(v.p));
	int line = 0;

	while (crc_vector_read(f, &v, &line)) {
		uint8_t *p = guard_tail(&g, v.p, v.n);

		check_case("%s", v.name);
		ibw_icrc_put(stored, v.kind ? ibw_icrc(v.kind, p, v.n) : ibw_crc32c(0, p, v.n));
		CHECK_MEM(stored, v.icrc, 4);
		if (v.kind)
			CHECK_EQ(ibw_icrc_get(v.icrc), ref_icrc(v.kind, v.p, v.n, 0, 0));
		if (v.has_vcrc) {
			memcpy(whole, v.p, v.n);
			memcpy(whole + v.n, v.icrc, 4);
			p = guard_tail(&g, whole, v.n + 4);
			ibw_vcrc_put(stored, ibw_vcrc(p, v.n + 4));
			CHECK_MEM(stored, v.vcrc, 2);
			CHECK_EQ(ibw_vcrc_get(v.vcrc), ref_crc(REF_CRC16, 16, whole, v.n + 4));
		}
	}
	check_case("%s", CRC_VECTORS);
	CHECK(line > 0 && feof(f));
	fclose(f);
	guard_close(&g);
}

/* Sets the IHL, where there is one, to that of a header with @options bytes of options. */
static void set_options(enum ibw_icrc_kind kind, uint8_t *p, size_t options)
{
	if (kind == IBW_ICRC_ROCE_V2_IPV4)
		p[0] = (uint8_t)(0x45 + options / 4);
}

/* Flipping a bit changes the ICRC unless the bit is masked. */
static void test_bits(enum ibw_icrc_kind kind, size_t n, size_t options)
{
	uint8_t p[256] = { 0 }, b[256];
	size_t i, stand_in = ref_has_lrh(kind) ? 0 : 8, at;
	const struct ref_mask *m;
	uint32_t icrc;
	unsigned int bit, masked;

	ref_fill(p, n);
	set_options(kind, p, options);
	icrc = ibw_icrc(kind, p, n);
	for (i = 0; i < n; i++) {
		masked = 0;
		for (m = ref_masks[kind]; m->field; m++) {
			at = m->at + (m->at >= 28 ? options : 0);
			if (at == i + stand_in)
				masked |= m->ones;
		}
		for (bit = 1; bit < 256; bit <<= 1) {
			if (kind == IBW_ICRC_ROCE_V2_IPV4 && i == 0 && bit < 0x10)
				continue; /* IHL: another packet altogether */
			memcpy(b, p, n);
			b[i] ^= (uint8_t)bit;
			check_case("kind %d, %zu bytes, byte %zu bit %02x", kind, n, i, bit);
			CHECK((ibw_icrc(kind, b, n) == icrc) == ((masked & bit) != 0));
		}
	}
}

/* Every length, that of headers cut short included, before and after a page of no access. */
static void test_lengths(enum ibw_icrc_kind kind, size_t options)
{
	static uint8_t data[4200];
	struct guard g = guard_open(sizeof(data));
	uint32_t want;
	size_t n;

	ref_fill(data, sizeof(data));
	set_options(kind, data, options);
	for (n = 0; n <= 4200; n += n < 400 ? 1 : 4 + ref_random() % 50) {
		uint32_t tail = ibw_icrc(kind, guard_tail(&g, data, n), n);
		uint32_t head = ibw_icrc(kind, guard_head(&g, data, n), n);

		check_case("kind %d, %zu bytes of options, %zu bytes", kind, options, n);
		CHECK_EQ(tail, head);
		if (n < ref_headers[kind] + options)
			continue;
		want = ref_icrc(kind, data, n, 0, 0);
		CHECK_EQ(tail, want);
	}
	guard_close(&g);
}

static void test_pieces(enum ibw_icrc_kind kind, size_t options)
{
	static uint8_t data[1100];
	uint32_t whole;
	size_t at;

	ref_fill(data, sizeof(data));
	set_options(kind, data, options);
	whole = ibw_icrc(kind, data, sizeof(data));
	for (at = ref_headers[kind] + options; at <= sizeof(data); at++) {
		check_case("kind %d, cut at %zu", kind, at);
		CHECK_EQ(ibw_crc32(ibw_icrc(kind, data, at), data + at, sizeof(data) - at), whole);
	}
}

static void test_edges(void)
{
	uint8_t p[64], b[4];
	unsigned int ihl;

	ref_fill(p, sizeof(p));
	check_case("no such kind");
	CHECK_EQ(ibw_icrc(IBW_ICRC_NONE, p, sizeof(p)), 0);
	CHECK_EQ(ibw_icrc((enum ibw_icrc_kind)IBW_ICRC_KINDS, p, sizeof(p)), 0);
	CHECK_EQ(ibw_icrc((enum ibw_icrc_kind)0x7fffffff, p, sizeof(p)), 0);
	for (ihl = 0; ihl < 5; ihl++) {
		check_case("IHL %u", ihl);
		p[0] = (uint8_t)(0x40 + ihl);
		CHECK_EQ(ibw_icrc(IBW_ICRC_ROCE_V2_IPV4, p, sizeof(p)),
			 ref_icrc(IBW_ICRC_ROCE_V2_IPV4, p, sizeof(p), 0, 0));
	}
	check_case("byte order");
	ibw_icrc_put(b, 0x2a00fd82);
	CHECK_MEM(b, "\x82\xfd\x00\x2a", 4);
	CHECK_EQ(ibw_icrc_get(b), 0x2a00fd82);
	ibw_vcrc_put(b, 0xfa45);
	CHECK_MEM(b, "\x45\xfa", 2);
	CHECK_EQ(ibw_vcrc_get(b), 0xfa45);
}

int main(void)
{
	enum ibw_icrc_kind kind;
	size_t options;

	test_vectors();
	for (kind = IBW_ICRC_IB_LOCAL; kind < IBW_ICRC_KINDS; kind++) {
		for (options = 0; options <= (kind == IBW_ICRC_ROCE_V2_IPV4 ? 40 : 0);
		     options += 4) {
			test_bits(kind, ref_headers[kind] + options, options);
			test_bits(kind, 150, options);
			test_lengths(kind, options);
			test_pieces(kind, options);
		}
	}
	test_edges();
	return check_end();
}
