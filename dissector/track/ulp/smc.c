/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smc.c - SMC-R: the message on its TCP connection by which an end declines to use RDMA. RFC 7609, A.4
 *
 * It may be on any port, so a segment has to be such a message from its first octet to its last: both eyecatchers, type and length.
 */
#include <string.h>

#include <ibwire/ibwire.h>

#include "smc.h"
#include "track/tcp/segment.h"

/* Where its type, its length and the diagnosis are; what a Decline has of version 1, and of version 2. */
#define TYPE_AT 4u
#define LENGTH_AT 5u
#define DIAGNOSIS_AT 16u
#define DECLINE 4u
#define DECLINE_BYTES 28u
#define DECLINE_V2_BYTES 44u

static bool is_decline(const uint8_t *p, uint32_t n)
{
	return (n == DECLINE_BYTES || n == DECLINE_V2_BYTES) &&
	       ibw_get_be32(p) == TRACK_SMC_EYECATCHER &&
	       ibw_get_be32(p + n - 4) == TRACK_SMC_EYECATCHER && p[TYPE_AT] == DECLINE &&
	       ibw_get_be16(p + LENGTH_AT) == n;
}

/* The direction, by both ports. */
static void set_flow(struct track_event *e, const struct ibw_packet *pkt)
{
	struct track_tcp_ends ends;
	unsigned int side = track_tcp_ends_of(pkt, &ends);

	e->flow = (struct track_flow){ .address = ends.v6 ? TRACK_ADDRESS_IPV6 : TRACK_ADDRESS_IPV4,
				       .service = TRACK_SERVICE_IWARP,
				       .sport = ends.port[side],
				       .dqpn = ends.port[!side] };
	memcpy(e->flow.src, ends.address[side], sizeof(e->flow.src));
	memcpy(e->flow.dst, ends.address[!side], sizeof(e->flow.dst));
}

void track_smc_packet(struct track_events *events, const struct ibw_packet *pkt,
		      const struct track_at *at)
{
	struct track_tcp_segment s;
	struct track_event *e;

	if (!track_tcp_segment_of(pkt, &s) || s.n != s.bytes || !is_decline(s.p, s.n) ||
	    track_tcp_is_damaged(pkt, &s))
		return;
	e = track_event_add(events, TRACK_EVENT_SMC_DECLINED, at);
	if (!e)
		return;
	set_flow(e, pkt);
	e->number[TRACK_SMC_DECLINED_diagnosis] = ibw_get_be32(s.p + DIAGNOSIS_AT);
}
