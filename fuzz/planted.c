/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * planted.c - a target with a mistake in it: it reads the byte after the packet
 * when there is a RETH, as a decoder would that forgets to check a length.
 *
 * The tests replay the corpus of walk.c through it, and it has to be caught: a
 * corpus that does not get that far, or a driver that cannot see one byte too
 * many, proves nothing.
 */
#include <ibwire/ibwire.h>
#include <ibwire/packet.h>

#include "fuzz.h"

static volatile uint8_t sink;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibw_packet pkt;

	if (size < 3 || size > 65536)
		return 0;
	ibw_packet_walk(&pkt, data + 3, (uint32_t)size - 3, (uint32_t)size - 3,
			IBW_LINKTYPE_ETHERNET, NULL);
	if (pkt.eths & IBW_ETH_RETH)
		sink = data[size];
	return 0;
}
