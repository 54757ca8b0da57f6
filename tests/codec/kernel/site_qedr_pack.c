// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* site_qedr_pack.c - site_qedr.c on ib_ud_header_init() and ib_ud_header_pack(). */
#include "site.h"

static void fill(struct ib_ud_header *h, const struct site *s, const struct ib_global_route *grh,
		 u16 type)
{
	memcpy(h->eth.dmac_h, s->ah->roce.dmac, 4);
	memcpy(h->eth.dmac_l, s->ah->roce.dmac + 4, 2);
	memcpy(h->eth.smac_h, s->mac, 2);
	memcpy(h->eth.smac_l, s->mac + 2, 4);
	h->eth.type = cpu_to_be16(h->vlan_present ? ETH_P_8021Q : type);
	h->vlan.type = cpu_to_be16(type);
	h->vlan.tag = cpu_to_be16(s->vlan);
	if (h->ipv4_present) {
		h->ip4.tos = grh->traffic_class;
		h->ip4.id = 0;
		h->ip4.frag_off = cpu_to_be16(IP_DF);
		h->ip4.ttl = grh->hop_limit;
		memcpy(&h->ip4.saddr, grh->sgid_attr->gid.raw + 12, 4);
		memcpy(&h->ip4.daddr, grh->dgid.raw + 12, 4);
		h->ip4.check = ib_ud_ip4_csum(h);
	} else {
		h->grh.traffic_class = grh->traffic_class;
		h->grh.flow_label = cpu_to_be32(grh->flow_label);
		h->grh.hop_limit = grh->hop_limit;
		h->grh.source_gid = grh->sgid_attr->gid;
		h->grh.destination_gid = grh->dgid;
	}
	if (h->udp_present) {
		h->udp.sport = cpu_to_be16(rdma_flow_label_to_udp_sport(grh->flow_label));
		h->udp.dport = cpu_to_be16(ROCE_V2_UDP_DPORT);
		h->udp.csum = 0;
	}
	h->bth.opcode = IB_OPCODE_UD_SEND_ONLY;
	h->bth.solicited_event = !!(s->wr->wr.send_flags & IB_SEND_SOLICITED);
	h->bth.pkey = cpu_to_be16(IB_DEFAULT_PKEY_FULL);
	h->bth.destination_qpn = cpu_to_be32(s->wr->remote_qpn);
	h->bth.psn = cpu_to_be32(s->psn);
	h->deth.qkey = cpu_to_be32(IB_QP1_QKEY);
	h->deth.source_qpn = IB_QP1;
}

bool site_qedr_pack(struct site_qedr *p, const struct site *s)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(s->ah);
	u16 type = ETH_P_IBOE;
	struct ib_ud_header h;
	int ip = 0;

	p->mode = rdma_gid_attr_network_type(grh->sgid_attr);
	if (p->mode == RDMA_NETWORK_IPV4) {
		ip = 4;
		type = ETH_P_IP;
	} else if (p->mode == RDMA_NETWORK_IPV6) {
		ip = 6;
		type = ETH_P_IPV6;
	}
	ib_ud_header_init((int)site_payload(s->wr), false, true, s->vlan < VLAN_N_VID, ip != 4, ip,
			  ip != 0, 0, &h);
	fill(&h, s, grh, type);
	memset(p->headers, 0, sizeof(p->headers));
	p->headers_len = (u32)ib_ud_header_pack(&h, p->headers);
	p->loopback = ether_addr_equal(s->ah->roce.dmac, s->mac);
	p->pieces = (unsigned int)s->wr->wr.num_sge;
	memcpy(p->piece, s->wr->wr.sg_list, p->pieces * sizeof(p->piece[0]));
	return true;
}
