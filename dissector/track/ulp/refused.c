/* SPDX-License-Identifier: GPL-2.0-or-later */
/* refused.c - connections that an upper layer refuses: in the private data of a REJ or of MPA, in a login, in a negotiation. */
#include <ibwire/build_private.h>
#include <ibwire/cm.h>
#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "impl.h"

/* What an event is about holds what a REJ says. */
G_STATIC_ASSERT(TRACK_REJECTION_TEXT <= TRACK_ABOUT_TEXT);

/* NULL: no rule wants it. */
static struct track_event *refused(struct track_ulps *u, enum ibw_ulp ulp, uint32_t status,
				   uint64_t cause, const struct track_at *at)
{
	struct track_event *e = track_event_add(u->events, TRACK_EVENT_ULP_REFUSED, at);

	if (!e)
		return NULL;
	if (cause)
		track_event_cause(e, cause);
	e->number[TRACK_ULP_REFUSED_status] = status;
	e->number[TRACK_ULP_REFUSED_upper] = ulp;
	e->number[TRACK_ULP_REFUSED_cause] = cause;
	return e;
}

static enum ibw_ulp ulp_of(uint16_t layer)
{
	if (layer == IBW_LAYER_srp_login_rej)
		return IBW_ULP_SRP;
	return layer == IBW_LAYER_nvme_cm_rej ? IBW_ULP_NVME : IBW_ULP_RDS;
}

void track_ulp_refused_by_cm(struct track_ulps *u, const struct track_cm_news *news,
			     const struct track_at *at)
{
	struct track_event *e;

	if (news->message != TRACK_CM_REJ || news->doubt || news->repeated ||
	    news->rejection.layer == IBW_LAYER_COUNT || !news->rejection.status)
		return;
	e = refused(u, ulp_of(news->rejection.layer), news->rejection.status, news->req_frame, at);
	if (!e)
		return;
	track_ulp_set_cm_flow(e, news);
	track_rejection_text(&news->rejection, track_event_about(u->events, e));
}

/* NVMe over Fabrics, at its own ports, as of the CM: the record format is 0. */
static struct track_rejection rejection_of(const struct track_ulp_start *s)
{
	const uint16_t port = s->flow.sport;
	uint16_t status;

	if ((port != IBW_CM_PORT_NVME && port != IBW_CM_PORT_NVME_DISCOVERY) ||
	    !ibw_nvme_take_rej(&status, s->p, s->n))
		return (struct track_rejection){ .layer = IBW_LAYER_COUNT };
	return (struct track_rejection){ status, IBW_LAYER_nvme_cm_rej };
}

void track_ulp_refused_by_mpa(struct track_ulps *u, const struct track_ulp_start *s, uint64_t cause,
			      const struct track_at *at)
{
	const struct track_rejection r = rejection_of(s);
	struct track_event *e;

	if (r.layer == IBW_LAYER_COUNT || !r.status)
		return;
	e = refused(u, IBW_ULP_NVME, r.status, cause, at);
	if (!e)
		return;
	e->flow = s->flow;
	track_flow_as_seen(&e->flow);
	track_rejection_text(&r, track_event_about(u->events, e));
}

void track_ulp_refused(struct track_ulp_x *x, const char *what, struct track_ulp_code code,
		       uint32_t status, uint64_t cause)
{
	enum ibw_ulp ulp = (enum ibw_ulp)x->q->ulp;
	struct track_event *e = refused(x->u, ulp, status, cause, x->at);
	char words[TRACK_ULP_STATUS_TEXT];
	struct ibw_out o;

	if (!e)
		return;
	track_ulp_set_flow(e, x->q, TRACK_ULP_ANSWERS);
	track_flow_as_seen(&e->flow);
	o = ibw_out_open(track_event_about(x->u->events, e), TRACK_ABOUT_TEXT);
	ibw_out_str(&o, ibw_ulp_text(ulp));
	ibw_out_char(&o, ' ');
	ibw_out_str(&o, what);
	ibw_out_str(&o, " refused: ");
	ibw_out_str(&o, track_ulp_status_words(ulp, code, status, words, sizeof(words)));
	ibw_out_close(&o);
}
