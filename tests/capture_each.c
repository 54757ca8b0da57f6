/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * capture_each.c - every way to the packets of a capture gives the same packets and faults:
 * capture_next(), capture_each(), each by turns, stopping at any place, from a stream
 * and from a file.
 */
#include <stdlib.h>
#include <unistd.h>

#include "capture_make.h"

static char dir[] = "/tmp/ibwire-capture-each-XXXXXX";

/* One line of what was read, in the order it came. */
static void log_packet(GString *log, const struct capture_packet *pkt)
{
	unsigned long sum = 0;

	for (size_t i = 0; i < pkt->caplen; i++)
		sum = sum * 31 + pkt->data[i];
	g_string_append_printf(log,
			       "%u: %lu of %u %u link %u iface %u fcs %u time %d %" PRIu64 "\n",
			       (unsigned int)pkt->frame, sum, pkt->caplen, pkt->len, pkt->linktype,
			       pkt->iface, pkt->fcs_len, pkt->has_time, pkt->time_ns);
}

static void log_fault(GString *log, const struct capture *cap)
{
	const struct capture_fault *f = capture_fault(cap);

	g_string_append_printf(log, "%u: fault %d fatal %d at %u, %u of %u: %s\n",
			       (unsigned int)f->frame, f->kind, f->fatal, (unsigned int)f->offset,
			       (unsigned int)f->had, (unsigned int)f->needed, f->text);
}

/* How to read: @next packets by capture_next(), then @each by capture_each(), and so on. */
struct way {
	unsigned int next, each;
};

static const struct way ways[] = { { 0, UINT_MAX }, { 0, 1 }, { 1, 1 }, { 2, 3 }, { 1, UINT_MAX } };

struct reader {
	GString *log;
	unsigned int left;
};

static bool one(void *user, const struct capture_packet *pkt)
{
	struct reader *r = user;

	log_packet(r->log, pkt);
	return --r->left > 0;
}

static enum capture_result by_next(struct capture *cap, GString *log, unsigned int n)
{
	enum capture_result result = CAPTURE_PACKET;
	struct capture_packet pkt;

	while (n-- && result != CAPTURE_END) {
		result = capture_next(cap, &pkt);
		if (result == CAPTURE_PACKET)
			log_packet(log, &pkt);
		else if (result == CAPTURE_FAULT)
			log_fault(log, cap);
	}
	return result;
}

static enum capture_result by_each(struct capture *cap, GString *log, unsigned int n)
{
	struct reader r = { log, n };
	enum capture_result result = capture_each(cap, one, &r);

	if (result == CAPTURE_PACKET)
		CHECK_EQ(r.left, 0);
	if (result == CAPTURE_FAULT)
		log_fault(log, cap);
	return result;
}

/* All of it, and that the end stays the end. */
static GString *read_all(struct capture *cap, struct way way, const char *filter)
{
	GString *log = g_string_new(NULL);
	enum capture_result result = CAPTURE_PACKET;

	if (filter && !capture_filter(cap, filter, NULL))
		g_string_append(log, "no such filter\n");
	while (result != CAPTURE_END) {
		result = by_next(cap, log, way.next);
		if (result != CAPTURE_END)
			result = by_each(cap, log, way.each);
	}
	CHECK_EQ(by_each(cap, log, 1), CAPTURE_END);
	CHECK_EQ(by_next(cap, log, 1), CAPTURE_END);
	g_string_append_printf(log, "%u frames\n", (unsigned int)capture_frames(cap));
	return log;
}

static GString *read_stream(const struct made *m, struct way way, const char *filter)
{
	struct opened o = open_bytes(m->bytes->data, made_len(m), NULL);
	GString *log = o.cap ? read_all(o.cap, way, filter) : g_string_new("refused");

	close_made(&o);
	return log;
}

static GString *read_file(const char *path, struct way way, const char *filter)
{
	struct capture *cap = capture_open(path, NULL);
	GString *log = cap ? read_all(cap, way, filter) : g_string_new("refused");

	if (cap)
		CHECK(capture_position(cap) <= capture_size(cap));
	capture_close(cap);
	return log;
}

static void check_log(GString *log, const GString *want)
{
	CHECK_STR(log->str, want->str);
	g_string_free(log, TRUE);
}

/* Every way against capture_next() alone, from a stream. */
static void check_ways(const struct made *m, const char *filter)
{
	static const struct way next = { UINT_MAX, UINT_MAX };
	GString *want = read_stream(m, next, filter);
	char *path = g_build_filename(dir, "a.pcap", NULL);

	g_file_set_contents(path, (const char *)m->bytes->data, (gssize)made_len(m), NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
		check_log(read_stream(m, ways[i], filter), want);
		check_log(read_file(path, ways[i], filter), want);
	}
	check_log(read_file(path, next, filter), want);
	unlink(path);
	g_free(path);
	g_string_free(want, TRUE);
}

/* Five packets, the third with more bytes captured than there were. */
static struct made make_pcap(uint32_t snaplen, bool big_endian)
{
	struct made m = made_new(big_endian);

	put_pcap_header(&m, 0xa1b2c3d4, snaplen, 1);
	for (uint8_t i = 1; i <= 5; i++) {
		put_pcap_record(&m, i, i, FRAME_UDP, i == 3 ? 50 : FRAME_UDP + i);
		put_udp(&m, i, i & 1 ? 4791 : 53);
	}
	return m;
}

static struct made make_pcapng(void)
{
	struct made m = made_new(false);
	size_t at;

	put_section(&m);
	put_interface(&m, 1, 0);
	put_interface(&m, 101, 0);
	for (uint8_t i = 1; i <= 4; i++) {
		at = begin_packet(&m, i == 2, i, FRAME_UDP, i == 3 ? 50 : FRAME_UDP);
		put_udp(&m, i, 4791);
		end_block(&m, at);
	}
	return m;
}

/* libpcap takes the snap length of this at its word. */
#define SNAPLENS                                                                                   \
	{                                                                                          \
		262144, 65535, 40, 0, 0x80000000                                                   \
	}

static void test_filters(void)
{
	static const char *const filters[] = { NULL, "udp port 4791", "tcp", "src host 10.0.0.3" };
	static const uint32_t snaplens[] = SNAPLENS;
	struct made m;

	for (size_t f = 0; f < G_N_ELEMENTS(filters); f++) {
		for (size_t s = 0; s < G_N_ELEMENTS(snaplens); s++) {
			check_case("filter %s, snap length %u", filters[f] ? filters[f] : "none",
				   snaplens[s]);
			m = make_pcap(snaplens[s], s & 1);
			check_ways(&m, filters[f]);
			made_free(&m);
		}
		m = make_pcapng();
		check_case("pcapng, filter %s", filters[f] ? filters[f] : "none");
		check_ways(&m, filters[f]);
		made_free(&m);
	}
}

static void test_cut(void)
{
	static const uint32_t snaplens[] = { 262144, 65535 };

	for (size_t s = 0; s < G_N_ELEMENTS(snaplens); s++) {
		struct made m = make_pcap(snaplens[s], false);

		while (made_len(&m)) {
			g_byte_array_set_size(m.bytes, (guint)made_len(&m) - 1);
			check_case("cut to %zu bytes", made_len(&m));
			check_ways(&m, NULL);
		}
		made_free(&m);
	}
}

/* Any byte of it set to anything. */
static void test_damage(void)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x80, 0xff };
	struct made m = make_pcap(262144, true);

	for (size_t i = 0; i < made_len(&m); i++) {
		uint8_t was = m.bytes->data[i];

		for (size_t v = 0; v < G_N_ELEMENTS(values); v++) {
			check_case("byte %zu set to %02x", i, values[v]);
			m.bytes->data[i] = values[v];
			check_ways(&m, NULL);
		}
		m.bytes->data[i] = was;
	}
	made_free(&m);
}

/* Packets lie across the ends of buffers, and are larger than them; cut within the last one. */
static void test_large(void)
{
	static const uint32_t lens[] = {
		262144, 1000, 262143, 1, 200000, 262144, 0, 262000, 90000
	};
	struct made m = made_new(false);

	put_pcap_header(&m, 0xa1b23c4d, 262144, 1);
	for (unsigned int i = 0; i < G_N_ELEMENTS(lens); i++) {
		put_pcap_record(&m, i, i, lens[i], lens[i]);
		put_data(&m, i, lens[i]);
	}
	check_case("large");
	check_ways(&m, NULL);
	g_byte_array_set_size(m.bytes, (guint)made_len(&m) - 100);
	check_ways(&m, NULL);
	g_byte_array_set_size(m.bytes, (guint)made_len(&m) - 90000 + 100 - 7);
	check_ways(&m, NULL);
	made_free(&m);
}

int main(void)
{
	if (!CHECK(mkdtemp(dir)))
		return check_end();
	test_filters();
	test_cut();
	test_damage();
	test_large();
	rmdir(dir);
	return check_end();
}
