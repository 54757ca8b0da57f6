/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fields as text and as JSON: the readers against the interpreter, numbers and
 * addresses against libc, meanings against literal tables, and no buffer size at
 * which a byte is written too far.
 */
#include <arpa/inet.h>
#include <stdlib.h>

#include "check.h"
#include "codecs.h"
#include "guard.h"
#include <ibwire/interp.h>
#include <ibwire/json.h>
#include <ibwire/print.h>

#define ROOM 8192

static char text[ROOM];

static uint64_t random64(void)
{
	static uint64_t state = 0x2545f4914f6cdd1du;

	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x9e3779b97f4a7c15u;
}

static void random_bytes(uint8_t *p, size_t n)
{
	while (n--)
		*p++ = (uint8_t)(random64() >> 56);
}

static const struct ibw_field *field_of(unsigned int layer, const char *name)
{
	const struct ibw_field *f;

	for (f = ibw_headers[layer].fields; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	fprintf(stderr, "no field %s\n", name);
	exit(1);
}

static const char *value_text(const struct ibw_field *f, const void *wire)
{
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	ibw_print_value(&o, f, wire);
	ibw_out_close(&o);
	return text;
}

static void numbers(void)
{
	char want[64];
	unsigned int i, digits;

	for (i = 0; i < 2000; i++) {
		uint64_t v = random64() >> (i % 64);
		struct ibw_out o = ibw_out_open(text, sizeof(text));

		digits = i % 17;
		ibw_out_dec(&o, v);
		ibw_out_char(&o, ' ');
		ibw_out_hex(&o, v, digits);
		ibw_out_close(&o);
		snprintf(want, sizeof(want), "%" PRIu64 " 0x%0*" PRIx64, v,
			 digits ? (int)digits : 1, v);
		CHECK_STR(text, want);
	}
}

static void addresses(void)
{
	char want[INET6_ADDRSTRLEN];
	uint8_t addr[16];
	unsigned int i, j;

	for (i = 0; i < 20000; i++) {
		struct ibw_out o = ibw_out_open(text, sizeof(text));
		uint64_t zero = random64();

		random_bytes(addr, sizeof(addr));
		for (j = 0; j < 16; j++) /* few groups differ from 0, ever fewer in high i */
			if (zero >> j % (i % 8 + 1) & 1 || i % 3 == 0)
				addr[j] = i % 3 == 0 && j >= 10 + i % 5 ? addr[j] : 0;
		if (i % 7 == 0)
			memset(addr, 0, 10), addr[10] = addr[11] = 0xff;
		ibw_out_ipv6(&o, addr);
		ibw_out_close(&o);
		CHECK_STR(text, inet_ntop(AF_INET6, addr, want, sizeof(want)));
		o = ibw_out_open(text, sizeof(text));
		ibw_out_ipv4(&o, ibw_get_be32(addr));
		ibw_out_close(&o);
		CHECK_STR(text, inet_ntop(AF_INET, addr, want, sizeof(want)));
	}
}

/* Each field of each header, read here and by the interpreter. */
static void getters(void)
{
	uint8_t wire[CODEC_ROOM];
	const struct ibw_header *h;
	const struct ibw_field *f;
	unsigned int round, i;
	const uint8_t *p;
	size_t n;

	for (h = ibw_headers; h < ibw_headers + IBW_LAYER_COUNT; h++)
		for (round = 0; round < 16; round++) {
			random_bytes(wire, h->bytes);
			for (f = h->fields; f->name; f++) {
				check_case("%s.%s", h->name, f->name);
				p = ibw_field_bytes(f, wire, &n);
				if (f->flags & IBW_FIELD_BYTES) {
					CHECK_EQ(n, ibw_interp_elements(f));
					for (i = 0; p && i < n; i++)
						CHECK_EQ(p[i], ibw_interp_get(wire, f, i));
				} else if (f->bits <= 64) {
					CHECK(p == NULL);
					for (i = 0; i < f->count; i++)
						CHECK_EQ(ibw_field_get(f, wire, i),
							 ibw_interp_get(wire, f, i));
				}
			}
		}
	check_case("%s", "");
}

/* IBTA vol 1, tables 45 (RNR timer) and 48 (credits), number by number. */
static void syndromes(void)
{
	static const unsigned int credits[31] = { 0,    1,    2,    3,     4,     6,     8,    12,
						  16,   24,   32,   48,    64,    96,    128,  192,
						  256,  384,  512,  768,   1024,  1536,  2048, 3072,
						  4096, 6144, 8192, 12288, 16384, 24576, 32768 };
	static const double rnr_ms[32] = { 655.36, 0.01,   0.02,   0.03,  0.04,  0.06,  0.08,
					   0.12,   0.16,   0.24,   0.32,  0.48,  0.64,  0.96,
					   1.28,   1.92,   2.56,   3.84,  5.12,  7.68,  10.24,
					   15.36,  20.48,  30.72,  40.96, 61.44, 81.92, 122.88,
					   163.84, 245.76, 327.68, 491.52 };
	const struct ibw_field *f = field_of(IBW_LAYER_aeth, "syndrome");
	uint8_t aeth[4] = { 0 };
	char want[64];
	unsigned int i;

	for (i = 0; i < 31; i++) {
		aeth[0] = (uint8_t)i;
		snprintf(want, sizeof(want), "0x%02x (ACK, credits %u)", i, credits[i]);
		CHECK_STR(value_text(f, aeth), want);
	}
	aeth[0] = 0x1f;
	CHECK_STR(value_text(f, aeth), "0x1f (ACK, no credit limit)");
	for (i = 0; i < 32; i++) {
		aeth[0] = (uint8_t)(0x20 | i);
		snprintf(want, sizeof(want), "0x%02x (RNR NAK, timer %.2f ms)", 0x20 | i,
			 rnr_ms[i]);
		CHECK_STR(value_text(f, aeth), want);
	}
	aeth[0] = 0x60;
	CHECK_STR(value_text(f, aeth), "0x60 (NAK PSN sequence error)");
	aeth[0] = 0x65; /* a NAK code nobody defined; a reserved type; bit 7 */
	CHECK_STR(value_text(f, aeth), "0x65 (reserved)");
	aeth[0] = 0x41;
	CHECK_STR(value_text(f, aeth), "0x41 (reserved)");
	aeth[0] = 0x80;
	CHECK_STR(value_text(f, aeth), "0x80 (reserved)");
}

static const char *kind_text(enum ibw_kind kind, unsigned int bits, uint8_t v)
{
	const struct ibw_field f = { .name = "x",
				     .bits = (uint16_t)bits,
				     .at = 8 - bits,
				     .count = 1,
				     .kind = (uint8_t)kind };

	return value_text(&f, &v);
}

static void meanings(void)
{
	static const uint8_t bth[12] = { 0x06, 0, 0x7f, 0xff, 0x04, 0, 1, 0x17, 0, 0, 0, 7 };
	static const uint8_t eth[14] = {
		0x52, 0x54, 0, 0, 7, 1, 0x52, 0x54, 0, 0, 7, 2, 0x89, 0x15
	};
	static const uint8_t feth[4] = { 0, 0, 0, 0x13 };
	static const uint8_t pfc[20] = { 1, 1, 0, 8, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

	CHECK_STR(value_text(field_of(IBW_LAYER_bth, "opcode"), bth), "0x06 (RC RDMA WRITE First)");
	CHECK_STR(value_text(field_of(IBW_LAYER_bth, "pkey"), bth), "0x7fff (limited member)");
	CHECK_STR(value_text(field_of(IBW_LAYER_bth, "dqpn"), bth), "0x000117");
	CHECK_STR(value_text(field_of(IBW_LAYER_bth, "psn"), bth), "0x000007");
	CHECK(ibw_field_shown(field_of(IBW_LAYER_bth, "rsvd34"), bth));
	CHECK(!ibw_field_shown(field_of(IBW_LAYER_bth, "rsvd65"), bth));
	CHECK(ibw_field_shown(field_of(IBW_LAYER_bth, "se"), bth));
	CHECK_STR(value_text(field_of(IBW_LAYER_eth, "src"), eth), "52:54:00:00:07:02");
	CHECK_STR(value_text(field_of(IBW_LAYER_eth, "type"), eth), "0x8915 (RoCE v1)");
	CHECK_STR(value_text(field_of(IBW_LAYER_feth, "sel"), feth), "1 (memory region)");
	CHECK_STR(value_text(field_of(IBW_LAYER_feth, "plt"), feth),
		  "0x3 (global visibility, persistence)");
	CHECK_STR(value_text(field_of(IBW_LAYER_pfc, "quanta"), pfc), "0, 0, 0, 65535, 0, 0, 0, 0");
	CHECK_STR(kind_text(IBW_KIND_MTU, 4, 5), "4096 B");
	CHECK_STR(kind_text(IBW_KIND_MTU, 4, 1), "256 B");
	CHECK_STR(kind_text(IBW_KIND_MTU, 4, 6), "code 6");
	CHECK_STR(kind_text(IBW_KIND_TIME_4096NS, 5, 0), "4.096 us * 2^0 = 4.10 us");
	CHECK_STR(kind_text(IBW_KIND_MTU, 4, 0), "code 0");
	CHECK_STR(kind_text(IBW_KIND_TIME_4096NS, 5, 18), "4.096 us * 2^18 = 1.07 s");
	CHECK_STR(kind_text(IBW_KIND_TIME_4096NS, 5, 14), "4.096 us * 2^14 = 67.11 ms");
	CHECK_STR(kind_text(IBW_KIND_TIME_4096NS, 5, 31), "4.096 us * 2^31 = 8796.09 s");
	CHECK_STR(kind_text(IBW_KIND_TIME_RNR, 5, 12), "12 (0.64 ms)");
}

static const char *json_of(const char *s, size_t n)
{
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	ibw_json_string(&o, s, n);
	ibw_out_close(&o);
	return text;
}

#define BAD "\xef\xbf\xbd"
#define JSON(s) json_of("" s, sizeof(s) - 1)

static void json(void)
{
	static const uint8_t reth[16] = { 0, 0, 0x7f, 0, 0, 0, 0x10, 0, 0, 0, 2, 1, 0, 0, 4, 0 };
	static const uint8_t bth[12] = { 0x64, 0, 0xff, 0xff, 0x04, 0, 0, 1, 0, 0, 0, 7 };
	static const uint8_t pfc[20] = { 1, 1, 0, 8, 0, 1 };
	struct ibw_out o;

	CHECK_STR(JSON("a\"b\\c/"), "\"a\\\"b\\\\c/\"");
	CHECK_STR(JSON("\t\n\r\x01\x1f\x7f"), "\"\\t\\n\\r\\u0001\\u001f\\u007f\"");
	/* What a terminal obeys or turns around, and its neighbours. */
	CHECK_STR(JSON("\xc2\x80\xc2\x9f\xc2\xa0"), "\"\\u0080\\u009f\xc2\xa0\"");
	CHECK_STR(JSON("\xd8\x9b\xd8\x9c\xd8\x9d"), "\"\xd8\x9b\\u061c\xd8\x9d\"");
	CHECK_STR(JSON("\xe2\x80\x8a\xe2\x80\x8b\xe2\x80\x8f\xe2\x80\x90"),
		  "\"\xe2\x80\x8a\\u200b\\u200f\xe2\x80\x90\"");
	CHECK_STR(JSON("\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xae\xe2\x80\xaf"),
		  "\"\xe2\x80\xa7\\u2028\\u202e\xe2\x80\xaf\"");
	CHECK_STR(JSON("\xe2\x81\x9f\xe2\x81\xa0\xe2\x81\xaf\xe2\x81\xb0"),
		  "\"\xe2\x81\x9f\\u2060\\u206f\xe2\x81\xb0\"");
	CHECK_STR(JSON("\xef\xbb\xbe\xef\xbb\xbf\xef\xbc\x80"),
		  "\"\xef\xbb\xbe\\ufeff\xef\xbc\x80\"");
	CHECK_STR(JSON("a\0b"), "\"a\\u0000b\"");
	CHECK_STR(JSON("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
		  "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
	/* The last of each length and next to what may not be: RFC 3629, 4 */
	CHECK_STR(JSON("\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80"),
		  "\"\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\"");
	CHECK_STR(JSON("\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"),
		  "\"\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"");
	CHECK_STR(JSON("\x80x\xff"), "\"" BAD "x" BAD "\"");
	CHECK_STR(JSON("\xc0\xaf"), "\"" BAD BAD "\"");                 /* overlong */
	CHECK_STR(JSON("\xe0\x9f\xbf"), "\"" BAD BAD BAD "\"");         /* overlong */
	CHECK_STR(JSON("\xed\xa0\x80"), "\"" BAD BAD BAD "\"");         /* surrogate */
	CHECK_STR(JSON("\xf0\x8f\xbf\xbf"), "\"" BAD BAD BAD BAD "\""); /* overlong */
	CHECK_STR(JSON("\xf4\x90\x80\x80"), "\"" BAD BAD BAD BAD "\""); /* above U+10FFFF */
	CHECK_STR(JSON("\xe2\x82"), "\"" BAD BAD "\"");                 /* ends too early */
	CHECK_STR(JSON("\xe2\x82z"), "\"" BAD BAD "z\"");

	o = ibw_out_open(text, sizeof(text));
	ibw_json_fields(&o, &ibw_headers[IBW_LAYER_reth], reth);
	ibw_out_close(&o);
	CHECK_STR(text, "{\"va\":\"0x00007f0000001000\",\"rkey\":513,\"dmalen\":1024}");
	o = ibw_out_open(text, sizeof(text));
	ibw_json_fields(&o, &ibw_headers[IBW_LAYER_bth], bth);
	ibw_out_close(&o);
	CHECK_STR(text,
		  "{\"opcode\":100,\"se\":0,\"migreq\":0,\"padcnt\":0,\"tver\":0,\"pkey\":65535,"
		  "\"fecn\":0,\"becn\":0,\"rsvd34\":4,\"dqpn\":1,\"ackreq\":0,\"psn\":7}");
	o = ibw_out_open(text, sizeof(text));
	ibw_json_fields(&o, &ibw_headers[IBW_LAYER_pfc], pfc);
	ibw_out_close(&o);
	CHECK_STR(text, "{\"opcode\":257,\"enable\":8,\"quanta\":[1,0,0,0,0,0,0,0]}");
}

/* All headers, in both forms, at every buffer size up to what they need. */
static void every_size(void)
{
	struct guard in = guard_open(CODEC_ROOM), out = guard_open(ROOM);
	const struct ibw_header *h;
	const struct ibw_field *f;
	uint8_t wire[CODEC_ROOM];
	const uint8_t *p;
	struct ibw_out o;
	size_t size;
	bool cut;
	char *buf;

	for (h = ibw_headers; h < ibw_headers + IBW_LAYER_COUNT; h++) {
		check_case("%s", h->name);
		random_bytes(wire, h->bytes);
		p = guard_tail(&in, wire, h->bytes);
		for (size = 1, cut = true; cut && size < ROOM; size += size / 16 + 1) {
			buf = (char *)guard_tail_room(&out, size);
			o = ibw_out_open(buf, size);
			ibw_json_fields(&o, h, p);
			ibw_out_close(&o);
			cut = o.cut;
			CHECK(strlen(buf) < size);
			CHECK(cut || buf[strlen(buf) - 1] == '}');
			o = ibw_out_open(buf, size);
			for (f = h->fields; f->name; f++)
				ibw_print_value(&o, f, p);
			cut |= o.cut;
		}
		CHECK(!cut);
	}
	check_case("%s", "");
	guard_close(&in);
	guard_close(&out);
}

/* What does not fit is left out, and said to be, whichever function it was given to. */
static void too_little_room(void)
{
	static const uint8_t bytes[3] = { 0xab, 0xcd, 0xef };
	char room[8];
	struct ibw_out none = ibw_out_open(room, 0);
	size_t size;

	memset(room, '~', sizeof(room));
	check_case("no room at all");
	ibw_out_str(&none, "");
	ibw_out_char(&none, 'a');
	ibw_out_str(&none, "abcdef");
	ibw_out_close(&none);
	CHECK(none.cut);
	CHECK_MEM(room, "~~~~~~~~", sizeof(room));
	for (size = 1; size <= sizeof(room); size++) {
		struct ibw_out o = ibw_out_open(room, size);

		check_case("\"abcdef\" in %zu bytes", size);
		ibw_out_str(&o, "abcdef");
		ibw_out_close(&o);
		CHECK_EQ(o.cut, size < 7);
		CHECK_EQ(strlen(room), size < 7 ? size - 1 : 6);
		CHECK(strncmp("abcdef", room, size - 1) == 0);
		o = ibw_out_open(room, size);
		ibw_out_bytes(&o, bytes, sizeof(bytes));
		ibw_out_close(&o);
		CHECK_EQ(o.cut, size < 7);
		CHECK(strncmp("abcdef", room, size - 1) == 0);
	}
	check_case("%s", "");
}

/* Only printable ASCII stands for itself, and a text may fill its field. */
static void odd_text(void)
{
	const struct ibw_field *f = ibw_headers[IBW_LAYER_node_desc].fields;
	uint8_t bytes[] = { 0x1f, ' ', '~', 0x7f, 0x80, '\\' }, desc[64];
	char want[80] = "\"";
	struct ibw_out o;

	check_case("escapes");
	o = ibw_out_open(text, sizeof(text));
	ibw_out_escaped(&o, bytes, sizeof(bytes));
	ibw_out_close(&o);
	CHECK_STR(text, "\\x1f ~\\x7f\\x80\\\\");
	check_case("a full field");
	memset(desc, 'x', sizeof(desc));
	memset(want + 1, 'x', sizeof(desc));
	want[65] = '"';
	o = ibw_out_open(text, sizeof(text));
	ibw_json_value(&o, f, desc);
	ibw_out_close(&o);
	CHECK_STR(text, want);
	check_case("%s", "");
}

int main(void)
{
	numbers();
	addresses();
	getters();
	syndromes();
	meanings();
	json();
	every_size();
	too_little_room();
	odd_text();
	return check_end();
}
