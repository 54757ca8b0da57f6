/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_grh.c - the cases of group GRH. */
#include <string.h>

#include "make_case.h"

/* ---- Native InfiniBand and RoCE v1 alike ---- */

STATED(ipver_4, IB_GLOBAL, RC_SEND_ONLY, 16, p->grh.ipver = 4)
STATED(ipver_0_roce, ROCE_V1, RC_SEND_ONLY, 16, p->grh.ipver = 0)
STATED(ipver_6, IB_GLOBAL, RC_SEND_ONLY, 16, p->grh.tclass = 0xff; p->grh.flow_label = 0xfffff)
STATED(nxthdr_17, IB_GLOBAL, RC_SEND_ONLY, 16, p->grh.nxthdr = 17)
STATED(nxthdr_0_roce, ROCE_V1, RC_SEND_ONLY, 16, p->grh.nxthdr = 0)
STATED(nxthdr_1b_roce, ROCE_V1_VLAN, RC_SEND_ONLY, 16, (void)p)

/* PayLen is off by @delta; ICRC and VCRC are right for the bytes as they are. */
#define PAYLEN(delta)                                                                              \
	ibw_grh_set_paylen(MK_AT(p, grh), (uint16_t)(ibw_grh_paylen(MK_AT(p, grh)) + (delta)))
EDITED(paylen_without_icrc, IB_GLOBAL, RC_SEND_ONLY, 16, PAYLEN(-4))
EDITED(paylen_with_grh, IB_GLOBAL, RC_SEND_ONLY, 16, PAYLEN(40))
EDITED(paylen_with_vcrc, ERF_IB_GLOBAL, RC_SEND_ONLY, 16, PAYLEN(2))
EDITED(paylen_roce_over, ROCE_V1, RC_SEND_ONLY, 16, PAYLEN(4))
EDITED(paylen_roce_without_icrc, ROCE_V1, RC_SEND_ONLY, 16, PAYLEN(-4))
EDITED(paylen_roce_headers_only, ROCE_V1_VLAN, RC_SEND_ONLY, 16, PAYLEN(-16))
BROKEN(paylen_roce_nothing_fits, ROCE_V1, RC_SEND_ONLY, 16, PAYLEN(-8); mk_icrc(p)[0] ^= 3)
STATED(paylen_padded, IB_GLOBAL, RC_SEND_ONLY, 13, (void)p)
BROKEN(paylen_roce_bit_flipped, ROCE_V1, RC_SEND_ONLY, 64, p->b[p->payload_off] ^= 1)

/* After the packet lie padding and FCS, none of which PayLen counts. */
static void paylen_roce_padded(struct mk_packet *p)
{
	mk_start(p, MK_ROCE_V1, IBW_OP_RC_ACKNOWLEDGE, 0);
	p->min_len = 96;
	p->fcs = true;
	mk_build(p);
}

/* A damaged packet of a capture with FCS. */
static void paylen_roce_flipped_fcs(struct mk_packet *p)
{
	mk_start(p, MK_ROCE_V1, IBW_OP_RC_SEND_ONLY, 64);
	p->fcs = true;
	mk_build(p);
	p->b[p->payload_off] ^= 1;
}

/* Four bytes less than there are, in front of the FCS. */
static void paylen_roce_short_fcs(struct mk_packet *p)
{
	mk_start(p, MK_ROCE_V1, IBW_OP_RC_SEND_ONLY, 64);
	p->fcs = true;
	mk_build(p);
	PAYLEN(-8);
	mk_fix_crcs(p);
}

/* Wrong in the LRH, and there only. */
static void paylen_right_pktlen_wrong(struct mk_packet *p)
{
	struct ibw_lrh_wire *lrh;

	mk_plain(p, MK_IB_GLOBAL, IBW_OP_RC_SEND_ONLY, 16);
	lrh = MK_AT(p, lrh);
	ibw_lrh_set_pktlen(lrh, ibw_lrh_pktlen(lrh) + 1);
	mk_fix_crcs(p);
}

static void subnets(struct mk_packet *p, enum mk_framing framing, uint8_t hop_limit, uint8_t to)
{
	mk_start(p, framing, IBW_OP_RC_SEND_ONLY, 16);
	p->grh.hop_limit = hop_limit;
	p->grh.dgid[7] = to;
	mk_build(p);
}

static void hop_0_other_subnet(struct mk_packet *p)
{
	subnets(p, MK_IB_GLOBAL, 0, 1);
}

static void hop_0_same_subnet(struct mk_packet *p)
{
	subnets(p, MK_IB_GLOBAL, 0, 0);
}

static void hop_1_other_subnet(struct mk_packet *p)
{
	subnets(p, MK_IB_GLOBAL, 1, 1);
}

static void hop_0_roce(struct mk_packet *p)
{
	subnets(p, MK_ROCE_V1, 0, 1);
}

static void hop_0_group(struct mk_packet *p)
{
	mk_start(p, MK_IB_GLOBAL, IBW_OP_UD_SEND_ONLY, 16);
	p->grh.hop_limit = 0;
	p->grh.dgid[0] = 0xff;
	p->lrh.dlid = 0xc000;
	p->bth.dqpn = IBW_QPN_MULTICAST;
	mk_build(p);
}

/* ---- With and without a GRH ---- */

STATED(group_qp_without_grh, IB_LOCAL, UD_SEND_ONLY, 16, p->bth.dqpn = IBW_QPN_MULTICAST)
STATED(group_lid_without_grh, IB_LOCAL, UD_SEND_ONLY, 16, p->lrh.dlid = 0xc000)
STATED(last_qp_without_grh, IB_LOCAL, UD_SEND_ONLY, 16, p->bth.dqpn = 0xfffffe;
       p->lrh.dlid = 0xbfff)

static void raw_to_group(struct mk_packet *p)
{
	mk_raw_ib(p, IBW_LNH_RAW, 32);
	ibw_lrh_set_dlid(MK_AT(p, lrh), 0xc000);
	mk_fix_vcrc(p);
}

static void smp_permissive(struct mk_packet *p)
{
	mk_start_smp(p, MK_IB_LOCAL);
	p->lrh.dlid = 0xffff;
	mk_build(p);
}

static void group_roce_v2(struct mk_packet *p)
{
	static const uint8_t mac[6] = { 0x01, 0x00, 0x5e, 0x01, 0x02, 0x03 };

	mk_start(p, MK_ROCE_V2_IPV4, IBW_OP_UD_SEND_ONLY, 16);
	p->bth.dqpn = IBW_QPN_MULTICAST;
	p->ipv4.dst = 0xef010203;
	memcpy(p->eth.dst, mac, 6);
	mk_build(p);
}

/* A BTH, or an IPv4 header, right after ethertype 0x8915. */
BROKEN(roce_without_grh, ROCE_V1, RC_SEND_ONLY, 64,
       mk_remove(p, p->off[IBW_LAYER_grh], ibw_grh_BYTES))

static void roce_v2_as_v1(struct mk_packet *p)
{
	mk_plain(p, MK_ROCE_V2_IPV4, IBW_OP_RC_SEND_ONLY, 64);
	ibw_eth_set_type(MK_AT(p, eth), IBW_ETHERTYPE_ROCE);
}

static void sgid(struct mk_packet *p, enum mk_framing framing, uint8_t first)
{
	mk_start(p, framing, IBW_OP_RC_SEND_ONLY, 16);
	p->grh.sgid[0] = first;
	mk_build(p);
}

static void sgid_ff(struct mk_packet *p)
{
	sgid(p, MK_IB_GLOBAL, 0xff);
}

static void sgid_ff_roce(struct mk_packet *p)
{
	sgid(p, MK_ROCE_V1, 0xff);
}

static void sgid_fd(struct mk_packet *p)
{
	sgid(p, MK_ROCE_V1, 0xfd);
}

STATED(sgid_0, IB_GLOBAL, RC_SEND_ONLY, 16, memset(p->grh.sgid, 0, 16))
STATED(dgid_0_roce, ROCE_V1, RC_SEND_ONLY, 16, memset(p->grh.dgid, 0, 16))
STATED(dgid_1_roce, ROCE_V1, RC_SEND_ONLY, 16, memset(p->grh.dgid, 0, 16); p->grh.dgid[15] = 1)

static void smp_with_grh(struct mk_packet *p)
{
	mk_start_smp(p, MK_IB_GLOBAL);
	mk_build(p);
}

static void gsi_with_grh(struct mk_packet *p)
{
	mk_start_gsi(p, MK_IB_GLOBAL);
	mk_build(p);
}

STATED(dc_connect_without_grh, IB_LOCAL, RD_RESYNC, 0, p->dceth.resp_id = p->bth.dqpn = 0xffffff;
       make_dc(p))

static const struct mk_case cases[] = {
	{ "GRH001", MK_FIRES, ipver_4, "grh.ipver", NULL, "IPVer 4 after an LRH" },
	{ "GRH001", MK_FIRES, ipver_0_roce, "grh.ipver", NULL, "IPVer 0 after ethertype 0x8915" },
	{ "GRH001", MK_MISSES, ipver_6, "grh", NULL, "IPVer 6, all after it set" },
	{ "GRH001", MK_MISSES, roce_without_grh, "eth", "GRH006=grh/bth+0:40", "no GRH at all" },
	{ "GRH002", MK_FIRES, nxthdr_17, "grh.nxthdr", NULL, "NxtHdr 17" },
	{ "GRH002", MK_FIRES, nxthdr_0_roce, "grh.nxthdr", NULL, "NxtHdr 0 in RoCE v1" },
	{ "GRH002", MK_MISSES, nxthdr_1b_roce, "grh", NULL, "NxtHdr 0x1b in RoCE v1" },
	{ "GRH003", MK_FIRES, paylen_without_icrc, "grh.paylen", NULL, "PayLen without the ICRC" },
	{ "GRH003", MK_FIRES, paylen_with_grh, "grh.paylen", NULL, "PayLen with the GRH" },
	{ "GRH003", MK_FIRES, paylen_with_vcrc, "grh.paylen", NULL, "PayLen with the VCRC" },
	{ "GRH003", MK_FIRES, paylen_roce_over, "grh.paylen", NULL,
	  "RoCE v1, four bytes too many" },
	{ "GRH003", MK_FIRES, paylen_roce_without_icrc, "grh.paylen", NULL,
	  "RoCE v1 without the ICRC" },
	{ "GRH003", MK_FIRES, paylen_roce_headers_only, "grh.paylen", NULL,
	  "RoCE v1 without the payload" },
	{ "GRH003", MK_FIRES, paylen_roce_short_fcs, "grh.paylen", NULL,
	  "RoCE v1, too short, with FCS" },
	{ "GRH003", MK_FIRES, paylen_roce_nothing_fits, "grh.paylen", "CRC001=bth/icrc-8:4",
	  "PayLen without 8 bytes, RoCE v1, and a wrong ICRC" },
	{ "GRH003", MK_MISSES, paylen_padded, "grh", NULL, "three pad bytes are counted" },
	{ "GRH003", MK_MISSES, paylen_roce_padded, "grh", NULL, "RoCE v1 with padding and FCS" },
	{ "GRH003", MK_MISSES, paylen_roce_bit_flipped, "grh", "CRC001=bth/payload+0:1",
	  "RoCE v1, payload damaged" },
	{ "GRH003", MK_MISSES, paylen_roce_flipped_fcs, "grh", "CRC001=bth/payload+0:1",
	  "the same in front of an FCS" },
	{ "GRH003", MK_MISSES, paylen_right_pktlen_wrong, "grh", "LRH003=lrh.pktlen",
	  "PktLen one word too large, PayLen right" },
	{ "GRH004", MK_FIRES, hop_0_other_subnet, "grh.hop_limit", NULL,
	  "hop limit 0 to another subnet" },
	{ "GRH004", MK_MISSES, hop_0_same_subnet, "grh", NULL, "hop limit 0 within a subnet" },
	{ "GRH004", MK_MISSES, hop_1_other_subnet, "grh", NULL, "hop limit 1 to another subnet" },
	{ "GRH004", MK_MISSES, hop_0_roce, "grh", NULL, "hop limit 0 in RoCE v1" },
	{ "GRH004", MK_MISSES, hop_0_group, "grh", NULL, "hop limit 0 to a group" },
	{ "GRH005", MK_FIRES, group_qp_without_grh, "lrh.lnh", NULL, "QP 0xffffff without a GRH" },
	{ "GRH005", MK_FIRES, group_lid_without_grh, "lrh.lnh", NULL, "DLID 0xc000 without a GRH" },
	{ "GRH005", MK_MISSES, dc_connect_without_grh, NULL, NULL, "DC Connect to QP 0xffffff" },
	{ "GRH005", MK_MISSES, last_qp_without_grh, NULL, NULL, "QP 0xfffffe, DLID 0xbfff" },
	{ "GRH005", MK_MISSES, smp_permissive, NULL, NULL, "DLID 0xffff" },
	{ "GRH005", MK_MISSES, raw_to_group, "rwh", "LRH011=lrh.lnh", "raw to DLID 0xc000" },
	{ "GRH005", MK_MISSES, hop_0_group, NULL, NULL, "a group, with a GRH" },
	{ "GRH005", MK_MISSES, group_roce_v2, NULL, NULL, "a group in RoCE v2" },
	{ "GRH006", MK_FIRES, roce_without_grh, "grh/bth+0:40", NULL,
	  "a BTH after ethertype 0x8915" },
	{ "GRH006", MK_FIRES, roce_v2_as_v1, "grh/ipv4+0:40", NULL, "IPv4 after ethertype 0x8915" },
	{ "GRH006", MK_MISSES, ipver_0_roce, "eth", "GRH001=grh.ipver", "a GRH of version 0" },
	{ "GRH007", MK_FIRES, sgid_ff, "grh.sgid", NULL, "SGID ff80::" },
	{ "GRH007", MK_FIRES, sgid_ff_roce, "grh.sgid", NULL, "SGID ff80:: in RoCE v1" },
	{ "GRH007", MK_MISSES, sgid_fd, "grh", NULL, "SGID fd80::" },
	{ "GRH008", MK_FIRES, sgid_0, "grh.sgid", NULL, "SGID 0" },
	{ "GRH008", MK_FIRES, dgid_0_roce, "grh.dgid", NULL, "DGID 0 in RoCE v1" },
	{ "GRH008", MK_MISSES, dgid_1_roce, "grh", NULL, "DGID ::1" },
	{ "GRH009", MK_FIRES, smp_with_grh, "grh", NULL, "an SMP with a GRH" },
	{ "GRH009", MK_MISSES, gsi_with_grh, "grh", NULL, "a MAD to QP 1 with a GRH" },
	{ 0 },
};

static const struct mk_claim claims[] = {
	{ "GRH001", NULL, MK_IN_V1 | MK_IN(IB_GLOBAL), "RoCE v2 and local packets have none" },
	{ "GRH002", NULL, MK_IN_V1 | MK_IN(IB_GLOBAL), "RoCE v2 and local packets have none" },
	{ "GRH003", NULL, MK_IN_V1 | MK_IN(IB_GLOBAL), "RoCE v2 and local packets have none" },
	{ "GRH003", paylen_roce_nothing_fits, MK_IN_V1, "native packets end by PktLen" },
	{ "GRH007", NULL, MK_IN_V1 | MK_IN(IB_GLOBAL), "RoCE v2 and local packets have none" },
	{ "GRH008", NULL, MK_IN_V1 | MK_IN(IB_GLOBAL), "RoCE v2 and local packets have none" },
	{ "GRH004", NULL, MK_IN(IB_GLOBAL), "RoCE v1 is not routed" },
	{ "GRH005", NULL, MK_IN(IB_LOCAL), "the others have a GRH, or an IP header instead" },
	{ "GRH006", NULL, MK_IN_V1,
	  "the ethertype says that a GRH follows; after an LRH it is LRH010" },
	{ "GRH009", NULL, MK_IN(IB_GLOBAL), "SMPs are of InfiniBand alone" },
	{ 0 },
};

const struct mk_group mk_lint_grh = { "grh", cases, NULL, claims };
