/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure_cc.c - measures congestion: marks in the direction of the requests, and the CNPs about it, which go
 * the other way.
 *
 * Nothing here is done for a packet that is neither marked nor a CNP.
 */
#include "measure_impl.h"

/* Bits a second of @bytes in the time from @since_ns to @now_ns; 0: no time went by. */
uint64_t track_measure_rate(uint64_t bytes, uint64_t since_ns, uint64_t now_ns)
{
	uint64_t ns = now_ns - since_ns, rate, rest;
	unsigned int digit;

	if (now_ns <= since_ns || ns > UINT64_MAX / 10)
		return 0;
	/* Digit by digit: 10^9 times the bytes may need more than 64 bits. */
	rate = 8 * bytes / ns;
	rest = 8 * bytes % ns;
	for (digit = 0; digit < 9; digit++) {
		rate = 10 * rate + 10 * rest / ns;
		rest = 10 * rest % ns;
	}
	return rate;
}

uint64_t track_measure_share(uint64_t some, uint64_t all, uint64_t of)
{
	return some && all ? some * of / all : TRACK_UNKNOWN;
}

static struct track_congestion *congestion_of(struct track_measure *m)
{
	if (!m->congestion)
		m->congestion = g_new0(struct track_congestion, 1);
	return m->congestion;
}

void track_measure_mark(struct track_qp *qp, const struct track_packet *p)
{
	struct track_measure *m = qp->dir[p->way].measure;

	if (!m->ce_frame)
		m->ce_frame = p->at.frame;
}

/* @d: what the CNP is about, the packets that go to its sender. */
void track_measure_cnp(struct track_qp *qp, const struct track_packet *p)
{
	const struct track_dir *d = &qp->dir[!p->way];
	struct track_measure *m = d->measure;
	const struct track_watch *w = track_watched(d);
	struct track_congestion *c = congestion_of(m);
	uint64_t now = p->at.time_ns, rate;

	if (w->ce_open_count)
		track_sample_time(qp, m, TRACK_SAMPLES_CE_CNP_DELAY, w->ce_open.time_ns, now);
	else
		c->bare++;
	if (!c->cnps++) {
		m->cnp_frame = p->at.frame;
		c->first_ns = now;
		c->first_bytes = d->wire_bytes;
	} else {
		track_sample_time(qp, m, TRACK_SAMPLES_CNP_GAP, c->last_ns, now);
		rate = track_measure_rate(d->wire_bytes - c->last_bytes, c->last_ns, now);
		if (now > c->last_ns)
			track_sample(m, TRACK_SAMPLES_CNP_RATE, rate);
	}
	c->last_ns = now;
	c->last_bytes = d->wire_bytes;
}

const struct track_congestion *track_measured_congestion(const struct track_measure *m)
{
	static const struct track_congestion none;

	return m->congestion ? m->congestion : &none;
}
