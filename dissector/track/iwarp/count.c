/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.c - counts what TCP did on a connection: retransmitted, late and duplicated segments, and how long bytes waited for
 * earlier ones.
 *
 * Linux and most other systems number the IPv4 packets of a connection consecutively, and a copy made by the network has
 * the number of its packet: this distinguishes a retransmitted segment from a late one and from a copy. Without such
 * numbers, bytes that fill a hole within less than a round trip cannot be a retransmission.
 */
#include <glib.h>

#include <ibwire/ibwire.h>

#include "impl.h"

/* Packets of a connection from one with data to the next: a larger step is of numbers that count something else. */
#define ID_STEP_MAX 1024

/* The smallest segments that an end may ask for: RFC 9293, 3.7.1 has 536 where it asks for none; Linux takes no less than 48. */
#define MSS_MIN 48u

#define MPA_BYTES ((uint32_t)ibw_mpa_BYTES + IBW_MPA_CRC_BYTES)

enum order { SENT_LATER, SENT_BEFORE, NOT_KNOWN };

/* Whether a segment was sent before the last one that was. */
static enum order order_of(struct track_iwarp_dir *d, const struct track_tcp_segment *s)
{
	int16_t step = (int16_t)(uint16_t)(s->id - d->last_id);

	if (!s->id || !d->last_id || d->ids_mixed || step > ID_STEP_MAX || step < -ID_STEP_MAX)
		return NOT_KNOWN;
	return step > 0 ? SENT_LATER : SENT_BEFORE;
}

/* Data that go on where the last ones ended were sent later, if the numbers tell anything. */
static void follow_id(struct track_iwarp_dir *d, const struct track_tcp_segment *s,
		      enum track_tcp_was was, enum order order)
{
	if (was == TRACK_TCP_NEXT && d->last_id && order != SENT_LATER)
		d->ids_mixed = true;
	if (s->id && (!d->last_id || order == SENT_LATER))
		d->last_id = s->id;
}

static bool is_sooner_than_round(const struct track_iwarp_x *x)
{
	uint64_t since = track_iwarp_dir_of(x)->hole_ns;

	return since && x->at->time_ns >= since && x->at->time_ns - since < x->c->round_ns;
}

/* What fills a hole is late or sent again: nothing tells which where neither numbers nor a round trip are known. */
static bool is_either(const struct track_iwarp_x *x, enum order order)
{
	return order == NOT_KNOWN && !x->c->round_ns;
}

static struct track_iwarp_odd *odd_of(struct track_iwarp_dir *d)
{
	if (!d->odd)
		d->odd = g_new0(struct track_iwarp_odd, 1);
	return d->odd;
}

static struct track_iwarp_where here(const struct track_iwarp_x *x)
{
	return (struct track_iwarp_where){ x->at->frame, x->at->time_ns };
}

static void say_resent(const struct track_iwarp_x *x, const struct track_tcp_segment *s,
		       uint64_t place, uint64_t unacked_ns)
{
	struct track_event *e =
		x->c->is_iwarp ? track_iwarp_say(x, TRACK_EVENT_IWARP_RESENT) : NULL;

	if (!e)
		return;
	e->number[TRACK_IWARP_RESENT_place] = place;
	e->number[TRACK_IWARP_RESENT_bytes] = s->bytes;
	e->number[TRACK_IWARP_RESENT_ns] = unacked_ns;
}

/* The first byte that the other end did not acknowledge is sent again: how long it did not at least. */
static void resent(struct track_iwarp_x *x, const struct track_tcp_segment *s)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	struct track_iwarp_odd *odd = odd_of(d);
	uint64_t place = track_tcp_place_of(&d->tcp, s->seq), unacked_ns = 0;

	if (!odd->resent.frame)
		odd->resent = here(x);
	if ((int64_t)(d->acked - place) >= 0 && d->acked < place + s->bytes &&
	    x->at->time_ns > d->acked_ns)
		unacked_ns = x->at->time_ns - d->acked_ns;
	say_resent(x, s, place, unacked_ns);
	if (unacked_ns <= odd->unacked_ns)
		return;
	odd->unacked_ns = unacked_ns;
	odd->unacked = here(x);
}

/* It was overtaken. */
static void late(const struct track_iwarp_x *x, const struct track_tcp_segment *s)
{
	struct track_event *e = x->c->is_iwarp ? track_iwarp_say(x, TRACK_EVENT_IWARP_LATE) : NULL;

	if (!e)
		return;
	e->number[TRACK_IWARP_LATE_place] = track_tcp_place_of(&x->c->dir[x->side].tcp, s->seq);
	e->number[TRACK_IWARP_LATE_bytes] = s->bytes;
}

void track_iwarp_acknowledged(struct track_iwarp_x *x, const struct track_tcp_segment *s)
{
	struct track_iwarp_dir *other = track_iwarp_other_of(x);
	uint64_t place;

	if (!other->tcp.begun)
		return;
	place = track_tcp_place_of(&other->tcp, s->ack);
	place -= other->tcp.finished && s->ack == other->tcp.fin + 1; /* a FIN is no byte */
	if (x->t->stalls)
		track_stall_acknowledged(x, s, place);
	if ((int64_t)(place - other->acked) <= 0)
		return;
	other->acked = place;
	other->acked_ns = x->at->time_ns;
	track_iwarp_octets_acked(x, place);
}

void track_iwarp_hole(struct track_iwarp_x *x, const struct track_tcp_run *run)
{
	struct track_iwarp_odd *odd;

	if (run->missing == TRACK_TCP_CUT || track_iwarp_dir_of(x)->phase == TRACK_IWARP_OFF)
		return;
	odd = odd_of(track_iwarp_dir_of(x));
	if (!odd->holes) {
		odd->hole = here(x);
		odd->hole_place = run->place;
	}
	odd->holes++;
	odd->missing += run->n;
	track_iwarp_octets_absent(x, run->place);
	track_iwarp_upper_lacks(x);
}

/* RFC 5044, 4.1 and 4.3: EMSS is what the other end takes without the options that are in each segment. */
uint32_t track_iwarp_mulpdu(const struct track_iwarp_x *x)
{
	const struct track_iwarp_dir *d = &x->c->dir[x->side];
	uint32_t mss = x->c->dir[!x->side].mss, emss, mulpdu;

	if (mss < MSS_MIN)
		return UINT32_MAX;
	emss = mss - (d->header > ibw_tcp_BYTES ? d->header - (uint32_t)ibw_tcp_BYTES : 0);
	mulpdu = ibw_mulpdu(emss, d->markers);
	return mulpdu + emss % 4 > MPA_BYTES ? mulpdu : UINT32_MAX; /* not by what makes no sense */
}

void track_iwarp_long_one(struct track_iwarp_x *x, uint32_t ulpdu_length)
{
	struct track_iwarp_odd *odd = odd_of(track_iwarp_dir_of(x));

	if (!odd->too_long++)
		odd->long_one = here(x);
	odd->longest = MAX(odd->longest, ulpdu_length);
}

static void count_one(struct track_iwarp_counts *counts, uint32_t wire_len, uint64_t ns)
{
	counts->first_ns = counts->segments ? MIN(counts->first_ns, ns) : ns;
	counts->last_ns = MAX(counts->last_ns, ns);
	counts->segments++;
	counts->wire_bytes += wire_len;
}

void track_iwarp_count(struct track_iwarp_x *x, const struct track_tcp_segment *s,
		       const struct ibw_packet *pkt, enum track_tcp_was was)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	enum track_series_of of = TRACK_SERIES_FIRST;
	uint32_t header;
	enum order order;

	if (!s->bytes || was == TRACK_TCP_NOTHING)
		return;
	count_one(&d->counts, pkt->len, x->at->time_ns);
	header = pkt->span[pkt->n_spans - 1].len;
	d->header = (uint8_t)(d->header ? MIN(d->header, header) : header);
	if (was == TRACK_TCP_DAMAGED) {
		track_busy_add(&x->t->busy, &x->c->busy, x->at->time_ns, false);
		return;
	}
	if (was == TRACK_TCP_NEXT && d->tcp.place == d->acked)
		d->acked_ns = x->at->time_ns;
	order = order_of(d, s);
	if (was == TRACK_TCP_AGAIN && order == SENT_BEFORE) {
		d->counts.duplicated++;
		if (x->t->stalls)
			track_stall_late(x, s, track_tcp_place_of(&d->tcp, s->seq));
		of = TRACK_SERIES_RESPONSE;
	} else if (was == TRACK_TCP_FILLS &&
		   (order == SENT_BEFORE || (order == NOT_KNOWN && is_sooner_than_round(x)))) {
		d->counts.reordered++;
		if (x->t->stalls)
			track_stall_late(x, s, track_tcp_place_of(&d->tcp, s->seq));
		late(x, s);
		of = TRACK_SERIES_RESPONSE;
	} else if (was == TRACK_TCP_AGAIN || (was == TRACK_TCP_FILLS && !is_either(x, order))) {
		d->counts.retransmitted++;
		resent(x, s);
		if (x->t->stalls && was == TRACK_TCP_AGAIN && order == NOT_KNOWN)
			track_stall_late(x, s,
					 track_tcp_place_of(&d->tcp, s->seq)); /* it may be that */
		if (x->t->stalls)
			track_stall_resent(x, s, track_tcp_place_of(&d->tcp, s->seq), was,
					   order == NOT_KNOWN);
		of = TRACK_SERIES_AGAIN;
	}
	track_busy_add(&x->t->busy, &x->c->busy, x->at->time_ns, of == TRACK_SERIES_AGAIN);
	track_iwarp_octets(x, of, track_tcp_place_of(&d->tcp, s->seq), s->bytes, pkt->len);
	follow_id(d, s, was, order);
}

/* Until a hole is filled: of one that is given up, the other end has the bytes, and did not wait. */
void track_iwarp_waited(struct track_iwarp_x *x, const struct track_tcp_run *run)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	uint64_t ns;

	if (!run->p) {
		d->cut |= run->missing == TRACK_TCP_CUT;
		x->given_up |= run->missing != TRACK_TCP_CUT;
		if (run->missing != TRACK_TCP_CUT && x->t->stalls)
			track_stall_given_up(x);
		d->counts.missing += run->missing == TRACK_TCP_HOLE_ACKED ? run->n : 0;
	} else if (!x->given_up && x->at->time_ns > run->ns) {
		ns = x->at->time_ns - run->ns;
		if (ns > x->held_ns) {
			x->held_ns = ns;
			x->held_frame = run->frame;
		}
		if (ns > d->counts.stall_ns) {
			d->counts.stall_ns = ns;
			odd_of(d)->stall = here(x);
		}
	}
}

void track_iwarp_say_held(const struct track_iwarp_x *x)
{
	struct track_event *e;

	if (!x->held_ns)
		return;
	track_iwarp_octets_held(x);
	e = x->c->is_iwarp ? track_iwarp_say(x, TRACK_EVENT_IWARP_HELD) : NULL;
	if (!e)
		return;
	e->number[TRACK_IWARP_HELD_place] = x->hole_at;
	e->number[TRACK_IWARP_HELD_ns] = x->held_ns;
	track_event_cause(e, x->held_frame);
}

void track_iwarp_follow_hole(struct track_iwarp_x *x)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);

	if (!d->tcp.late) {
		d->hole_ns = 0;
	} else if (!d->hole_ns) {
		d->hole_ns = x->at->time_ns;
		track_iwarp_octets_hole(x);
	}
}
