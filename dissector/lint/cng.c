/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cng.c - group CNG: congestion notification. */
#include <stdio.h>

#include "rule.h"

/* Whether the headers and the ICRC of a CNP are what there is room for. */
static void check_cnp_length(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_error *e = &pkt->error;

	if (!(pkt->eths & IBW_ETH_CNP)) {
		if (pkt->outcome == IBW_MALFORMED && e->layer == IBW_LAYER_cnp)
			lint_found(
				p, LINT_CNG001, e->off, e->had,
				"CNP with %u bytes behind the BTH: 16 reserved bytes and an ICRC "
				"are %u",
				e->had, (unsigned int)(ibw_cnp_BYTES + IBW_ICRC_BYTES));
		return;
	}
	if (pkt->payload_len + pkt->pad_len)
		lint_found(p, LINT_CNG001, pkt->payload_off, pkt->payload_len + pkt->pad_len,
			   "CNP with %u bytes between its 16 reserved bytes and the ICRC",
			   pkt->payload_len + pkt->pad_len);
}

static void check_cnp_reserved(const struct lint_packet *p)
{
	unsigned int at = lint_eth(p->pkt, IBW_ETH_CNP), i;
	const struct ibw_cnp_wire *cnp;

	if (at == IBW_NO_SPAN)
		return;
	cnp = ibw_packet_at(p->pkt, at);
	for (i = 0; i < ibw_cnp_BYTES; i++)
		if (cnp->b[i])
			break;
	if (i < ibw_cnp_BYTES)
		LINT_AT(p, LINT_CNG001, at, cnp, rsvd,
			"CNP whose reserved bytes are not 0: byte %u is 0x%02x", i, cnp->b[i]);
}

static void check_cnp_bth(const struct lint_packet *p, const struct ibw_bth_wire *bth)
{
	char psn[24] = "";

	if (ibw_bth_becn(bth) && !ibw_bth_se(bth) && !ibw_bth_ackreq(bth) && !ibw_bth_padcnt(bth) &&
	    !ibw_bth_psn(bth))
		return;
	if (ibw_bth_psn(bth))
		snprintf(psn, sizeof(psn), ", psn 0x%06x", ibw_bth_psn(bth));
	lint_found(p, LINT_CNG002, p->pkt->span[p->pkt->bth].off, ibw_bth_BYTES,
		   "CNP with BECN %u%s%s%s%s: BECN is 1 in a CNP, SE, PadCnt, AckReq and PSN are 0",
		   ibw_bth_becn(bth), ibw_bth_se(bth) ? ", SE 1" : "",
		   ibw_bth_padcnt(bth) ? ", PadCnt not 0" : "",
		   ibw_bth_ackreq(bth) ? ", AckReq 1" : "", psn);
}

static void check_cnp_ecn(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const void *net;

	if (pkt->proto != IBW_PROTO_ROCEV2 || pkt->net == IBW_NO_SPAN)
		return;
	net = ibw_packet_at(pkt, pkt->net);
	if (pkt->span[pkt->net].layer == IBW_LAYER_ipv4) {
		if (ibw_ipv4_ecn(net) == IBW_ECN_CE)
			LINT_AT(p, LINT_CNG008, pkt->net, ipv4, ecn,
				"CNP marked CE on its way, dscp %u", ibw_ipv4_dscp(net));
	} else if (ibw_ipv6_ecn(net) == IBW_ECN_CE) {
		LINT_AT(p, LINT_CNG008, pkt->net, ipv6, ecn, "CNP marked CE on its way, dscp %u",
			ibw_ipv6_dscp(net));
	}
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

void lint_cng(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_bth_wire *bth = ibw_packet_at(pkt, pkt->bth);

	if (pkt->opcode == IBW_OP_CNP || ibw_bth_fecn(bth) || ibw_bth_becn(bth))
		check(p, bth);
}
