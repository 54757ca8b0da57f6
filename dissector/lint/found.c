/* SPDX-License-Identifier: GPL-2.0-or-later */
/* found.c - findings: what a rule says of a packet, on its way to the caller. */
#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "lint_impl.h"

/* Long enough for any message; a longer one is truncated, never written past. */
#define MESSAGE_MAX 512

static void emit(struct lint *l, struct lint_finding *f, const struct track_frame *frame,
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
	struct lint_finding f = {
		.rule = rule, .offset = offset, .length = length, .psn = LINT_NO_PSN
	};

	f.severity = (enum lint_severity)lint_rules[rule].severity;
	return f;
}

/* Headers in a row; offsets from the start of the packet. */
struct headers {
	const struct ibw_span *span;
	uint32_t n, off;
};

/* Those of the packet, then those of its payload. */
static unsigned int headers_of(const struct lint_packet *p, struct headers h[2])
{
	const struct ibw_packet *ipoib = track_view_ipoib(p->view);
	const struct track_mad *m = track_view_mad(p->view);

	h[0] = (struct headers){ p->pkt->span, p->pkt->n_spans, 0 };
	if (m)
		h[1] = (struct headers){ m->span, m->walked.n_spans, m->off };
	else if (ipoib && ipoib != p->pkt)
		h[1] = (struct headers){ ipoib->span, ipoib->n_spans, 0 };
	else
		return 1;
	return 2;
}

/* Whether header @i of @h has the bytes at fault. */
static bool has_bytes(const struct headers *h, unsigned int i, const struct lint_finding *f)
{
	uint32_t start = h->off + h->span[i].off;

	return f->offset >= start && f->offset - start < h->span[i].len &&
	       f->length <= h->span[i].len - (f->offset - start);
}

/* Rules that hold for IPv4, IPv6 and GRH alike name the layer "ip". */
static const char *own_layer(const struct ibw_packet *pkt, enum lint_rule_id rule)
{
	const char *layer = lint_rules[rule].layer;

	if (strcmp(layer, "ip") == 0 && pkt->net != IBW_NO_SPAN)
		return ibw_headers[pkt->span[pkt->net].layer].name;
	return layer;
}

/* Where the walk ended before the packet did; NULL: it did not. */
static const char *error_layer(const struct lint_packet *p)
{
	const struct ibw_packet *ipoib = track_view_ipoib(p->view);
	const struct track_mad *m = track_view_mad(p->view);
	const struct ibw_error *e = &p->pkt->error;
	uint8_t outcome = p->pkt->outcome;

	if (outcome == IBW_OK && m) {
		outcome = m->walked.outcome;
		e = &m->walked.error;
	} else if (outcome == IBW_OK && ipoib) {
		outcome = ipoib->outcome;
		e = &ipoib->error;
	}
	return outcome == IBW_MALFORMED || outcome == IBW_CUT ? ibw_headers[e->layer].name : NULL;
}

/* Whether @layer is one of the records that were reassembled with this packet. */
static bool is_reassembled(const struct lint_packet *p, const char *layer)
{
	const struct ibw_mad_attr_row *attr;
	unsigned int i;

	if (!p->mad || !p->mad->records.reassembled)
		return false;
	attr = p->mad->walked.attr;
	for (i = 0; i < G_N_ELEMENTS(attr->layers); i++)
		if (attr->layers[i] < IBW_LAYER_COUNT &&
		    strcmp(ibw_headers[attr->layers[i]].name, layer) == 0)
			return true;
	return false;
}

/*
 * The header a finding names: its rule's, if that has the bytes at fault, else the innermost
 * that has them. Bytes in no header, or in several, are those of the rule's, if the packet has
 * it; else of the one the walk ended in, of the frame's if they are after its packet, or of the
 * last before them.
 */
static const char *layer_of(const struct lint_packet *p, const struct lint_finding *f)
{
	const char *own = own_layer(p->pkt, f->rule), *inner = NULL, *before = NULL, *name;
	unsigned int n, i, j;
	struct headers h[2];
	bool there = false;

	if (strcmp(own, "file") == 0)
		return own;
	n = headers_of(p, h);
	for (i = 0; i < n; i++) {
		for (j = 0; j < h[i].n; j++) {
			name = ibw_headers[h[i].span[j].layer].name;
			there |= strcmp(name, own) == 0;
			if (h[i].off + h[i].span[j].off <= f->offset)
				before = name;
			if (!f->length || !has_bytes(&h[i], j, f))
				continue;
			if (strcmp(name, own) == 0)
				return own;
			inner = name;
		}
	}
	if (inner)
		return inner;
	if (there || is_reassembled(p, own))
		return own;
	name = error_layer(p);
	if (name)
		return name;
	/* What comes after the packet is the frame's. */
	if (p->pkt->trailer_len && f->offset >= p->pkt->trailer_off)
		return ibw_headers[p->pkt->span[0].layer].name;
	return before ? before : own;
}

static void found(const struct lint_packet *p, struct lint_finding f, const char *format,
		  va_list args)
{
	struct track_flow flow;

	if (!lint_on(p->lint, f.rule))
		return;
	if (track_flow_of(p->pkt, &flow))
		f.flow = &flow;
	if (p->pkt->bth != IBW_NO_SPAN)
		f.psn = ibw_bth_psn(IBW_KNOWN(p->pkt, bth));
	f.related = p->related;
	f.n_related = p->n_related;
	f.layer = layer_of(p, &f);
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

void lint_file_finding(struct lint *l, enum lint_rule_id rule, const struct track_frame *frame,
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
