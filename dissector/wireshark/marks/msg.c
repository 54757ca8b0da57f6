/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * msg.c - messages: which one a packet is of, where that begins and ends, where it is completed.
 *
 * A READ and an atomic are one message with their responses, of the direction of the request. The trackers
 * say which packets belong together, in file order; each has the number of its message in its record.
 */
#include <ibwire/ibwire.h>

#include "msg.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/hf.h"
#include "links.h"
#include "wireshark/base/proto.h"
#include "stream.h"
#include "track/track.h"
#include "track/view/packet.h"
#include "track/way/qp.h"

#include <epan/tap.h>

struct message {
	uint64_t va; /* of its RETH or ATOMICETH */
	union {
		uint64_t first_ns; /* of one that no responses complete, until it is completed */
		struct {
			uint32_t time, latency; /* then */
		} low;
		struct {
			/* of responses, the first ones, counted from psn */
			uint32_t low : 24;
			uint32_t brought_a : 8; /* brought_of() */
			uint32_t high : 24;
			uint32_t brought_b : 8;
		} missing;
	};
	uint32_t first, last; /* frames */
	union {
		uint32_t completed; /* frame; of one that responses complete 0: not yet */
		uint32_t time_low;  /* of the others until it is completed */
	};
	uint32_t number;       /* in its direction, from 1 */
	uint32_t len;          /* bytes it asks for; of a SEND what came so far */
	uint32_t packets : 24; /* with payload; of READs and atomics the responses */
	uint32_t time_high : 8;
	uint32_t psn : 24;
	uint32_t latency_high : 8;
	uint32_t
		span : 24; /* PSNs to its last packet, of responses to the last that came; 0: none */
	uint32_t verb : 3;     /* enum track_verb */
	uint32_t ended : 1;    /* its last packet came */
	uint32_t headless : 1; /* its first packet did not come */
	uint32_t asks : 1;     /* it has a RETH or ATOMICETH: va, and bytes */
	uint32_t responded : 1;
	uint32_t whole : 1; /* completed is final: of responses, all had come by then */
};

_Static_assert(TRACK_VERB_COUNT <= 8, "three bits");
_Static_assert(sizeof(struct message) <= 48, "one a message");

#define BLOCK 1024u
#define PACKETS_MAX ((1u << 24) - 1)

static GArray *completed; /* iw_msg_completed() */
static int tap = -1;
static wmem_array_t *blocks; /* struct message [BLOCK] */
static uint32_t n_messages;

static int hf_msg, hf_op, hf_first, hf_last, hf_packets, hf_len, hf_off, hf_va, hf_time,
	hf_completed, hf_latency;
static int ett_msg = -1;

static const value_string verbs[] = {
#define TRACK_VERB(id, name, title) { TRACK_VERB_##id, title },
#include "track/way/figures.def"
	{ 0, NULL }
};

void iw_msg_register(void)
{
	static hf_register_info rows[] = {
		IW_ROW(hf_msg, "Message", "ibwire.msg", FT_UINT32, BASE_DEC, NULL,
		       "Its number in the direction of its requests, from 1"),
		IW_ROW(hf_op, "Operation", "ibwire.msg.op", FT_UINT8, BASE_NONE, VALS(verbs),
		       "Of the message"),
		IW_ROW(hf_first, "First packet in", "ibwire.msg.first_in", FT_FRAMENUM, BASE_NONE,
		       NULL, "Of the message"),
		IW_ROW(hf_last, "Last packet in", "ibwire.msg.last_in", FT_FRAMENUM, BASE_NONE,
		       NULL,
		       "Of the message, repeated ones not counted; of a READ or an atomic a response"),
		IW_ROW(hf_packets, "Packets", "ibwire.msg.packets", FT_UINT32, BASE_DEC, NULL,
		       "Of the message, repeated ones not counted; of a READ or an atomic the "
		       "responses"),
		IW_ROW(hf_len, "Length", "ibwire.msg.len", FT_UINT32, BASE_DEC, NULL,
		       "Bytes of the message; of a SEND if all of it was captured"),
		IW_ROW(hf_off, "Offset", "ibwire.msg.off", FT_UINT32, BASE_DEC, NULL,
		       "Where the bytes of this packet are in the message"),
		IW_ROW(hf_va, "Virtual address", "ibwire.msg.va", FT_UINT64, BASE_HEX, NULL,
		       "Where the bytes of this packet are in the memory that the message names"),
		IW_ROW(hf_time, "Time to the last packet", "ibwire.msg.time", FT_RELATIVE_TIME,
		       BASE_NONE, NULL,
		       "From the first one; of a READ or an atomic not if that was sent more than once"),
		IW_ROW(hf_completed, "Completed in", "ibwire.msg.completed_in", FT_FRAMENUM,
		       BASE_NONE, NULL,
		       "The first packet that says the last one came; of a READ or an atomic the last "
		       "response"),
		IW_ROW(hf_latency, "Time to completion", "ibwire.msg.latency", FT_RELATIVE_TIME,
		       BASE_NONE, NULL,
		       "From the first packet; of a READ or an atomic not if that was sent more than once"),
	};
	static int *etts[] = { &ett_msg };

	proto_register_field_array(iw_proto, rows, array_length(rows));
	proto_register_subtree_array(etts, array_length(etts));
}

void iw_msg_init(void)
{
	if (!completed)
		completed = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	g_array_set_size(completed, 0);
	blocks = wmem_array_new(wmem_file_scope(), sizeof(struct message *));
	n_messages = 0;
}

void iw_msg_tell(int to)
{
	tap = to;
}

GArray *iw_msg_completed(void)
{
	return completed;
}

void iw_msg_cleanup(void)
{
	blocks = NULL;
}

/* The first pass. A message's number here is one more than its place. */

static struct message *message_of(uint32_t frame)
{
	uint32_t i = blocks ? iw_stream_message(frame) : 0;

	if (!i)
		return NULL;
	i--;
	return *(struct message **)wmem_array_index(blocks, i / BLOCK) + i % BLOCK;
}

static struct message *new_message(uint32_t frame)
{
	struct message *block;

	if (n_messages % BLOCK == 0) {
		block = wmem_alloc0_array(wmem_file_scope(), struct message, BLOCK);
		wmem_array_append_one(blocks, block);
	}
	n_messages++;
	iw_stream_set_message(frame, n_messages);
	return message_of(frame);
}

/*
 * Times from the first packet. Of a READ or an atomic its responses have them. Of others the message has its
 * own, in 40 bits each: the time to the last packet in the place of what completes it, until that comes, and
 * then both in the place of the first packet's time.
 */
#define NS_UNKNOWN ((1ull << 40) - 1)

static uint64_t time_of(const struct message *m)
{
	return (uint64_t)m->time_high << 32 | (m->whole ? m->low.time : m->time_low);
}

static uint64_t latency_of(const struct message *m)
{
	return (uint64_t)m->latency_high << 32 | m->low.latency;
}

static uint64_t since(const struct message *m, uint64_t ns)
{
	return ns >= m->first_ns ? MIN(ns - m->first_ns, NS_UNKNOWN) : NS_UNKNOWN;
}

/* Its last packet is @ns late; what comes after it is completed was captured too late. */
static void set_time(struct message *m, uint64_t ns)
{
	m->time_high = ns >> 32 & 0xff;
	if (m->whole)
		m->low.time = (uint32_t)ns;
	else
		m->time_low = (uint32_t)ns;
}

static void complete(struct message *m, uint32_t frame, uint64_t ns)
{
	uint64_t time = time_of(m), latency = since(m, ns);

	m->whole = true;
	m->completed = frame;
	m->latency_high = latency >> 32 & 0xff;
	m->low.latency = (uint32_t)latency;
	set_time(m, time);
}

static void end(struct message *m, uint32_t psn)
{
	m->ended = true;
	m->span = (psn - m->psn + 1) & 0xffffff;
}

static void begin(const struct track_reply *r)
{
	uint32_t frame = (uint32_t)r->answer, number = iw_stream_next_message(frame);
	unsigned int opf = ibw_opcodes[r->opcode].flags;
	struct message *m = number ? new_message(frame) : NULL;

	if (!m)
		return;
	m->number = number;
	m->first = m->last = frame;
	m->va = r->va;
	m->psn = r->psn & 0xffffff;
	m->verb = r->verb & 7;
	m->headless = (opf & (IBW_OPF_MIDDLE | IBW_OPF_LAST)) != 0;
	m->asks = (r->flags & TRACK_PACKET_RETH) != 0;
	m->responded = !(opf & IBW_OPF_PAYLOAD);
	m->len = m->asks ? r->dmalen : r->payload;
	if (m->responded)
		return;
	m->first_ns = r->time_ns;
	m->packets = 1;
	if (opf & (IBW_OPF_LAST | IBW_OPF_ONLY))
		end(m, r->psn);
}

static void go_on(const struct track_reply *r)
{
	struct message *m = message_of((uint32_t)r->request);

	if (!m)
		return;
	iw_stream_set_message((uint32_t)r->answer, iw_stream_message((uint32_t)r->request));
	m->packets = MIN(m->packets + 1, PACKETS_MAX) & PACKETS_MAX;
	m->last = (uint32_t)r->answer;
	if (!m->asks)
		m->len += r->payload;
	if (ibw_opcodes[r->opcode].flags & IBW_OPF_LAST)
		end(m, r->psn);
	if (m->ended)
		set_time(m, m->whole ? NS_UNKNOWN : since(m, r->time_ns));
}

/* Whether it is no response once more; @at: its place. */
static bool is_new(struct message *m, uint32_t at)
{
	if (at >= m->span) {
		if (at > m->span && m->missing.low == m->missing.high) {
			m->missing.low = m->span & 0xffffff;
			m->missing.high = at & 0xffffff;
		}
		m->span = (at + 1) & 0xffffff;
		return true;
	}
	if (at < m->missing.low || at >= m->missing.high)
		return false;
	m->missing.low = (at + 1) & 0xffffff; /* they come in order */
	return true;
}

/* Bytes by all responses, where there is room that only the times of others take. */
static uint32_t brought_of(const struct message *m)
{
	return (uint32_t)m->missing.brought_a << 24 | (uint32_t)m->missing.brought_b << 16 |
	       (uint32_t)m->time_high << 8 | m->latency_high;
}

/* Bytes of a response. An atomic's are in a header. */
static void bring(struct message *m, uint32_t bytes)
{
	uint32_t n = brought_of(m) + (m->verb == TRACK_VERB_ATOMIC ? m->len : bytes);

	m->missing.brought_a = n >> 24;
	m->missing.brought_b = n >> 16 & 0xff;
	m->time_high = n >> 8 & 0xff;
	m->latency_high = n & 0xff;
}

static void respond(const struct track_reply *r)
{
	struct message *m = message_of((uint32_t)r->request);
	uint32_t at;

	if (!m || !m->responded)
		return;
	iw_stream_set_message((uint32_t)r->answer, iw_stream_message((uint32_t)r->request));
	at = (r->psn - m->psn) & 0xffffff;
	if (is_new(m, at)) {
		m->packets = MIN(m->packets + 1, PACKETS_MAX) & PACKETS_MAX;
		m->last = (uint32_t)r->answer;
		bring(m, r->payload);
	} else {
		iw_stream_set_repeated((uint32_t)r->answer);
	}
	if (ibw_opcodes[r->opcode].flags & (IBW_OPF_FIRST | IBW_OPF_MIDDLE))
		return;
	m->ended = true;
	if (!m->whole) /* else the READ is asked for again */
		m->completed = (uint32_t)r->answer;
	m->whole = m->whole || m->packets == m->span;
}

static void acknowledge(const struct track_reply *r)
{
	struct message *m = message_of((uint32_t)r->request);

	if (!m || !m->ended || m->responded || m->whole ||
	    ((r->psn - m->psn + 1) & 0xffffff) != m->span)
		return;
	complete(m, (uint32_t)r->answer, r->time_ns);
	if (have_tap_listener(tap))
		g_array_append_val(completed, m->first);
}

void iw_msg_add(const struct track_reply *r)
{
	if (!blocks)
		return;
	switch ((enum track_reply_kind)r->kind) {
	case TRACK_REPLY_BEGINS:
		begin(r);
		break;
	case TRACK_REPLY_GOES_ON:
		go_on(r);
		break;
	case TRACK_REPLY_REPEATS:
		iw_stream_set_message((uint32_t)r->answer, iw_stream_message((uint32_t)r->request));
		iw_stream_set_repeated((uint32_t)r->answer);
		break;
	case TRACK_REPLY_ACK:
		acknowledge(r);
		break;
	case TRACK_REPLY_RESPONSE:
		respond(r);
		break;
	case TRACK_REPLY_MAD:
	case TRACK_REPLY_RETRY:
	case TRACK_REPLY_CM:
	case TRACK_REPLY_CNP:
	case TRACK_REPLY_NOTE:
	case TRACK_REPLY_NOTED:
		break;
	}
}

/* Any pass */

bool iw_msg_verb(uint32_t frame, uint32_t *verb)
{
	const struct message *m = message_of(frame);

	if (m)
		*verb = m->verb;
	return m != NULL;
}

uint32_t iw_msg_number(uint32_t frame)
{
	const struct message *m = message_of(frame);

	return m ? m->number : 0;
}

uint32_t iw_msg_first(uint32_t frame)
{
	const struct message *m = message_of(frame);

	return m ? m->first : 0;
}

bool iw_msg_latency(uint32_t frame, uint32_t *verb, uint64_t *ns)
{
	const struct message *m = message_of(frame);

	if (!m || !m->ended || !(m->responded ? m->completed : m->whole) ||
	    frame != (m->responded ? m->completed : m->first))
		return false;
	*verb = m->verb;
	if (m->responded)
		return iw_link_ns(iw_stream_link(frame), ns);
	*ns = latency_of(m);
	return *ns != NS_UNKNOWN;
}

bool iw_msg_is_whole(uint32_t frame)
{
	const struct message *m = message_of(frame);

	return m && m->whole;
}

bool iw_msg_read(uint32_t frame, uint32_t *psn, uint32_t *bytes)
{
	const struct message *m = message_of(frame);

	if (!m || !m->asks || m->verb != TRACK_VERB_READ)
		return false;
	*psn = m->psn;
	*bytes = m->len;
	return true;
}

/* Trees */

bool iw_msg_brought(uint32_t frame, struct iw_read *r)
{
	const struct message *m = message_of(frame);

	if (!m || !m->asks || (m->verb != TRACK_VERB_READ && m->verb != TRACK_VERB_ATOMIC))
		return false;
	*r = (struct iw_read){ .last = m->last,
			       .completed = m->completed,
			       .packets = m->packets,
			       .len = m->len,
			       .brought = brought_of(m),
			       .ended = m->ended,
			       .is_atomic = m->verb == TRACK_VERB_ATOMIC };
	return true;
}

static bool len_of(const struct message *m, uint32_t *len)
{
	*len = m->len;
	return m->asks || (m->ended && !m->headless && m->packets == m->span);
}

/* Bytes of the packet, or that it asks for. */
static uint32_t bytes_of(const struct ibw_packet *pkt)
{
	const struct ibw_reth_wire *reth = IBW_AT(pkt, reth);

	if (TRACK_OPERATION(pkt->opcode) == IBW_OP_RC_RDMA_READ_REQUEST)
		return reth ? ibw_reth_dmalen(reth) : UINT32_MAX;
	return pkt->eths & IBW_ETH_ATOMICWRITE ? (uint32_t)ibw_atomicwrite_BYTES : pkt->payload_len;
}

/* All packets but the last are of one length, so the last ends where the message does. */
static bool off_of(const struct message *m, const struct ibw_packet *pkt, uint32_t *off)
{
	const struct ibw_bth_wire *bth = IBW_AT(pkt, bth);
	uint32_t bytes = bytes_of(pkt), at, len;

	if (!bth || m->headless || m->verb > TRACK_VERB_READ)
		return false;
	at = (ibw_bth_psn(bth) - m->psn) & 0xffffff;
	if (at == 0 || ibw_opcodes[pkt->opcode].flags & (IBW_OPF_FIRST | IBW_OPF_MIDDLE)) {
		*off = at * bytes;
		return true;
	}
	if (!len_of(m, &len) || bytes > len)
		return false;
	*off = len - bytes;
	return true;
}

static void add_off(proto_tree *tree, const struct iw_frame *frame, const struct message *m)
{
	uint32_t off = 0;
	bool known = off_of(m, &frame->view.pkt, &off);

	if (known)
		iw_add_generated(tree, frame->tvb, hf_off, off);
	if (m->asks && (known || m->verb > TRACK_VERB_READ) && iw_wanted(tree, hf_va))
		proto_item_set_generated(
			proto_tree_add_uint64(tree, hf_va, frame->tvb, 0, 0, m->va + off));
}

static void add_ns(proto_tree *tree, tvbuff_t *tvb, int hf, uint64_t ns)
{
	if (ns != NS_UNKNOWN)
		iw_add_ns(tree, tvb, hf, ns);
}

/* The response has it in its record. */
static void add_response_time(proto_tree *tree, tvbuff_t *tvb, int hf, uint32_t frame)
{
	const struct iw_link *link = iw_stream_link(frame);

	if (link && iw_wanted(tree, hf))
		iw_link_add_ns(tree, tvb, hf, link);
}

static void add_times(proto_tree *tree, tvbuff_t *tvb, const struct message *m)
{
	if (!m->responded) {
		if (m->ended)
			add_ns(tree, tvb, hf_time, time_of(m));
		if (!m->whole)
			return;
		iw_add_generated(tree, tvb, hf_completed, m->completed);
		add_ns(tree, tvb, hf_latency, latency_of(m));
		return;
	}
	if (m->ended)
		add_response_time(tree, tvb, hf_time, m->last);
	if (!m->completed)
		return;
	iw_add_generated(tree, tvb, hf_completed, m->completed);
	add_response_time(tree, tvb, hf_latency, m->completed);
}

/* What messages of queue pairs and of iWARP have alike. Returns the tree of the message. */
static proto_tree *add_said(proto_tree *tree, tvbuff_t *tvb, const struct iw_msg_said *said)
{
	proto_item *item = proto_tree_add_uint(tree, hf_msg, tvb, 0, 0, said->number);

	proto_item_set_generated(item);
	tree = proto_item_add_subtree(item, ett_msg);
	iw_add_generated(tree, tvb, hf_op, said->verb);
	iw_add_generated(tree, tvb, hf_first, said->first);
	if (said->ended) {
		iw_add_generated(tree, tvb, hf_last, said->last);
		iw_add_generated(tree, tvb, hf_packets, said->packets);
	}
	if (said->has_len)
		iw_add_generated(tree, tvb, hf_len, said->len);
	return tree;
}

void iw_msg_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	const struct message *m = frame->whole ? message_of(pinfo->num) : NULL;
	struct iw_msg_said said;

	if (!m || frame->view.pkt.bth == IBW_NO_SPAN || frame->view.pkt.eths & IBW_ETH_DETH)
		return;
	said = (struct iw_msg_said){ .number = m->number,
				     .first = m->first,
				     .last = m->last,
				     .packets = m->packets,
				     .verb = m->verb,
				     .ended = m->ended };
	said.has_len = len_of(m, &said.len);
	tree = add_said(tree, frame->tvb, &said);
	add_off(tree, frame, m);
	add_times(tree, frame->tvb, m);
}

void iw_msg_add_said(proto_tree *tree, tvbuff_t *tvb, const struct iw_msg_said *said)
{
	tree = add_said(tree, tvb, said);
	if (said->has_off)
		iw_add_generated(tree, tvb, hf_off, said->off);
	if (said->has_va && iw_wanted(tree, hf_va))
		proto_item_set_generated(proto_tree_add_uint64(tree, hf_va, tvb, 0, 0, said->va));
	if (said->ended)
		add_ns(tree, tvb, hf_time, said->ns);
	if (!said->completed)
		return;
	iw_add_generated(tree, tvb, hf_completed, said->completed);
	add_ns(tree, tvb, hf_latency, said->ns);
}
