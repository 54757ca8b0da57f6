/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conn.c - the messages of the CM that began and ended a connection: each of them, and each packet of the
 * connection, names the others, and says how long they took, which side sends it, and what of it was captured.
 */
#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "conn.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/hf.h"
#include "wireshark/base/proto.h"
#include "track/track.h"

/* Those beyond it are not kept: 64 MiB. */
#define CONNECTIONS_MAX 500000u

/* What there is a field for: the first one of each kind; which bit of ibwire.conn.completeness it is, for ever. */
#define MESSAGES(MESSAGE)                                                                          \
	MESSAGE(REQ, req, 0)                                                                       \
	MESSAGE(REP, rep, 1)                                                                       \
	MESSAGE(RTU, rtu, 2)                                                                       \
	MESSAGE(REJ, rej, 6)                                                                       \
	MESSAGE(DREQ, dreq, 4)                                                                     \
	MESSAGE(DREP, drep, 5)

#define DATA 3u             /* a packet of its queue pairs */
#define COMPLETE_BITS 0x37u /* begun and ended by the CM, with or without data */

enum {
#define MESSAGE(id, name, bit) AT_##id,
	MESSAGES(MESSAGE)
#undef MESSAGE
		MESSAGE_COUNT
};

struct connection {
	uint32_t frame[MESSAGE_COUNT]; /* 0: none was captured so far */
	uint64_t req_ns, rtu_ns;       /* times of those */
	bool has_data;
};

_Static_assert(sizeof(struct connection) <= 128, "one a connection");

static wmem_map_t *connections; /* first frame -> struct connection */
static uint32_t n_connections;
static int hf[MESSAGE_COUNT], hf_setup_time, hf_role, hf_completeness;

static const uint8_t bit_of[MESSAGE_COUNT] = {
#define MESSAGE(id, name, bit) [AT_##id] = 1u << (bit),
	MESSAGES(MESSAGE)
#undef MESSAGE
};

/* "Incomplete: REQ, REP, RTU, data (15)" */
static void completeness_text(char *text, uint32_t bits)
{
	static const char *const names[] = {
#define MESSAGE(id, name, bit) [bit] = #id,
		MESSAGES(MESSAGE)
#undef MESSAGE
			[DATA] = "data"
	};
	struct ibw_out o = ibw_out_open(text, ITEM_LABEL_LENGTH);
	const char *before;
	unsigned int i;

	before = (bits & COMPLETE_BITS) == COMPLETE_BITS ? "Complete: " : "Incomplete: ";
	for (i = 0; i < array_length(names); i++) {
		if (!(bits >> i & 1))
			continue;
		ibw_out_str(&o, before);
		ibw_out_str(&o, names[i]);
		before = ", ";
	}
	ibw_out_str(&o, " (");
	ibw_out_dec(&o, bits);
	ibw_out_char(&o, ')');
	ibw_out_close(&o);
}

void iw_conn_register(void)
{
	static const value_string sides[] = { { TRACK_CM_CLIENT, "client" },
					      { TRACK_CM_SERVER, "server" },
					      { 0, NULL } };
	static hf_register_info rows[] = {
#define MESSAGE(id, name, bit)                                                                     \
	{ &hf[AT_##id],                                                                            \
	  { #id " in", "ibwire.conn." #name "_in", FT_FRAMENUM, BASE_NONE, NULL, 0,                \
	    "The first " #id " of the connection", HFILL } },
		MESSAGES(MESSAGE)
#undef MESSAGE
			{ &hf_setup_time,
			  { "Time to set up", "ibwire.conn.setup_time", FT_RELATIVE_TIME, BASE_NONE,
			    NULL, 0,
			    "From the first REQ to the first RTU, if the REP was captured, too",
			    HFILL } },
		{ &hf_role,
		  { "Role of the sender", "ibwire.conn.role", FT_UINT8, BASE_NONE, VALS(sides), 0,
		    "The client sends the REQ, the server answers it", HFILL } },
		{ &hf_completeness,
		  { "Completeness", "ibwire.conn.completeness", FT_UINT8, BASE_CUSTOM,
		    CF_FUNC(completeness_text), 0,
		    "What of the connection was captured: REQ 1, REP 2, RTU 4, data 8, DREQ 16, DREP "
		    "32, REJ 64",
		    HFILL } },
	};

	proto_register_field_array(iw_proto, rows, array_length(rows));
}

void iw_conn_init(void)
{
	connections = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
	n_connections = 0;
}

void iw_conn_cleanup(void)
{
	connections = NULL;
}

static unsigned int at_of(uint8_t message)
{
	switch (message) {
#define MESSAGE(id, name, bit)                                                                     \
	case TRACK_CM_##id:                                                                        \
		return AT_##id;
		MESSAGES(MESSAGE)
#undef MESSAGE
	default:
		return MESSAGE_COUNT;
	}
}

static struct connection *connection_of(uint32_t first_frame)
{
	void *key = GUINT_TO_POINTER(first_frame);
	struct connection *c = wmem_map_lookup(connections, key);

	if (c || n_connections == CONNECTIONS_MAX)
		return c;
	n_connections++;
	c = wmem_new0(wmem_file_scope(), struct connection);
	wmem_map_insert(connections, key, c);
	return c;
}

void iw_conn_add(const struct track_reply *r)
{
	struct connection *c = connections ? connection_of((uint32_t)r->request) : NULL;
	unsigned int at = at_of(r->opcode);

	if (!c || at == MESSAGE_COUNT || c->frame[at])
		return;
	c->frame[at] = (uint32_t)r->answer;
	if (at == AT_REQ)
		c->req_ns = r->time_ns;
	if (at == AT_RTU)
		c->rtu_ns = r->time_ns;
}

void iw_conn_has_data(uint32_t first_frame)
{
	struct connection *c =
		connections ? wmem_map_lookup(connections, GUINT_TO_POINTER(first_frame)) : NULL;

	if (c)
		c->has_data = true;
}

static void add_frames(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		       const struct connection *c)
{
	unsigned int i;

	for (i = 0; i < MESSAGE_COUNT; i++)
		if (c->frame[i] && c->frame[i] != pinfo->num && iw_wanted(tree, hf[i]))
			proto_item_set_generated(
				proto_tree_add_uint(tree, hf[i], frame->tvb, 0, 0, c->frame[i]));
}

static void add_setup_time(proto_tree *tree, const struct iw_frame *frame,
			   const struct connection *c)
{
	uint64_t ns = c->rtu_ns - c->req_ns;

	/* A REP that comes later is of another connection with the same IDs. */
	if (c->frame[AT_REQ] && c->frame[AT_REP] && c->frame[AT_REP] < c->frame[AT_RTU] &&
	    c->rtu_ns >= c->req_ns)
		iw_add_ns(tree, frame->tvb, hf_setup_time, ns);
}

/* Of the messages of the CM those that came; a packet that is none of them is data. */
static void add_completeness(proto_tree *tree, const struct iw_frame *frame,
			     const struct connection *c)
{
	uint32_t bits = frame->view.pkt.eths & IBW_ETH_DETH ? 0 : 1u << DATA;
	unsigned int i;

	for (i = 0; c && i < MESSAGE_COUNT; i++)
		bits |= c->frame[i] ? bit_of[i] : 0;
	if (c && c->has_data)
		bits |= 1u << DATA;
	iw_add_generated(tree, frame->tvb, hf_completeness, bits);
}

void iw_conn_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		  uint32_t first_frame, enum track_cm_side side)
{
	const struct connection *c =
		connections && first_frame
			? wmem_map_lookup(connections, GUINT_TO_POINTER(first_frame))
			: NULL;

	if (c || !first_frame)
		add_completeness(tree, frame, c);
	if (!c)
		return;
	add_frames(tree, pinfo, frame, c);
	if (iw_wanted(tree, hf_setup_time))
		add_setup_time(tree, frame, c);
	if (iw_wanted(tree, hf_role))
		proto_item_set_generated(
			proto_tree_add_uint(tree, hf_role, frame->tvb, 0, 0, side));
}
