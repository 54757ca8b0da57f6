/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conn_impl.h - halves, and the groups in which they look for each other: conn.c keeps them, pair.c
 * finds two of a connection.
 */
#ifndef IBWIRE_TRACK_CONN_IMPL_H
#define IBWIRE_TRACK_CONN_IMPL_H

#include "conn.h"
#include "header.h"
#include "track/base/table.h"
#include "track/link/hosts.h"
#include "track/link/pause.h"
#include "track/stream/cc.h"
#include "track/way/qp.h"

#define TRACK_NONE UINT32_MAX
#define TRACK_NO_QPN UINT32_MAX

/* Unpaired halves are listed twice: with those of the same hosts, and of the same port as well. */
enum { TRACK_BY_HOSTS, TRACK_BY_SPORT, TRACK_LISTS };

struct track_link {
	uint32_t previous, next;
};

struct track_half {
	uint64_t first_frame;
	uint64_t
		request_ns; /* when the last request was seen; without any, or a connection: the last packet */
	uint64_t candidate; /* first frame of the half that its ACKs mean; 0: none yet */
	uint64_t claimed;   /* first frame of the half whose ACKs mean this one */
	struct track_link link[TRACK_LISTS];
	uint32_t group[TRACK_LISTS]; /* TRACK_NONE: none, as that of its port once it is paired */
	struct track_qp *qp;         /* what it is a way of; NULL: that is not wanted */
	uint32_t peer;               /* TRACK_NONE: not known */
	uint32_t dqpn;
	uint32_t sqpn;      /* by CM, else TRACK_NO_QPN */
	uint32_t low, high; /* PSNs requested */
	uint32_t ack_psn;   /* of the last ACK that counted */
	struct track_header header;
	uint16_t tried;
	uint8_t way;      /* enum track_way */
	uint8_t evidence; /* enum track_evidence */
	uint8_t points;   /* ACKs that mean the candidate */
	bool dir : 1;     /* its direction in its groups */
	bool back : 1;    /* and that of what answers it */
	bool listed : 1;  /* in the lists of its groups: alive and unpaired */
	bool has_requests : 1;
	bool unclear : 1; /* its PSNs contradict: no pair by ACKs */
	bool was_paired : 1;
	bool has_sport : 1;
	bool closed : 1; /* by its sender: the next request may begin another connection */
	bool unsure : 1; /* the CM may have closed or begun one that it did not name: likewise */
	uint8_t anews;   /* of its group, that its requests know of */
	uint8_t unnamed, unnamed_all; /* likewise, and of all groups */
	uint16_t sport;               /* of its first packet */
};

_Static_assert(sizeof(struct track_half) <= 120, "450,000 connections fit in 1 GiB: flood.py");

/* A direction of two hosts, as long as it had only one half: pair.c */
struct track_only {
	uint32_t reach;      /* up to which PSN its requests may go */
	uint32_t answered;   /* the last PSN of them that an answer fits */
	uint8_t halves;      /* that began, up to two */
	uint8_t fits;        /* answers to its requests that fit */
	bool reads, atomics; /* are among its requests */
	bool against;        /* an answer does not fit */
};

struct track_group {
	struct track_only only[2];
	uint32_t first[2], listed[2]; /* the lists, by direction */
	uint32_t unpaired[2];         /* those counted: the listed ones, and ended ones */
	uint32_t halves;              /* that refer to it */
	uint8_t anews
		[2]; /* connections that this side closed, or set up on a QP that it had before */
	uint8_t unnamed; /* ends and beginnings of connections that are not identified */
	bool one_host;   /* both directions are direction 0 */
	uint64_t
		presumed; /* serial of the connection that another one is expected to take in; 0: none */
};

/* A half that is in the table, found without the work of a keyed hash. */
struct track_recent {
	const struct track_flow *flow; /* its key in the table */
	struct track_half *half;       /* NULL: none */
	uint32_t mark; /* of the flow: with many halves, that of another one is not in the cache */
};

#define TRACK_RECENT_BITS 8
#define TRACK_RECENT (1u << TRACK_RECENT_BITS)
#define TRACK_RECENT_WAYS 2 /* places where one may be: the later one first */

/*
 * A batch of packets: their entries of the table are fetched into the cache before the first is
 * fed.
 */
#define TRACK_BATCH TRACK_TABLE_AHEAD

/* Pairs of hosts with packets that cannot be followed. */
#define TRACK_UNFOLLOWED 4096

/* A connection with this many damaged packets at its beginning has shown enough of them. */
#define TRACK_STRAYS 16

struct track_conn {
	struct track_table *halves; /* struct track_flow -> struct track_half */
	struct track_table *groups; /* struct group_key -> struct track_group */
	struct track_table *lids;   /* lids.h */
	struct track_cm *cm;        /* the caller's */
	struct track_qps *qps;      /* NULL: not wanted */
	struct track_events *events;
	struct track_headers *headers; /* NULL: no events are wanted; so the next two */
	struct track_hosts *hosts;
	struct track_cc *cc;
	bool mtus_told;
	uint8_t unnamed; /* of all groups */
	uint64_t count;
	uint64_t idle_evicted; /* halves, of those that were evicted */
	uint32_t
		paired; /* the half up to which pairs were looked for at the end; TRACK_NONE: none */
	uint32_t finished; /* that up to which all was said; TRACK_NONE: none */
	uint32_t room;     /* of the table of halves: they move as it grows */
	struct track_recent recent[TRACK_RECENT][TRACK_RECENT_WAYS];
	uint64_t max_bytes; /* of halves, groups and streams */
	/* The last packets with bit errors to QPs that nothing was sent to before */
	struct track_packet *stray; /* TRACK_STRAYS; NULL: there was none */
	unsigned int n_strays;      /* so far */
	uint64_t n_searched;        /* damaged packets whose flow was searched for: nearly_of() */
	struct track_table *unfollowed; /* pairs of hosts: of_hosts(); NULL: none */
	unsigned int n_batch;
	struct track_packet batch[TRACK_BATCH];
};

static inline struct track_half *track_half_at(const struct track_conn *c, uint32_t number)
{
	return track_table_at(c->halves, number);
}

static inline struct track_group *track_group_at(const struct track_conn *c, uint32_t number)
{
	return track_table_at(c->groups, number);
}

/* Whether the capture has packets the other way that cannot be followed, of any flow. */
bool track_conn_unfollowed(const struct track_conn *c, const struct track_flow *flow);

/* Removes @h, because its connection @ended (it stays counted) or to make room. */
void track_conn_forget(struct track_conn *c, struct track_half *h, bool ended,
		       const struct track_at *at);

/* What finds @h without the table; NULL: nothing does. */
struct track_recent *track_conn_recent(struct track_conn *c, const struct track_half *h);

/* It is used without a look-up in the table. */
static inline void track_conn_used(struct track_conn *c, const struct track_half *h)
{
	track_table_used(c->halves, h);
}

/*
 * conn_room.c: whether a new half, or the connection that it begins, has no room; and room for one: what its packets
 * were last of the longest ago goes, those whose connections ended first.
 */
bool track_conn_is_full(const struct track_conn *c);
void track_conn_make_room(struct track_conn *c, const struct track_at *at);

/* An event about a half, at the packet of @at; NULL: it has no reader. */
struct track_event *track_conn_event(struct track_conn *c, enum track_event_kind kind,
				     const struct track_half *h, const struct track_at *at);

/* Two halves are one connection; the packet of @at shows it. */
void track_conn_pair(struct track_conn *c, struct track_half *a, struct track_half *b,
		     enum track_evidence evidence, const struct track_at *at);

/* Looks for the other half of @h, which is new, or about which the CM has just said something. */
void track_pair_new(struct track_conn *c, struct track_half *h, const struct track_packet *p);
void track_pair_cm(struct track_conn *c, struct track_half *h, const struct track_flow *flow,
		   const struct track_at *at);

/*
 * At the end of the capture, or what may be its end: whether @h and the only half that may answer it are one
 * connection.
 */
bool track_pair_only(struct track_conn *c, struct track_half *h, const struct track_at *at);

/* The half of requests to a queue pair that @h does not answer, which @p of it refuses; NULL: it does not. */
struct track_half *track_pair_kept(struct track_conn *c, const struct track_half *h,
				   const struct track_packet *p);

/*
 * Numbers that are said before the end are those of then: as soon as the only pair of two hosts has an answer that fits,
 * the two count as one. That is looked at anew, or not expected any more.
 */
void track_pair_presume(struct track_conn *c, const struct track_half *h);
void track_pair_presume_not(struct track_conn *c, const struct track_half *h);

/* The one that is expected to take in that of @h; NULL: none. */
const struct track_half *track_pair_presumed(const struct track_conn *c,
					     const struct track_half *h);

/* What a packet of the unpaired half @h tells of the other one. */
void track_pair_watch(struct track_conn *c, struct track_half *h, const struct track_packet *p);

/* The half that packets of @from are of, which begin none; a CNP's service is none of a half. NULL: not known. */
struct track_half *track_conn_half_of(struct track_conn *c, const struct track_flow *from);

/*
 * conn_anew.c: a message of the CM, before its QPs are put to use; the queue pair that @h goes to is put to use anew,
 * and sends to another one from now on; what is known by a request of @h; what is new of connections that have no name;
 * the first packet of a half.
 */
void track_conn_anew_cm(struct track_conn *c, const struct track_cm_news *news);
void track_conn_anew_peer(struct track_conn *c, const struct track_half *h);
uint8_t track_conn_anew_of(struct track_conn *c, struct track_half *h);
void track_conn_anew_look(struct track_conn *c, struct track_half *h);
void track_conn_anew_begun(struct track_conn *c, const struct track_cm_said *said,
			   const struct track_flow *flow);

/* The group of @flow; NULL: there is none. @dir: its direction. */
struct track_group *track_conn_group(const struct track_conn *c, const struct track_flow *flow,
				     unsigned int *dir);

/* A damaged packet of no half: it fills a hole of a connection, though its bytes say it is of none. */
void track_conn_feed_nearly(struct track_conn *c, struct track_packet *p);

#endif /* IBWIRE_TRACK_CONN_IMPL_H */
