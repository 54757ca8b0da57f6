/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ten lines of somebody else's: inline code, functions and tables of the library; C and C++. */
#include <ibwire/ibwire.h>
#include <ibwire/tables.h>
#include <stdio.h>

int main(void)
{
	const struct ibw_header *bth = ibw_header_at(IBW_LAYER_bth);
	uint8_t bytes[ibw_bth_BYTES] = { 0 };
	struct ibw_bth_wire *w = ibw_bth_view_mut(bytes, sizeof(bytes));

	ibw_bth_set_opcode(w, IBW_OP_RC_SEND_ONLY);
	ibw_bth_set_psn(w, 7);
	printf("%s: %s %u, %s psn %u\n", bth->name, ibw_field_at(bth, 0)->name, ibw_bth_opcode(w),
	       ibw_name_of(ibw_names_find("opcode"), ibw_bth_opcode(w)), ibw_bth_psn(w));
	return 0;
}
