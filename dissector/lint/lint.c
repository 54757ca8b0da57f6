/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lint.c - hands each packet to the rule groups. */
#include <glib.h>

#include "lint_impl.h"
#include "mad.h"

struct lint *lint_new(const struct lint_options *options, lint_report *report, void *user)
{
	struct lint *l = g_new0(struct lint, 1);

	l->options = *options;
	l->report = report;
	l->user = user;
	l->cap = lint_cap_new();
	l->roc = lint_roc_new();
	return l;
}

void lint_free(struct lint *l)
{
	if (!l)
		return;
	lint_cap_free(l->cap);
	lint_roc_free(l->roc);
	g_free(l);
}

bool lint_on(const struct lint *l, enum lint_rule_id rule)
{
	return l->options.rules[rule];
}

const struct lint_options *lint_options_of(const struct lint *l)
{
	return &l->options;
}

void *lint_cap_state(const struct lint *l)
{
	return l->cap;
}

void *lint_roc_state(const struct lint *l)
{
	return l->roc;
}

/* What the records of an answer say. */
static void records(const struct lint_packet *p)
{
	lint_rmp_table(p);
	lint_saq_records(p);
	lint_mcg(p);
}

/* The records of the transfer that the MAD completes. */
static void transfer(struct lint_packet *p)
{
	const struct track_transfer *t = p->context->transfer;
	const struct track_mad *m = p->mad;
	struct track_mad whole;

	if (!t || !track_mad_is_sa(m))
		return;
	whole = *m;
	track_mad_complete(&whole, t);
	p->mad = &whole;
	p->related = t->frames;
	p->n_related = MIN(t->n_frames - 1, LINT_RELATED_MAX);
	records(p);
	p->related = NULL;
	p->n_related = 0;
	p->mad = m;
}

static void management(struct lint_packet *p)
{
	const struct track_mad *m = p->mad;

	if (!m->mad) {
		lint_mad_short(p, m);
		return;
	}
	lint_mad(p);
	if (ibw_mad_base_version(m->mad) != IBW_MAD_BASE_VERSION)
		return;
	if (m->rmpp)
		lint_rmp(p);
	if (track_mad_is_smp(m))
		lint_smp(p);
	if (track_mad_is_cm(m))
		lint_cms(p);
	if (m->sa) {
		lint_saq(p);
		records(p);
		transfer(p);
	}
}

/* What the payload holds: a MAD, or IPoIB. */
static __attribute__((noinline)) void payload(struct lint_packet *p)
{
	if (p->pkt->outcome == IBW_MALFORMED && p->pkt->proto != IBW_PROTO_IPOIB)
		return;
	p->mad = track_view_mad(p->view);
	p->ipoib = track_view_ipoib(p->view);
	if (p->mad)
		management(p);
	if (p->ipoib)
		lint_ipo(p);
}

void lint_packet(struct lint *l, const struct track_frame *frame, struct track_view *view,
		 const struct track_context *context)
{
	const struct ibw_packet *pkt = &view->pkt;
	struct lint_packet p = {
		.lint = l, .frame = frame, .pkt = pkt, .view = view, .context = context
	};

	track_view_icrc(view);
	lint_cap(&p);
	if (pkt->lrh != IBW_NO_SPAN && !lint_lrh(&p)) {
		lint_vcrc(&p);
		return;
	}
	if (pkt->proto == IBW_PROTO_IB || pkt->proto == IBW_PROTO_ROCEV1)
		lint_grh(&p);
	if (pkt->proto == IBW_PROTO_ROCEV2 || pkt->proto == IBW_PROTO_ROCEV1 ||
	    pkt->proto == IBW_PROTO_OTHER)
		lint_roc(&p);
	if (pkt->bth != IBW_NO_SPAN) {
		lint_bth(&p);
		lint_xth(&p);
		lint_cng(&p);
	} else if (pkt->outcome == IBW_MALFORMED) {
		lint_xth(&p);
	}
	if (pkt->eths & IBW_ETH_DETH || pkt->proto == IBW_PROTO_IPOIB || context->ipoib)
		payload(&p);
	if (view->icrc.status == IBW_CRC_BAD || pkt->vcrc_off || pkt->outcome == IBW_MALFORMED)
		lint_crc(&p);
}

void lint_finish(struct lint *l)
{
	lint_cap_finish(l, l->cap);
	lint_roc_finish(l, l->roc);
}
