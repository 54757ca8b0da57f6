/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_impl.h - the calls into incident.c: unexpected requests, answers, ends. */
#ifndef IBWIRE_TRACK_INCIDENT_IMPL_H
#define IBWIRE_TRACK_INCIDENT_IMPL_H

#include "incident.h"
#include "track/way/qp_impl.h"

/* Kinds of unexpected requests. */
enum track_came_as { TRACK_CAME_RESENT, TRACK_CAME_LATE, TRACK_CAME_DOUBLED };

/* A request beyond the expected one, before it is noted: what is missing begins there. */
void track_incident_gap(struct track_qps *s, struct track_qp *qp, const struct track_packet *p);

/* A request that is retransmitted, late or duplicated, before it is noted. */
void track_incident_again(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			  uint64_t psn, uint32_t n, enum track_came_as as);

/* A request that filled a hole, late or retransmitted, was retransmitted. */
void track_incident_repeated(struct track_dir *d, const struct track_filled *filled);

/*
 * What was taken for the retransmission of @psn, of that payload, was its late original: this is the
 * retransmission.
 */
void track_incident_original(struct track_dir *d, const struct track_packet *p, uint64_t psn,
			     uint32_t payload);

/* A READ response was late, and not lost. */
void track_incident_response(struct track_dir *d, uint64_t psn);

/* The lowest PSN without an answer advances. */
void track_incident_low(struct track_dir *d, uint64_t low, uint64_t now_ns);

/* An answer, once all of it is known; there is an incident, or it is the beginning of one. */
void track_incident_answered(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			     uint64_t psn);

/* The retries of @q are used up. */
void track_incident_gave_up(struct track_dir *d, const struct track_request *q);

/* Of a UC way: these PSNs are missing. */
void track_incident_uc_gap(struct track_qps *s, const struct track_qp *qp, enum track_way way,
			   const struct track_hole *hole);

/* Live: at that time, nothing more can be learned about one that ended long enough before. */
void track_incident_tick(struct track_qps *s, struct track_qp *qp, enum track_way way,
			 uint64_t now_ns);

/* The connection ends, or its PSNs restart. */
void track_incident_end(struct track_qps *s, struct track_qp *qp, enum track_way way);

void track_incident_free(struct track_dir *d);

/* Whether an incident is over with that frame: its own first frame, the one it begins with, and what it cost. */
bool track_incident_is_over(const struct track_dir *d, uint64_t end_frame, uint64_t *frame,
			    uint64_t *begin_frame, uint64_t *ns);

/* All below was answered by an ACK, a NAK or a response, but for READs that have no response. */
static inline uint64_t track_passed(const struct track_dir *d)
{
	return MAX(d->since.covered,
		   d->since_rare.response_high ? d->since_rare.response_high + 1 : 0);
}

/* The lowest PSN that is not answered, but for READs below @floor. */
static inline uint64_t track_low(const struct track_dir *d, uint64_t floor)
{
	uint64_t passed = track_passed(d);
	uint32_t at = 0;

	if (!d->reads || !d->reads->n)
		return passed;
	if (floor)
		at = track_reads_find(d->reads, floor);
	return at < d->reads->n ? MIN(passed, MAX(d->reads->run[at].low, floor)) : passed;
}

/* A response passed one that is missing before it. */
static inline bool track_is_passed(const struct track_dir *d, uint64_t psn)
{
	return d->reads && d->reads->n && d->reads->run[0].low < psn && d->reads->run[0].frame;
}

static inline bool track_is_nak(const struct track_packet *p)
{
	return p->flags & TRACK_PACKET_AETH && (IBW_AETH_TYPE(p->syndrome) == IBW_AETH_TYPE_NAK ||
						IBW_AETH_TYPE(p->syndrome) == IBW_AETH_TYPE_RNR);
}

/* An answer, after all of it was looked at. */
static inline void track_incident_answer(struct track_qps *s, struct track_qp *qp,
					 const struct track_packet *p, uint64_t psn)
{
	struct track_dir *d = &qp->dir[!p->way];
	uint64_t low;

	if (!s->incidents)
		return;
	if (G_UNLIKELY(d->trouble || track_is_nak(p) || track_is_passed(d, psn))) {
		track_incident_answered(s, qp, p, psn);
		return;
	}
	low = track_low(d, 0);
	if (low > d->answers->since.low)
		track_incident_low(d, low, p->at.time_ns);
}

#endif /* IBWIRE_TRACK_INCIDENT_IMPL_H */
