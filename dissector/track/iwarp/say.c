/* SPDX-License-Identifier: GPL-2.0-or-later */
/* say.c - reports faults of a connection as events. */
#include <string.h>

#include <glib.h>

#include "impl.h"

struct track_event *track_iwarp_say(const struct track_iwarp_x *x, enum track_event_kind kind)
{
	const struct track_tcp_ends *ends = &x->ends;
	struct track_event *e = track_event_add(x->t->events, kind, x->at);

	if (!e)
		return NULL;
	if (x->c)
		e->half = x->c->first_frame;
	memcpy(e->flow.src, ends->address[x->side], sizeof(e->flow.src));
	memcpy(e->flow.dst, ends->address[!x->side], sizeof(e->flow.dst));
	e->flow.address = ends->v6 ? TRACK_ADDRESS_IPV6 : TRACK_ADDRESS_IPV4;
	e->flow.sport = ends->port[x->side];
	e->flow.dqpn = ends->port[!x->side];
	e->flow.service = TRACK_SERVICE_IWARP;
	return e;
}

struct track_event *track_iwarp_say_at(const struct track_iwarp_x *x, enum track_event_kind kind,
				       uint64_t frame, uint64_t ns)
{
	const struct track_at at = { frame, ns, 0 };
	struct track_iwarp_x then = *x;

	then.at = &at;
	return track_iwarp_say(&then, kind);
}

void track_iwarp_say_close(const struct track_iwarp_x *x, enum track_iwarp_close how)
{
	struct track_event *e = x->c->is_iwarp ? track_iwarp_say(x, TRACK_EVENT_IWARP_CLOSE) : NULL;

	if (e)
		e->number[TRACK_IWARP_CLOSE_how] = how;
}

void track_iwarp_keep(struct track_iwarp *t, const struct track_event *e)
{
	if (t->told->len < TRACK_IWARP_TOLD_MAX)
		g_array_append_vals(t->told, e, 1);
}

/* What cannot be read any more is not judged any more, and what is in every FPDU is said once. */
void track_iwarp_fault(const struct track_iwarp_x *x, enum track_iwarp_fault fault, uint64_t place,
		       uint64_t is, uint64_t meant, uint64_t cause)
{
	const uint32_t ends = 1u << TRACK_IWARP_PRIVATE_LENGTH | 1u << TRACK_IWARP_MARKER_WRONG |
			      1u << TRACK_IWARP_LENGTH_WRONG | 1u << TRACK_IWARP_KEY;
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	struct track_event *e;

	if (d->said & (ends | 1u << fault))
		return;
	if (fault != TRACK_IWARP_CRC_WRONG)
		d->said |= 1u << fault;
	e = track_iwarp_say(x, TRACK_EVENT_IWARP_FAULT);
	if (!e)
		return;
	e->number[TRACK_IWARP_FAULT_fault] = fault;
	e->number[TRACK_IWARP_FAULT_place] = place;
	e->number[TRACK_IWARP_FAULT_is] = is;
	e->number[TRACK_IWARP_FAULT_meant] = meant;
	e->number[TRACK_IWARP_FAULT_cause] = cause;
	track_event_cause(e, cause);
}

/* A request that nobody answered, if the other end is in the capture and had the time. */
void track_iwarp_say_unanswered(const struct track_iwarp_x *x, bool over)
{
	const struct track_iwarp_dir *d = track_iwarp_dir_of(x), *other = track_iwarp_other_of(x);
	const struct track_iwarp_start *request = &d->start;
	uint64_t ns = x->c->last_ns > request->ns ? x->c->last_ns - request->ns : 0;
	struct track_event *e;
	bool closed = d->tcp.finished || other->tcp.finished || x->c->reset;

	if (!request->frame || request->reply || other->start.frame || d->said || other->said)
		return;
	if (!other->tcp.syn || other->tcp.place || other->tcp.late ||
	    track_iwarp_lacks_end(other) || other->phase == TRACK_IWARP_LOST)
		return;
	if (!closed && !over && x->at->time_ns > request->ns)
		ns = x->at->time_ns - request->ns;
	if (!closed && ns < TRACK_IWARP_WAIT_NS)
		return;
	e = track_iwarp_say_at(x, TRACK_EVENT_IWARP_UNANSWERED, request->frame, request->ns);
	if (!e)
		return;
	e->number[TRACK_IWARP_UNANSWERED_ns] = ns;
	e->number[TRACK_IWARP_UNANSWERED_end] = x->c->reset ? TRACK_IWARP_END_RST
						: closed    ? TRACK_IWARP_END_FIN
							    : TRACK_IWARP_END_CAPTURE;
}

void track_iwarp_count_accepted(struct track_iwarp_x *x)
{
	const struct track_iwarp_start *request = &track_iwarp_other_of(x)->start;
	struct track_iwarp *t = x->t;

	t->accepted += request->frame != 0;
	if (!request->frame || request->c || track_iwarp_dir_of(x)->start.c || t->crc_off++)
		return;
	t->crc_off_first = (struct track_iwarp_where){ x->at->frame, x->at->time_ns };
	t->crc_off_ends = x->ends;
	t->crc_off_side = (uint8_t)x->side;
}

void track_iwarp_say_crc_off(struct track_iwarp *t)
{
	const struct track_at at = { t->crc_off_first.frame, t->crc_off_first.ns, 0 };
	const struct track_iwarp_x x = {
		.t = t, .ends = t->crc_off_ends, .side = t->crc_off_side, .at = &at
	};
	struct track_event *e;

	if (!t->crc_off)
		return;
	e = track_iwarp_say(&x, TRACK_EVENT_IWARP_CRC_OFF);
	if (e) {
		e->number[TRACK_IWARP_CRC_OFF_connections] = t->crc_off;
		e->number[TRACK_IWARP_CRC_OFF_of] = t->accepted;
	}
	t->crc_off = 0;
}
