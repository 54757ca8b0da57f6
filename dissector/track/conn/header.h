/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * header.h - what the headers of a half's packets tell about its QP: P_Key, MigReq, R_Keys, service,
 * path.
 *
 * They hardly change, so a packet costs a few comparisons; only a difference from the previous
 * packet is processed. All of this only produces events, and does not run without a reader of
 * events.
 */
#ifndef IBWIRE_TRACK_HEADER_H
#define IBWIRE_TRACK_HEADER_H

#include "track/view/packet.h"

/*
 * The largest numbers of R_Keys, and of UD exchanges with limited P_Keys, of 64 and 100 bytes each.
 */
#define TRACK_RKEYS_MAX 65536
#define TRACK_TALKS_MAX 16384

/* A half of so many packets without any of the other direction is one way; MigReq is constant. */
#define TRACK_ONE_WAY_PACKETS 100u
#define TRACK_MIGREQ_PACKETS 10u

struct track_conn;
struct track_half;

/* Requests and their answers are followed separately. */
enum track_header_class { TRACK_REQUESTS, TRACK_ANSWERS, TRACK_CLASSES };

/*
 * How packets of a class travel: 1 << 31, PCP, whether there is a tag, enum track_version, UDP source port (with bit
 * 16: 0 is one), whether they can be marked, DSCP. 0: none yet.
 */
#define TRACK_PATH_ECT (1u << 6)
#define TRACK_PATH_PORT (1u << 24)
#define TRACK_PATH_TAG (1u << 27)

static inline uint32_t track_path_of(const struct track_packet *p)
{
	uint32_t tag = p->tag == TRACK_NO_TAG ? 0 : TRACK_PATH_TAG | (uint32_t)(p->tag >> 13) << 28;

	return 1u << 31 | tag | (uint32_t)p->version << 25 | p->port << 8 |
	       (p->tclass & 3 ? TRACK_PATH_ECT : 0) | p->tclass >> 2;
}

static inline unsigned int track_path_pcp(uint32_t path)
{
	return path >> 28 & 7;
}

/* Of a half. */
struct track_header {
	uint32_t packets;
	uint32_t rkey; /* of the last RETH */
	uint32_t path[TRACK_CLASSES];
	uint16_t pkey;
	uint16_t
		seen; /* enum track_header_seen, and from TRACK_SEEN_FORMS on 1 << enum track_version */
};

enum track_header_seen {
	TRACK_SEEN_MIGREQ_0 = 1 << 0,
	TRACK_SEEN_MIGREQ_1 = 1 << 1,  /* one after it */
	TRACK_SEEN_OTHER = 1 << 2,     /* a packet of another service went to the QP */
	TRACK_SEEN_TOLD_PKEY = 1 << 3, /* that both P_Keys are limited */
	TRACK_SEEN_TOLD_MIGREQ = 1 << 4,
	TRACK_SEEN_TOLD_SPORT = 1 << 5, /* that the port of a class changed */
	TRACK_SEEN_TOLD_DSCP = 1 << 6,
	TRACK_SEEN_TOLD_DSCPS = 1 << 7, /* that requests and answers differ */
	TRACK_SEEN_TOLD_FORMS = 1 << 8, /* that the directions have different versions */
	TRACK_SEEN_FORMS = 9
};

/* 1 << enum track_version of each that was seen. */
static inline unsigned int track_header_forms(const struct track_header *h)
{
	return h->seen >> TRACK_SEEN_FORMS;
}

static inline enum track_header_class track_header_class_of(const struct track_packet *p)
{
	return track_packet_opf(p) & IBW_OPF_REQUEST ? TRACK_REQUESTS : TRACK_ANSWERS;
}

/* Whether a packet of the half differs from the previous one. */
static inline bool track_header_differs(struct track_header *h, const struct track_packet *p)
{
	unsigned int migreq = (unsigned int)TRACK_SEEN_MIGREQ_0
			      << !!(p->flags & TRACK_PACKET_MIGREQ);

	h->packets++;
	return h->pkey != p->pkey || h->path[track_header_class_of(p)] != track_path_of(p) ||
	       (h->seen & (migreq | TRACK_SEEN_OTHER)) != migreq || (p->rkey && p->rkey != h->rkey);
}

/* State besides the halves. */
struct track_headers;

struct track_headers *track_headers_new(void);
void track_headers_free(struct track_headers *t); /* NULL is fine */

/* A packet that differs; a half that is new, that was paired, that is removed. */
void track_header_look(struct track_conn *c, struct track_half *h, const struct track_packet *p);
void track_header_begun(struct track_conn *c, const struct track_half *h,
			const struct track_packet *p);
void track_header_paired(struct track_conn *c, struct track_half *h, const struct track_at *at);

/* Adds an event: what is true of all halves together. */
void track_header_finish(struct track_conn *c, const struct track_at *at);

/* Adds up to so many events. */
#define TRACK_HEADER_EVENTS 5
void track_header_gone(struct track_conn *c, struct track_half *h, const struct track_at *at);

#endif /* IBWIRE_TRACK_HEADER_H */
