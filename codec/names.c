/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* names.c - the names of values, and of the opcodes. */
#include <ibwire/tables.h>
#include <ibwire/transport.h>

/* clang-format off */
#define IBW_VALUES(list) const struct ibw_name ibw_##list##_names[] = {
#define IBW_VALUE(list, name, value, text) { value, text },
#define IBW_VALUES_END(list) { 0, NULL } };
/* clang-format on */
#include <ibwire/list/values.def>
#undef IBW_VALUES
#undef IBW_VALUE
#undef IBW_VALUES_END

const struct ibw_name ibw_opcode_names[] = {
#define IBW_OPCODE(code, name, text, service, eths, position, role, payload) { code, text },
#include <ibwire/list/opcodes.def>
#undef IBW_OPCODE
	{ 0, NULL }
};

const char *ibw_name_of(const struct ibw_name *names, uint32_t value)
{
	if (!names)
		return NULL;
	for (; names->name; names++)
		if (names->value == value)
			return names->name;
	return NULL;
}
