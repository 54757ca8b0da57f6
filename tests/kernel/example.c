// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* example.c - the headers of a MAD that a RoCE v2 driver sends from QP1. */
#include "example.h"

/* Returns the bytes of the headers; more than @cap: so many are needed; 0: no such packet. */
size_t example_gsi_headers(void *buf, size_t cap, const struct example_port *port,
			   const struct ib_ud_wr *wr, u32 psn)
{
	const struct rdma_ah_attr *ah = port->ah;
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);
	bool v4 = ipv6_addr_v4mapped((const struct in6_addr *)grh->dgid.raw);
	struct ibw_build b;

	if (ibw_ud_header_init(port->payload_len, false, true, port->vlan < VLAN_N_VID, false,
			       v4 ? 4 : 6, true, wr->wr.opcode == IB_WR_SEND_WITH_IMM, &b))
		return 0;
	memcpy(b.eth.dst, ah->roce.dmac, ETH_ALEN);
	memcpy(b.eth.src, port->mac, ETH_ALEN);
	b.vlan[0].vid = port->vlan;
	b.vlan[0].pcp = rdma_ah_get_sl(ah);
	if (v4) {
		b.ipv4.src = ibw_gid_to_ipv4(grh->sgid_attr->gid.raw);
		b.ipv4.dst = ibw_gid_to_ipv4(grh->dgid.raw);
		b.ipv4.dscp = grh->traffic_class >> 2;
		b.ipv4.ecn = grh->traffic_class & 3;
		b.ipv4.ttl = grh->hop_limit;
		b.ipv4.df = 1;
	} else {
		memcpy(b.ipv6.src, grh->sgid_attr->gid.raw, sizeof(b.ipv6.src));
		memcpy(b.ipv6.dst, grh->dgid.raw, sizeof(b.ipv6.dst));
		b.ipv6.dscp = grh->traffic_class >> 2;
		b.ipv6.ecn = grh->traffic_class & 3;
		b.ipv6.flow_label = grh->flow_label;
		b.ipv6.hop_limit = grh->hop_limit;
	}
	b.udp.sport = ibw_flow_label_to_sport(grh->flow_label);
	b.bth.se = !!(wr->wr.send_flags & IB_SEND_SOLICITED);
	b.bth.pkey = IBW_PKEY_DEFAULT_FULL;
	b.bth.dqpn = wr->remote_qpn;
	b.bth.psn = psn;
	b.deth.qkey = wr->remote_qkey;
	b.deth.sqpn = IBW_QPN_GSI;
	b.immdt.data = be32_to_cpu(wr->wr.ex.imm_data);
	return ibw_build_headers(buf, cap, &b);
}
