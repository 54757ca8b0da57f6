/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series_impl.h - the calls into series.c. */
#ifndef IBWIRE_TRACK_SERIES_IMPL_H
#define IBWIRE_TRACK_SERIES_IMPL_H

#include "measure.h"
#include "series.h"
#include "track/way/qp_impl.h"

/* Columns there is room for at first, and marks. */
#define TRACK_SERIES_ROOM 16u
#define TRACK_SERIES_MARKS_FIRST 8u

/* The memory of all series of a capture. */
struct track_series_room {
	uint64_t used, most;
	uint64_t left_out; /* directions */
	uint32_t columns;  /* that a series may have */
	struct track_series *newest;
};

/* False: there is no room for that many more bytes. */
static inline bool track_series_fits(const struct track_series_room *all, uint64_t more)
{
	return all->used + more <= all->most;
}

/* series_column.c: that of a packet, which is opened; and room for the first ones of a new series. */
void track_column_open(struct track_series *t, const struct track_at *at);
bool track_column_begin(struct track_series *t);
void track_column_free(struct track_series *t);

/* A mark that is no longer kept is counted for its column. */
void track_column_more(struct track_series *t, const struct track_series_mark *m);

/* The open one is told what the last run says of it, or that and the last answer. */
void track_column_settle_run(struct track_series *t);
void track_column_settle(struct track_series *t);

/* That of a packet, which is counted in it. */
static inline struct track_column *track_column_count(struct track_series *t,
						      const struct track_at *at, uint32_t wire_len)
{
	struct track_column *c = &t->open;

	if (G_UNLIKELY(at->time_ns - t->begin_ns >= t->length_ns))
		track_column_open(t, at);
	if (G_UNLIKELY(at->frame < c->first_frame))
		c->first_frame = at->frame;
	c->packets++;
	c->wire_bytes += wire_len;
	return c;
}

static inline void track_column_put(struct track_column *c, enum track_series_of of, int32_t psn)
{
	if (psn > c->high[of])
		c->high[of] = psn;
	if (c->low[of] == TRACK_SERIES_NONE || psn < c->low[of])
		c->low[of] = psn;
}

/* PSNs from @low to @high. */
static inline void track_column_take(int32_t *low, int32_t *high, int32_t other_low,
				     int32_t other_high)
{
	if (other_low == TRACK_SERIES_NONE)
		return;
	*low = *low == TRACK_SERIES_NONE ? other_low : MIN(*low, other_low);
	*high = MAX(*high, other_high);
}

/* Relative to the first request; limited to the range. */
static inline int32_t track_series_since(const struct track_series *t, uint64_t psn)
{
	int64_t far = (int64_t)(psn - t->base);

	return G_LIKELY(far == (int32_t)far && far != INT32_MIN) ? (int32_t)far
	       : far < 0                                         ? INT32_MIN + 1
								 : INT32_MAX;
}

/*
 * How a place has a frame and what it is of: a first one its kind and opcode, and whether another follows; the other one, of a
 * run's last packet, the syndrome of a NAK.
 */
#define TRACK_PLACE_FRAME 17u
#define TRACK_PLACE_IS_OTHER (1u << 16)
#define TRACK_PLACE_OPCODE 8u
#define TRACK_PLACE_IS_LONG 0x80u
#define TRACK_PLACE_KIND 7u

/* ladder.c: all places were used, or there are none yet; false: and there is no room for any. */
bool track_ladder_turn(struct track_series *t);

/* The place after the last one, which may be that of the oldest; NULL: there is none. */
static inline struct track_rung_place *track_ladder_next(struct track_series *t)
{
	struct track_ladder *l = &t->ladder;

	if (G_UNLIKELY(!(l->end & l->mask) && !track_ladder_turn(t)))
		return NULL;
	return &l->place[l->end++ & l->mask];
}

/* The run at hand is over: its last packet has a place, if it is not the first one. */
void track_ladder_settle(struct track_series *t);

/* The run at hand is a NAK, whose syndrome has a place, too. */
void track_ladder_end_nak(struct track_series *t, const struct track_packet *p, int32_t psn);

/* The incident of that frame is over, which began with that one and took so long: the costliest one's runs are kept. */
void track_ladder_over(struct track_series *t, uint64_t frame, uint64_t begin_frame, uint64_t ns);

void track_ladder_free(struct track_series *t);

/*
 * Keys of runs: what goes on with one has the same. Of requests with payload, which are of one verb, by their operation; READ
 * Requests and NAKs are told one by one, as what they ask for differs.
 */
enum track_run_key {
	TRACK_RUN_ALONE, /* of a packet; of a run it is TRACK_RUN_NONE */
	TRACK_RUN_SEND,
	TRACK_RUN_WRITE,
	TRACK_RUN_SEND_AGAIN,
	TRACK_RUN_WRITE_AGAIN,
	TRACK_RUN_RESPONSE,
	TRACK_RUN_ACK,
	TRACK_RUN_NONE
};

#define TRACK_RUN_AGAIN (TRACK_RUN_SEND_AGAIN - TRACK_RUN_SEND)

static inline unsigned int track_run_key(const struct track_packet *p)
{
	static const uint8_t keys[TRACK_OPERATION(0xff) + 1] = {
		[IBW_OP_RC_SEND_FIRST] = TRACK_RUN_SEND,
		[IBW_OP_RC_SEND_MIDDLE] = TRACK_RUN_SEND,
		[IBW_OP_RC_SEND_LAST] = TRACK_RUN_SEND,
		[IBW_OP_RC_SEND_LAST_WITH_IMMEDIATE] = TRACK_RUN_SEND,
		[IBW_OP_RC_SEND_ONLY] = TRACK_RUN_SEND,
		[IBW_OP_RC_SEND_ONLY_WITH_IMMEDIATE] = TRACK_RUN_SEND,
		[IBW_OP_RC_SEND_LAST_WITH_INVALIDATE] = TRACK_RUN_SEND,
		[IBW_OP_RC_SEND_ONLY_WITH_INVALIDATE] = TRACK_RUN_SEND,
		[IBW_OP_RC_RDMA_WRITE_FIRST] = TRACK_RUN_WRITE,
		[IBW_OP_RC_RDMA_WRITE_MIDDLE] = TRACK_RUN_WRITE,
		[IBW_OP_RC_RDMA_WRITE_LAST] = TRACK_RUN_WRITE,
		[IBW_OP_RC_RDMA_WRITE_LAST_WITH_IMMEDIATE] = TRACK_RUN_WRITE,
		[IBW_OP_RC_RDMA_WRITE_ONLY] = TRACK_RUN_WRITE,
		[IBW_OP_RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE] = TRACK_RUN_WRITE,
	};

	return keys[TRACK_OPERATION(p->opcode)];
}

/* Of a packet that goes on with the run at hand, what all of them change. */
static inline void track_run_go_on(struct track_rung_now *r, const struct track_packet *p,
				   uint64_t psn)
{
	r->last = psn;
	r->last_ns = p->at.time_ns;
	r->last_frame = p->at.frame;
	r->is_long = true;
}

/* NULL: there is no room. */
struct track_series *track_series_new(struct track_series_room *all, uint64_t psn);

void track_series_mark(struct track_series *t, enum track_series_mark_kind kind,
		       const struct track_at *at, int32_t psn, uint64_t since_ns);

/* series.c: a request; an answer to one, after all of it was looked at. */
void track_series_any_request(struct track_series_room *all, struct track_qp *qp,
			      const struct track_packet *p, uint64_t psn,
			      enum track_psn_class class);
void track_series_answer(struct track_qp *qp, const struct track_packet *p, uint64_t psn);

/*
 * A request of this PSN, once it was looked at but for its being noted. Most are the next ones of their run, in the column at
 * hand: of these it is not worked out what they change of it before it is over. A window is open only where the last request was
 * the one before the next.
 */
static inline void track_series_request(struct track_series_room *all, struct track_qp *qp,
					const struct track_packet *p, uint64_t psn,
					enum track_psn_class class)
{
	struct track_series *t = qp->dir[p->way].measure->series;

	if (G_LIKELY(class == TRACK_PSN_NEXT && t &&
		     p->at.time_ns - t->run.window_ns < t->run.window &&
		     track_run_key(p) == t->run.key)) {
		track_run_go_on(&t->run, p, psn);
		t->open.packets++;
		t->open.wire_bytes += p->wire_len;
		return;
	}
	track_series_any_request(all, qp, p, psn, class);
}

/* The next request is looked at whatever it is. */
static inline void track_series_look(struct track_series *t)
{
	track_column_settle_run(t);
	t->run.window = 0;
}

/* A CNP about requests of @d; a message of the CM about the connection. */
void track_series_cnp(struct track_dir *d, const struct track_packet *p);
void track_series_cm(struct track_qp *qp, const struct track_at *at);

#endif /* IBWIRE_TRACK_SERIES_IMPL_H */
