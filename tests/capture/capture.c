/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* pcap-lint's capture input: classic pcap, where the bytes come from, filters. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture_make.h"

static char dir[] = "/tmp/ibwire-capture-XXXXXX";

static const struct {
	uint32_t magic;
	unsigned int header; /* bytes before each packet */
	uint64_t ns;         /* a unit of the fraction */
} formats[] = {
	{ 0xa1b2c3d4, 16, 1000 },
	{ 0xa1b23c4d, 16, 1 },
	{ 0xa1b2cd34, 24, 1000 },
};

static void put_record(struct made *m, unsigned int format, unsigned int packet, uint32_t sec,
		       uint32_t caplen, uint32_t len)
{
	put_pcap_record(m, sec, 999999, caplen, len);
	if (formats[format].header == 24)
		put(m, UINT64_MAX, 8);
	put_data(m, packet, caplen);
}

/* Packets of 60, 5 (of 100) and 0 bytes, a snap length that is a lie, a time after 2038. */
static struct made make_small(unsigned int format, bool big_endian)
{
	struct made m = made_new(big_endian);

	put_pcap_header(&m, formats[format].magic, 32, 1);
	put_record(&m, format, 1, 1700000000, 60, 60);
	put_record(&m, format, 2, 0x80000001, 5, 100);
	put_record(&m, format, 3, 0xffffffff, 0, 64);
	return m;
}

static void test_formats(void)
{
	for (unsigned int f = 0; f < G_N_ELEMENTS(formats); f++) {
		for (int big = 0; big < 2; big++) {
			struct made m = make_small(f, big);
			struct opened o = open_made(&m);
			const struct capture_interface *iface = capture_interface(o.cap, 0);
			uint64_t fraction = 999999 * formats[f].ns;
			struct capture_packet pkt;

			check_case("magic %08x %s", formats[f].magic, big ? "big" : "little");
			NEXT_PACKET(o.cap, &pkt, 1, 1, 60);
			CHECK_EQ(pkt.len, 60);
			CHECK_EQ(pkt.time_ns, 1700000000 * UINT64_C(1000000000) + fraction);
			CHECK_EQ(pkt.linktype, 1);
			CHECK_EQ(pkt.iface, 0);
			CHECK_EQ(pkt.fcs_len, 0);
			CHECK(pkt.has_time);
			NEXT_PACKET(o.cap, &pkt, 2, 2, 5);
			CHECK_EQ(pkt.len, 100);
			CHECK_EQ(pkt.time_ns, 2147483649 * UINT64_C(1000000000) + fraction);
			NEXT_PACKET(o.cap, &pkt, 3, 3, 0);
			CHECK_EQ(pkt.time_ns, 4294967295 * UINT64_C(1000000000) + fraction);
			NEXT_END(o.cap, &pkt);

			CHECK_EQ(capture_frames(o.cap), 3);
			CHECK_EQ(capture_interface_count(o.cap), 1);
			CHECK_EQ(iface->linktype, 1);
			CHECK_EQ(iface->snaplen, 32);
			CHECK_EQ(iface->ns_per_tick, formats[f].ns);
			CHECK_EQ(iface->ts_resolution, formats[f].ns == 1 ? 9 : 6);
			CHECK(!iface->has_stats);
			CHECK(!capture_interface(o.cap, 1));
			CHECK_EQ(capture_format(o.cap), CAPTURE_FORMAT_PCAP);
			CHECK_STR(capture_format_name(o.cap), "pcap");
			CHECK(!capture_compression(o.cap));
			CHECK_EQ(capture_position(o.cap), made_len(&m));
			CHECK_EQ(capture_size(o.cap), 0);
			close_made(&o);
			made_free(&m);
		}
	}
}

/* What the second half of the file header's last word says. */
static void test_link_word(void)
{
	static const struct {
		uint32_t word, linktype;
		uint8_t fcs_len;
	} cases[] = {
		{ 0x24000001, 1, 4 },                   /* FCS given: 2 words of 16 bits */
		{ 0x20000001, 1, 0 },                   /* a length, but not given */
		{ 0x14000101, 257, 2 }, { 12, 101, 0 }, /* raw IP under its names */
		{ 14, 101, 0 },         { 101, 101, 0 }, { 247, 247, 0 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct made m = made_new(i & 1);
		struct capture_packet pkt;
		struct opened o;

		check_case("link word %08x", cases[i].word);
		put_pcap_header(&m, 0xa1b2c3d4, 65535, cases[i].word);
		put_record(&m, 0, 1, 0, 8, 8);
		o = open_made(&m);
		NEXT_PACKET(o.cap, &pkt, 1, 1, 8);
		CHECK_EQ(pkt.linktype, cases[i].linktype);
		CHECK_EQ(pkt.fcs_len, cases[i].fcs_len);
		CHECK_EQ(capture_interface(o.cap, 0)->linktype, cases[i].linktype);
		CHECK_EQ(capture_interface(o.cap, 0)->fcs_len, cases[i].fcs_len);
		close_made(&o);
		made_free(&m);
	}
}

/* Until 2.3 the wire length came first; in 2.3 either may. */
static void test_old_versions(void)
{
	for (uint8_t minor = 2; minor <= 3; minor++) {
		struct made m = made_new(false);
		struct capture_packet pkt;
		struct opened o;

		check_case("version 2.%u", minor);
		put_pcap_header(&m, 0xa1b2c3d4, 65535, 1);
		m.bytes->data[6] = minor;
		put_pcap_record(&m, 0, 0, 100, 10);
		put_data(&m, 1, 10);
		put_pcap_record(&m, 0, 0, 100, 20);
		put_data(&m, 2, 15);
		o = open_made(&m);
		NEXT_PACKET(o.cap, &pkt, 1, 1, 10);
		CHECK_EQ(pkt.len, 100);
		NEXT_FAULT(o.cap, &pkt, CAPTURE_FAULT_TRUNCATED, true, 2, 50, 36, 31);
		close_made(&o);
		made_free(&m);
	}
}

/* The cap that reads a cut copy of make_small(): what it must deliver. */
static void check_cut(struct capture *cap, unsigned int header, size_t cut)
{
	const uint32_t caplens[] = { 60, 5, 0 };
	uint64_t at = 24;
	struct capture_packet pkt;

	for (unsigned int i = 0; i < 3; i++) {
		uint64_t left = cut - at, whole = header + caplens[i];

		if (left == 0) {
			NEXT_END(cap, &pkt);
			return;
		}
		if (left < whole) {
			NEXT_FAULT(cap, &pkt, CAPTURE_FAULT_TRUNCATED, true, i + 1, at,
				   left < header ? header : whole, left);
			NEXT_END(cap, &pkt);
			return;
		}
		NEXT_PACKET(cap, &pkt, i + 1, i + 1, caplens[i]);
		at += whole;
	}
	NEXT_END(cap, &pkt);
}

static void test_cut(void)
{
	for (unsigned int f = 0; f < G_N_ELEMENTS(formats); f++) {
		struct made m = make_small(f, f & 1);

		for (size_t cut = 0; cut <= made_len(&m); cut++) {
			GError *err = NULL;
			struct opened o = open_bytes(m.bytes->data, cut, &err);

			check_case("magic %08x cut to %zu", formats[f].magic, cut);
			if (cut < 24) {
				CHECK(!o.cap);
				CHECK(g_error_matches(err, CAPTURE_ERROR, CAPTURE_ERROR_FORMAT));
				CHECK(strstr(err->message, "made"));
				CHECK(cut < 4 ||
				      strstr(err->message, "cut within the file header"));
				g_error_free(err);
			} else if (CHECK(o.cap)) {
				check_cut(o.cap, formats[f].header, cut);
			}
			close_made(&o);
		}
		made_free(&m);
	}
}

/* The same through standard input, which gives one byte at a time: every record is split at
 * every place. */
static void test_cut_slow_stdin(void)
{
	struct made m = make_small(0, true);

	for (size_t cut = 24; cut <= made_len(&m); cut++) {
		GError *err = NULL;
		struct capture *cap;
		int pair[2];

		check_case("slow, cut to %zu", cut);
		CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
		for (size_t i = 0; i < cut; i++)
			CHECK(send(pair[0], m.bytes->data + i, 1, 0) == 1);
		close(pair[0]);
		CHECK(dup2(pair[1], STDIN_FILENO) == STDIN_FILENO);
		close(pair[1]);
		cap = capture_open("-", NULL, &err);
		if (CHECK(cap)) {
			CHECK_EQ(capture_size(cap), 0);
			check_cut(cap, 16, cut);
		}
		capture_close(cap);
	}
	made_free(&m);
}

/* The header of the last record, whose body is cut, is at every place around the borders of
 * the buffers on its way. */
static void test_cut_across_buffers(void)
{
	static const size_t borders[] = { 128 << 10, 1 << 20, (1 << 20) + (128 << 10) };

	for (size_t b = 0; b < G_N_ELEMENTS(borders); b++) {
		for (size_t start = borders[b] - 30; start < borders[b] + 30; start++) {
			struct made m = made_new(start & 1);
			uint64_t packets = 0, faults = 0;
			struct opened o;

			check_case("last record at %zu", start);
			put_pcap_header(&m, 0xa1b2c3d4, 262144, 1);
			for (size_t left; (left = start - made_len(&m)) != 0; packets++)
				put_record(&m, 0, 0, 0,
					   (uint32_t)(left > 60000 ? 30000 : left) - 16, 65535);
			put_record(&m, 0, 0, 0, 40, 40);
			put32_at(&m, start + 8, 41);
			o = open_made(&m);
			CHECK_EQ(read_anything(o.cap, &faults), packets);
			CHECK_EQ(faults, 1);
			CHECK_EQ(capture_fault(o.cap)->kind, CAPTURE_FAULT_TRUNCATED);
			CHECK_EQ(capture_fault(o.cap)->offset, start);
			CHECK_EQ(capture_fault(o.cap)->needed, 57);
			CHECK_EQ(capture_fault(o.cap)->had, 56);
			close_made(&o);
			made_free(&m);
		}
	}
}

static void test_lengths(void)
{
	for (unsigned int f = 0; f < G_N_ELEMENTS(formats); f++) {
		struct made m = made_new(f == 1);
		unsigned int header = formats[f].header;
		struct capture_packet pkt;
		struct opened o;
		size_t at;

		check_case("magic %08x", formats[f].magic);
		put_pcap_header(&m, formats[f].magic, 65535, 1);
		put_record(&m, f, 1, 0, CAPTURE_CAPLEN_MAX, CAPTURE_CAPLEN_MAX);
		put_record(&m, f, 2, 0, 20, 10);
		put_record(&m, f, 3, 0, 20, 20);
		at = made_len(&m);
		put_record(&m, f, 4, 0, CAPTURE_CAPLEN_MAX + 1, CAPTURE_CAPLEN_MAX + 1);
		put_record(&m, f, 5, 0, 20, 20);
		o = open_made(&m);
		NEXT_PACKET(o.cap, &pkt, 1, 1, CAPTURE_CAPLEN_MAX);
		NEXT_FAULT(o.cap, &pkt, CAPTURE_FAULT_LENGTH, false, 2,
			   24 + header + CAPTURE_CAPLEN_MAX, 20, 10);
		NEXT_PACKET(o.cap, &pkt, 2, 2, 20);
		CHECK_EQ(pkt.len, 20);
		NEXT_PACKET(o.cap, &pkt, 3, 3, 20);
		NEXT_FAULT(o.cap, &pkt, CAPTURE_FAULT_LENGTH, true, 4, at, CAPTURE_CAPLEN_MAX + 1,
			   CAPTURE_CAPLEN_MAX);
		NEXT_END(o.cap, &pkt);
		CHECK_EQ(capture_frames(o.cap), 3);
		close_made(&o);

		/* and as the very last bytes of the file */
		g_byte_array_set_size(m.bytes, (unsigned int)at + header);
		o = open_made(&m);
		NEXT_PACKET(o.cap, &pkt, 1, 1, CAPTURE_CAPLEN_MAX);
		CHECK_EQ(capture_next(o.cap, &pkt), CAPTURE_FAULT);
		NEXT_PACKET(o.cap, &pkt, 2, 2, 20);
		NEXT_PACKET(o.cap, &pkt, 3, 3, 20);
		NEXT_FAULT(o.cap, &pkt, CAPTURE_FAULT_LENGTH, true, 4, at, CAPTURE_CAPLEN_MAX + 1,
			   CAPTURE_CAPLEN_MAX);
		close_made(&o);
		made_free(&m);
	}
}

static void check_refused(const char *path, enum capture_error code, const char *with)
{
	GError *err = NULL;
	struct capture *cap = capture_open(path, NULL, &err);

	check_case("%s", path);
	if (!CHECK(!cap)) {
		capture_close(cap);
		return;
	}
	CHECK(g_error_matches(err, CAPTURE_ERROR, (int)code));
	CHECK(strstr(err->message, path));
	if (!CHECK(strstr(err->message, with)))
		fprintf(stderr, "\t%s\n", err->message);
	g_error_free(err);
}

static void test_no_captures(void)
{
	static const struct {
		const char *name, *content;
		size_t len;
		const char *with;
	} files[] = {
		{ "empty", "", 0, ": empty" },
		{ "text", "#!/bin/sh\necho no capture\n", 26,
		  "starts with 23 21 2f 62 69 6e 2f 73" },
		{ "short", "ab", 2, "starts with 61 62" },
		{ "snoop", "snoop\0\0\0\0\0\0\2\0\0\0\4----------", 26, "snoop" },
		{ "archaic", "\xd4\xc3\xb2\xa1\1\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\1\0\0\0", 24,
		  "no readable pcap" },
		{ "order",
		  "\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x2a\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 28,
		  "without a byte-order magic" },
		{ "gz", "\x1f\x8b\x08\0\0\0\0\0\0\3\3\0\0\0\0\0\0\0\0\0", 20, "gzip data: empty" },
	};

	check_refused("/nonexistent/capture.pcap", CAPTURE_ERROR_OPEN, "No such file");
	check_refused(dir, CAPTURE_ERROR_OPEN, "is a directory");
	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		char *path = g_build_filename(dir, files[i].name, NULL);

		g_file_set_contents(path, files[i].content, (gssize)files[i].len, NULL);
		check_refused(path, CAPTURE_ERROR_FORMAT, files[i].with);
		unlink(path);
		g_free(path);
	}
	check_case("%s", "");
}

static void test_file(void)
{
	struct made m = make_small(1, true);
	char *path = g_build_filename(dir, "a.pcap", NULL);
	struct capture *cap;
	struct capture_packet pkt;

	g_file_set_contents(path, (const char *)m.bytes->data, (gssize)made_len(&m), NULL);
	cap = capture_open(path, NULL, NULL);
	if (CHECK(cap)) {
		CHECK_EQ(capture_size(cap), made_len(&m));
		check_cut(cap, 16, made_len(&m));
		CHECK_EQ(capture_position(cap), made_len(&m));
		CHECK_EQ(capture_next(cap, &pkt), CAPTURE_END);
	}
	capture_close(cap);
	capture_close(NULL);
	unlink(path);
	g_free(path);
	made_free(&m);
}

/* A disk that gives up after so many bytes. */
struct disk {
	const struct made *m;
	size_t at, good;
};

static ssize_t disk_read(void *cookie, char *to, size_t n)
{
	struct disk *d = cookie;

	if (d->at == d->good) {
		errno = EIO;
		return -1;
	}
	n = MIN(n, d->good - d->at);
	memcpy(to, d->m->bytes->data + d->at, n);
	d->at += n;
	return (ssize_t)n;
}

static void test_read_error(void)
{
	struct made m = make_small(0, false);
	struct capture_packet pkt;

	/* within the second record, and right after the first */
	for (int within = 0; within < 2; within++) {
		struct disk disk = { &m, 0, within ? 110 : 100 };
		struct opened o;

		check_case("disk good for %zu bytes", disk.good);
		o.stream = fopencookie(&disk, "r", (cookie_io_functions_t){ .read = disk_read });
		o.cap = capture_open_stream(o.stream, "disk", NULL);
		if (CHECK(o.cap)) {
			NEXT_PACKET(o.cap, &pkt, 1, 1, 60);
			NEXT_FAULT(o.cap, &pkt, CAPTURE_FAULT_READ, true, 2, 100, 16,
				   within ? 10 : 0);
			CHECK(strstr(capture_fault(o.cap)->text, g_strerror(EIO)));
			NEXT_END(o.cap, &pkt);
		}
		close_made(&o);
	}
	made_free(&m);
}

/* An ordinary file after whose first buffer there is none any more, but a directory. */
static void test_file_read_error(void)
{
	struct made m = made_new(false);
	char *path = g_build_filename(dir, "a.pcap", NULL);
	int fd = dup(STDIN_FILENO), root = open("/", O_RDONLY | O_CLOEXEC);
	struct capture *cap;
	struct capture_packet pkt;

	put_pcap_header(&m, 0xa1b2c3d4, CAPTURE_CAPLEN_MAX, 1);
	for (unsigned int i = 0; i < 12; i++)
		put_record(&m, 0, i, 0, 200000, 200000);
	g_file_set_contents(path, (const char *)m.bytes->data, (gssize)made_len(&m), NULL);
	close(fd); /* the next number there is */
	cap = capture_open(path, NULL, NULL);
	if (CHECK(cap) && CHECK_EQ(capture_next(cap, &pkt), CAPTURE_PACKET) &&
	    CHECK_EQ(dup2(root, fd), fd)) {
		while (capture_next(cap, &pkt) == CAPTURE_PACKET)
			CHECK(pkt.frame < 12);
		CHECK_EQ(capture_fault(cap)->kind, CAPTURE_FAULT_READ);
		CHECK(strstr(capture_fault(cap)->text, g_strerror(EISDIR)));
		NEXT_END(cap, &pkt);
	}
	capture_close(cap);
	close(root);
	unlink(path);
	g_free(path);
	made_free(&m);
}

static void test_filter(void)
{
	struct made m = made_new(false);
	GError *err = NULL;
	struct capture_packet pkt;
	struct opened o;

	put_pcap_header(&m, 0xa1b2c3d4, 65535, 1);
	for (uint8_t i = 1; i <= 5; i++) {
		put_pcap_record(&m, i, 0, FRAME_UDP, i == 3 ? 50 : FRAME_UDP);
		put_udp(&m, i, i & 1 ? 4791 : 53);
	}
	o = open_made(&m);
	CHECK(!capture_filter(o.cap, "udp port (", &err));
	CHECK(g_error_matches(err, CAPTURE_ERROR, CAPTURE_ERROR_FILTER));
	CHECK(strstr(err->message, "udp port (") && strstr(err->message, "made"));
	g_clear_error(&err);

	CHECK(capture_filter(o.cap, "udp port 4791", &err));
	CHECK_EQ(capture_next(o.cap, &pkt), CAPTURE_PACKET);
	CHECK_EQ(pkt.frame, 1);
	/* a packet that comes with a fault passes the filter too */
	NEXT_FAULT(o.cap, &pkt, CAPTURE_FAULT_LENGTH, false, 3, 24 + 2 * 78, 62, 50);
	CHECK_EQ(capture_next(o.cap, &pkt), CAPTURE_PACKET);
	CHECK_EQ(pkt.frame, 3);
	CHECK_EQ(pkt.data[29], 3);
	/* another one takes its place */
	CHECK(capture_filter(o.cap, "src host 10.0.0.4", &err));
	CHECK_EQ(capture_next(o.cap, &pkt), CAPTURE_PACKET);
	CHECK_EQ(pkt.frame, 4);
	/* what it takes out, if somebody asks */
	capture_show_left_out(o.cap);
	CHECK_EQ(capture_next(o.cap, &pkt), CAPTURE_LEFT_OUT);
	CHECK_EQ(pkt.frame, 5);
	NEXT_END(o.cap, &pkt);
	CHECK_EQ(capture_frames(o.cap), 5);
	close_made(&o);
	made_free(&m);

	/* libpcap knows no IP in InfiniBand */
	m = made_new(false);
	put_pcap_header(&m, 0xa1b2c3d4, 65535, 247);
	o = open_made(&m);
	CHECK(!capture_filter(o.cap, "ip", &err));
	CHECK(strstr(err->message, "link type 247"));
	g_clear_error(&err);
	close_made(&o);
	made_free(&m);

	/* ... and raw IP under a number other than files do */
	m = made_new(false);
	put_pcap_header(&m, 0xa1b2c3d4, 65535, 101);
	put_pcap_record(&m, 0, 0, FRAME_UDP - 14, FRAME_UDP - 14);
	put_udp(&m, 1, 4791);
	g_byte_array_remove_range(m.bytes, 24 + 16, 14);
	o = open_made(&m);
	CHECK(capture_filter(o.cap, "ip src 10.0.0.1 and udp dst port 4791", &err));
	CHECK_EQ(capture_next(o.cap, &pkt), CAPTURE_PACKET);
	close_made(&o);
	made_free(&m);
}

/* Any byte of a small file set to anything. */
static void test_damage(void)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	struct made m = make_small(2, false);
	uint64_t faults = 0;

	for (size_t i = 0; i < made_len(&m); i++) {
		for (size_t v = 0; v < G_N_ELEMENTS(values); v++) {
			uint8_t was = m.bytes->data[i];
			struct opened o;

			check_case("byte %zu set to %02x", i, values[v]);
			m.bytes->data[i] = values[v];
			o = open_bytes(m.bytes->data, made_len(&m), NULL);
			if (o.cap)
				read_anything(o.cap, &faults);
			close_made(&o);
			m.bytes->data[i] = was;
		}
	}
	CHECK(faults > 20);
	made_free(&m);
}

int main(void)
{
	if (!CHECK(mkdtemp(dir)))
		return check_end();
	test_formats();
	test_link_word();
	test_old_versions();
	test_cut();
	test_cut_slow_stdin();
	test_cut_across_buffers();
	test_lengths();
	test_no_captures();
	test_file();
	test_read_error();
	test_file_read_error();
	test_filter();
	test_damage();
	rmdir(dir);
	return check_end();
}
