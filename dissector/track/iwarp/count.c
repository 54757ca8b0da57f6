/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.c - what TCP did to a connection: segments sent again, late or doubled, and how long bytes waited for those before.
 *
 * Linux and most others number the IPv4 packets of a connection one after the other, and a copy made on the way has the
 * number of the packet: that tells a segment that is sent again from one that is late, and from a copy. Where there are no
 * such numbers, bytes that fill a hole sooner than a round trip after it opened cannot have been asked for.
 */
#include <glib.h>

#include "impl.h"

/* Packets of a connection from one with data to the next: a larger step is of numbers that count something else. */
#define ID_STEP_MAX 1024

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

void track_iwarp_count(struct track_iwarp_x *x, const struct track_tcp_segment *s,
		       const struct ibw_packet *pkt, enum track_tcp_was was)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	enum order order;

	if (!s->bytes || was == TRACK_TCP_NOTHING)
		return;
	d->counts.segments++;
	d->counts.wire_bytes += pkt->len;
	if (was == TRACK_TCP_DAMAGED)
		return;
	order = order_of(d, s);
	if (was == TRACK_TCP_AGAIN && order == SENT_BEFORE)
		d->counts.duplicated++;
	else if (was == TRACK_TCP_FILLS &&
		 (order == SENT_BEFORE || (order == NOT_KNOWN && is_sooner_than_round(x))))
		d->counts.reordered++;
	else if (was == TRACK_TCP_AGAIN || was == TRACK_TCP_FILLS)
		d->counts.retransmitted++;
	follow_id(d, s, was, order);
}

/* Until a hole is filled: of one that is given up, the other end has the bytes, and did not wait. */
void track_iwarp_waited(struct track_iwarp_x *x, const struct track_tcp_run *run)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);

	if (!run->p) {
		d->cut |= run->missing == TRACK_TCP_CUT;
		x->given_up |= run->missing != TRACK_TCP_CUT;
		d->counts.missing += run->missing == TRACK_TCP_HOLE_ACKED ? run->n : 0;
	} else if (!x->given_up && x->at->time_ns > run->ns) {
		d->counts.stall_ns = MAX(d->counts.stall_ns, x->at->time_ns - run->ns);
	}
}

void track_iwarp_follow_hole(struct track_iwarp_x *x)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);

	if (!d->tcp.late)
		d->hole_ns = 0;
	else if (!d->hole_ns)
		d->hole_ns = x->at->time_ns;
}
