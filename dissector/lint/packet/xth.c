/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xth.c - group XTH: the extended transport headers, and whether all of them are there.
 *
 * Each header has a test of a few compares that an ordinary header passes; only otherwise are the
 * rules checked.
 */
#include "ordinary.h"

/* Whether the packet does what this opcode of RC does, in whatever service. */
static inline bool does(const struct ibw_packet *pkt, enum ibw_opcode rc_opcode)
{
	return TRACK_OPERATION(pkt->opcode) == (unsigned int)rc_opcode;
}

/* The length that bounds the packet. */
static const char *said_by(const struct ibw_error *e)
{
	switch (e->said_by) {
	case IBW_LAYER_erf:
		return "erf.wlen";
	case IBW_LAYER_lrh:
		return "lrh.pktlen";
	case IBW_LAYER_grh:
		return "grh.paylen";
	case IBW_LAYER_ipv4:
		return "ipv4.total_len";
	case IBW_LAYER_ipv6:
		return "ipv6.paylen";
	case IBW_LAYER_udp:
		return "udp.length";
	default:
		return "the frame";
	}
}

/*
 * Whether the packet is too short for its own headers; then the finding is made, and what
 * was taken for the last of them may be something else.
 */
static __attribute__((noinline)) bool truncated(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_error *e = &pkt->error;
	uint32_t bth, after, had;

	if (e->field || pkt->proto == IBW_PROTO_ARP || pkt->proto == IBW_PROTO_PAUSE ||
	    pkt->proto == IBW_PROTO_IPOIB || lint_silenced(p, LINT_XTH001))
		return false;
	if (pkt->bth == IBW_NO_SPAN) {
		lint_found(p, LINT_XTH001, e->off, e->had,
			   "no room for the %s header: it needs %u bytes, %s leaves %u",
			   ibw_headers[e->layer].name, e->needed, said_by(e), e->had);
		return true;
	}
	bth = pkt->span[pkt->bth].off;
	after = IBW_ETHS_BYTES(ibw_packet_eths(pkt));
	had = lint_room_end(pkt) - bth;
	lint_found(p, LINT_XTH001, bth, had,
		   "%s needs %u bytes (BTH %u, headers after it %u, ICRC %u), %s leaves %u",
		   lint_opcode_text(pkt), (uint32_t)ibw_bth_BYTES + after + IBW_ICRC_BYTES,
		   (unsigned int)ibw_bth_BYTES, after, IBW_ICRC_BYTES, said_by(e), had);
	return true;
}

/* A FLUSH of a whole memory region: its address and length say nothing. IBTA annex A19 */
static bool flushes_region(const struct ibw_packet *pkt)
{
	const struct ibw_feth_wire *feth = IBW_AT(pkt, feth);

	return feth && ibw_feth_sel(feth) == IBW_FLUSH_SEL_MR;
}

static __attribute__((noinline)) void check_reth(const struct lint_packet *p, unsigned int i,
						 const struct ibw_reth_wire *reth)
{
	const struct ibw_packet *pkt = p->pkt;
	uint64_t va = ibw_reth_va(reth);
	uint32_t len = ibw_reth_dmalen(reth);

	if (flushes_region(pkt))
		return;
	if (len > IBW_MESSAGE_MAX)
		LINT_AT(p, LINT_XTH002, i, reth, dmalen,
			"%s of %u bytes: a message has at most 2147483648", lint_opcode_text(pkt),
			len);
	if (!len && pkt->payload_len)
		LINT_AT(p, LINT_XTH003, i, reth, dmalen, "%s of 0 bytes carries %u",
			lint_opcode_text(pkt), pkt->payload_len);
	if (len && va + (len - 1) < va)
		LINT_AT(p, LINT_XTH004, i, reth, va,
			"%s of %u bytes at 0x%016llx runs over the end of the address space",
			lint_opcode_text(pkt), len, (unsigned long long)va);
	if (len && !ibw_reth_rkey(reth))
		LINT_AT(p, LINT_XTH005, i, reth, rkey, "%s of %u bytes at 0x%016llx with R_Key 0",
			lint_opcode_text(pkt), len, (unsigned long long)va);
}

static inline void look_at_reth(const struct lint_packet *p, unsigned int i)
{
	const struct ibw_reth_wire *reth = ibw_packet_at(p->pkt, i);

	if (!lint_reth_ordinary(reth))
		check_reth(p, i, reth);
}

static __attribute__((noinline)) void check_aeth(const struct lint_packet *p, unsigned int i,
						 uint8_t syndrome)
{
	const struct ibw_packet *pkt = p->pkt;
	unsigned int type = IBW_AETH_TYPE(syndrome);

	if (type != IBW_AETH_TYPE_ACK && type != IBW_AETH_TYPE_RNR && type != IBW_AETH_TYPE_NAK) {
		LINT_AT(p, LINT_XTH008, i, aeth, syndrome,
			"%s with AETH syndrome 0x%02x: %s is reserved", lint_opcode_text(pkt),
			syndrome, syndrome & 0x80 ? "bit 7" : "type 2 in bits 6:5");
		return;
	}
	if (type == IBW_AETH_TYPE_NAK && syndrome > IBW_AETH_NAK_INVALID_RD)
		LINT_AT(p, LINT_XTH009, i, aeth, syndrome,
			"%s with NAK code %u (syndrome 0x%02x): codes are 0 to %u",
			lint_opcode_text(pkt), IBW_AETH_VALUE(syndrome), syndrome,
			IBW_AETH_VALUE(IBW_AETH_NAK_INVALID_RD));
	if (type != IBW_AETH_TYPE_ACK && !does(pkt, IBW_OP_RC_ACKNOWLEDGE))
		LINT_AT(p, LINT_XTH010, i, aeth, syndrome,
			"%s carries %s (syndrome 0x%02x), which only an Acknowledge can",
			lint_opcode_text(pkt), type == IBW_AETH_TYPE_RNR ? "an RNR NAK" : "a NAK",
			syndrome);
}

static inline void look_at_aeth(const struct lint_packet *p, unsigned int i)
{
	const struct ibw_aeth_wire *aeth = ibw_packet_at(p->pkt, i);

	if (!lint_aeth_ordinary(aeth))
		check_aeth(p, i, ibw_aeth_syndrome(aeth));
}

/* Whether the payload can be a MAD: the size of one, and the base version. */
static bool is_mad(const struct ibw_packet *pkt)
{
	return pkt->payload_len == 256 && pkt->payload_off < pkt->caplen &&
	       pkt->data[pkt->payload_off] == 1;
}

static __attribute__((noinline)) void check_deth(const struct lint_packet *p, unsigned int i,
						 const struct ibw_deth_wire *deth, uint32_t dqpn)
{
	const struct ibw_packet *pkt = p->pkt;
	uint32_t qkey = ibw_deth_qkey(deth);

	if (ibw_deth_rsvd_set(deth))
		lint_found(p, LINT_XTH012, pkt->span[i].off + ibw_deth_rsvd32_AT_ / 8, 1,
			   "reserved byte of the DETH is 0x%02x", deth->b[ibw_deth_rsvd32_AT_ / 8]);
	if (dqpn == IBW_QPN_SMI)
		return;
	if (dqpn == IBW_QPN_GSI && qkey != IBW_QKEY_GSI)
		LINT_AT(p, LINT_XTH013, i, deth, qkey, "Q_Key 0x%08x to QP1, which takes 0x%08x",
			qkey, IBW_QKEY_GSI);
	else if (!qkey)
		LINT_AT(p, LINT_XTH011, i, deth, qkey, "%s from qp 0x%06x with Q_Key 0",
			lint_opcode_text(pkt), ibw_deth_sqpn(deth));
	else if (dqpn > IBW_QPN_GSI && qkey & IBW_QKEY_CONTROLLED &&
		 !(qkey == IBW_QKEY_GSI && is_mad(pkt)))
		LINT_AT(p, LINT_XTH014, i, deth, qkey, "controlled Q_Key 0x%08x to an ordinary QP",
			qkey);
	if (!ibw_deth_sqpn(deth))
		LINT_AT(p, LINT_XTH015, i, deth, sqpn, "sent by QP0 with Q_Key 0x%08x", qkey);
}

static inline void look_at_deth(const struct lint_packet *p, unsigned int i)
{
	const struct ibw_deth_wire *deth = ibw_packet_at(p->pkt, i);
	uint32_t dqpn = ibw_bth_dqpn(IBW_KNOWN(p->pkt, bth));
	uint32_t qkey = ibw_deth_qkey(deth), plain = dqpn == IBW_QPN_GSI ? IBW_QKEY_GSI : qkey;

	if (!qkey || qkey != plain || (qkey & IBW_QKEY_CONTROLLED && dqpn != IBW_QPN_GSI) ||
	    ibw_deth_rsvd_set(deth) || !ibw_deth_sqpn(deth))
		check_deth(p, i, deth, dqpn);
}

static void unaligned(const struct lint_packet *p, unsigned int i, uint64_t va)
{
	lint_found(p, LINT_XTH006, p->pkt->span[i].off, sizeof(va),
		   "%s at 0x%016llx, not a multiple of 8", lint_opcode_text(p->pkt),
		   (unsigned long long)va);
}

static inline void look_at_atomiceth(const struct lint_packet *p, unsigned int i)
{
	const struct ibw_atomiceth_wire *atomic = ibw_packet_at(p->pkt, i);
	uint64_t va = ibw_atomiceth_va(atomic), compare = ibw_atomiceth_compare(atomic);

	if (va & 7)
		unaligned(p, i, va);
	if (compare && does(p->pkt, IBW_OP_RC_FETCH_ADD))
		LINT_AT(p, LINT_XTH007, i, atomiceth, compare,
			"%s adds 0x%016llx and has 0x%016llx as compare data, which it does not use",
			lint_opcode_text(p->pkt), (unsigned long long)ibw_atomiceth_swap(atomic),
			(unsigned long long)compare);
}

/* An ATOMIC WRITE names its address in the RETH before it. */
static inline void look_at_atomicwrite(const struct lint_packet *p, unsigned int i)
{
	uint64_t va = ibw_reth_va(ibw_packet_at(p->pkt, i - 1));

	if (va & 7)
		unaligned(p, i - 1, va);
}

/*
 * What an opcode may not be: opcodes that have no payload, but for CNP, whose length is CNG001's; and the
 * last packets of messages of several, which have what the others left.
 */
const uint8_t lint_payload_refused[256] = {
#define IBW_OPCODE(code, name, text, service, eths, position, role, payload)                       \
	[code] = IBW_OPF_##payload == IBW_OPF_NONE                                                 \
			 ? (IBW_SERVICE_##service == IBW_SERVICE_CNP ? 0 : LINT_WITH_PAYLOAD)      \
			 : (IBW_OPF_##position == IBW_OPF_LAST ? LINT_WITHOUT_PAYLOAD : 0),
#include <ibwire/list/opcodes.def>
#undef IBW_OPCODE
};

static __attribute__((noinline)) void wrong_payload(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;

	if (pkt->outcome == IBW_MALFORMED || pkt->flags & IBW_PKT_FRAGMENT)
		return;
	if (pkt->payload_len)
		lint_found(p, LINT_XTH017, pkt->payload_off, pkt->payload_len,
			   "%s with %u bytes of payload: it has none", lint_opcode_text(pkt),
			   pkt->payload_len);
	else
		LINT_AT(p, LINT_XTH018, pkt->bth, bth, opcode,
			"%s without a payload: it has at least 1 byte", lint_opcode_text(pkt));
}

void lint_xth(struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	unsigned int i = pkt->bth;
	uint32_t eths;

	if (pkt->outcome == IBW_MALFORMED && truncated(p))
		return;
	/* Of RD only the lengths are believed: see rules/xth.def. */
	if ((pkt->opcode & IBW_SERVICE_MASK) == IBW_SERVICE_RD)
		return;
	if (!lint_payload_fits(pkt->opcode, pkt->payload_len))
		wrong_payload(p);
	for (eths = pkt->eths; eths; eths &= eths - 1) {
		i++;
		switch (eths & -eths) {
		case IBW_ETH_RETH:
			look_at_reth(p, i);
			break;
		case IBW_ETH_AETH:
			look_at_aeth(p, i);
			break;
		case IBW_ETH_DETH:
			look_at_deth(p, i);
			break;
		case IBW_ETH_ATOMICETH:
			look_at_atomiceth(p, i);
			break;
		case IBW_ETH_ATOMICWRITE:
			look_at_atomicwrite(p, i);
			break;
		default:
			break;
		}
	}
}
