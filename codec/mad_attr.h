/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mad_attr.h - adding the layers of an attribute one by one. Private to codec/. */
#ifndef IBWIRE_CODEC_MAD_ATTR_H
#define IBWIRE_CODEC_MAD_ATTR_H

#include <ibwire/mad_walk.h>

#include "cursor.h"

/* A cursor over the attribute's bytes; that they end early is no error here. */
struct ibw_attr_walk {
	struct cursor c;
	uint32_t attr_mod;
};

/* A walk over the @n bytes at @p, from @off on. */
static inline struct ibw_attr_walk ibw_attr_walk_of(const uint8_t *p, uint32_t n, uint32_t off,
						    uint32_t attr_mod, struct ibw_span *span,
						    uint32_t room)
{
	struct ibw_attr_walk w = { { .p = p, .off = off, .cap = n, .span = span, .room = room },
				   attr_mod };

	cursor_end(&w.c, n, IBW_LAYER_COUNT);
	return w;
}

/* Adds a span of the layer, whose bytes are known to be there, and steps over it. */
static inline void ibw_attr_add(struct ibw_attr_walk *w, uint16_t layer)
{
	cursor_span(&w->c, layer, ibw_headers[layer].bytes);
}

/* The same if its bytes are there; false if not. */
static inline bool ibw_attr_take(struct ibw_attr_walk *w, uint16_t layer)
{
	if (ibw_headers[layer].bytes > cursor_left(&w->c))
		return false;
	ibw_attr_add(w, layer);
	return true;
}

/* After the fixed part of a CM message, which has just been taken as @layer. */
void ibw_attr_walk_cm(struct ibw_attr_walk *w, uint16_t layer);

/* After an attribute of the other general services: its entries. */
void ibw_attr_walk_gs(struct ibw_attr_walk *w, uint16_t layer);

#endif /* IBWIRE_CODEC_MAD_ATTR_H */
