// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* site_fill.c - random datagrams for drivers to send. */
#include "site_cases.h"

static u32 below(struct rnd_state *rnd, u32 n)
{
	return prandom_u32_state(rnd) % n;
}

static void fill_gids(struct site_case *c, struct rnd_state *rnd, bool v4)
{
	prandom_bytes_state(rnd, c->sgid_attr.gid.raw, 16);
	prandom_bytes_state(rnd, c->ah.grh.dgid.raw, 16);
	if (v4) {
		ipv6_addr_set_v4mapped(0, (struct in6_addr *)c->sgid_attr.gid.raw);
		ipv6_addr_set_v4mapped(0, (struct in6_addr *)c->ah.grh.dgid.raw);
		prandom_bytes_state(rnd, c->sgid_attr.gid.raw + 12, 4);
		prandom_bytes_state(rnd, c->ah.grh.dgid.raw + 12, 4);
	}
}

static void fill_ah(struct site_case *c, struct rnd_state *rnd)
{
	enum ud_framing framing = c->ud.framing;
	bool v4 = framing == UD_V2_IPV4 || framing == UD_V2_IPV4_VLAN;

	fill_gids(c, rnd, v4);
	c->ah.grh.sgid_attr = &c->sgid_attr;
	c->ah.grh.traffic_class = (u8)below(rnd, 256);
	c->ah.grh.flow_label = below(rnd, 1 << 20);
	c->ah.grh.hop_limit = (u8)below(rnd, 256);
	c->ah.ah_flags = framing == UD_IB ? 0 : IB_AH_GRH;
	if (framing <= UD_IB_GRH) {
		c->ah.type = RDMA_AH_ATTR_TYPE_IB;
		c->ah.sl = (u8)below(rnd, 16);
		c->ah.ib.dlid = (u16)(below(rnd, 4) ? below(rnd, 0x10000) : IBW_LID_PERMISSIVE);
		c->sgid_attr.gid_type = IB_GID_TYPE_IB;
		return;
	}
	c->ah.type = RDMA_AH_ATTR_TYPE_ROCE;
	c->ah.sl = (u8)below(rnd, 8);
	c->sgid_attr.gid_type =
		framing <= UD_V1_VLAN ? IB_GID_TYPE_ROCE : IB_GID_TYPE_ROCE_UDP_ENCAP;
	prandom_bytes_state(rnd, c->ah.roce.dmac, ETH_ALEN);
}

static void fill_wr(struct site_case *c, struct rnd_state *rnd)
{
	int i;

	c->wr.wr.sg_list = c->sge;
	c->wr.wr.num_sge = 1 + (int)below(rnd, SITE_SGES);
	for (i = 0; i < c->wr.wr.num_sge; i++) {
		c->sge[i].addr = prandom_u32_state(rnd);
		c->sge[i].length = below(rnd, 500);
	}
	c->wr.wr.opcode = c->ud.imm ? IB_WR_SEND_WITH_IMM : IB_WR_SEND;
	c->wr.wr.send_flags = below(rnd, 2) ? IB_SEND_SOLICITED : 0;
	c->wr.wr.ex.imm_data = (__force __be32)prandom_u32_state(rnd);
	c->wr.remote_qpn = 1 + below(rnd, 0xfffffe);
	c->wr.remote_qkey = prandom_u32_state(rnd);
}

void site_fill(struct site_case *c, struct rnd_state *rnd, enum ud_framing framing, bool imm)
{
	bool vlan =
		framing == UD_V1_VLAN || framing == UD_V2_IPV4_VLAN || framing == UD_V2_IPV6_VLAN;

	memset(c, 0xff, sizeof(*c));
	c->ud.framing = framing;
	c->ud.imm = imm;
	fill_ah(c, rnd);
	fill_wr(c, rnd);
	c->ud.payload = site_payload(&c->wr);
	c->site.ah = &c->ah;
	c->site.wr = &c->wr;
	prandom_bytes_state(rnd, c->site.mac, ETH_ALEN);
	if (framing > UD_IB_GRH && !below(rnd, 4))
		memcpy(c->site.mac, c->ah.roce.dmac, ETH_ALEN);
	c->site.vlan = (u16)(vlan ? below(rnd, VLAN_N_VID) : VLAN_N_VID);
	c->site.slid = (u16)below(rnd, 0x10000);
	c->site.vl = (u8)below(rnd, 15);
	c->site.pkey = (u16)below(rnd, 0x10000);
	c->site.qpn = framing == UD_IB ? below(rnd, 2) : 1;
	if (!c->site.qpn)
		c->wr.remote_qpn = 0;
	c->site.qkey = prandom_u32_state(rnd);
	c->site.psn = below(rnd, 1 << 24);
}
