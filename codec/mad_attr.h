/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mad_attr.h - adding the layers of an attribute one by one. Private to codec/. */
#ifndef IBWIRE_CODEC_MAD_ATTR_H
#define IBWIRE_CODEC_MAD_ATTR_H

#include <ibwire/mad_walk.h>

/* The attribute's bytes, how far we are, and where its spans go. off <= n always holds. */
struct ibw_attr_walk {
	const uint8_t *p;
	uint32_t n;
	uint32_t off;
	uint32_t attr_mod;
	struct ibw_span *span;
	uint32_t cap;
	uint32_t needed; /* spans so far; those beyond cap are counted, not written */
};

/* Adds a span of the layer, whose bytes are known to be there, and steps over it. */
void ibw_attr_add(struct ibw_attr_walk *w, uint16_t layer);

/* The same if its bytes are there; false if not. */
bool ibw_attr_take(struct ibw_attr_walk *w, uint16_t layer);

/* Behind the fixed part of a CM message, which has just been taken as @layer. */
void ibw_attr_walk_cm(struct ibw_attr_walk *w, uint16_t layer);

/* Behind an attribute of the other general services: its entries. */
void ibw_attr_walk_gs(struct ibw_attr_walk *w, uint16_t layer);

#endif /* IBWIRE_CODEC_MAD_ATTR_H */
