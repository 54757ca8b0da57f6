/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terminate.c - a Terminate, and the message of the other end that it refuses: RFC 5040, 4.8. */
#include "impl.h"

/*
 * The segment that a Terminate quotes was of the message @b, as far as that shows. A Read Request is known by what it asks
 * for: siw of Linux quotes the length that it asks for in the place of its MSN.
 */
static bool is_of(const struct track_iwarp_begun *b, const struct ibw_segment *s,
		  const struct ibw_terminate *t)
{
	if (b->opcode != s->opcode)
		return false;
	if (s->opcode == IBW_RDMAP_READ_REQUEST)
		return t->read_req ? b->key == ibw_rdmap_read_req_src_stag(t->read_req) &&
					     b->at == ibw_rdmap_read_req_src_to(t->read_req)
				   : b->msn == s->msn;
	if (s->tagged)
		return b->key == s->stag && s->to - b->at <= b->bytes;
	return b->key == s->msn;
}

/* The last such message of the other end; NULL: it is not known. */
static const struct track_iwarp_begun *
refused(const struct track_iwarp_x *x, const struct ibw_segment *s, const struct ibw_terminate *t)
{
	const struct track_iwarp_dir *d = track_iwarp_other_of(x);
	const struct track_iwarp_begun *b;
	uint32_t i;

	for (i = 0; i < d->n_recent && i < TRACK_IWARP_RECENT; i++) {
		b = &d->recent[(d->n_recent - 1 - i) % TRACK_IWARP_RECENT];
		if (is_of(b, s, t))
			return b;
	}
	return NULL;
}

/* A Terminate that quotes no header is about the last message, if there is one: nobody says so. */
void track_iwarp_terminate(struct track_iwarp_x *x, const uint8_t *p, uint32_t n)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	const struct track_iwarp_begun *b = NULL;
	struct ibw_segment s = { .opcode = 0 };
	struct ibw_terminate t;
	struct track_event *e;

	d->terminated = true;
	d->terminate_frame = x->at->frame;
	track_iwarp_octets_refused(x);
	if (!ibw_terminate_view(&t, p, n))
		return;
	if (t.ddp) {
		ibw_segment_unpack(&s, t.ddp);
		b = refused(x, &s, &t);
	}
	if (b)
		track_iwarp_message_refused(x, b);
	e = track_iwarp_say(x, TRACK_EVENT_IWARP_TERMINATE);
	if (!e)
		return;
	e->number[TRACK_IWARP_TERMINATE_layer] = t.layer;
	e->number[TRACK_IWARP_TERMINATE_etype] = t.etype;
	e->number[TRACK_IWARP_TERMINATE_code] = t.code;
	e->number[TRACK_IWARP_TERMINATE_swapped] = t.swapped;
	e->number[TRACK_IWARP_TERMINATE_opcode] = t.ddp ? s.opcode : TRACK_IWARP_NO_OPCODE;
	e->number[TRACK_IWARP_TERMINATE_key] = s.tagged ? s.stag : s.msn;
	e->number[TRACK_IWARP_TERMINATE_place] = s.tagged ? s.to : s.mo;
	e->number[TRACK_IWARP_TERMINATE_refused] = b ? b->frame : 0;
	if (t.ddp && s.opcode == IBW_RDMAP_READ_REQUEST) {
		e->number[TRACK_IWARP_TERMINATE_key] = b ? b->key : 0;
		e->number[TRACK_IWARP_TERMINATE_place] = b ? b->at : 0;
	}
	if (t.ddp && s.opcode == IBW_RDMAP_READ_REQUEST && t.read_req) {
		e->number[TRACK_IWARP_TERMINATE_key] = ibw_rdmap_read_req_src_stag(t.read_req);
		e->number[TRACK_IWARP_TERMINATE_place] = ibw_rdmap_read_req_src_to(t.read_req);
	}
	if (b)
		track_event_cause(e, b->frame);
	track_iwarp_keep(x->t, e);
}
