/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What fields are printed as, against the unit or the list of names others say they are in.
 *
 * tests/facts/units.csv says of a field: time (4.096 us * 2^n), mtu, rate, dec, hex, text, bytes, or a
 * list of values. The texts expected for it are worked out here, each from the meaning of the unit, and
 * compared with what is printed. A field that is printed in such a way has to have its row.
 */
#include "check.h"
#include "lines.h"
#include "value_lists.h"
#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>
#include <ibwire/print.h>

#include <ctype.h>
#include <stdlib.h>

#define FIELDS_MAX 200 /* of one header */

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

/* IB_PATH_RECORD_RATE of opensm; the link after each is one of several. */
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

/* The field when it begins with these characters and ends with zeros. */
static const char *printed_bytes(const char *begin)
{
	uint8_t wire[512] = { 0 }, *at = wire + field->at / 8;
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	for (; *begin; begin++)
		*at++ = (uint8_t)*begin;
	CHECK(ibw_field_shown(field, wire));
	ibw_print_value(&o, field, wire);
	ibw_out_close(&o);
	return text;
}

static void check_text(void)
{
	CHECK_STR(printed_bytes("Az 9"), "\"Az 9\"");
	CHECK_STR(printed_bytes(""), "\"\"");
}

/* Every byte, whatever it is. */
static void check_bytes(void)
{
	static char want[1025];
	unsigned int digits = field->bits / 4;

	memset(want, '0', digits);
	want[digits] = '\0';
	CHECK_STR(printed_bytes(""), want);
	memcpy(want, "417a2039", 8);
	CHECK_STR(printed_bytes("Az 9"), want);
}

static bool single_bit(uint32_t value)
{
	return value && !(value & (value - 1));
}

/* A width or speed is its name, or several; another value a number and its name. */
static void check_value_name(const struct ibw_name *name, bool link)
{
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
static void check_bits(const struct ibw_name *a, const struct ibw_name *b, bool link)
{
	const char *from;
	char want[256];

	snprintf(want, sizeof(want), link ? "%s|%s" : " (%s, %s)", a->name, b->name);
	printed(a->value | b->value);
	from = link ? text : strchr(text, ' ');
	if (CHECK(from != NULL))
		CHECK_STR(from, want);
}

/* The lists whose values are bits. */
static bool is_mask(const char *list)
{
	static const char *const masks[] = {
		"flush_plt",        "ioc_operations", "ipoib_hwaddr_flags", "join_state",
		"mlnx_speed",       "port_cap",       "port_cap2",          "port_counter",
		"port_counter_ext", "port_ext_cap",   "rmpp_flags",         "sdp_cap",
		"sdp_flag",         "srp_buf_fmt",    "trap144_change",     "trap144_local",
		"trap259_valid",
	};
	size_t i;

	for (i = 0; i < sizeof(masks) / sizeof(masks[0]); i++)
		if (strcmp(masks[i], list) == 0)
			return true;
	return false;
}

static void check_list(const struct list *list)
{
	bool link = strncmp(list->name, "link_width", 10) == 0 ||
		    strncmp(list->name, "link_speed", 10) == 0;
	bool mask = link || is_mask(list->name);
	const struct ibw_name *n, *before = NULL;

	for (n = list->names; n->name; n++) {
		if (!fits(n->value))
			continue;
		check_value_name(n, link);
		if (!mask || !single_bit(n->value))
			continue;
		if (before)
			check_bits(before, n, link);
		before = n;
		if (!link) /* with bits nobody named */
			CHECK(strstr(printed((1ull << field->bits) - 1), n->name));
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
	for (layer = 0; layer < IBW_LAYER_COUNT && strcmp(ibw_headers[layer].name, header) != 0;
	     layer++)
		;
	if (layer == IBW_LAYER_COUNT || ibw_headers[layer].n_fields > FIELDS_MAX) {
		line_wrong("no header of ours is called", header);
		return;
	}
	for (field = ibw_headers[layer].fields; field->name && strcmp(field->name, name) != 0;
	     field++)
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
	else if (strcmp(unit, "text") == 0)
		check_text();
	else if (strcmp(unit, "bytes") == 0)
		check_bytes();
	else {
		for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
			if (strcmp(lists[i].name, unit) == 0)
				break;
		if (i == sizeof(lists) / sizeof(lists[0])) {
			line_wrong("neither a unit nor a list:", unit);
			return;
		}
		check_list(&lists[i]);
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

/*
 * What the last words of a label, which tests/codec/labels.c holds against others, make a field: the same
 * thing is said in the same way wherever it is. The first that fits counts.
 */
static const struct {
	const char *ending;
	enum ibw_kind kind;
	unsigned int bits; /* 0: any */
} endings[] = {
	{ "P_Key or Q_Key", IBW_KIND_HEX, 0 },
	{ "P_Key", IBW_KIND_P_KEY, 0 },
	{ "Partition Key", IBW_KIND_P_KEY, 0 },
	{ "Q_Key", IBW_KIND_Q_KEY, 0 },
	{ "Queue Key", IBW_KIND_Q_KEY, 0 },
	{ "Remote Key", IBW_KIND_R_KEY, 0 },
	{ "M_Key", IBW_KIND_M_KEY, 0 },
	{ "B_Key", IBW_KIND_M_KEY, 0 },
	{ "CC_Key", IBW_KIND_M_KEY, 0 },
	{ "SM_Key", IBW_KIND_M_KEY, 0 },
	{ "VS_Key", IBW_KIND_M_KEY, 0 },
	{ "LID", IBW_KIND_LID, 0 },
	{ "LID 1", IBW_KIND_LID, 0 },
	{ "LID 2", IBW_KIND_LID, 0 },
	{ "LID Range Begin", IBW_KIND_LID, 0 },
	{ "LID Range End", IBW_KIND_LID, 0 },
	{ "Local Identifier", IBW_KIND_LID, 0 },
	{ "Multicast FDB Top", IBW_KIND_LID, 0 },
	{ "GID", IBW_KIND_GID, 0 },
	{ "GID 1", IBW_KIND_GID, 0 },
	{ "GID 2", IBW_KIND_GID, 0 },
	{ "GUID", IBW_KIND_GUID, 0 },
	{ "Chassis ID", IBW_KIND_GUID, 0 },
	{ "Node ID", IBW_KIND_GUID, 0 },
	{ "Entry Port ID", IBW_KIND_GUID, 0 },
	{ "Exit Port ID", IBW_KIND_GUID, 0 },
	{ "GID Prefix", IBW_KIND_PREFIX, 0 },
	{ "QPN", IBW_KIND_QPN, 0 },
	{ "QP", IBW_KIND_QPN, 0 },
	{ "QP 1", IBW_KIND_QPN, 0 },
	{ "QP 2", IBW_KIND_QPN, 0 },
	{ "QPN or EECN", IBW_KIND_QPN, 0 },
	{ "XRC Shared Receive Queue", IBW_KIND_QPN, 0 },
	{ "EECN", IBW_KIND_EECN, 0 },
	{ "End-to-End Context", IBW_KIND_EECN, 0 },
	{ "EE Context Number", IBW_KIND_EECN, 0 },
	{ "PSN", IBW_KIND_PSN, 0 },
	{ "Packet Sequence Number", IBW_KIND_PSN, 0 },
	{ "Message Sequence Number", IBW_KIND_MSN, 24 },
	{ "Virtual Address", IBW_KIND_VA, 0 },
	{ "Source Address", IBW_KIND_IPV4, 32 },
	{ "Destination Address", IBW_KIND_IPV4, 32 },
	{ "Protocol Address", IBW_KIND_IPV4, 32 },
	{ "Client Address", IBW_KIND_IPV4, 0 },
	{ "Your Address", IBW_KIND_IPV4, 0 },
	{ "Server Address", IBW_KIND_IPV4, 0 },
	{ "Relay Address", IBW_KIND_IPV4, 0 },
	{ "Source Address", IBW_KIND_IPV6, 128 },
	{ "Destination Address", IBW_KIND_IPV6, 128 },
	{ "Target Address", IBW_KIND_IPV6, 0 },
	{ "Hardware Address", IBW_KIND_MAC, 48 },
	{ "Source", IBW_KIND_MAC, 0 },
	{ "Destination", IBW_KIND_MAC, 0 },
	{ "Source Port", IBW_KIND_UDP_PORT, 0 },
	{ "Destination Port", IBW_KIND_UDP_PORT, 0 },
	{ "Local Port", IBW_KIND_UDP_PORT, 0 },
	{ "Port", IBW_KIND_DEC, 8 },
	{ "Port Number", IBW_KIND_DEC, 0 },
	{ "Service ID", IBW_KIND_SERVICE_ID, 64 },
	{ "Communication ID", IBW_KIND_HEX, 0 },
	{ "Type or Vendor ID", IBW_KIND_PRODUCER, 0 },
	{ "Number or Device ID", IBW_KIND_TRAP_NUM, 0 },
	{ "Vendor ID", IBW_KIND_HEX, 0 },
	{ "Device ID", IBW_KIND_HEX, 32 },
	{ "Device ID", IBW_KIND_HEX, 16 },
	{ "Request ID", IBW_KIND_HEX, 0 },
	{ "Flow Label", IBW_KIND_HEX, 0 },
	{ "Traffic Class", IBW_KIND_HEX, 0 },
	{ "Checksum", IBW_KIND_HEX, 0 },
	{ "STag", IBW_KIND_R_KEY, 0 },
	{ "RDMA Handle", IBW_KIND_R_KEY, 0 },
	{ "RDMA Offset", IBW_KIND_VA, 0 },
	{ "Steering Tag", IBW_KIND_R_KEY, 0 },
	{ "Tag", IBW_KIND_HEX, 0 },
	{ "Name", IBW_KIND_TEXT, 0 },
	{ "Description", IBW_KIND_TEXT, 0 },
	{ "SL", IBW_KIND_DEC, 0 },
	{ "Service Level", IBW_KIND_DEC, 0 },
	{ "Limit", IBW_KIND_DEC, 0 },
	{ "Length", IBW_KIND_DEC, 0 },
	{ "Count", IBW_KIND_DEC, 0 },
	{ "Counter", IBW_KIND_DEC, 0 },
	{ "Errors", IBW_KIND_DEC, 0 },
	{ "Discards", IBW_KIND_DEC, 0 },
	{ "Pkts", IBW_KIND_DEC, 0 },
	{ "Wait", IBW_KIND_DEC, 0 },
	{ "Depth", IBW_KIND_DEC, 0 },
	{ "Index", IBW_KIND_DEC, 0 },
	{ "Tagged Offset", IBW_KIND_VA, 0 },
	{ "Offset", IBW_KIND_DEC, 0 },
	{ "Block", IBW_KIND_DEC, 0 },
	{ "Period", IBW_KIND_DEC, 0 },
	{ "Stamp", IBW_KIND_DEC, 0 },
	{ "Threshold", IBW_KIND_DEC, 0 },
	{ "Violations", IBW_KIND_DEC, 0 },
	{ "Capacity", IBW_KIND_DEC, 0 },
	{ "Major Version", IBW_KIND_DEC, 0 },
	{ "Minor Version", IBW_KIND_DEC, 0 },
	{ "Class Version", IBW_KIND_DEC, 0 },
	{ "Base Version", IBW_KIND_DEC, 0 },
	{ "IP Version", IBW_KIND_DEC, 0 },
	{ "Port Select", IBW_KIND_DEC, 0 },
};

/* @label without what is in brackets ends with the words @ending. */
static bool ends_with(const char *label, const char *ending)
{
	size_t n = strcspn(label, "("), m = strlen(ending);

	while (n && label[n - 1] == ' ')
		n--;
	return n >= m && strncmp(label + n - m, ending, m) == 0 &&
	       (n == m || !isupper((unsigned char)label[n - m - 1]));
}

/* Kinds that are nothing but what a label says. */
static bool is_said(enum ibw_kind kind)
{
	switch (kind) {
	case IBW_KIND_LID:
	case IBW_KIND_GID:
	case IBW_KIND_GUID:
	case IBW_KIND_QPN:
	case IBW_KIND_EECN:
	case IBW_KIND_PSN:
	case IBW_KIND_P_KEY:
	case IBW_KIND_Q_KEY:
	case IBW_KIND_M_KEY:
	case IBW_KIND_R_KEY:
	case IBW_KIND_VA:
	case IBW_KIND_IPV4:
	case IBW_KIND_IPV6:
	case IBW_KIND_MAC:
		return true;
	default:
		return false;
	}
}

/* What a field is printed as in the other order of bytes. */
static enum ibw_kind big_endian(enum ibw_kind kind)
{
	switch (kind) {
	case IBW_KIND_LE:
		return IBW_KIND_DEC;
	case IBW_KIND_LE_HEX:
		return IBW_KIND_HEX;
	default:
		return kind;
	}
}

static void check_kind(void)
{
	size_t i;

	CHECK_EQ(field->kind == IBW_KIND_FLAG, field->bits == 1 && !field->names);
	for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (field->bits != 1 && ends_with(field->label, endings[i].ending) &&
		    (!endings[i].bits || endings[i].bits == field->bits)) {
			CHECK_EQ(big_endian((enum ibw_kind)field->kind), endings[i].kind);
			return;
		}
	CHECK(!is_said((enum ibw_kind)field->kind));
}

int main(void)
{
	unsigned int layer, i;

	each_line("tests/facts/units.csv", check_row);
	for (layer = 0; layer < IBW_LAYER_COUNT; layer++)
		for (i = 0; i < ibw_headers[layer].n_fields && i < FIELDS_MAX; i++) {
			field = &ibw_headers[layer].fields[i];
			check_case("%s.%s has a row in units.csv", ibw_headers[layer].name,
				   field->name);
			CHECK(has_row[layer][i] || !needs_row(field));
			check_case("%s.%s is \"%s\", so its kind", ibw_headers[layer].name,
				   field->name, field->label ? field->label : "");
			if (!(field->flags & IBW_FIELD_RSVD))
				check_kind();
		}
	return check_end();
}
