/* SPDX-License-Identifier: GPL-2.0-or-later */
/* known.c - answers questions from the state of the trackers. */
#include <string.h>

#include "track_impl.h"
#include "track/fabric/chronicle.h"
#include "track/fabric/nodes.h"

bool track_events_waiting(const struct track *t)
{
	return t->events && t->events->n;
}

const struct track_event *track_events(struct track *t, unsigned int *n)
{
	*n = 0;
	if (!t->events)
		return NULL;
	track_flush(t);
	*n = t->events->n;
	t->events->n = 0;
	return t->events->event;
}

uint64_t track_events_lost(const struct track *t)
{
	return t->events ? t->events->lost : 0;
}

void track_doubt(struct track *t, uint16_t doubt)
{
	track_flush(t);
	if (t->events)
		t->events->doubt |= doubt;
}

void track_left_out(struct track *t, const struct ibw_packet *pkt)
{
	if (!t->left_out)
		t->left_out = track_left_out_new();
	track_left_out_feed(t->left_out, pkt);
}

uint64_t track_left_out_from(const struct track *t, const struct track_flow *flow)
{
	return track_left_out_of(t->left_out, flow);
}

struct track_conn *track_connections(const struct track *t)
{
	track_flush(t);
	return t->conn;
}

const struct track_reply *track_replies(struct track *t, unsigned int *n)
{
	track_flush(t);
	*n = t->replies->n;
	t->replies->n = 0;
	return t->replies->reply;
}

uint64_t track_replies_lost(const struct track *t)
{
	return t->replies ? t->replies->lost : 0;
}

struct track_qps *track_streams(const struct track *t)
{
	track_flush(t);
	return t->conn ? track_conn_streams(t->conn) : NULL;
}

struct track_iwarp *track_iwarp_connections(const struct track *t)
{
	return t->iwarp;
}

struct track_ulps *track_commands(const struct track *t)
{
	return t->ulps;
}

const struct track_transact *track_transactions(const struct track *t)
{
	return t->transact;
}

const struct track_cm_list *track_conversations(const struct track *t)
{
	return t->cm_list;
}

const struct track_transfer_troubles *track_troubles(const struct track *t)
{
	return track_rmpp_troubles(t->rmpp);
}

const struct track_mads_asked *track_mads_asked(const struct track *t)
{
	return t->transact ? track_transact_asked(t->transact) : NULL;
}

const struct track_chronicle *track_chronicle_of(const struct track *t)
{
	return t->fabric ? track_fabric_chronicle(t->fabric) : NULL;
}

const char *track_chronicle_node_text(const struct track *t, uint64_t guid, unsigned int port,
				      char *buf)
{
	return track_fabric_node_text(t->fabric, guid, port, buf);
}

void track_set_thresholds(struct track *t, const struct track_thresholds *thresholds)
{
	t->thresholds = *thresholds;
	if (t->fabric)
		track_fabric_thresholds(t->fabric, thresholds);
}

uint64_t track_threshold(const struct track *t, enum track_threshold id)
{
	return t->thresholds.value[id];
}

/* Rows that may be of the same. */
enum {
	ROOMS = 0
#define ROOM(kept, what, did, n) +1
#include "trackers.def"
};
_Static_assert(ROOMS <= TRACK_ROOMS, "room for all of them");
_Static_assert(TRACK_NODE_SHORT == TRACK_NODE_TEXT, "one buffer for both");

const char *track_lid_node(const struct track *t, uint16_t lid, char buf[TRACK_NODE_SHORT])
{
	*buf = '\0';
	return t->fabric ? track_fabric_lid_node(t->fabric, lid, buf) : buf;
}

const char *track_only_lid_node(const struct track *t, uint16_t lid, char buf[TRACK_NODE_SHORT])
{
	*buf = '\0';
	return t->fabric ? track_fabric_only_lid_node(t->fabric, lid, buf) : buf;
}

const char *track_route_node(const struct track *t, const struct track_mad *mad,
			     char buf[TRACK_NODE_SHORT])
{
	*buf = '\0';
	return t->fabric ? track_fabric_route_node(t->fabric, mad, buf) : buf;
}

const char *track_guid_node(const struct track *t, uint64_t guid, char buf[TRACK_NODE_SHORT])
{
	*buf = '\0';
	return t->fabric ? track_fabric_guid_node(t->fabric, guid, buf) : buf;
}

const char *track_address_node(const struct track *t, enum track_address kind,
			       const uint8_t address[16], char buf[TRACK_NODE_SHORT])
{
	*buf = '\0';
	if (kind == TRACK_ADDRESS_LID)
		return track_only_lid_node(t, ibw_get_be16(address + 14), buf);
	return kind == TRACK_ADDRESS_GID && t->fabric
		       ? track_fabric_gid_node(t->fabric, address, buf)
		       : buf;
}

const char *track_asker_node(const struct track *t, uint32_t agent, char buf[TRACK_NODE_SHORT])
{
	*buf = '\0';
	return t->fabric ? track_fabric_asker_node(t->fabric, agent, buf) : buf;
}

const char *track_object_named(const struct track *t, const struct track_object *o,
			       char buf[TRACK_OBJECT_TEXT])
{
	return track_fabric_object_text(t ? t->fabric : NULL, o, buf);
}

static void list_ports(const struct track *t, struct track_subnet *s)
{
	if (track_streams(t))
		track_ports_list(track_streams(t), s);
}

void track_subnet_list(const struct track *t, struct track_subnet *s)
{
	if (!t->events)
		return;
#define LIST(call) call;
#include "trackers.def"
}

/* One more that found no room; of the same in several trackers, one more row has the sum. */
static unsigned int add_room(struct track_room room[TRACK_ROOMS], unsigned int n,
			     const struct track_room *more)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (room[i].became != more->became || strcmp(room[i].what, more->what) != 0)
			continue;
		room[i].n += more->n;
		return n;
	}
	room[n] = *more;
	return n + 1;
}

unsigned int track_rooms(const struct track *t, struct track_room room[TRACK_ROOMS])
{
	const struct track_qps *streams = track_streams(t);
	struct track_room more;
	unsigned int n = 0;

#define ROOM(kept, of, did, how_many)                                                              \
	if (kept) {                                                                                \
		more = (struct track_room){ of, did, how_many };                                   \
		n = add_room(room, n, &more);                                                      \
	}
#include "trackers.def"
	return n;
}

struct track_icrc_run track_icrc_run_of(const struct track *t, uint64_t frame)
{
	const struct track_icrc_run none = { 0 };

	return t->icrcs ? track_icrcs_run_of(t->icrcs, frame) : none;
}

/* The half that packets of @flow go to by now; NULL: none is remembered. */
static const struct track_half *half_of(const struct track *t, const struct track_flow *flow)
{
	track_flush(t);
	return t->conn ? track_conn_half(t->conn, flow) : NULL;
}

/* NULL, too, if streams are not wanted. */
static const struct track_half *stream_of(const struct track *t, const struct track_flow *flow)
{
	const struct track_half *h = half_of(t, flow);

	return h && track_conn_streams(t->conn) ? h : NULL;
}

bool track_connection_rank(const struct track *t, const struct track_flow *flow, uint32_t *rank)
{
	const struct track_half *h = stream_of(t, flow);

	return h && track_conn_rank(t->conn, h, rank);
}

bool track_connection_serial(const struct track *t, const struct track_flow *flow, uint64_t *serial)
{
	const struct track_half *h = stream_of(t, flow);
	const struct track_qp *qp = h ? track_conn_qp(t->conn, h) : NULL;

	if (qp)
		*serial = qp->serial;
	return qp != NULL;
}

uint64_t track_connection_service(const struct track *t, const struct track_flow *flow)
{
	const struct track_half *h = half_of(t, flow);

	return h ? track_conn_service(h) : 0;
}

uint64_t track_connection_cm_frame(const struct track *t, const struct track_flow *flow)
{
	const struct track_half *h = half_of(t, flow);

	return h ? track_conn_cm_frame(h) : 0;
}

uint32_t track_connection_depth(const struct track *t, const struct track_flow *flow)
{
	const struct track_half *h = half_of(t, flow);

	return h ? track_conn_depth(h) : TRACK_NO_DEPTH;
}

bool track_place_of(const struct track *t, const struct track_flow *flow, struct track_place *place)
{
	track_flush(t);
	return t->conn && track_conn_place(t->conn, flow, place);
}

uint64_t track_connection_number(const struct track *t, const struct track_flow *flow)
{
	const struct track_half *h = half_of(t, flow);

	return h ? track_conn_first_frame(t->conn, h) : 0;
}
