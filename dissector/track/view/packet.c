/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packet.c - the summary of a packet. */
#include <string.h>

#include <ibwire/ibwire.h>

#include "packet.h"
#include "view.h"

uint8_t track_packet_version(const struct ibw_packet *pkt)
{
	if (pkt->proto == IBW_PROTO_ROCEV2)
		return pkt->span[pkt->net].layer == IBW_LAYER_ipv4 ? TRACK_ROCE_V2_IPV4
								   : TRACK_ROCE_V2_IPV6;
	return pkt->proto == IBW_PROTO_ROCEV1 ? TRACK_ROCE_V1 : TRACK_NATIVE;
}

/* The first tag of the frame itself, not of a tunnel around it. */
static uint16_t tag_of(const struct ibw_packet *pkt)
{
	unsigned int i = pkt->eth + 1u;

	if (pkt->eth == IBW_NO_SPAN || pkt->span[i].layer != IBW_LAYER_vlan)
		return TRACK_NO_TAG;
	return ibw_get_be16(pkt->data + pkt->span[i].off);
}

static void read_net(struct track_packet *p, const struct ibw_packet *pkt)
{
	const uint8_t *at;

	if (pkt->net == IBW_NO_SPAN)
		return;
	at = ibw_packet_at(pkt, pkt->net);
	if (pkt->span[pkt->net].layer == IBW_LAYER_ipv4) {
		p->tclass = (uint8_t)(ibw_ipv4_dscp((const void *)at) << 2 |
				      ibw_ipv4_ecn((const void *)at));
		p->hop_limit = ibw_ipv4_ttl((const void *)at);
		p->ip_id = ibw_ipv4_id((const void *)at);
	} else { /* IPv6 and GRH are alike */
		p->tclass = ibw_grh_tclass((const void *)at);
		p->hop_limit = ibw_grh_hop_limit((const void *)at);
	}
}

static void read_ieth(struct track_packet *p, const struct ibw_packet *pkt)
{
	const struct ibw_ieth_wire *ieth = IBW_AT(pkt, ieth);

	if (ieth)
		p->rkey = ibw_ieth_rkey(ieth);
}

static void read_eths(struct track_packet *p, const struct ibw_packet *pkt)
{
	if (pkt->eths & IBW_ETH_AETH)
		track_packet_aeth(p, IBW_AT(pkt, aeth));
	if (pkt->eths & IBW_ETH_RETH)
		track_packet_reth(p, IBW_AT(pkt, reth));
	if (pkt->eths & IBW_ETH_ATOMICETH)
		track_packet_atomiceth(p, IBW_AT(pkt, atomiceth));
	if (pkt->eths & IBW_ETH_IETH)
		read_ieth(p, pkt);
}

bool track_packet_of_vendor(struct track_packet *p, const struct ibw_packet *pkt,
			    const struct track_at *at)
{
	if (!track_is_of_vendor(pkt->opcode) || pkt->flags & IBW_PKT_DC)
		return false;
	*p = (struct track_packet){ .at = *at,
				    .psn = ibw_bth_psn(IBW_KNOWN(pkt, bth)),
				    .opcode = pkt->opcode,
				    .flags = TRACK_PACKET_BAD,
				    .tag = TRACK_NO_TAG };
	return track_flow_gids_of(pkt, &p->flow);
}

bool track_packet_of(struct track_packet *p, const struct ibw_packet *pkt,
		     const struct track_at *at, bool bad_icrc)
{
	const struct ibw_bth_wire *bth = IBW_KNOWN(pkt, bth);

	/* A DC connection lasts a few messages, on QPs that the next one has again. */
	if (!track_packet_is_connected(pkt->opcode) || pkt->flags & IBW_PKT_DC ||
	    !track_flow_gids_of(pkt, &p->flow))
		return false;
	p->at = *at;
	p->va = 0;
	p->rkey = p->dmalen = p->msn = 0;
	p->psn = ibw_bth_psn(bth);
	p->port = pkt->udp == IBW_NO_SPAN ? 0 : 0x10000u | ibw_udp_sport(IBW_KNOWN(pkt, udp));
	p->wire_len = pkt->len;
	p->payload = track_packet_payload(&ibw_opcodes[pkt->opcode], pkt->payload_len);
	p->pkey = ibw_bth_pkey(bth);
	p->opcode = pkt->opcode;
	p->syndrome = 0;
	p->flags = track_packet_flags(bth, bad_icrc);
	p->becn = ibw_bth_becn(bth);
	p->ends_early = pkt->flags & IBW_PKT_BEYOND && pkt->caplen == pkt->len;
	p->tclass = p->hop_limit = p->way = 0;
	p->anew = TRACK_ANEW_NOT;
	p->ip_id = 0;
	p->version = track_packet_version(pkt);
	p->tag = tag_of(pkt);
	read_net(p, pkt);
	if (pkt->eths)
		read_eths(p, pkt);
	return true;
}
