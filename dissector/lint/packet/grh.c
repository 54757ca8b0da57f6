/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grh.c - group GRH: the global route header, of native InfiniBand and of RoCE v1. */
#include <arpa/inet.h>
#include <inttypes.h>

#include "lint/found/found.h"
#include "track/view/ends.h"

/* A field of the GRH of the packet. */
#define AT(p, rule, field, ...) LINT_AT(p, rule, (p)->pkt->net, grh, field, __VA_ARGS__)

/* No BTH without its DestQP, so the packet is not for a special QP then. */
static uint32_t dqpn_of(const struct ibw_packet *pkt)
{
	const struct ibw_bth_wire *bth = IBW_AT(pkt, bth);

	return bth ? ibw_bth_dqpn(bth) : IBW_QPN_GSI + 1;
}

/* Native IB: PktLen has been checked by LRH003, so PayLen is measured by it. */
static void check_paylen_ib(const struct lint_packet *p, const struct ibw_grh_wire *grh)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_lrh_wire *lrh = IBW_KNOWN(pkt, lrh);
	uint32_t bytes = ibw_lrh_pktlen(lrh) * 4u, paylen = ibw_grh_paylen(grh);
	uint32_t left = bytes - ibw_lrh_BYTES - ibw_grh_BYTES;

	if (bytes < ibw_lrh_BYTES + ibw_grh_BYTES || lint_silenced(p, LINT_GRH003))
		return;
	if (paylen != left)
		AT(p, LINT_GRH003, paylen,
		   "PayLen %u, but by LRH.PktLen %u bytes from BTH to ICRC follow the GRH%s",
		   paylen, left, paylen + IBW_ICRC_BYTES == left ? ": the ICRC counts too" : "");
}

/*
 * On Ethernet nothing but PayLen says how long the packet is. Too large shows in the
 * frame; too small leaves bytes after the packet, which is no fault of PayLen if the
 * ICRC is right. The shortest RoCE v1 packet is above the 60 bytes that frames are
 * padded to, so there is nothing after a packet but an FCS.
 */
static void check_paylen_roce(const struct lint_packet *p, const struct ibw_grh_wire *grh)
{
	const struct ibw_packet *pkt = p->pkt;
	uint32_t paylen = ibw_grh_paylen(grh), end = pkt->trailer_off + pkt->trailer_len;
	uint32_t start = pkt->cover_off + ibw_grh_BYTES, n = pkt->trailer_len;
	struct track_end e;

	if (pkt->outcome == IBW_MALFORMED && pkt->error.layer == IBW_LAYER_grh) {
		AT(p, LINT_GRH003, paylen, "PayLen %u, but only %u bytes follow the GRH", paylen,
		   pkt->error.had);
		return;
	}
	if (p->view->icrc.status != IBW_CRC_BAD)
		return;
	if (track_end_witnessed(pkt, &e))
		AT(p, LINT_GRH003, paylen,
		   "PayLen %u, but the packet with its ICRC is %u bytes long%s", paylen,
		   e.end - start,
		   e.end < end || !n     ? ", before the FCS"
		   : n == IBW_ICRC_BYTES ? ": the ICRC counts too"
					 : "");
	else if (n > 4)
		AT(p, LINT_GRH003, paylen,
		   "PayLen %u, but %u bytes follow the GRH, in a frame that needs no padding",
		   paylen, end - start);
}

static void check_gids(const struct lint_packet *p, const struct ibw_grh_wire *grh)
{
	char text[INET6_ADDRSTRLEN];

	if (ibw_gid_is_multicast(ibw_grh_sgid(grh)))
		AT(p, LINT_GRH007, sgid, "SGID %s is a multicast GID",
		   inet_ntop(AF_INET6, ibw_grh_sgid(grh), text, sizeof(text)));
	if (ibw_gid_is_zero(ibw_grh_sgid(grh)))
		AT(p, LINT_GRH008, sgid, "SGID is zero; DGID is %s",
		   inet_ntop(AF_INET6, ibw_grh_dgid(grh), text, sizeof(text)));
	if (ibw_gid_is_zero(ibw_grh_dgid(grh)))
		AT(p, LINT_GRH008, dgid, "DGID is zero; SGID is %s",
		   inet_ntop(AF_INET6, ibw_grh_sgid(grh), text, sizeof(text)));
}

/* RoCE v1 has no routers, and a multicast DGID says nothing of where the members are. */
static void check_hop_limit(const struct lint_packet *p, const struct ibw_grh_wire *grh)
{
	uint64_t from = ibw_get_be64(ibw_grh_sgid(grh)), to = ibw_get_be64(ibw_grh_dgid(grh));

	if (ibw_grh_hop_limit(grh) == 0 && from != to && !ibw_gid_is_multicast(ibw_grh_dgid(grh)))
		AT(p, LINT_GRH004, hop_limit,
		   "hop limit 0 from subnet 0x%016" PRIx64 " to 0x%016" PRIx64
		   ": the router drops it",
		   from, to);
}

static void check_grh(const struct lint_packet *p, const struct ibw_grh_wire *grh)
{
	const struct ibw_packet *pkt = p->pkt;

	if (ibw_grh_nxthdr(grh) != IBW_GRH_NXTHDR_IBA)
		AT(p, LINT_GRH002, nxthdr, "NxtHdr is 0x%02x, not 0x1b for the IBA transport",
		   ibw_grh_nxthdr(grh));
	check_gids(p, grh);
	if (pkt->proto == IBW_PROTO_ROCEV1) {
		check_paylen_roce(p, grh);
		return;
	}
	check_paylen_ib(p, grh);
	check_hop_limit(p, grh);
	if (dqpn_of(pkt) == IBW_QPN_SMI)
		lint_found(p, LINT_GRH009, pkt->span[pkt->net].off, ibw_grh_BYTES,
			   "a packet to QP 0 with a GRH, on VL %u",
			   ibw_lrh_vl(IBW_KNOWN(pkt, lrh)));
}

static void check_no_grh(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_lrh_wire *lrh = IBW_AT(pkt, lrh);
	char to[LINT_LID_TEXT];
	uint16_t dlid;

	if (pkt->bth == IBW_NO_SPAN || !lrh)
		return;
	dlid = ibw_lrh_dlid(lrh);
	/* A Connect of the DC transport goes to that QP of one port. */
	if ((dqpn_of(pkt) == IBW_QPN_MULTICAST && !(pkt->flags & IBW_PKT_DC)) ||
	    (dlid >= IBW_LID_MULTICAST_FIRST && dlid != IBW_LID_PERMISSIVE))
		LINT_AT(p, LINT_GRH005, pkt->lrh, lrh, lnh,
			"to destination QP 0x%06x at DLID %s without a GRH: a group is named by "
			"its MGID",
			dqpn_of(pkt), lint_lid_text(p->lint, dlid, to));
}

/*
 * A GRH whose version is not 6, which NxtHdr vouches for, has a wrong version. Without
 * that it is none: LRH010 says so after an LRH, GRH006 after an ethertype.
 */
static void check_ipver(const struct lint_packet *p, uint32_t off)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_grh_wire *grh = ibw_grh_view(pkt->data + off, pkt->caplen - off);

	if (!grh || ibw_grh_ipver(grh) == IBW_GRH_IPVER)
		return;
	if (ibw_grh_nxthdr(grh) == IBW_GRH_NXTHDR_IBA)
		lint_found(p, LINT_GRH001, off, 1, "IPVer is %u, not 6", ibw_grh_ipver(grh));
	else if (pkt->proto == IBW_PROTO_ROCEV1)
		lint_found(p, LINT_GRH006, off, ibw_grh_BYTES,
			   "no GRH after ethertype 0x8915: IPVer %u, NxtHdr 0x%02x",
			   ibw_grh_ipver(grh), ibw_grh_nxthdr(grh));
}

void lint_grh(struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_grh_wire *grh = IBW_AT(pkt, grh);

	if (grh && ibw_grh_ipver(grh) == IBW_GRH_IPVER)
		check_grh(p, grh);
	else if (grh)
		check_ipver(p, pkt->span[pkt->net].off);
	else if (pkt->proto == IBW_PROTO_ROCEV1)
		check_ipver(p, pkt->cover_off);
	else
		check_no_grh(p);
}
