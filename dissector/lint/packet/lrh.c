/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lrh.c - group LRH: the local route header. */
#include "packet.h"
#include "lint/found/found.h"
#include "track/view/ends.h"

/* Words in the shortest packets, raw ones and others: IBTA vol 1, 7.7.8 */
#define WORDS_RAW_MIN 5
#define WORDS_LOCAL_MIN 6

/* All headers, ICRC and VCRC take 126 bytes at most; PktLen leaves out the VCRC. */
#define WORDS_MAX ((IBW_MTU_MAX + 126 - IBW_VCRC_BYTES) / 4)

/* A field of the LRH of the packet. */
#define AT(p, rule, field, ...) LINT_AT(p, rule, (p)->pkt->lrh, lrh, field, __VA_ARGS__)

static const struct ibw_lrh_wire *lrh_of(const struct lint_packet *p)
{
	return IBW_KNOWN(p->pkt, lrh);
}

static bool is_raw(const struct ibw_lrh_wire *lrh)
{
	return ibw_lrh_lnh(lrh) == IBW_LNH_RAW || ibw_lrh_lnh(lrh) == IBW_LNH_IPV6;
}

static bool lid_multicast(uint16_t lid)
{
	return lid >= IBW_LID_MULTICAST_FIRST && lid != IBW_LID_PERMISSIVE;
}

uint32_t lint_lid_off(const struct ibw_packet *pkt, bool destination)
{
	unsigned int at = destination ? ibw_lrh_dlid_AT : ibw_lrh_slid_AT;

	return pkt->span[pkt->lrh].off + at / 8;
}

/*
 * The frame ends with the VCRC, or where a capture leaves that out, with the ICRC. An
 * ERF record may have been padded after it, but it knows the length on the wire.
 */
static void check_pktlen(const struct lint_packet *p)
{
	const struct ibw_lrh_wire *lrh = lrh_of(p);
	uint32_t words = ibw_lrh_pktlen(lrh),
		 wire = track_wire_end(p->pkt) - p->pkt->span[p->pkt->lrh].off;
	uint32_t min = is_raw(lrh) ? WORDS_RAW_MIN : WORDS_LOCAL_MIN;

	if (words < min)
		AT(p, LINT_LRH004, pktlen,
		   "PktLen %u words (%u bytes): a packet of this kind has %u at least, and %u "
		   "bytes are on the wire",
		   words, words * 4, min, wire);
	else if (words * 4 != wire && words * 4 + IBW_VCRC_BYTES != wire)
		AT(p, LINT_LRH003, pktlen,
		   "PktLen %u words are %u bytes, %u with the VCRC, but %u are on the wire", words,
		   words * 4, words * 4 + IBW_VCRC_BYTES, wire);
	if (words > WORDS_MAX)
		AT(p, LINT_LRH005, pktlen,
		   "PktLen %u words (%u bytes) is more than %u, headers and ICRC around 4096 bytes",
		   words, words * 4, WORDS_MAX);
}

static void check_lids(const struct lint_packet *p)
{
	const struct ibw_lrh_wire *lrh = lrh_of(p);
	uint16_t slid = ibw_lrh_slid(lrh), dlid = ibw_lrh_dlid(lrh);
	char from[LINT_LID_TEXT], to[LINT_LID_TEXT];

	if (dlid == 0)
		AT(p, LINT_LRH006, dlid, "DLID is 0, which is reserved; SLID is %s",
		   lint_lid_text(p->lint, slid, from));
	if (lid_multicast(slid))
		AT(p, LINT_LRH007, slid, "SLID 0x%04x is a multicast LID", slid);
	if ((slid == IBW_LID_PERMISSIVE || dlid == IBW_LID_PERMISSIVE) &&
	    ibw_lrh_vl(lrh) != IBW_VL_SM)
		lint_found(p, LINT_LRH008, lint_lid_off(p->pkt, dlid == IBW_LID_PERMISSIVE),
			   sizeof(dlid), "permissive LID on VL %u: SLID %s, DLID %s",
			   ibw_lrh_vl(lrh), lint_lid_text(p->lint, slid, from),
			   lint_lid_text(p->lint, dlid, to));
}

/* Where LNH is right: the BTH is where it is looked for. */
static void check_vl15(const struct lint_packet *p)
{
	const struct ibw_bth_wire *bth = IBW_AT(p->pkt, bth);

	if (bth && ibw_bth_dqpn(bth) != IBW_QPN_SMI)
		LINT_AT(p, LINT_LRH009, p->pkt->bth, bth, dqpn,
			"VL 15 with destination QP 0x%06x: VL 15 is for QP 0 alone",
			ibw_bth_dqpn(bth));
}

/* Whether the bytes at @p are a GRH, in a packet whose LRH says that @n bytes follow it. */
static bool is_grh(const struct ibw_grh_wire *grh, uint32_t n)
{
	return ibw_grh_ipver(grh) == IBW_GRH_IPVER && ibw_grh_nxthdr(grh) == IBW_GRH_NXTHDR_IBA &&
	       ibw_grh_paylen(grh) + (uint32_t)ibw_grh_BYTES == n;
}

/*
 * A wrong version nibble with the right NxtHdr is a GRH with a wrong version (GRH001).
 * The other way round the version nibble and NxtHdr alone are not enough: a UD SEND
 * (opcode 0x64) to a QP like 0x001b34 has both.
 */
static bool check_lnh(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_lrh_wire *lrh = lrh_of(p);
	uint32_t off = pkt->span[pkt->lrh].off + ibw_lrh_BYTES;
	const struct ibw_grh_wire *grh = ibw_grh_view(pkt->data + off, pkt->caplen - off);

	if (!grh)
		return true;
	if (ibw_lrh_lnh(lrh) == IBW_LNH_GLOBAL && ibw_grh_ipver(grh) != IBW_GRH_IPVER &&
	    ibw_grh_nxthdr(grh) != IBW_GRH_NXTHDR_IBA) {
		AT(p, LINT_LRH010, lnh,
		   "LNH says GRH, but what follows has IPVer %u and NxtHdr 0x%02x: no GRH",
		   ibw_grh_ipver(grh), ibw_grh_nxthdr(grh));
		return false;
	}
	if (ibw_lrh_lnh(lrh) == IBW_LNH_LOCAL &&
	    is_grh(grh, ibw_lrh_pktlen(lrh) * 4u - ibw_lrh_BYTES)) {
		AT(p, LINT_LRH010, lnh,
		   "LNH says BTH, but a GRH follows: IPVer 6, PayLen %u, NxtHdr 0x1b",
		   ibw_grh_paylen(grh));
		return false;
	}
	return true;
}

/* The DLID and the DGID have to agree on whether the packet is for a group. */
static void check_multicast(const struct lint_packet *p)
{
	uint16_t dlid = ibw_lrh_dlid(lrh_of(p));
	const struct ibw_grh_wire *grh = IBW_AT(p->pkt, grh);
	char to[LINT_LID_TEXT];

	if (!grh || ibw_grh_ipver(grh) != IBW_GRH_IPVER ||
	    lid_multicast(dlid) == ibw_gid_is_multicast(ibw_grh_dgid(grh)))
		return;
	AT(p, LINT_LRH012, dlid, "DLID %s is %s, the DGID (%02x%02x:...) is %s",
	   lint_lid_text(p->lint, dlid, to), lid_multicast(dlid) ? "multicast" : "unicast",
	   ibw_grh_dgid(grh)[0], ibw_grh_dgid(grh)[1], lid_multicast(dlid) ? "not" : "multicast");
}

bool lint_lrh(const struct lint_packet *p)
{
	const struct ibw_lrh_wire *lrh = lrh_of(p);

	if (ibw_lrh_lver(lrh))
		AT(p, LINT_LRH001, lver, "LVer is %u, only 0 is defined", ibw_lrh_lver(lrh));
	if (ibw_lrh_rsvd_set(lrh))
		lint_found(p, LINT_LRH002, p->pkt->span[p->pkt->lrh].off, ibw_lrh_BYTES,
			   "reserved bits: byte 1 is 0x%02x, byte 4 is 0x%02x", lrh->b[1],
			   lrh->b[4]);
	check_pktlen(p);
	check_lids(p);
	if (!check_lnh(p))
		return false;
	if (ibw_lrh_vl(lrh) == IBW_VL_SM)
		check_vl15(p);
	check_multicast(p);
	if (is_raw(lrh))
		AT(p, LINT_LRH011, lnh, "raw packet (LNH %u: %s): no BTH and no ICRC",
		   ibw_lrh_lnh(lrh), ibw_name_of(ibw_lnh_names, ibw_lrh_lnh(lrh)));
	return true;
}
