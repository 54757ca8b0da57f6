/* SPDX-License-Identifier: GPL-2.0-or-later */
/* icrc.c - matches packets with a wrong ICRC with the right packets they were made from. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "icrc.h"
#include "rewritten.h"
#include "track/base/flow.h"
#include "track/base/table.h"

/* Enough for GRH and BTH, or for IPv4, UDP, BTH and RETH; of a short packet IPv4, UDP and BTH. */
#define HEAD_BYTES 64
#define HEAD_SHORT 40

/* Packets remembered: right ones by ICRC, wrong ones by PSN, for they wait for what is sent again. */
#define GOOD 128
#define BAD 64

/* So many packets with the PSN of a wrong one are compared with it. */
#define TRIES 8

/* The beginning of what the ICRC covers of a packet. */
struct head {
	uint64_t frame;    /* 0: none */
	uint32_t icrc;     /* as it was sent */
	uint32_t computed; /* as it should be */
	uint32_t len;      /* of all it covers */
	uint32_t psn;
	uint8_t n;     /* bytes of b */
	uint8_t kind;  /* enum ibw_icrc_kind */
	uint8_t tries; /* that are left */
	uint8_t b[HEAD_BYTES];
};

struct track_icrcs {
	struct track_events *events;
	bool any; /* wrong one so far: before it nothing is kept, so that most captures pay nothing */
	struct track_table *constant;      /* struct track_flow -> uint64_t: packets */
	struct track_rewritten *rewritten; /* NULL: there was no wrong one that is neither */
	struct head good[GOOD], bad[BAD];
};

struct track_icrcs *track_icrcs_new(struct track_events *events)
{
	struct track_icrcs *t = g_new0(struct track_icrcs, 1);

	t->events = events;
	return t;
}

void track_icrcs_free(struct track_icrcs *t)
{
	if (!t)
		return;
	track_rewritten_free(t->rewritten);
	track_table_free(t->constant);
	g_free(t);
}

/* The packet is whole: its ICRC is right or wrong, not cut. */
static inline void keep(struct head *h, const struct track_view *view, const struct track_at *at)
{
	const uint8_t *p = track_covered(&view->pkt);

	h->frame = at->frame;
	h->icrc = view->icrc.found;
	h->computed = view->icrc.computed;
	h->len = track_covered_bytes(&view->pkt);
	h->psn = ibw_bth_psn(IBW_KNOWN(&view->pkt, bth));
	h->kind = view->pkt.icrc_kind;
	h->tries = TRIES;
	h->n = h->len >= HEAD_BYTES ? HEAD_BYTES : h->len >= HEAD_SHORT ? HEAD_SHORT : 0;
	if (h->n == HEAD_BYTES)
		memcpy(h->b, p, HEAD_BYTES);
	else if (h->n)
		memcpy(h->b, p, HEAD_SHORT);
}

/* Fields */

static bool bit_of(const uint8_t *p, uint32_t bit)
{
	return p[bit / 8] >> (7 - bit % 8) & 1;
}

/* The same @n bits from @at on in both. */
static bool same_bits(const uint8_t *p, const uint8_t *q, uint32_t at, uint32_t n)
{
	uint32_t i;

	for (i = at; i < at + n && bit_of(p, i) == bit_of(q, i); i++)
		;
	return i == at + n;
}

static void copy_bits(uint8_t *to, const uint8_t *from, uint32_t at, uint32_t n)
{
	uint32_t i;

	for (i = at; i < at + n; i++)
		if (bit_of(to, i) != bit_of(from, i))
			to[i / 8] ^= (uint8_t)(0x80 >> i % 8);
}

/* A field of a packet: bits from the first byte that the ICRC covers on. */
struct place {
	uint32_t at, bits;
	uint16_t layer;
	uint8_t field; /* a row of it */
};

/* The 64 bits of it from the first byte on that differs; all of it, if it has no more. */
static uint64_t value(const uint8_t *p, const uint8_t *other, const struct place *f)
{
	uint32_t from = f->at, i;
	uint64_t v = 0;

	while (f->at + f->bits - from > 64 && same_bits(p, other, from, 8))
		from += 8;
	for (i = from; i < f->at + f->bits && i < from + 64; i++)
		v = v << 1 | bit_of(p, i);
	return v;
}

/* A packet as it is compared: what the ICRC covers, in a copy. */
struct covered {
	uint8_t *b;
	uint32_t n;
	enum ibw_icrc_kind kind;
};

/*
 * Sent again, a packet has another IP ID. If with the ID of @h it has the ICRC that @h has, they were
 * the same when they were sent.
 */
static bool was_same(const struct covered *c, const struct head *h, uint32_t icrc)
{
	if (h->icrc == icrc)
		return true;
	if (c->kind != IBW_ICRC_ROCE_V2_IPV4)
		return false;
	copy_bits(c->b, h->b, ibw_ipv4_id_AT, 16);
	return ibw_icrc(c->kind, c->b, c->n) == h->icrc;
}

/* Whether the packet, with that field as in @h, has the ICRC that is right for @h. */
static bool explains(const struct covered *c, const struct head *h, const struct place *f)
{
	uint8_t was[HEAD_BYTES];
	bool so;

	memcpy(was, c->b, h->n);
	copy_bits(c->b, h->b, f->at, f->bits);
	so = ibw_icrc(c->kind, c->b, c->n) == h->computed;
	memcpy(c->b, was, h->n);
	return so;
}

/* The field of header @span, so many bits into @c, that alone makes the difference. */
static bool find_in(const struct covered *c, const struct head *h, const struct ibw_span *span,
		    uint32_t from, struct place *found)
{
	const struct ibw_field *rows = ibw_headers[span->layer].fields, *f;

	for (f = rows; f->name; f++) {
		*found = (struct place){ from + f->at, (uint32_t)f->bits * f->count, span->layer,
					 (uint8_t)(f - rows) };
		if (found->at + found->bits > h->n * 8u)
			return false;
		if (!same_bits(c->b, h->b, found->at, found->bits) && explains(c, h, found))
			return true;
	}
	return false;
}

static bool find_field(const struct ibw_packet *pkt, const struct covered *c, const struct head *h,
		       struct place *found)
{
	const struct ibw_span *span;
	unsigned int i;

	for (i = 0; i < pkt->n_spans; i++) {
		span = &pkt->span[i];
		if (span->off >= pkt->cover_off &&
		    find_in(c, h, span, (span->off - pkt->cover_off) * 8, found))
			return true;
	}
	return false;
}

/* Packets */

static void tell_twin(struct track_icrcs *t, const struct track_view *view,
		      const struct track_at *at, const struct head *h, const struct place *f,
		      const uint8_t *here)
{
	struct track_event *e = track_event_add(t->events, TRACK_EVENT_ICRC_TWIN, at);

	if (!e)
		return;
	track_flow_of(&view->pkt, &e->flow);
	track_event_cause(e, h->frame);
	e->number[TRACK_ICRC_TWIN_field] = (uint64_t)f->layer << 8 | f->field;
	e->number[TRACK_ICRC_TWIN_here] = value(here, h->b, f);
	e->number[TRACK_ICRC_TWIN_there] = value(h->b, here, f);
	e->number[TRACK_ICRC_TWIN_wrong] = view->icrc.status == IBW_CRC_BAD;
}

/* Whether the packet and @h, of which one has the right ICRC, were one when they were sent. */
static bool is_twin(struct track_icrcs *t, const struct track_view *view, const struct track_at *at,
		    const struct head *h)
{
	const struct ibw_packet *pkt = &view->pkt;
	struct covered c = { .n = track_covered_bytes(pkt),
			     .kind = (enum ibw_icrc_kind)pkt->icrc_kind };
	struct place f;
	bool so;

	if (!h->frame || !h->n || h->kind != pkt->icrc_kind || h->len != c.n)
		return false;
	c.b = g_memdup2(pkt->data + pkt->cover_off, c.n);
	so = was_same(&c, h, view->icrc.found) && find_field(pkt, &c, h, &f);
	if (so)
		tell_twin(t, view, at, h, &f, c.b);
	g_free(c.b);
	return so;
}

/* Left to hardware that does not make it. */
static void count_constant(struct track_icrcs *t, const struct track_view *view,
			   const struct track_at *at)
{
	struct track_event *e;
	struct track_flow flow;
	uint64_t *n;

	if (!track_flow_of(&view->pkt, &flow))
		return;
	if (!t->constant)
		t->constant = track_table_new(sizeof(flow), sizeof(*n), TRACK_ICRC_FLOWS);
	n = track_table_need(t->constant, &flow);
	if (++*n != TRACK_ICRC_MANY)
		return;
	e = track_event_add(t->events, TRACK_EVENT_ICRC_CONSTANT, at);
	if (!e)
		return;
	e->flow = flow;
	e->number[TRACK_ICRC_CONSTANT_icrc] = view->icrc.found;
}

static __attribute__((cold)) void wrong(struct track_icrcs *t, const struct track_view *view,
					const struct track_at *at)
{
	const struct head *h = &t->good[view->icrc.found % GOOD];
	uint32_t psn = ibw_bth_psn(IBW_KNOWN(&view->pkt, bth));

	t->any = true;
	if (view->icrc.found == 0 || view->icrc.found == UINT32_MAX) {
		count_constant(t, view, at);
		return;
	}
	if (!t->rewritten)
		t->rewritten = track_rewritten_new(t->events);
	track_rewritten_feed(t->rewritten, view, at);
	if (h->icrc != view->icrc.found || !is_twin(t, view, at, h))
		keep(&t->bad[psn % BAD], view, at);
}

/* A right packet with the PSN of a wrong one, which it may be, sent again. */
static __attribute__((cold)) void right_after(struct track_icrcs *t, const struct track_view *view,
					      const struct track_at *at, struct head *h)
{
	if (is_twin(t, view, at, h) || !--h->tries)
		h->frame = 0;
}

void track_icrcs_feed(struct track_icrcs *t, const struct track_view *view,
		      const struct track_at *at)
{
	struct head *h, *bad;

	if (view->icrc.status == IBW_CRC_BAD) {
		wrong(t, view, at);
	} else if (t->any && view->icrc.status == IBW_CRC_GOOD) {
		h = &t->good[view->icrc.found % GOOD];
		keep(h, view, at);
		bad = &t->bad[h->psn % BAD];
		if (bad->frame && bad->psn == h->psn)
			right_after(t, view, at, bad);
	}
}

bool track_icrcs_wants_right(const struct track_icrcs *t)
{
	return t->any;
}

struct track_icrc_run track_icrcs_run_of(const struct track_icrcs *t, uint64_t frame)
{
	return track_rewritten_run_of(t->rewritten, frame);
}

bool track_icrcs_finish(struct track_icrcs *t)
{
	return !t->rewritten || track_rewritten_finish(t->rewritten);
}
