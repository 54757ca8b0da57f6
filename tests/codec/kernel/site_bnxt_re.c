// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* site_bnxt_re.c - the headers bnxt_re puts in front of what a WQE of QP1 gathers. */
#include "site.h"

unsigned int site_bnxt_re(struct site_bnxt_re *q, const struct site *s)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(s->ah);
	const u8 *sgid = grh->sgid_attr->gid.raw, *dgid = grh->dgid.raw;
	const struct ib_ud_wr *wr = s->wr;
	struct ibw_build b = {
		.kind = IBW_ICRC_ROCE_V1,
		.has_eth = true,
		.n_vlans = s->vlan < VLAN_N_VID,
		.payload_len = site_payload(wr),
	};
	int i;

	if (grh->sgid_attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP)
		b.kind = ibw_route_kind(sgid, dgid);
	if (!ibw_build_route(&b, sgid, dgid, grh->traffic_class, grh->flow_label, grh->hop_limit))
		return 0;
	memcpy(b.eth.dst, s->ah->roce.dmac, ETH_ALEN);
	memcpy(b.eth.src, s->mac, ETH_ALEN);
	b.vlan[0].vid = s->vlan;
	b.bth.opcode = wr->wr.opcode == IB_WR_SEND_WITH_IMM ? IBW_OP_UD_SEND_ONLY_WITH_IMMEDIATE
							    : IBW_OP_UD_SEND_ONLY;
	b.bth.se = !!(wr->wr.send_flags & IB_SEND_SOLICITED);
	b.bth.pkey = IBW_PKEY_DEFAULT_FULL;
	b.bth.dqpn = wr->remote_qpn;
	b.bth.psn = s->psn;
	b.deth.qkey = wr->remote_qkey;
	b.deth.sqpn = IBW_QPN_GSI;
	b.immdt.data = be32_to_cpu(wr->wr.ex.imm_data);
	q->sge[0].length = (u32)ibw_build_headers(q->slot, sizeof(q->slot), &b);
	if (!q->sge[0].length)
		return 0;
	for (i = 0; i < wr->wr.num_sge; i++)
		q->sge[1 + i] = wr->wr.sg_list[i];
	return 1 + (unsigned int)wr->wr.num_sge;
}
