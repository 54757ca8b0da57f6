// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* site_qedr.c - the packet qedr hands to the Ethernet side of its device for QP1. */
#include "site.h"

bool site_qedr(struct site_qedr *p, const struct site *s)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(s->ah);
	const u8 *sgid = grh->sgid_attr->gid.raw, *dgid = grh->dgid.raw;
	struct ibw_build b = {
		.kind = IBW_ICRC_ROCE_V1,
		.has_eth = true,
		.n_vlans = s->vlan < VLAN_N_VID,
		.payload_len = site_payload(s->wr),
	};

	p->mode = rdma_gid_attr_network_type(grh->sgid_attr);
	if (p->mode != RDMA_NETWORK_ROCE_V1)
		b.kind = ibw_route_kind(sgid, dgid);
	if (!ibw_build_route(&b, sgid, dgid, grh->traffic_class, grh->flow_label, grh->hop_limit))
		return false;
	memcpy(b.eth.dst, s->ah->roce.dmac, ETH_ALEN);
	memcpy(b.eth.src, s->mac, ETH_ALEN);
	b.vlan[0].vid = s->vlan;
	b.bth.opcode = IBW_OP_UD_SEND_ONLY;
	b.bth.se = !!(s->wr->wr.send_flags & IB_SEND_SOLICITED);
	b.bth.pkey = IBW_PKEY_DEFAULT_FULL;
	b.bth.dqpn = s->wr->remote_qpn;
	b.bth.psn = s->psn;
	b.deth.qkey = IBW_QKEY_GSI;
	b.deth.sqpn = IBW_QPN_GSI;
	p->headers_len = (u32)ibw_build_headers(p->headers, sizeof(p->headers), &b);
	p->loopback = ether_addr_equal(b.eth.dst, b.eth.src);
	p->pieces = (unsigned int)s->wr->wr.num_sge;
	memcpy(p->piece, s->wr->wr.sg_list, p->pieces * sizeof(p->piece[0]));
	return p->headers_len != 0;
}
