/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* pcap-lint's capture input: files compressed with gzip, zstd and lz4. */
#define ZLIB_CONST
#include <stdlib.h>

#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include "capture_make.h"

/* Each appends one member or frame, with a checksum of the content. */
static void gzip(GByteArray *to, const uint8_t *p, size_t n)
{
	uint8_t *out;
	z_stream z = { 0 };

	CHECK(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	out = g_malloc(deflateBound(&z, n) + 32);
	z.next_in = p;
	z.avail_in = (uInt)n;
	z.next_out = out;
	z.avail_out = (uInt)deflateBound(&z, n) + 32;
	CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
	g_byte_array_append(to, out, (unsigned int)z.total_out);
	deflateEnd(&z);
	g_free(out);
}

static void zstd(GByteArray *to, const uint8_t *p, size_t n)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();
	uint8_t *out = g_malloc(ZSTD_compressBound(n));
	size_t len;

	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1); /* as the command does */
	len = ZSTD_compress2(z, out, ZSTD_compressBound(n), p, n);
	CHECK(!ZSTD_isError(len));
	g_byte_array_append(to, out, (unsigned int)len);
	ZSTD_freeCCtx(z);
	g_free(out);
}

static void lz4(GByteArray *to, const uint8_t *p, size_t n)
{
	LZ4F_preferences_t prefs = { 0 };
	uint8_t *out;
	size_t len;

	prefs.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
	out = g_malloc(LZ4F_compressFrameBound(n, &prefs));
	len = LZ4F_compressFrame(out, LZ4F_compressFrameBound(n, &prefs), p, n, &prefs);
	CHECK(!LZ4F_isError(len));
	g_byte_array_append(to, out, (unsigned int)len);
	g_free(out);
}

static const struct {
	const char *name;
	void (*compress)(GByteArray *to, const uint8_t *p, size_t n);
} formats[] = {
	{ "gzip", gzip },
	{ "zstd", zstd },
	{ "lz4", lz4 },
};

/* @n packets of 100 and some bytes, as pcap or pcapng */
static struct made make(bool ng, unsigned int n)
{
	struct made m = made_new(false);

	if (ng) {
		put_section(&m);
		put_interface(&m, 1, 0);
	} else {
		put_pcap_header(&m, 0xa1b2c3d4, 65535, 1);
	}
	for (unsigned int i = 1; i <= n; i++) {
		uint32_t len = 100 + i % 50;

		if (ng) {
			put_packet(&m, i, 0, i, len);
			continue;
		}
		put_pcap_record(&m, i, 0, len, len);
		put_data(&m, i, len);
	}
	return m;
}

/* How many of make()'s packets come, each of them right, before what ends them. */
static unsigned int count_packets(struct capture *cap, enum capture_result *end)
{
	struct capture_packet pkt;
	unsigned int n = 0;
	bool right = true;

	while ((*end = capture_next(cap, &pkt)) == CAPTURE_PACKET) {
		n++;
		right &= pkt.frame == n && pkt.caplen == 100 + n % 50 && is_packet(&pkt, n);
	}
	CHECK(right);
	return n;
}

/* Larger than every buffer; in one frame, and in many. */
static void test_whole(void)
{
	for (int ng = 0; ng < 2; ng++) {
		struct made m = make(ng, 12000);

		for (size_t f = 0; f < G_N_ELEMENTS(formats); f++) {
			for (size_t piece = made_len(&m); piece > 100; piece /= 99) {
				GByteArray *packed = g_byte_array_new();
				enum capture_result end;
				struct opened o;

				check_case("%s, pcap%s, pieces of %zu", formats[f].name,
					   ng ? "ng" : "", piece);
				for (size_t at = 0; at < made_len(&m); at += piece)
					formats[f].compress(packed, m.bytes->data + at,
							    MIN(piece, made_len(&m) - at));
				o = open_bytes(packed->data, packed->len, NULL);
				if (CHECK(o.cap)) {
					CHECK_STR(capture_compression(o.cap), formats[f].name);
					CHECK_EQ(capture_format(o.cap),
						 ng ? CAPTURE_FORMAT_PCAPNG : CAPTURE_FORMAT_PCAP);
					CHECK_EQ(count_packets(o.cap, &end), 12000);
					CHECK_EQ(end, CAPTURE_END);
					CHECK_EQ(capture_position(o.cap), packed->len);
				}
				close_made(&o);
				g_byte_array_free(packed, TRUE);
			}
		}
		made_free(&m);
	}
}

/* Cut anywhere, a compressed file says so, however much was got out of it. */
static void test_cut(void)
{
	for (int ng = 0; ng < 2; ng++) {
		struct made m = make(ng, 9);

		for (size_t f = 0; f < G_N_ELEMENTS(formats); f++) {
			GByteArray *packed = g_byte_array_new();
			unsigned int most = 0, packets;

			formats[f].compress(packed, m.bytes->data, 300);
			CHECK(packed->len > 30);
			for (size_t cut = 1; cut < packed->len; cut++) {
				GError *err = NULL;
				struct opened o = open_bytes(packed->data, cut, &err);
				enum capture_result end;

				check_case("%s, pcap%s, %zu of %u", formats[f].name, ng ? "ng" : "",
					   cut, packed->len);
				if (!o.cap) {
					CHECK(err && strstr(err->message, "made: "));
					if (cut >= 4)
						CHECK(strstr(err->message, "data is cut"));
					g_clear_error(&err);
				} else {
					packets = count_packets(o.cap, &end);
					most = MAX(most, packets);
					CHECK_EQ(end, CAPTURE_FAULT);
					CHECK_EQ(capture_fault(o.cap)->kind,
						 CAPTURE_FAULT_TRUNCATED);
					CHECK(capture_fault(o.cap)->fatal);
					CHECK(strstr(capture_fault(o.cap)->text, formats[f].name));
					CHECK(strstr(capture_fault(o.cap)->text, "cut"));
					CHECK_EQ(count_packets(o.cap, &end), 0);
					CHECK_EQ(end, CAPTURE_END);
				}
				close_made(&o);
			}
			/* the gzip trailer is the last to come: all packets are out by then */
			if (f == 0)
				CHECK_EQ(most, ng ? 1 : 2);
			g_byte_array_free(packed, TRUE);
		}
		made_free(&m);
	}
}

/* The compressed data is whole, what is in it is not. */
static void test_cut_inside(void)
{
	struct made m = make(false, 2);

	for (size_t f = 0; f < G_N_ELEMENTS(formats); f++) {
		GByteArray *packed = g_byte_array_new();
		struct capture_packet pkt;
		struct opened o;

		check_case("%s", formats[f].name);
		formats[f].compress(packed, m.bytes->data, 24 + 16 + 101 + 16 + 50);
		o = open_bytes(packed->data, packed->len, NULL);
		if (CHECK(o.cap)) {
			NEXT_PACKET(o.cap, &pkt, 1, 1, 101);
			NEXT_FAULT(o.cap, &pkt, CAPTURE_FAULT_TRUNCATED, true, 2, 24 + 117,
				   16 + 102, 66);
			NEXT_END(o.cap, &pkt);
		}
		close_made(&o);
		g_byte_array_free(packed, TRUE);
	}
	made_free(&m);
}

/* Damage is found in the block it is in; the packets before that are out. */
static void test_damage(void)
{
	struct made m = make(true, 5000);

	for (size_t f = 0; f < G_N_ELEMENTS(formats); f++) {
		GByteArray *packed = g_byte_array_new();
		unsigned int tried = 0, at_open = 0, later = 0;

		formats[f].compress(packed, m.bytes->data, made_len(&m));
		for (unsigned int i = 0; i < packed->len; i += packed->len / 199) {
			uint64_t faults = 0, packets;
			GError *err = NULL;
			struct opened o;

			check_case("%s, byte %u of %u", formats[f].name, i, packed->len);
			packed->data[i] ^= 0x55;
			o = open_bytes(packed->data, packed->len, &err);
			tried++;
			if (o.cap) {
				packets = read_anything(o.cap, &faults);
				later += faults && packets &&
					 capture_fault(o.cap)->kind == CAPTURE_FAULT_COMPRESSION;
				/* all have checksums of the content; in headers, not every byte
				 * matters */
				if (i >= 16)
					CHECK(faults);
			} else {
				at_open += strstr(err->message, "is damaged") != NULL;
				g_error_free(err);
			}
			close_made(&o);
			packed->data[i] ^= 0x55;
		}
		check_case("%s, %u damaged, %u found at once, %u later", formats[f].name, tried,
			   at_open, later);
		CHECK(later > tried / 4);
		g_byte_array_free(packed, TRUE);
	}
	made_free(&m);
}

/* What may be around the frames, and what may not. */
static void test_around(void)
{
	static const uint8_t skippable[] = { 0x5e, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3 };
	static const uint8_t zeros[700] = { 0 };
	struct made m = make(false, 9);
	enum capture_result end;

	for (size_t f = 0; f < G_N_ELEMENTS(formats); f++) {
		GByteArray *packed = g_byte_array_new();
		struct opened o;

		check_case("%s, something in between", formats[f].name);
		if (f == 1) /* as pzstd writes it */
			g_byte_array_append(packed, skippable, sizeof(skippable));
		formats[f].compress(packed, m.bytes->data, 77);
		if (f > 0)
			g_byte_array_append(packed, skippable, sizeof(skippable));
		else
			g_byte_array_append(packed, zeros, sizeof(zeros));
		formats[f].compress(packed, m.bytes->data + 77, made_len(&m) - 77);
		if (f > 0)
			g_byte_array_append(packed, skippable, sizeof(skippable));
		else
			g_byte_array_append(packed, zeros, sizeof(zeros));
		o = open_bytes(packed->data, packed->len, NULL);
		if (CHECK(o.cap)) {
			CHECK_EQ(count_packets(o.cap, &end), 9);
			CHECK_EQ(end, CAPTURE_END);
		}
		close_made(&o);

		check_case("%s, rubbish after", formats[f].name);
		g_byte_array_append(packed, (const uint8_t *)"rubbish", 7);
		o = open_bytes(packed->data, packed->len, NULL);
		if (CHECK(o.cap)) {
			CHECK_EQ(count_packets(o.cap, &end), 9);
			CHECK_EQ(end, CAPTURE_FAULT);
			CHECK_EQ(capture_fault(o.cap)->kind, CAPTURE_FAULT_COMPRESSION);
			CHECK(strstr(capture_fault(o.cap)->text, formats[f].name));
		}
		close_made(&o);
		g_byte_array_free(packed, TRUE);
	}
	made_free(&m);
}

int main(void)
{
	test_whole();
	test_cut();
	test_cut_inside();
	test_damage();
	test_around();
	return check_end();
}
