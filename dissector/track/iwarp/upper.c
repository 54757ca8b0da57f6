/* SPDX-License-Identifier: GPL-2.0-or-later */
/* upper.c - hands the messages of a connection to the trackers of upper layers. */
#include <string.h>

#include <ibwire/ibwire.h>

#include "impl.h"
#include "track/ulp/ulp.h"

/* Of a message that markers are in, so much is joined: headers are in its first bytes. */
#define PIECED 4096u

struct track_flow track_iwarp_flow(const struct track_iwarp_x *x)
{
	const struct track_tcp_ends *ends = &x->ends;
	struct track_flow flow = { .address = ends->v6 ? TRACK_ADDRESS_IPV6 : TRACK_ADDRESS_IPV4,
				   .service = TRACK_SERVICE_IWARP,
				   .sport = ends->port[x->side],
				   .dqpn = ends->port[!x->side] };

	memcpy(flow.src, ends->address[x->side], sizeof(flow.src));
	memcpy(flow.dst, ends->address[!x->side], sizeof(flow.dst));
	track_flow_as_gids(&flow);
	return flow;
}

/* The sender may have received what is not in the capture: what it answers is not known then. */
static struct track_ulp_sent_message message_of(const struct track_iwarp_x *x,
						enum track_ulp_message message)
{
	const struct track_flow flow = track_iwarp_flow(x);

	if (track_iwarp_lacks_end(&x->c->dir[!x->side]))
		track_ulps_lack(x->t->ulps, &flow, TRACK_DOUBT_LOSS);
	return (struct track_ulp_sent_message){ .flow = flow,
						.connection = x->c->number,
						.first_frame = x->c->first_frame,
						.message = message };
}

/* The first bytes of a message. */
static void first_bytes(struct track_iwarp_x *x, enum track_ulp_message message,
			const struct ibw_fpdu *f, const struct ibw_segment *s)
{
	struct track_ulp_sent_message m = message_of(x, message);
	uint8_t room[PIECED];

	m.n = MIN(s->bytes, PIECED);
	m.p = ibw_fpdu_payload_bytes(f, s, m.n, room);
	m.whole = s->last && m.n == s->bytes;
	m.last = s->last;
	m.msn = s->msn;
	m.invalidates = !s->tagged && ibw_rdmap_flags(s->opcode) & IBW_RDMAP_INVALIDATES;
	m.key = m.invalidates ? s->inval_stag : s->stag;
	m.va = s->to;
	m.bytes = s->bytes;
	if (m.p)
		x->upper = track_ulps_message(x->t->ulps, &m, x->at);
	else
		x->upper = (struct track_upper){ .ulp = IBW_ULP_NONE };
	track_iwarp_decode_upper(x, &x->upper);
}

/* One that moves data of a command. */
static void moved(struct track_iwarp_x *x, const struct track_ulp_sent_message *m)
{
	const struct track_upper upper = track_ulps_message(x->t->ulps, m, x->at);

	track_iwarp_decode_upper(x, &upper);
}

void track_iwarp_upper_starts(struct track_iwarp_x *x, const struct ibw_mpa_frame *f)
{
	struct track_ulp_start s;

	if (!x->t->ulps)
		return;
	s = (struct track_ulp_start){ .flow = track_iwarp_flow(x),
				      .p = f->private_data,
				      .n = f->private_bytes,
				      .reply = f->reply,
				      .rejects = ibw_mpa_start_r(f->start) != 0 };
	track_ulps_start(x->t->ulps, &s, x->at);
}

void track_iwarp_upper_begins(struct track_iwarp_x *x, const struct ibw_fpdu *f,
			      const struct ibw_segment *s)
{
	if (!x->t->ulps)
		return;
	if (!s->tagged)
		first_bytes(x, TRACK_ULP_SEND, f, s);
	else if (s->opcode == IBW_RDMAP_READ_RESPONSE)
		first_bytes(x, TRACK_ULP_READ_ANSWER, f, s);
	else
		first_bytes(x, TRACK_ULP_WRITE_BEGINS, f, s);
}

/* A further segment of a Send, where somebody wants to know how long Sends are. */
void track_iwarp_upper_goes_on(struct track_iwarp_x *x, const struct ibw_segment *s)
{
	struct track_ulp_sent_message m;

	if (!x->t->ulps || s->tagged ||
	    !track_ulps_looks_at(track_ulps_opcodes(x->t->ulps), IBW_OP_RC_SEND_MIDDLE))
		return;
	m = message_of(x, TRACK_ULP_SEND_GOES_ON);
	m.bytes = s->bytes;
	m.last = s->last;
	track_ulps_message(x->t->ulps, &m, x->at);
}

void track_iwarp_upper_written(struct track_iwarp_x *x, const struct track_iwarp_open *open)
{
	struct track_ulp_sent_message m;

	if (!x->t->ulps)
		return;
	m = message_of(x, TRACK_ULP_WRITE);
	m.key = open->key;
	m.va = open->next - open->bytes;
	m.bytes = open->bytes;
	moved(x, &m);
}

void track_iwarp_upper_reads(struct track_iwarp_x *x, const struct ibw_rdmap_read_req_wire *read)
{
	struct track_ulp_sent_message m;

	if (!x->t->ulps)
		return;
	m = message_of(x, TRACK_ULP_READ);
	m.key = ibw_rdmap_read_req_src_stag(read);
	m.va = ibw_rdmap_read_req_src_to(read);
	m.bytes = ibw_rdmap_read_req_read_size(read);
	moved(x, &m);
}

void track_iwarp_upper_closes(struct track_iwarp_x *x)
{
	struct track_flow flow;

	if (!x->t->ulps || !x->c->is_iwarp)
		return;
	flow = track_iwarp_flow(x);
	track_ulps_close(x->t->ulps, &flow, x->at);
}

/* Answers may be among the octets in which no FPDU was found, where a connection began before the capture. */
static uint16_t upper_doubt(const struct track_iwarp_conn *c)
{
	const uint16_t doubt = track_iwarp_doubt(c);

	return doubt & TRACK_DOUBT_MID_STREAM ? (uint16_t)(doubt | TRACK_DOUBT_LOSS) : doubt;
}

void track_iwarp_upper_lacks(struct track_iwarp_x *x)
{
	struct track_flow flow;

	if (!x->t->ulps || !x->c->is_iwarp)
		return;
	flow = track_iwarp_flow(x);
	track_ulps_lack(x->t->ulps, &flow, upper_doubt(x->c));
}
