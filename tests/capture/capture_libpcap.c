/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * capture_libpcap.c - classic pcap read by our reader and by libpcap, record by record: the same
 * packets, times and end. Every capture of pcaps/ and of the directory given, whole, cut and
 * damaged; made ones of every magic, with filters, with packets across the borders of buffers.
 */
#include <stdlib.h>
#include <unistd.h>

#include <pcap/pcap.h>

#include "capture_make.h"
#include "random.h"

#define HEADER 24
#define CUT_STEP 997
#define MUTANTS 2000

static char dir[] = "/tmp/ibwire-capture-libpcap-XXXXXX";

/* libpcap's side. */
struct other {
	uint8_t *bytes;
	FILE *stream;
	pcap_t *pcap; /* NULL: it refuses the file */
	uint64_t unit_ns;
};

static bool is_swapped(const uint8_t *head)
{
	uint32_t magic;

	memcpy(&magic, head, sizeof(magic));
	return magic != 0xa1b2c3d4 && magic != 0xa1b23c4d && magic != 0xa1b2cd34;
}

static void set32(uint8_t *p, uint32_t v, bool swapped)
{
	if (swapped)
		v = GUINT32_SWAP_LE_BE(v);
	memcpy(p, &v, sizeof(v));
}

/*
 * libpcap cuts packets to the snap length, and takes more than 262144 bytes of some link types
 * and changes them (USB, NFLOG): it is told other ones.
 */
static struct other other_open(const uint8_t *bytes, size_t n, const char *filter)
{
	struct other o = { .bytes = g_memdup2(bytes, n), .unit_ns = 1000 };
	char why[PCAP_ERRBUF_SIZE];
	struct bpf_program code;

	if (n >= HEADER) {
		set32(o.bytes + 16, 262144, is_swapped(bytes));
		set32(o.bytes + 20, DLT_EN10MB, is_swapped(bytes));
		if (bytes[1] == 0x3c || bytes[2] == 0x3c)
			o.unit_ns = 1;
	}
	o.stream = fmemopen(o.bytes, n ? n : 1, "r");
	if (!n)
		fgetc(o.stream);
	o.pcap =
		pcap_fopen_offline_with_tstamp_precision(o.stream, PCAP_TSTAMP_PRECISION_NANO, why);
	if (o.pcap && filter && CHECK(!pcap_compile(o.pcap, &code, filter, 1, 0))) {
		CHECK(!pcap_setfilter(o.pcap, &code));
		pcap_freecode(&code);
	}
	return o;
}

static void other_close(struct other *o)
{
	if (o->pcap)
		pcap_close(o->pcap); /* and the stream */
	else
		fclose(o->stream);
	g_free(o->bytes);
}

/* libpcap takes both words of a time for signed ones if the file is in this machine's byte order,
 * and for unsigned ones, which they are, if it is not. */
static uint64_t time_of(const struct other *o, const struct pcap_pkthdr *header)
{
	int64_t ns = header->ts.tv_usec;

	if (ns < 0)
		ns += INT64_C(0x100000000) * (int64_t)o->unit_ns;
	return (uint32_t)header->ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ns;
}

static bool same_packet(const struct capture_packet *pkt, const struct other *o,
			const struct pcap_pkthdr *header, const u_char *data)
{
	return CHECK_EQ(pkt->caplen, header->caplen) &&
	       CHECK_EQ(pkt->len, MAX(header->len, header->caplen)) &&
	       CHECK_EQ(pkt->time_ns, time_of(o, header)) &&
	       CHECK(!memcmp(pkt->data, data, pkt->caplen));
}

/* Both to their ends; how many packets there were. */
static unsigned int read_both(struct capture *cap, struct other *o)
{
	enum capture_result result;
	struct capture_packet pkt;
	struct pcap_pkthdr *header;
	const u_char *data;
	unsigned int n = 0;
	int answer;

	do {
		do {
			result = capture_next(cap, &pkt);
		} while (result == CAPTURE_FAULT && !capture_fault(cap)->fatal);
		answer = pcap_next_ex(o->pcap, &header, &data);
		if (!CHECK_EQ(result == CAPTURE_PACKET, answer == 1))
			return n;
	} while (answer == 1 && same_packet(&pkt, o, header, data) && ++n);
	CHECK_EQ(result == CAPTURE_END, answer == PCAP_ERROR_BREAK);
	CHECK_EQ(capture_next(cap, &pkt), CAPTURE_END);
	return n;
}

static unsigned int compare(struct capture *cap, const uint8_t *bytes, size_t n, const char *filter)
{
	struct other o = other_open(bytes, n, filter);
	unsigned int packets = 0;

	if (CHECK_EQ(!!cap, !!o.pcap) && cap) {
		CHECK(!filter || capture_filter(cap, filter, NULL));
		packets = read_both(cap, &o);
		CHECK(capture_frames(cap) >= packets);
	}
	capture_close(cap);
	other_close(&o);
	return packets;
}

static unsigned int compare_bytes(const uint8_t *bytes, size_t n, const char *filter)
{
	uint8_t *copy = g_memdup2(bytes, n);
	struct opened o = open_bytes(copy, n, NULL);
	unsigned int packets = compare(o.cap, bytes, n, filter);

	fclose(o.stream);
	g_free(copy);
	return packets;
}

/* Read from a stream, and from a file. */
static void compare_made(const struct made *m, const char *filter)
{
	char *path = g_build_filename(dir, "a.pcap", NULL);

	compare_bytes(m->bytes->data, made_len(m), filter);
	g_file_set_contents(path, (const char *)m->bytes->data, (gssize)made_len(m), NULL);
	compare(capture_open(path, NULL, NULL), m->bytes->data, made_len(m), filter);
	unlink(path);
	g_free(path);
}

/* Five packets, the third with more bytes captured than there were. */
static struct made make_pcap(uint32_t magic, uint32_t snaplen, bool big_endian)
{
	struct made m = made_new(big_endian);

	put_pcap_header(&m, magic, snaplen, 1);
	for (uint8_t i = 1; i <= 5; i++) {
		put_pcap_record(&m, i, i, FRAME_UDP, i == 3 ? 50 : FRAME_UDP + i);
		if (magic == 0xa1b2cd34)
			put(&m, 0, 8);
		put_udp(&m, i, i & 1 ? 4791 : 53);
	}
	return m;
}

static const uint32_t magics[] = { 0xa1b2c3d4, 0xa1b23c4d, 0xa1b2cd34 };

/* What filters leave; snap lengths, which say nothing. */
static void test_filters(void)
{
	static const char *const filters[] = { NULL, "udp port 4791", "tcp", "src host 10.0.0.3" };
	static const uint32_t snaplens[] = { 262144, 65535, 40, 0, 0x80000000 };

	for (size_t i = 0; i < G_N_ELEMENTS(filters) * G_N_ELEMENTS(snaplens); i++) {
		const char *filter = filters[i % G_N_ELEMENTS(filters)];
		uint32_t snaplen = snaplens[i / G_N_ELEMENTS(filters)];
		struct made m = make_pcap(magics[i % 3], snaplen, i & 1);

		check_case("filter %s, snap length %u", filter ? filter : "none", snaplen);
		compare_made(&m, filter);
		made_free(&m);
	}
}

/* Each magic in each byte order: cut anywhere, any byte of it set to anything, of any version. */
static void test_small(uint32_t magic, bool big_endian)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	struct made m = make_pcap(magic, 262144, big_endian);
	uint8_t *bytes = m.bytes->data;

	for (size_t n = 0; n <= made_len(&m); n++) {
		check_case("magic %08x %d, cut to %zu bytes", magic, big_endian, n);
		compare_bytes(bytes, n, NULL);
	}
	for (size_t i = 4; i < made_len(&m); i++) {
		uint8_t was = bytes[i];

		for (size_t v = 0; v < G_N_ELEMENTS(values); v++) {
			check_case("magic %08x %d, byte %zu set to %02x", magic, big_endian, i,
				   values[v]);
			bytes[i] = values[v];
			compare_bytes(bytes, made_len(&m), NULL);
		}
		bytes[i] = was;
	}
	for (unsigned int version = 0; version < 8 * 8; version++) {
		static const uint16_t majors[] = { 0, 1, 2, 3, 542, 543, 544, 0xffff };
		uint16_t major = majors[version / 8];

		check_case("magic %08x %d, version %u.%u", magic, big_endian, major, version % 8);
		put32_at(&m, 4,
			 big_endian ? (uint32_t)major << 16 | version % 8
				    : version % 8 << 16 | major);
		compare_bytes(bytes, made_len(&m), NULL);
	}
	made_free(&m);
}

/* Packets lie across the borders of buffers, and are as large as may be; the last is cut, then too
 * large. */
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
	compare_made(&m, NULL);
	g_byte_array_set_size(m.bytes, (guint)made_len(&m) - 100);
	compare_made(&m, NULL);
	g_byte_array_set_size(m.bytes, (guint)made_len(&m) - 90000 + 100 - 7);
	compare_made(&m, NULL);
	g_byte_array_set_size(m.bytes, (guint)made_len(&m) - 9);
	check_case("too large");
	put_pcap_record(&m, 0, 0, CAPTURE_CAPLEN_MAX + 1, CAPTURE_CAPLEN_MAX + 1);
	put_data(&m, 0, CAPTURE_CAPLEN_MAX + 1);
	compare_made(&m, NULL);
	made_free(&m);
}

/* The captures there are. */
static GPtrArray *paths;

static void find_captures(const char *path)
{
	GDir *d = g_dir_open(path, 0, NULL);
	const char *name;

	while (d && (name = g_dir_read_name(d))) {
		char *child = g_build_filename(path, name, NULL);

		if (g_str_has_suffix(name, ".pcap"))
			g_ptr_array_add(paths, g_strdup(child));
		else
			find_captures(child);
		g_free(child);
	}
	if (d)
		g_dir_close(d);
}

/* Whole, and cut at every CUT_STEP bytes. */
static void test_capture(const char *path)
{
	char *bytes;
	size_t n;

	check_case("%s", path);
	if (!CHECK(g_file_get_contents(path, &bytes, &n, NULL)))
		return;
	CHECK(compare(capture_open(path, NULL, NULL), (uint8_t *)bytes, n, NULL) || n == HEADER);
	for (size_t cut = CUT_STEP; cut < n; cut += CUT_STEP) {
		check_case("%s cut to %zu bytes", path, cut);
		compare_bytes((uint8_t *)bytes, cut, NULL);
	}
	g_free(bytes);
}

/* Some bytes changed, mostly near the start so that much of the file comes after them. */
static void test_mutant(unsigned int number)
{
	const char *path = paths->pdata[next_random() % paths->len];
	unsigned int changes = 1 + next_random() % 8;
	char *bytes;
	size_t n;

	check_case("mutant %u of %s", number, path);
	if (!CHECK(g_file_get_contents(path, &bytes, &n, NULL)))
		return;
	while (changes--) {
		size_t among = next_random() % 2 ? MIN(n, 200) : n;
		size_t at = next_random() % among;

		if (at >= sizeof(uint32_t)) /* libpcap knows more magics */
			bytes[at] = (char)next_random();
	}
	compare_bytes((uint8_t *)bytes, n, NULL);
	g_free(bytes);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int main(int argc, char **argv)
{
	if (!CHECK(argc == 2) || !CHECK(mkdtemp(dir)))
		return check_end();
	test_filters();
	for (unsigned int i = 0; i < 2 * G_N_ELEMENTS(magics); i++)
		test_small(magics[i / 2], i & 1);
	test_large();
	rmdir(dir);

	paths = g_ptr_array_new_with_free_func(g_free);
	find_captures("pcaps");
	check_case("captures of pcaps");
	CHECK(paths->len >= 50);
	find_captures(argv[1]);
	check_case("captures of %s", argv[1]);
	CHECK(paths->len >= 150);
	g_ptr_array_sort(paths, by_name);
	for (unsigned int i = 0; i < paths->len; i++)
		test_capture(paths->pdata[i]);
	for (unsigned int i = 0; i < MUTANTS && paths->len; i++)
		test_mutant(i);
	g_ptr_array_free(paths, TRUE);
	return check_end();
}
