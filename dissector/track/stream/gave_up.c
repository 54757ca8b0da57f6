/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gave_up.c - decides whether a requester ended its connection by an error: it used up its retries, by its
 * timer or after RNR NAKs, and then sent nothing more.
 */
#include "stream.h"
#include "track/incident/incident_impl.h"

/* Where no REQ says how often: the most it can say. After so many RNR NAKs it goes on for ever. */
#define RETRIES_MAX 7u
#define RNR_ENDLESS 7u

/* Who sends nothing for so many times as long as before the last copy has stopped. */
#define SILENCES 2u

/* How a connection came to its end. */
struct ending {
	enum track_last then;
	uint64_t silent_ns;
};

/*
 * Whether nothing more comes of @way after @last_ns, its last packet or what refused that. A DREQ of the other side after
 * that cuts the wait for more short.
 */
static bool is_over(const struct track_qp *qp, enum track_way way, uint64_t last_ns,
		    uint64_t waited_ns, uint64_t now_ns, struct ending *end)
{
	uint64_t closed_ns = track_qp_closed_ns(qp);
	uint64_t until_ns = closed_ns > last_ns ? closed_ns : now_ns;

	*end = (struct ending){ TRACK_LAST_SILENT, 0 };
	if (closed_ns >= last_ns && track_qp_closes(qp, way)) {
		end->then = TRACK_LAST_DREQ;
		return true;
	}
	if (closed_ns && closed_ns < last_ns && qp->agreed->drep_ns >= last_ns) {
		end->then = TRACK_LAST_DREP; /* it went on after the DREQ, until then */
		return true;
	}
	if (!waited_ns || until_ns <= last_ns || until_ns - last_ns <= SILENCES * waited_ns)
		return false;
	end->silent_ns = until_ns - last_ns;
	return true;
}

/* What waits for an answer and was sent most often; NULL: nothing does. */
static const struct track_request *most_tried(const struct track_dir *d)
{
	const struct track_requests *r = d->requests;
	const struct track_request *found = NULL, *q;
	uint32_t i;

	for (i = r ? r->n_covered : 0; r && i < r->n; i++) {
		q = &r->request[i];
		if (!q->answered && (!found || q->tries > found->tries))
			found = q;
	}
	return found;
}

/* Who sends new requests had answers, though they were not captured. */
static bool goes_on(const struct track_qp *qp, enum track_way way, const struct track_request *q)
{
	const struct track_requests *r = qp->dir[way].requests;

	return track_qp_is_deaf(qp, way) && r->request[r->n - 1].time_ns > q->last_ns;
}

static void say(struct track_qps *s, const struct track_qp *qp, enum track_way way,
		const struct track_request *q, uint32_t may, const struct ending *end)
{
	struct track_event *e =
		track_qp_event_of(s, qp, way, TRACK_EVENT_GAVE_UP, q->last_frame, q->last_ns);

	if (!e)
		return;
	e->number[TRACK_GAVE_UP_psn] = q->psn & 0xffffff;
	e->number[TRACK_GAVE_UP_retries] = q->tries - 1;
	e->number[TRACK_GAVE_UP_ns] = q->last_ns - q->time_ns;
	e->number[TRACK_GAVE_UP_may] = may;
	e->number[TRACK_GAVE_UP_known] = qp->agreed && qp->agreed->retries_known;
	e->number[TRACK_GAVE_UP_then] = end->then;
	e->number[TRACK_GAVE_UP_silent] = end->silent_ns;
	e->number[TRACK_GAVE_UP_after_end] = end->then == TRACK_LAST_CLOSED;
	track_event_cause(e, q->frame);
	if (end->then == TRACK_LAST_DREQ)
		track_event_cause(e, qp->agreed->closed_frame);
	if (end->then == TRACK_LAST_CLOSED || end->then == TRACK_LAST_DREP)
		track_event_cause(e, qp->agreed->drep_frame);
}

/* DREQ and DREP came before it, and both are in the capture: it was never answered. */
static bool is_after_end(const struct track_qp *qp, const struct track_request *q)
{
	const struct track_agreed *a = qp->agreed;

	return a && a->closed_ns && a->drep_frame && a->drep_ns < q->time_ns;
}

/* Its last copy has no answer: one that came after it may be to that. */
static const struct track_request *used_up(struct track_qps *s, const struct track_qp *qp,
					   enum track_way way, uint64_t now_ns)
{
	const struct track_dir *d = &qp->dir[way];
	const struct track_request *q = most_tried(d);
	uint32_t may = qp->agreed && qp->agreed->retries_known ? qp->agreed->retries : RETRIES_MAX;
	struct ending end = { TRACK_LAST_CLOSED, 0 };

	if (!q || q->tries <= may || q->tries < 2 ||
	    track_answered(d)->since.last_ns >= q->last_ns || goes_on(qp, way, q))
		return NULL;
	if (!is_after_end(qp, q) &&
	    !is_over(qp, way, d->last_ns, track_watched(d)->since.waited_ns, now_ns, &end))
		return NULL;
	say(s, qp, way, q, may, &end);
	return q;
}

static void say_rnr(struct track_qps *s, const struct track_qp *qp, enum track_way way,
		    const struct track_request *q, const struct ending *end)
{
	const struct track_watch *w = track_watched(&qp->dir[way]);
	struct track_event *e =
		track_qp_event_of(s, qp, (enum track_way) !way, TRACK_EVENT_GAVE_UP_RNR,
				  w->since.rnr.frame, w->since.rnr.time_ns);

	if (!e)
		return;
	e->number[TRACK_GAVE_UP_RNR_psn] = q->psn & 0xffffff;
	e->number[TRACK_GAVE_UP_RNR_naks] = w->since.rnr_count;
	e->number[TRACK_GAVE_UP_RNR_ns] = w->since.rnr.time_ns - q->time_ns;
	e->number[TRACK_GAVE_UP_RNR_may] = qp->agreed->way[way].rnr_retries;
	e->number[TRACK_GAVE_UP_RNR_then] = end->then;
	e->number[TRACK_GAVE_UP_RNR_silent] = end->silent_ns;
	track_event_cause(e, q->frame);
	track_event_cause(e, q->last_frame);
	if (end->then == TRACK_LAST_DREQ)
		track_event_cause(e, qp->agreed->closed_frame);
}

/* One RNR NAK more than the other side lets it have, and it was not sent again after that one. */
static const struct track_request *rnr_used_up(struct track_qps *s, const struct track_qp *qp,
					       enum track_way way, uint64_t now_ns)
{
	const struct track_dir *d = &qp->dir[way];
	const struct track_watch *w = track_watched(d);
	const struct track_agreed_way *a = qp->agreed ? &qp->agreed->way[way] : NULL;
	const struct track_request *q;
	struct ending end;

	if (!a || !a->rnr_known || a->rnr_retries >= RNR_ENDLESS || !w->since.rnr.frame ||
	    w->since.rnr_count <= a->rnr_retries)
		return NULL;
	q = d->requests ? track_requests_find(d->requests, w->since.rnr_psn) : NULL;
	if (!q || q->last_ns > w->since.rnr.time_ns)
		return NULL;
	if (!is_over(qp, way, MAX(d->last_ns, w->since.rnr.time_ns),
		     MAX(w->resend_ns, w->since.rnr_ns), now_ns, &end))
		return NULL;
	say_rnr(s, qp, way, q, &end);
	return q;
}

void track_qp_gave_up(struct track_qps *s, struct track_qp *qp, enum track_way way, uint64_t now_ns)
{
	struct track_dir *d = &qp->dir[way];
	const struct track_request *q;

	if (!d->watch || qp->service == IBW_SERVICE_UC)
		return;
	q = used_up(s, qp, way, now_ns);
	if (q) {
		d->watch->gave_up = TRACK_GAVE_UP_RETRIES;
	} else {
		q = rnr_used_up(s, qp, way, now_ns);
		if (q)
			d->watch->gave_up = TRACK_GAVE_UP_RNR;
	}
	if (q)
		track_incident_gave_up(d, q);
}
