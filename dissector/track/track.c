/* SPDX-License-Identifier: GPL-2.0-or-later */
/* track.c - creates, finishes and frees the trackers of a capture. */
#include "track_impl.h"
#include "incident/congestion.h"
#include "iwarp/incident_stall.h"
#include "track/mgmt/incident_cm.h"
#include "track/mgmt/incident_mad.h"
#include "track/mgmt/incident_rmpp.h"
#include "track/stream/stream.h"

/* When a tracker is made. */
enum { ALWAYS, EVENTS, BY_CALL };

/* Halves that tables can number. */
#define TRACK_HALVES_MAX (1u << 30)

struct track *track_new(void)
{
	struct track *t = g_new0(struct track, 1);

#define TRACKER(name, of, when, made)                                                              \
	if (when == ALWAYS)                                                                        \
		t->name = made;
#include "trackers.def"
	track_thresholds_default(&t->thresholds);
	t->memory = TRACK_MEMORY;
	return t;
}

void track_free(struct track *t)
{
	if (!t)
		return;
#define TRACKER(name, of, when, made) of##_free(t->name);
#include "trackers.def"
	if (t->replies)
		g_free(t->replies->reply);
	g_free(t->replies);
	if (t->events) {
		g_free(t->events->event);
		g_free(t->events->about);
	}
	g_free(t->events);
	g_free(t);
}

void track_memory(struct track *t, uint64_t bytes)
{
	t->memory = MAX(bytes, TRACK_MEMORY_MIN);
}

void track_link_speed(struct track *t, uint64_t speed)
{
	t->speed = speed;
}

/* Who waits for an answer asks whether anything comes from there. */
static void tell_of_connections(struct track *t)
{
	if (t->waits)
		track_cm_waits_conn(t->waits, t->conn);
	if (t->transact)
		track_transact_conn(t->transact, t->conn);
}

void track_want_connections(struct track *t)
{
	if (t->conn)
		return;
	t->conn = track_conn_new((uint32_t)MIN(t->memory / TRACK_HALF_BYTES, TRACK_HALVES_MAX),
				 t->cm);
	track_conn_memory(t->conn, t->memory);
	track_conn_events(t->conn, t->events);
	tell_of_connections(t);
}

void track_want_commands(struct track *t)
{
	if (t->ulps)
		return;
	t->ulps = track_ulps_new(t->events, t->cm);
	t->ulp_opcodes = track_ulps_opcodes(t->ulps);
}

void track_want_senders(struct track *t)
{
	t->senders = true;
}

/* Those that tell or ask each other. */
static void introduce(struct track *t)
{
	track_rmpp_events(t->rmpp, t->events);
	track_cm_waits_list(t->waits, t->cm_list);
	track_transact_fabric(t->transact, t->fabric);
	track_mcast_fabric(t->mcast, t->fabric);
	track_neigh_fabric(t->neigh, t->fabric);
	track_iwarp_want_commands(t->iwarp, t->ulps);
	t->iwarp->events = t->events; /* it may have been there for its FPDUs */
}

void track_want_events(struct track *t)
{
	if (t->events)
		return;
	t->events = g_new0(struct track_events, 1);
	t->events->event = g_new(struct track_event, TRACK_EVENTS_MAX);
#define TRACKER(name, of, when, made)                                                              \
	if (when == EVENTS && !t->name)                                                            \
		t->name = made;
#include "trackers.def"
	track_want_commands(t);
	introduce(t);
	tell_of_connections(t);
	if (t->conn)
		track_conn_events(t->conn, t->events);
}

void track_want_kinds(struct track *t, const bool read[TRACK_EVENT_COUNT])
{
	unsigned int kind;

	for (kind = 0; t->events && kind < TRACK_EVENT_COUNT; kind++)
		t->events->unread[kind] = !read[kind];
}

void track_want_fpdus(struct track *t)
{
	if (!t->iwarp)
		t->iwarp = track_iwarp_new(NULL);
	track_iwarp_want_fpdus(t->iwarp);
}

void track_want_streams(struct track *t)
{
	track_want_connections(t);
	track_conn_want_streams(t->conn);
}

void track_want_incidents(struct track *t)
{
	track_qps_want_incidents(track_streams(t));
	track_rmpp_want_troubles(t->rmpp);
	if (t->iwarp)
		track_iwarp_want_stalls(t->iwarp);
}

void track_want_replies(struct track *t)
{
	t->replies = g_new0(struct track_replies, 1);
	t->replies->reply = g_new(struct track_reply, TRACK_REPLIES_MAX);
	track_qps_want_replies(track_streams(t), t->replies);
	if (t->transact)
		track_transact_want_replies(t->transact, t->replies);
}

void track_copy(struct track *t, const struct ibw_packet *pkt)
{
	struct track_flow flow;

	track_flush(t);
	if (t->conn && track_flow_of(pkt, &flow))
		track_conn_copy(t->conn, &flow);
}

void track_tick(struct track *t, uint64_t now_ns)
{
	track_flush(t);
	if (track_streams(t))
		track_qps_tick(track_streams(t), now_ns);
}

static bool finish(struct track *t)
{
	const struct track_at *at = &t->at;

	if (t->conn && track_conn_streams(t->conn))
		track_qps_left_out(track_conn_streams(t->conn), t->left_out);
	if (t->conn && !track_conn_finish(t->conn, at))
		return true;
#define FINISH(name, done)                                                                         \
	if (t->name && !(done))                                                                    \
		return true;
#include "trackers.def"
	return false;
}

/* What went wrong in conversations of the CM, and with requests of MADs, after what went wrong on connections. */
static void tell_of_managers(struct track *t)
{
	struct track_qps *streams = track_streams(t);

	if (!streams || !t->cm_list)
		return;
	track_incidents_of_cm(streams, t->cm_list);
	track_incidents_of_mads(streams, track_transact_asked(t->transact));
	track_incidents_of_transfers(streams, track_rmpp_finish_troubles(t->rmpp));
	track_incidents_of_congestion(streams);
	track_incidents_of_stalls(streams, t->iwarp ? t->iwarp->stalls : NULL);
}

bool track_finish(struct track *t)
{
	if (finish(t))
		return true;
	tell_of_managers(t);
	return false;
}
