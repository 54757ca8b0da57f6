/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bth.c - group BTH: the base transport header.
 *
 * Nearly all packets pass by a few compares over the first nine bytes of the header
 * and two lengths. Those compares may let through nothing a rule is about; what
 * they stop need not be wrong.
 */
#include "ordinary.h"

#define OPERATION_BIT(name) (1u << TRACK_OPERATION(IBW_OP_RC_##name))

/* The last packets of messages that complete a receive: IBTA vol 1, 9.2.3 */
#define RECEIVES                                                                                   \
	(OPERATION_BIT(SEND_LAST) | OPERATION_BIT(SEND_LAST_WITH_IMMEDIATE) |                      \
	 OPERATION_BIT(SEND_ONLY) | OPERATION_BIT(SEND_ONLY_WITH_IMMEDIATE) |                      \
	 OPERATION_BIT(RDMA_WRITE_LAST_WITH_IMMEDIATE) |                                           \
	 OPERATION_BIT(RDMA_WRITE_ONLY_WITH_IMMEDIATE) |                                           \
	 OPERATION_BIT(SEND_LAST_WITH_INVALIDATE) | OPERATION_BIT(SEND_ONLY_WITH_INVALIDATE))

/*
 * Which bits of byte 1 an opcode may have set; none if it is not defined, not even
 * MigReq, which is how those are found. SE and PadCnt of a CNP are for group CNG.
 */
const uint8_t lint_byte1_allowed[256] = {
#define IBW_OPCODE(code, name, text, service, eths, position, role, payload)                       \
	[code] = LINT_BYTE1(migreq) |                                                              \
		 (IBW_SERVICE_##service == IBW_SERVICE_CNP ? LINT_BYTE1(se) | LINT_BYTE1(padcnt)   \
							   : 0) |                                  \
		 (RECEIVES >> TRACK_OPERATION(code) & 1 ? LINT_BYTE1(se) : 0) |                    \
		 (IBW_OPF_##payload == IBW_OPF_SOME ? LINT_BYTE1(padcnt) : 0),
#include <ibwire/list/opcodes.def>
#undef IBW_OPCODE
};

static inline bool is_roce(const struct ibw_packet *pkt)
{
	return pkt->proto == IBW_PROTO_ROCEV1 || pkt->proto == IBW_PROTO_ROCEV2;
}

/* Mellanox's own transport: a Connect goes to QP 0xffffff, and nobody says what SE means in 0x55. */
static inline bool is_dc(const struct ibw_packet *pkt)
{
	return pkt->flags & IBW_PKT_DC;
}

static void check_opcode(const struct lint_packet *p)
{
	uint8_t opcode = p->pkt->opcode;

	if (ibw_opcodes[opcode].text)
		return;
	if (opcode >= IBW_OPCODE_VENDOR_FIRST)
		LINT_AT(p, LINT_BTH003, p->pkt->bth, bth, opcode,
			"manufacturer opcode 0x%02x: nothing after the BTH is checked but the CRCs",
			opcode);
	else
		LINT_AT(p, LINT_BTH002, p->pkt->bth, bth, opcode,
			"opcode 0x%02x (%s, operation 0x%02x) is not defined%s", opcode,
			track_service_text(opcode), TRACK_OPERATION(opcode),
			opcode == IBW_SERVICE_CNP ? "; a CNP is 0x81" : "");
}

static void check_byte1(const struct lint_packet *p, const struct ibw_bth_wire *bth)
{
	const struct ibw_packet *pkt = p->pkt;
	unsigned int refused = ~(unsigned int)lint_byte1_allowed[pkt->opcode];

	if (ibw_bth_tver(bth))
		LINT_AT(p, LINT_BTH001, pkt->bth, bth, tver, "TVer is %u, only 0 is defined",
			ibw_bth_tver(bth));
	if (ibw_bth_se(bth) && refused & LINT_BYTE1(se) && ibw_opcodes[pkt->opcode].text &&
	    !is_dc(pkt))
		LINT_AT(p, LINT_BTH015, pkt->bth, bth, se,
			"%s has the solicited event bit set, but it completes no receive",
			lint_opcode_text(pkt));
}

static void check_reserved(const struct lint_packet *p, const struct ibw_bth_wire *bth)
{
	uint32_t off = p->pkt->span[p->pkt->bth].off;
	unsigned int i = ibw_bth_rsvd34_AT_ / 8, k = ibw_bth_rsvd65_AT_ / 8;

	if (ibw_get_be64(bth->b) & LINT_RSVD_BYTE4)
		lint_found(p, LINT_BTH005, off + i, 1,
			   "byte %u is 0x%02x: its low 6 bits are reserved (the ICRC does not "
			   "cover them)",
			   i, bth->b[i]);
	if (bth->b[k] & LINT_RSVD_BYTE8)
		lint_found(p, LINT_BTH005, off + k, 1,
			   "byte %u is 0x%02x: its low 7 bits are reserved", k, bth->b[k]);
}

static void check_pkey(const struct lint_packet *p, const struct ibw_bth_wire *bth)
{
	const struct ibw_packet *pkt = p->pkt;
	uint16_t pkey = ibw_bth_pkey(bth), partition = pkey & (uint16_t)~IBW_PKEY_FULL;

	if (!partition && (is_roce(pkt) || ibw_bth_dqpn(bth) != IBW_QPN_SMI))
		LINT_AT(p, LINT_BTH006, pkt->bth, bth, pkey,
			"P_Key 0x%04x is invalid: its low 15 bits are 0", pkey);
	else if (is_roce(pkt) && partition != (IBW_PKEY_DEFAULT_FULL & ~IBW_PKEY_FULL))
		LINT_AT(p, LINT_BTH008, pkt->bth, bth, pkey,
			"P_Key 0x%04x on RoCE, where adapters have only 0xffff", pkey);
}

/* The pad bytes, if all of them were captured. */
static void check_pad_bytes(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	uint32_t off = pkt->payload_off + pkt->payload_len, n = pkt->pad_len, i;
	uint32_t value = 0;

	if (!n || off > pkt->caplen || n > pkt->caplen - off)
		return;
	for (i = 0; i < n; i++)
		value = value << 8 | pkt->data[off + i];
	if (value)
		lint_found(p, LINT_BTH012, off, n, "the %u pad byte%s hold 0x%0*x", n,
			   n == 1 ? "" : "s", (int)(2 * n), value);
}

static void check_pad(const struct lint_packet *p, const struct ibw_bth_wire *bth)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_opcode_row *row = &ibw_opcodes[pkt->opcode];
	uint32_t pad = ibw_bth_padcnt(bth), left = pkt->payload_len + pkt->pad_len;

	if (pad && row->text && !(lint_byte1_allowed[pkt->opcode] & LINT_BYTE1(padcnt)))
		LINT_AT(p, LINT_BTH009, pkt->bth, bth, padcnt, "%s has PadCnt %u: %s",
			lint_opcode_text(pkt), pad,
			row->flags & IBW_OPF_MTU ? "its payload is the path MTU"
						 : "it has no payload to pad");
	else if (pkt->icrc_off && pad > left)
		LINT_AT(p, LINT_BTH010, pkt->bth, bth, padcnt,
			"%s has PadCnt %u, but only %u byte%s between headers and ICRC",
			lint_opcode_text(pkt), pad, left, left == 1 ? "" : "s");
	else
		check_pad_bytes(p);
	if (pkt->icrc_off && pkt->outcome != IBW_MALFORMED && lint_unaligned(left))
		lint_found(p, LINT_BTH011, pkt->payload_off, left,
			   "%s: payload %u + pad %u = %u bytes, not a multiple of 4",
			   lint_opcode_text(pkt), pkt->payload_len, pkt->pad_len, left);
}

/*
 * Whether the header that names the destination names one host. Without a GRH, InfiniBand has none; and
 * where the DLID is a group's, LRH012 speaks of it.
 */
static bool to_one_host(const struct ibw_packet *pkt)
{
	const struct ibw_ipv4_wire *ipv4 = IBW_AT(pkt, ipv4);
	const struct ibw_ipv6_wire *ipv6 = IBW_AT(pkt, ipv6);
	const struct ibw_grh_wire *grh = IBW_AT(pkt, grh);
	const struct ibw_lrh_wire *lrh = IBW_AT(pkt, lrh);

	if (ipv4)
		return !ibw_ipv4_is_multicast(ibw_ipv4_dst(ipv4));
	if (ipv6)
		return !ibw_gid_is_multicast(ibw_ipv6_dst(ipv6));
	return grh && !ibw_gid_is_multicast(ibw_grh_dgid(grh)) &&
	       !(lrh && ibw_lrh_dlid(lrh) >= IBW_LID_MULTICAST_FIRST);
}

static void check_dqpn(const struct lint_packet *p, const struct ibw_bth_wire *bth)
{
	const struct ibw_packet *pkt = p->pkt;
	uint32_t dqpn = ibw_bth_dqpn(bth);
	unsigned int service = pkt->opcode & IBW_SERVICE_MASK;

	if (dqpn == IBW_QPN_SMI && is_roce(pkt))
		LINT_AT(p, LINT_BTH014, pkt->bth, bth, dqpn,
			"%s to QP0, which RoCE does not have: adapters drop it",
			lint_opcode_text(pkt));
	else if (!ibw_opcodes[pkt->opcode].text || is_dc(pkt))
		return;
	else if (dqpn == IBW_QPN_MULTICAST && service == IBW_SERVICE_UD && to_one_host(pkt))
		LINT_AT(p, LINT_BTH017, pkt->bth, bth, dqpn,
			"%s to the multicast QP, at an address that is not a group's",
			lint_opcode_text(pkt));
	else if (service == IBW_SERVICE_UD)
		return;
	else if (dqpn == IBW_QPN_MULTICAST && service != IBW_SERVICE_RD)
		LINT_AT(p, LINT_BTH013, pkt->bth, bth, dqpn,
			"%s to the multicast QP, which takes UD SEND only", lint_opcode_text(pkt));
	else if (dqpn == IBW_QPN_SMI || (dqpn == IBW_QPN_GSI && service != IBW_SERVICE_CNP))
		LINT_AT(p, LINT_BTH014, pkt->bth, bth, dqpn, "%s to QP%u, which takes UD SEND only",
			lint_opcode_text(pkt), dqpn);
}

static __attribute__((noinline)) void check(const struct lint_packet *p,
					    const struct ibw_bth_wire *bth)
{
	check_opcode(p);
	check_byte1(p, bth);
	check_reserved(p, bth);
	check_pkey(p, bth);
	check_pad(p, bth);
	check_dqpn(p, bth);
}

/* QP0 and QP1 take UD SEND Only, as all MADs are: RoCE has no QP0. */
static bool is_of_queue_pair(const struct ibw_packet *pkt, uint32_t dqpn)
{
	return pkt->opcode == IBW_OP_UD_SEND_ONLY
		       ? dqpn == IBW_QPN_GSI || (dqpn == IBW_QPN_SMI && !is_roce(pkt))
		       : !lint_dqpn_special(dqpn);
}

void lint_bth(struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_bth_wire *bth = IBW_KNOWN(pkt, bth);

	if (!lint_bth_ordinary_else(bth, pkt->payload_len + pkt->pad_len) ||
	    !is_of_queue_pair(pkt, ibw_bth_dqpn(bth)))
		check(p, bth);
}
