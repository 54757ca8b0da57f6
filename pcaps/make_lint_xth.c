/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_xth.c - the cases of group XTH. */
#include "make_case.h"

BROKEN(half_a_reth, ROCE_V2_IPV4, RC_RDMA_READ_REQUEST, 0,
       leave_out(p, p->off[IBW_LAYER_reth] + 8, 8))
BROKEN(no_aeth, ROCE_V2_IPV6, RC_ACKNOWLEDGE, 0, leave_out(p, p->off[IBW_LAYER_aeth], 4))
BROKEN(no_deth, IB_LOCAL, UD_SEND_ONLY_WITH_IMMEDIATE, 0, leave_out(p, p->off[IBW_LAYER_deth], 8))
BROKEN(half_an_icrc, ROCE_V1, RC_COMPARE_SWAP, 0, leave_out(p, p->icrc_off, 2))
BROKEN(half_a_grh, ROCE_V1, RC_ACKNOWLEDGE, 0,
       mk_remove(p, p->off[IBW_LAYER_grh] + 20, p->len - p->off[IBW_LAYER_grh] - 20))
BROKEN(reth_not_captured, ROCE_V2_IPV4, RC_RDMA_READ_REQUEST, 0,
       mk_cut(p, p->off[IBW_LAYER_reth] + 8))
/* @n bytes too few of a packet of the DC transport, that would do for RD. */
static void dc_without(struct mk_packet *p, enum mk_framing framing, uint8_t opcode, uint32_t n)
{
	mk_start(p, framing, opcode, 0);
	make_dc(p);
	mk_build(p);
	leave_out(p, p->icrc_off - n, n);
}

static void half_a_reth_of_dc(struct mk_packet *p)
{
	dc_without(p, MK_ROCE_V2_IPV4, IBW_OP_RD_RDMA_READ_REQUEST, 8);
}

static void no_dcceth(struct mk_packet *p)
{
	dc_without(p, MK_IB_LOCAL, IBW_OP_RD_RESYNC, 16);
}

STATED(connect_of_dc, ROCE_V2_IPV6, RD_RESYNC, 0, p->dceth.resp_id = p->bth.dqpn = 0xffffff;
       make_dc(p))
STATED(rd_as_long, ROCE_V2_IPV4, RD_RDMA_READ_REQUEST, 0, (void)p)
STATED(just_headers, ROCE_V2_IPV4, RC_RDMA_READ_REQUEST, 0, (void)p)

STATED(dmalen_2g_and_1, ROCE_V2_IPV4, RC_RDMA_READ_REQUEST, 0, p->reth.dmalen = 0x80000001)
STATED(dmalen_max, IB_LOCAL, UC_RDMA_WRITE_FIRST, 256, p->reth.dmalen = UINT32_MAX)
STATED(dmalen_max_of_rd, ROCE_V2_IPV4, RD_RDMA_WRITE_ONLY, 16, p->reth.dmalen = UINT32_MAX)
STATED(dmalen_2g, ROCE_V2_IPV4, RC_RDMA_READ_REQUEST, 0, p->reth.dmalen = 0x80000000)
STATED(dmalen_2g_rkey_0, IB_LOCAL, RC_RDMA_READ_REQUEST, 0, p->reth.dmalen = 0x80000000;
       p->reth.rkey = 0; p->reth.va = UINT64_MAX - 0x7fffffff)
STATED(flush_of_region, ROCE_V2_IPV4, RC_FLUSH, 0, p->feth.sel = IBW_FLUSH_SEL_MR;
       p->reth.va = UINT64_MAX; p->reth.rkey = 0; p->reth.dmalen = UINT32_MAX)
STATED(flush_of_range, ROCE_V2_IPV4, XRC_FLUSH, 0, p->reth.dmalen = UINT32_MAX)

STATED(dmalen_0_with_payload, ROCE_V2_IPV4, RC_RDMA_WRITE_ONLY, 16, p->reth.dmalen = 0)
STATED(dmalen_0_of_first, ROCE_V1, XRC_RDMA_WRITE_FIRST, 256, p->reth.dmalen = 0)
STATED(write_of_nothing, ROCE_V2_IPV4, RC_RDMA_WRITE_ONLY, 0, (void)p)
STATED(read_of_nothing, ROCE_V2_IPV4, RC_RDMA_READ_REQUEST, 0, p->reth.dmalen = 0)

STATED(va_wraps, ROCE_V2_IPV4, RC_RDMA_READ_REQUEST, 0, p->reth.va = UINT64_MAX - 15;
       p->reth.dmalen = 17)
STATED(va_wraps_far, IB_GLOBAL, RC_RDMA_WRITE_ONLY, 64, p->reth.va = UINT64_MAX)
STATED(va_ends_at_the_end, ROCE_V2_IPV4, RC_RDMA_READ_REQUEST, 0, p->reth.va = UINT64_MAX - 15;
       p->reth.dmalen = 16)
STATED(va_max_of_nothing, ROCE_V2_IPV4, RC_RDMA_READ_REQUEST, 0, p->reth.va = UINT64_MAX;
       p->reth.dmalen = 0)

STATED(rkey_0, ROCE_V2_IPV4, RC_RDMA_WRITE_ONLY, 16, p->reth.rkey = 0)
STATED(rkey_0_of_nothing, ROCE_V2_IPV4, RC_RDMA_WRITE_ONLY, 0, p->reth.rkey = 0)
STATED(rkey_1, ROCE_V2_IPV4, RC_RDMA_WRITE_ONLY, 16, p->reth.rkey = 1)

STATED(atomic_at_4, ROCE_V2_IPV4, RC_COMPARE_SWAP, 0, p->atomiceth.va += 4)
STATED(atomic_write_at_1, ROCE_V2_IPV6, RC_ATOMIC_WRITE, 0, p->reth.va += 1)
STATED(atomic_at_8, ROCE_V2_IPV4, RC_COMPARE_SWAP, 0, p->atomiceth.va += 8)
STATED(atomic_write_at_8, IB_LOCAL, XRC_ATOMIC_WRITE, 0, p->reth.va += 8)
STATED(write_at_1, ROCE_V2_IPV4, RC_RDMA_WRITE_ONLY, 8, p->reth.va += 1)

STATED(fetch_add_compare, ROCE_V2_IPV4, RC_FETCH_ADD, 0, p->atomiceth.compare = 1)
STATED(fetch_add_compare_xrc, ROCE_V1, XRC_FETCH_ADD, 0, p->atomiceth.compare = UINT64_MAX)
STATED(compare_swap_compare, ROCE_V2_IPV4, RC_COMPARE_SWAP, 0, p->atomiceth.compare = 1)
STATED(fetch_add_swap, ROCE_V2_IPV4, RC_FETCH_ADD, 0, p->atomiceth.swap = UINT64_MAX)

#define SYNDROME(name, framing, opcode, value)                                                     \
	STATED(name, framing, opcode, 0, p->aeth.syndrome = value)
SYNDROME(syndrome_bit_7, ROCE_V2_IPV4, RC_ACKNOWLEDGE, 0x80)
SYNDROME(syndrome_bit_7_nak, IB_LOCAL, RC_ACKNOWLEDGE, 0xe2)
SYNDROME(syndrome_type_2, ROCE_V1, XRC_ACKNOWLEDGE, 0x40)
SYNDROME(syndrome_rnr_last, ROCE_V2_IPV4, RC_ACKNOWLEDGE, 0x3f)
SYNDROME(syndrome_unlimited, ROCE_V2_IPV4, RC_ACKNOWLEDGE, 0x1f)
SYNDROME(nak_5, ROCE_V2_IPV4, RC_ACKNOWLEDGE, 0x65)
SYNDROME(nak_31, IB_GLOBAL, RC_ACKNOWLEDGE, 0x7f)
SYNDROME(nak_4, ROCE_V2_IPV4, RC_ACKNOWLEDGE, 0x64)
SYNDROME(nak_0, ROCE_V2_IPV4, RC_ACKNOWLEDGE, 0x60)
SYNDROME(nak_in_read_response, ROCE_V2_IPV4, RC_RDMA_READ_RESPONSE_ONLY, 0x62)
SYNDROME(rnr_in_atomic_ack, ROCE_V2_IPV6, XRC_ATOMIC_ACKNOWLEDGE, 0x21)
STATED(ack_in_read_response, ROCE_V2_IPV4, RC_RDMA_READ_RESPONSE_LAST, 16, p->aeth.syndrome = 0x1f)

#define FROM_QP(name, framing, opcode, from, to, key)                                              \
	STATED(name, framing, opcode, 16, p->deth.sqpn = from; p->bth.dqpn = to; p->deth.qkey = key)
FROM_QP(qkey_0, ROCE_V2_IPV4, UD_SEND_ONLY, 0x2001, 0x1001, 0)
FROM_QP(qkey_0_immediate, IB_LOCAL, UD_SEND_ONLY_WITH_IMMEDIATE, 0x2001, 0x1001, 0)
FROM_QP(qkey_1, ROCE_V2_IPV4, UD_SEND_ONLY, 0x2001, 0x1001, 1)
EDITED(deth_reserved, ROCE_V2_IPV4, UD_SEND_ONLY, 16, MK_AT(p, deth)->b[4] = 1)
EDITED(deth_reserved_high, IB_LOCAL, UD_SEND_ONLY_WITH_IMMEDIATE, 16, MK_AT(p, deth)->b[4] = 0x80)
FROM_QP(deth_neighbours, ROCE_V2_IPV4, UD_SEND_ONLY, 0xffffff, 0x1001, 0x7fffffff)
FROM_QP(gsi_qkey_wrong, ROCE_V2_IPV4, UD_SEND_ONLY, 1, 1, 0x80010001)
FROM_QP(gsi_qkey_0, IB_LOCAL, UD_SEND_ONLY, 1, 1, 0)
FROM_QP(qkey_controlled, ROCE_V2_IPV4, UD_SEND_ONLY, 0x2001, 0x1001, 0x80000000)
FROM_QP(qkey_gsi_no_mad, ROCE_V1, UD_SEND_ONLY, 0x2001, 0x1001, IBW_QKEY_GSI)
FROM_QP(qp0_to_qp1, IB_LOCAL, UD_SEND_ONLY, 0, 1, IBW_QKEY_GSI)
FROM_QP(qp0_to_user, ROCE_V2_IPV4, UD_SEND_ONLY, 0, 0x1001, 0x11111111)
FROM_QP(qp1_to_user, ROCE_V2_IPV4, UD_SEND_ONLY, 1, 0x1001, 0x11111111)

static void smp(struct mk_packet *p)
{
	mk_start_smp(p, MK_IB_LOCAL);
	mk_build(p);
}

static void gsi(struct mk_packet *p)
{
	mk_start_gsi(p, MK_ROCE_V2_IPV6);
	mk_build(p);
}

/* What ClassPortInfo's RedirectQP leads to. */
static void gsi_redirected(struct mk_packet *p)
{
	mk_start_gsi(p, MK_IB_LOCAL);
	p->bth.dqpn = 0x51;
	mk_build(p);
}

STATED(ack_of_8, ROCE_V2_IPV4, RC_ACKNOWLEDGE, 8, (void)p)
STATED(atomic_ack_of_1, IB_LOCAL, XRC_ATOMIC_ACKNOWLEDGE, 1, (void)p)
STATED(read_request_of_64, ROCE_V1, RC_RDMA_READ_REQUEST, 64, (void)p)
STATED(read_response_of_64, ROCE_V1, RC_RDMA_READ_RESPONSE_ONLY, 64, (void)p)
STATED(rd_ack_of_16, ROCE_V2_IPV4, RD_ACKNOWLEDGE, 16, (void)p)
STATED(ack_of_0, ROCE_V2_IPV4, RC_ACKNOWLEDGE, 0, (void)p)

STATED(send_last_of_0, ROCE_V2_IPV4, RC_SEND_LAST, 0, (void)p)
STATED(write_last_of_0, IB_LOCAL, UC_RDMA_WRITE_LAST_WITH_IMMEDIATE, 0, (void)p)
STATED(response_last_of_0, ROCE_V2_IPV6, RC_RDMA_READ_RESPONSE_LAST, 0, (void)p)
STATED(invalidate_last_of_0, ROCE_V1, XRC_SEND_LAST_WITH_INVALIDATE, 0, (void)p)
STATED(send_last_of_1, ROCE_V2_IPV4, RC_SEND_LAST, 1, (void)p)
STATED(response_last_of_1, IB_GLOBAL, RC_RDMA_READ_RESPONSE_LAST, 1, (void)p)
STATED(send_only_of_0, ROCE_V2_IPV4, RC_SEND_ONLY, 0, (void)p)
STATED(response_only_of_0, ROCE_V1, RC_RDMA_READ_RESPONSE_ONLY, 0, (void)p)
STATED(rd_last_of_0, ROCE_V2_IPV4, RD_SEND_LAST, 0, (void)p)

static const struct mk_case cases[] = {
	{ "XTH001", MK_FIRES, half_a_reth, "bth+0:24", NULL,
	  "READ request without R_Key and length" },
	{ "XTH001", MK_FIRES, no_aeth, "bth+0:16", NULL, "ACK without AETH, its ICRC is right" },
	{ "XTH001", MK_FIRES, no_deth, "bth+0:20", NULL, "UD SEND without DETH" },
	{ "XTH001", MK_FIRES, half_an_icrc, "bth+0:42", NULL, "2 bytes of the ICRC" },
	{ "XTH001", MK_FIRES, half_a_grh, "grh+0:20", NULL, "a frame that ends in the GRH" },
	{ "XTH001", MK_FIRES, half_a_reth_of_dc, "bth+0:44", NULL,
	  "DC READ request without half of its RETH: enough for RD" },
	{ "XTH001", MK_FIRES, no_dcceth, "bth+0:36", NULL, "DC Connect without its key" },
	{ "XTH001", MK_MISSES, connect_of_dc, NULL, NULL, "DC Connect, nothing missing" },
	{ "XTH001", MK_MISSES, rd_as_long, NULL, NULL, "RD READ request of as many bytes" },
	{ "XTH001", MK_MISSES, reth_not_captured, NULL, "CAP005=file/reth+0:0",
	  "READ request cut in its RETH" },
	{ "XTH001", MK_MISSES, just_headers, NULL, NULL, "READ request, nothing missing" },

	{ "XTH002", MK_FIRES, dmalen_2g_and_1, "reth.dmalen", NULL, "READ of 2^31 + 1 bytes" },
	{ "XTH002", MK_FIRES, dmalen_max, "reth.dmalen", NULL, "WRITE of 2^32 - 1 bytes" },
	{ "XTH002", MK_FIRES, flush_of_range, "reth.dmalen", NULL,
	  "FLUSH of a range of 2^32 - 1 bytes" },
	{ "XTH002", MK_MISSES, dmalen_2g, "reth", NULL, "READ of 2^31 bytes" },
	{ "XTH002", MK_MISSES, dmalen_2g_rkey_0, "reth", "XTH005=reth.rkey",
	  "READ of 2^31 bytes, something else wrong" },
	{ "XTH002", MK_MISSES, dmalen_max_of_rd, "reth", NULL,
	  "with RD opcodes there may be other headers" },
	{ "XTH002", MK_MISSES, flush_of_region, "reth", NULL,
	  "FLUSH of a region, length without meaning" },

	{ "XTH003", MK_FIRES, dmalen_0_with_payload, "reth.dmalen", NULL,
	  "WRITE of 0 bytes with 16" },
	{ "XTH003", MK_FIRES, dmalen_0_of_first, "reth.dmalen", NULL,
	  "WRITE First of 0 bytes with 256" },
	{ "XTH003", MK_MISSES, write_of_nothing, "reth", NULL, "WRITE of 0 bytes with none" },
	{ "XTH003", MK_MISSES, read_of_nothing, "reth", NULL, "READ of 0 bytes" },

	{ "XTH004", MK_FIRES, va_wraps, "reth.va", NULL, "READ one byte over the end" },
	{ "XTH004", MK_FIRES, va_wraps_far, "reth.va", NULL, "WRITE of 64 bytes at the last one" },
	{ "XTH004", MK_MISSES, va_ends_at_the_end, "reth", NULL, "READ up to the last byte" },
	{ "XTH004", MK_MISSES, dmalen_2g_rkey_0, "reth", "XTH005=reth.rkey",
	  "up to the last byte, something else wrong" },
	{ "XTH004", MK_MISSES, va_max_of_nothing, "reth", NULL,
	  "READ of 0 bytes at the last byte" },
	{ "XTH004", MK_MISSES, flush_of_region, "reth", NULL,
	  "FLUSH of a region, address without meaning" },

	{ "XTH005", MK_FIRES, rkey_0, "reth.rkey", NULL, "WRITE of 16 bytes with R_Key 0" },
	{ "XTH005", MK_MISSES, rkey_0_of_nothing, "reth", NULL, "WRITE of 0 bytes with R_Key 0" },
	{ "XTH005", MK_MISSES, rkey_1, "reth", NULL, "R_Key 1" },

	{ "XTH006", MK_FIRES, atomic_at_4, "atomiceth.va", NULL,
	  "CmpSwap at an address of 4 bytes" },
	{ "XTH006", MK_FIRES, atomic_write_at_1, "reth.va", NULL,
	  "ATOMIC WRITE at an odd address" },
	{ "XTH006", MK_MISSES, atomic_at_8, NULL, NULL, "CmpSwap at a multiple of 8" },
	{ "XTH006", MK_MISSES, atomic_write_at_8, NULL, NULL, "ATOMIC WRITE at a multiple of 8" },
	{ "XTH006", MK_MISSES, write_at_1, NULL, NULL, "RDMA WRITE at an odd address" },

	{ "XTH007", MK_FIRES, fetch_add_compare, "atomiceth.compare", NULL,
	  "FetchAdd with compare data" },
	{ "XTH007", MK_FIRES, fetch_add_compare_xrc, "atomiceth.compare", NULL,
	  "XRC FetchAdd with compare data" },
	{ "XTH007", MK_MISSES, compare_swap_compare, "atomiceth", NULL,
	  "CmpSwap with compare data" },
	{ "XTH007", MK_MISSES, fetch_add_swap, "atomiceth", NULL, "FetchAdd of a large number" },

	{ "XTH008", MK_FIRES, syndrome_bit_7, "aeth.syndrome", NULL, "ACK with bit 7" },
	{ "XTH008", MK_FIRES, syndrome_bit_7_nak, "aeth.syndrome", NULL, "NAK with bit 7" },
	{ "XTH008", MK_FIRES, syndrome_type_2, "aeth.syndrome", NULL, "type 2" },
	{ "XTH008", MK_MISSES, syndrome_rnr_last, "aeth", NULL, "the highest RNR timer" },
	{ "XTH008", MK_MISSES, syndrome_unlimited, "aeth", NULL, "ACK without credit limit" },

	{ "XTH009", MK_FIRES, nak_5, "aeth.syndrome", NULL, "NAK code 5" },
	{ "XTH009", MK_FIRES, nak_31, "aeth.syndrome", NULL, "NAK code 31" },
	{ "XTH009", MK_MISSES, nak_4, "aeth", NULL, "NAK code 4" },
	{ "XTH009", MK_MISSES, syndrome_type_2, "aeth", "XTH008=aeth.syndrome",
	  "a reserved type is no NAK" },

	{ "XTH010", MK_FIRES, nak_in_read_response, "aeth.syndrome", NULL,
	  "NAK in a READ response" },
	{ "XTH010", MK_FIRES, rnr_in_atomic_ack, "aeth.syndrome", NULL,
	  "RNR NAK in an ATOMIC acknowledge" },
	{ "XTH010", MK_MISSES, ack_in_read_response, "aeth", NULL, "ACK in a READ response" },
	{ "XTH010", MK_MISSES, nak_0, "aeth", NULL, "NAK in an Acknowledge" },

	{ "XTH011", MK_FIRES, qkey_0, "deth.qkey", NULL, "Q_Key 0" },
	{ "XTH011", MK_FIRES, qkey_0_immediate, "deth.qkey", NULL, "Q_Key 0, with immediate" },
	{ "XTH011", MK_MISSES, qkey_1, "deth", NULL, "Q_Key 1" },
	{ "XTH011", MK_MISSES, smp, "deth", NULL, "SMPs have Q_Key 0" },
	{ "XTH011", MK_MISSES, gsi_qkey_0, "deth", "XTH013=deth.qkey MAD001=mad/payload",
	  "to QP1 it is worse" },

	{ "XTH012", MK_FIRES, deth_reserved, "deth+4:1", NULL, "lowest bit of the reserved byte" },
	{ "XTH012", MK_FIRES, deth_reserved_high, "deth+4:1", NULL, "highest bit of it, on IB" },
	{ "XTH012", MK_MISSES, deth_neighbours, "deth", NULL, "all bits around it" },

	{ "XTH013", MK_FIRES, gsi_qkey_wrong, "deth.qkey", "MAD001=mad/payload",
	  "Q_Key 0x80010001 to QP1" },
	{ "XTH013", MK_FIRES, gsi_qkey_0, "deth.qkey", "MAD001=mad/payload", "Q_Key 0 to QP1" },
	{ "XTH013", MK_MISSES, gsi, "deth", NULL, "Q_Key 0x80010000 to QP1" },

	{ "XTH014", MK_FIRES, qkey_controlled, "deth.qkey", NULL, "Q_Key 0x80000000" },
	{ "XTH014", MK_FIRES, qkey_gsi_no_mad, "deth.qkey", NULL, "Q_Key of QP1, but no MAD" },
	{ "XTH014", MK_MISSES, deth_neighbours, "deth", NULL, "Q_Key 0x7fffffff" },
	{ "XTH014", MK_MISSES, gsi_redirected, "deth", NULL, "a MAD redirected to another QP" },

	{ "XTH015", MK_FIRES, qp0_to_qp1, "deth.sqpn", "MAD001=mad/payload", "QP0 to QP1" },
	{ "XTH015", MK_FIRES, qp0_to_user, "deth.sqpn", NULL, "QP0 to an ordinary QP" },
	{ "XTH015", MK_MISSES, qp1_to_user, "deth", NULL, "QP1 to an ordinary QP" },
	{ "XTH015", MK_MISSES, smp, "deth", NULL, "QP0 to QP0" },

	{ "XTH017", MK_FIRES, ack_of_8, "bth/payload", NULL, "ACK with 8 bytes" },
	{ "XTH017", MK_FIRES, atomic_ack_of_1, "bth/payload", "BTH009=bth.padcnt",
	  "ATOMIC ACK with one byte and pad" },
	{ "XTH017", MK_FIRES, read_request_of_64, "bth/payload", NULL,
	  "READ request with 64 bytes" },
	{ "XTH017", MK_MISSES, read_response_of_64, NULL, NULL, "READ response with 64 bytes" },
	{ "XTH017", MK_MISSES, rd_ack_of_16, NULL, NULL, "RD is not believed" },
	{ "XTH017", MK_MISSES, ack_of_0, NULL, NULL, "ACK" },

	{ "XTH018", MK_FIRES, send_last_of_0, "bth.opcode", NULL, "SEND Last of 0 bytes" },
	{ "XTH018", MK_FIRES, write_last_of_0, "bth.opcode", NULL,
	  "UC WRITE Last with Immediate of 0 bytes" },
	{ "XTH018", MK_FIRES, response_last_of_0, "bth.opcode", NULL,
	  "READ response Last of 0 bytes" },
	{ "XTH018", MK_FIRES, invalidate_last_of_0, "bth.opcode", NULL,
	  "XRC SEND Last with Invalidate of 0 bytes" },
	{ "XTH018", MK_MISSES, send_last_of_1, NULL, NULL, "SEND Last of 1 byte" },
	{ "XTH018", MK_MISSES, response_last_of_1, NULL, NULL, "READ response Last of 1 byte" },
	{ "XTH018", MK_MISSES, send_only_of_0, NULL, NULL, "SEND Only of 0 bytes" },
	{ "XTH018", MK_MISSES, response_only_of_0, NULL, NULL, "READ response Only of 0 bytes" },
	{ "XTH018", MK_MISSES, rd_last_of_0, NULL, NULL, "RD is not believed" },
	{ 0 },
};

static const struct mk_claim claims[] = {
	{ "XTH001", half_an_icrc, MK_IN_V1 | MK_IN_V2, "PktLen counts words" },
	{ "XTH001", half_a_grh, MK_IN_V1, "a frame that ends in the GRH" },
	{ 0 },
};

const struct mk_group mk_lint_xth = { "xth", cases, NULL, claims };
