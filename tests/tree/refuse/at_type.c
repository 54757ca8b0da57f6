/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A header of a packet has the type of that header, and no other. */
#include <ibwire/ibwire.h>
#include <ibwire/packet.h>

unsigned int paylen(const struct ibw_packet *pkt);

unsigned int paylen(const struct ibw_packet *pkt)
{
	const struct ibw_grh_wire *grh = IBW_AT(pkt, grh);

	if (grh)
		return ibw_grh_paylen(grh);
	return ibw_grh_paylen(IBW_AT(pkt, bth)); /* refused: incompatible pointer type */
}
