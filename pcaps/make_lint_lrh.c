/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_lrh.c - the cases of group LRH. */
#include <string.h>

#include "make_case.h"

STATED(lver_1, IB_LOCAL, RC_SEND_ONLY, 16, p->lrh.lver = 1)
STATED(vl_7, IB_LOCAL, RC_SEND_ONLY, 16, p->lrh.vl = p->lrh.sl = 7)
EDITED(reserved_byte_1, IB_LOCAL, RC_SEND_ONLY, 16, MK_AT(p, lrh)->b[1] |= 0x04)
EDITED(reserved_byte_4, IB_GLOBAL, RC_SEND_ONLY, 16, MK_AT(p, lrh)->b[4] |= 0x08)
STATED(neighbours_of_reserved, IB_LOCAL, RC_SEND_ONLY, 2048, p->lrh.sl = 15; p->lrh.dlid = 0xbfff;
       p->lrh.slid = 0xbfff)

/* PktLen is off by so many words; the CRCs are right for the bytes as they are. */
#define PKTLEN(p, delta)                                                                           \
	ibw_lrh_set_pktlen(MK_AT(p, lrh), (uint16_t)(ibw_lrh_pktlen(MK_AT(p, lrh)) + (delta)))
EDITED(pktlen_over, IB_LOCAL, RC_SEND_ONLY, 16, PKTLEN(p, 1))
EDITED(pktlen_under, IB_LOCAL, RC_SEND_ONLY, 16, PKTLEN(p, -1))
EDITED(pktlen_without_lrh, IB_GLOBAL, RC_SEND_ONLY, 16, PKTLEN(p, -2))
BROKEN(pktlen_cut, IB_LOCAL, RC_SEND_ONLY, 256, mk_cut(p, 40))
EDITED(pktlen_4, IB_LOCAL, RC_SEND_ONLY, 0, ibw_lrh_set_pktlen(MK_AT(p, lrh), 4))
EDITED(pktlen_0, IB_LOCAL, RC_SEND_ONLY, 16, ibw_lrh_set_pktlen(MK_AT(p, lrh), 0))
STATED(pktlen_6, IB_LOCAL, UC_SEND_ONLY, 0, (void)p)

/* A capture that leaves out the VCRC. */
BROKEN(no_vcrc, IB_LOCAL, RC_SEND_ONLY, 16, mk_remove(p, p->vcrc_off, 2))

static void erf_pktlen_over(struct mk_packet *p)
{
	mk_plain(p, MK_ERF_IB_LOCAL, IBW_OP_RC_SEND_ONLY, 16);
	PKTLEN(p, 1);
	mk_fix_crcs(p);
}

/* The record is padded to a multiple of 8, as capture cards do; the wire length is right. */
static void erf_padded(struct mk_packet *p)
{
	mk_plain(p, MK_ERF_IB_GLOBAL, IBW_OP_RC_SEND_ONLY, 16);
	memset(p->b + p->len, 0, 8);
	p->len = p->caplen = (p->len + 7) & ~7u;
	ibw_erf_set_rlen(MK_AT(p, erf), (uint16_t)p->len);
}

/* The longest packet there is, headers of 124 bytes, and one word more. */
static void longest(struct mk_packet *p, uint32_t payload)
{
	mk_start(p, MK_IB_GLOBAL, IBW_OP_RD_SEND_ONLY, payload);
	mk_build(p);
}

static void pktlen_1055(struct mk_packet *p)
{
	longest(p, 1055 * 4 - 8 - 40 - 12 - 4 - 8 - 4);
}

static void pktlen_1056(struct mk_packet *p)
{
	longest(p, 1056 * 4 - 8 - 40 - 12 - 4 - 8 - 4);
}

STATED(dlid_0, IB_LOCAL, RC_SEND_ONLY, 16, p->lrh.dlid = 0)
STATED(slid_0, IB_LOCAL, RC_SEND_ONLY, 16, p->lrh.slid = 0)
STATED(slid_c000, IB_LOCAL, RC_SEND_ONLY, 16, p->lrh.slid = 0xc000)
STATED(slid_fffe, IB_GLOBAL, RC_SEND_ONLY, 16, p->lrh.slid = 0xfffe)
STATED(slid_permissive, IB_LOCAL, RC_SEND_ONLY, 16, p->lrh.slid = 0xffff)
STATED(dlid_permissive, IB_LOCAL, UD_SEND_ONLY, 16, p->lrh.dlid = 0xffff)
STATED(vl15_to_qp, IB_LOCAL, UD_SEND_ONLY, 256, p->lrh.vl = 15)
STATED(vl14_to_qp, IB_LOCAL, UD_SEND_ONLY, 256, p->lrh.vl = p->lrh.sl = 14)

static void smp_permissive(struct mk_packet *p)
{
	mk_start_smp(p, MK_IB_LOCAL);
	p->lrh.slid = p->lrh.dlid = 0xffff;
	mk_build(p);
}

static void vl15_to_qp1(struct mk_packet *p)
{
	mk_start_gsi(p, MK_IB_LOCAL);
	p->lrh.vl = 15;
	mk_build(p);
}

EDITED(lnh_global_of_local, IB_LOCAL, RC_SEND_ONLY, 64,
       ibw_lrh_set_lnh(MK_AT(p, lrh), IBW_LNH_GLOBAL))
EDITED(lnh_local_of_global, IB_GLOBAL, RC_SEND_ONLY, 64,
       ibw_lrh_set_lnh(MK_AT(p, lrh), IBW_LNH_LOCAL))
EDITED(lnh_global_ipver_4, IB_GLOBAL, RC_SEND_ONLY, 64, ibw_grh_set_ipver(MK_AT(p, grh), 4))

/* Version nibble 6 and 0x1b at byte 6: a UD SEND that looks like a GRH. */
STATED(lnh_local_like_grh, IB_LOCAL, UD_SEND_ONLY, 64, p->bth.dqpn = 0x001b34)

static void raw(struct mk_packet *p)
{
	mk_raw_ib(p, IBW_LNH_RAW, 32);
}

static void raw_ipv6(struct mk_packet *p)
{
	mk_raw_ib(p, IBW_LNH_IPV6, 32);
}

static void raw_shortest(struct mk_packet *p)
{
	mk_raw_ib(p, IBW_LNH_RAW, 8);
}

static void group(struct mk_packet *p, uint16_t dlid, uint8_t gid_first)
{
	mk_start(p, MK_IB_GLOBAL, IBW_OP_UD_SEND_ONLY, 64);
	p->lrh.dlid = dlid;
	p->grh.dgid[0] = gid_first;
	p->bth.dqpn = dlid >= 0xc000 ? IBW_QPN_MULTICAST : 0x1234;
	mk_build(p);
}

static void mlid_without_mgid(struct mk_packet *p)
{
	group(p, 0xc001, 0xfe);
}

static void mgid_without_mlid(struct mk_packet *p)
{
	group(p, 0xbfff, 0xff);
}

static void mlid_with_mgid(struct mk_packet *p)
{
	group(p, 0xfffe, 0xff);
}

static void erf_vl15(struct mk_packet *p)
{
	mk_start_smp(p, MK_ERF_IB_LOCAL);
	mk_build(p);
}

static const struct mk_case cases[] = {
	{ "LRH001", MK_FIRES, lver_1, "lrh.lver", NULL, "LVer 1" },
	{ "LRH001", MK_MISSES, vl_7, NULL, NULL, "VL 7, the other half of byte 0" },
	{ "LRH002", MK_FIRES, reserved_byte_1, "lrh", NULL, "the last of the bits before LNH" },
	{ "LRH002", MK_FIRES, reserved_byte_4, "lrh", NULL, "the last of the bits before PktLen" },
	{ "LRH002", MK_MISSES, neighbours_of_reserved, NULL, NULL, "all around them set" },
	{ "LRH003", MK_FIRES, pktlen_over, "lrh.pktlen", NULL, "PktLen one word too large" },
	{ "LRH003", MK_FIRES, pktlen_under, "lrh.pktlen", NULL, "PktLen one word too small" },
	{ "LRH003", MK_FIRES, pktlen_without_lrh, "lrh.pktlen", NULL, "PktLen without the LRH" },
	{ "LRH003", MK_FIRES, erf_pktlen_over, "lrh.pktlen", NULL, "one word too large, in ERF" },
	{ "LRH003", MK_MISSES, pktlen_cut, NULL, "CAP004=file/cut",
	  "right, but the capture is cut" },
	{ "LRH003", MK_MISSES, no_vcrc, NULL, NULL, "right, but the VCRC was not captured" },
	{ "LRH003", MK_MISSES, erf_padded, NULL, NULL, "right, but the ERF record is padded" },
	{ "LRH004", MK_FIRES, pktlen_4, "lrh.pktlen", "XTH001=bth+0:8 CRC009=lrh/lrh+16:2",
	  "PktLen 4" },
	{ "LRH004", MK_FIRES, pktlen_0, "lrh.pktlen", NULL, "PktLen 0" },
	{ "LRH004", MK_MISSES, pktlen_6, NULL, NULL, "PktLen 6, nothing sent" },
	{ "LRH004", MK_MISSES, raw_shortest, "rwh", "LRH011=lrh.lnh", "PktLen 5, raw" },
	{ "LRH005", MK_FIRES, pktlen_1056, "lrh.pktlen", NULL, "PktLen 1056" },
	{ "LRH005", MK_MISSES, pktlen_1055, NULL, NULL, "PktLen 1055" },
	{ "LRH006", MK_FIRES, dlid_0, "lrh.dlid", NULL, "DLID 0" },
	{ "LRH006", MK_MISSES, slid_0, NULL, NULL, "SLID 0" },
	{ "LRH007", MK_FIRES, slid_c000, "lrh.slid", NULL, "SLID 0xc000" },
	{ "LRH007", MK_FIRES, slid_fffe, "lrh.slid", NULL, "SLID 0xfffe" },
	{ "LRH007", MK_MISSES, neighbours_of_reserved, NULL, NULL, "SLID 0xbfff" },
	{ "LRH007", MK_MISSES, slid_permissive, NULL, "LRH008=lrh.slid", "SLID 0xffff" },
	{ "LRH008", MK_FIRES, slid_permissive, "lrh.slid", NULL, "SLID 0xffff on VL 0" },
	{ "LRH008", MK_FIRES, dlid_permissive, "lrh.dlid", NULL, "DLID 0xffff on VL 0" },
	{ "LRH008", MK_MISSES, smp_permissive, NULL, NULL, "both 0xffff on VL 15" },
	{ "LRH009", MK_FIRES, vl15_to_qp, "bth.dqpn", NULL, "a user QP on VL 15" },
	{ "LRH009", MK_FIRES, vl15_to_qp1, "bth.dqpn", NULL, "QP 1 on VL 15" },
	{ "LRH009", MK_MISSES, vl14_to_qp, NULL, NULL, "a user QP on VL 14" },
	{ "LRH009", MK_MISSES, erf_vl15, NULL, NULL, "QP 0 on VL 15" },
	{ "LRH010", MK_FIRES, lnh_global_of_local, "lrh.lnh", NULL, "LNH 3, but a BTH follows" },
	{ "LRH010", MK_FIRES, lnh_local_of_global, "lrh.lnh", NULL, "LNH 2, but a GRH follows" },
	{ "LRH010", MK_MISSES, lnh_global_ipver_4, NULL, "GRH001=grh.ipver",
	  "LNH 3, a GRH of version 4" },
	{ "LRH010", MK_MISSES, lnh_local_like_grh, NULL, NULL,
	  "LNH 2, a UD SEND that looks like a GRH" },
	{ "LRH011", MK_FIRES, raw, "lrh.lnh", NULL, "LNH 0" },
	{ "LRH011", MK_FIRES, raw_ipv6, "lrh.lnh", NULL, "LNH 1" },
	{ "LRH011", MK_MISSES, vl_7, NULL, NULL, "LNH 2" },
	{ "LRH012", MK_FIRES, mlid_without_mgid, "lrh.dlid", NULL, "DLID 0xc001, unicast DGID" },
	{ "LRH012", MK_FIRES, mgid_without_mlid, "lrh.dlid", NULL, "DLID 0xbfff, multicast DGID" },
	{ "LRH012", MK_MISSES, mlid_with_mgid, NULL, NULL, "DLID 0xfffe, multicast DGID" },
	{ 0 },
};

static const struct mk_claim claims[] = {
	{ "LRH", NULL, MK_IN_IB, "Ethernet has no LRH" },
	{ "LRH011", NULL, 0, "a raw packet is a framing of its own" },
	{ "LRH004", pktlen_4, MK_IN(IB_LOCAL), "the GRH is longer" },
	{ "LRH005", NULL, MK_IN(IB_GLOBAL), "the length counts the GRH" },
	{ "LRH010", lnh_global_of_local, MK_IN(IB_LOCAL), "LNH is wrong without a GRH" },
	{ "LRH010", lnh_local_of_global, MK_IN(IB_GLOBAL), "LNH is wrong with a GRH" },
	{ "LRH012", NULL, MK_IN(IB_GLOBAL), "compared with the DGID" },
	{ 0 },
};

const struct mk_group mk_lint_lrh = { "lrh", cases, NULL, claims };
