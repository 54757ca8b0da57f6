/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * damaged.c - notes packets that are in the capture but cannot be followed, because their ICRC is
 * wrong or their opcode unknown. PSNs that are missing because of them were not lost.
 */
#include <string.h>

#include "stream.h"

/* PSNs of a way; room for fewer as long as fewer are damaged. */
#define DAMAGED_MAX 1024u
#define ROOM_FIRST 8u
/* Below what is covered: a gap may be told only after a NAK and what it asked for. */
#define TOLD_LATER 256u

/* The first at or above @psn. */
static uint32_t from(const struct track_watch *w, uint64_t psn)
{
	uint32_t low = 0, high = w->n_damaged, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (w->damaged[mid].psn < psn)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Nobody will ask for them any more. */
static void forget_done(struct track_watch *w, uint64_t covered)
{
	uint32_t i, n = 0;

	for (i = 0; i < w->n_damaged; i++)
		if (w->damaged[i].missing || w->damaged[i].psn >= covered)
			w->damaged[n++] = w->damaged[i];
	w->n_damaged = n;
}

static void make_room(struct track_dir *d, struct track_watch *w)
{
	uint64_t done;

	if (w->n_damaged < w->damaged_room)
		return;
	done = MIN(d->since.covered, d->psns.next);
	forget_done(w, done - MIN(done, TOLD_LATER));
	if (w->n_damaged <= w->damaged_room / 2 && w->damaged_room)
		return;
	if (w->damaged_room == DAMAGED_MAX) {
		if (w->n_damaged == DAMAGED_MAX)
			memmove(w->damaged, w->damaged + 1, --w->n_damaged * sizeof(*w->damaged));
		return;
	}
	track_damaged_give(d);
	w->damaged_room = w->damaged_room ? 2 * w->damaged_room : ROOM_FIRST;
	w->damaged = g_renew(struct track_damaged, w->damaged, w->damaged_room);
	track_memory_take(d->memory, w->damaged_room * sizeof(*w->damaged));
}

static struct track_damaged *note(struct track_dir *d, uint64_t psn,
				  const struct track_at *at_packet)
{
	struct track_watch *w = track_watch(d);
	uint32_t at = from(w, psn);

	if (at < w->n_damaged && w->damaged[at].psn == psn)
		return &w->damaged[at];
	make_room(d, w);
	at = from(w, psn);
	memmove(&w->damaged[at + 1], &w->damaged[at], (w->n_damaged - at) * sizeof(*w->damaged));
	w->n_damaged++;
	w->damaged[at] = (struct track_damaged){ .psn = psn,
						 .frame = at_packet->frame,
						 .time_ns = at_packet->time_ns };
	return &w->damaged[at];
}

/* It may be of before the first request, which begins as this one. */
static uint64_t extend(struct track_psns *s, uint32_t psn)
{
	struct track_psns before = *s;

	return track_psn_extend(s->next ? s : &before, psn);
}

/* What the sequence NAK asked for was sent again; it is damaged, too. */
static void resent(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		   uint64_t psn, uint32_t n)
{
	enum track_way way = (enum track_way)p->way;
	struct track_watch *w = qp->dir[way].watch;

	if (w->since.resend != TRACK_RESEND_NONE && w->since.resend_next == psn)
		w->since.resend_next = psn + n; /* what follows goes on with it */
	if (!w->since.nak.frame || w->since.nak.psn != psn)
		return;
	track_qp_resent(w, TRACK_RESEND_NAK, psn + n, p);
	if (w->since.nak_filled)
		return;
	track_qp_nak_unanswered(s, qp, way, p->at.time_ns, p->at.frame);
	track_qp_nak_settled(s, qp, way, p->at.frame, p->at.time_ns);
}

void track_qp_damaged(struct track_qps *s, struct track_qp *qp, const struct track_packet *p)
{
	struct track_dir *d = &qp->dir[p->way];
	uint64_t psn = extend(&d->psns, p->psn);
	uint32_t n = MAX(track_qp_psns(qp, p), 1);
	struct track_damaged *q;

	if (d->psns.begun && MAX(psn, d->psns.next) - MIN(psn, d->psns.next) > TRACK_PSN_JUMP)
		return;
	q = note(d, psn, &p->at);
	q->nearly = p->nearly && (q->nearly || q->frame == p->at.frame);
	q->strange = !(track_packet_opf(p) & IBW_OPF_REQUEST);
	if (q->strange)
		return;
	q->last_frame = p->at.frame;
	q->n = n;
	q->came = false;
	if (!d->psns.begun)
		return;
	q->missing |= psn >= d->psns.first && !track_psn_is_occupied(&d->psns, psn);
	resent(s, qp, p, psn, n);
}

void track_damaged_came(struct track_dir *d, uint64_t psn, uint32_t n)
{
	struct track_watch *w = d->watch;
	struct track_damaged *q;
	uint32_t i;

	for (i = from(w, psn); i < w->n_damaged && w->damaged[i].psn < psn + n; i++) {
		q = &w->damaged[i];
		q->came = true;
		if (!track_psn_is_occupied(&d->psns, q->psn)) /* a hole that is closed stays one */
			q->missing = false;
	}
}

void track_damaged_answered(struct track_watch *w, uint64_t low, uint64_t high, uint64_t frame)
{
	struct track_damaged *q;
	uint32_t i;

	for (i = from(w, low); i < w->n_damaged && w->damaged[i].psn < high; i++) {
		q = &w->damaged[i];
		if (!q->missing || q->accepted || q->nearly || q->frame >= frame)
			continue;
		q->accepted = true;
		if (!w->accepted_packets++)
			w->accepted = (struct track_mark){ q->psn, q->frame, q->time_ns };
	}
}

uint64_t track_damaged_frame(const struct track_watch *w, uint64_t psn)
{
	uint32_t at = from(w, psn);

	return at < w->n_damaged && w->damaged[at].psn == psn && !w->damaged[at].came &&
			       !w->damaged[at].strange
		       ? w->damaged[at].last_frame
		       : 0;
}

struct track_damage track_damaged_in(const struct track_watch *w, uint64_t low, uint64_t high)
{
	struct track_damage in = { 0 };
	const struct track_damaged *q;
	uint64_t end = low;
	uint32_t i;

	if (!w->n_damaged) /* as nearly always */
		return in;
	for (i = from(w, low); i < w->n_damaged && w->damaged[i].psn < high; i++) {
		q = &w->damaged[i];
		if (q->strange) {
			in.strange++;
			continue;
		}
		if (!in.frame) {
			in.psn = q->psn;
			in.frame = q->frame;
		}
		in.last_frame = MAX(in.last_frame, q->last_frame);
		if (q->psn + q->n <= end)
			continue;
		in.psns += MIN(q->psn + q->n, high) - MAX(q->psn, end);
		end = q->psn + q->n;
	}
	return in;
}

void track_damaged_end(struct track_dir *d)
{
	struct track_watch *w = d->watch;
	uint32_t i;

	if (!w)
		return;
	for (i = 0; i < w->n_damaged && w->damaged[i].psn < d->psns.next; i++)
		w->psn_damaged += w->damaged[i].missing && !w->damaged[i].nearly;
	w->n_damaged = 0;
}
