/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rdmap.c - checks the DDP segment of an FPDU and its message. RFC 5040; RFC 5041 */
#include <glib.h>

#include "impl.h"

/* Messages of several segments: each kind for itself, though senders send one after the other. */
enum {
	OPEN_SEND = TRACK_MESSAGE_SLOT_SEND,
	OPEN_WRITE = TRACK_MESSAGE_SLOT_WRITE,
	OPEN_RESPONSE = TRACK_MESSAGE_SLOT_RESPONSE,
	OPEN_COUNT
};

void track_iwarp_touch(struct track_iwarp_dir *d)
{
	unsigned int i;

	for (i = 0; i < OPEN_COUNT; i++)
		d->open[i].frame = 0;
	d->touched = (1 << OPEN_COUNT) - 1;
	d->msn_known = 0;
	d->asks_lost = true;
}

static enum track_iwarp_message message_of(uint8_t opcode)
{
	switch (opcode) {
	case IBW_RDMAP_WRITE:
		return TRACK_IWARP_WRITE;
	case IBW_RDMAP_READ_REQUEST:
		return TRACK_IWARP_READ_REQUEST;
	case IBW_RDMAP_READ_RESPONSE:
		return TRACK_IWARP_READ_RESPONSE;
	case IBW_RDMAP_SEND_INVALIDATE:
	case IBW_RDMAP_SEND_SE_INVALIDATE:
		return TRACK_IWARP_INVALIDATE;
	case IBW_RDMAP_TERMINATE:
		return TRACK_IWARP_TERMINATE;
	case IBW_RDMAP_IMMEDIATE:
	case IBW_RDMAP_IMMEDIATE_SE:
		return TRACK_IWARP_IMMEDIATE;
	case IBW_RDMAP_ATOMIC_REQUEST:
		return TRACK_IWARP_ATOMIC_REQUEST;
	case IBW_RDMAP_ATOMIC_RESPONSE:
		return TRACK_IWARP_ATOMIC_RESPONSE;
	}
	return TRACK_IWARP_SEND;
}

static void complete(struct track_iwarp_x *x, uint8_t opcode)
{
	track_iwarp_dir_of(x)->counts.messages[message_of(opcode)]++;
	x->t->messages++;
}

static void remember(struct track_iwarp_x *x, uint8_t opcode, uint32_t key, uint64_t at,
		     uint32_t bytes)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	struct track_iwarp_begun *b;

	if (!d->recent)
		d->recent = g_new(struct track_iwarp_begun, TRACK_IWARP_RECENT);
	b = &d->recent[d->n_recent++ % TRACK_IWARP_RECENT];
	*b = (struct track_iwarp_begun){ .frame = x->at->frame,
					 .ns = x->at->time_ns,
					 .at = at,
					 .key = key,
					 .msn = d->msn[IBW_DDP_QN_READ_REQUEST],
					 .bytes = bytes,
					 .opcode = opcode };
}

/* Its queue counts its messages from 1: RFC 5041, 5.1 */
static void check_msn(struct track_iwarp_x *x, const struct ibw_segment *s, bool begins)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	uint8_t bit = (uint8_t)(1u << s->qn);
	uint32_t meant = d->msn[s->qn] + begins;

	if (d->msn_known & bit && s->msn != meant)
		track_iwarp_fault(x, TRACK_IWARP_MSN, d->at, s->msn, meant, 0);
	d->msn[s->qn] = s->msn;
	d->msn_known |= bit;
}

static bool is_head(const struct track_iwarp_open *open, const struct ibw_segment *s)
{
	return s->tagged ? !open->frame : s->mo == 0;
}

/* Of a message whose beginning is lost: nothing is known of it. */
static bool is_touched(struct track_iwarp_dir *d, unsigned int kind, const struct ibw_segment *s)
{
	uint8_t bit = (uint8_t)(1u << kind);

	if (!(d->touched & bit))
		return false;
	if (!s->tagged && s->mo == 0) {
		d->touched &= (uint8_t)~bit;
		return false;
	}
	if (s->last)
		d->touched &= (uint8_t)~bit;
	return true;
}

/* The rest of a message that began wrong is not looked at. */
static void lose_message(struct track_iwarp_dir *d, unsigned int kind, const struct ibw_segment *s)
{
	if (!s->last)
		d->touched |= (uint8_t)(1u << kind);
}

static void check_next(struct track_iwarp_x *x, const struct track_iwarp_open *open,
		       const struct ibw_segment *s)
{
	uint64_t at = track_iwarp_dir_of(x)->at;

	if (!s->tagged && s->mo != open->next)
		track_iwarp_fault(x, TRACK_IWARP_MO, at, s->mo, open->next, open->frame);
	else if (s->tagged && s->stag != open->key)
		track_iwarp_fault(x, TRACK_IWARP_TO, at, s->stag, open->key, open->frame);
	else if (s->tagged && s->to != open->next)
		track_iwarp_fault(x, TRACK_IWARP_TO, at, s->to, open->next, open->frame);
}

/* The oldest Read Request of the other end that is not answered; NULL: there is none. */
static struct track_iwarp_asked *oldest(const struct track_iwarp_dir *other)
{
	return other->asks && other->asks->n
		       ? &other->asks->asked[other->asks->first % TRACK_IWARP_READS_MAX]
		       : NULL;
}

/* Whether all Read Requests of the other end that it may answer are known, and which were answered. */
static bool all_asked(const struct track_iwarp_x *x)
{
	const struct track_iwarp_dir *other = track_iwarp_other_of(x);

	return other->begun && !other->asks_lost && !track_iwarp_dir_of(x)->asks_lost &&
	       x->all_before;
}

/* A Read Response begins: RFC 5040, 5.5 */
static void response_begins(struct track_iwarp_x *x, const struct ibw_segment *s)
{
	struct track_iwarp_dir *other = track_iwarp_other_of(x);
	const struct track_iwarp_asked *asked = oldest(other);

	if (!all_asked(x))
		return;
	if (!asked)
		track_iwarp_fault(x, TRACK_IWARP_UNASKED, track_iwarp_dir_of(x)->at, s->stag, 0, 0);
	else if (s->stag != asked->stag || s->to != asked->to)
		track_iwarp_fault(x, TRACK_IWARP_RESPONSE_SINK, track_iwarp_dir_of(x)->at,
				  s->stag != asked->stag ? s->stag : s->to,
				  s->stag != asked->stag ? asked->stag : asked->to, asked->frame);
}

/* Of a request that the responder read otherwise, one thing is said. */
static bool is_said(const struct track_iwarp_x *x, enum track_iwarp_fault fault)
{
	return x->c->dir[x->side].said & 1u << fault;
}

static void response_ends(struct track_iwarp_x *x, const struct track_iwarp_open *open)
{
	struct track_iwarp_dir *other = track_iwarp_other_of(x);
	const struct track_iwarp_asked *asked = oldest(other);

	if (!asked)
		return;
	if (all_asked(x) && asked->bytes != open->bytes && !is_said(x, TRACK_IWARP_RESPONSE_SINK))
		track_iwarp_fault(x, TRACK_IWARP_RESPONSE_BYTES, track_iwarp_dir_of(x)->at,
				  open->bytes, asked->bytes, asked->frame);
	other->asks->first++;
	other->asks->n--;
}

/* A segment of a message that may have several. */
static void data(struct track_iwarp_x *x, unsigned int kind, const struct ibw_fpdu *f,
		 const struct ibw_segment *s)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	struct track_iwarp_open *open = &d->open[kind];
	bool head = is_head(open, s);
	bool headless = !head && !s->tagged && !open->frame && !(d->touched & 1u << kind);

	if (!s->tagged)
		check_msn(x, s, head || headless);
	if (is_touched(d, kind, s)) {
		track_iwarp_message_headless(x);
		return;
	}
	if (headless) {
		track_iwarp_message_headless(x);
		track_iwarp_fault(x, TRACK_IWARP_MO, d->at, s->mo, 0, 0);
		lose_message(d, kind, s);
		return;
	}
	if (head) {
		*open = (struct track_iwarp_open){ .frame = x->at->frame,
						   .key = s->tagged ? s->stag : s->msn };
		remember(x, s->opcode, open->key, s->to, s->bytes);
		if (kind == OPEN_RESPONSE)
			response_begins(x, s);
		track_iwarp_upper_begins(x, f, s);
	} else {
		check_next(x, open, s);
		track_iwarp_upper_goes_on(x, s);
	}
	if (s->tagged && !head)
		d->recent[(d->n_recent - 1) % TRACK_IWARP_RECENT].bytes += s->bytes;
	open->bytes += s->bytes;
	open->next = s->tagged ? s->to + s->bytes : s->mo + s->bytes;
	track_iwarp_message(x, f, s, (enum track_message_slot)kind, head);
	if (!s->last)
		return;
	if (kind == OPEN_RESPONSE)
		response_ends(x, open);
	else if (kind == OPEN_WRITE)
		track_iwarp_upper_written(x, open);
	open->frame = 0;
	complete(x, s->opcode);
}

/* RFC 6581, 8: more than the other end has room for. */
static void check_depth(struct track_iwarp_x *x)
{
	const struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	const struct track_iwarp_start *other = &track_iwarp_other_of(x)->start;

	if (d->begun && !d->asks_lost && !track_iwarp_other_of(x)->asks_lost && x->all_before &&
	    other->enhanced && other->ird < 0x3fff && d->asks->n > other->ird)
		track_iwarp_fault(x, TRACK_IWARP_DEPTH, d->at, d->asks->n, other->ird,
				  other->frame);
}

static void read_request(struct track_iwarp_x *x, const uint8_t *p)
{
	const struct ibw_rdmap_read_req_wire *read = (const struct ibw_rdmap_read_req_wire *)p;
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	struct track_iwarp_asks *asks;

	remember(x, IBW_RDMAP_READ_REQUEST, ibw_rdmap_read_req_src_stag(read),
		 ibw_rdmap_read_req_src_to(read), 0);
	if (!d->asks)
		d->asks = g_new0(struct track_iwarp_asks, 1);
	asks = d->asks;
	if (asks->n == TRACK_IWARP_READS_MAX) {
		d->asks_lost = true;
		return;
	}
	asks->asked[(asks->first + asks->n++) % TRACK_IWARP_READS_MAX] =
		(struct track_iwarp_asked){ .frame = x->at->frame,
					    .to = ibw_rdmap_read_req_sink_to(read),
					    .stag = ibw_rdmap_read_req_sink_stag(read),
					    .bytes = ibw_rdmap_read_req_read_size(read) };
	track_iwarp_upper_reads(x, read);
	check_depth(x);
}

/* A message of one segment. */
static void single(struct track_iwarp_x *x, const struct ibw_fpdu *f, const struct ibw_segment *s)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	uint8_t room[IBW_TERMINATE_MAX];
	uint32_t n = MIN(s->bytes, IBW_TERMINATE_MAX);
	const uint8_t *p = ibw_fpdu_payload_bytes(f, s, n, room);

	check_msn(x, s, true);
	if (s->mo)
		track_iwarp_fault(x, TRACK_IWARP_MO, d->at, s->mo, 0, 0);
	if (!s->last)
		return;
	complete(x, s->opcode);
	track_iwarp_message(x, f, s, TRACK_MESSAGE_SLOT_SINGLE, true);
	if (s->opcode == IBW_RDMAP_TERMINATE)
		track_iwarp_terminate(x, p, n);
	else if (s->opcode == IBW_RDMAP_READ_REQUEST && n >= ibw_rdmap_read_req_BYTES)
		read_request(x, p);
}

/* A first FPDU without data, as enum track_iwarp_rtr; 0: it is none of them. @stag: what it names. */
static uint8_t rtr_of(const struct ibw_fpdu *f, const struct ibw_segment *s, uint32_t *stag)
{
	uint8_t room[ibw_rdmap_read_req_BYTES];
	const uint8_t *p;

	*stag = s->stag;
	if (s->opcode == IBW_RDMAP_READ_REQUEST) {
		p = ibw_fpdu_payload_bytes(f, s, ibw_rdmap_read_req_BYTES, room);
		if (!p || ibw_rdmap_read_req_read_size((const struct ibw_rdmap_read_req_wire *)p))
			return 0;
		*stag = ibw_rdmap_read_req_src_stag((const struct ibw_rdmap_read_req_wire *)p);
		return TRACK_IWARP_RTR_READ;
	}
	if (s->bytes)
		return 0;
	return s->opcode == IBW_RDMAP_WRITE  ? TRACK_IWARP_RTR_WRITE
	       : s->opcode == IBW_RDMAP_SEND ? TRACK_IWARP_RTR_SEND
					     : 0;
}

/* RFC 6581, 5: where both ends ask for it, the initiator begins, with a message without data that the responder may wait for. */
static void check_first(struct track_iwarp_x *x, const struct ibw_fpdu *f,
			const struct ibw_segment *s)
{
	const struct track_iwarp_dir *d = track_iwarp_dir_of(x), *other = track_iwarp_other_of(x);
	uint8_t both = d->start.rtr & other->start.rtr, rtr;
	uint32_t stag;

	if (!d->begun || d->at != d->base || !(both & TRACK_IWARP_RTR_ASKED))
		return;
	if (d->start.reply) {
		if (x->all_before && other->begun && !other->counts.fpdus &&
		    other->at == other->base)
			track_iwarp_fault(x, TRACK_IWARP_RTR_EARLY, d->at, s->opcode, 0,
					  other->start.frame);
		return;
	}
	rtr = rtr_of(f, s, &stag);
	if (!(rtr & other->start.rtr))
		track_iwarp_fault(x, TRACK_IWARP_RTR, d->at, rtr, other->start.rtr,
				  other->start.frame);
	if (rtr && rtr != TRACK_IWARP_RTR_SEND && !stag)
		track_iwarp_fault(x, TRACK_IWARP_RTR_STAG, d->at, s->opcode, 0, 0);
}

/* The reserved bits of both control octets: RFC 5041, 4.1; RFC 5040, 4.1 */
#define RESERVED 0x3c30u

/* What a receiver does not look at. */
static void check_zeros(struct track_iwarp_x *x, const struct ibw_fpdu *f)
{
	const struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	const uint8_t *p = f->p + ibw_fpdu_place(f, (uint32_t)ibw_mpa_BYTES);
	uint32_t reserved = ibw_get_be16(p) & RESERVED, pad = 0, i;

	if (reserved)
		track_iwarp_fault(x, TRACK_IWARP_RESERVED, d->at, reserved, 0, 0);
	p = f->p + ibw_fpdu_place(f, (uint32_t)ibw_mpa_BYTES + f->ulpdu_length);
	for (i = 0; i < f->pad; i++)
		pad = pad << 8 | p[i];
	if (pad)
		track_iwarp_fault(x, TRACK_IWARP_PAD, d->at, pad, f->pad, 0);
}

/* Whether its header is one of RDMAP. Of what message it is, is not known, if it is not: nothing that follows from that is said. */
static bool is_right(struct track_iwarp_x *x, const struct ibw_segment *s)
{
	uint64_t at = track_iwarp_dir_of(x)->at;

	if (s->dv != 1 || s->rv != 1)
		track_iwarp_fault(x, TRACK_IWARP_VERSION, at, s->dv != 1 ? s->dv : s->rv, 1, 0);
	else if (!track_iwarp_opcode_fits(s))
		track_iwarp_fault(x, TRACK_IWARP_OPCODE, at, s->opcode, s->tagged, 0);
	else if (!track_iwarp_queue_fits(s))
		track_iwarp_fault(x, TRACK_IWARP_QUEUE, at, s->qn, ibw_rdmap_qn(s->opcode), 0);
	else
		return true;
	track_iwarp_touch(track_iwarp_dir_of(x));
	return false;
}

void track_iwarp_segment(struct track_iwarp_x *x, const struct ibw_fpdu *f)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	struct ibw_segment s;

	ibw_segment_view(&s, f);
	check_first(x, f, &s);
	if (d->terminated)
		track_iwarp_fault(x, TRACK_IWARP_AFTER_TERMINATE, d->at, s.opcode, 0,
				  d->terminate_frame);
	if (!is_right(x, &s))
		return;
	check_zeros(x, f);
	if (ibw_rdmap_flags(s.opcode) & IBW_RDMAP_DATA)
		d->counts.payload += s.bytes;
	if (s.tagged)
		data(x, s.opcode == IBW_RDMAP_WRITE ? OPEN_WRITE : OPEN_RESPONSE, f, &s);
	else if (ibw_rdmap_flags(s.opcode) & IBW_RDMAP_DATA)
		data(x, OPEN_SEND, f, &s);
	else
		single(x, f, &s);
}
