/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rewritten.c - computes the value of a field when the wrong ICRCs of a flow were computed. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "rewritten.h"
#include "track/base/flow.h"
#include "track/base/table.h"

/* LRH, GRH and BTH; IPv6, UDP and BTH. */
#define HEAD_BYTES 60
#define WORDS (HEAD_BYTES / 2)

/* Lengths that are told apart. */
#define LENGTHS 3

/* The headers that each packet of a kind has, if it has no IP options. */
struct layout {
	uint16_t layer[3]; /* enum ibw_layer */
	uint8_t n, bytes;
};

static const struct layout layouts[IBW_ICRC_KINDS] = {
	[IBW_ICRC_IB_LOCAL] = { { IBW_LAYER_lrh, IBW_LAYER_bth },
				2,
				ibw_lrh_BYTES + ibw_bth_BYTES },
	[IBW_ICRC_IB_GLOBAL] = { { IBW_LAYER_lrh, IBW_LAYER_grh, IBW_LAYER_bth },
				 3,
				 ibw_lrh_BYTES + ibw_grh_BYTES + ibw_bth_BYTES },
	[IBW_ICRC_ROCE_V1] = { { IBW_LAYER_grh, IBW_LAYER_bth }, 2, ibw_grh_BYTES + ibw_bth_BYTES },
	[IBW_ICRC_ROCE_V2_IPV4] = { { IBW_LAYER_ipv4, IBW_LAYER_udp, IBW_LAYER_bth },
				    3,
				    ibw_ipv4_BYTES + ibw_udp_BYTES + ibw_bth_BYTES },
	[IBW_ICRC_ROCE_V2_IPV6] = { { IBW_LAYER_ipv6, IBW_LAYER_udp, IBW_LAYER_bth },
				    3,
				    ibw_ipv6_BYTES + ibw_udp_BYTES + ibw_bth_BYTES },
};

/* What the wrong ICRC of one packet says. */
struct solution {
	uint32_t state;      /* the difference taken back to the end of the BTH */
	uint32_t words;      /* bits: those that alone make the ICRC right */
	uint32_t flipped;    /* those of them with one bit to change */
	uint16_t was[WORDS]; /* and what they were then */
};

/* Packets of a flow, one after the other but for right ones, that agree. */
struct run {
	struct track_at at; /* that showed it */
	uint64_t frames[TRACK_REWRITTEN_MANY - 1];
	uint32_t packets;
	uint32_t others; /* later ones, which it does not explain */
	uint32_t computed, found;
	uint32_t state; /* of the first */
	uint32_t length[LENGTHS];
	uint32_t words, flipped;
	uint16_t was[WORDS];
	uint8_t lengths;
	uint8_t kind;             /* enum ibw_icrc_kind */
	bool same_state;          /* in all of them */
	bool unexplained;         /* by the usual mistakes, and by one bit */
	uint8_t head[HEAD_BYTES]; /* of the first */
};

struct track_rewritten {
	struct track_events *events;
	struct track_table *runs; /* struct track_flow -> struct run */
	struct track_icrc_run last;
	uint64_t last_frame; /* of which that is */
};

struct track_rewritten *track_rewritten_new(struct track_events *events)
{
	struct track_rewritten *t = g_new0(struct track_rewritten, 1);

	t->events = events;
	t->runs = track_table_new(sizeof(struct track_flow), sizeof(struct run),
				  TRACK_REWRITTEN_FLOWS);
	return t;
}

void track_rewritten_free(struct track_rewritten *t)
{
	if (!t)
		return;
	track_table_free(t->runs);
	g_free(t);
}

/* The two bytes to change at a place that @state was taken back to. */
static uint16_t change_of(uint32_t state)
{
	return (uint16_t)(state << 8 | state >> 8);
}

static bool is_one_bit(uint32_t v)
{
	return v && !(v & (v - 1));
}

static void solve(struct solution *s, const struct track_view *view, const struct layout *layout)
{
	uint32_t state = view->icrc.found ^ view->icrc.computed, word = layout->bytes / 2u;

	state = ibw_crc32_back(state, track_covered_bytes(&view->pkt) - layout->bytes);
	*s = (struct solution){ .state = state };
	while (word-- > 0) {
		state = ibw_crc32_back(state, 2);
		if (state > UINT16_MAX)
			continue;
		s->words |= 1u << word;
		s->flipped |= is_one_bit(state) ? 1u << word : 0;
		s->was[word] = ibw_get_be16(track_covered(&view->pkt) + 2 * (size_t)word) ^
			       change_of(state);
	}
}

/* Of @words those that were the same in @r and @s. */
static uint32_t agreed(const struct run *r, const struct solution *s)
{
	uint32_t words = r->words & s->words, i;

	for (i = 0; i < WORDS; i++)
		if (r->was[i] != s->was[i])
			words &= ~(1u << i);
	return words;
}

/* Whether the headers are what was changed: packets of several lengths say so. */
static bool is_proven(const struct run *r)
{
	return r->packets >= TRACK_REWRITTEN_MANY &&
	       ((r->words && r->lengths > 1) || (r->same_state && r->lengths == LENGTHS));
}

/* Events */

/* The headers of the first packet with the bytes from @at on as they were. */
static bool is_right_with(const struct run *r, uint32_t at, const uint8_t *was, uint32_t n)
{
	const struct layout *layout = &layouts[r->kind];
	const enum ibw_icrc_kind kind = (enum ibw_icrc_kind)r->kind;
	uint8_t head[HEAD_BYTES];

	memcpy(head, r->head, sizeof(head));
	memcpy(head + at, was, n);
	return (ibw_icrc(kind, head, layout->bytes) ^ ibw_icrc(kind, r->head, layout->bytes)) ==
	       r->state;
}

/* A field and its value before and after; of a long one the 64 bits from the change on. */
struct change {
	uint16_t layer;
	uint8_t field; /* a row of it */
	uint64_t was, is;
};

static void read_change(struct change *c, const uint8_t *was, const uint8_t *is, uint32_t at,
			uint32_t bits)
{
	uint32_t from = at;

	if (bits > 64) {
		while (from + 64 < at + bits && was[from / 8] == is[from / 8])
			from += 8;
		bits = 64;
	}
	c->was = ibw_bits_get(was, from, bits);
	c->is = ibw_bits_get(is, from, bits);
}

/* All bits but those of the field are the same. */
static bool is_within(const uint8_t *was, const uint8_t *is, uint32_t word, uint32_t at,
		      uint32_t bits)
{
	uint32_t i;

	for (i = word * 16; i < word * 16 + 16; i++)
		if (((was[i / 8] ^ is[i / 8]) & 0x80 >> i % 8) && (i < at || i >= at + bits))
			return false;
	return true;
}

/* Whose value all packets of the flow have: of a longer one the word does not say it. */
static bool is_one_value(uint16_t layer, const struct ibw_field *f)
{
	return f->bits * f->count <= 16 || layer != IBW_LAYER_bth || f->at == ibw_bth_dqpn_AT;
}

static bool find_field(const struct run *r, uint32_t word, struct change *c)
{
	const struct layout *layout = &layouts[r->kind];
	uint8_t was[HEAD_BYTES];
	const struct ibw_field *f;
	uint32_t i, from = 0, bits;

	memcpy(was, r->head, sizeof(was));
	ibw_put_be16(was + 2 * (size_t)word, r->was[word]);
	for (i = 0; i < layout->n; i++) {
		for (f = ibw_headers[layout->layer[i]].fields; f->name; f++) {
			bits = (uint32_t)f->bits * f->count;
			if (!is_one_value(layout->layer[i], f) ||
			    !is_within(was, r->head, word, from + f->at, bits))
				continue;
			c->layer = layout->layer[i];
			c->field = (uint8_t)(f - ibw_headers[c->layer].fields);
			read_change(c, was, r->head, from + f->at, bits);
			return true;
		}
		from += ibw_headers[layout->layer[i]].bytes * 8u;
	}
	return false;
}

static struct track_event *new_event(struct track_rewritten *t, const struct run *r,
				     enum track_event_kind kind)
{
	const struct track_at at = { r->at.frame, r->at.time_ns, 0 };
	struct track_event *e = track_event_add(t->events, kind, &at);
	unsigned int i;

	if (!e)
		return NULL;
	memcpy(&e->flow, track_table_key(t->runs, r), sizeof(e->flow));
	for (i = 0; i < G_N_ELEMENTS(r->frames); i++)
		track_event_cause(e, r->frames[i]);
	return e;
}

static void tell_field(struct track_rewritten *t, const struct run *r, const struct change *c)
{
	struct track_event *e = new_event(t, r, TRACK_EVENT_ICRC_REWRITTEN);

	if (!e)
		return;
	e->number[TRACK_ICRC_REWRITTEN_field] = (uint64_t)c->layer << 8 | c->field;
	e->number[TRACK_ICRC_REWRITTEN_was] = c->was;
	e->number[TRACK_ICRC_REWRITTEN_is] = c->is;
	e->number[TRACK_ICRC_REWRITTEN_packets] = r->packets;
	e->number[TRACK_ICRC_REWRITTEN_others] = r->others;
	e->number[TRACK_ICRC_REWRITTEN_lengths] = r->lengths;
	e->number[TRACK_ICRC_REWRITTEN_first] = r->frames[0];
}

/* What the 4 bytes at @at were, if they are what was changed. */
static uint32_t four_bytes(const struct run *r, uint32_t at)
{
	uint32_t change = ibw_crc32_back(r->state, layouts[r->kind].bytes - at);

	return ibw_get_be32(r->head + at) ^ __builtin_bswap32(change);
}

/* One of the two addresses: one word of 32 bits always makes it right, so which of them cannot be told. */
static void tell_address(struct track_rewritten *t, const struct run *r)
{
	struct track_event *e = new_event(t, r, TRACK_EVENT_ICRC_ADDRESS);

	if (!e)
		return;
	e->number[TRACK_ICRC_ADDRESS_src] = four_bytes(r, ibw_ipv4_src_AT / 8);
	e->number[TRACK_ICRC_ADDRESS_dst] = four_bytes(r, ibw_ipv4_dst_AT / 8);
	e->number[TRACK_ICRC_ADDRESS_packets] = r->packets;
	e->number[TRACK_ICRC_ADDRESS_others] = r->others;
}

/* The word that was changed; what the ICRC takes as ones is none. */
static bool find_change(const struct run *r, struct change *c)
{
	uint32_t word;
	uint8_t was[2];

	for (word = 0; word < WORDS; word++) {
		if (!(r->words & ~r->flipped & 1u << word))
			continue;
		ibw_put_be16(was, r->was[word]);
		if (is_right_with(r, 2 * word, was, 2) && find_field(r, word, c))
			return true;
	}
	return false;
}

/* No more packets of it will be seen. */
static void end_run(struct track_rewritten *t, struct run *r)
{
	struct change c;

	if (r->packets >= TRACK_REWRITTEN_MANY) {
		if (find_change(r, &c))
			tell_field(t, r, &c);
		else if (!r->words && is_proven(r) && r->unexplained &&
			 r->kind == IBW_ICRC_ROCE_V2_IPV4)
			tell_address(t, r);
	}
	track_table_remove(t->runs, r);
}

/* Packets */

static void add_length(struct run *r, uint32_t length)
{
	unsigned int i;

	for (i = 0; i < r->lengths; i++)
		if (r->length[i] == length)
			return;
	if (r->lengths < LENGTHS)
		r->length[r->lengths++] = length;
}

/* The packet of @at, whose headers explain its ICRC by one word or not, is of @r. */
static void note_last(struct track_rewritten *t, const struct run *r, uint32_t words,
		      const struct track_at *at)
{
	t->last_frame = at->frame;
	t->last.first_frame = words ? r->frames[0] : 0;
}

static void begin_run(struct run *r, const struct track_view *view, const struct solution *s)
{
	*r = (struct run){ .state = s->state,
			   .same_state = true,
			   .words = s->words,
			   .flipped = s->flipped,
			   .kind = view->pkt.icrc_kind };
	memcpy(r->was, s->was, sizeof(r->was));
	memcpy(r->head, track_covered(&view->pkt), layouts[r->kind].bytes);
}

/* Whether the sender made none of the usual mistakes, and no bit flipped: asked once a run. */
static bool is_unexplained(const struct track_view *view)
{
	const struct ibw_packet *pkt = &view->pkt;

	return ibw_icrc_explain((enum ibw_icrc_kind)pkt->icrc_kind, track_covered(pkt),
				track_covered_bytes(pkt), view->icrc.found)
		       .cause == IBW_ICRC_WHY_UNKNOWN;
}

/* The packet is one more of the run. */
static void join_run(struct run *r, const struct track_view *view, const struct track_at *at)
{
	uint8_t lengths = r->lengths;

	add_length(r, track_covered_bytes(&view->pkt));
	if (r->packets < G_N_ELEMENTS(r->frames))
		r->frames[r->packets] = at->frame;
	r->packets++;
	if (r->packets <= TRACK_REWRITTEN_MANY || r->lengths != lengths)
		r->at = *at;
	if (r->lengths == LENGTHS && lengths != LENGTHS && !r->words)
		r->unexplained = is_unexplained(view);
}

static struct run *run_of(struct track_rewritten *t, const struct track_flow *flow)
{
	struct run *r = track_table_get(t->runs, flow);

	if (r)
		return r;
	if (track_table_full(t->runs))
		end_run(t, track_table_oldest(t->runs));
	return track_table_add(t->runs, flow);
}

static bool is_usual(const struct ibw_packet *pkt)
{
	const uint8_t bytes = layouts[pkt->icrc_kind].bytes;

	return bytes && pkt->span[pkt->bth].off + ibw_bth_BYTES == pkt->cover_off + bytes &&
	       track_covered_bytes(pkt) >= bytes;
}

void track_rewritten_feed(struct track_rewritten *t, const struct track_view *view,
			  const struct track_at *at)
{
	const struct ibw_packet *pkt = &view->pkt;
	struct track_flow flow;
	struct solution s;
	struct run *r;
	uint32_t words;
	bool same;

	if (!is_usual(pkt) || !track_flow_of(pkt, &flow))
		return;
	r = run_of(t, &flow);
	solve(&s, view, &layouts[pkt->icrc_kind]);
	t->last.ended = 0;
	if (r->packets && r->found == view->icrc.found && r->computed == view->icrc.computed) {
		note_last(t, r, s.words, at);
		return; /* a copy of the last one, which proves nothing */
	}
	words = r->kind == pkt->icrc_kind ? agreed(r, &s) : 0;
	same = r->kind == pkt->icrc_kind && r->same_state && r->state == s.state;
	if (r->packets && is_proven(r) && (r->words ? !words : !same)) {
		r->others++;
		return;
	}
	if (!r->packets || (!words && !same)) {
		t->last.ended = r->packets ? r->frames[0] : 0;
		begin_run(r, view, &s);
	} else {
		r->words = words;
		r->flipped &= s.flipped;
		r->same_state = same;
	}
	r->found = view->icrc.found;
	r->computed = view->icrc.computed;
	join_run(r, view, at);
	note_last(t, r, s.words, at);
}

struct track_icrc_run track_rewritten_run_of(const struct track_rewritten *t, uint64_t frame)
{
	const struct track_icrc_run none = { 0 };

	return t && t->last_frame == frame ? t->last : none;
}

bool track_rewritten_finish(struct track_rewritten *t)
{
	struct run *r;

	while ((r = track_table_oldest(t->runs))) {
		if (!track_events_room(t->events))
			return false;
		end_run(t, r);
	}
	return true;
}
