/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* lookup.c - every row of the tables is found by its number and by its name, and nothing else is. */
#include "check.h"

#include <ibwire/mad_walk.h>
#include <ibwire/packet.h>
#include <ibwire/tables.h>

static void check_fields(const struct ibw_header *h)
{
	const struct ibw_field *f;
	unsigned int i = 0;

	for (f = h->fields; f->name; f++, i++) {
		CHECK(ibw_field_at(h, i) == f);
		CHECK(ibw_field_find(h, f->name) == f);
	}
	CHECK_EQ(i, h->n_fields);
	CHECK(!ibw_field_at(h, i));
	CHECK(!ibw_field_find(h, "no_such_field"));
	CHECK(!ibw_field_find(h, ""));
}

static void check_headers(void)
{
	unsigned int i = 0;

#define IBW_HEADER(name, title)                                                                    \
	check_case("%s", #name);                                                                   \
	CHECK_EQ(i, IBW_LAYER_##name);                                                             \
	i++;                                                                                       \
	CHECK(ibw_header_at(IBW_LAYER_##name) == &ibw_headers[IBW_LAYER_##name]);                  \
	CHECK(ibw_header_find(#name) == &ibw_headers[IBW_LAYER_##name]);                           \
	check_fields(ibw_header_at(IBW_LAYER_##name));
#include <ibwire/list/headers.def>
#undef IBW_HEADER
	CHECK(!ibw_header_at(i));
	CHECK(!ibw_header_at(UINT32_MAX));
	CHECK(!ibw_header_find("bt"));
	CHECK(!ibw_header_find("bthx"));
	CHECK(!ibw_header_find(""));
}

static void check_names(void)
{
	check_case("names");
#define IBW_VALUES(list) CHECK(ibw_names_find(#list) == ibw_##list##_names);
#define IBW_VALUE(list, name, value, text)
#define IBW_VALUES_END(list)
#include <ibwire/list/values.def>
#undef IBW_VALUES
#undef IBW_VALUE
#undef IBW_VALUES_END
	CHECK(ibw_names_find("opcode") == ibw_opcode_names);
	CHECK(ibw_names_find("mad_class") == ibw_mad_class_names);
	CHECK(!ibw_names_find("opcodes"));
}

static void check_rows(void)
{
	unsigned int i;

	check_case("opcodes");
	for (i = 0; i < 256; i++)
		CHECK(ibw_opcode_at((uint8_t)i) == &ibw_opcodes[i]);
	check_case("management");
	for (i = 0; i < ibw_mad_class_count; i++)
		CHECK(ibw_mad_class_at(i) == &ibw_mad_classes[i]);
	CHECK(!ibw_mad_class_at(i));
	for (i = 0; i < ibw_mad_attribute_count; i++)
		CHECK(ibw_mad_attr_at(i) == &ibw_mad_attributes[i]);
	CHECK(!ibw_mad_attr_at(i));
}

/* One table of texts: each by its number, none after the last. */
static void check_texts(const char *(*text)(unsigned int), const char *const *names, size_t n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		CHECK(text(i) == names[i]);
	CHECK(!text(i));
	CHECK(!text(UINT32_MAX));
}

int main(void)
{
	check_headers();
	check_names();
	check_rows();
	check_case("texts");
	check_texts(ibw_unseen_text, ibw_unseen_names, IBW_UNSEEN_COUNT);
	check_texts(ibw_proto_text, ibw_proto_names, IBW_PROTO_COUNT);
	check_texts(ibw_outcome_text, ibw_outcome_names, 4);
	check_texts(ibw_crc_status_text, ibw_crc_status_names, 4);
	return check_end();
}
