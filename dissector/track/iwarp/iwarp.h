/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iwarp.h - the connections of iWARP: MPA, DDP and RDMAP over TCP.
 *
 *	if (track_iwarp_may_be(t, pkt))
 *		track_iwarp_packet(t, pkt, &at);
 *
 * A connection is followed from its SYN on if it begins with an MPA frame, from that frame on, or from where four FPDUs in a
 * row fit. What it finds out are events.
 */
#ifndef IBWIRE_TRACK_IWARP_H
#define IBWIRE_TRACK_IWARP_H

#include <glib.h>

#include "stall.h"
#include "track/measure/busy.h"
#include "track/tcp/candidate.h"

/* Connections at a time: 100,000 fit 128 MiB. */
#define TRACK_IWARP_MAX 131072u

/* What they keep in all, of bytes that wait. */
#define TRACK_IWARP_KEPT_MAX ((uint64_t)64 << 20)

/* Of a Terminate that quotes no header. */
#define TRACK_IWARP_NO_OPCODE 255u

/* Events that are kept: Terminates, and as many others. */
#define TRACK_IWARP_TOLD_MAX 1024u

/* Those that are over and can be listed. */
#define TRACK_IWARP_RECORDS_MAX 65536u

/* One that is over: without what it kept. */
struct track_iwarp_record {
	struct track_tcp_ends ends;
	struct track_iwarp_conn conn;
};

/* The last packet that may have been of one. */
struct track_iwarp_now {
	uint64_t frame;
	const struct track_iwarp_conn *conn; /* NULL: it is of none, by then */
	struct track_tcp_ends ends;
	unsigned int side; /* that sent it */
};

struct track_messages;
struct track_table;
struct track_ulps;
struct track_fpdu;

struct track_iwarp {
	struct track_tcp_candidates *candidates;
	struct track_table *conns; /* struct track_tcp_ends -> struct track_iwarp_conn */
	struct track_events *events;
	struct track_ulps *ulps;     /* that its messages go to; NULL: nobody */
	struct track_messages *read; /* its messages, the caller's; NULL: not wanted */
	struct track_tcp_memory memory;
	GArray *records;                  /* NULL: not wanted */
	struct track_series_room *series; /* of octets; NULL: not wanted */
	struct track_busy_all busy;
	struct track_stalls *stalls; /* NULL: not wanted */
	GArray *shown;      /* struct track_fpdu: of the packet at hand; NULL: not wanted */
	GByteArray *octets; /* of their payload; NULL: not wanted */
	GArray *of; /* struct track_ulp_of: the commands that they are about; there if shown is */
	struct track_iwarp_now now;
	GArray *told; /* struct track_event: Terminates and what TCP did, for whoever says at the end what happened */
	uint64_t begun; /* connections so far */
	uint64_t evicted;
	uint64_t n, fpdus, messages; /* of all that are over; so far; so far */
	uint64_t rejected;           /* of n */
	uint64_t unlisted;           /* of n, without a record though records are wanted */
	uint64_t accepted, crc_off;  /* replies that do not reject; of those without CRCs */
	struct track_iwarp_where crc_off_first;
	struct track_tcp_ends crc_off_ends;
	uint8_t crc_off_side; /* that its reply came from */
};

struct track_iwarp *track_iwarp_new(struct track_events *events);
void track_iwarp_free(struct track_iwarp *t); /* NULL is fine */

/* Commands of upper layers are in its messages, too. */
void track_iwarp_want_commands(struct track_iwarp *t, struct track_ulps *ulps);

/* Messages are wanted: they go to @read. */
void track_iwarp_want_messages(struct track_iwarp *t, struct track_messages *read);

/* TCP is the last header that the walk looks at. */
static inline bool track_iwarp_is_tcp(const struct ibw_packet *pkt)
{
	return pkt->bth == IBW_NO_SPAN && pkt->n_spans &&
	       pkt->span[pkt->n_spans - 1].layer == IBW_LAYER_tcp;
}

/* The control octets of DDP and RDMAP, as all have them: both versions 1, the reserved bits 0. RFC 5041, 4.1; RFC 5040, 4.1 */
static inline bool track_iwarp_is_control(const uint8_t *p)
{
	return (ibw_get_be16(p) & 0x3ff0) == 0x0140;
}

/* Whether a packet whose last header is that of TCP may be of a connection of iWARP: almost all others are not. */
static inline bool track_iwarp_may_be(const struct track_iwarp *t, const struct ibw_packet *pkt)
{
	const struct ibw_span *span = &pkt->span[pkt->n_spans - 1];
	const uint8_t *tcp = pkt->data + span->off, *data = tcp + span->len;

	if (t->candidates->watched[track_tcp_watch_of(ibw_get_be16(tcp), ibw_get_be16(tcp + 2))] ||
	    pkt->proto == IBW_PROTO_IWARP || tcp[13] & TRACK_TCP_SYN)
		return true;
	/* By chance one in 1,024. */
	return span->off + span->len + 20 <= pkt->caplen && track_iwarp_is_control(data + 2);
}

/* decode.h: the FPDUs that are whole with the last packet, valid until the next one. */
void track_iwarp_want_fpdus(struct track_iwarp *t);
const struct track_fpdu *track_iwarp_fpdus(struct track_iwarp *t, unsigned int *n);

/* What those of a message carry, too: struct track_fpdu.data bytes at data_at, valid as long. */
void track_iwarp_want_octets(struct track_iwarp *t);
const uint8_t *track_iwarp_octets_of(const struct track_iwarp *t, const struct track_fpdu *f);

/* The packet of @frame, if it was the last one; valid until the next one. NULL: it is no segment that anybody had to look at. */
static inline const struct track_iwarp_now *track_iwarp_now(const struct track_iwarp *t,
							    uint64_t frame)
{
	return t->now.frame == frame ? &t->now : NULL;
}

void track_iwarp_packet(struct track_iwarp *t, const struct ibw_packet *pkt,
			const struct track_at *at);

/* False: there are more events than there is room for; to be called again. */
bool track_iwarp_finish(struct track_iwarp *t, const struct track_at *last);

uint64_t track_iwarp_evicted(const struct track_iwarp *t);

/* Their octets over time, in records; their segments, by such intervals as track_qps_want_timeline() has. */
void track_iwarp_want_series(struct track_iwarp *t);
void track_iwarp_want_busy(struct track_iwarp *t, uint64_t interval_ns);

/* What held messages up, once no connection goes on. */
void track_iwarp_want_stalls(struct track_iwarp *t);

/* Connections that are over, in the order of their ends; after track_iwarp_finish() all of them. */
void track_iwarp_want_records(struct track_iwarp *t);
const struct track_iwarp_record *track_iwarp_records(const struct track_iwarp *t, unsigned int *n);

#endif /* IBWIRE_TRACK_IWARP_H */
