/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lint.c - hands each packet to the rule groups, and their findings to the caller. */
#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "mad.h"
#include "rule.h"
#include "transfers.h"

/* Long enough for any message; a longer one is cut, never written past. */
#define MESSAGE_MAX 512

struct lint {
	struct lint_options options;
	lint_report *report;
	void *user;
	struct ibw_crc_verdict icrc;
	struct lint_mad mad;     /* of the packet being looked at, if it has one */
	struct ibw_packet ipoib; /* its payload walked as IPoIB, if it is that */
	struct lint_transfers *transfers;
	void *cap; /* what group CAP keeps of the file */
	void *roc; /* and group ROC */
};

struct lint *lint_new(const struct lint_options *options, lint_report *report, void *user)
{
	struct lint *l = g_new0(struct lint, 1);

	l->options = *options;
	l->report = report;
	l->user = user;
	l->cap = lint_cap_new();
	l->roc = lint_roc_new();
	l->transfers = lint_transfers_new();
	return l;
}

void lint_free(struct lint *l)
{
	if (!l)
		return;
	lint_cap_free(l->cap);
	lint_roc_free(l->roc);
	lint_transfers_free(l->transfers);
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

struct ibw_crc_verdict lint_icrc(const struct lint *l)
{
	return l->icrc;
}

static void emit(struct lint *l, struct lint_finding *f, const struct lint_frame *frame,
		 const char *format, va_list args)
{
	char message[MESSAGE_MAX];

	vsnprintf(message, sizeof(message), format, args);
	f->message = message;
	if (frame) {
		f->frame = frame->number;
		f->time_ns = frame->time_ns;
	}
	l->report(l->user, f);
}

static struct lint_finding finding(enum lint_rule_id rule, uint32_t offset, uint32_t length)
{
	struct lint_finding f = { .rule = rule, .offset = offset, .length = length };

	f.severity = (enum lint_severity)lint_rules[rule].severity;
	return f;
}

/*
 * Rules that hold for IPv4, IPv6 and GRH alike name the layer "ip": the one @off is in, which may
 * be that of a tunnel.
 */
static const char *layer_of(const struct ibw_packet *pkt, enum lint_rule_id rule, uint32_t off)
{
	const char *layer = lint_rules[rule].layer;
	const struct ibw_span *span;

	if (strcmp(layer, "ip") != 0)
		return layer;
	for (span = pkt->span; span < pkt->span + pkt->n_spans; span++)
		if ((span->layer == IBW_LAYER_ipv4 || span->layer == IBW_LAYER_ipv6 ||
		     span->layer == IBW_LAYER_grh) &&
		    off >= span->off && off - span->off < span->len)
			return ibw_headers[span->layer].name;
	return layer;
}

static void found(const struct lint_packet *p, struct lint_finding f, const char *format,
		  va_list args)
{
	struct lint_flow flow;

	if (!lint_on(p->lint, f.rule))
		return;
	if (lint_flow_of(p->pkt, &flow))
		f.flow = &flow;
	f.related = p->related;
	f.n_related = p->n_related;
	f.layer = layer_of(p->pkt, f.rule, f.offset);
	emit(p->lint, &f, p->frame, format, args);
}

void lint_found(const struct lint_packet *p, enum lint_rule_id rule, uint32_t offset,
		uint32_t length, const char *format, ...)
{
	struct lint_finding f = finding(rule, offset, length);
	va_list args;

	va_start(args, format);
	found(p, f, format, args);
	va_end(args);
}

void lint_found_milder(const struct lint_packet *p, enum lint_rule_id rule, uint32_t offset,
		       uint32_t length, const char *format, ...)
{
	struct lint_finding f = finding(rule, offset, length);
	va_list args;

	f.severity++;
	va_start(args, format);
	found(p, f, format, args);
	va_end(args);
}

void lint_file_finding(struct lint *l, enum lint_rule_id rule, const struct lint_frame *frame,
		       const char *format, ...)
{
	struct lint_finding f = finding(rule, 0, 0);
	va_list args;

	if (!lint_on(l, rule))
		return;
	f.layer = lint_rules[rule].layer;
	va_start(args, format);
	emit(l, &f, frame, format, args);
	va_end(args);
}

/* What the records of an answer say. */
static void records(const struct lint_packet *p)
{
	lint_rmp_table(p);
	lint_saq_records(p);
	lint_mcg(p);
}

/* The segments of a transfer, until all its records are there with the last of them. */
static void segment(struct lint_packet *p)
{
	struct lint_mad *m = &p->lint->mad;
	const struct lint_transfer *t =
		lint_transfers_feed(p->lint->transfers, p->pkt, m->p, m->n, p->frame->number);

	if (!t || t->rmpp.state != IBW_TRANSFER_COMPLETE || !lint_mad_is_sa(m))
		return;
	lint_mad_complete(m, t);
	p->related = t->frames;
	p->n_related = MIN(t->n_frames - 1, LINT_RELATED_MAX);
	records(p);
	p->related = NULL;
	p->n_related = 0;
}

static void management(struct lint_packet *p)
{
	struct lint_mad *m = &p->lint->mad;

	if (!lint_mad_walk(m, p->pkt))
		return;
	if (!m->mad) {
		lint_mad_short(p, m);
		return;
	}
	p->mad = m;
	lint_mad(p);
	if (ibw_mad_base_version(m->mad) != IBW_MAD_BASE_VERSION)
		return;
	if (m->rmpp)
		lint_rmp(p);
	if (lint_mad_is_smp(m))
		lint_smp(p);
	if (lint_mad_is_cm(m))
		lint_cms(p);
	if (m->sa) {
		lint_saq(p);
		records(p);
		segment(p);
	}
}

/* Datagrams: what stands in their payload. */
static __attribute__((noinline)) void payload(struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;

	if (pkt->outcome == IBW_MALFORMED && pkt->proto != IBW_PROTO_IPOIB)
		return;
	if (pkt->proto == IBW_PROTO_IPOIB) {
		p->ipoib = pkt;
	} else if (ibw_packet_is_mad(pkt)) {
		management(p);
		return;
	} else if (lint_ipo_is(pkt)) {
		ibw_packet_walk_ipoib(&p->lint->ipoib, pkt);
		p->ipoib = &p->lint->ipoib;
	}
	if (p->ipoib)
		lint_ipo(p);
}

void lint_packet(struct lint *l, const struct lint_frame *frame, const struct ibw_packet *pkt)
{
	struct lint_packet p = { l, frame, pkt, ibw_packet_icrc(pkt), NULL, NULL, NULL, 0 };

	l->icrc = p.icrc;
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
	if (pkt->eths & IBW_ETH_DETH || pkt->proto == IBW_PROTO_IPOIB)
		payload(&p);
	if (p.icrc.status == IBW_CRC_BAD || pkt->vcrc_off || pkt->outcome == IBW_MALFORMED)
		lint_crc(&p);
}

void lint_finish(struct lint *l)
{
	lint_cap_finish(l, l->cap);
	lint_roc_finish(l, l->roc);
}
