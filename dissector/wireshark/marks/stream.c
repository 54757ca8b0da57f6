/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream.c - which connection a packet is of, and which of its packets.
 *
 * On the first pass each packet's half is kept, by frame. Halves become connections, and those get their
 * numbers, when every frame has been seen: the numbers of pcap-lint. Until then a packet has the number
 * that its connection would have if no more halves were found to be one.
 */
#include <string.h>

#include <ibwire/ibwire.h>

#include "stream.h"
#include "conn.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/hf.h"
#include "wireshark/base/mark.h"
#include "iwarp.h"
#include "links.h"
#include "wireshark/base/proto.h"
#include "wireshark/base/prefs.h"
#include "psn.h"
#include "track/base/flow.h"
#include "track/cm/cm_list.h"
#include "track/stream/qps.h"
#include "track/track.h"

#include <epan/conversation_filter.h>

#define NO_NUMBER UINT32_MAX

/* The time that an answer took. */
struct took {
	uint64_t ns;
	uint32_t frame; /* 0: none is known */
};

struct stream {
	uint64_t serial;     /* the trackers' */
	uint64_t service_id; /* that its REQ asks for; 0: not known */
	uint32_t number;     /* NO_NUMBER: not known yet, or it made room for others */
	uint32_t packets;
	uint32_t cm_frame;        /* 0: no CM message, or not known yet */
	uint32_t mtu;             /* the path's, in bytes; 0: not known */
	uint32_t psn[TRACK_WAYS]; /* of the first request */
	struct took rtt;          /* of the first answer */
	struct iw_way way[TRACK_WAYS];
	uint32_t sqpn[TRACK_WAYS];  /* who sends; NO_NUMBER: not known, or not yet */
	uint32_t depth[TRACK_WAYS]; /* track_qp_depth(), as far as known by now */
	bool has_psn[TRACK_WAYS];
};

struct half {
	struct track_flow flow;
	struct stream *stream;
	struct track_sender from;   /* by CM, from the frame of the REP on; frame 0: not known */
	struct took rtt;            /* of its first answer */
	uint64_t first_ns, last_ns; /* the earliest and the latest time */
	uint32_t first_frame;
	uint32_t psn;
	bool has_psn;
	uint8_t way;       /* enum track_way */
	uint32_t number;   /* of halves, from 1 */
	uint32_t messages; /* that begin in it */
};

/* Of a frame: its outermost packet. */
struct record {
	uint32_t half;         /* its number; 0: it is of no connection */
	uint32_t number;       /* in its stream, from 1 */
	uint32_t message : 31; /* msg.c's number of it; 0: none */
	uint32_t repeated : 1; /* it came before */
	struct iw_link link;
};

_Static_assert(sizeof(struct record) <= 24, "one a frame");

/* Blocks do not move: an array that grows would for a moment take its memory twice. */
#define BLOCK 4096u

static wmem_array_t
	*blocks; /* struct record [BLOCK], by frame / BLOCK; NULL: none is of a connection */

static wmem_map_t *halves;     /* first frame -> struct half */
static wmem_array_t *numbered; /* struct half *, by its number; none is 0 */

/* What is in these arrays, without a call for each. */
static struct record *const *block_of;
static struct half *const *half_by;
static uint32_t n_blocks;
static wmem_map_t *streams;       /* serial -> struct stream */
static const struct track *asked; /* of numbers that are not final; NULL: they are */
static uint32_t n_numbers;        /* that are final */

static int hf_stream, hf_number, hf_direction, hf_service, hf_service_id, hf_rtt;

static struct record *block_at(uint32_t i)
{
	return i < n_blocks ? block_of[i] : NULL;
}

static struct record *record_at(uint32_t frame)
{
	struct record *block = block_at(frame / BLOCK);

	return block ? block + frame % BLOCK : NULL;
}

/* NULL: it is of no connection. */
static struct half *half_at(const struct record *r)
{
	return r && r->half ? half_by[r->half] : NULL;
}

static bool number_of(const struct half *h, uint32_t *number)
{
	if (asked)
		return track_connection_rank(asked, &h->flow, number);
	*number = h->stream->number;
	return *number != NO_NUMBER;
}

bool iw_stream_number(uint32_t frame, uint32_t *number)
{
	const struct half *h = half_at(record_at(frame));

	return h && number_of(h, number);
}

/* Of queue pairs, or of iWARP. */
static bool any_number(uint32_t frame, uint32_t *number)
{
	const struct iw_iwarp_conn *c;
	enum track_way way;

	if (iw_stream_number(frame, number))
		return true;
	c = iw_iwarp_conn(frame, &way);
	if (c)
		*number = iw_iwarp_number(c);
	return c != NULL;
}

/* In the window: Conversation Filter, Colorize Conversation. */
static iw_bool has_filter(packet_info *pinfo IW_FILTER_USER)
{
	uint32_t number;

	IW_FILTER_UNUSED;
	return any_number(pinfo->num, &number);
}

static char *filter_of(packet_info *pinfo IW_FILTER_USER)
{
	uint32_t number;

	IW_FILTER_UNUSED;
	return any_number(pinfo->num, &number) ? g_strdup_printf("ibwire.stream == %u", number)
					       : NULL;
}

void iw_stream_register(void)
{
	static const value_string ways[] = { { TRACK_A_TO_B, "a to b" },
					     { TRACK_B_TO_A, "b to a" },
					     { 0, NULL } };
	static hf_register_info rows[] = {
		{ &hf_stream,
		  { "Stream", "ibwire.stream", FT_UINT32, BASE_DEC, NULL, 0,
		    "The connection's number, as pcap-lint has it", HFILL } },
		{ &hf_number,
		  { "Packet of the stream", "ibwire.stream.pnum", FT_UINT32, BASE_DEC, NULL, 0,
		    "Counted from 1, both directions", HFILL } },
		{ &hf_direction,
		  { "Direction", "ibwire.stream.dir", FT_UINT8, BASE_NONE, VALS(ways), 0,
		    "a is the client, or where the first packet comes from", HFILL } },
		{ &hf_service,
		  { "Service", "ibwire.conn.service", FT_STRING, BASE_NONE, NULL, 0,
		    "What the connection is for, as its REQ says", HFILL } },
		{ &hf_service_id,
		  { "Service ID", "ibwire.conn.service_id", FT_UINT64, BASE_HEX, NULL, 0,
		    "Of the REQ of the connection", HFILL } },
		{ &hf_rtt,
		  { "Initial RTT", "ibwire.analysis.initial_rtt", FT_RELATIVE_TIME, BASE_NONE, NULL,
		    0,
		    "From the first request of the connection whose answer says how long it took to "
		    "that answer: an ACK or a response, no NAK; not from REQ to RTU",
		    HFILL } },
	};

	proto_register_field_array(iw_proto, rows, array_length(rows));
	register_conversation_filter("ibwire", IW_SHORT_NAME, has_filter,
				     filter_of IW_FILTER_NO_USER);
}

void iw_stream_init(void)
{
	struct half *none = NULL;

	halves = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
	streams = wmem_map_new(wmem_file_scope(), g_int64_hash, g_int64_equal);
	blocks = wmem_array_new(wmem_file_scope(), sizeof(struct record *));
	numbered = wmem_array_sized_new(wmem_file_scope(), sizeof(struct half *), 16);
	wmem_array_append_one(numbered, none);
	half_by = wmem_array_get_raw(numbered);
}

void iw_stream_cleanup(void)
{
	n_blocks = 0;
	blocks = NULL;
	halves = streams = NULL;
	numbered = NULL;
	asked = NULL;
	n_numbers = 0;
}

static struct record *make_record(uint32_t frame)
{
	struct record *block = block_at(frame / BLOCK), *none = NULL;

	if (block)
		return block + frame % BLOCK;
	if (!blocks)
		return NULL;
	while (wmem_array_get_count(blocks) <= frame / BLOCK)
		wmem_array_append_one(blocks, none);
	block = wmem_alloc0_array(wmem_file_scope(), struct record, BLOCK);
	*(struct record **)wmem_array_index(blocks, frame / BLOCK) = block;
	block_of = wmem_array_get_raw(blocks);
	n_blocks = wmem_array_get_count(blocks);
	return block + frame % BLOCK;
}

static struct stream *stream_of(uint64_t serial)
{
	struct stream *s = wmem_map_lookup(streams, &serial);

	if (s)
		return s;
	s = wmem_new0(wmem_file_scope(), struct stream);
	s->serial = serial;
	s->number = s->sqpn[TRACK_A_TO_B] = s->sqpn[TRACK_B_TO_A] = NO_NUMBER;
	s->depth[TRACK_A_TO_B] = s->depth[TRACK_B_TO_A] = TRACK_NO_DEPTH;
	wmem_map_insert(streams, &s->serial, s);
	return s;
}

static void set_psn(struct stream *s, unsigned int way, uint32_t psn)
{
	if (s->has_psn[way])
		return;
	s->psn[way] = psn;
	s->has_psn[way] = true;
}

/* The half as it is known by now: its connection may have become another's direction. */
static void move(struct half *h, const struct track_place *place)
{
	struct stream *before = h->stream;

	if (before && before->serial == place->serial && h->way == place->way)
		return;
	h->stream = stream_of(place->serial);
	h->way = place->way;
	if (before && before != h->stream)
		h->stream->packets += before->packets;
	if (h->has_psn)
		set_psn(h->stream, h->way, h->psn);
}

static struct half *half_of(const struct track_place *place, const struct track_flow *flow)
{
	void *key = GUINT_TO_POINTER((unsigned int)place->half);
	struct half *h = wmem_map_lookup(halves, key);

	if (!h) {
		h = wmem_new0(wmem_file_scope(), struct half);
		h->flow = *flow;
		h->first_frame = (uint32_t)place->half;
		h->number = wmem_array_get_count(numbered);
		wmem_map_insert(halves, key, h);
		wmem_array_append_one(numbered, h);
		half_by = wmem_array_get_raw(numbered);
	}
	move(h, place);
	return h;
}

static bool is_request(const struct ibw_packet *pkt)
{
	return ibw_opcodes[pkt->opcode].flags & IBW_OPF_REQUEST;
}

static void add_time(struct half *h, uint64_t ns)
{
	if (!h->last_ns || ns < h->first_ns)
		h->first_ns = ns;
	h->last_ns = MAX(h->last_ns, ns);
}

static void begin(struct stream *s, const struct track *trackers, const struct track_flow *flow)
{
	s->service_id = track_connection_service(trackers, flow);
	s->cm_frame = (uint32_t)track_connection_cm_frame(trackers, flow);
	iw_conn_has_data(s->cm_frame);
}

void iw_stream_packet(const struct track *trackers, const struct iw_frame *frame,
		      const struct track_frame *at)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	struct track_place place;
	struct track_flow flow;
	struct record *r;
	struct half *h;

	asked = trackers;
	if (pkt->bth == IBW_NO_SPAN || pkt->eths & IBW_ETH_DETH ||
	    !track_flow_gids_of(pkt, &flow) || !track_place_of(trackers, &flow, &place))
		return;
	r = make_record((uint32_t)at->number);
	if (!r)
		return;
	h = half_of(&place, &flow);
	if (is_request(pkt) && !h->has_psn && frame->view.icrc.status != IBW_CRC_BAD) {
		h->has_psn = true;
		h->psn = ibw_bth_psn(IBW_KNOWN(pkt, bth));
		h->stream->depth[h->way] = track_connection_depth(trackers, &flow);
		set_psn(h->stream, h->way, h->psn);
	}
	if (ibw_opcodes[pkt->opcode].flags & IBW_OPF_MTU && !h->stream->mtu)
		h->stream->mtu = pkt->payload_len;
	if (h->stream->packets == 0)
		begin(h->stream, trackers, &flow);
	if (frame->view.icrc.status != IBW_CRC_BAD) /* nothing else of it counts */
		add_time(h, at->time_ns);
	r->half = h->number;
	r->number = ++h->stream->packets;
}

/* A half that is still remembered may have been found to be of another connection since. */
static void move_known(const struct track *trackers, struct half *h)
{
	struct track_place place;

	if (h && track_place_of(trackers, &h->flow, &place) && place.half == h->first_frame)
		move(h, &place);
}

/* Two halves that are now one connection: the queue pair of either may be used again before its next packet. */
void iw_stream_events(const struct track *trackers, const struct track_event *e, unsigned int n)
{
	for (; halves && n; e++, n--) {
		if (e->kind != TRACK_EVENT_PAIRED)
			continue;
		move_known(trackers,
			   wmem_map_lookup(halves, GUINT_TO_POINTER((unsigned int)e->half)));
		move_known(
			trackers,
			wmem_map_lookup(
				halves,
				GUINT_TO_POINTER((unsigned int)e->number[TRACK_PAIRED_back_half])));
	}
}

static void settle(void *key, void *value, void *user)
{
	struct half *h = value;

	(void)key;
	move_known(user, h);
	h->stream->packets = 0;
	h->stream->rtt.frame = 0;
}

/* Of its two halves the one that was answered first. */
static void add_rtt(struct stream *s, const struct took *rtt)
{
	if (rtt->frame && (!s->rtt.frame || rtt->frame <= s->rtt.frame))
		s->rtt = *rtt;
}

/* What it answers is of the other direction. */
static void add_way(struct stream *s, const struct half *h)
{
	struct iw_way *way = &s->way[h->way], *back = &s->way[!h->way];

	if (!way->last_ns || h->first_ns < way->first_ns)
		way->first_ns = h->first_ns;
	way->last_ns = MAX(way->last_ns, h->last_ns);
	if (h->rtt.frame && (!back->rtt_frame || h->rtt.frame < back->rtt_frame)) {
		back->rtt_frame = h->rtt.frame;
		back->rtt_ns = h->rtt.ns;
	}
}

static void settle_times(void *key, void *value, void *user)
{
	struct half *h = value;

	(void)key;
	(void)user;
	add_rtt(h->stream, &h->rtt);
	add_way(h->stream, h);
}

const struct iw_way *iw_stream_ways(uint32_t frame)
{
	const struct half *h = half_at(record_at(frame));

	return h ? h->stream->way : NULL;
}

/* An ACK of several requests is about the last one. */
void iw_stream_took(uint32_t frame, uint64_t ns)
{
	struct half *h = half_at(record_at(frame));

	if (!h || (h->rtt.frame && h->rtt.frame != frame))
		return;
	h->rtt = (struct took){ ns, frame };
	add_rtt(h->stream, &h->rtt);
}

static void number_stream(struct stream *s, const struct track_qp *qp, uint32_t number)
{
	unsigned int way;

	s->number = number;
	s->service_id = track_qp_service_id(qp);
	s->mtu = track_qp_mtu(qp);
	s->cm_frame = (uint32_t)track_qp_cm_frame(qp);
	for (way = 0; way < TRACK_WAYS; way++) {
		s->depth[way] = track_qp_depth(qp, (enum track_way)way);
		s->sqpn[way] = track_qp_sqpn(qp, (enum track_way)way);
		if (s->sqpn[way] == TRACK_CM_NO_QPN)
			s->sqpn[way] = NO_NUMBER;
	}
}

static void number_streams(const struct track *trackers)
{
	struct track_qps *qps = track_streams(trackers);
	struct track_qp **sorted;
	unsigned int n = 0, i;
	struct stream *s;

	if (!qps)
		return;
	sorted = track_qps_sorted(qps, &n);
	n_numbers = n;
	for (i = 0; i < n; i++) {
		s = wmem_map_lookup(streams, &sorted[i]->serial);
		if (s)
			number_stream(s, sorted[i], i);
	}
	g_free(sorted);
}

void iw_stream_finish(const struct track *trackers)
{
	struct record *r;
	struct half *h;
	uint32_t i;

	if (!halves)
		return;
	wmem_map_foreach(halves, settle, (void *)trackers);
	wmem_map_foreach(halves, settle_times, NULL);
	number_streams(trackers);
	for (i = 0; i < wmem_array_get_count(blocks) * BLOCK; i++) {
		r = record_at(i);
		h = half_at(r);
		if (!h)
			continue;
		r->number = ++h->stream->packets;
		if (r->number == 1)
			iw_conn_has_data(h->stream->cm_frame);
	}
	asked = NULL;
}

struct iw_link *iw_stream_make_link(uint32_t frame)
{
	struct record *r = make_record(frame);

	return r ? &r->link : NULL;
}

uint32_t iw_stream_cm(uint32_t frame)
{
	const struct half *h = half_at(record_at(frame));

	return h ? h->stream->cm_frame : 0;
}

bool iw_stream_keep_sender(uint32_t frame, const struct track_sender *from)
{
	struct half *h = half_at(record_at(frame));

	if (!h)
		return false;
	if (!h->from.frame)
		h->from = *from;
	return h->from.frame == from->frame && h->from.qpn == from->qpn;
}

void iw_stream_recall_sender(uint32_t frame, struct track_sender *from)
{
	const struct half *h = half_at(record_at(frame));

	if (h && h->from.frame && h->from.frame < frame)
		*from = h->from;
}

uint32_t iw_stream_depth(uint32_t frame)
{
	const struct half *h = half_at(record_at(frame));

	return h ? h->stream->depth[h->way] : TRACK_NO_DEPTH;
}

uint32_t iw_stream_message(uint32_t frame)
{
	const struct record *r = record_at(frame);

	return r ? r->message : 0;
}

void iw_stream_set_message(uint32_t frame, uint32_t message)
{
	struct record *r = make_record(frame);

	if (r)
		r->message = message;
}

void iw_stream_set_repeated(uint32_t frame)
{
	struct record *r = make_record(frame);

	if (r)
		r->repeated = true;
}

bool iw_stream_repeated(uint32_t frame)
{
	const struct record *r = record_at(frame);

	return r && r->repeated;
}

bool iw_stream_way(uint32_t frame, enum track_way *way)
{
	const struct half *h = half_at(record_at(frame));

	if (h)
		*way = (enum track_way)h->way;
	return h != NULL;
}

uint32_t iw_stream_count(void)
{
	return n_numbers;
}

uint32_t iw_stream_so_far(void)
{
	const struct track_qps *qps = asked ? track_streams(asked) : NULL;

	return qps ? track_qps_count(qps) : n_numbers;
}

uint32_t iw_stream_half(uint32_t frame)
{
	const struct half *h = half_at(record_at(frame));

	return h ? h->first_frame : 0;
}

uint64_t iw_stream_service(uint32_t frame)
{
	const struct half *h = half_at(record_at(frame));

	return h ? h->stream->service_id : 0;
}

uint32_t iw_stream_next_message(uint32_t frame)
{
	struct half *h = half_at(record_at(frame));

	return h ? ++h->messages : 0;
}

bool iw_stream_sender(uint32_t frame, uint32_t *sqpn)
{
	const struct half *h = half_at(record_at(frame));

	if (asked || !h || h->stream->sqpn[h->way] == NO_NUMBER)
		return false;
	*sqpn = h->stream->sqpn[h->way];
	return true;
}

const struct iw_link *iw_stream_link(uint32_t frame)
{
	const struct record *r = record_at(frame);

	return r ? &r->link : NULL;
}

/* What answers has PSNs of the other direction's requests. */
static struct iw_psn_base base_of(const struct iw_frame *frame, const struct half *h)
{
	unsigned int way = is_request(&frame->view.pkt) ? h->way : !h->way;

	return (struct iw_psn_base){ h->stream->psn[way], h->stream->has_psn[way], h->stream->mtu };
}

bool iw_stream_psn(const struct iw_frame *frame, uint32_t number, uint32_t *psn)
{
	const struct ibw_bth_wire *bth = IBW_AT(&frame->view.pkt, bth);
	const struct half *h = half_at(record_at(number));
	struct iw_psn_base base;

	if (!h || !bth)
		return false;
	base = base_of(frame, h);
	*psn = (ibw_bth_psn(bth) - base.first) & 0xffffff;
	return base.known;
}

static void add_service(proto_tree *tree, tvbuff_t *tvb, uint64_t service_id)
{
	char buf[TRACK_CM_SERVICE_TEXT];
	const char *text = service_id ? track_cm_service_text(service_id, buf) : NULL;

	if (text && iw_wanted(tree, hf_service))
		proto_item_set_generated(proto_tree_add_string(tree, hf_service, tvb, 0, 0, text));
}

static void add_service_id(proto_tree *tree, tvbuff_t *tvb, uint64_t service_id)
{
	if (service_id && iw_wanted(tree, hf_service_id))
		proto_item_set_generated(
			proto_tree_add_uint64(tree, hf_service_id, tvb, 0, 0, service_id));
}

static void add_initial_rtt(proto_tree *tree, const struct iw_frame *frame, const struct took *rtt)
{
	if (rtt->frame)
		iw_add_ns(tree, frame->tvb, hf_rtt, rtt->ns);
}

/* "NFS 20049"; of a port that nobody has a name for "port 4455", as a port space is no protocol: RDMA is not TCP. */
static const char *service_in_short(packet_info *pinfo, uint64_t service_id)
{
	const struct ibw_sid sid = ibw_sid_split(service_id);
	const char *space = sid.kind == IBW_SID_RDMA_CM
				    ? ibw_name_of(ibw_rdma_port_space_names, sid.port_space)
				    : NULL;
	char buf[TRACK_CM_SERVICE_TEXT];
	const char *text = service_id ? track_cm_service_text(service_id, buf) : NULL;

	if (text && space && g_str_has_prefix(text, space))
		return wmem_strdup_printf(pinfo->pool, "port %u", sid.port);
	return text ? wmem_strdup(pinfo->pool, text) : NULL;
}

void iw_stream_add_info(packet_info *pinfo, const struct iw_stream_said *said)
{
	const char *text = service_in_short(pinfo, said->service_id);

	if (text)
		iw_info_mark(pinfo, text);
	if (iw_prefs.stream_in_info && said->number != NO_NUMBER)
		iw_info_mark(pinfo, wmem_strdup_printf(pinfo->pool, "stream %u", said->number));
}

void iw_stream_info(packet_info *pinfo)
{
	const struct half *h = half_at(record_at(pinfo->num));
	struct iw_stream_said said = { .number = NO_NUMBER };

	if (!h)
		return;
	said.service_id = h->stream->service_id;
	if (iw_prefs.stream_in_info && !number_of(h, &said.number))
		said.number = NO_NUMBER;
	iw_stream_add_info(pinfo, &said);
}

void iw_stream_add(proto_tree *tree, tvbuff_t *tvb, const struct iw_stream_said *said)
{
	iw_add_generated(tree, tvb, hf_stream, said->number);
	iw_add_generated(tree, tvb, hf_direction, said->way);
	add_service(tree, tvb, said->service_id);
}

void iw_stream_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	const struct record *r = record_at(pinfo->num);
	const struct half *h = half_at(r);
	uint32_t number;

	if (!frame->whole || !h || !number_of(h, &number))
		return;
	iw_add_generated(tree, frame->tvb, hf_stream, number);
	iw_add_generated(tree, frame->tvb, hf_number, r->number);
	iw_add_generated(tree, frame->tvb, hf_direction, h->way);
	add_service(tree, frame->tvb, h->stream->service_id);
	add_service_id(tree, frame->tvb, h->stream->service_id);
	add_initial_rtt(tree, frame, &h->stream->rtt);
}

void iw_stream_psns(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	const struct half *h = half_at(record_at(pinfo->num));
	struct iw_psn_base base;

	if (!frame->whole || !h)
		return;
	base = base_of(frame, h);
	iw_psn_tree(tree, frame, &base);
}
