/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why an ICRC is wrong: every cause made and found, what is close to one not. */
#include "check.h"
#include "crc_ref.h"
#include "crc_vectors.h"
#include "guard.h"

static const char *const cause_names[] = { "unknown",  "byte-swapped",  "not-inverted",
					   "crc32c",   "mask-missing",  "mask-zero",
					   "bth-only", "headers-twice", "bit-flipped",
					   "bit-order" };

/* The packets of this test end at a page of no access. */
static struct guard guard;

static struct ibw_icrc_why explain(enum ibw_icrc_kind kind, const uint8_t *p, size_t n,
				   uint32_t found)
{
	return ibw_icrc_explain(kind, guard_tail(&guard, p, n), n, found);
}

/* That @found is explained by just this, and what differs from it in one bit is not. */
static void expect(enum ibw_icrc_kind kind, const uint8_t *p, size_t n, uint32_t found,
		   enum ibw_icrc_cause cause, unsigned int missing, unsigned int zeroed)
{
	struct ibw_icrc_why why = explain(kind, p, n, found);

	CHECK_STR(cause_names[why.cause], cause_names[cause]);
	CHECK_EQ(why.missing, missing);
	CHECK_EQ(why.zeroed, zeroed);
	CHECK_EQ(why.flipped_mask, 0);
	why = explain(kind, p, n, found ^ 1u << ref_random() % 32);
	CHECK_STR(cause_names[why.cause], "unknown");
}

/* Headers in which no masked field is all ones or all zeros, and no two causes coincide. */
static void make_packet(uint8_t *p, size_t n, enum ibw_icrc_kind kind, size_t options)
{
	const struct ref_mask *m;
	size_t stand_in = ref_has_lrh(kind) ? 0 : 8, at;

	ref_fill(p, n);
	for (m = ref_masks[kind]; m->field; m++) {
		at = m->at + (m->at >= 28 ? options : 0) - stand_in;
		if (m->at >= stand_in)
			p[at] = (uint8_t)((p[at] & ~m->ones) | (0x5a & m->ones));
	}
	if (kind == IBW_ICRC_ROCE_V2_IPV4)
		p[0] = (uint8_t)(0x45 + options / 4);
}

/* Each field as ones, as sent or as zeros: 3 ways a field, all combinations. */
static void test_masks(enum ibw_icrc_kind kind, const uint8_t *p, size_t n)
{
	unsigned int all = ref_fields(kind), missing, zeroed;

	for (missing = all;; missing = (missing - 1) & all) {
		for (zeroed = all & ~missing;; zeroed = (zeroed - 1) & all & ~missing) {
			check_case("kind %d, %zu bytes, missing %02x, zeroed %02x", kind, n,
				   missing, zeroed);
			if (missing || zeroed)
				expect(kind, p, n, ref_icrc(kind, p, n, missing, zeroed),
				       zeroed ? IBW_ICRC_WHY_MASK_ZERO : IBW_ICRC_WHY_MASK_MISSING,
				       missing, zeroed);
			if (!zeroed)
				break;
		}
		if (!missing)
			break;
	}
}

static uint32_t swap(uint32_t v)
{
	return v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24;
}

static uint32_t mirrored(uint32_t v, unsigned int bits)
{
	uint32_t out = 0;

	for (; bits; bits--, v >>= 1)
		out = out << 1 | (v & 1);
	return out;
}

/* The CRC-32 with the bits of each byte in the other order, by the one with the usual order. */
static uint32_t bits_first(const uint8_t *p, size_t n)
{
	static uint8_t b[2 * REF_MAX];
	size_t i;

	for (i = 0; i < n; i++)
		b[i] = (uint8_t)mirrored(p[i], 8);
	return mirrored(ref_crc(REF_CRC32, 32, b, n), 32);
}

static void test_bit_order(enum ibw_icrc_kind kind, const uint8_t *p, size_t n)
{
	static uint8_t covered[REF_MAX + 8];
	size_t len = ref_cover(covered, kind, p, n, 0, 0);
	uint32_t crc = bits_first(covered, len);

	check_case("kind %d, %zu bytes, bit order", kind, n);
	expect(kind, p, n, crc, IBW_ICRC_WHY_BIT_ORDER, 0, 0);
	expect(kind, p, n, swap(crc), IBW_ICRC_WHY_BIT_ORDER, 0, 0);
	expect(kind, p, n, ~crc, IBW_ICRC_WHY_UNKNOWN, 0, 0);
	check_case("the check value of CRC-32/BZIP2");
	CHECK_EQ(bits_first((const uint8_t *)"123456789", 9), 0xfc891918);
}

/* 14 and 18 bytes of link header before it, with and without the ones, masked and as sent. */
static void test_link(enum ibw_icrc_kind kind, const uint8_t *p, size_t n)
{
	static uint8_t frame[REF_MAX + 18], b[REF_MAX + 40], covered[REF_MAX + 8];
	size_t len = ref_cover(covered, kind, p, n, 0, 0), link, at;
	unsigned int ones, sent;
	uint32_t crc;

	for (link = 14; link <= 18; link += 4) {
		ref_fill(frame, link);
		memcpy(frame + link, p, n);
		for (ones = 0; ones < 3; ones++) { /* none, before the link header, after it */
			for (sent = 0; sent < 2; sent++) {
				at = 0;
				if (ones == 1)
					memset(b, 0xff, at = 8);
				memcpy(b + at, frame, link);
				at += link;
				if (ones == 2) {
					memset(b + at, 0xff, 8);
					at += 8;
				}
				memcpy(b + at, sent ? p : covered + len - n, n);
				crc = ref_crc(REF_CRC32, 32, b, at + n);
				check_case("kind %d, %zu bytes after %zu, ones %u, sent %u", kind,
					   n, link, ones, sent);
				CHECK_EQ(ibw_icrc_covers_link(kind,
							      guard_tail(&guard, frame, link + n),
							      link, n, crc),
					 !ref_has_lrh(kind));
				CHECK_EQ(ibw_icrc_covers_link(kind, frame, link, n, ~crc), 0);
				CHECK_EQ(ibw_icrc_covers_link(kind, frame, link, n, crc ^ 4), 0);
			}
		}
	}
	CHECK_EQ(ibw_icrc_covers_link(kind, frame, 18, 12, crc), 0); /* shorter than its headers */
	CHECK_EQ(ibw_icrc_covers_link(IBW_ICRC_NONE, frame, 18, n, crc), 0);
}

static void test_others(enum ibw_icrc_kind kind, const uint8_t *p, size_t n, size_t options)
{
	static uint8_t covered[2 * REF_MAX];
	uint32_t right = ref_icrc(kind, p, n, 0, 0);
	size_t bth = ref_headers[kind] + options - 12;
	size_t len = ref_cover(covered, kind, p, n, 0, 0);
	unsigned int lrh, state;
	struct ibw_icrc_why why;

	check_case("kind %d, %zu bytes, right", kind, n);
	why = explain(kind, p, n, right);
	CHECK_EQ(why.cause, IBW_ICRC_WHY_UNKNOWN);

	check_case("kind %d, %zu bytes", kind, n);
	expect(kind, p, n, swap(right), IBW_ICRC_WHY_BYTE_SWAPPED, 0, 0);
	expect(kind, p, n, ~right, IBW_ICRC_WHY_NOT_INVERTED, 0, 0);
	expect(kind, p, n, ref_crc(REF_CRC32C, 32, covered, len), IBW_ICRC_WHY_CRC32C, 0, 0);

	memcpy(covered + len, p + bth, n - bth);
	expect(kind, p, n, ref_crc(REF_CRC32, 32, covered, len + n - bth),
	       IBW_ICRC_WHY_HEADERS_TWICE, 0, 0);

	if (kind == IBW_ICRC_IB_LOCAL)
		return; /* nothing but the LRH before the BTH */
	for (lrh = 0; lrh < 2; lrh++) {
		for (state = 0; state < 3; state++) {
			uint8_t *b = covered;

			check_case("kind %d, %zu bytes, BTH only, LRH %u, byte 4 state %u", kind, n,
				   lrh, state);
			if (lrh) {
				memset(b, 0xff, 8);
				b += 8;
			}
			memcpy(b, p + bth, n - bth);
			b[4] = (uint8_t)(state == 0 ? 0xff : state == 1 ? b[4] : 0);
			b += n - bth;
			expect(kind, p, n, ref_crc(REF_CRC32, 32, covered, (size_t)(b - covered)),
			       IBW_ICRC_WHY_BTH_ONLY,
			       (lrh ? 0u : IBW_ICRC_MASK_LRH) |
				       (state == 1 ? IBW_ICRC_MASK_RESV8A : 0u),
			       state == 2 ? IBW_ICRC_MASK_RESV8A : 0u);
		}
	}
}

/* Each bit of packet and ICRC flipped on the way. */
static void test_flips(enum ibw_icrc_kind kind, const uint8_t *p, size_t n)
{
	uint32_t sent = ref_icrc(kind, p, n, 0, 0);
	uint8_t b[REF_MAX];
	struct ibw_icrc_why why;
	size_t i;
	unsigned int bit;

	for (i = 0; i < n + 4; i += n < 300 ? 1 : 1 + ref_random() % 16) {
		for (bit = 1; bit < 256; bit <<= 1) {
			uint32_t found = sent;

			if (kind == IBW_ICRC_ROCE_V2_IPV4 && i == 0 && bit < 0x10)
				continue; /* IHL: the headers would be elsewhere */
			memcpy(b, p, n);
			if (i < n)
				b[i] ^= (uint8_t)bit;
			else
				found ^= bit << 8 * (i - n);
			check_case("kind %d, %zu bytes, byte %zu bit %02x", kind, n, i, bit);
			why = explain(kind, b, n, found);
			if (ref_icrc(kind, b, n, 0, 0) == found) {
				CHECK_STR(cause_names[why.cause], "unknown"); /* masked */
				continue;
			}
			CHECK_STR(cause_names[why.cause], "bit-flipped");
			CHECK_EQ(why.flipped_at, i);
			CHECK_EQ(why.flipped_mask, bit);
			CHECK_EQ(why.missing | why.zeroed, 0);
		}
	}
}

/* A sender who fills a masked field with all ones but one: no bit of the packet flipped. */
static void test_masked_bits(enum ibw_icrc_kind kind, const uint8_t *p, size_t n, size_t options)
{
	static uint8_t covered[REF_MAX + 8];
	size_t len = ref_cover(covered, kind, p, n, 0, 0), at;
	const struct ref_mask *m;
	unsigned int bit;

	for (m = ref_masks[kind]; m->field; m++) {
		at = m->at + (m->at >= 28 ? options : 0);
		for (bit = 1; bit < 256; bit <<= 1) {
			if (!(m->ones & bit))
				continue;
			covered[at] ^= (uint8_t)bit;
			check_case("kind %d, %zu bytes, masked byte %zu bit %02x", kind, n, at,
				   bit);
			expect(kind, p, n, ref_crc(REF_CRC32, 32, covered, len),
			       IBW_ICRC_WHY_UNKNOWN, 0, 0);
			covered[at] ^= (uint8_t)bit;
		}
	}
}

/* A value that nobody arrived at is explained by nothing. */
static void test_random(enum ibw_icrc_kind kind, const uint8_t *p, size_t n)
{
	int i, explained = 0;

	for (i = 0; i < 2000; i++)
		explained += explain(kind, p, n, ref_random()).cause != IBW_ICRC_WHY_UNKNOWN;
	check_case("kind %d, random ICRCs", kind);
	CHECK_EQ(explained, 0);
}

/* Where the packet cannot tell causes apart, the simplest is given. */
static void test_ambiguous(void)
{
	enum ibw_icrc_kind kind = IBW_ICRC_ROCE_V2_IPV4;
	unsigned int all = ref_fields(kind);
	uint8_t p[60];

	make_packet(p, sizeof(p), kind, 0);
	p[8] = 0xff;          /* TTL */
	p[26] = p[27] = 0x00; /* UDP checksum */
	check_case("UDP checksum sent as 0");
	expect(kind, p, sizeof(p), ref_icrc(kind, p, sizeof(p), 0, IBW_ICRC_MASK_UDP_CHECKSUM),
	       IBW_ICRC_WHY_MASK_MISSING, IBW_ICRC_MASK_UDP_CHECKSUM, 0);
	check_case("all zeros, UDP checksum sent as 0");
	expect(kind, p, sizeof(p), ref_icrc(kind, p, sizeof(p), 0, all), IBW_ICRC_WHY_MASK_ZERO, 0,
	       all);
	check_case("all missing, TTL sent as 255");
	expect(kind, p, sizeof(p), ref_icrc(kind, p, sizeof(p), all, 0), IBW_ICRC_WHY_MASK_MISSING,
	       all & ~(unsigned int)IBW_ICRC_MASK_HOP_LIMIT, 0);
}

/* Wrong ICRCs that were captured or published. */
static void test_vectors(void)
{
	static struct crc_vector v;
	FILE *f = crc_vectors_open();
	struct ibw_icrc_why why;
	int line = 0, wrong = 0;
	char text[40];

	while (crc_vector_read(f, &v, &line)) {
		if (!v.has_found)
			continue;
		wrong++;
		why = explain(v.kind, v.p, v.n, ibw_icrc_get(v.found));
		snprintf(text, sizeof(text), "%s", cause_names[why.cause]);
		if (why.cause == IBW_ICRC_WHY_BIT_FLIPPED)
			snprintf(text, sizeof(text), "bit-flipped %zu.%02x", why.flipped_at,
				 why.flipped_mask);
		check_case("%s", v.name);
		CHECK_STR(text, v.why);
	}
	check_case("%s", CRC_VECTORS);
	CHECK(wrong > 0);
	fclose(f);
}

/* Packets cut before the end of the BTH: no explanation, and no byte read after. */
static void test_short(enum ibw_icrc_kind kind, const uint8_t *p, size_t options)
{
	size_t n;

	for (n = 0; n < ref_headers[kind] + options; n++) {
		check_case("kind %d, %zu bytes", kind, n);
		CHECK_EQ(explain(kind, p, n, 1).cause, IBW_ICRC_WHY_UNKNOWN);
	}
}

int main(void)
{
	static const size_t payloads[] = { 0, 1, 4, 52, 1024 };
	static uint8_t p[REF_MAX];
	enum ibw_icrc_kind kind;
	size_t options, i, n;

	guard = guard_open(REF_MAX + 18);
	for (kind = IBW_ICRC_IB_LOCAL; kind < IBW_ICRC_KINDS; kind++) {
		for (options = 0; options <= (kind == IBW_ICRC_ROCE_V2_IPV4 ? 40 : 0);
		     options += 20) {
			for (i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
				n = ref_headers[kind] + options + payloads[i];
				make_packet(p, n, kind, options);
				test_others(kind, p, n, options);
				test_bit_order(kind, p, n);
				test_link(kind, p, n);
				test_flips(kind, p, n);
				test_masked_bits(kind, p, n, options);
				if (payloads[i] == 4)
					test_masks(kind, p, n);
			}
			test_random(kind, p, n);
			test_short(kind, p, options);
		}
	}
	check_case("no such kind");
	CHECK_EQ(explain(IBW_ICRC_NONE, p, 100, 1).cause, IBW_ICRC_WHY_UNKNOWN);
	CHECK_EQ(explain((enum ibw_icrc_kind)IBW_ICRC_KINDS, p, 100, 1).cause,
		 IBW_ICRC_WHY_UNKNOWN);
	test_ambiguous();
	test_vectors();
	guard_close(&guard);
	return check_end();
}
