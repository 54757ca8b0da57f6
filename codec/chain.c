/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* chain.c - BTH opcode -> which headers follow, as one table. */
#include <ibwire/tables.h>
#include <ibwire/transport.h>

const struct ibw_opcode_row ibw_opcodes[256] = {
#define IBW_OPCODE(code, name, text, service, eths, position, role, payload)                       \
	[code] = { text, (eths), IBW_OPF_##position | IBW_OPF_##role | IBW_OPF_##payload,          \
		   IBW_ETHS_BYTES(eths) },
#include <ibwire/list/opcodes.def>
#undef IBW_OPCODE
};
