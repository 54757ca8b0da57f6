/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain.c - plain packets that no rule of the groups after CAP is about, which are nearly all, by a few wide compares.
 *
 * Of what it does not let through each group is asked, and so it is of a view that is not plain: fuzz/plain.c compares
 * what is found.
 */
#include "ordinary.h"
#include "plain.h"
#include "track/view/plain.h"

/* Headers whose rules are asked here, and those that have none. */
#define ETHS                                                                                       \
	(IBW_ETH_RETH | IBW_ETH_AETH | IBW_ETH_ATOMICACKETH | IBW_ETH_IMMDT | IBW_ETH_IETH |       \
	 IBW_ETH_CNP)

/* Group ROC: MACs of zeros; the sum, DF, TTL and destination of IPv4; the source port and the checksum of UDP. */
static inline bool is_addressed(const uint8_t *p)
{
	const struct ibw_ipv4_wire *ip = (const void *)(p + TRACK_PLAIN_IP);
	const struct ibw_udp_wire *udp = (const void *)(p + TRACK_PLAIN_UDP);

	/* The last four bytes of each MAC: one that ends in zeros is looked at */
	return ibw_get_le32(p + 2) && ibw_get_le32(p + ibw_eth_src_AT / 8 + 2) &&
	       ibw_ipv4_checksum_good(ip, ibw_ipv4_BYTES) && ibw_ipv4_df(ip) &&
	       ibw_ipv4_ttl(ip) > 1 && !ibw_ipv4_is_multicast(ibw_ipv4_dst(ip)) &&
	       ibw_udp_sport(udp) >= IBW_ROCE_SPORT_FIRST && !ibw_udp_checksum(udp);
}

/* Group CNG: nothing but BECN in the BTH, no AckReq, PSN or payload; reserved bytes of 0; not marked CE. */
static inline bool is_ordinary_cnp(const uint8_t *p, uint32_t payload_len)
{
	const struct ibw_ipv4_wire *ip = (const void *)(p + TRACK_PLAIN_IP);
	const struct ibw_bth_wire *bth = (const void *)(p + TRACK_PLAIN_BTH);
	const uint8_t *rsvd = bth->b + ibw_bth_BYTES;

	return ibw_bth_becn(bth) && !ibw_bth_se(bth) &&
	       !ibw_get_be32(bth->b + ibw_bth_ackreq_AT / 8) && !payload_len &&
	       !(ibw_get_le64(rsvd) | ibw_get_le64(rsvd + 8)) && ibw_ipv4_ecn(ip) != IBW_ECN_CE;
}

/* Groups XTH and CNG. What an opcode has of these headers comes first after the BTH. */
static inline bool has_ordinary_eths(const uint8_t *p, uint32_t payload_len)
{
	const uint8_t *bth = p + TRACK_PLAIN_BTH, *first = bth + ibw_bth_BYTES;
	const uint32_t eths = ibw_opcodes[*bth].eths;

	if (eths & ~(uint32_t)ETHS || !lint_payload_fits(*bth, payload_len))
		return false;
	if (eths & IBW_ETH_AETH)
		return lint_aeth_ordinary((const void *)first);
	if (eths & IBW_ETH_CNP)
		return is_ordinary_cnp(p, payload_len);
	return !(eths & IBW_ETH_RETH) || lint_reth_ordinary((const void *)first);
}

/* A plain frame at @p, with so many bytes between its headers and its ICRC. */
static inline bool is_ordinary(const uint8_t *p, uint32_t bytes)
{
	return lint_bth_ordinary((const void *)(p + TRACK_PLAIN_BTH), bytes) && is_addressed(p) &&
	       has_ordinary_eths(p, bytes); /* without a pad, all of them are payload */
}

bool lint_plain(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;

	return p->view->icrc.status == IBW_CRC_GOOD && !p->context->ipoib &&
	       is_ordinary(pkt->data, pkt->payload_len + pkt->pad_len);
}

bool lint_is_ordinary(const struct track_plain *p)
{
	return is_ordinary(p->data, p->payload_len);
}
