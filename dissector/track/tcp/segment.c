/* SPDX-License-Identifier: GPL-2.0-or-later */
/* segment.c - parses a TCP segment: its data, by the lengths of IP, and its checksum. */
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/net.h>

#include "segment.h"

/*
 * The sum of @n bytes and @sum, of words with their bytes swapped: RFC 1071, 2 (B). Eight at a time, the carry
 * added at the other end; an odd number is filled up with a zero.
 */
static uint64_t swapped_sum(uint64_t sum, const uint8_t *p, uint32_t n)
{
	uint8_t rest[8] = { 0 };
	uint64_t word;

	for (; n >= 8; n -= 8, p += 8) {
		word = ibw_get_le32(p) | (uint64_t)ibw_get_le32(p + 4) << 32;
		sum += word;
		sum += sum < word;
	}
	memcpy(rest, p, n);
	word = ibw_get_le32(rest) | (uint64_t)ibw_get_le32(rest + 4) << 32;
	sum += word;
	return sum + (sum < word);
}

/* Over the segment and what its checksum covers in addition: RFC 9293, 3.1; RFC 8200, 8.1 */
bool track_tcp_is_damaged(const struct ibw_packet *pkt, const struct track_tcp_segment *s)
{
	const struct ibw_span *span = &pkt->span[pkt->n_spans - 1];
	const uint8_t *ip = ibw_packet_at(pkt, pkt->net);
	bool v6 = pkt->span[pkt->net].layer == IBW_LAYER_ipv6;
	uint8_t length[8] = { 0, 0, 0, IBW_IP_PROTO_TCP };
	uint32_t n = span->len + s->bytes;
	uint64_t sum;

	if (s->n < s->bytes)
		return false;
	ibw_put_be32(length + 4, n);
	sum = swapped_sum(0, pkt->data + span->off, n);
	sum = swapped_sum(sum, length, sizeof(length));
	sum = v6 ? swapped_sum(sum, ip + ibw_ipv6_src_AT / 8, 32)
		 : swapped_sum(sum, ip + ibw_ipv4_src_AT / 8, 8);
	return ibw_sum_fold(sum) != 0xffff;
}

bool track_tcp_segment_of(const struct ibw_packet *pkt, struct track_tcp_segment *s)
{
	const struct ibw_span *span = &pkt->span[pkt->n_spans - 1];
	const struct ibw_tcp_wire *tcp = (const struct ibw_tcp_wire *)(pkt->data + span->off);
	uint32_t data = span->off + span->len, end;
	struct ibw_net net;

	if (pkt->flags & IBW_PKT_FRAGMENT || !ibw_packet_net(pkt, &net))
		return false;
	end = net.end + net.payload_len;
	if (span->off != net.end || end < data)
		return false;
	s->p = pkt->data + data;
	s->bytes = end - data;
	s->n = end <= pkt->caplen ? s->bytes : pkt->caplen - data;
	s->seq = ibw_tcp_seq(tcp);
	s->ack = ibw_tcp_ack_seq(tcp);
	s->flags = tcp->b[13];
	s->window = (uint16_t)ibw_tcp_window(tcp);
	s->ns = 0;
	s->id = pkt->span[pkt->net].layer == IBW_LAYER_ipv4
			? (uint16_t)ibw_get_be16((const uint8_t *)ibw_packet_at(pkt, pkt->net) +
						 ibw_ipv4_id_AT / 8)
			: 0;
	s->damaged = false;
	return true;
}

#define OPTION_END 0u
#define OPTION_NONE 1u
#define OPTION_MSS 2u
#define OPTION_MSS_BYTES 4u

uint16_t track_tcp_mss(const struct ibw_packet *pkt)
{
	const struct ibw_span *span = &pkt->span[pkt->n_spans - 1];
	const uint8_t *p = pkt->data + span->off + ibw_tcp_BYTES, *end = pkt->data + span->off;

	for (end += span->len; p < end && *p != OPTION_END; p += *p == OPTION_NONE ? 1 : p[1]) {
		if (*p == OPTION_NONE)
			continue;
		if (end - p < 2 || p[1] < 2 || p[1] > end - p)
			return 0;
		if (*p == OPTION_MSS && p[1] == OPTION_MSS_BYTES)
			return (uint16_t)ibw_get_be16(p + 2);
	}
	return 0;
}

unsigned int track_tcp_ends_of(const struct ibw_packet *pkt, struct track_tcp_ends *ends)
{
	const struct ibw_tcp_wire *tcp = ibw_packet_at(pkt, pkt->n_spans - 1u);
	const uint8_t *ip = ibw_packet_at(pkt, pkt->net);
	bool v6 = pkt->span[pkt->net].layer == IBW_LAYER_ipv6;
	uint32_t from = v6 ? ibw_ipv6_src_AT / 8 : ibw_ipv4_src_AT / 8, n = v6 ? 16 : 4;
	uint16_t sport = (uint16_t)ibw_tcp_sport(tcp), dport = (uint16_t)ibw_tcp_dport(tcp);
	int order = memcmp(ip + from, ip + from + n, n);
	unsigned int sender = order > 0 || (!order && sport > dport);

	memset(ends, 0, sizeof(*ends));
	memcpy(ends->address[sender] + 16 - n, ip + from, n);
	memcpy(ends->address[!sender] + 16 - n, ip + from + n, n);
	ends->port[sender] = sport;
	ends->port[!sender] = dport;
	ends->v6 = v6;
	return sender;
}
