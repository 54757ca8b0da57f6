/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* pcap-lint's capture input: pcapng. */
#include <stdlib.h>

#include "capture_make.h"

#define SECOND UINT64_C(1000000000)

/* Options of every length, unknown ones among them. */
static void put_odd_options(struct made *m)
{
	put_option(m, 1, "a comment", 9);
	put_option(m, 0x7777, "x", 1);
	put_option(m, 0x7778, "", 0);
	put_option(m, 0x7779, "xyz", 3);
}

static void put_full_section(struct made *m)
{
	size_t at = begin_block(m, 0x0a0d0d0a);

	put(m, 0x1a2b3c4d, 4);
	put(m, 1, 2);
	put(m, 0, 2);
	put(m, 0, 8);
	put_odd_options(m);
	put_end_option(m);
	end_block(m, at);

	at = begin_interface(m, 1, 0);
	put_odd_options(m);
	put_option(m, 2, "mlx5_0", 6);
	put_option_int(m, 9, 9, 1);
	put_option_int(m, 13, 32, 1);
	put_end_option(m);
	end_block(m, at);

	at = begin_interface(m, 247, 128);
	put_option(m, 2, "ib\x1b[0m\xc2\x9b", 9);
	put_option_int(m, 9, 0x80 | 20, 1);
	end_block(m, at); /* no end of options: allowed */

	at = begin_interface(m, 12, 65535);
	put_option_int(m, 14, 1700000000, 8);
	put_option_int(m, 13, 4, 1);
	put_end_option(m);
	end_block(m, at);
}

static void put_statistics(struct made *m, uint32_t iface, uint64_t received, uint64_t if_drops,
			   uint64_t os_drops)
{
	size_t at = begin_block(m, 5);

	put(m, iface, 4);
	put(m, 0, 8);
	put_option_int(m, 2, 1, 8);
	put_option(m, 1, "odd", 3);
	put_option_int(m, 4, received, 8);
	put_option_int(m, 5, if_drops, 8);
	put_option_int(m, 7, os_drops, 8);
	put_end_option(m);
	end_block(m, at);
}

static void put_unknown(struct made *m, uint32_t type, size_t n)
{
	size_t at = begin_block(m, type);

	put_data(m, 99, n);
	end_block(m, at);
}

/* One section with everything in it, packets 1 to 6. */
static void put_everything(struct made *m)
{
	size_t at;

	put_full_section(m);
	put_unknown(m, 4, 4); /* name resolution */
	put_unknown(m, 0x1234, 0);
	put_packet(m, 1, 0, 1700000000 * SECOND + 123456789, 61);
	put_packet(m, 2, 1, (UINT64_C(5) << 20) + 3, 7);

	at = begin_packet(m, 2, 7000001, 3, 1000);
	put_data(m, 3, 3);
	pad4(m);
	put_odd_options(m);
	put_option_int(m, 2, 10 << 5, 4); /* flags: FCS of 10 bytes */
	put_option_int(m, 4, 11, 8);      /* drop count */
	put_end_option(m);
	end_block(m, at);

	at = begin_block(m, 3);
	put(m, 33, 4);
	put_data(m, 4, 33);
	end_block(m, at);

	put_unknown(m, 0xbad, 8); /* custom: a frame for Wireshark */
	put_unknown(m, 0x40000bad, 8);
	put_unknown(m, 9, 24); /* journal */

	at = begin_block(m, 2); /* packet block */
	put(m, 2, 2);
	put(m, 5, 2);
	put(m, 0, 4);
	put(m, 8000002, 4);
	put(m, 10, 4);
	put(m, 12, 4);
	put_data(m, 5, 10);
	pad4(m);
	put_option_int(m, 4, 77, 8); /* not a drop count here */
	end_block(m, at);
	put_unknown(m, 0x0bad, 12);

	at = begin_block(m, 2);
	put(m, 2, 2);
	put(m, 0xffff, 2); /* drops not known */
	put(m, 0, 4);
	put(m, 9000003, 4);
	put(m, 0, 8);
	end_block(m, at);

	put_statistics(m, 1, 1, 2, 3);
	put_statistics(m, 0, 1000000, 17, UINT64_C(5) << 40);
	put_statistics(m, 1, 50, 0, 4);
}

/* What put_everything() makes, after @frames frames and @ifaces interfaces of other sections. */
static void check_everything(struct capture *cap, uint64_t frames, uint32_t ifaces)
{
	struct capture_packet pkt;

	NEXT_PACKET(cap, &pkt, frames + 1, 1, 61);
	CHECK_EQ(pkt.time_ns, 1700000000 * SECOND + 123456789);
	CHECK_EQ(pkt.iface, ifaces);
	CHECK_EQ(pkt.linktype, 1);
	CHECK_EQ(pkt.fcs_len, 4);
	CHECK(pkt.has_time);
	NEXT_PACKET(cap, &pkt, frames + 2, 2, 7);
	CHECK_EQ(pkt.time_ns, 5 * SECOND + 2861); /* 3 / 2^20 s */
	CHECK_EQ(pkt.iface, ifaces + 1);
	CHECK_EQ(pkt.linktype, 247);
	CHECK_EQ(pkt.fcs_len, 0);
	NEXT_PACKET(cap, &pkt, frames + 3, 3, 3);
	CHECK_EQ(pkt.len, 1000);
	CHECK_EQ(pkt.time_ns, 1700000007 * SECOND + 1000);
	CHECK_EQ(pkt.linktype, 101);
	CHECK_EQ(pkt.fcs_len, 10);
	CHECK_EQ(pkt.iface, ifaces + 2);
	NEXT_PACKET(cap, &pkt, frames + 4, 4, 33);
	CHECK_EQ(pkt.time_ns, 0);
	CHECK(!pkt.has_time);
	CHECK_EQ(pkt.iface, ifaces);
	NEXT_PACKET(cap, &pkt, frames + 8, 5, 10);
	CHECK_EQ(pkt.len, 12);
	CHECK_EQ(pkt.time_ns, 1700000008 * SECOND + 2000);
	CHECK_EQ(pkt.fcs_len, 4);
	CHECK_EQ(pkt.iface, ifaces + 2);
	NEXT_PACKET(cap, &pkt, frames + 10, 6, 0);
	CHECK_EQ(pkt.time_ns, 1700000009 * SECOND + 3000);
}

static void check_interfaces(const struct capture *cap, unsigned int first)
{
	const struct capture_interface *i = capture_interface(cap, first);

	CHECK_STR(i->name, "mlx5_0");
	CHECK_EQ(i->linktype, 1);
	CHECK_EQ(i->snaplen, 0);
	CHECK_EQ(i->ts_resolution, 9);
	CHECK_EQ(i->ns_per_tick, 1);
	CHECK_EQ(i->ts_offset, 0);
	CHECK_EQ(i->fcs_len, 4);
	CHECK(i->has_stats);
	CHECK_EQ(i->received, 1000000);
	CHECK_EQ(i->if_drops, 17);
	CHECK_EQ(i->os_drops, UINT64_C(5) << 40);
	CHECK_EQ(i->packet_drops, 0);

	i = capture_interface(cap, first + 1);
	CHECK_STR(i->name, "ib?[0m??");
	CHECK_EQ(i->linktype, 247);
	CHECK_EQ(i->snaplen, 128);
	CHECK_EQ(i->ts_resolution, 0x94);
	CHECK_EQ(i->ns_per_tick, 0);
	CHECK(i->has_stats);
	CHECK_EQ(i->received, 50);
	CHECK_EQ(i->if_drops, 0);
	CHECK_EQ(i->os_drops, 4);

	i = capture_interface(cap, first + 2);
	CHECK_STR(i->name, "");
	CHECK_EQ(i->linktype, 101);
	CHECK_EQ(i->ts_resolution, 6);
	CHECK_EQ(i->ns_per_tick, 1000);
	CHECK_EQ(i->ts_offset, 1700000000);
	CHECK_EQ(i->fcs_len, 4);
	CHECK(!i->has_stats);
	CHECK_EQ(i->packet_drops, 16);
}

static void test_everything(void)
{
	for (int big = 0; big < 2; big++) {
		struct made m = made_new(big);
		struct capture_packet pkt;
		struct opened o;

		check_case("%s endian first", big ? "big" : "little");
		put_everything(&m);
		m.big_endian = !big; /* two files, one after the other, of two machines */
		put_everything(&m);
		o = open_made(&m);
		CHECK_EQ(capture_interface_count(o.cap), 3);
		CHECK_STR(capture_interface(o.cap, 0)->name, "mlx5_0");
		CHECK_EQ(capture_format(o.cap), CAPTURE_FORMAT_PCAPNG);
		CHECK_STR(capture_format_name(o.cap), "pcapng");
		check_everything(o.cap, 0, 0);
		check_everything(o.cap, 10, 3);
		NEXT_END(o.cap, &pkt);
		CHECK_EQ(capture_frames(o.cap), 20);
		CHECK_EQ(capture_interface_count(o.cap), 6);
		check_interfaces(o.cap, 0);
		check_interfaces(o.cap, 3);
		CHECK_EQ(capture_position(o.cap), made_len(&m));
		close_made(&o);
		made_free(&m);
	}
}

/* A file cut at every byte: what comes before the block with the cut comes whole. */
static void test_cut(void)
{
	static const uint32_t numbered[] = { 2, 3, 6, 9, 0xbad, 0x40000bad };
	struct made m = made_new(true);

	put_everything(&m);
	for (size_t cut = 0; cut < made_len(&m); cut++) {
		uint64_t at = 0, frames = 0, packets = 0, got = 0;
		uint32_t length = 0;
		GError *err = NULL;
		struct capture_packet pkt;
		struct opened o = open_bytes(m.bytes->data, cut, &err);

		check_case("cut to %zu", cut);
		if (cut < 24) {
			CHECK(!o.cap && err && (cut < 4 || strstr(err->message, "cut within")));
			g_clear_error(&err);
			close_made(&o);
			continue;
		}
		for (;;) {
			uint32_t type, be;

			memcpy(&be, m.bytes->data + at, 4);
			type = GUINT32_FROM_BE(be);
			memcpy(&be, m.bytes->data + at + 4, 4);
			length = GUINT32_FROM_BE(be);
			if (at + length > cut)
				break;
			at += length;
			packets += type == 2 || type == 3 || type == 6;
			for (size_t i = 0; i < G_N_ELEMENTS(numbered); i++)
				frames += type == numbered[i];
			if (at == cut)
				break;
		}
		while (got < packets && CHECK_EQ(capture_next(o.cap, &pkt), CAPTURE_PACKET))
			got++;
		if (at < cut)
			NEXT_FAULT(o.cap, &pkt, CAPTURE_FAULT_TRUNCATED, true, frames + 1, at,
				   cut - at < 12 ? 12 : length, cut - at);
		NEXT_END(o.cap, &pkt);
		CHECK_EQ(capture_frames(o.cap), frames);
		close_made(&o);
	}
	made_free(&m);
}

/* Time stamps of any resolution; the nanoseconds were worked out with arbitrary precision. */
static void test_times(void)
{
	static const struct {
		uint8_t resolution;
		int64_t offset;
		uint64_t ticks, ns, per_tick;
	} cases[] = {
		{ 6, 0, 1700000000123456, 1700000000123456000, 1000 },
		{ 9, 0, 1700000000123456789, 1700000000123456789, 1 },
		{ 0, 0, 1700000000, 1700000000000000000, 1000000000 },
		{ 3, 0, 1700000000123, 1700000000123000000, 1000000 },
		{ 12, 0, 17000000001234567899u, 17000000001234567, 0 },
		{ 19, 0, UINT64_MAX, 1844674407, 0 },
		{ 20, 0, UINT64_MAX, 184467440, 0 },
		{ 28, 0, UINT64_MAX, 1, 0 },
		{ 29, 0, UINT64_MAX, 0, 0 },
		{ 127, 0, UINT64_MAX, 0, 0 },
		{ 0x80, 0, 1700000000, 1700000000000000000, 1000000000 },
		{ 0x80 | 1, 0, 3, 1500000000, 500000000 },
		{ 0x80 | 9, 0, 513, 1001953125, 1953125 },
		{ 0x80 | 10, 0, 1025, 1000976562, 0 },
		{ 0x80 | 32, 0, 0xffffffff, 999999999, 0 },
		{ 0x80 | 32, 0, 0x6553f10012345678, 1700000000071111110, 0 },
		{ 0x80 | 33, 0, 0x1ffffffff, 999999999, 0 },
		{ 0x80 | 40, 0, 1700000000123456789, 1546140993126261, 0 },
		{ 0x80 | 63, 0, UINT64_MAX, 1999999999, 0 },
		{ 0x80 | 64, 0, UINT64_MAX, 999999999, 0 },
		{ 0x80 | 80, 0, UINT64_MAX, 15258, 0 },
		{ 0x80 | 93, 0, UINT64_MAX, 1, 0 },
		{ 0x80 | 94, 0, UINT64_MAX, 0, 0 },
		{ 0x80 | 127, 0, UINT64_MAX, 0, 0 },
		{ 6, 1700000000, 5, 1700000000000005000, 1000 },
		{ 6, -5, 7000001, 2000001000, 1000 },
		{ 6, -7, 7000001, 1000, 1000 },
		{ 6, -8, 7000001, 0, 1000 },
		{ 9, INT64_MIN, UINT64_MAX, 0, 1 },
		{ 9, INT64_MAX, 1, UINT64_MAX, 1 },
		{ 0, INT64_MAX, UINT64_MAX, UINT64_MAX, 1000000000 },
		{ 0, 0, 18446744073, 18446744073000000000u, 1000000000 },
		{ 0, 0, 18446744074, UINT64_MAX, 1000000000 },
		{ 9, 1, 17446744073709551615u, 17446744074709551615u, 1 },
		{ 6, 0, UINT64_MAX, UINT64_MAX, 1000 },
		{ 9, 18446744073 - 10, 10709551616, UINT64_MAX, 1 },
		{ 9, 18446744073 - 10, 10709551614, UINT64_MAX - 1, 1 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct made m = made_new(i & 1);
		struct capture_packet pkt;
		struct opened o;
		size_t at;

		check_case("resolution 0x%02x, offset %" PRId64 ", ticks %" PRIu64,
			   cases[i].resolution, cases[i].offset, cases[i].ticks);
		put_section(&m);
		at = begin_interface(&m, 1, 0);
		put_option_int(&m, 9, cases[i].resolution, 1);
		put_option_int(&m, 14, (uint64_t)cases[i].offset, 8);
		end_block(&m, at);
		put_packet(&m, 1, 0, cases[i].ticks, 8);
		o = open_made(&m);
		NEXT_PACKET(o.cap, &pkt, 1, 1, 8);
		CHECK_EQ(pkt.time_ns, cases[i].ns);
		CHECK_EQ(capture_interface(o.cap, 0)->ns_per_tick, cases[i].per_tick);
		CHECK_EQ(capture_interface(o.cap, 0)->ts_offset, cases[i].offset);
		close_made(&o);
		made_free(&m);
	}
}

/* Faults that cost one block, each between two good packets. */
static void test_one_bad_block(void)
{
	enum bad {
		CAPLEN_OVER_LEN,
		CAPLEN_OVER_BLOCK,
		CAPLEN_OVER_LIMIT,
		BLOCK_TOO_LARGE,
		NO_SUCH_INTERFACE,
		OPTION_OVER_BLOCK,
		OPTION_HEAD_CUT,
		OPTION_AND_CAPLEN,
		SIMPLE_OVER_BLOCK,
		STATISTICS_INTERFACE,
		STATISTICS_OPTION,
		INTERFACE_OPTION,
		BAD_COUNT
	};
	static const struct {
		const char *name;
		enum capture_fault_kind kind;
		uint32_t needed, had;
		bool frame;     /* counts as one */
		bool delivered; /* the packet comes all the same */
	} bad[BAD_COUNT] = {
		[CAPLEN_OVER_LEN] = { "caplen > len", CAPTURE_FAULT_LENGTH, 20, 19, true, true },
		[CAPLEN_OVER_BLOCK] = { "caplen > block", CAPTURE_FAULT_LENGTH, 21, 20, true,
					false },
		[CAPLEN_OVER_LIMIT] = { "caplen > limit", CAPTURE_FAULT_LENGTH, 262145, 262144,
					true, false },
		[BLOCK_TOO_LARGE] = { "block > 1 MiB", CAPTURE_FAULT_LENGTH, 32 + (3 << 20),
				      1 << 20, true, false },
		[NO_SUCH_INTERFACE] = { "no such interface", CAPTURE_FAULT_BLOCK, 0, 0, true,
					false },
		[OPTION_OVER_BLOCK] = { "option > block", CAPTURE_FAULT_BLOCK, 12, 8, true, true },
		[OPTION_HEAD_CUT] = { "option, long", CAPTURE_FAULT_BLOCK, 65540, 4, true, true },
		[OPTION_AND_CAPLEN] = { "two faults", CAPTURE_FAULT_BLOCK, 12, 8, true, false },
		[SIMPLE_OVER_BLOCK] = { "simple > block", CAPTURE_FAULT_LENGTH, 21, 20, true,
					false },
		[STATISTICS_INTERFACE] = { "statistics of none", CAPTURE_FAULT_BLOCK, 0, 0, false,
					   false },
		[STATISTICS_OPTION] = { "statistics option", CAPTURE_FAULT_BLOCK, 16, 12, false,
					false },
		[INTERFACE_OPTION] = { "interface option", CAPTURE_FAULT_BLOCK, 12, 8, false,
				       false },
	};

	for (unsigned int which = 0; which < BAD_COUNT; which++) {
		struct made m = made_new(which & 1);
		uint64_t frame = 2;
		struct capture_packet pkt;
		struct opened o;
		size_t at, start;

		check_case("%s", bad[which].name);
		put_section(&m);
		put_interface(&m, 1, 0);
		put_packet(&m, 1, 0, 1, 30);
		start = made_len(&m);
		switch ((enum bad)which) {
		case CAPLEN_OVER_LEN:
			at = begin_packet(&m, 0, 2, 20, 19);
			put_data(&m, 2, 20);
			break;
		case CAPLEN_OVER_BLOCK:
			at = begin_packet(&m, 0, 2, 21, 21);
			put_data(&m, 2, 20);
			break;
		case CAPLEN_OVER_LIMIT:
			at = begin_packet(&m, 0, 2, 262145, 262145);
			put_data(&m, 2, 262145);
			break;
		case BLOCK_TOO_LARGE:
			at = begin_packet(&m, 0, 2, 3 << 20, 3 << 20);
			put_data(&m, 2, 3 << 20);
			break;
		case NO_SUCH_INTERFACE:
			at = begin_packet(&m, 1, 2, 20, 20);
			put_data(&m, 2, 20);
			break;
		case OPTION_OVER_BLOCK:
		case OPTION_AND_CAPLEN:
			at = begin_packet(&m, 0, 2, 19, which == OPTION_AND_CAPLEN ? 18 : 19);
			put_data(&m, 2, 19);
			pad4(&m);
			put_option_int(&m, 2, 4 << 5, 4);
			put(&m, 1, 2);
			put(&m, 5, 2);
			put(&m, 0, 4);
			break;
		case OPTION_HEAD_CUT:
			at = begin_packet(&m, 0, 2, 20, 20);
			put_data(&m, 2, 20);
			put(&m, 1, 2);
			put(&m, 65535, 2);
			break;
		case SIMPLE_OVER_BLOCK:
			at = begin_block(&m, 3);
			put(&m, 21, 4);
			put_data(&m, 2, 20);
			break;
		case STATISTICS_INTERFACE:
			at = begin_block(&m, 5);
			put(&m, 1, 4);
			put(&m, 0, 8);
			break;
		case STATISTICS_OPTION:
			at = begin_block(&m, 5);
			put(&m, 0, 4);
			put(&m, 0, 8);
			put_option_int(&m, 5, 3, 8);
			put(&m, 7, 2);
			put(&m, 12, 2);
			put(&m, 1, 8);
			break;
		default:
			at = begin_interface(&m, 113, 0);
			put_option(&m, 2, "eth9", 4);
			put(&m, 9, 2);
			put(&m, 8, 2);
			put(&m, 0, 4);
			break;
		}
		end_block(&m, at);
		put_packet(&m, 3, 0, 3, 40);

		o = open_made(&m);
		NEXT_PACKET(o.cap, &pkt, 1, 1, 30);
		NEXT_FAULT(o.cap, &pkt, bad[which].kind, false, frame, start, bad[which].needed,
			   bad[which].had);
		if (which == OPTION_AND_CAPLEN) {
			CHECK_EQ(capture_next(o.cap, &pkt), CAPTURE_FAULT);
			CHECK_EQ(capture_fault(o.cap)->kind, CAPTURE_FAULT_LENGTH);
			CHECK_EQ(capture_fault(o.cap)->frame, frame);
			NEXT_PACKET(o.cap, &pkt, frame, 2, 19);
			CHECK_EQ(pkt.len, 19);
			CHECK_EQ(pkt.fcs_len, 4);
		} else if (bad[which].delivered) {
			NEXT_PACKET(o.cap, &pkt, frame, 2, which == OPTION_OVER_BLOCK ? 19 : 20);
			CHECK_EQ(pkt.len, pkt.caplen);
		}
		if (which == STATISTICS_OPTION)
			CHECK_EQ(capture_interface(o.cap, 0)->if_drops, 3);
		if (which == INTERFACE_OPTION)
			CHECK_STR(capture_interface(o.cap, 1)->name, "eth9");
		frame += bad[which].frame;
		NEXT_PACKET(o.cap, &pkt, frame, 3, 40);
		NEXT_END(o.cap, &pkt);
		close_made(&o);
		made_free(&m);
	}
}

/* Block lengths that lie: nothing after can be trusted. */
static void test_bad_frames(void)
{
	static const struct {
		const char *name;
		uint32_t type, front, after; /* after: 0 as it is */
		enum capture_fault_kind kind;
		uint64_t needed, had;
	} cases[] = {
		{ "0", 6, 0, 0, CAPTURE_FAULT_BLOCK, 32, 0 },
		{ "11", 0x1234, 11, 0, CAPTURE_FAULT_BLOCK, 12, 11 },
		{ "no multiple of 4", 6, 53, 0, CAPTURE_FAULT_BLOCK, 32, 53 },
		{ "28 for a packet", 6, 28, 0, CAPTURE_FAULT_BLOCK, 32, 28 },
		{ "too short, so not the same after", 6, 48, 0, CAPTURE_FAULT_BLOCK, 48, 0 },
		{ "unknown, the same", 0x1234, 48, 0, CAPTURE_FAULT_BLOCK, 48, 0 },
		{ "after one more", 6, 52, 53, CAPTURE_FAULT_BLOCK, 52, 53 },
		{ "unknown, after", 0x1234, 52, 53, CAPTURE_FAULT_BLOCK, 52, 53 },
		{ "longer than the file", 6, 800, 0, CAPTURE_FAULT_TRUNCATED, 800, 124 },
		{ "unknown, longer", 0x1234, 0xfffffffc, 0, CAPTURE_FAULT_TRUNCATED, 0xfffffffc,
		  124 },
		{ "packet of 4 GiB", 6, 0xfffffffc, 0, CAPTURE_FAULT_TRUNCATED, 0xfffffffc, 124 },
		{ "interface of 4 GiB", 1, 0xfffffffc, 0, CAPTURE_FAULT_LIMIT, 0xfffffffc,
		  1 << 20 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct made m = made_new(i & 1);
		struct capture_packet pkt;
		struct opened o;
		size_t at;

		check_case("length %s", cases[i].name);
		put_section(&m);
		put_interface(&m, 1, 0);
		put_packet(&m, 1, 0, 1, 20);
		at = made_len(&m);
		put_packet(&m, 2, 0, 1, 20);
		memset(m.bytes->data + at + 44, 0, 4); /* what 48 would have after */
		put_packet(&m, 3, 0, 1, 40);
		put32_at(&m, at, cases[i].type);
		put32_at(&m, at + 4, cases[i].front);
		if (cases[i].after)
			put32_at(&m, at + 48, cases[i].after);
		o = open_made(&m);
		NEXT_PACKET(o.cap, &pkt, 1, 1, 20);
		NEXT_FAULT(o.cap, &pkt, cases[i].kind, true, 2, at, cases[i].needed, cases[i].had);
		NEXT_END(o.cap, &pkt);
		close_made(&o);
		made_free(&m);
	}
}

/* What is wrong ahead of the first packet is said by the first call. */
static void test_bad_start(void)
{
	struct made m = made_new(false);
	struct capture_packet pkt;
	struct opened o;

	check_case("no interface at all");
	put_section(&m);
	put_packet(&m, 1, 0, 1, 20);
	put_interface(&m, 1, 0);
	put_packet(&m, 2, 0, 1, 20);
	o = open_made(&m);
	NEXT_FAULT(o.cap, &pkt, CAPTURE_FAULT_BLOCK, false, 1, 28, 0, 0);
	NEXT_PACKET(o.cap, &pkt, 2, 2, 20);
	NEXT_END(o.cap, &pkt);
	close_made(&o);

	check_case("version 2.0");
	m.bytes->data[12] = 2;
	o = open_made(&m);
	NEXT_FAULT(o.cap, &pkt, CAPTURE_FAULT_UNSUPPORTED, true, 1, 0, 0, 0);
	CHECK(strstr(capture_fault(o.cap)->text, "2.0"));
	NEXT_END(o.cap, &pkt);
	close_made(&o);
	m.bytes->data[12] = 1;

	check_case("second section in no byte order");
	put_section(&m);
	put32_at(&m, made_len(&m) - 28 + 8, 0x1a2b4d3c);
	o = open_made(&m);
	CHECK_EQ(capture_next(o.cap, &pkt), CAPTURE_FAULT);
	NEXT_PACKET(o.cap, &pkt, 2, 2, 20);
	NEXT_FAULT(o.cap, &pkt, CAPTURE_FAULT_BLOCK, true, 3, made_len(&m) - 28, 0, 0);
	NEXT_END(o.cap, &pkt);
	close_made(&o);
	made_free(&m);

	check_case("an option of the first interface, and cut there");
	m = made_new(false);
	put_section(&m);
	end_block(&m, (begin_interface(&m, 1, 0), put(&m, 0x00ff0002, 4), (size_t)28));
	o = open_made(&m);
	NEXT_FAULT(o.cap, &pkt, CAPTURE_FAULT_BLOCK, false, 1, 28, 260, 4);
	NEXT_END(o.cap, &pkt);
	close_made(&o);
	g_byte_array_set_size(m.bytes, 40);
	o = open_made(&m);
	NEXT_FAULT(o.cap, &pkt, CAPTURE_FAULT_TRUNCATED, true, 1, 28, 24, 12);
	NEXT_END(o.cap, &pkt);
	close_made(&o);
	made_free(&m);
}

/* A simple packet is as long as the snap length allows. */
static void test_simple_snaplen(void)
{
	struct made m = made_new(true);
	struct capture_packet pkt;
	struct opened o;
	size_t at;

	put_section(&m);
	put_interface(&m, 1, 18);
	at = begin_block(&m, 3);
	put(&m, 1500, 4);
	put_data(&m, 1, 18);
	end_block(&m, at);
	/* and one beyond the 262144 of others, where the interface says so */
	m.big_endian = false;
	put_section(&m);
	put_interface(&m, 1, 300000);
	put_packet(&m, 2, 0, 0, 300000);
	put_packet(&m, 3, 0, 0, 300001);
	o = open_made(&m);
	NEXT_PACKET(o.cap, &pkt, 1, 1, 18);
	CHECK_EQ(pkt.len, 1500);
	NEXT_PACKET(o.cap, &pkt, 2, 2, 300000);
	CHECK_EQ(capture_next(o.cap, &pkt), CAPTURE_FAULT);
	CHECK_EQ(capture_fault(o.cap)->needed, 300001);
	CHECK_EQ(capture_fault(o.cap)->had, 300000);
	NEXT_END(o.cap, &pkt);
	close_made(&o);
	made_free(&m);
}

static void test_interface_limit(void)
{
	struct made m = made_new(false);
	struct capture_packet pkt;
	struct opened o;

	put_section(&m);
	for (unsigned int i = 0; i < CAPTURE_INTERFACES_MAX / 2; i++)
		put_interface(&m, 1, 0);
	put_section(&m);
	for (unsigned int i = 0; i < CAPTURE_INTERFACES_MAX / 2; i++)
		put_interface(&m, 1, 0);
	put_packet(&m, 1, CAPTURE_INTERFACES_MAX / 2 - 1, 0, 30);
	put_interface(&m, 1, 0);
	put_packet(&m, 2, 0, 0, 30);
	o = open_made(&m);
	NEXT_PACKET(o.cap, &pkt, 1, 1, 30);
	CHECK_EQ(pkt.iface, CAPTURE_INTERFACES_MAX - 1);
	CHECK_EQ(capture_next(o.cap, &pkt), CAPTURE_FAULT);
	CHECK_EQ(capture_fault(o.cap)->kind, CAPTURE_FAULT_LIMIT);
	CHECK(capture_fault(o.cap)->fatal);
	NEXT_END(o.cap, &pkt);
	CHECK_EQ(capture_interface_count(o.cap), CAPTURE_INTERFACES_MAX);
	close_made(&o);
	made_free(&m);
}

/* Blocks of which a mebibyte holds no whole number, and one larger than that to pass over. */
static void test_many(void)
{
	struct made m = made_new(false);
	struct capture_packet pkt;
	struct opened o;

	put_section(&m);
	put_interface(&m, 1, 0);
	for (unsigned int i = 1; i <= 300; i++) {
		if (i == 150)
			put_unknown(&m, 0x4321, (2 << 20) + 5);
		put_packet(&m, i, 0, i, 9000 + i);
	}
	o = open_made(&m);
	for (unsigned int i = 1; i <= 300; i++)
		NEXT_PACKET(o.cap, &pkt, i, i, 9000 + i);
	NEXT_END(o.cap, &pkt);
	close_made(&o);
	made_free(&m);
}

/* Link types the filter does not compile for are told once and left out. */
static void test_filter_mixed(void)
{
	struct made m = made_new(false);
	GError *err = NULL;
	struct capture_packet pkt;
	struct opened o;

	put_section(&m);
	put_interface(&m, 247, 0);
	put_interface(&m, 1, 0);
	for (uint8_t i = 1; i <= 6; i++) {
		uint32_t iface = i == 2 || i == 4 ? 0 : i == 5 ? 2 : 1;
		size_t at;

		if (i == 5)
			put_interface(&m, 101, 0); /* raw IP, described late */
		at = begin_packet(&m, iface, i, FRAME_UDP - (iface == 2 ? 14 : 0), FRAME_UDP);
		put_udp(&m, i, 4791);
		if (iface == 2)
			g_byte_array_remove_range(m.bytes, (unsigned int)at + 28, 14);
		end_block(&m, at);
	}
	o = open_made(&m);
	CHECK(!capture_filter(o.cap, "no such thing", &err));
	g_clear_error(&err);
	CHECK(capture_filter(o.cap, "not src host 10.0.0.1 and udp port 4791", &err));
	NEXT_FAULT(o.cap, &pkt, CAPTURE_FAULT_FILTER, false, 2, 28 + 2 * 20 + 96, 0, 0);
	CHECK(strstr(capture_fault(o.cap)->text, "link type 247"));
	for (uint64_t frame = 3; frame <= 6; frame += frame == 3 ? 2 : 1) {
		CHECK_EQ(capture_next(o.cap, &pkt), CAPTURE_PACKET);
		CHECK_EQ(pkt.frame, frame);
	}
	NEXT_END(o.cap, &pkt);
	close_made(&o);
	made_free(&m);
}

/* Any byte of a file set to anything. */
static void test_damage(void)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x04, 0x7f, 0x80, 0xff };
	struct made m = made_new(false);
	uint64_t faults = 0, packets = 0;

	put_everything(&m);
	for (size_t i = 0; i < made_len(&m); i++) {
		for (size_t v = 0; v < G_N_ELEMENTS(values); v++) {
			uint8_t was = m.bytes->data[i];
			struct opened o;

			check_case("byte %zu set to %02x", i, values[v]);
			m.bytes->data[i] = values[v];
			o = open_bytes(m.bytes->data, made_len(&m), NULL);
			if (o.cap)
				packets += read_anything(o.cap, &faults);
			close_made(&o);
			m.bytes->data[i] = was;
		}
	}
	CHECK(faults > 100 && packets > 1000);
	made_free(&m);
}

int main(void)
{
	test_everything();
	test_cut();
	test_times();
	test_one_bad_block();
	test_bad_frames();
	test_bad_start();
	check_case("%s", "");
	test_simple_snaplen();
	test_interface_limit();
	test_many();
	test_filter_mixed();
	test_damage();
	return check_end();
}
