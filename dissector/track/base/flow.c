/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flow.c - makes the key and the text of a packet's flow. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include <ibwire/ibwire.h>

#include "flow.h"

static void address_of_lid(uint8_t address[16], uint16_t lid)
{
	ibw_put_be16(address + 14, lid);
}

bool track_flow_addresses_of(const struct ibw_packet *pkt, struct track_flow *flow)
{
	const struct ibw_lrh_wire *lrh;
	const void *net;

	if (pkt->net == IBW_NO_SPAN) {
		if (pkt->lrh == IBW_NO_SPAN)
			return false;
		lrh = ibw_packet_at(pkt, pkt->lrh);
		address_of_lid(flow->src, ibw_lrh_slid(lrh));
		address_of_lid(flow->dst, ibw_lrh_dlid(lrh));
		flow->address = TRACK_ADDRESS_LID;
		return true;
	}
	net = ibw_packet_at(pkt, pkt->net);
	switch (pkt->span[pkt->net].layer) {
	case IBW_LAYER_ipv4:
		ibw_put_be32(flow->src + 12, ibw_ipv4_src(net));
		ibw_put_be32(flow->dst + 12, ibw_ipv4_dst(net));
		flow->address = TRACK_ADDRESS_IPV4;
		return true;
	case IBW_LAYER_ipv6:
		memcpy(flow->src, ibw_ipv6_src(net), 16);
		memcpy(flow->dst, ibw_ipv6_dst(net), 16);
		flow->address = TRACK_ADDRESS_IPV6;
		return true;
	default:
		memcpy(flow->src, ibw_grh_sgid(net), 16);
		memcpy(flow->dst, ibw_grh_dgid(net), 16);
		flow->address = TRACK_ADDRESS_GID;
		return true;
	}
}

bool track_flow_of(const struct ibw_packet *pkt, struct track_flow *flow)
{
	const struct ibw_bth_wire *bth;

	memset(flow, 0, sizeof(*flow));
	if (pkt->bth == IBW_NO_SPAN || !track_flow_addresses_of(pkt, flow))
		return false;
	bth = ibw_packet_at(pkt, pkt->bth);
	flow->dqpn = ibw_bth_dqpn(bth);
	flow->service = pkt->opcode & IBW_SERVICE_MASK;
	return true;
}

const char *track_service_text(uint64_t opcode)
{
	static const char *const names[8] = { "RC", "UC", "RD", "UD", "CNP", "XRC", "", "" };

	return names[opcode >> 5 & 7];
}

const char *track_address_text(enum track_address kind, const uint8_t address[16],
			       char buf[TRACK_ADDRESS_TEXT])
{
	switch (kind) {
	case TRACK_ADDRESS_IPV4:
		inet_ntop(AF_INET, address + 12, buf, TRACK_ADDRESS_TEXT);
		break;
	case TRACK_ADDRESS_IPV6:
	case TRACK_ADDRESS_GID:
		inet_ntop(AF_INET6, address, buf, TRACK_ADDRESS_TEXT);
		break;
	case TRACK_ADDRESS_LID:
		snprintf(buf, TRACK_ADDRESS_TEXT, "LID 0x%04x", ibw_get_be16(address + 14));
		break;
	case TRACK_ADDRESS_NONE:
		buf[0] = '\0';
		break;
	}
	return buf;
}

/* IPv6 addresses in brackets: RFC 3986, 3.2.2 */
static const char *ports_text(const struct track_flow *flow, char buf[TRACK_FLOW_TEXT])
{
	bool v6 = flow->address == TRACK_ADDRESS_IPV6;
	const char *open = v6 ? "[" : "", *close = v6 ? "]" : "";
	char src[TRACK_ADDRESS_TEXT], dst[TRACK_ADDRESS_TEXT];

	snprintf(buf, TRACK_FLOW_TEXT, "%s%s%s:%u -> %s%s%s:%u", open,
		 track_address_text((enum track_address)flow->address, flow->src, src), close,
		 flow->sport, open,
		 track_address_text((enum track_address)flow->address, flow->dst, dst), close,
		 flow->dqpn);
	return buf;
}

const char *track_flow_text(const struct track_flow *flow, char buf[TRACK_FLOW_TEXT])
{
	char src[TRACK_ADDRESS_TEXT], dst[TRACK_ADDRESS_TEXT];

	if (flow->service == TRACK_SERVICE_IWARP)
		return ports_text(flow, buf);
	snprintf(buf, TRACK_FLOW_TEXT, "%s -> %s qp 0x%06x",
		 track_address_text((enum track_address)flow->address, flow->src, src),
		 track_address_text((enum track_address)flow->address, flow->dst, dst), flow->dqpn);
	return buf;
}

bool track_flow_equal(const struct track_flow *a, const struct track_flow *b)
{
	return !memcmp(a, b, sizeof(*a));
}

void track_flow_as_gids(struct track_flow *flow)
{
	if (flow->address == TRACK_ADDRESS_IPV4) {
		memset(flow->src + 10, 0xff, 2);
		memset(flow->dst + 10, 0xff, 2);
	}
	if (flow->address != TRACK_ADDRESS_LID)
		flow->address = TRACK_ADDRESS_GID;
}

void track_flow_as_seen(struct track_flow *flow)
{
	static const uint8_t mapped[12] = { [10] = 0xff, 0xff };

	if (flow->address != TRACK_ADDRESS_GID || memcmp(flow->src, mapped, 12) != 0 ||
	    memcmp(flow->dst, mapped, 12) != 0)
		return;
	memset(flow->src + 10, 0, 2);
	memset(flow->dst + 10, 0, 2);
	flow->address = TRACK_ADDRESS_IPV4;
}

void track_flow_turn(struct track_flow *flow)
{
	uint8_t src[16];

	memcpy(src, flow->src, 16);
	memcpy(flow->src, flow->dst, 16);
	memcpy(flow->dst, src, 16);
}

bool track_flow_gids_of(const struct ibw_packet *pkt, struct track_flow *flow)
{
	static const struct track_flow mapped = { .src = { [10] = 0xff, 0xff },
						  .dst = { [10] = 0xff, 0xff },
						  .address = TRACK_ADDRESS_GID };
	const uint8_t *ip;

	if (pkt->bth == IBW_NO_SPAN || pkt->net == IBW_NO_SPAN ||
	    pkt->span[pkt->net].layer != IBW_LAYER_ipv4) {
		if (!track_flow_of(pkt, flow))
			return false;
		track_flow_as_gids(flow);
		return true;
	}
	/* The fast path: most packets are over IPv4. */
	ip = ibw_packet_at(pkt, pkt->net);
	*flow = mapped;
	memcpy(flow->src + 12, ip + ibw_ipv4_src_AT / 8, 4);
	memcpy(flow->dst + 12, ip + ibw_ipv4_dst_AT / 8, 4);
	flow->dqpn = ibw_bth_dqpn(IBW_KNOWN(pkt, bth));
	flow->service = pkt->opcode & IBW_SERVICE_MASK;
	return true;
}
