/* SPDX-License-Identifier: GPL-2.0-or-later */
/* segment.h - a TCP segment in place in its packet, and its connection. */
#ifndef IBWIRE_TRACK_TCP_SEGMENT_H
#define IBWIRE_TRACK_TCP_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include <ibwire/packet.h>

/* The flags, as they are in their octet: RFC 9293, 3.1 */
#define TRACK_TCP_FIN 0x01
#define TRACK_TCP_SYN 0x02
#define TRACK_TCP_RST 0x04
#define TRACK_TCP_ACK 0x10

/* Before anything else of the packet changes. */
struct track_tcp_segment {
	const uint8_t *p; /* its data, as far as it was captured */
	uint32_t n;       /* bytes of them */
	uint32_t bytes;   /* that it had on the wire */
	uint32_t seq;     /* of the first of them: a SYN has the number before */
	uint32_t ack;
	uint64_t ns; /* when it was captured, if somebody says so */
	uint16_t id; /* of IPv4; 0: there is none */
	uint16_t window;
	uint8_t flags;
	bool damaged; /* track_tcp_is_damaged(), if it was asked */
};

/* Both ends of a connection, the lower address first. No holes: compared as bytes. */
struct track_tcp_ends {
	uint8_t address[2][16]; /* IPv4: the low 4 bytes */
	uint16_t port[2];
	uint32_t v6;
};

/* The segment of a packet whose last header is that of TCP; false: it is a fragment, or has no IP header. */
bool track_tcp_segment_of(const struct ibw_packet *pkt, struct track_tcp_segment *s);

/* Whether all of it was captured, and its checksum is wrong. */
bool track_tcp_is_damaged(const struct ibw_packet *pkt, const struct track_tcp_segment *s);

/* The largest segment that a SYN asks for; 0: it does not say. RFC 9293, 3.7.1 */
uint16_t track_tcp_mss(const struct ibw_packet *pkt);

/* Its ends; returns which of them is the sender. */
unsigned int track_tcp_ends_of(const struct ibw_packet *pkt, struct track_tcp_ends *ends);

#endif /* IBWIRE_TRACK_TCP_SEGMENT_H */
