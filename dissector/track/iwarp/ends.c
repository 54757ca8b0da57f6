/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ends.c - reports what the end of a connection shows: incomplete messages, and what TCP did. */
#include <glib.h>

#include "impl.h"

/* A message of which the last bytes are not there. */
struct unfinished {
	uint64_t frame, bytes;
	uint32_t unanswered;
	uint8_t opcode;
};

/* The one that the direction is in the middle of; false: there is none. */
static bool half_sent(const struct track_iwarp_dir *d, struct unfinished *u)
{
	static const uint8_t opcodes[] = { IBW_RDMAP_SEND, IBW_RDMAP_WRITE,
					   IBW_RDMAP_READ_RESPONSE };
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(opcodes); i++) {
		if (!d->open[i].frame)
			continue;
		*u = (struct unfinished){ .frame = d->open[i].frame,
					  .bytes = d->open[i].bytes,
					  .opcode = opcodes[i] };
		return true;
	}
	*u = (struct unfinished){ .frame = d->kept_frame,
				  .bytes = d->n_kept,
				  .opcode = TRACK_IWARP_NO_OPCODE };
	return d->n_kept != 0;
}

/* All that the other end sent was captured. */
static bool is_all_seen(const struct track_iwarp_dir *other)
{
	return other->tcp.begun && other->phase == TRACK_IWARP_FPDUS && !other->counts.missing &&
	       !other->cut && !other->asks_lost && !track_iwarp_lacks_end(other);
}

/* The oldest Read Request of the direction that nobody answered. */
static bool unanswered(const struct track_iwarp_dir *d, const struct track_iwarp_dir *other,
		       struct unfinished *u)
{
	const struct track_iwarp_asked *asked;

	if (!d->asks || !d->asks->n || d->asks_lost || !is_all_seen(other))
		return false;
	asked = &d->asks->asked[d->asks->first % TRACK_IWARP_READS_MAX];
	*u = (struct unfinished){ .frame = asked->frame,
				  .bytes = asked->bytes,
				  .unanswered = d->asks->n,
				  .opcode = IBW_RDMAP_READ_REQUEST };
	return true;
}

void track_iwarp_say_unfinished(const struct track_iwarp_x *x)
{
	const struct track_iwarp_dir *d = &x->c->dir[x->side], *other = &x->c->dir[!x->side];
	bool closed = x->c->reset || track_tcp_is_finished(&d->tcp);
	struct unfinished u;
	struct track_event *e;

	if (!x->c->is_iwarp || !closed || d->phase != TRACK_IWARP_FPDUS || track_iwarp_lacks_end(d))
		return;
	if (!half_sent(d, &u) && !unanswered(d, other, &u))
		return;
	e = track_iwarp_say_at(x, TRACK_EVENT_IWARP_UNFINISHED, x->c->last_frame, x->c->last_ns);
	if (!e)
		return;
	e->number[TRACK_IWARP_UNFINISHED_opcode] = u.opcode;
	e->number[TRACK_IWARP_UNFINISHED_bytes] = u.bytes;
	e->number[TRACK_IWARP_UNFINISHED_begun] = u.frame;
	e->number[TRACK_IWARP_UNFINISHED_unanswered] = u.unanswered;
	e->number[TRACK_IWARP_UNFINISHED_end] =
		x->c->reset ? TRACK_IWARP_END_RST : TRACK_IWARP_END_FIN;
	e->number[TRACK_IWARP_UNFINISHED_terminated] =
		d->terminated ? d->terminate_frame : other->terminate_frame;
	track_event_cause(e, u.frame);
}

/* The last message of the direction asks for an answer: a Read Request, or the first Send of the one that opened it, to one that never sent. */
static bool is_due(const struct track_iwarp_dir *d, const struct track_iwarp_dir *other,
		   bool closed)
{
	if (d->asks && d->asks->n)
		return !d->asks_lost && !closed; /* else it is unfinished */
	return d->start.frame && !d->start.reply && !other->counts.fpdus && other->start.frame &&
	       !other->start.r && d->counts.messages[TRACK_IWARP_SEND] == 1;
}

void track_iwarp_say_silent(const struct track_iwarp_x *x, bool over)
{
	const struct track_iwarp_dir *d = &x->c->dir[x->side], *other = &x->c->dir[!x->side];
	bool closed = d->tcp.finished || other->tcp.finished || x->c->reset;
	uint64_t until = closed || over ? x->c->last_ns : x->at->time_ns, since;
	const struct track_iwarp_begun *b;
	struct track_event *e;

	if (!d->recent || d->phase != TRACK_IWARP_FPDUS || d->said || other->said ||
	    d->terminated || other->terminated || d->n_kept || d->acked < d->tcp.place ||
	    !is_all_seen(other) || !is_due(d, other, closed))
		return;
	since = d->asks && d->asks->n ? x->c->last_ns : d->acked_ns;
	if (until < since || until - since < TRACK_IWARP_WAIT_NS)
		return;
	b = &d->recent[(d->n_recent - 1) % TRACK_IWARP_RECENT];
	e = track_iwarp_say_at(x, TRACK_EVENT_IWARP_SILENT, b->frame, b->ns);
	if (!e)
		return;
	e->number[TRACK_IWARP_SILENT_ns] = until - since;
	e->number[TRACK_IWARP_SILENT_opcode] = b->opcode;
	e->number[TRACK_IWARP_SILENT_end] = x->c->reset ? TRACK_IWARP_END_RST
					    : closed    ? TRACK_IWARP_END_FIN
							: TRACK_IWARP_END_CAPTURE;
}

static void say_tcp(const struct track_iwarp_x *x, const struct track_iwarp_dir *d)
{
	const struct track_iwarp_odd *odd = d->odd;
	const struct track_iwarp_where *where =
		odd->unacked_ns >= d->counts.stall_ns ? &odd->unacked : &odd->stall;
	struct track_event *e;

	if (!where->frame)
		where = &odd->resent;
	if (!where->frame)
		return;
	e = track_iwarp_say_at(x, TRACK_EVENT_IWARP_TCP, where->frame, where->ns);
	if (!e)
		return;
	e->number[TRACK_IWARP_TCP_segments] = d->counts.segments;
	e->number[TRACK_IWARP_TCP_resent] = d->counts.retransmitted;
	e->number[TRACK_IWARP_TCP_stall] = d->counts.stall_ns;
	e->number[TRACK_IWARP_TCP_unacknowledged] = odd->unacked_ns;
	track_iwarp_keep(x->t, e);
}

static void say_missing(const struct track_iwarp_x *x, const struct track_iwarp_odd *odd)
{
	struct track_event *e =
		track_iwarp_say_at(x, TRACK_EVENT_IWARP_MISSING, odd->hole.frame, odd->hole.ns);

	if (!e)
		return;
	e->number[TRACK_IWARP_MISSING_place] = odd->hole_place;
	e->number[TRACK_IWARP_MISSING_holes] = odd->holes;
	e->number[TRACK_IWARP_MISSING_bytes] = odd->missing;
}

static void say_long(const struct track_iwarp_x *x, const struct track_iwarp_dir *d)
{
	const struct track_iwarp_odd *odd = d->odd;
	struct track_event *e = track_iwarp_say_at(x, TRACK_EVENT_IWARP_LONG, odd->long_one.frame,
						   odd->long_one.ns);

	if (!e)
		return;
	e->number[TRACK_IWARP_LONG_fpdus] = d->counts.fpdus;
	e->number[TRACK_IWARP_LONG_too_long] = odd->too_long;
	e->number[TRACK_IWARP_LONG_longest] = odd->longest;
	e->number[TRACK_IWARP_LONG_mulpdu] = track_iwarp_mulpdu(x);
}

void track_iwarp_say_odd(const struct track_iwarp_x *x)
{
	const struct track_iwarp_dir *d = &x->c->dir[x->side];

	if (!x->c->is_iwarp || !d->odd)
		return;
	say_tcp(x, d);
	if (d->odd->holes)
		say_missing(x, d->odd);
	if (d->odd->too_long)
		say_long(x, d);
}
