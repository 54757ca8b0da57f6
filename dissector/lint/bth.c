/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bth.c - group BTH: the base transport header. */
#include "rule.h"

void lint_bth(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_bth_wire *bth = ibw_packet_at(pkt, pkt->bth);

	if (ibw_bth_tver(bth))
		LINT_AT(p, LINT_BTH001, pkt->bth, bth, tver, "TVer is %u, not 0",
			ibw_bth_tver(bth));
}
