/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * net.h - the network header of a walked packet, be it IPv4, IPv6 or a GRH.
 *
 *	struct ibw_net net;
 *
 *	if (ibw_packet_net(&pkt, &net) && ibw_net_ecn(&net) == IBW_ECN_CE)
 *		... marked on its way ...
 */
#ifndef IBWIRE_NET_H
#define IBWIRE_NET_H

#include "packet.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ibw_net {
	uint16_t layer;     /* IBW_LAYER_ipv4, _ipv6 or _grh */
	uint8_t addr_bytes; /* 4 or 16 */
	uint8_t tclass;     /* traffic class, IPv4: TOS */
	uint8_t hop_limit;  /* IPv4: TTL */
	uint8_t next; /* IBW_IP_PROTO_... or IBW_GRH_NXTHDR_IBA, after all extension headers */
	uint32_t flow_label; /* IPv4: 0 */
	const uint8_t *src;  /* addresses or GIDs, in the packet */
	const uint8_t *dst;
	uint32_t off;         /* where it starts */
	uint32_t end;         /* where it ends, options or extension headers included */
	uint32_t payload_len; /* bytes after @end, by its own length field */
};

/* The halves of the traffic class: RFC 2474, 3; RFC 3168, 5 */
IBW_INLINE uint8_t ibw_net_dscp(const struct ibw_net *net)
{
	return net->tclass >> 2;
}

/* Bits 1:0 of the traffic class: IBW_ECN_... */
IBW_INLINE uint8_t ibw_net_ecn(const struct ibw_net *net)
{
	return net->tclass & 3;
}

/* Fills @net of the innermost network header of a walked packet; false: there is none. */
bool ibw_packet_net(const struct ibw_packet *pkt, struct ibw_net *net);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* IBWIRE_NET_H */
