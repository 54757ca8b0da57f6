// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* example.c - the headers of a MAD that a RoCE v2 driver sends from QP1. */
#include "example.h"

/* Returns the bytes of the headers; more than @cap: so many are needed; 0: no such packet. */
size_t example_gsi_headers(void *buf, size_t cap, const struct example_port *port,
			   const struct ib_ud_wr *wr, u32 psn)
{
	const struct rdma_ah_attr *ah = port->ah;
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);
	const u8 *sgid = grh->sgid_attr->gid.raw, *dgid = grh->dgid.raw;
	struct ibw_build b = {
		.kind = ibw_route_kind(sgid, dgid),
		.has_eth = true,
		.n_vlans = port->vlan < VLAN_N_VID,
		.payload_len = port->payload_len,
	};

	if (!ibw_build_route(&b, sgid, dgid, grh->traffic_class, grh->flow_label, grh->hop_limit))
		return 0;
	memcpy(b.eth.dst, ah->roce.dmac, ETH_ALEN);
	memcpy(b.eth.src, port->mac, ETH_ALEN);
	b.vlan[0].vid = port->vlan;
	b.vlan[0].pcp = rdma_ah_get_sl(ah);
	b.bth.opcode = wr->wr.opcode == IB_WR_SEND_WITH_IMM ? IBW_OP_UD_SEND_ONLY_WITH_IMMEDIATE
							    : IBW_OP_UD_SEND_ONLY;
	b.bth.se = !!(wr->wr.send_flags & IB_SEND_SOLICITED);
	b.bth.pkey = IBW_PKEY_DEFAULT_FULL;
	b.bth.dqpn = wr->remote_qpn;
	b.bth.psn = psn;
	b.deth.qkey = wr->remote_qkey;
	b.deth.sqpn = IBW_QPN_GSI;
	b.immdt.data = be32_to_cpu(wr->wr.ex.imm_data);
	return ibw_build_headers(buf, cap, &b);
}
