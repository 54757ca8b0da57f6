// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* site_mlx4_pack.c - site_mlx4.c on ib_ud_header_init() and ib_ud_header_pack(). */
#include "site.h"

static void fill_ib(struct ib_ud_header *h, const struct site *s)
{
	h->lrh.virtual_lane = s->qpn ? s->vl : 15;
	h->lrh.service_level = rdma_ah_get_sl(s->ah);
	h->lrh.destination_lid = cpu_to_be16((u16)rdma_ah_get_dlid(s->ah));
	h->lrh.source_lid = cpu_to_be16(s->slid);
	if (h->lrh.destination_lid == IB_LID_PERMISSIVE)
		h->lrh.source_lid = IB_LID_PERMISSIVE;
}

static void fill_eth(struct ib_ud_header *h, const struct site *s, u16 type)
{
	memcpy(h->eth.dmac_h, s->ah->roce.dmac, 4);
	memcpy(h->eth.dmac_l, s->ah->roce.dmac + 4, 2);
	memcpy(h->eth.smac_h, s->mac, 2);
	memcpy(h->eth.smac_l, s->mac + 2, 4);
	h->eth.type = cpu_to_be16(h->vlan_present ? ETH_P_8021Q : type);
	if (h->vlan_present) {
		h->vlan.type = cpu_to_be16(type);
		h->vlan.tag = cpu_to_be16((u16)((rdma_ah_get_sl(s->ah) & 7) << 13 | s->vlan));
	}
}

static void fill_grh(struct ib_ud_header *h, const struct ib_global_route *grh)
{
	h->grh.traffic_class = grh->traffic_class;
	h->grh.flow_label = cpu_to_be32(grh->flow_label);
	h->grh.hop_limit = grh->hop_limit;
	h->grh.source_gid = grh->sgid_attr->gid;
	h->grh.destination_gid = grh->dgid;
}

static void fill_ip4(struct ib_ud_header *h, const struct ib_global_route *grh)
{
	h->ip4.tos = grh->traffic_class;
	h->ip4.id = 0;
	h->ip4.frag_off = cpu_to_be16(IP_DF);
	h->ip4.ttl = grh->hop_limit;
	memcpy(&h->ip4.saddr, grh->sgid_attr->gid.raw + 12, 4);
	memcpy(&h->ip4.daddr, grh->dgid.raw + 12, 4);
	h->ip4.check = ib_ud_ip4_csum(h);
}

size_t site_mlx4_pack(void *wqe, const struct site *s, struct ib_ud_header *h)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(s->ah);
	bool eth = s->ah->type == RDMA_AH_ATTR_TYPE_ROCE;
	bool has_grh = rdma_ah_get_ah_flags(s->ah) & IB_AH_GRH;
	const struct ib_ud_wr *wr = s->wr;
	u16 type = ETH_P_IBOE;
	bool udp = false;
	u8 headers[UD_ROOM] = { 0 };
	int ip = 0;

	if (eth && grh->sgid_attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP) {
		udp = true;
		ip = ipv6_addr_v4mapped((const struct in6_addr *)grh->dgid.raw) ? 4 : 6;
		type = ip == 4 ? ETH_P_IP : ETH_P_IPV6;
		has_grh = ip == 6;
	}
	ib_ud_header_init((int)site_payload(wr), !eth, eth, eth && s->vlan < VLAN_N_VID, has_grh,
			  ip, udp, 0, h);
	if (eth)
		fill_eth(h, s, type);
	else
		fill_ib(h, s);
	if (has_grh)
		fill_grh(h, grh);
	if (ip == 4)
		fill_ip4(h, grh);
	if (udp) {
		h->udp.sport = cpu_to_be16(rdma_flow_label_to_udp_sport(grh->flow_label));
		h->udp.dport = cpu_to_be16(ROCE_V2_UDP_DPORT);
		h->udp.csum = 0;
	}
	if (wr->wr.opcode == IB_WR_SEND_WITH_IMM) {
		h->bth.opcode = IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE;
		h->immediate_present = 1;
		h->immediate_data = wr->wr.ex.imm_data;
	}
	h->bth.solicited_event = !!(wr->wr.send_flags & IB_SEND_SOLICITED);
	h->bth.pkey = cpu_to_be16(s->pkey);
	h->bth.destination_qpn = cpu_to_be32(wr->remote_qpn);
	h->bth.psn = cpu_to_be32(s->psn);
	h->deth.qkey = cpu_to_be32(wr->remote_qkey & BIT(31) ? s->qkey : wr->remote_qkey);
	h->deth.source_qpn = cpu_to_be32(s->qpn);
	return site_mlx4_inline(wqe, headers, (size_t)ib_ud_header_pack(h, headers));
}
