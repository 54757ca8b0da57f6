/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * walk.c - any bytes, any link type: walk, decode, print, all rules.
 *
 * Input: the link type (pick.h), a byte that says how much of the packet the capture has
 * lost, then the captured bytes.
 */
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/json.h>
#include <ibwire/mad_walk.h>
#include <ibwire/packet.h>
#include <ibwire/print.h>

#include "fuzz.h"
#include "lint/lint.h"
#include "pick.h"

#define HEAD 3
#define MAD_SPANS 64

/* All that is printed of one header; a buffer too small for it on every other call. */
static void print_span(const struct ibw_span *span, const uint8_t *data)
{
	static char text[16384];
	const struct ibw_header *h = &ibw_headers[span->layer];
	const struct ibw_field *f;
	struct ibw_out o = ibw_out_open(text, span->off % 2 ? sizeof(text) : 40);

	ibw_json_fields(&o, h, data + span->off);
	ibw_out_close(&o);
	for (f = h->fields; f->name; f++) {
		o = ibw_out_open(text, sizeof(text));
		if (ibw_field_shown(f, data + span->off))
			ibw_print_value(&o, f, data + span->off);
		ibw_out_close(&o);
		FUZZ_CHECK(!o.cut);
	}
}

/* Spans lie inside what was captured, and hold the fixed part of their header. */
static void check_spans(const struct ibw_span *span, unsigned int n, const uint8_t *data,
			uint32_t caplen)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		FUZZ_CHECK(span[i].layer < IBW_LAYER_COUNT);
		FUZZ_CHECK(span[i].off <= caplen && span[i].len <= caplen - span[i].off);
		FUZZ_CHECK(span[i].len >= ibw_headers[span[i].layer].bytes);
		print_span(&span[i], data);
	}
}

static void check_packet(const struct ibw_packet *pkt)
{
	uint32_t i;

	check_spans(pkt->span, pkt->n_spans, pkt->data, pkt->caplen);
	for (i = 1; i < pkt->n_spans; i++)
		FUZZ_CHECK(pkt->span[i].off >= pkt->span[i - 1].off + pkt->span[i - 1].len);
	if (pkt->icrc_off) {
		FUZZ_CHECK(pkt->payload_off + pkt->payload_len + pkt->pad_len == pkt->icrc_off);
		FUZZ_CHECK(pkt->cover_off < pkt->icrc_off);
	}
	if (pkt->outcome == IBW_MALFORMED || pkt->outcome == IBW_CUT)
		FUZZ_CHECK(pkt->error.layer < IBW_LAYER_COUNT);
}

static void walk_mad(const struct ibw_packet *pkt)
{
	struct ibw_span span[MAD_SPANS];
	struct ibw_mad_walked mad;
	uint32_t n;

	if (pkt->payload_off >= pkt->caplen)
		return;
	n = pkt->caplen - pkt->payload_off;
	if (n > pkt->payload_len)
		n = pkt->payload_len;
	ibw_mad_walk(&mad, pkt->data + pkt->payload_off, n, pkt->payload_len, span,
		     pkt->opcode % 2 ? MAD_SPANS : 3);
	check_spans(span, mad.n_spans, pkt->data + pkt->payload_off, n);
}

static void take_finding(void *user, const struct lint_finding *f)
{
	FUZZ_CHECK(f->rule < LINT_RULE_COUNT && f->message && !strchr(f->message, '\n'));
	++*(unsigned int *)user;
}

static void take_events(struct track *track)
{
	const struct track_event *e;
	unsigned int n, i;

	e = track_events(track, &n);
	FUZZ_CHECK(!track_events_lost(track));
	for (i = 0; i < n; i++)
		FUZZ_CHECK(e[i].kind < TRACK_EVENT_COUNT && e[i].n_frames <= TRACK_EVENT_FRAMES);
}

static void lint(const uint8_t *data, uint32_t caplen, uint32_t len, uint32_t linktype)
{
	static struct lint_options all;
	static struct lint *linter;
	static struct track *track;
	static unsigned int findings;
	struct track_frame frame = { 1, 1000, 0 };
	const struct track_context *context;
	struct track_view view;

	if (!linter) {
		memset(all.rules, true, sizeof(all.rules));
		track = track_new();
		track_want_connections(track);
		track_want_senders(track);
		track_want_events(track);
		all.track = all.names = track;
		linter = lint_new(&all,
				  &(struct lint_sink){ .take = take_finding, .user = &findings });
	}
	track_view_packet(&view, data, caplen, len, linktype, NULL);
	context = track_feed(track, &view, &frame);
	lint_packet(linter, &frame, &view, context);
	take_events(track);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibw_packet pkt, ip;
	uint32_t linktype, caplen, len;

	if (size < HEAD || size > 65536)
		return 0;
	linktype = pick_linktype(data);
	caplen = (uint32_t)size - HEAD;
	len = caplen + data[2];
	data += HEAD;
	ibw_packet_walk(&pkt, data, caplen, len, linktype, NULL);
	check_packet(&pkt);
	ibw_packet_vcrc(&pkt);
	if (ibw_packet_is_ipoib(&pkt)) {
		ibw_packet_walk_ipoib(&ip, &pkt);
		check_spans(ip.span, ip.n_spans, ip.data, ip.caplen);
	}
	if (pkt.bth != IBW_NO_SPAN)
		walk_mad(&pkt);
	lint(data, caplen, len, linktype);
	return 0;
}
