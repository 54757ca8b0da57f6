/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kheader_values.c - the enums of the values that fields can have. */
#include <stdio.h>
#include <string.h>

#include "kheader.h"

/* The constants of all lists, those of a list one after the other. */
static const struct constant {
	const struct ibw_name *names; /* what fields have that take these values */
	const char *list, *name, *value;
} constants[] = {
#define IBW_OPCODE(code, name, text, service, eths, position, role, payload)                       \
	{ ibw_opcode_names, "opcode", "OP_" #name, #code },
#include <ibwire/list/opcodes.def>
#undef IBW_OPCODE
#define IBW_MAD_CLASS(first, last, name, text, version, layer1, layer2, off, len, attrs)           \
	{ ibw_mad_class_names, "mad_class", "CLASS_" #name, #first },                              \
		{ ibw_mad_class_names, "mad_class", "CLASS_" #name "_LAST", #last },
#include <ibwire/list/mad_classes.def>
#undef IBW_MAD_CLASS
#define IBW_VALUES(list)
#define IBW_VALUE(list, name, value, text) { ibw_##list##_names, #list, #name, #value },
#define IBW_VALUES_END(list)
#include <ibwire/list/values.def>
#undef IBW_VALUES
#undef IBW_VALUE
#undef IBW_VALUES_END
};

#define N_CONSTANTS (sizeof(constants) / sizeof(constants[0]))

static bool is_used(const struct ibw_name *names, const bool layers[IBW_LAYER_COUNT])
{
	const struct ibw_field *f;
	unsigned int layer;

	for (layer = 0; layer < IBW_LAYER_COUNT; layer++) {
		if (!layers[layer])
			continue;
		for (f = ibw_headers[layer].fields; f->name; f++)
			if (f->names == names)
				return true;
	}
	return false;
}

/* Two printed files may have it: whoever includes both has it once. */
static void print_enum(const struct constant *c, size_t n)
{
	char list[64];

	kh_upper(list, sizeof(list), c->list);
	printf("\n#ifndef %sENUM_%s\n#define %sENUM_%s\n", kh_upper_prefix, list, kh_upper_prefix,
	       list);
	printf("enum %s%s {\n", kh_prefix, c->list);
	for (; n; n--, c++)
		printf("\t%s%s = %s,\n", kh_upper_prefix, c->name, c->value);
	printf("};\n#endif\n");
}

void kh_values(const bool layers[IBW_LAYER_COUNT], bool all)
{
	size_t i, n;

	for (i = 0; i < N_CONSTANTS; i += n) {
		for (n = 1; i + n < N_CONSTANTS && constants[i + n].names == constants[i].names;
		     n++)
			;
		if (all || is_used(constants[i].names, layers))
			print_enum(&constants[i], n);
	}
}
