/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_bth.c - the cases of group BTH. */
#include <string.h>

#include "make_case.h"

STATED(tver_1, ROCE_V2_IPV4, RC_SEND_ONLY, 16, p->bth.tver = 1)
STATED(tver_8, IB_LOCAL, RC_SEND_ONLY, 16, p->bth.tver = 8)
STATED(all_of_byte_1_but_tver, IB_LOCAL, RC_SEND_ONLY, 13, p->bth.se = 1)

/* A SEND whose opcode is replaced: what follows the BTH is payload to those who do not know it. */
static void opcode(struct mk_packet *p, uint8_t code)
{
	mk_start(p, MK_ROCE_V2_IPV4, IBW_OP_RC_SEND_ONLY, 32);
	p->bth.opcode = code;
	mk_build(p);
}

static void opcode_rc_15(struct mk_packet *p)
{
	opcode(p, 0x15);
}

static void opcode_ud_write(struct mk_packet *p)
{
	opcode(p, 0x6a);
}

static void opcode_cnp_prefix(struct mk_packet *p)
{
	opcode(p, 0x80);
}

static void opcode_below_vendor(struct mk_packet *p)
{
	opcode(p, 0xbf);
}

static void opcode_vendor_first(struct mk_packet *p)
{
	opcode(p, 0xc0);
}

static void opcode_vendor_last(struct mk_packet *p)
{
	opcode(p, 0xff);
}

STATED(dc_connect, ROCE_V2_IPV4, RD_RESYNC, 0, p->dceth.resp_id = p->bth.dqpn = 0xffffff;
       make_dc(p))
STATED(se_of_dc, ROCE_V2_IPV4, RD_RESYNC, 0, p->bth.se = 1; make_dc(p))

STATED(opcode_last_known, ROCE_V2_IPV4, XRC_ATOMIC_WRITE, 0, (void)p)

EDITED(reserved_byte_4_high, ROCE_V2_IPV4, RC_SEND_ONLY, 16, MK_AT(p, bth)->b[4] |= 0x20)
EDITED(reserved_byte_4_low, IB_GLOBAL, RC_SEND_ONLY, 16, MK_AT(p, bth)->b[4] |= 0x01)
/* With a PSN below 2^16, so that nothing else near them is set. */
EDITED(reserved_byte_8_high, ROCE_V2_IPV6, RC_SEND_ONLY, 16, ibw_bth_set_psn(MK_AT(p, bth), 1);
       MK_AT(p, bth)->b[8] |= 0x40)
EDITED(reserved_byte_8_low, ROCE_V1, RC_SEND_ONLY, 16, ibw_bth_set_psn(MK_AT(p, bth), 1);
       MK_AT(p, bth)->b[8] |= 0x01)
EDITED(reserved_but_used, ROCE_V2_IPV4, RC_SEND_ONLY, 16, MK_AT(p, bth)->b[4] |= 0x10)
STATED(neighbours_of_reserved, ROCE_V2_IPV4, RC_SEND_ONLY, 16,
       p->bth.fecn = p->bth.becn = p->bth.ackreq = 1;
       p->bth.dqpn = 0xfffffe; p->bth.psn = 0xffffff)

STATED(pkey_0, ROCE_V2_IPV4, RC_SEND_ONLY, 16, p->bth.pkey = 0)
STATED(pkey_8000, IB_LOCAL, RC_SEND_ONLY, 16, p->bth.pkey = 0x8000)
STATED(pkey_8001, IB_LOCAL, RC_SEND_ONLY, 16, p->bth.pkey = 0x8001)
STATED(pkey_1_roce, ROCE_V2_IPV4, RC_SEND_ONLY, 16, p->bth.pkey = 1)
STATED(pkey_fffe_roce_v1, ROCE_V1, RC_SEND_ONLY, 16, p->bth.pkey = 0xfffe)
STATED(pkey_7fff_roce, ROCE_V2_IPV6, RC_SEND_ONLY, 16, p->bth.pkey = 0x7fff)

static void pkey_0_to_qp0(struct mk_packet *p)
{
	mk_start_smp(p, MK_IB_LOCAL);
	p->bth.pkey = 0;
	mk_build(p);
}

#define PADCNT(n) ibw_bth_set_padcnt(MK_AT(p, bth), n)
EDITED(pad_of_ack, ROCE_V2_IPV4, RC_ACKNOWLEDGE, 0, PADCNT(2))
EDITED(pad_of_read_request, IB_LOCAL, RC_RDMA_READ_REQUEST, 0, PADCNT(1))
EDITED(pad_of_middle, ROCE_V2_IPV4, RC_RDMA_WRITE_MIDDLE, 256, PADCNT(3))
STATED(pad_of_first, ROCE_V2_IPV6, UC_SEND_FIRST, 255, (void)p)
STATED(pad_of_last, ROCE_V2_IPV4, RC_RDMA_WRITE_LAST_WITH_IMMEDIATE, 255, (void)p)
STATED(pad_of_response, ROCE_V1, RC_RDMA_READ_RESPONSE_ONLY, 1, (void)p)

EDITED(pad_3_of_nothing, ROCE_V2_IPV4, RC_SEND_ONLY, 0, PADCNT(3))
EDITED(pad_1_of_write_of_nothing, IB_GLOBAL, UC_RDMA_WRITE_ONLY, 0, PADCNT(1))
EDITED(pad_3_of_4, ROCE_V2_IPV4, RC_SEND_ONLY, 4, PADCNT(3))
STATED(pad_is_all, ROCE_V2_IPV4, RC_SEND_ONLY, 0, p->pad = 3)

STATED(five_bytes, ROCE_V2_IPV4, RC_SEND_ONLY, 5, p->pad = 0)
STATED(five_and_one, ROCE_V1, UD_SEND_ONLY, 5, p->pad = 1)
STATED(five_and_three, ROCE_V2_IPV4, RC_SEND_ONLY_WITH_IMMEDIATE, 5, p->pad = 3)

/* The @n pad bytes are ones, the payload before them as well. */
static void ones_from(struct mk_packet *p, uint32_t at, uint32_t n)
{
	while (n--)
		p->b[at++] = 0xff;
	mk_fix_crcs(p);
}

BROKEN(pad_of_ones, ROCE_V2_IPV4, RC_SEND_ONLY, 13, ones_from(p, p->pad_off, 3))
BROKEN(last_pad_byte, IB_LOCAL, RC_SEND_ONLY, 14, ones_from(p, p->pad_off + 1, 1))
BROKEN(payload_of_ones, ROCE_V2_IPV4, RC_SEND_ONLY, 13, ones_from(p, p->payload_off, 13))
BROKEN(pad_not_captured, ROCE_V2_IPV4, RC_SEND_ONLY, 13, ones_from(p, p->pad_off, 3);
       mk_cut(p, p->pad_off + 2))

STATED(rc_to_multicast, ROCE_V2_IPV4, RC_SEND_ONLY, 16, p->bth.dqpn = IBW_QPN_MULTICAST)
STATED(uc_to_multicast, ROCE_V2_IPV6, UC_RDMA_WRITE_ONLY, 16, p->bth.dqpn = IBW_QPN_MULTICAST)
STATED(ud_to_multicast, ROCE_V2_IPV4, UD_SEND_ONLY_WITH_IMMEDIATE, 16,
       p->bth.dqpn = IBW_QPN_MULTICAST)
/* To a group, by its address and all that follows from it. */
static void ud_to_group(struct mk_packet *p, enum mk_framing framing)
{
	static const uint8_t group[16] = { 0xff, 0x0e, [10] = 0xff, 0xff, 0xef, 1, 2, 3 };

	mk_start(p, framing, IBW_OP_UD_SEND_ONLY_WITH_IMMEDIATE, 16);
	p->bth.dqpn = IBW_QPN_MULTICAST;
	p->lrh.dlid = 0xc000;
	p->ipv4.dst = 0xef010203;
	memcpy(p->grh.dgid, group, 16);
	memcpy(p->ipv6.dst, group, 16);
	if (framing == MK_ROCE_V2_IPV4)
		ibw_ipv4_mcast_mac(p->eth.dst, p->ipv4.dst);
	else
		ibw_mcast_gid_to_mac(p->eth.dst, group);
	mk_build(p);
}

static void ud_to_group_ipv4(struct mk_packet *p)
{
	ud_to_group(p, MK_ROCE_V2_IPV4);
}

static void ud_to_group_ipv6(struct mk_packet *p)
{
	ud_to_group(p, MK_ROCE_V2_IPV6);
}

static void ud_to_group_v1(struct mk_packet *p)
{
	ud_to_group(p, MK_ROCE_V1);
}

static void ud_to_group_ib(struct mk_packet *p)
{
	ud_to_group(p, MK_IB_GLOBAL);
}

STATED(ud_below_multicast, ROCE_V2_IPV4, UD_SEND_ONLY, 16, p->bth.dqpn = IBW_QPN_MULTICAST - 1)
STATED(ud_to_multicast_ipv6, ROCE_V2_IPV6, UD_SEND_ONLY, 16, p->bth.dqpn = IBW_QPN_MULTICAST)
STATED(ud_to_multicast_v1, ROCE_V1, UD_SEND_ONLY, 16, p->bth.dqpn = IBW_QPN_MULTICAST)
STATED(ud_to_multicast_ib, IB_GLOBAL, UD_SEND_ONLY, 16, p->bth.dqpn = IBW_QPN_MULTICAST)
STATED(ud_to_multicast_local, IB_LOCAL, UD_SEND_ONLY, 16, p->bth.dqpn = IBW_QPN_MULTICAST)
STATED(dc_to_multicast, ROCE_V2_IPV4, RD_RESYNC, 0, p->bth.dqpn = IBW_QPN_MULTICAST)
STATED(rc_below_multicast, ROCE_V2_IPV4, RC_SEND_ONLY, 15, p->bth.dqpn = IBW_QPN_MULTICAST - 1)

STATED(rc_to_qp0, ROCE_V2_IPV4, RC_SEND_ONLY, 16, p->bth.dqpn = 0)
STATED(rc_to_qp0_ib, IB_LOCAL, RC_SEND_ONLY, 16, p->bth.dqpn = 0)
STATED(ud_to_qp0, ROCE_V1, UD_SEND_ONLY, 256, p->bth.dqpn = 0; p->deth.sqpn = 0)
STATED(rc_to_qp1, ROCE_V2_IPV6, RC_SEND_ONLY, 16, p->bth.dqpn = 1)
STATED(cnp_to_qp1, ROCE_V2_IPV4, CNP, 0, p->bth.dqpn = 1)
STATED(rc_to_qp2, ROCE_V2_IPV4, RC_SEND_ONLY, 16, p->bth.dqpn = 2)

static void ud_to_qp1(struct mk_packet *p)
{
	mk_start_gsi(p, MK_ROCE_V2_IPV4);
	mk_build(p);
}

static void smp(struct mk_packet *p)
{
	mk_start_smp(p, MK_IB_LOCAL);
	mk_build(p);
}

STATED(se_of_first, ROCE_V2_IPV4, RC_SEND_FIRST, 256, p->bth.se = 1)
STATED(se_of_write_last, ROCE_V2_IPV4, RC_RDMA_WRITE_LAST, 16, p->bth.se = 1)
STATED(se_of_ack, IB_LOCAL, RC_ACKNOWLEDGE, 0, p->bth.se = 1)
STATED(se_of_atomic, ROCE_V1, XRC_FETCH_ADD, 0, p->bth.se = 1)
STATED(se_of_send_invalidate, ROCE_V2_IPV4, RC_SEND_LAST_WITH_INVALIDATE, 16, p->bth.se = 1)
STATED(se_of_write_immediate, ROCE_V2_IPV6, UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE, 16, p->bth.se = 1)
STATED(se_of_ud_immediate, IB_GLOBAL, UD_SEND_ONLY_WITH_IMMEDIATE, 16, p->bth.se = 1)
STATED(se_of_xrc_send, ROCE_V2_IPV4, XRC_SEND_ONLY, 16, p->bth.se = 1)

static const struct mk_case cases[] = {
	{ "BTH001", MK_FIRES, tver_1, "bth.tver", NULL, "TVer 1" },
	{ "BTH001", MK_FIRES, tver_8, "bth.tver", NULL, "TVer 8" },
	{ "BTH001", MK_MISSES, all_of_byte_1_but_tver, NULL, NULL, "all of byte 1 set but TVer" },

	{ "BTH002", MK_FIRES, opcode_rc_15, "bth.opcode", NULL, "a hole in the opcodes of RC" },
	{ "BTH002", MK_FIRES, opcode_ud_write, "bth.opcode", NULL, "UD has no RDMA WRITE" },
	{ "BTH002", MK_FIRES, opcode_cnp_prefix, "bth.opcode", NULL,
	  "0x80 is the service of CNP, not CNP" },
	{ "BTH002", MK_FIRES, opcode_below_vendor, "bth.opcode", NULL,
	  "the last one that is not a manufacturer's" },
	{ "BTH002", MK_MISSES, opcode_last_known, NULL, NULL, "the highest opcode defined" },
	{ "BTH002", MK_MISSES, opcode_vendor_first, NULL, "BTH003=bth.opcode",
	  "manufacturers' opcodes begin" },

	{ "BTH003", MK_FIRES, opcode_vendor_first, "bth.opcode", NULL, "manufacturer opcode 0xc0" },
	{ "BTH003", MK_FIRES, opcode_vendor_last, "bth.opcode", NULL, "manufacturer opcode 0xff" },
	{ "BTH003", MK_MISSES, opcode_below_vendor, NULL, "BTH002=bth.opcode", "opcode 0xbf" },

	{ "BTH005", MK_FIRES, reserved_byte_4_high, "bth+4:1", NULL, "the bit after BECN" },
	{ "BTH005", MK_FIRES, reserved_byte_4_low, "bth+4:1", NULL,
	  "the bit before the QP number" },
	{ "BTH005", MK_FIRES, reserved_byte_8_high, "bth+8:1", NULL, "the bit after AckReq" },
	{ "BTH005", MK_FIRES, reserved_byte_8_low, "bth+8:1", NULL, "the bit before the PSN" },
	{ "BTH005", MK_MISSES, reserved_but_used, NULL, NULL, "the one that adapters use" },
	{ "BTH005", MK_MISSES, neighbours_of_reserved, NULL, NULL,
	  "all bits around the reserved ones" },

	{ "BTH006", MK_FIRES, pkey_0, "bth.pkey", NULL, "P_Key 0x0000 on RoCE" },
	{ "BTH006", MK_FIRES, pkey_8000, "bth.pkey", NULL, "P_Key 0x8000 on IB" },
	{ "BTH006", MK_MISSES, pkey_8001, NULL, NULL, "P_Key 0x8001 on IB" },
	{ "BTH006", MK_MISSES, pkey_0_to_qp0, NULL, NULL,
	  "P_Key 0x0000 to QP0, where nobody looks" },

	{ "BTH008", MK_FIRES, pkey_1_roce, "bth.pkey", NULL, "P_Key 0x0001 on RoCE v2" },
	{ "BTH008", MK_FIRES, pkey_fffe_roce_v1, "bth.pkey", NULL, "P_Key 0xfffe on RoCE v1" },
	{ "BTH008", MK_MISSES, pkey_7fff_roce, NULL, NULL, "P_Key 0x7fff on RoCE" },
	{ "BTH008", MK_MISSES, pkey_8001, NULL, NULL, "P_Key 0x8001 on IB" },
	{ "BTH008", MK_MISSES, pkey_0, NULL, "BTH006=bth.pkey", "P_Key 0x0000 is worse than that" },

	{ "BTH009", MK_FIRES, pad_of_ack, "bth.padcnt", NULL, "PadCnt 2 in an ACK" },
	{ "BTH009", MK_FIRES, pad_of_read_request, "bth.padcnt", NULL,
	  "PadCnt 1 in a READ request" },
	{ "BTH009", MK_FIRES, pad_of_middle, "bth.padcnt", NULL,
	  "PadCnt 3 in a WRITE Middle of 256 bytes" },
	{ "BTH009", MK_FIRES, pad_of_first, "bth.padcnt", NULL,
	  "SEND First of 255 bytes and a pad" },
	{ "BTH009", MK_MISSES, pad_of_last, NULL, NULL, "WRITE Last of 255 bytes and a pad" },
	{ "BTH009", MK_MISSES, pad_of_response, NULL, NULL, "READ response of 1 byte and a pad" },

	{ "BTH010", MK_FIRES, pad_3_of_nothing, "bth.padcnt", NULL,
	  "PadCnt 3, nothing after the headers" },
	{ "BTH010", MK_FIRES, pad_1_of_write_of_nothing, "bth.padcnt", NULL,
	  "PadCnt 1, nothing after the RETH" },
	{ "BTH010", MK_MISSES, pad_3_of_4, NULL, "BTH012=bth/payload+1:3", "PadCnt 3 of 4 bytes" },
	{ "BTH010", MK_MISSES, pad_is_all, NULL, "BTH011=bth/body", "PadCnt 3 of 3 bytes" },
	{ "BTH010", MK_MISSES, pad_of_ack, NULL, "BTH009=bth.padcnt",
	  "an ACK has no business with it at all" },

	{ "BTH011", MK_FIRES, five_bytes, "bth/body", NULL, "5 bytes, no pad" },
	{ "BTH011", MK_FIRES, five_and_one, "bth/body", NULL, "5 bytes, 1 pad byte" },
	{ "BTH011", MK_MISSES, five_and_three, NULL, NULL, "5 bytes, 3 pad bytes, after an ImmDt" },

	{ "BTH012", MK_FIRES, pad_of_ones, "bth/pad", NULL, "3 pad bytes of 0xff" },
	{ "BTH012", MK_FIRES, last_pad_byte, "bth/pad", NULL, "the second of 2 pad bytes" },
	{ "BTH012", MK_MISSES, payload_of_ones, NULL, NULL, "the payload before the pad" },
	{ "BTH012", MK_MISSES, pad_not_captured, NULL, "CAP004=file/cut",
	  "the last pad byte was not captured" },

	{ "BTH013", MK_FIRES, rc_to_multicast, "bth.dqpn", "GRH005=lrh.lnh",
	  "RC SEND to the multicast QP" },
	{ "BTH013", MK_FIRES, uc_to_multicast, "bth.dqpn", "GRH005=lrh.lnh",
	  "UC RDMA WRITE to the multicast QP" },
	{ "BTH013", MK_MISSES, ud_to_group_ipv4, NULL, NULL, "UD SEND to a group" },
	{ "BTH013", MK_MISSES, dc_to_multicast, NULL, NULL, "RD RESYNC, whose opcode DC has" },
	{ "BTH013", MK_MISSES, dc_connect, NULL, NULL, "DC Connect to QP 0xffffff" },
	{ "BTH013", MK_MISSES, rc_below_multicast, NULL, NULL, "RC SEND to the QP below" },

	{ "BTH014", MK_FIRES, rc_to_qp0, "bth.dqpn", "GRH009=grh", "RC SEND to QP0 on RoCE" },
	{ "BTH014", MK_FIRES, rc_to_qp0_ib, "bth.dqpn", "GRH009=grh", "RC SEND to QP0 on IB" },
	{ "BTH014", MK_FIRES, ud_to_qp0, "bth.dqpn", "MAD002=mad.base_version",
	  "UD SEND to QP0 on RoCE" },
	{ "BTH014", MK_FIRES, rc_to_qp1, "bth.dqpn", NULL, "RC SEND to QP1" },
	{ "BTH014", MK_MISSES, ud_to_qp1, NULL, NULL, "a MAD to QP1 on RoCE" },
	{ "BTH014", MK_MISSES, smp, NULL, NULL, "an SMP to QP0 on IB" },
	{ "BTH014", MK_MISSES, cnp_to_qp1, NULL, NULL, "CNP for QP1, which sent a marked MAD" },
	{ "BTH014", MK_MISSES, rc_to_qp2, NULL, NULL, "RC SEND to QP2" },

	{ "BTH015", MK_FIRES, se_of_first, "bth.se", NULL, "SE in a SEND First" },
	{ "BTH015", MK_FIRES, se_of_write_last, "bth.se", NULL,
	  "SE in a WRITE Last without immediate" },
	{ "BTH015", MK_FIRES, se_of_ack, "bth.se", NULL, "SE in an ACK" },
	{ "BTH015", MK_FIRES, se_of_atomic, "bth.se", NULL, "SE in an atomic request" },
	{ "BTH015", MK_MISSES, se_of_send_invalidate, NULL, NULL,
	  "SE in a SEND Last with Invalidate" },
	{ "BTH015", MK_MISSES, se_of_write_immediate, NULL, NULL,
	  "SE in a WRITE Only with Immediate" },
	{ "BTH015", MK_MISSES, se_of_ud_immediate, NULL, NULL, "SE in a UD SEND with Immediate" },
	{ "BTH015", MK_MISSES, se_of_dc, NULL, NULL, "SE in opcode 0x55 of DC" },
	{ "BTH015", MK_MISSES, se_of_xrc_send, NULL, NULL, "SE in an XRC SEND" },

	{ "BTH017", MK_FIRES, ud_to_multicast, "bth.dqpn", NULL,
	  "UD SEND with Immediate to the multicast QP of a host" },
	{ "BTH017", MK_FIRES, ud_to_multicast_ipv6, "bth.dqpn", NULL,
	  "UD SEND to the multicast QP of a host, IPv6" },
	{ "BTH017", MK_FIRES, ud_to_multicast_v1, "bth.dqpn", NULL,
	  "UD SEND to the multicast QP of a host, RoCE v1" },
	{ "BTH017", MK_FIRES, ud_to_multicast_ib, "bth.dqpn", NULL,
	  "UD SEND to the multicast QP of a host, InfiniBand" },
	{ "BTH017", MK_MISSES, ud_to_multicast_local, NULL, "GRH005=lrh.lnh",
	  "UD SEND to the multicast QP without a GRH" },
	{ "BTH017", MK_MISSES, ud_to_group_ipv4, NULL, NULL, "UD SEND to a group" },
	{ "BTH017", MK_MISSES, ud_to_group_ipv6, NULL, NULL, "UD SEND to a group, IPv6" },
	{ "BTH017", MK_MISSES, ud_to_group_v1, NULL, NULL, "UD SEND to a group, RoCE v1" },
	{ "BTH017", MK_MISSES, ud_to_group_ib, NULL, NULL, "UD SEND to a group, InfiniBand" },
	{ "BTH017", MK_MISSES, ud_below_multicast, NULL, NULL, "UD SEND to the QP below" },
	{ "BTH017", MK_MISSES, rc_to_multicast, NULL, "BTH013=bth.dqpn",
	  "RC SEND to the multicast QP" },
	{ 0 },
};

static const struct mk_claim claims[] = {
	{ "BTH008", NULL, MK_IN_V1 | MK_IN_V2, "InfiniBand has partitions" },
	{ "BTH011", NULL, MK_IN_V1 | MK_IN_V2, "PktLen counts words: it is LRH003" },
	{ "BTH014", ud_to_qp0, MK_IN_V1 | MK_IN_V2, "an SMP on InfiniBand" },
	{ "BTH017", NULL, MK_IN(IB_GLOBAL) | MK_IN_V1 | MK_IN_V2,
	  "without a GRH no address: it is GRH005" },
	{ 0 },
};

const struct mk_group mk_lint_bth = { "bth", cases, NULL, claims };
