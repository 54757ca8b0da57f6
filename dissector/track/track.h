/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * track.h - state across packets: the trackers, and the first pass that feeds them.
 *
 *	struct track *t = track_new();
 *
 *	while (...) {
 *		track_view_packet(&view, ...);
 *		context = track_feed(t, &view, &frame);
 *	}
 *	track_free(t);
 */
#ifndef IBWIRE_TRACK_H
#define IBWIRE_TRACK_H

#include "track/base/event.h"
#include "track/base/memory.h"
#include "track/base/thresholds.h"
#include "track/cm/cm_list.h"
#include "track/conn/conn.h"
#include "track/link/rewritten.h"
#include "track/mgmt/transact.h"
#include "track/view/object.h"
#include "track/view/rmpp.h"
#include "track/view/view.h"
#include "track/way/upper.h"

/* Where in the capture a packet is. */
struct track_frame {
	uint64_t number;  /* from 1, as in Wireshark */
	uint64_t time_ns; /* since 1970 */
	uint32_t iface;   /* of a pcapng; else 0 */
};

/* The queue pair that a packet comes from, as REQ and REP say. */
struct track_sender {
	uint64_t frame; /* of the REP; 0: not known */
	uint32_t qpn;
};

struct track_context {
	/* A CM answer: the service of the REQ it answers; 0: it is none, or the REQ is not known. */
	uint64_t service_id;
	uint8_t service; /* then, of the connection: enum ibw_service */
	/* The RMPP transfer that this packet completes; NULL: it completes none. */
	const struct track_transfer *transfer;
	struct track_sender sender; /* if asked for, of what is no datagram */
	bool ipoib;                 /* IPoIB of connected mode, as its CM exchange says */
	struct track_upper upper;   /* once commands are wanted */
	const struct track_fpdu
		*fpdus; /* once they are wanted: iwarp/decode.h; valid until the next packet */
	unsigned int n_fpdus;
};

struct track;
struct track_fpdu;
struct track_iwarp;
struct track_plain;
struct track_ulps;
struct track_subnet;

/* The trackers of one capture. Never NULL (memory comes from GLib, which aborts without). */
struct track *track_new(void);
void track_free(struct track *t);

/* What connections may take, TRACK_MEMORY bytes if nobody says so; before they are wanted. */
void track_memory(struct track *t, uint64_t bytes);

/* Asks for them, before the first packet: what is not wanted costs nothing. */
void track_want_connections(struct track *t);
void track_want_senders(struct track *t);
void track_want_events(struct track *t);
/* Of those only the kinds that are @read. */
void track_want_kinds(struct track *t, const bool read[TRACK_EVENT_COUNT]);
void track_want_commands(struct track *t); /* of upper layers; events have them, too */
void track_want_fpdus(struct track *t);    /* of iWARP */

/* @pkt was captured twice (track/link/twice.h), and is not given to the trackers: its connection counts it. */
void track_copy(struct track *t, const struct ibw_packet *pkt);
void track_want_streams(struct track *t); /* of connections: they are wanted, too */

/* What went wrong, one cause at a time; once streams and events are wanted. */
void track_want_incidents(struct track *t);

/* Which packet answers which, as it becomes known; once streams and events are wanted. */
void track_want_replies(struct track *t);

/* Those since the last call, valid until the next packet. */
const struct track_reply *track_replies(struct track *t, unsigned int *n);

/* Replies that nobody read in time. */
uint64_t track_replies_lost(const struct track *t);

/*
 * Those since the last call, in file order, of all packets so far; valid until the next packet. Who
 * calls it after each packet has connections tracked one packet at a time, which costs more.
 */
const struct track_event *track_events(struct track *t, unsigned int *n);

/* Whether there are any, without a look at what waits to be tracked together. */
bool track_events_waiting(const struct track *t);

/* Events that nobody read in time. */
uint64_t track_events_lost(const struct track *t);

/* Bits a second of the link that the next pause frames are of; 0, as before the first call: not known. */
void track_link_speed(struct track *t, uint64_t speed);

/* From here on, this is to be said of all events: DROPPED, what the caller knows. */
void track_doubt(struct track *t, uint16_t doubt);

/* The caller's filter takes @pkt out: connections of the same hosts lack something (FILTERED). */
void track_left_out(struct track *t, const struct ibw_packet *pkt);

/* What the wrong ICRC of the packet of @frame, the last one, has in common with others. */
struct track_icrc_run track_icrc_run_of(const struct track *t, uint64_t frame);

/* How many packets it took out from the sender of @flow to its receiver. */
uint64_t track_left_out_from(const struct track *t, const struct track_flow *flow);

/* What was learned of connections; NULL: they were not asked for. */
struct track_conn *track_connections(const struct track *t);

/* What the packets of connections did; NULL: nobody asked. After track_finish() all is known. */
struct track_qps *track_streams(const struct track *t);

/* What was learned of iWARP; NULL: no events are wanted. */
struct track_iwarp *track_iwarp_connections(const struct track *t);

/* Commands of upper layers; NULL: neither they nor events are wanted. */
struct track_ulps *track_commands(const struct track *t);

/* What became of something for which there was no room. */
enum track_room_did {
	TRACK_ROOM_EVICTED,    /* it was used the longest ago */
	TRACK_ROOM_IDLE,       /* evicted, idle and closed ones first */
	TRACK_ROOM_UNFOLLOWED, /* none was idle */
	TRACK_ROOM_UNLISTED,   /* it is only counted */
};

struct track_room {
	const char *what; /* "RMPP transfers" */
	enum track_room_did became;
	uint64_t n;
};

/* All of which memory may run out, from 0 on. Returns how many. */
#define TRACK_ROOMS 40u
unsigned int track_rooms(const struct track *t, struct track_room room[TRACK_ROOMS]);

/* What was counted of MADs; NULL: no events are wanted. */
const struct track_transact *track_transactions(const struct track *t);

/* Groups, neighbours, managers: what is known by now. Nothing without events. */
void track_subnet_list(const struct track *t, struct track_subnet *s);

/* The conversations of the CM; NULL: no events are wanted. */
const struct track_cm_list *track_conversations(const struct track *t);

/* Requests of MADs with which something is wrong, sorted once the capture has ended; NULL: no events are wanted. */
struct track_mads_asked;
const struct track_mads_asked *track_mads_asked(const struct track *t);

/* Transfers of RMPP in which something went wrong, sorted likewise; NULL: incidents are not wanted. */
const struct track_transfer_troubles *track_troubles(const struct track *t);

/*
 * The next packet in file order: every tracker sees it. Returns what they say of it, valid until
 * the next packet; where that shows more of the packet, it goes to @view.
 */
const struct track_context *track_feed(struct track *t, struct track_view *view,
				       const struct track_frame *frame);

/*
 * The same of a plain packet (view/plain.h), of which nothing is to be said. False: a tracker asks for more than its
 * summary, and nothing was done: track_feed() is to be called.
 */
bool track_feed_plain(struct track *t, const struct track_plain *plain,
		      const struct track_frame *frame);

/* What is said of a packet of which nothing is to be said. */
const struct track_context *track_context_none(void);

/* Live, and it is that time: what nothing more is waited for is known. */
void track_tick(struct track *t, uint64_t now_ns);

/*
 * The capture ended: what still waits is given up. True: there are more events than the queue
 * holds; read them and call again.
 */
bool track_finish(struct track *t);

/*
 * The number of the connection that packets of @flow are of: the first frame of its two halves as
 * far as they are known by now. 0: none is remembered, or nobody asked for connections.
 */
uint64_t track_connection_number(const struct track *t, const struct track_flow *flow);

/*
 * The connection that packets of @flow are of by its number so far: how many began before it. That is its
 * place among track_qps_sorted(), but for those that are found to be one later. False: it is not known,
 * or streams are not wanted.
 */
bool track_connection_rank(const struct track *t, const struct track_flow *flow, uint32_t *rank);

/* What struct track_qp has as its serial, which no other connection ever has. */
bool track_connection_serial(const struct track *t, const struct track_flow *flow,
			     uint64_t *serial);

/* The service ID that the REQ of its connection asks for; 0: not known. */
uint64_t track_connection_service(const struct track *t, const struct track_flow *flow);

/* The frame of the message of the CM that began its connection; 0: none was captured, or it is not known yet. */
uint64_t track_connection_cm_frame(const struct track *t, const struct track_flow *flow);

/* track_qp_depth() of its requests. */
uint32_t track_connection_depth(const struct track *t, const struct track_flow *flow);

/* Where packets of @flow, of normalised addresses, belong by now. False: to no connection that is remembered. */
bool track_place_of(const struct track *t, const struct track_flow *flow,
		    struct track_place *place);

/* What @context says of a packet that was seen before, brought into a new @view of it. */
void track_apply(struct track_view *view, const struct track_context *context);

/* What is known of it by now; NULL: nobody asks for events. */
const struct track_chronicle *track_chronicle_of(const struct track *t);

/* "spine 1 (GUID ...) port 3": track_nodes_text() of a node of the capture. Returns @buf. */
const char *track_chronicle_node_text(const struct track *t, uint64_t guid, unsigned int port,
				      char *buf);

/* What rules about a fabric decide by, once events are wanted: from here on, and now. */
void track_set_thresholds(struct track *t, const struct track_thresholds *thresholds);
uint64_t track_threshold(const struct track *t, enum track_threshold id);

/* "spine 1": the node that has @lid by now, or that the directed route of @mad leads to; "": not known. Return @buf. */
#define TRACK_NODE_SHORT 128
const char *track_lid_node(const struct track *t, uint16_t lid, char buf[TRACK_NODE_SHORT]);
/* The same of a LID that no other node ever had: for what is said later than it is seen. */
const char *track_only_lid_node(const struct track *t, uint16_t lid, char buf[TRACK_NODE_SHORT]);
const char *track_route_node(const struct track *t, const struct track_mad *mad,
			     char buf[TRACK_NODE_SHORT]);

/* The same of the GUID of a node or of a port; "": it has no description, either. */
const char *track_guid_node(const struct track *t, uint64_t guid, char buf[TRACK_NODE_SHORT]);

/* The same of an address as a flow has it: of a LID as track_only_lid_node(), of a GID as its second half; "" of an IP address. */
const char *track_address_node(const struct track *t, enum track_address kind,
			       const uint8_t address[16], char buf[TRACK_NODE_SHORT]);

/* The same of who asks by directed routes: the upper half of its transaction IDs. */
const char *track_asker_node(const struct track *t, uint32_t agent, char buf[TRACK_NODE_SHORT]);

/* track_object_text() with the name of what it is, as far as it is known by now; @t may be NULL. */
const char *track_object_named(const struct track *t, const struct track_object *o,
			       char buf[TRACK_OBJECT_TEXT]);

#endif /* IBWIRE_TRACK_H */
