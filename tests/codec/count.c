/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * count.c - how much the schema describes: structures, fields, names of values. Where
 * README.md says "over N fields of over M structures", there are, by a tenth at the most.
 */
#include "check.h"
#include "words.h"

#include <ibwire/mad_walk.h>
#include <ibwire/tables.h>

/* Not inlined: clang would count each table while it compiles, for 40 seconds. */
__attribute__((noinline)) static unsigned int names_of(const struct ibw_name *names)
{
	unsigned int n = 0;

	while (names[n].name)
		n++;
	return n;
}

static unsigned int value_names(void)
{
	unsigned int n = names_of(ibw_opcode_names) + ibw_mad_class_count + ibw_mad_attribute_count;

#define IBW_VALUES(list) n += names_of(ibw_##list##_names);
#define IBW_VALUE(list, name, value, text)
#define IBW_VALUES_END(list)
#include <ibwire/list/values.def>
#undef IBW_VALUES
#undef IBW_VALUE
#undef IBW_VALUES_END
	return n;
}

/* Round numbers, so that a header more is no change of README.md. */
static void check_over(unsigned long said, unsigned int there)
{
	CHECK(there > said);
	CHECK(there <= said + said / 10);
}

static void check_readme(unsigned int fields)
{
	unsigned long n, structures;
	FILE *in = CHECK_OPEN("README.md");
	unsigned int lines = 0;
	char line[512];
	const char *at;

	if (!in)
		return;
	while (fgets(line, sizeof(line), in)) {
		at = line + strcspn(line, "0123456789");
		if (!number_take(&at, &n) || !text_take(&at, " fields of over ") ||
		    !number_take(&at, &structures) || !text_take(&at, " structures"))
			continue;
		check_over(n, fields);
		check_over(structures, IBW_LAYER_COUNT);
		lines++;
	}
	CHECK_EQ(lines, 1u);
	fclose(in);
}

int main(void)
{
	unsigned int fields = 0, reserved = 0, values = value_names();
	const struct ibw_header *h;
	const struct ibw_field *f;

	for (h = ibw_headers; h < ibw_headers + IBW_LAYER_COUNT; h++)
		for (f = h->fields; f->name; f++)
			*(f->flags & IBW_FIELD_RSVD ? &reserved : &fields) += 1;
	printf("%u fields of %u structures, %u reserved runs of bits, %u names of values\n", fields,
	       (unsigned int)IBW_LAYER_COUNT, reserved, values);
	CHECK(fields > 531); /* what Wireshark's dissector has */
	CHECK(values > 0);
	check_readme(fields);
	return check_end();
}
