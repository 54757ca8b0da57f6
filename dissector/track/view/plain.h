/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain.h - a plain packet of a connection, read in one step: its summary, without a walk or a view.
 *
 * Most packets of a capture of RoCE v2 are plain: Ethernet without a tag, IPv4 without options, UDP to RoCE's own port,
 * lengths that end where the frame does, and a right ICRC. A few wide compares recognise them. Of all others, and where
 * somebody asks for more than the summary, the view (view.h) is made; both ways give the same summary, events and
 * findings (fuzz/plain.c).
 */
#ifndef IBWIRE_TRACK_PLAIN_H
#define IBWIRE_TRACK_PLAIN_H

#include "packet.h"
#include "view.h"

struct track_plain {
	struct track_packet packet; /* its place is not set */
	const uint8_t *data; /* the frame, of packet.wire_len bytes, all of which were captured */
	struct ibw_crc_verdict icrc; /* ABSENT: not computed; else the view's, too */
	uint32_t
		payload_len; /* bytes between the headers and the pad; 0 for most packets without one */
};

/*
 * Fills @p of the @caplen bytes at @data, of a frame of @len bytes. False: it is not plain, is a datagram, has a header
 * after the BTH that few packets have, or a wrong ICRC; then only p->icrc is set, BAD if that was all.
 */
bool track_plain_read(struct track_plain *p, const uint8_t *data, uint32_t caplen, uint32_t len,
		      uint32_t linktype);

/* track_packet_of() of a packet whose view is plain (track_view.plain), whatever its ICRC is. */
bool track_packet_of_plain(struct track_packet *p, const struct ibw_packet *pkt,
			   const struct track_at *at, bool bad_icrc);

static inline const struct ibw_ipv4_wire *track_plain_ipv4(const struct track_plain *p)
{
	return (const void *)(p->data + TRACK_PLAIN_IP);
}

#endif /* IBWIRE_TRACK_PLAIN_H */
