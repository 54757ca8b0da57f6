/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The plain CRCs: every table entry, all lengths and places, in pieces, and no byte outside. */
#include "check.h"
#include "crc_ref.h"
#include "guard.h"

static uint32_t crc16(uint32_t crc, const void *p, size_t n)
{
	return ibw_crc16((uint16_t)crc, p, n);
}

static const struct crc {
	const char *name;
	uint32_t (*of)(uint32_t crc, const void *p, size_t n);
	uint32_t poly;
	int width;
	uint32_t check; /* of "123456789", as the catalogues of CRCs give it */
} crcs[] = {
	{ "crc32", ibw_crc32, REF_CRC32, 32, 0xcbf43926 },
	{ "crc32_slice16", ibw_crc32_slice16, REF_CRC32, 32, 0xcbf43926 },
	{ "crc32c", ibw_crc32c, REF_CRC32C, 32, 0xe3069283 },
	{ "crc16", crc16, REF_CRC16, 16, 0 },
};

/* Each byte value at each place of a block of 16 goes through one entry of its own. */
static void test_entries(const struct crc *c)
{
	uint8_t block[16];
	unsigned int at, value;

	for (at = 0; at < sizeof(block); at++) {
		for (value = 0; value < 256; value++) {
			memset(block, 0, sizeof(block));
			block[at] = (uint8_t)value;
			check_case("%s: %02x at %u", c->name, value, at);
			CHECK_EQ(c->of(0, block, sizeof(block)),
				 ref_crc(c->poly, c->width, block, sizeof(block)));
		}
	}
}

static void test_lengths(const struct crc *c)
{
	static uint8_t data[4096 + 64];
	size_t n, at;
	int i;

	ref_fill(data, sizeof(data));
	for (n = 0; n <= 600; n++) {
		at = n * 7 % 64;
		check_case("%s: %zu bytes at %zu", c->name, n, at);
		CHECK_EQ(c->of(0, data + at, n), ref_crc(c->poly, c->width, data + at, n));
	}
	for (i = 0; i < 300; i++) {
		n = ref_random() % 4097;
		at = ref_random() % 64;
		check_case("%s: %zu bytes at %zu", c->name, n, at);
		CHECK_EQ(c->of(0, data + at, n), ref_crc(c->poly, c->width, data + at, n));
	}
}

static void test_pieces(const struct crc *c)
{
	static uint8_t data[700];
	uint32_t whole, crc;
	size_t at, n;

	ref_fill(data, sizeof(data));
	whole = c->of(0, data, sizeof(data));
	check_case("%s", c->name);
	CHECK_EQ(c->of(0, data, 0), 0);
	CHECK_EQ(c->of(whole, data, 0), whole);
	for (at = 0; at <= sizeof(data); at++) {
		check_case("%s: cut at %zu", c->name, at);
		CHECK_EQ(c->of(c->of(0, data, at), data + at, sizeof(data) - at), whole);
	}
	for (n = 1; n < 100; n++) {
		crc = 0;
		for (at = 0; at < sizeof(data); at += n)
			crc = c->of(crc, data + at, n < sizeof(data) - at ? n : sizeof(data) - at);
		check_case("%s: pieces of %zu", c->name, n);
		CHECK_EQ(crc, whole);
	}
}

/* Against the page before and the page after; ISA-L reads in ways no sanitizer sees. */
static void test_bounds(const struct crc *c)
{
	static uint8_t data[4096];
	struct guard g = guard_open(sizeof(data));
	size_t n;

	ref_fill(data, sizeof(data));
	for (n = 0; n <= sizeof(data); n += n < 700 ? 1 : 97) {
		uint32_t crc = c->of(0, data, n);

		check_case("%s: %zu bytes", c->name, n);
		CHECK_EQ(c->of(0, guard_tail(&g, data, n), n), crc);
		CHECK_EQ(c->of(0, guard_head(&g, data, n), n), crc);
	}
	guard_close(&g);
}

/* A link packet by the rule stated: the CRC of its first four bytes, low byte first. */
static void test_lpcrc(void)
{
	uint8_t packet[6] = { 0x01, 0x23, 0x40, 0x56 };
	struct guard g = guard_open(sizeof(packet));

	check_case("lpcrc");
	CHECK_EQ(ibw_lpcrc(guard_tail(&g, packet, 4)), ref_crc(REF_CRC16, 16, packet, 4));
	ibw_vcrc_put(packet + 4, ibw_lpcrc(packet));
	CHECK_EQ(packet[4], ibw_lpcrc(packet) & 0xff);
	CHECK_EQ(packet[5], ibw_lpcrc(packet) >> 8);
	CHECK_EQ(ibw_vcrc_get(packet + 4), ibw_lpcrc(packet));
	guard_close(&g);
}

/* A frame and its FCS together always leave the same residue: IEEE 802.3, 3.2.9. */
static void test_fcs(void)
{
	uint8_t frame[64];

	ref_fill(frame, 60);
	ibw_icrc_put(frame + 60, ibw_eth_fcs(frame, 60));
	check_case("fcs");
	CHECK_EQ(ibw_eth_fcs(frame, 60), ref_crc(REF_CRC32, 32, frame, 60));
	CHECK_EQ(ibw_crc32(0, frame, 64), 0x2144df1c);
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(crcs) / sizeof(crcs[0]); i++) {
		if (crcs[i].check) {
			check_case("%s", crcs[i].name);
			CHECK_EQ(crcs[i].of(0, "123456789", 9), crcs[i].check);
		}
		test_entries(&crcs[i]);
		test_lengths(&crcs[i]);
		test_pieces(&crcs[i]);
		test_bounds(&crcs[i]);
	}
	test_lpcrc();
	test_fcs();
	return check_end();
}
