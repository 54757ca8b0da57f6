// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* site_mlx4.c - the headers mlx4 builds in a WQE of QP0 or QP1, on InfiniBand and on RoCE. */
#include "site.h"

size_t site_mlx4(void *wqe, const struct site *s)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(s->ah);
	struct ibw_build b = { .payload_len = site_payload(s->wr) };
	const struct ib_ud_wr *wr = s->wr;
	u8 headers[UD_ROOM];

	if (s->ah->type == RDMA_AH_ATTR_TYPE_IB) {
		b.kind = rdma_ah_get_ah_flags(s->ah) & IB_AH_GRH ? IBW_ICRC_IB_GLOBAL
								 : IBW_ICRC_IB_LOCAL;
		b.lrh.vl = s->qpn ? s->vl : 15;
		b.lrh.sl = rdma_ah_get_sl(s->ah);
		b.lrh.dlid = (u16)rdma_ah_get_dlid(s->ah);
		b.lrh.slid = b.lrh.dlid == IBW_LID_PERMISSIVE ? IBW_LID_PERMISSIVE : s->slid;
	} else {
		b.kind = IBW_ICRC_ROCE_V1;
		if (grh->sgid_attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP)
			b.kind = ibw_route_kind(grh->sgid_attr->gid.raw, grh->dgid.raw);
		b.has_eth = true;
		memcpy(b.eth.dst, s->ah->roce.dmac, ETH_ALEN);
		memcpy(b.eth.src, s->mac, ETH_ALEN);
		b.n_vlans = s->vlan < VLAN_N_VID;
		b.vlan[0].vid = s->vlan;
		b.vlan[0].pcp = rdma_ah_get_sl(s->ah) & 7;
	}
	if (b.kind != IBW_ICRC_IB_LOCAL &&
	    !ibw_build_route(&b, grh->sgid_attr->gid.raw, grh->dgid.raw, grh->traffic_class,
			     grh->flow_label, grh->hop_limit))
		return 0;
	b.bth.opcode = wr->wr.opcode == IB_WR_SEND_WITH_IMM ? IBW_OP_UD_SEND_ONLY_WITH_IMMEDIATE
							    : IBW_OP_UD_SEND_ONLY;
	b.bth.se = !!(wr->wr.send_flags & IB_SEND_SOLICITED);
	b.bth.pkey = s->pkey;
	b.bth.dqpn = wr->remote_qpn;
	b.bth.psn = s->psn;
	b.deth.qkey = wr->remote_qkey & BIT(31) ? s->qkey : wr->remote_qkey;
	b.deth.sqpn = s->qpn;
	b.immdt.data = be32_to_cpu(wr->wr.ex.imm_data);
	return site_mlx4_inline(wqe, headers, ibw_build_headers(headers, sizeof(headers), &b));
}
