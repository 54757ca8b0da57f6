// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* printed.c - every header as ibwire-kheader prints it, with the prefix kh, next to our own. */
#include "printed_all.h"
#include "headers_ibwire.h"
#include "headers_kernel.h"
#include "printed.h"

#include <linux/random.h>

/* Random BTHs and RETHs at an odd address, unpacked and packed by both. */
bool printed_equal(void)
{
	u8 bytes[1 + ibw_bth_BYTES + ibw_reth_BYTES], *bth = bytes + 1, *reth = bth + ibw_bth_BYTES;
	struct kh_reth_wire kh_reth_wire;
	struct kh_bth_wire kh_bth_wire;
	struct ibw_reth_wire reth_wire;
	struct ibw_bth_wire bth_wire;
	struct kh_reth kh_reth;
	struct kh_bth kh_bth;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		struct ibw_reth reth_values;
		struct ibw_bth bth_values;

		get_random_bytes(bytes, sizeof(bytes));
		kh_bth_unpack(&kh_bth, (const struct kh_bth_wire *)bth);
		kh_bth_pack(&kh_bth_wire, &kh_bth);
		ibw_bth_unpack(&bth_values, (const struct ibw_bth_wire *)bth);
		ibw_bth_pack(&bth_wire, &bth_values);
		kh_reth_unpack(&kh_reth, (const struct kh_reth_wire *)reth);
		kh_reth_pack(&kh_reth_wire, &kh_reth);
		ibw_reth_unpack(&reth_values, (const struct ibw_reth_wire *)reth);
		ibw_reth_pack(&reth_wire, &reth_values);
		if (memcmp(&kh_bth_wire, &bth_wire, sizeof(bth_wire)) ||
		    memcmp(&kh_reth_wire, &reth_wire, sizeof(reth_wire)))
			return false;
	}
	return true;
}
