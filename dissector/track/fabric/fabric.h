/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fabric.h - the fabric tracker, from SMPs, traps and counters: nodes and their places, links that go down, LIDs, P_Keys and
 * M_Keys of ports, the master, and what ports report.
 *
 * Memory is bounded: the least recently seen entry is evicted.
 */
#ifndef IBWIRE_TRACK_FABRIC_H
#define IBWIRE_TRACK_FABRIC_H

#include "track/base/event.h"
#include "track/base/thresholds.h"
#include "track/view/mad.h"
#include "track/view/object.h"

struct track_fabric;

struct track_fabric *track_fabric_new(struct track_events *events);
void track_fabric_free(struct track_fabric *t); /* NULL is fine */

/* Its thresholds (thresholds.def), from now on. */
void track_fabric_thresholds(struct track_fabric *t, const struct track_thresholds *thresholds);

/* A MAD without bit errors. */
void track_fabric_mad(struct track_fabric *t, const struct ibw_packet *pkt,
		      const struct track_mad *mad, const struct track_at *at);

/* A port is, or no longer is, a member of a group. */
void track_fabric_member(struct track_fabric *t, const uint8_t mgid[16], const uint8_t gid[16],
			 bool joins, const struct track_at *at);

/* The IP address of a port of IPoIB: an IPv4 address is mapped. The last one counts. */
void track_fabric_address(struct track_fabric *t, const uint8_t gid[16], const uint8_t address[16]);

/* What has happened so far, and names for it. */
struct track_chronicle;
const struct track_chronicle *track_fabric_chronicle(const struct track_fabric *t);
const char *track_fabric_node_text(struct track_fabric *t, uint64_t guid, unsigned int port,
				   char *buf);

/*
 * "spine 1", or "GUID 0x..." without a description: the node that has @lid by now, or that the directed route of @mad leads to. "": not
 * known. Return @buf, of TRACK_NODE_TEXT bytes.
 */
const char *track_fabric_lid_node(struct track_fabric *t, uint64_t lid, char *buf);
/*
 * The same for a LID that no other node ever had: a report that comes later than the packet could mean
 * either node.
 */
const char *track_fabric_only_lid_node(struct track_fabric *t, uint64_t lid, char *buf);
const char *track_fabric_route_node(struct track_fabric *t, const struct track_mad *mad, char *buf);

/* "spine 1": the node with the GUID, or with a port that has it; "": it has no description, or is not known. Returns @buf, as above. */
const char *track_fabric_guid_node(struct track_fabric *t, uint64_t guid, char *buf);

/* The node that the route of no hops leads to, for @agent. */
const char *track_fabric_asker_node(struct track_fabric *t, uint32_t agent, char *buf);

/* The same of the port whose GUID is the second half of @gid. */
const char *track_fabric_gid_node(struct track_fabric *t, const uint8_t *gid, char *buf);

/* track_object_text() with the name, if there is one; @t may be NULL. Returns @buf, of TRACK_OBJECT_TEXT bytes. */
const char *track_fabric_object_text(struct track_fabric *t, const struct track_object *o,
				     char *buf);

/* What is known so far, in addition to track_sm_list(). */
struct track_subnet;
void track_fabric_list(struct track_fabric *t, struct track_subnet *s);

/* The end of the capture. False: there was no room for all events; call it again. */
bool track_fabric_finish(struct track_fabric *t);

/* The number of evicted entries. */
uint64_t track_fabric_evicted(const struct track_fabric *t);

/* Whether the P_Key table of a port has a P_Key of the partition, and the frame that says so. */
enum track_pkey_there { TRACK_PKEY_UNKNOWN, TRACK_PKEY_THERE, TRACK_PKEY_MISSING };
enum track_pkey_there track_fabric_pkey(struct track_fabric *t, uint64_t port_guid, uint16_t pkey,
					uint64_t *frame);

/* Whether the M_Key is the reason why an SMP got no answer. */
struct track_mkey_said {
	uint64_t mkey, frame;
	uint8_t protect;
};
bool track_fabric_mkey(struct track_fabric *t, uint16_t lid, struct track_mkey_said *said);

/* A request for NodeInfo by the route @way, all copies of it: whether it is answered. */
struct track_route_asked {
	uint64_t way, frame;
	uint32_t agent; /* the client */
	const struct track_at *last;
	const struct track_flow *flow;
	const struct track_object *object;
	bool answered;
};
void track_fabric_asked(struct track_fabric *t, const struct track_route_asked *asked);

/* Whether a port has another LID by now; then each packet of native InfiniBand without bit errors. */
bool track_fabric_moved(const struct track_fabric *t);
void track_fabric_packet(struct track_fabric *t, const struct ibw_packet *pkt,
			 const struct track_at *at);

/* Whether the SM at @lid handed over before @time_ns to one that answers by now: its LID, and the frame. */
bool track_fabric_handed_over(const struct track_fabric *t, uint16_t lid, uint64_t time_ns,
			      uint16_t *to, uint64_t *frame);

#endif /* IBWIRE_TRACK_FABRIC_H */
