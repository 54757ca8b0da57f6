/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cursor.h - taking headers one after the other: the bounds, the spans, the first error.
 *
 * Private to codec/; under the walks of packets (walk.h), MADs (mad.c) and attributes
 * (mad_attr.h). Three ends bound a header: the captured bytes (@cap), all there were, and
 * the innermost length a protocol field has given so far (@end). All are offsets from @p,
 * and off <= limit <= cap always holds, so each check is one comparison on what is left.
 */
#ifndef IBWIRE_CODEC_CURSOR_H
#define IBWIRE_CODEC_CURSOR_H

#include <ibwire/packet.h>

struct cursor {
	const uint8_t *p;      /* the captured bytes */
	uint32_t off;          /* the next of them */
	uint32_t cap;          /* how many there are */
	uint32_t end;          /* where the innermost length says they end */
	uint32_t limit;        /* min(cap, end) */
	struct ibw_span *span; /* where spans go */
	uint32_t room;         /* for so many */
	uint32_t n_spans;      /* those beyond room are counted, not written */
	uint16_t end_by; /* enum ibw_layer that said @end; IBW_LAYER_COUNT: the capture file */
	uint8_t outcome; /* enum ibw_outcome */
	struct ibw_error *error; /* of outcome CUT and MALFORMED */
};

static inline void cursor_end(struct cursor *c, uint32_t end, uint16_t said_by)
{
	c->end = end;
	c->limit = end < c->cap ? end : c->cap;
	c->end_by = said_by;
}

/* Records what is wrong with @layer, which starts at @off; the first error stays. */
static inline void cursor_error(struct cursor *c, uint32_t off, enum ibw_outcome outcome,
				uint16_t layer, const char *field, uint32_t needed, uint32_t had)
{
	if (c->outcome != IBW_OK)
		return;
	c->outcome = (uint8_t)outcome;
	c->error->layer = layer;
	c->error->said_by = outcome == IBW_CUT ? (uint16_t)IBW_LAYER_COUNT : c->end_by;
	c->error->field = field;
	c->error->off = off;
	c->error->needed = needed;
	c->error->had = had;
}

/* Records that @n bytes for @layer are not there at @off: does the capture end, or what it is of? */
static inline void cursor_short(struct cursor *c, uint32_t off, uint16_t layer, uint32_t n)
{
	uint32_t left = off < c->end ? c->end - off : 0;

	if (n > left)
		cursor_error(c, off, IBW_MALFORMED, layer, NULL, n, left);
	else
		cursor_error(c, off, IBW_CUT, layer, NULL, n, off < c->cap ? c->cap - off : 0);
}

static inline uint32_t cursor_left(const struct cursor *c)
{
	return c->limit - c->off;
}

/* Adds a span of @n bytes, known to be left, and steps over it. Returns its index. */
static inline uint32_t cursor_span(struct cursor *c, uint16_t layer, uint32_t n)
{
	uint32_t i = c->n_spans++;

	if (i < c->room) {
		struct ibw_span span = { layer, (uint16_t)n, c->off };

		c->span[i] = span;
	}
	c->off += n;
	return i;
}

#endif /* IBWIRE_CODEC_CURSOR_H */
