/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lint.c - hands each packet to the rule groups, and their findings to the caller. */
#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "rule.h"

/* Long enough for any message; a longer one is cut, never written past. */
#define MESSAGE_MAX 512

struct lint {
	struct lint_options options;
	lint_report *report;
	void *user;
	struct ibw_crc_verdict icrc;
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

struct ibw_crc_verdict lint_icrc(const struct lint *l)
{
	return l->icrc;
}

static void emit(struct lint *l, struct lint_finding *f, const struct lint_frame *frame,
		 const char *format, va_list args)
{
	char message[MESSAGE_MAX];

	vsnprintf(message, sizeof(message), format, args);
	f->severity = (enum lint_severity)lint_rules[f->rule].severity;
	f->message = message;
	if (frame) {
		f->frame = frame->number;
		f->time_ns = frame->time_ns;
	}
	l->report(l->user, f);
}

/* Rules that hold for IPv4, IPv6 and GRH alike name the layer "ip". */
static const char *layer_of(const struct ibw_packet *pkt, enum lint_rule_id rule)
{
	const char *layer = lint_rules[rule].layer;

	if (strcmp(layer, "ip") == 0 && pkt->net != IBW_NO_SPAN)
		return ibw_headers[pkt->span[pkt->net].layer].name;
	return layer;
}

void lint_found(const struct lint_packet *p, enum lint_rule_id rule, uint32_t offset,
		uint32_t length, const char *format, ...)
{
	struct lint_finding f = { .rule = rule, .offset = offset, .length = length };
	struct lint_flow flow;
	va_list args;

	if (!lint_on(p->lint, rule))
		return;
	if (lint_flow_of(p->pkt, &flow))
		f.flow = &flow;
	f.layer = layer_of(p->pkt, rule);
	va_start(args, format);
	emit(p->lint, &f, p->frame, format, args);
	va_end(args);
}

void lint_file_finding(struct lint *l, enum lint_rule_id rule, const struct lint_frame *frame,
		       const char *format, ...)
{
	struct lint_finding f = { .rule = rule, .layer = lint_rules[rule].layer };
	va_list args;

	if (!lint_on(l, rule))
		return;
	va_start(args, format);
	emit(l, &f, frame, format, args);
	va_end(args);
}

void lint_packet(struct lint *l, const struct lint_frame *frame, const struct ibw_packet *pkt)
{
	struct lint_packet p = { l, frame, pkt, ibw_packet_icrc(pkt) };

	l->icrc = p.icrc;
	lint_cap(&p);
	if (pkt->lrh != IBW_NO_SPAN)
		lint_lrh(&p);
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
	if (p.icrc.status == IBW_CRC_BAD || pkt->vcrc_off || pkt->outcome == IBW_MALFORMED)
		lint_crc(&p);
}

void lint_finish(struct lint *l)
{
	lint_cap_finish(l, l->cap);
	lint_roc_finish(l, l->roc);
}
