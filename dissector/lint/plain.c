/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain.c - plain packets that no rule of the groups after CAP is about, which are nearly all, by a few wide compares.
 *
 * Of what it does not let through each group is asked, and so it is of a view that is not plain: fuzz/plain.c compares
 * what is found.
 */
#include "ordinary.h"

/* Headers whose rules are asked here, and those that have none. */
#define ETHS (IBW_ETH_RETH | IBW_ETH_AETH | IBW_ETH_ATOMICACKETH | IBW_ETH_IMMDT | IBW_ETH_IETH)

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

/* Group XTH. What an opcode has of these headers comes first after the BTH. */
static inline bool has_ordinary_eths(const struct ibw_packet *pkt)
{
	const uint8_t *first = pkt->data + TRACK_PLAIN_BTH + ibw_bth_BYTES;

	if (pkt->eths & ~ETHS || !lint_payload_fits(pkt))
		return false;
	if (pkt->eths & IBW_ETH_AETH)
		return lint_aeth_ordinary((const void *)first);
	return !(pkt->eths & IBW_ETH_RETH) || lint_reth_ordinary((const void *)first);
}

bool lint_plain(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;

	return p->view->icrc.status == IBW_CRC_GOOD && !p->context->ipoib &&
	       lint_bth_ordinary(pkt, (const void *)(pkt->data + TRACK_PLAIN_BTH)) &&
	       is_addressed(pkt->data) && has_ordinary_eths(pkt);
}
