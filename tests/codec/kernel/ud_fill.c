// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* ud_fill.c - the same random values into struct ib_ud_header and struct ibw_build. */
#include "ud.h"

const char *const ud_framing_names[UD_FRAMINGS] = {
	[UD_IB] = "ib-local",          [UD_IB_GRH] = "ib-global",
	[UD_V1] = "roce-v1",           [UD_V1_VLAN] = "roce-v1-vlan",
	[UD_V2_IPV4] = "roce-v2-ipv4", [UD_V2_IPV4_VLAN] = "roce-v2-ipv4-vlan",
	[UD_V2_IPV6] = "roce-v2-ipv6", [UD_V2_IPV6_VLAN] = "roce-v2-ipv6-vlan",
};

/* The present flags of both init functions. */
static const struct {
	bool lrh, eth, vlan, grh, udp;
	int ip;
} flags[UD_FRAMINGS] = {
	[UD_IB] = { .lrh = true },
	[UD_IB_GRH] = { .lrh = true, .grh = true },
	[UD_V1] = { .eth = true, .grh = true },
	[UD_V1_VLAN] = { .eth = true, .vlan = true, .grh = true },
	[UD_V2_IPV4] = { .eth = true, .udp = true, .ip = 4 },
	[UD_V2_IPV4_VLAN] = { .eth = true, .vlan = true, .udp = true, .ip = 4 },
	/* The kernel takes the GRH's members for IPv6, and wants it present. */
	[UD_V2_IPV6] = { .eth = true, .grh = true, .udp = true, .ip = 6 },
	[UD_V2_IPV6_VLAN] = { .eth = true, .vlan = true, .grh = true, .udp = true, .ip = 6 },
};

static void fill_eth(struct rnd_state *rnd, struct ib_ud_header *t, struct ibw_build *o, u16 type)
{
	prandom_bytes_state(rnd, o->eth.dst, ETH_ALEN);
	prandom_bytes_state(rnd, o->eth.src, ETH_ALEN);
	memcpy(t->eth.dmac_h, o->eth.dst, 4);
	memcpy(t->eth.dmac_l, o->eth.dst + 4, 2);
	memcpy(t->eth.smac_h, o->eth.src, 2);
	memcpy(t->eth.smac_l, o->eth.src + 2, 4);
	if (t->vlan_present) {
		u16 tag = (u16)prandom_u32_state(rnd);

		t->vlan.tag = cpu_to_be16(tag);
		t->vlan.type = cpu_to_be16(type);
		o->vlan[0].pcp = tag >> 13;
		o->vlan[0].dei = tag >> 12 & 1;
		o->vlan[0].vid = tag & 0xfff;
		type = ETH_P_8021Q;
	}
	t->eth.type = cpu_to_be16(type);
}

static void fill_lrh(struct rnd_state *rnd, struct ib_ud_header *t, struct ibw_build *o)
{
	u32 r = prandom_u32_state(rnd), lids = prandom_u32_state(rnd);

	o->lrh.vl = r & 15;
	t->lrh.virtual_lane = o->lrh.vl;
	o->lrh.sl = r >> 4 & 15;
	t->lrh.service_level = o->lrh.sl;
	o->lrh.dlid = (u16)lids;
	o->lrh.slid = (u16)(lids >> 16);
	t->lrh.destination_lid = cpu_to_be16(o->lrh.dlid);
	t->lrh.source_lid = cpu_to_be16(o->lrh.slid);
	o->lrh.lver = 0;
}

/* The kernel's GRH stands for IPv6 too. */
static void fill_grh(struct rnd_state *rnd, struct ib_ud_header *t, struct ibw_build *o)
{
	u32 r = prandom_u32_state(rnd);

	o->grh.tclass = (u8)r;
	t->grh.traffic_class = o->grh.tclass;
	o->ipv6.hop_limit = (u8)(r >> 8);
	t->grh.hop_limit = o->ipv6.hop_limit;
	o->grh.hop_limit = o->ipv6.hop_limit;
	o->ipv6.flow_label = prandom_u32_state(rnd) & 0xfffff;
	o->grh.flow_label = o->ipv6.flow_label;
	t->grh.flow_label = cpu_to_be32(o->grh.flow_label);
	o->ipv6.dscp = o->grh.tclass >> 2;
	o->ipv6.ecn = o->grh.tclass & 3;
	prandom_bytes_state(rnd, t->grh.source_gid.raw, 16);
	prandom_bytes_state(rnd, t->grh.destination_gid.raw, 16);
	memcpy(o->grh.sgid, t->grh.source_gid.raw, 16);
	memcpy(o->grh.dgid, t->grh.destination_gid.raw, 16);
	memcpy(o->ipv6.src, o->grh.sgid, 16);
	memcpy(o->ipv6.dst, o->grh.dgid, 16);
}

static void fill_ipv4(struct rnd_state *rnd, struct ib_ud_header *t, struct ibw_build *o)
{
	u32 r = prandom_u32_state(rnd);

	t->ip4.tos = (u8)r;
	o->ipv4.dscp = t->ip4.tos >> 2;
	o->ipv4.ecn = t->ip4.tos & 3;
	o->ipv4.ttl = (u8)(r >> 8);
	t->ip4.ttl = o->ipv4.ttl;
	o->ipv4.id = (u16)(r >> 16);
	t->ip4.id = cpu_to_be16(o->ipv4.id);
	o->ipv4.df = r >> 7 & 1;
	t->ip4.frag_off = cpu_to_be16(o->ipv4.df ? IP_DF : 0);
	o->ipv4.src = prandom_u32_state(rnd);
	o->ipv4.dst = prandom_u32_state(rnd);
	t->ip4.saddr = cpu_to_be32(o->ipv4.src);
	t->ip4.daddr = cpu_to_be32(o->ipv4.dst);
	t->ip4.check = ib_ud_ip4_csum(t);
}

static void fill_transport(struct rnd_state *rnd, struct ib_ud_header *t, struct ibw_build *o)
{
	u32 r = prandom_u32_state(rnd);

	o->bth.se = r & 1;
	t->bth.solicited_event = o->bth.se;
	o->bth.migreq = r >> 1 & 1;
	t->bth.mig_req = o->bth.migreq;
	o->bth.ackreq = r >> 2 & 1;
	t->bth.ack_req = o->bth.ackreq;
	o->bth.pkey = (u16)(r >> 16);
	t->bth.pkey = cpu_to_be16(o->bth.pkey);
	/* An ordinary QP, of which there are all but three. */
	o->bth.dqpn = 2 + prandom_u32_state(rnd) % 0xfffffd;
	t->bth.destination_qpn = cpu_to_be32(o->bth.dqpn);
	o->bth.psn = prandom_u32_state(rnd) & 0xffffff;
	t->bth.psn = cpu_to_be32(o->bth.psn);
	o->deth.qkey = prandom_u32_state(rnd);
	t->deth.qkey = cpu_to_be32(o->deth.qkey);
	o->deth.sqpn = prandom_u32_state(rnd) & 0xffffff;
	t->deth.source_qpn = cpu_to_be32(o->deth.sqpn);
	o->immdt.data = prandom_u32_state(rnd);
	t->immediate_data = cpu_to_be32(o->immdt.data);
}

void ud_init_theirs(struct ud_case c, struct ib_ud_header *t)
{
	ib_ud_header_init(c.payload, flags[c.framing].lrh, flags[c.framing].eth,
			  flags[c.framing].vlan, flags[c.framing].grh, flags[c.framing].ip,
			  flags[c.framing].udp, c.imm, t);
}

void ud_init_ours(struct ud_case c, struct ibw_build *o)
{
	ibw_ud_header_init(c.payload, flags[c.framing].lrh, flags[c.framing].eth,
			   flags[c.framing].vlan, flags[c.framing].grh, flags[c.framing].ip,
			   flags[c.framing].udp, c.imm, o);
}

void ud_fill(struct ud_case c, struct rnd_state *rnd, struct ib_ud_header *t, struct ibw_build *o)
{
	u16 type = ETH_P_IBOE;

	if (flags[c.framing].ip)
		type = flags[c.framing].ip == 4 ? ETH_P_IP : ETH_P_IPV6;
	ud_init_theirs(c, t);
	ud_init_ours(c, o);
	if (flags[c.framing].eth)
		fill_eth(rnd, t, o, type);
	if (flags[c.framing].lrh)
		fill_lrh(rnd, t, o);
	if (flags[c.framing].grh)
		fill_grh(rnd, t, o);
	fill_transport(rnd, t, o);
	if (flags[c.framing].udp) {
		o->udp.sport = (u16)(prandom_u32_state(rnd) | 0xc000);
		t->udp.sport = cpu_to_be16(o->udp.sport);
		t->udp.dport = cpu_to_be16(IBW_UDP_PORT_ROCE);
		t->udp.csum = 0;
	}
	if (flags[c.framing].ip == 4)
		fill_ipv4(rnd, t, o);
}
