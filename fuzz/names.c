/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * names.c - every header by its tables: what a name finds is what has it, what is set is what is read, and text of any
 * value fits its size and is JSON where it says so.
 *
 * Input: as pick.h has it.
 */
#include <string.h>

#include <ibwire/crc.h>
#include <ibwire/ibwire.h>
#include <ibwire/interp.h>
#include <ibwire/json.h>
#include <ibwire/mad_walk.h>
#include <ibwire/print.h>

#include "tests/lib/codecs.h"
#include "fuzz.h"
#include "json_syntax.h"
#include "pick.h"

static char text[65536];

static struct ibw_out open_text(void)
{
	return ibw_out_open(text, sizeof(text));
}

/* Its length: all of it is there. */
static size_t close_text(struct ibw_out *out)
{
	ibw_out_close(out);
	FUZZ_CHECK(!out->cut);
	return strlen(text);
}

/* With less room, the value's text is cut, and said to be. */
static void check_room(const struct ibw_field *f, const uint8_t *wire, size_t room)
{
	static char part[256];
	struct ibw_out out = ibw_out_open(part, room);
	const size_t n = strlen(text);

	FUZZ_CHECK(room && room <= sizeof(part));
	ibw_print_value(&out, f, wire);
	ibw_out_close(&out);
	FUZZ_CHECK(out.cut == (n > room - 1));
	FUZZ_CHECK(strncmp(part, text, strlen(part)) == 0);
}

static void check_value(const struct ibw_field *f, const uint8_t *wire, size_t room)
{
	struct ibw_out out = open_text();
	size_t n;

	ibw_print_value(&out, f, wire);
	close_text(&out);
	check_room(f, wire, room);
	out = open_text();
	ibw_json_value(&out, f, wire);
	close_text(&out);
	if (ibw_field_bytes(f, wire, &n))
		FUZZ_CHECK(n == (size_t)f->bits * f->count / 8);
}

/* Each element, set to what it is, and to the other bits of it. */
static void check_elements(const struct ibw_header *h, const struct ibw_field *f,
			   const uint8_t *wire)
{
	static uint8_t value[CODEC_ROOM], copy[CODEC_ROOM];
	const unsigned int width = ibw_interp_width(f);
	const uint64_t mask = width < 64 ? (1ull << width) - 1 : UINT64_MAX;
	unsigned int i;
	uint64_t v;

	for (i = 0; i < ibw_interp_elements(f); i++) {
		memcpy(copy, wire, h->bytes);
		v = ibw_interp_get(wire, f, i);
		FUZZ_CHECK(v <= mask);
		ibw_interp_set(copy, f, i, v);
		FUZZ_CHECK(!memcmp(copy, wire, h->bytes));
		ibw_interp_set(copy, f, i, ~v & mask);
		FUZZ_CHECK(ibw_interp_get(copy, f, i) == (~v & mask));
		ibw_interp_set(copy, f, i, v);
		FUZZ_CHECK(!memcmp(copy, wire, h->bytes));
		if (f->flags & IBW_FIELD_RSVD)
			continue;
		ibw_interp_unpack(h, value, wire);
		FUZZ_CHECK(ibw_interp_value(value, f, i) == v);
		ibw_interp_set_value(value, f, i, ~v & mask);
		ibw_interp_pack(h, copy, value);
		FUZZ_CHECK(ibw_interp_get(copy, f, i) == (~v & mask));
	}
}

static void check_field(const struct ibw_header *h, const struct ibw_field *f, const uint8_t *wire,
			size_t room)
{
	struct ibw_out out = open_text();
	const char *meaning = ibw_field_meaning(h, f);

	FUZZ_CHECK(!meaning || *meaning);
	if (!(f->flags & IBW_FIELD_RSVD))
		FUZZ_CHECK(ibw_field_find(h, f->name) == f);
	if (ibw_field_shown(f, wire))
		check_value(f, wire, room);
	if (f->bits <= 64)
		check_elements(h, f, wire);
	ibw_print_picture(&out, h, "\t", f->at, f->bits);
	close_text(&out);
}

static void check_header(const struct ibw_header *h, const uint8_t *wire, size_t size)
{
	struct ibw_out out = open_text();
	unsigned int i;

	FUZZ_CHECK(ibw_header_at((unsigned int)(h - ibw_headers)) == h);
	FUZZ_CHECK(!ibw_field_at(h, h->n_fields));
	ibw_json_fields(&out, h, wire);
	close_text(&out);
	for (i = 0; i < h->n_fields; i++)
		check_field(h, ibw_field_at(h, i), wire, 1 + size % 256);
	out = open_text();
	ibw_print_picture(&out, h, "", 0, 0);
	close_text(&out);
}

/* The bytes as text, and as numbers of what tables have. */
static void check_tables(const uint8_t *data, size_t size)
{
	static const char *const lists[] = { "opcode", "mad_class", "mtu", "no such list", "" };
	struct ibw_out out = open_text();
	const struct ibw_mad_attr_row *attr;
	const struct ibw_mad_class_row *row;
	struct ibw_sa_component component;
	const struct ibw_name *names;
	unsigned int i;

	ibw_out_char(&out, '{');
	ibw_json_string(&out, "data", 4);
	ibw_out_char(&out, ':');
	ibw_json_string(&out, (const char *)data, size < 4096 ? size : 4096);
	ibw_out_char(&out, '}');
	FUZZ_CHECK(json_is_object(text, close_text(&out)));
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		names = ibw_names_find(lists[i]);
		if (names)
			ibw_name_of(names, size ? data[0] : 0);
	}
	for (i = 0; i < 16; i++) {
		ibw_unseen_text(i);
		ibw_proto_text(i);
		ibw_outcome_text(i);
		ibw_crc_status_text(i);
	}
	for (i = 0; (row = ibw_mad_class_at(i)); i++)
		FUZZ_CHECK(ibw_mad_class_of(row->first) && ibw_mad_class_of(row->last));
	for (i = 0; (attr = ibw_mad_attr_at(i)); i++) {
		ibw_mad_method_legal(attr, size & 1, size ? data[0] : 0);
		ibw_sa_table_of(attr, (uint32_t)(size % 300), (uint32_t)size);
		FUZZ_CHECK(!ibw_sa_components(attr) || ibw_sa_component_at(attr, 0, &component) ||
			   ibw_sa_components(attr) > 0);
	}
	if (size)
		FUZZ_CHECK(ibw_opcode_at(data[0]) == &ibw_opcodes[data[0]]);
}

/* In whatever pieces, and by whichever code, a CRC is the same. */
static void check_crcs(const uint8_t *data, size_t size)
{
	const size_t half = size / 3;
	uint32_t crc = ibw_crc32(0, data, size);

	FUZZ_CHECK(ibw_crc32(ibw_crc32(0, data, half), data + half, size - half) == crc);
	FUZZ_CHECK(ibw_crc32_slice16(0, data, size) == crc);
	FUZZ_CHECK(ibw_crc32c(ibw_crc32c(0, data, half), data + half, size - half) ==
		   ibw_crc32c(0, data, size));
	FUZZ_CHECK(ibw_crc16(ibw_crc16(0, data, half), data + half, size - half) ==
		   ibw_crc16(0, data, size));
	ibw_vcrc(data, size);
	ibw_eth_fcs(data, size);
	ibw_crc32_back(crc, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ibw_header *h = pick_header(&data, &size);

	check_crcs(data, size);
	check_tables(data, size);
	if (h && size >= h->bytes)
		check_header(h, data, size);
	return 0;
}
