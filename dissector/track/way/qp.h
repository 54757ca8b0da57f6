/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qp.h - the state of a connection of RC, UC or XRC.
 *
 * A connection has two ways, a to b and b to a. It begins with its REQ, or with its first packet;
 * a is the client, or where that packet comes from. Requests of a way have PSNs of their own;
 * ACKs, NAKs and responses that go the same way have those of the requests they answer.
 *
 * Packets wait while the other way of their connection is not known, or while the path MTU, which
 * decides how many PSNs a READ Request takes, is not known: up to TRACK_WAITING_MAX per connection.
 */
#ifndef IBWIRE_TRACK_QP_H
#define IBWIRE_TRACK_QP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#include "agreed.h"
#include "psn.h"
#include "watch.h"
#include "track/base/event.h"
#include "track/base/histogram.h"
#include "track/base/memory.h"
#include "track/cm/cm.h"
#include "track/view/packet.h"
#include "track/view/reply.h"

enum track_way { TRACK_A_TO_B, TRACK_B_TO_A, TRACK_WAYS };

/* Packets that wait, of a connection and of all. */
#define TRACK_WAITING_MAX 512u
#define TRACK_WAITING_ALL 65536u

/* READ Requests and what comes after them, that wait for the path MTU. */
#define TRACK_WAITING_REQUESTS 64u

/* READ Requests up to this long take one PSN, whatever the path MTU. */
#define TRACK_MTU_MIN 256u

enum track_figure {
#define TRACK_FIGURE(name, value, title, counter) TRACK_FIGURE_##name,
#include "figures.def"
	TRACK_FIGURE_COUNT
};

enum track_verb {
#define TRACK_VERB(id, name, title) TRACK_VERB_##id,
#include "figures.def"
	TRACK_VERB_COUNT
};

enum track_times {
#define TRACK_TIMES(id, name, title) TRACK_TIMES_##id,
#include "figures.def"
	TRACK_TIMES_COUNT
};

struct track_requests;
struct track_reads;
struct track_flight;
struct track_measure;
struct track_waited;
struct track_timeline;
struct track_trouble;
struct track_incidents;

/*
 * What is known of one way since its PSNs last started anew. It is of no use for the next start: all of it
 * is cleared then, with what track_watch, track_answers and track_measure have of the kind (resend.c, measure_request.c).
 */
struct track_since {
	uint64_t covered;    /* requests below were answered */
	uint64_t asked_next; /* PSN after the last one that asked for an answer, or that began */
	/* The message at hand, as far as all of it came in order */
	uint64_t message_next; /* PSN it goes on with; 0: there is none */
	uint64_t message_bytes;
	uint32_t message_dmalen; /* of a WRITE */
	uint32_t begun;          /* messages begun, as far as captured */
	bool message_write;
	bool unasked_said;
};

/* And what requests in order do not need. */
struct track_since_rare {
	uint64_t message_frame; /* of its RETH */
	uint64_t response_high; /* highest PSN of the responses, 0: none yet */
};

/*
 * One way of a connection. Read it by track_figure(). First comes what requests in order need, in two
 * cache lines; what only some ways have is allocated when they have it.
 */
struct track_dir {
	struct track_requests *requests; /* the last ones; NULL: none yet */
	struct track_watch *watch;       /* since something went wrong; NULL: nothing did */
	uint64_t packets, wire_bytes, payload_bytes;
	uint64_t last_ns; /* of the last request; 0: none yet */
	struct track_since since;
#define TRACK_COUNT(name, title, counter) uint32_t name;
#include "figures.def"
	struct track_psns psns; /* of its requests */
	/* Not for all of those */
	struct track_memory *memory; /* what all of this may take */
	uint64_t first_ns;           /* of the first request */
	struct track_since_rare since_rare;
	struct track_answers *answers; /* to its requests; NULL: none yet */
	struct track_reads *reads;     /* what its READ Requests still wait for */
	struct track_histogram *times; /* TRACK_TIMES_COUNT of them; NULL: none yet */
	struct track_flight *flight;   /* flight.h; NULL: not wanted, or no request yet */
	struct track_measure *measure; /* measure.h; NULL: not wanted */
	struct track_trouble *trouble; /* incident.c; NULL: there was none */
	uint32_t dqpn;                 /* TRACK_CM_NO_QPN: not known */
	uint32_t messages[TRACK_VERB_COUNT];
};

_Static_assert(offsetof(struct track_dir, psns) + offsetof(struct track_psns, first) <= 128,
	       "two cache lines for requests in order");

/* What went wrong on a way, to be read; to be changed: qp_impl.h. */
static inline const struct track_watch *track_watched(const struct track_dir *d)
{
	static const struct track_watch nothing;

	return d->watch ? d->watch : &nothing;
}

/* And the answers. */
static inline const struct track_answers *track_answered(const struct track_dir *d)
{
	static const struct track_answers none;

	return d->answers ? d->answers : &none;
}

#define TRACK_HISTORY_MAX 24

struct track_qp {
	uint64_t first_frame, last_frame;
	struct track_flow flow; /* a to b, as it was seen first; no QPN */
	struct track_dir dir[TRACK_WAYS];
	uint32_t mtu_seen, mtu_asked; /* bytes; 0: not known */
	uint32_t number;              /* of track_qps_sorted(): what it is called */
	uint16_t doubt;               /* enum track_doubt */
	uint8_t service;              /* enum ibw_service */
	uint8_t cm_state;             /* enum track_cm_state; CM_NONE without CM messages */
	uint8_t halves;               /* of it that are remembered */
	uint8_t n_history;
	bool paired; /* nothing more is to be found out about its two ways */
	bool begun;  /* a packet was looked at */
	bool timed;  /* histograms are wanted */
	bool finished;
	uint8_t anew; /* 1 + the way on which another connection began, if the other one may go on; 0: none */
	struct track_waiting *waiting;
	struct track_agreed *agreed;     /* NULL: no message of the CM */
	struct track_waited *waited;     /* waited.h; NULL: not wanted */
	struct track_timeline *timeline; /* timeline.h; NULL: likewise */
	uint64_t happened;               /* history.h: letters that are there */
	char history[TRACK_HISTORY_MAX];
	uint64_t serial; /* of its birth */
	struct track_qp *older, *newer;
	GList left; /* while it has no halves: its place among such */
};

struct track_qps;

/* The frame of the message of the CM that began it; 0: none was captured. */
static inline uint64_t track_qp_cm_frame(const struct track_qp *qp)
{
	return qp->agreed ? qp->agreed->cm_frame : 0;
}

/* What it asks for; 0: not known. */
static inline uint64_t track_qp_service_id(const struct track_qp *qp)
{
	return qp->agreed ? qp->agreed->service_id : 0;
}

/* The time of its first DREQ; 0: none was captured. */
static inline uint64_t track_qp_closed_ns(const struct track_qp *qp)
{
	return qp->agreed ? qp->agreed->closed_ns : 0;
}

/* The path MTU, in bytes; 0: not known. */
static inline uint32_t track_qp_mtu(const struct track_qp *qp)
{
	return qp->mtu_seen ? qp->mtu_seen : qp->mtu_asked;
}

/* The QPN of end a (@way TRACK_A_TO_B: the sender of it) or b; TRACK_CM_NO_QPN: not known. */
static inline uint32_t track_qp_sqpn(const struct track_qp *qp, enum track_way way)
{
	return qp->dir[!way].dqpn;
}

uint64_t track_figure(const struct track_dir *d, enum track_figure figure);

extern const struct track_figure_row {
	const char *name;
	const char *title;
	const char *counter; /* NULL: none */
} track_figures[TRACK_FIGURE_COUNT], track_verbs[TRACK_VERB_COUNT], track_times[TRACK_TIMES_COUNT];

/* Those of a list of @d; without any, an empty one. */
const struct track_histogram *track_dir_times(const struct track_dir *d, enum track_times times);

#endif /* IBWIRE_TRACK_QP_H */
