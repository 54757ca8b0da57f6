/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every row of tests/facts/iwarp_*.csv. A field: its bits set to ones alone are what it reads, and what it writes are its
 * bits, by the table; codec/facts.c has that of the inline code. What has no place of its own (the ULPDU, the pad, the CRC, what
 * a Terminate quotes) is looked for in an FPDU or a frame. An opcode and each line of Terminate: their names, printed, and what is
 * said of them. A constant: a name of a list has its number (codec/words.c), another one is worked out of the schema.
 */
#include "check.h"
#include "lines.h"

#include <ibwire/build_fpdu.h>
#include <ibwire/crc.h>
#include <ibwire/interp.h>
#include <ibwire/tables.h>

#include <stdlib.h>

#define COLUMNS 9

static unsigned int n_fields, n_opcodes, n_terminates, n_constants;

/* The columns of a line, "|" between them; how many there are. */
static unsigned int columns_of(char *line, char *column[COLUMNS])
{
	unsigned int n = 0;

	for (column[n++] = line; (line = strchr(line, '|')) != NULL && n < COLUMNS;) {
		*line++ = '\0';
		column[n++] = line;
	}
	return n;
}

/* Where structures of theirs are headers of ours, and which bit of theirs is the first of ours. */
static const struct {
	const char *theirs;
	uint32_t from;
	const char *ours;
} structures[] = {
	{ "mpa_req", 0, "mpa_start" },
	{ "mpa_fpdu", 0, "mpa" },
	{ "rdmap", 16, "rdmap_invalidate" },
	{ "rdmap", 8, "rdmap" },
	{ "rdmap_terminate", 32, "rdmap_terminated" },
};

/* The header that bit @at of a structure is of; *@at is then the bit of that. */
static const struct ibw_header *header_of(const char *structure, uint32_t *at)
{
	size_t i;

	for (i = 0; i < sizeof(structures) / sizeof(structures[0]); i++)
		if (strcmp(structures[i].theirs, structure) == 0 && *at >= structures[i].from) {
			*at -= structures[i].from;
			return ibw_header_find(structures[i].ours);
		}
	return ibw_header_find(structure);
}

/* The field of ours at these bits; NULL: there is none of this width. */
static const struct ibw_field *field_at(const struct ibw_header *h, uint32_t at, uint32_t bits)
{
	const struct ibw_field *f;

	for (f = h->fields; f->name; f++)
		if (f->at == at && f->bits == bits)
			return f;
	return NULL;
}

/* With the bits of a field set and no other, nothing but the field is not 0; without them, nothing but it is 0. */
static void check_bits(const struct ibw_header *h, const struct ibw_field *f, uint8_t around)
{
	uint8_t wire[64], row[64];
	uint32_t bit;

	memset(wire, around, sizeof(wire));
	for (bit = f->at; bit < f->at + f->bits; bit++)
		wire[bit / 8] = (uint8_t)(wire[bit / 8] ^ 0x80 >> bit % 8);
	memset(row, 0, sizeof(row));
	for (const struct ibw_field *g = h->fields; g->name; g++) {
		bool ones = (g == f) != (around != 0);
		uint64_t all = g->bits >= 64 ? UINT64_MAX : ((uint64_t)1 << g->bits) - 1;

		if (g->flags & IBW_FIELD_BYTES) {
			memset(row, ones ? 0xff : 0, g->bits / 8);
			CHECK_MEM(wire + g->at / 8, row, g->bits / 8);
		} else {
			CHECK_EQ(ibw_interp_get(wire, g, 0), ones ? all : 0);
		}
	}
}

/* An FPDU that has what no header has: a Send of 5 bytes at stream byte 508, so with a marker inside. */
static size_t made_fpdu(uint8_t *p, size_t room)
{
	static const uint8_t payload[5] = { 1, 2, 3, 4, 5 };
	struct ibw_piece piece = { payload, sizeof(payload) };
	struct ibw_fpdu_build b = { .position = 508, .mulpdu = 1000, .markers = true, .crc = true };

	b.segment.opcode = IBW_RDMAP_SEND;
	b.segment.last = true;
	b.segment.msn = 1;
	b.segment.bytes = sizeof(payload);
	return ibw_build_fpdu(p, room, &b, &piece, 1, ibw_crc32c_step);
}

static void check_in_fpdu(const char *field)
{
	uint8_t p[64] = { 0 }, room[64] = { 0 };
	struct ibw_fpdu f;
	size_t n = made_fpdu(p, sizeof(p));

	CHECK_EQ(n, 2u + 18 + 5 + 3 + 4 + 4);
	if (!CHECK_EQ(ibw_fpdu_view(&f, p, n, 508), IBW_FPDU_OK))
		return;
	if (strcmp(field, "ulpdu") == 0) {
		CHECK_EQ(f.ulpdu_length, 23u);
		CHECK(ibw_fpdu_bytes(&f, 0, 23, room) == room);
		CHECK_MEM(room + 18, "\1\2\3\4\5", 5);
	} else if (strcmp(field, "pad") == 0) {
		CHECK_EQ(f.pad, 3u);
		CHECK_MEM(p + 29, "\0\0\0", 3);
	} else if (CHECK_STR(field, "crc")) {
		CHECK_EQ(ibw_crc32c(0, p, n - 4), ibw_get_le32(p + n - 4));
	}
}

static void check_in_frame(void)
{
	struct ibw_mpa_start_build b = { .rev = 1, .private_bytes = 3 };
	struct ibw_mpa_frame frame;
	uint8_t p[32];
	size_t n = ibw_build_mpa_start(p, sizeof(p), &b, "abc");

	CHECK_EQ(n, 23u);
	if (!CHECK_EQ(ibw_mpa_frame_view(&frame, p, n), IBW_FPDU_OK))
		return;
	CHECK_EQ(frame.private_bytes, 3u);
	CHECK_MEM(frame.private_data, "abc", 3);
}

/* M, D and R: 4, 2, 18 and 28 bytes; of a tagged segment 14. */
static void check_in_terminate(void)
{
	uint8_t p[52] = { 0x01, 0x02, 0xe0, 0x00, 0x00, 0x2e };
	struct ibw_terminate t;

	CHECK(ibw_terminate_view(&t, p, sizeof(p)));
	CHECK(!t.cut && !t.swapped && t.ddp == p + 6);
	CHECK((const uint8_t *)t.read_req == p + 24);
	CHECK(ibw_terminate_view(&t, p, sizeof(p) - 1));
	CHECK(t.cut && t.ddp == p + 6 && !t.read_req);
	p[2] = 0xc0;
	p[6] = 0x80;
	CHECK(ibw_terminate_view(&t, p, 20));
	CHECK(!t.cut && t.ddp == p + 6 && !t.read_req);
}

static void check_field(char *line)
{
	char *column[COLUMNS];
	const struct ibw_header *h;
	const struct ibw_field *f;
	uint32_t at, bits;

	if (!CHECK(columns_of(line, column) == 7))
		return;
	check_case("%s.%s", column[0], column[1]);
	n_fields++;
	bits = (uint32_t)strtoul(column[3], NULL, 10);
	if (strcmp(column[0], "mpa_fpdu") == 0 && strcmp(column[1], "ulpdu_length") != 0) {
		check_in_fpdu(column[1]);
		return;
	}
	if (!bits) {
		if (strcmp(column[1], "private_data") == 0)
			check_in_frame();
		else if (CHECK_STR(column[0], "rdmap_terminate"))
			check_in_terminate();
		return;
	}
	at = (uint32_t)strtoul(column[2], NULL, 10);
	h = header_of(column[0], &at);
	f = h ? field_at(h, at, bits) : NULL;
	if (!CHECK(f != NULL))
		return;
	CHECK_EQ((f->flags & IBW_FIELD_RSVD) != 0, strcmp(column[1], "reserved") == 0);
	check_bits(h, f, 0);
	check_bits(h, f, 0xff);
}

static void check_opcode(char *line)
{
	char *column[COLUMNS], *end;
	uint32_t flags, header;
	unsigned long opcode;

	if (!CHECK(columns_of(line, column) == 8))
		return;
	check_case("opcode %s", column[0]);
	n_opcodes++;
	opcode = strtoul(column[0], &end, 10);
	if (strcmp(column[1], "reserved") == 0) { /* 12..15 */
		for (; opcode < 16; opcode++) {
			CHECK_EQ(ibw_rdmap_flags((uint8_t)opcode), 0u);
			CHECK(!ibw_name_of(ibw_rdmap_opcode_names, (uint32_t)opcode));
		}
		return;
	}
	flags = ibw_rdmap_flags((uint8_t)opcode);
	header = ibw_rdmap_header_bytes((uint8_t)opcode);
	CHECK_STR(ibw_name_of(ibw_rdmap_opcode_names, (uint32_t)opcode), column[1]);
	CHECK(flags & IBW_RDMAP_KNOWN);
	CHECK_EQ((flags & IBW_RDMAP_TAGGED) != 0, strcmp(column[2], "yes") == 0);
	if (strcmp(column[3], "-") != 0)
		CHECK_EQ(ibw_rdmap_qn((uint8_t)opcode), strtoul(column[3], NULL, 10));
	CHECK_EQ((flags & IBW_RDMAP_INVALIDATES) != 0, strcmp(column[4], "yes") == 0);
	CHECK_EQ((flags & IBW_RDMAP_SOLICITED) != 0, strstr(column[1], "Solicited") != NULL);
	CHECK_EQ((flags & IBW_RDMAP_DATA) != 0, strcmp(column[5], "data") == 0);
	CHECK_EQ(header, strcmp(column[5], "data") == 0 ? 0 : strtoul(column[5], NULL, 10));
	printf("%lu %s\n", opcode, column[1]);
}

/* siw's order of the bits says the same, where there is something to quote. */
static void check_swapped(uint8_t layer, uint8_t etype, uint8_t code)
{
	uint8_t rfc[52] = { (uint8_t)(layer << 4 | etype), code, 0xc0 };
	uint8_t siw[52] = { (uint8_t)(etype << 4 | layer), code, 0x03 };
	struct ibw_terminate a, b;

	CHECK(ibw_terminate_view(&a, rfc, sizeof(rfc)) && ibw_terminate_view(&b, siw, sizeof(siw)));
	CHECK(!a.swapped && b.swapped);
	CHECK_EQ(a.layer, layer);
	CHECK_EQ(a.etype, etype);
	CHECK_EQ(a.code, code);
	CHECK(b.layer == layer && b.etype == etype && b.code == code);
	CHECK(b.terminated && b.ddp == siw + 6 && !b.read_req);
}

static void check_terminate(char *line)
{
	struct ibw_terminate_words text;
	unsigned int code, last;
	char *column[COLUMNS];
	uint8_t layer, etype;

	if (!CHECK(columns_of(line, column) == 9))
		return;
	n_terminates++;
	layer = (uint8_t)strtoul(column[0], NULL, 10);
	etype = (uint8_t)strtoul(column[1], NULL, 10);
	code = (unsigned int)strtoul(column[2], NULL, 10);
	last = strcmp(column[2], "ALL") == 0 ? 255 : code;
	check_case("Terminate %s %s %s", column[0], column[1], column[2]);
	do {
		ibw_terminate_text(&text, layer, etype, (uint8_t)code);
		CHECK_STR(text.layer, column[3]);
		CHECK_STR(text.etype, column[4]);
		CHECK_STR(text.code, column[5]);
		check_swapped(layer, etype, (uint8_t)code);
	} while (code++ < last);
	printf("%s: %s: %s\n", text.layer, text.etype, text.code);
}

/* What is no line of iwarp_terminate.csv has no name. */
static void check_nameless(void)
{
	static const uint8_t without[][3] = { { 3, 0, 0 }, { 0, 3, 0 }, { 0, 1, 5 }, { 0, 2, 4 },
					      { 0, 1, 8 }, { 1, 0, 1 }, { 1, 1, 5 }, { 1, 2, 0 },
					      { 1, 2, 7 }, { 1, 4, 0 }, { 2, 0, 0 }, { 2, 0, 8 },
					      { 2, 1, 1 }, { 15, 0, 0 } };
	struct ibw_terminate_words text;
	size_t i;

	for (i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		check_case("no Terminate %u %u %u", without[i][0], without[i][1], without[i][2]);
		ibw_terminate_text(&text, without[i][0], without[i][1], without[i][2]);
		CHECK(!text.code);
	}
}

/* The bits of a field in the word of @word bits that it is in. */
#define BITS_IN(hdr, field, word)                                                                  \
	(((UINT64_C(1) << (ibw_##hdr##_##field##_END_ - ibw_##hdr##_##field##_AT + 1)) - 1)        \
	 << ((word)-1 - ibw_##hdr##_##field##_END_ % (word)))
/* The same of reserved bits. */
#define RSVD_IN(hdr, at, word)                                                                     \
	(((UINT64_C(1) << (ibw_##hdr##_rsvd##at##_END_ - (at) + 1)) - 1)                           \
	 << ((word)-1 - ibw_##hdr##_rsvd##at##_END_ % (word)))

static const struct {
	const char *name;
	uint64_t value;
} constants[] = {
	{ "RDMAP_VERSION", 1 },
	{ "DDP_VERSION", 1 },
	{ "MPA_REVISION_1", 1 },
	{ "MPA_REVISION_2", 2 },
	{ "MPA_MAX_PRIVDATA", 256 }, /* what siw takes; on the wire it is IETF_MAX_PRIV_DATA_LEN */
	{ "MPA_IRD_ORD_MASK", BITS_IN(mpa_enhanced, ird, 16) },
	{ "MPA_RR_FLAG_MARKERS", BITS_IN(mpa_start, m, 16) },
	{ "MPA_RR_FLAG_CRC", BITS_IN(mpa_start, c, 16) },
	{ "MPA_RR_FLAG_REJECT", BITS_IN(mpa_start, r, 16) },
	{ "MPA_RR_FLAG_ENHANCED", BITS_IN(mpa_start, s, 16) },
	{ "MPA_RR_FLAG_GSO_EXP", RSVD_IN(mpa_start, 132, 16) & 0x800 }, /* an experiment of siw */
	{ "MPA_RR_MASK_REVISION", BITS_IN(mpa_start, rev, 16) },
	{ "MPA_V2_PEER_TO_PEER", BITS_IN(mpa_enhanced, a, 16) },
	{ "MPA_V2_ZERO_LENGTH_RTR", BITS_IN(mpa_enhanced, b, 16) },
	{ "MPA_V2_RDMA_WRITE_RTR", BITS_IN(mpa_enhanced, c, 16) },
	{ "MPA_V2_RDMA_READ_RTR", BITS_IN(mpa_enhanced, d, 16) },
	{ "MPA_V2_RDMA_NO_RTR", 0 },
	{ "MPA_V2_MASK_IRD_ORD", BITS_IN(mpa_enhanced, ord, 16) },
	{ "MPA_HDR_SIZE", ibw_mpa_BYTES },
	{ "MPA_CRC_SIZE", IBW_MPA_CRC_BYTES },
	{ "DDP_FLAG_TAGGED", BITS_IN(ddp_tagged, t, 16) },
	{ "DDP_FLAG_LAST", BITS_IN(ddp_untagged, l, 16) },
	{ "DDP_MASK_RESERVED", RSVD_IN(ddp_tagged, 2, 16) },
	{ "DDP_MASK_VERSION", BITS_IN(ddp_tagged, dv, 16) },
	{ "RDMAP_MASK_VERSION", BITS_IN(rdmap, rv, 8) },
	{ "RDMAP_MASK_RESERVED", RSVD_IN(rdmap, 2, 8) },
	{ "RDMAP_MASK_OPCODE", BITS_IN(rdmap, opcode, 8) },
	{ "TERM_MASK_LAYER", BITS_IN(rdmap_terminate, layer, 32) },
	{ "TERM_MASK_ETYPE", BITS_IN(rdmap_terminate, etype, 32) },
	{ "TERM_MASK_ECODE", BITS_IN(rdmap_terminate, code, 32) },
	{ "TERM_FLAG_M", BITS_IN(rdmap_terminate, m, 32) },
	{ "TERM_FLAG_D", BITS_IN(rdmap_terminate, d, 32) },
	{ "TERM_FLAG_R", BITS_IN(rdmap_terminate, r, 32) },
	{ "TERM_MASK_RESVD", RSVD_IN(rdmap_terminate, 19, 32) },
	{ "DDP_ECODE_CATASTROPHIC", 0 },
	{ "RDMAP_UNTAGGED_QN_COUNT", IBW_DDP_QN_TERMINATE + 1 }, /* without RFC 7306 */
	{ "RDMAP_NOT_SUPPORTED", IBW_RDMAP_TERMINATE + 1 },      /* likewise */
	{ "DDP_LEN_FLAG", BITS_IN(rdmap_terminate, m, 8) },
	{ "DDP_HDR_FLAG", BITS_IN(rdmap_terminate, d, 8) },
	{ "DDP_CATASTROPHIC_LOCAL", 0 },
	{ "IETF_MPA_KEY_SIZE", IBW_MPA_KEY_BYTES },
	{ "IETF_MPA_VER", 1 },
	{ "IETF_MAX_PRIV_DATA_LEN", IBW_MPA_PRIVATE_MAX },
	{ "IETF_MPA_FRAME_SIZE", ibw_mpa_start_BYTES },
	{ "IETF_RTR_MSG_SIZE", ibw_mpa_enhanced_BYTES },
	{ "IETF_MPA_V2_FLAG", BITS_IN(mpa_start, s, 8) },
	{ "IETF_PEER_TO_PEER", BITS_IN(mpa_enhanced, a, 16) },
	{ "IETF_FLPDU_ZERO_LEN", BITS_IN(mpa_enhanced, b, 16) },
	{ "IETF_RDMA0_WRITE", BITS_IN(mpa_enhanced, c, 16) },
	{ "IETF_RDMA0_READ", BITS_IN(mpa_enhanced, d, 16) },
	{ "IETF_NO_IRD_ORD", BITS_IN(mpa_enhanced, ird, 16) },
	{ "IETF_MPA_FLAGS_REJECT", BITS_IN(mpa_start, r, 8) },
	{ "IETF_MPA_FLAGS_CRC", BITS_IN(mpa_start, c, 8) },
	{ "IETF_MPA_FLAGS_MARKERS", BITS_IN(mpa_start, m, 8) },
	{ "IETF_MPA_V1", 1 },
	{ "IETF_MPA_V2", 2 },
	{ "MPA_KEY_REQUEST", 0 }, /* an index */
	{ "MPA_KEY_REPLY", 1 },
	{ "Immediate Data with SE", IBW_RDMAP_IMMEDIATE_SE },
};

static const char *wanted_word;
static unsigned long wanted_number;
static bool is_word;

/* A row of words/iwarp.csv: source, list, number, name. */
static void look_at_word(char *line)
{
	char number[16], name[100];

	if (sscanf(line, "%*[^,],%*[^,],%15[^,],%99[^,],", number, name) == 2)
		is_word |=
			strcmp(name, wanted_word) == 0 && strtoul(number, NULL, 0) == wanted_number;
}

/* A name as words/iwarp.csv has it, which has no commas in it. */
static void without_commas(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (*text != ',')
			*to++ = *text;
	*to = '\0';
}

static void check_constant(char *line)
{
	char *column[COLUMNS], copy[LINE_ROOM];
	unsigned long value;
	size_t i;

	if (!CHECK(columns_of(line, column) == 5))
		return;
	n_constants++;
	value = strtoul(column[3], NULL, 10);
	for (i = 0; i < sizeof(constants) / sizeof(constants[0]); i++)
		if (strcmp(constants[i].name, column[2]) == 0) {
			check_case("%s", column[2]);
			CHECK_EQ(constants[i].value, value);
			return;
		}
	snprintf(copy, sizeof(copy), "%s", column[2]);
	without_commas(copy);
	wanted_word = copy;
	wanted_number = value;
	is_word = false;
	each_line("tests/facts/words/iwarp.csv", look_at_word);
	check_case("%s is neither in words nor known here", copy);
	CHECK(is_word);
}

int main(void)
{
	each_line("tests/facts/iwarp_fields.csv", check_field);
	each_line("tests/facts/iwarp_opcodes.csv", check_opcode);
	each_line("tests/facts/iwarp_terminate.csv", check_terminate);
	check_nameless();
	each_line("tests/facts/iwarp_const.csv", check_constant);
	check_case("%s", "");
	CHECK_EQ(n_fields, 67u);
	CHECK_EQ(n_opcodes, 13u);
	CHECK_EQ(n_terminates, 34u);
	CHECK_EQ(n_constants, 201u);
	printf("%u fields, %u opcodes, %u lines of Terminate, %u constants\n", n_fields, n_opcodes,
	       n_terminates, n_constants);
	return check_end();
}
