/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What fields are printed as, against the unit or the list of names others say they are in.
 *
 * tests/facts/units.csv says of a field: time (4.096 us * 2^n), mtu, rate, dec, hex, or a list of
 * values. The texts expected for it are worked out here, each from the meaning of the unit, and
 * compared with what is printed. A field that is printed in such a way has to have its row.
 */
#include "check.h"
#include "lines.h"
#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>
#include <ibwire/print.h>

#include <ctype.h>
#include <stdlib.h>

#define FIELDS_MAX 200 /* of one header */

static const struct list {
	const char *name;
	const struct ibw_name *names;
} lists[] = {
#define IBW_VALUES(list) { #list, ibw_##list##_names },
#define IBW_VALUE(list, name, value, text)
#define IBW_VALUES_END(list)
#include <ibwire/list/values.def>
#undef IBW_VALUES
#undef IBW_VALUE
#undef IBW_VALUES_END
};

static bool has_row[IBW_LAYER_COUNT][FIELDS_MAX];
static const struct ibw_field *field;
static char text[4096];

/* What the field is printed as when it, or its first element, is @value. */
static const char *printed(uint64_t value)
{
	uint8_t wire[512] = { 0 };
	struct ibw_out o = ibw_out_open(text, sizeof(text));
	uint32_t bit;

	for (bit = 0; bit < field->bits && bit < 64; bit++)
		if (value >> bit & 1) {
			uint32_t at = field->at + field->bits - 1 - bit;

			wire[at / 8] = (uint8_t)(wire[at / 8] | 0x80 >> at % 8);
		}
	ibw_print_element(&o, field, wire, 0);
	ibw_out_close(&o);
	return text;
}

static bool fits(uint64_t value)
{
	return field->bits >= 64 || value >> field->bits == 0;
}

static void check_times(void)
{
	static const unsigned int codes[] = { 0, 7, 8, 14, 18, 19, 31 };
	char want[80];
	size_t i;

	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		double us = 4.096 * (double)(1ull << codes[i]);

		if (!fits(codes[i]))
			continue;
		snprintf(want, sizeof(want), "4.096 us * 2^%u = %.2f %s", codes[i],
			 us < 1e3   ? us
			 : us < 1e6 ? us / 1e3
				    : us / 1e6,
			 us < 1e3   ? "us"
			 : us < 1e6 ? "ms"
				    : "s");
		CHECK_STR(printed(codes[i]), want);
	}
}

/* enum ib_mtu of Linux, IB_MTU_LEN of opensm, mad_dump_mtu() of libibmad */
static void check_mtus(void)
{
	CHECK_STR(printed(1), "256 B");
	CHECK_STR(printed(2), "512 B");
	CHECK_STR(printed(3), "1024 B");
	CHECK_STR(printed(4), "2048 B");
	CHECK_STR(printed(5), "4096 B");
}

/* IB_PATH_RECORD_RATE of opensm; the link behind each is one of several. */
static void check_rates(void)
{
	static const struct {
		unsigned int code;
		const char *begin;
	} rates[] = { { 2, "2.5 Gb/s (" },
		      { 3, "10 Gb/s (" },
		      { 5, "5 Gb/s (" },
		      { 16, "100 Gb/s (" },
		      { 22, "600 Gb/s (" } };
	char begin[32];
	size_t i;

	for (i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		snprintf(begin, sizeof(begin), "%.*s", (int)strlen(rates[i].begin),
			 printed(rates[i].code));
		CHECK_STR(begin, rates[i].begin);
	}
}

static void check_decimal(void)
{
	uint64_t value = field->bits > 32 ? 0xfedcba98u : (1ull << field->bits) - 1;
	char want[32], begin[32];

	snprintf(want, sizeof(want), "%" PRIu64, value);
	snprintf(begin, sizeof(begin), "%.*s", (int)strlen(want), printed(value));
	CHECK_STR(begin, want);
	CHECK(!isalnum((unsigned char)text[strlen(want)]));
}

static void check_hexadecimal(void)
{
	uint64_t value = field->bits >= 64 ? UINT64_MAX - 1 : (1ull << field->bits) - 1;
	char want[32], begin[32];

	snprintf(want, sizeof(want), "0x%" PRIx64, value);
	snprintf(begin, sizeof(begin), "%.*s", (int)strlen(want), printed(value));
	CHECK_STR(begin, want);
}

static bool single_bit(uint32_t value)
{
	return value && !(value & (value - 1));
}

/* A width or speed is its name, or several; another value a number and its name. */
static void check_value_name(const struct ibw_name *name)
{
	bool link = field->kind == IBW_KIND_WIDTH || field->kind == IBW_KIND_SPEED;
	char want[128], *bracket;

	if (link) {
		CHECK_STR(printed(name->value), name->name);
		return;
	}
	snprintf(want, sizeof(want), " (%s)", name->name);
	bracket = strchr(printed(name->value), ' ');
	if (CHECK(bracket != NULL))
		CHECK_STR(bracket, want);
	CHECK_EQ(strtoul(text, NULL, 0), name->value);
}

/* Two bits of a mask: both names, and nothing more. */
static void check_bits(const struct ibw_name *a, const struct ibw_name *b)
{
	bool link = field->kind == IBW_KIND_WIDTH || field->kind == IBW_KIND_SPEED;
	const char *from;
	char want[256];

	snprintf(want, sizeof(want), link ? "%s|%s" : " (%s, %s)", a->name, b->name);
	printed(a->value | b->value);
	from = link ? text : strchr(text, ' ');
	if (CHECK(from != NULL))
		CHECK_STR(from, want);
}

static void check_list(const struct ibw_name *names)
{
	const struct ibw_name *n, *before = NULL;
	bool mask = field->kind == IBW_KIND_MASK || field->kind == IBW_KIND_WIDTH ||
		    field->kind == IBW_KIND_SPEED;

	for (n = names; n->name; n++) {
		if (!fits(n->value))
			continue;
		check_value_name(n);
		if (!mask || !single_bit(n->value))
			continue;
		if (before)
			check_bits(before, n);
		before = n;
	}
}

/* source,header,field,unit or list of names,where */
static void check_row(char *line)
{
	char source[32], header[32], name[64], unit[32], where[120];
	uint16_t layer;
	size_t i;

	if (sscanf(line, "%31[^,],%31[^,],%63[^,],%31[^,],%119[^,]", source, header, name, unit,
		   where) != 5) {
		line_wrong("not a row:", line);
		return;
	}
	for (layer = 0; layer < IBW_LAYER_COUNT && strcmp(ibw_headers[layer].name, header); layer++)
		;
	if (layer == IBW_LAYER_COUNT || ibw_headers[layer].n_fields > FIELDS_MAX) {
		line_wrong("no header of ours is called", header);
		return;
	}
	for (field = ibw_headers[layer].fields; field->name && strcmp(field->name, name); field++)
		;
	if (!field->name) {
		line_wrong("no field of ours is called", name);
		return;
	}
	check_case("%s.%s is %s: %s (%s)", header, name, unit, source, where);
	if (strcmp(unit, "time") == 0)
		check_times();
	else if (strcmp(unit, "mtu") == 0)
		check_mtus();
	else if (strcmp(unit, "rate") == 0)
		check_rates();
	else if (strcmp(unit, "dec") == 0)
		check_decimal();
	else if (strcmp(unit, "hex") == 0)
		check_hexadecimal();
	else {
		for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
			if (strcmp(lists[i].name, unit) == 0)
				break;
		if (i == sizeof(lists) / sizeof(lists[0])) {
			line_wrong("neither a unit nor a list:", unit);
			return;
		}
		check_list(lists[i].names);
	}
	if (strcmp(unit, "dec") != 0 && strcmp(unit, "hex") != 0)
		has_row[layer][field - ibw_headers[layer].fields] = true;
}

/* The names of these two are made of tables that have tests of their own. */
static bool needs_row(const struct ibw_field *f)
{
	switch ((enum ibw_kind)f->kind) {
	case IBW_KIND_TIME_4096NS:
	case IBW_KIND_MTU:
	case IBW_KIND_RATE:
	case IBW_KIND_WIDTH:
	case IBW_KIND_SPEED:
	case IBW_KIND_MASK:
	case IBW_KIND_ENUM:
	case IBW_KIND_ENUM_DEC:
		return f->names != ibw_opcode_names && f->names != ibw_mad_class_names &&
		       !(f->kind == IBW_KIND_MASK && !f->names);
	default:
		return false;
	}
}

int main(void)
{
	uint16_t layer;
	unsigned int i;

	each_line("tests/facts/units.csv", check_row);
	for (layer = 0; layer < IBW_LAYER_COUNT; layer++)
		for (i = 0; i < ibw_headers[layer].n_fields && i < FIELDS_MAX; i++) {
			field = &ibw_headers[layer].fields[i];
			check_case("%s.%s has a row in units.csv", ibw_headers[layer].name,
				   field->name);
			CHECK(has_row[layer][i] || !needs_row(field));
		}
	return check_end();
}
