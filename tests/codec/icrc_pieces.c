/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * icrc_pieces.c - the ICRC over pieces, with a CRC of the test's own: the known packets of
 * data/crc-vectors.txt and every frame of pcaps that data/bad-icrc.txt knows, cut in two and in three
 * at every place, with IPv4 options, too short, and after pages of no access.
 */
#include "check.h"
#include "crc_ref.h"
#include "crc_vectors.h"
#include "guard.h"
#include "pcap_file.h"

#include <ibwire/icrc_pieces.h>
#include <ibwire/packet.h>

/* Bytes are counted, so that each is seen once. */
static size_t stepped;

static uint32_t step(uint32_t crc, const unsigned char *p, size_t n)
{
	unsigned int bit;

	for (stepped += n; n; n--, p++) {
		crc ^= *p;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return crc;
}

static void check_cut_at(uint8_t kind, const uint8_t *p, size_t n, size_t one, size_t two,
			 uint32_t want)
{
	const struct ibw_piece piece[] = {
		{ p, one }, { NULL, 0 }, { p + one, two - one }, { p + two, n - two }
	};
	uint32_t icrc = 0x12345678;

	CHECK(ibw_icrc_of_pieces(&icrc, kind, piece, 4, n, step));
	CHECK_EQ(icrc, want);
}

/* One packet whose ICRC is known, cut at every place; after it are bytes that are not its own. */
static void check_packet(uint8_t kind, const uint8_t *p, size_t n, const uint8_t *stored,
			 bool thrice)
{
	uint8_t copy[2048 + 4 + 3];
	struct ibw_piece whole = { copy, n + 4 + 3 };
	size_t one, two;

	memcpy(copy, p, n);
	memcpy(copy + n, stored, 4);
	memset(copy + n + 4, 0x5a, 3);
	for (one = 0; one <= n; one++)
		check_cut_at(kind, copy, n, one, n, ibw_icrc_get(stored));
	for (one = 0; thrice && one <= n; one++)
		for (two = one; two <= n; two += 5)
			check_cut_at(kind, copy, n, one, two, ibw_icrc_get(stored));
	CHECK_EQ(ibw_icrc_check_pieces(kind, &whole, 1, n + 4, step), IBW_ICRC_RIGHT);
	for (one = n; one < n + 4; one++) {
		copy[one] ^= 0x10;
		CHECK_EQ(ibw_icrc_check_pieces(kind, &whole, 1, n + 4, step), IBW_ICRC_WRONG);
		copy[one] ^= 0x10;
	}
}

/* Shorter than its headers, or fewer bytes in the pieces than were promised: no byte is missed. */
static void check_short(uint8_t kind, const uint8_t *p, size_t n)
{
	static const uint8_t head[] = { 0, 20, 60, 52, 40, 60 };
	struct guard g = guard_open(n);
	const uint8_t *tail = guard_tail(&g, p, n);
	struct ibw_piece piece = { tail, n };
	uint32_t icrc = 7;
	size_t i;

	for (i = 0; i < head[kind]; i++)
		CHECK(!ibw_icrc_of_pieces(&icrc, kind, &piece, 1, i, step));
	CHECK(!ibw_icrc_of_pieces(&icrc, kind, &piece, 1, n + 1, step));
	CHECK_EQ(ibw_icrc_check_pieces(kind, &piece, 1, n + 4, step), IBW_ICRC_CUT);
	CHECK_EQ(ibw_icrc_check_pieces(kind, &piece, 1, 3, step), IBW_ICRC_CUT);
	CHECK(!ibw_icrc_of_pieces(&icrc, kind, &piece, 0, n, step));
	CHECK(!ibw_icrc_of_pieces(&icrc, IBW_ICRC_NONE, &piece, 1, n, step));
	CHECK(!ibw_icrc_of_pieces(&icrc, IBW_ICRC_KINDS, &piece, 1, n, step));
	CHECK_EQ(icrc, 7);
	for (piece.n = 0; piece.n < n; piece.n++) {
		piece.p = guard_tail(&g, p, piece.n);
		CHECK(!ibw_icrc_of_pieces(&icrc, kind, &piece, 1, n, step));
	}
	stepped = 0;
	piece.p = guard_tail(&g, p, n);
	CHECK(ibw_icrc_of_pieces(&icrc, kind, &piece, 1, n, step));
	/* IB_GLOBAL leaves its LRH out, and all but IB_LOCAL have 8 bytes of ones before. */
	CHECK_EQ(stepped, n + (kind > IBW_ICRC_IB_GLOBAL ? 8 : 0));
	guard_close(&g);
}

static void test_vectors(void)
{
	static struct crc_vector v;
	FILE *f = crc_vectors_open();
	unsigned int kinds = 0;
	int line = 0;

	while (crc_vector_read(f, &v, &line)) {
		if (!v.kind)
			continue;
		check_case("%s", v.name);
		kinds |= 1u << v.kind;
		check_packet((uint8_t)v.kind, v.p, v.n, v.icrc, v.n < 200);
		check_short((uint8_t)v.kind, v.p, v.n);
	}
	fclose(f);
	check_case("%s", CRC_VECTORS);
	CHECK_EQ(kinds, 0x3e);
}

/* Options are covered as they are, and move what is after them. */
static void test_options(void)
{
	uint8_t p[20 + 40 + 8 + 12 + 16 + 4], stored[4];
	size_t options, n;

	for (options = 0; options <= 40; options += 4) {
		n = sizeof(p) - 40 - 4 + options;
		check_case("%zu bytes of options", options);
		ref_fill(p, n);
		p[0] = (uint8_t)(0x45 + options / 4);
		ibw_icrc_put(stored, ref_icrc(IBW_ICRC_ROCE_V2_IPV4, p, n, 0, 0));
		check_packet(IBW_ICRC_ROCE_V2_IPV4, p, n, stored, true);
		if (options)
			check_short(IBW_ICRC_ROCE_V2_IPV4, p, n);
	}
}

/* A header length that no header has, 0 to 16 bytes, is that of a header without options. */
static void test_no_header(void)
{
	uint8_t p[20 + 8 + 12 + 4], stored[4];
	unsigned int words;

	for (words = 0; words < 5; words++) {
		check_case("a header of %u words", words);
		ref_fill(p, sizeof(p));
		p[0] = (uint8_t)(0x40 + words);
		ibw_icrc_put(stored, ref_icrc(IBW_ICRC_ROCE_V2_IPV4, p, sizeof(p), 0, 0));
		check_packet(IBW_ICRC_ROCE_V2_IPV4, p, sizeof(p), stored, false);
	}
}

/* Whether the list of bad ones, "GOOD BAD...", has a frame; it is in order. */
static bool is_listed(char **list, uint32_t *bad, uint32_t frame)
{
	if (frame != *bad)
		return false;
	*bad = (uint32_t)strtoul(*list, list, 10);
	return true;
}

static void check_frame(const struct pcap_file *f, bool bad, uint32_t *seen)
{
	struct ibw_piece piece[2];
	struct ibw_packet pkt;
	size_t n, cut;

	ibw_packet_walk(&pkt, f->frame, f->caplen, f->len, f->linktype, NULL);
	if (pkt.icrc_kind == IBW_ICRC_NONE || !pkt.icrc_off || f->caplen < f->len)
		return;
	n = pkt.icrc_off + 4 - pkt.cover_off;
	if (pkt.outcome != IBW_OK)
		return;
	cut = (size_t)f->number * 7 % n;
	piece[0] = (struct ibw_piece){ f->frame + pkt.cover_off, cut };
	piece[1] = (struct ibw_piece){ f->frame + pkt.cover_off + cut,
				       f->caplen - pkt.cover_off - cut };
	CHECK_EQ(ibw_icrc_check_pieces(pkt.icrc_kind, piece, 2, n, step),
		 bad ? IBW_ICRC_WRONG : IBW_ICRC_RIGHT);
	++*seen;
}

/* Frames as rdma_rxe sent them, the bad ones too; of the others every 16th. */
static void test_captures(void)
{
	FILE *list = CHECK_OPEN("tests/data/bad-icrc.txt");
	uint32_t bad, seen = 0, wrong = 0;
	char line[1024], *at, *name;
	struct pcap_file f;
	bool is_bad;

	while (list && fgets(line, sizeof(line), list)) {
		if (*line == '#' || *line == '\n')
			continue;
		name = strtok_r(line, " \n", &at);
		strtoul(at, &at, 10);
		bad = (uint32_t)strtoul(at, &at, 10);
		pcap_file_open(&f, "pcaps", name);
		while (pcap_file_next(&f)) {
			check_case("%s:%u", name, f.number);
			is_bad = is_listed(&at, &bad, f.number);
			wrong += is_bad;
			if (is_bad || f.number % 16 == 0)
				check_frame(&f, is_bad, &seen);
		}
		pcap_file_close(&f);
	}
	if (list)
		fclose(list);
	check_case("captures");
	CHECK(seen > 1000 && wrong > 30);
}

int main(void)
{
	test_vectors();
	test_options();
	test_no_header();
	test_captures();
	return check_end();
}
