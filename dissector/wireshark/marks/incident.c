/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incident.c - which incidents a packet belongs to: what went wrong on its connection, in its conversation of the CM, or with
 * requests of MADs, one cause at a time.
 *
 * The trackers list them when every frame has been seen; until then no packet has one. Numbers are those of pcap-lint.
 */
#include <stdlib.h>

#include "incident.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/hf.h"
#include "wireshark/base/proto.h"
#include "wireshark/marks/stream.h"
#include "track/incident/incident.h"
#include "track/iwarp/iwarp.h"
#include "track/stream/qps.h"
#include "track/track.h"
#include "track/way/qp_state.h"

/* Frames of an incident, and the fields that lead to them. */
#define FRAMES(FRAME)                                                                                                              \
	FRAME(frame, "shown_in", "First shown in", "The packet that shows it first")                                               \
	FRAME(root_frame, "root_in", "Root in",                                                                                    \
	      "The first copy of its root, or the first READ that asks for that; of managers, of the message that waited longest") \
	FRAME(lost_frame, "lost_in", "Lost in", "The copy that was lost")                                                          \
	FRAME(notice_frame, "noticed_in", "Noticed in", "The first NAK, RNR NAK or copy")                                          \
	FRAME(nak_frame, "nak_in", "NAK in", "The first NAK or RNR NAK")                                                           \
	FRAME(resent_frame, "resent_in", "Sent again in", "The packet that sends its root again")                                  \
	FRAME(end_frame, "ended_in", "Ended in", "The packet that ends it")                                                        \
	FRAME(last_frame, "last_in", "Last packet in",                                                                             \
	      "The last packet of it: a retransmitted one may come after its end")

#define TIMES(TIME)                                                                                \
	TIME(ns, "time", "Time lost", "Time without progress")                                     \
	TIME(noticed_ns, "noticed", "Time until noticed",                                          \
	     "Of the time lost: until somebody noticed")                                           \
	TIME(resent_ns, "resent", "Time until retransmitted",                                      \
	     "Of the time lost: from then until its root was retransmitted")                       \
	TIME(repaired_ns, "repaired", "Time until repaired",                                       \
	     "Of the time lost: from then until its end")

enum {
#define FRAME(member, name, label, blurb) AT_##member,
	FRAMES(FRAME)
#undef FRAME
		FRAME_COUNT
};

enum {
#define TIME(member, name, label, blurb) AT_##member,
	TIMES(TIME)
#undef TIME
		TIME_COUNT
};

static int hf_incident, hf_kind, hf_psn, hf_packets, hf_frame[FRAME_COUNT], hf_time[TIME_COUNT];
static int ett_incident = -1;

static struct iw_incident *incidents;
static unsigned int n_incidents;
static struct iw_incident_place *places; /* by frame, then by incident, each once */
static unsigned int n_places;

void iw_incident_register(void)
{
	static hf_register_info rows[] = {
		{ &hf_incident,
		  { "Incident", "ibwire.incident", FT_UINT32, BASE_DEC, NULL, 0,
		    "Its number, as pcap-lint has it", HFILL } },
		{ &hf_kind,
		  { "Kind", "ibwire.incident.kind", FT_STRING, BASE_NONE, NULL, 0,
		    "What went wrong, as pcap-lint calls it", HFILL } },
		{ &hf_psn,
		  { "Root PSN", "ibwire.incident.root_psn", FT_UINT24, BASE_HEX_DEC, NULL, 0,
		    "The PSN that was in the way", HFILL } },
		{ &hf_packets,
		  { "Packets retransmitted", "ibwire.incident.packets_resent", FT_UINT32, BASE_DEC,
		    NULL, 0, "How many packets were retransmitted because of it", HFILL } },
#define FRAME(member, name, label, blurb)                                                          \
	{ &hf_frame[AT_##member],                                                                  \
	  { label, "ibwire.incident." name, FT_FRAMENUM, BASE_NONE, NULL, 0, blurb, HFILL } },
		FRAMES(FRAME)
#undef FRAME
#define TIME(member, name, label, blurb)                                                           \
	{ &hf_time[AT_##member],                                                                   \
	  { label, "ibwire.incident." name, FT_RELATIVE_TIME, BASE_NONE, NULL, 0, blurb,           \
	    HFILL } },
			TIMES(TIME)
#undef TIME
	};
	static int *etts[] = { &ett_incident };

	proto_register_field_array(iw_proto, rows, array_length(rows));
	proto_register_subtree_array(etts, array_length(etts));
}

void iw_incident_cleanup(void)
{
	incidents = NULL;
	places = NULL;
	n_incidents = n_places = 0;
}

static GHashTable *by_serial(struct track_qps *qps)
{
	GHashTable *found = g_hash_table_new(g_int64_hash, g_int64_equal);
	struct track_qp **sorted;
	unsigned int n = 0, i;

	sorted = track_qps_sorted(qps, &n);
	for (i = 0; i < n; i++)
		g_hash_table_insert(found, &sorted[i]->serial, sorted[i]);
	g_free(sorted);
	return found;
}

/* Connections of iWARP have the numbers after those of queue pairs. */
static bool stream_of(const struct track_iwarp *iwarp, uint32_t stall, uint32_t *stream)
{
	uint32_t count, connection;

	connection = track_stalls_list(iwarp->stalls, &count)[stall].connection;
	*stream = iw_stream_so_far() + connection;
	return connection != TRACK_STALL_NO_CONNECTION;
}

/* A conversation of the CM may have set up nothing, and other MADs are of no connection. */
static void add(GHashTable *qps, const struct track_iwarp *iwarp,
		const struct track_incident *incident, unsigned int number)
{
	const struct track_qp *qp = g_hash_table_lookup(qps, &incident->serial);
	struct iw_incident i = { .incident = incident, .qp = qp, .number = number };

	if (qp ? track_qp_doubt(qp) & TRACK_DOUBT_TWICE /* it may be of a copy */
	       : !track_incident_is_managed(incident))
		return;
	i.has_stream = qp != NULL;
	i.stream = qp ? qp->number : 0;
	if (incident->stall)
		i.has_stream = stream_of(iwarp, incident->stall - 1, &i.stream);
	incidents[n_incidents++] = i;
}

static int by_frame(const void *a, const void *b)
{
	const struct iw_incident_place *one = a, *other = b;

	if (one->frame != other->frame)
		return one->frame < other->frame ? -1 : 1;
	return one->incident < other->incident ? -1 : one->incident > other->incident;
}

static void add_place(uint64_t frame, uint32_t incident)
{
	if (frame)
		places[n_places++] = (struct iw_incident_place){ (uint32_t)frame, incident };
}

static void sort_places(void)
{
	unsigned int i, n = 0;

	qsort(places, n_places, sizeof(*places), by_frame);
	for (i = 0; i < n_places; i++)
		if (!n || by_frame(&places[n - 1], &places[i]))
			places[n++] = places[i];
	n_places = n;
}

static void find_places(void)
{
	unsigned int i;

	places = wmem_alloc_array(wmem_file_scope(), struct iw_incident_place,
				  (size_t)n_incidents * FRAME_COUNT);
	for (i = 0; i < n_incidents; i++) {
#define FRAME(member, name, label, blurb) add_place(incidents[i].incident->member, i);
		FRAMES(FRAME)
#undef FRAME
	}
	sort_places();
}

void iw_incident_finish(const struct track *trackers)
{
	const struct track_iwarp *iwarp = track_iwarp_connections(trackers);
	struct track_qps *qps = track_streams(trackers);
	const struct track_incidents *list = track_qps_incidents(qps);
	GHashTable *serials;
	unsigned int i;

	if (!list || (!list->count && !list->n_managed))
		return;
	incidents = wmem_alloc_array(wmem_file_scope(), struct iw_incident,
				     list->n + TRACK_INCIDENT_COUNT + list->n_managed);
	serials = by_serial(qps);
	for (i = 0; i < list->n; i++)
		add(serials, iwarp, &list->kept[i], i);
	for (i = 0; i < TRACK_INCIDENT_COUNT; i++)
		if (list->costliest[i].frame)
			add(serials, iwarp, &list->costliest[i], list->n + i);
	for (i = 0; i < list->n_managed; i++)
		add(serials, iwarp, &list->managed[i], track_incidents_managed_from(list) + i);
	g_hash_table_unref(serials);
	if (n_incidents)
		find_places();
}

const struct iw_incident *iw_incidents(unsigned int *n)
{
	*n = n_incidents;
	return incidents;
}

const struct iw_incident_place *iw_incident_places(uint32_t frame, unsigned int *n)
{
	unsigned int from = 0, to = n_places, middle;

	while (from < to) {
		middle = from + (to - from) / 2;
		if (places[middle].frame < frame)
			from = middle + 1;
		else
			to = middle;
	}
	while (to < n_places && places[to].frame == frame)
		to++;
	*n = to - from;
	return places + from;
}

static void add_frames(proto_tree *tree, packet_info *pinfo, tvbuff_t *tvb,
		       const struct track_incident *i)
{
#define FRAME(member, name, label, blurb)                                                          \
	if (i->member && i->member != pinfo->num)                                                  \
		iw_add_generated(tree, tvb, hf_frame[AT_##member], (uint32_t)i->member);
	FRAMES(FRAME)
#undef FRAME
}

static void add_incident(proto_tree *tree, packet_info *pinfo, tvbuff_t *tvb,
			 const struct iw_incident *incident)
{
	const struct track_incident *i = incident->incident;
	const char *kind = track_incident_rows[i->kind].name;
	proto_item *item = proto_tree_add_uint(tree, hf_incident, tvb, 0, 0, incident->number);

	proto_item_set_generated(item);
	proto_item_append_text(item, ", %s", kind);
	tree = proto_item_add_subtree(item, ett_incident);
	if (iw_wanted(tree, hf_kind))
		proto_item_set_generated(proto_tree_add_string(tree, hf_kind, tvb, 0, 0, kind));
	if (!track_incident_is_managed(i))
		iw_add_generated(tree, tvb, hf_psn, i->psn);
	add_frames(tree, pinfo, tvb, i);
#define TIME(member, name, label, blurb) iw_add_ns(tree, tvb, hf_time[AT_##member], i->member);
	TIMES(TIME)
#undef TIME
	iw_add_generated(tree, tvb, hf_packets, i->resent_packets);
}

void iw_incident_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	const struct iw_incident_place *place;
	unsigned int n = 0;

	if (!n_places || !frame->whole)
		return;
	for (place = iw_incident_places(pinfo->num, &n); n; place++, n--)
		add_incident(tree, pinfo, frame->tvb, &incidents[place->incident]);
}
