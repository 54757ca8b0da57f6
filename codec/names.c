/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* names.c - the names of values, and of the opcodes. */
#include <ibwire/packet.h>
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

/* From the first opcode of RD on. */
static const char *const dc_texts[] = {
#define IBW_DC_OPCODE(code, text) [code - IBW_SERVICE_RD] = text,
#include <ibwire/list/opcodes_dc.def>
#undef IBW_DC_OPCODE
};

const char *ibw_packet_opcode_text(const struct ibw_packet *pkt)
{
	if (!(pkt->flags & IBW_PKT_DC))
		return ibw_opcodes[pkt->opcode].text;
	/* That bit tells a Connect from what is not known; it may be its end. */
	if (pkt->opcode == IBW_OP_RD_RESYNC && !(ibw_packet_eths(pkt) & IBW_ETH_DCCETH))
		return "DC opcode 0x55, no Connect";
	return dc_texts[pkt->opcode - IBW_SERVICE_RD];
}
