/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cng.c - group CNG: congestion notification. */
#include <stdio.h>

#include "lint/found/found.h"

/* Whether there is room for the 16 bytes and the ICRC, and for nothing else. */
static void check_cnp_length(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_error *e = &pkt->error;
	uint32_t behind_bth = pkt->span[pkt->bth].off + (uint32_t)ibw_bth_BYTES;
	uint32_t extra = pkt->payload_len + pkt->pad_len;

	if (extra)
		lint_found(p, LINT_CNG001, pkt->payload_off, extra,
			   "CNP with %u bytes between its 16 reserved bytes and the ICRC", extra);
	else if (pkt->outcome == IBW_MALFORMED && !e->field && !lint_silenced(p, LINT_CNG001))
		lint_found(p, LINT_CNG001, behind_bth, lint_room_end(pkt) - behind_bth,
			   "CNP with %u bytes after the BTH: 16 reserved bytes and an ICRC are %u",
			   lint_room_end(pkt) - behind_bth,
			   (unsigned int)(ibw_cnp_BYTES + IBW_ICRC_BYTES));
}

static void check_cnp_reserved(const struct lint_packet *p)
{
	const struct ibw_cnp_wire *cnp = IBW_AT(p->pkt, cnp);
	unsigned int i;

	if (!cnp)
		return;
	for (i = 0; i < ibw_cnp_BYTES; i++)
		if (cnp->b[i])
			break;
	if (i < ibw_cnp_BYTES)
		LINT_AT(p, LINT_CNG001, ibw_packet_eth(p->pkt, IBW_ETH_CNP), cnp, rsvd,
			"CNP whose reserved bytes are not 0: byte %u is 0x%02x", i, cnp->b[i]);
}

static void check_cnp_bth(const struct lint_packet *p, const struct ibw_bth_wire *bth)
{
	char pad[16] = "", psn[24] = "";

	if (ibw_bth_becn(bth) && !ibw_bth_se(bth) && !ibw_bth_ackreq(bth) && !ibw_bth_padcnt(bth) &&
	    !ibw_bth_psn(bth))
		return;
	if (ibw_bth_padcnt(bth))
		snprintf(pad, sizeof(pad), " PadCnt %u", ibw_bth_padcnt(bth));
	if (ibw_bth_psn(bth))
		snprintf(psn, sizeof(psn), " psn 0x%06x", ibw_bth_psn(bth));
	lint_found(p, LINT_CNG002, p->pkt->span[p->pkt->bth].off, ibw_bth_BYTES,
		   "CNP with%s%s%s%s%s: in a CNP all of these are 0, except BECN, which is 1",
		   ibw_bth_becn(bth) ? "" : " BECN 0", ibw_bth_se(bth) ? " SE 1" : "", pad,
		   ibw_bth_ackreq(bth) ? " AckReq 1" : "", psn);
}

static void check_cnp_ecn(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_ipv4_wire *ipv4 = IBW_AT(pkt, ipv4);
	const struct ibw_ipv6_wire *ipv6 = IBW_AT(pkt, ipv6);

	if (ipv4 && ibw_ipv4_ecn(ipv4) == IBW_ECN_CE)
		LINT_AT(p, LINT_CNG008, pkt->net, ipv4, ecn, "CNP marked CE on its way, dscp %u",
			ibw_ipv4_dscp(ipv4));
	else if (ipv6 && ibw_ipv6_ecn(ipv6) == IBW_ECN_CE)
		LINT_AT(p, LINT_CNG008, pkt->net, ipv6, ecn, "CNP marked CE on its way, dscp %u",
			ibw_ipv6_dscp(ipv6));
}

static __attribute__((noinline)) void check(const struct lint_packet *p,
					    const struct ibw_bth_wire *bth)
{
	if (p->pkt->opcode == IBW_OP_CNP) {
		check_cnp_length(p);
		check_cnp_reserved(p);
		check_cnp_bth(p, bth);
		check_cnp_ecn(p);
	} else if (p->pkt->proto == IBW_PROTO_IB) {
		LINT_AT(p, LINT_CNG009, p->pkt->bth, bth, fecn,
			"%s%s%s set: congestion control at work", ibw_bth_fecn(bth) ? "FECN" : "",
			ibw_bth_fecn(bth) && ibw_bth_becn(bth) ? " and " : "",
			ibw_bth_becn(bth) ? "BECN" : "");
	}
}

void lint_cng(struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_bth_wire *bth = IBW_KNOWN(pkt, bth);

	if (pkt->opcode == IBW_OP_CNP || ibw_bth_fecn(bth) || ibw_bth_becn(bth))
		check(p, bth);
}
