// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * site_bnxt_re_pack.c - site_bnxt_re.c on ib_ud_header_init() and ib_ud_header_pack().
 *
 * The length is worked out as the driver does it: from the longest header less what is not
 * there, without the immediate data.
 */
#include "site.h"

#define LONGEST 86

static void fill_eth(struct ib_ud_header *h, const struct site *s, u16 type)
{
	memcpy(h->eth.dmac_h, s->ah->roce.dmac, 4);
	memcpy(h->eth.dmac_l, s->ah->roce.dmac + 4, 2);
	memcpy(h->eth.smac_h, s->mac, 2);
	memcpy(h->eth.smac_l, s->mac + 2, 4);
	h->eth.type = cpu_to_be16(h->vlan_present ? ETH_P_8021Q : type);
	h->vlan.type = cpu_to_be16(type);
	h->vlan.tag = cpu_to_be16(s->vlan);
}

static void fill_route(struct ib_ud_header *h, const struct ib_global_route *grh, int ip)
{
	if (ip == 4) {
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
	if (ip) {
		h->udp.sport = cpu_to_be16(rdma_flow_label_to_udp_sport(grh->flow_label));
		h->udp.dport = cpu_to_be16(ROCE_V2_UDP_DPORT);
		h->udp.csum = 0;
	}
}

unsigned int site_bnxt_re_pack(struct site_bnxt_re *q, const struct site *s, struct ib_ud_header *h)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(s->ah);
	u32 payload = site_payload(s->wr), length = LONGEST;
	bool vlan = s->vlan < VLAN_N_VID;
	const struct ib_ud_wr *wr = s->wr;
	u16 type = ETH_P_IBOE;
	int ip = 0, i;

	switch (rdma_gid_attr_network_type(grh->sgid_attr)) {
	case RDMA_NETWORK_IPV4:
		ip = 4;
		type = ETH_P_IP;
		break;
	case RDMA_NETWORK_IPV6:
		ip = 6;
		type = ETH_P_IPV6;
		break;
	default:
		break;
	}
	ib_ud_header_init((int)payload, false, true, vlan, ip != 4, ip, ip != 0, 0, h);
	fill_eth(h, s, type);
	fill_route(h, grh, ip);
	if (wr->wr.opcode == IB_WR_SEND_WITH_IMM) {
		h->bth.opcode = IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE;
		h->immediate_present = 1;
		h->immediate_data = wr->wr.ex.imm_data;
	}
	h->bth.solicited_event = !!(wr->wr.send_flags & IB_SEND_SOLICITED);
	h->bth.pad_count = -payload & 3;
	h->bth.pkey = cpu_to_be16(IB_DEFAULT_PKEY_FULL);
	h->bth.destination_qpn = cpu_to_be32(wr->remote_qpn);
	h->bth.psn = cpu_to_be32(s->psn);
	h->deth.qkey = cpu_to_be32(wr->remote_qkey);
	h->deth.source_qpn = IB_QP1;
	memset(q->slot, 0, sizeof(q->slot));
	ib_ud_header_pack(h, q->slot);
	if (!vlan)
		length -= 4;
	if (ip == 4)
		length -= 20;
	if (!ip)
		length -= 8;
	q->sge[0].length = length;
	for (i = 0; i < wr->wr.num_sge; i++)
		q->sge[1 + i] = wr->wr.sg_list[i];
	return 1 + (unsigned int)wr->wr.num_sge;
}
