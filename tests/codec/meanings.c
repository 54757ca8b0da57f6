/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * meanings.c - every field has a meaning, which says more than its label, but for the few that no source at hand explains; none
 * has that of another header's field by the same place, and reserved bits have none.
 */
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/print.h>

#include "check.h"

#define LINE_MOST 120

static unsigned int n_texts;

/* What no source at hand explains: of DC, what precedes the key. */
static const struct {
	enum ibw_layer layer;
	const char *field;
} unknown[] = {
	{ IBW_LAYER_dcceth, "word0" },
};

static bool is_unknown(unsigned int layer, const char *field)
{
	unsigned int i;

	for (i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		if (unknown[i].layer == layer && strcmp(unknown[i].field, field) == 0)
			return true;
	return false;
}

/* Reserved bits have no meaning, though some have a name. */
static bool is_reserved(const struct ibw_field *f)
{
	return f->flags & IBW_FIELD_RSVD || strncmp(f->name, "rsvd", 4) == 0 ||
	       strcmp(f->label, "Reserved") == 0;
}

static unsigned int rows_of(const char *hdr, const char *field)
{
	static const struct {
		const char *hdr, *field;
	} rows[] = {
#define IBW_MEANING(hdr, field, text) { #hdr, #field },
#include <ibwire/list/meanings.def>
#undef IBW_MEANING
	};
	unsigned int i, n = 0;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		n += strcmp(rows[i].hdr, hdr) == 0 && strcmp(rows[i].field, field) == 0;
	return n;
}

static void check_field(const struct ibw_header *h, unsigned int layer, const struct ibw_field *f)
{
	const char *text = ibw_field_meaning(h, f);

	check_case("%s.%s", h->name, f->name);
	CHECK_EQ(rows_of(h->name, f->name), text != NULL);
	CHECK_EQ(!text, is_unknown(layer, f->name) || is_reserved(f));
	if (!text)
		return;
	CHECK(!is_reserved(f));
	CHECK(strlen(text) <= LINE_MOST);
	CHECK(strncmp(text, f->label, strlen(f->label)) != 0);
	CHECK(text[strlen(text) - 1] != '.');
	n_texts++;
}

int main(void)
{
	const struct ibw_field *f;
	unsigned int i;

	for (i = 0; i < IBW_LAYER_COUNT; i++)
		for (f = ibw_headers[i].fields; f->name; f++)
			check_field(&ibw_headers[i], i, f);
	check_case("all");
	CHECK(n_texts >= 1000);
	printf("%u meanings\n", n_texts);
	return check_end();
}
