/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * found.c - findings in a packet: the header that each names, and whether it waits until more is known of its frame.
 */
#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "found.h"
#include "wait.h"
#include "lint/base/lint_impl.h"

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

	if (!p->mad || !p->mad->records.source.n_frames)
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

/* What is said of it: @number is what @of records it is about, 0: of none. */
struct words {
	uint32_t number, of;
	const char *format;
};

static void say(const struct words *w, va_list args, char message[LINT_MESSAGE_MAX])
{
	int n = 0;

	if (w->number)
		n = snprintf(message, LINT_MESSAGE_MAX, "record %u of %u: ", w->number, w->of);
	lint_say(message + n, LINT_MESSAGE_MAX - (size_t)n, w->format, args);
}

static void found(const struct lint_packet *p, struct lint_finding f, const struct words *w,
		  va_list args)
{
	bool rewritten, waits;
	char message[LINT_MESSAGE_MAX];
	struct track_flow flow;

	p->lint->said[f.rule] = p->frame->number;
	if (!lint_on(p->lint, f.rule) || lint_trim_explains(p, f.rule))
		return;
	rewritten = lint_rewritten_keeps(p, f.rule);
	waits = rewritten || lint_slice_keeps(p, f.rule);
	f.frame = p->frame->number;
	f.time_ns = p->frame->time_ns;
	if (track_flow_of(p->pkt, &flow))
		f.flow = &flow;
	if (p->pkt->bth != IBW_NO_SPAN)
		f.psn = ibw_bth_psn(IBW_KNOWN(p->pkt, bth));
	if (!waits && !lint_is_wanted(p->lint, &f))
		return;
	f.layer = layer_of(p, &f);
	f.connection = lint_connection_of_flow(p->lint, f.flow);
	f.related = p->related;
	f.n_related = p->n_related;
	say(w, args, message);
	if (rewritten)
		lint_rewritten_keep(p, &f, message);
	else if (waits)
		lint_slice_keep(p, &f, message);
	else
		lint_hand_over(p->lint, &f, message);
}

void lint_found(const struct lint_packet *p, enum lint_rule_id rule, uint32_t offset,
		uint32_t length, const char *format, ...)
{
	const struct words w = { .format = format };
	va_list args;

	va_start(args, format);
	found(p, lint_finding_at(rule, 0, offset, length), &w, args);
	va_end(args);
}

void lint_found_doubt(const struct lint_packet *p, enum lint_rule_id rule, uint16_t doubt,
		      uint32_t offset, uint32_t length, const char *format, ...)
{
	const struct words w = { .format = format };
	va_list args;

	va_start(args, format);
	found(p, lint_finding_at(rule, doubt, offset, length), &w, args);
	va_end(args);
}

void lint_found_in(const struct lint_packet *p, enum lint_rule_id rule,
		   const struct track_source *from, const uint8_t *at, uint32_t n,
		   const char *format, ...)
{
	struct words w = { .format = format };
	struct lint_finding f;
	va_list args;

	if (from && from->n_frames) {
		w.number = (uint32_t)(at - from->p) / p->mad->records.table.stride + 1;
		w.of = p->mad->records.table.n;
		f = lint_finding_at(rule, 0, p->mad->off + p->mad->walked.data_off, 0);
	} else {
		f = lint_finding_at(rule, 0, (uint32_t)(at - p->pkt->data), n);
	}
	va_start(args, format);
	found(p, f, &w, args);
	va_end(args);
}
