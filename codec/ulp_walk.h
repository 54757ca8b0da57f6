/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ulp_walk.h - the walk over one message of an upper layer. Private to codec/. */
#ifndef IBWIRE_CODEC_ULP_WALK_H
#define IBWIRE_CODEC_ULP_WALK_H

#include <ibwire/ulp.h>

#include "cursor.h"

struct ulp_walk {
	struct cursor
		c; /* its end is that of the message, or of a part that has a length of its own */
	struct ibw_ulp_walked *u;
	unsigned int flags; /* enum ibw_ulp_flags */
};

/* A walk over the @n captured bytes at @p of a message of @len. */
static inline struct ulp_walk ulp_walk_of(struct ibw_ulp_walked *u, unsigned int flags,
					  const uint8_t *p, uint32_t n, uint32_t len,
					  struct ibw_span *span, uint32_t room)
{
	struct ulp_walk w = { { .p = p, .cap = n, .span = span, .room = room, .error = &u->error },
			      u,
			      flags };

	w.c.outcome = IBW_OK;
	cursor_end(&w.c, len, IBW_LAYER_COUNT);
	u->data_off = u->data_len = 0;
	return w;
}

/* Gives the caller what the cursor has counted. */
static inline enum ibw_outcome ulp_walk_done(struct ulp_walk *w)
{
	w->u->needed_spans = w->c.n_spans;
	w->u->n_spans = w->c.n_spans < w->c.room ? w->c.n_spans : w->c.room;
	w->u->outcome = w->c.outcome;
	return (enum ibw_outcome)w->c.outcome;
}

/* The captured bytes from here on; there may be none, for an offset was followed to what was not captured. */
static inline uint32_t ulp_left(const struct ulp_walk *w)
{
	return w->c.off < w->c.limit ? w->c.limit - w->c.off : 0;
}

/* The bytes of a header of fixed size, its span added; NULL: they are not there, and that is recorded. */
static inline const void *ulp_take(struct ulp_walk *w, uint16_t layer, uint32_t n)
{
	if (n > ulp_left(w)) {
		cursor_short(&w->c, w->c.off, layer, n);
		return NULL;
	}
	cursor_span(&w->c, layer, n);
	return w->c.p + w->c.off - n;
}

#define ULP_TAKE(w, name)                                                                          \
	((const struct ibw_##name##_wire *)ulp_take(w, IBW_LAYER_##name, ibw_##name##_BYTES))

/* A field of @layer, at @off, that has @had where @needed is right. */
static inline void ulp_wrong(struct ulp_walk *w, uint32_t off, uint16_t layer, const char *field,
			     uint32_t needed, uint32_t had)
{
	cursor_error(&w->c, off, IBW_MALFORMED, layer, field, needed, had);
}

/* What is left of the message is data; the capture may end within it. */
static inline void ulp_rest(struct ulp_walk *w, uint16_t layer)
{
	w->u->data_off = w->c.off;
	w->u->data_len = w->c.end - w->c.off;
	if (w->c.end > w->c.cap)
		cursor_error(&w->c, w->c.off, IBW_CUT, layer, "data", w->c.end - w->c.off,
			     ulp_left(w));
}

/* @n is what a length of @layer at @off, in @field, says is still to come; false: the message has less, which is recorded. */
static inline bool ulp_fits(struct ulp_walk *w, uint32_t off, uint16_t layer, const char *field,
			    uint32_t n)
{
	uint32_t left = w->c.off < w->c.end ? w->c.end - w->c.off : 0;

	if (n > left)
		ulp_wrong(w, off, layer, field, n, left);
	return n <= left;
}

/* A layer over bytes that have been taken already, from @off on; they are there. */
static inline void ulp_overlay(struct ulp_walk *w, uint32_t off, uint16_t layer)
{
	uint32_t at = w->c.off;

	w->c.off = off;
	cursor_span(&w->c, layer, ibw_headers[layer].bytes);
	w->c.off = at;
}

/* codec/ulp/scsi.c: over the 16 bytes of a command descriptor block at @off; @n bytes of sense data from here on. */
void ibw_ulp_over_cdb(struct ulp_walk *w, uint32_t off);
void ibw_ulp_walk_sense(struct ulp_walk *w, uint32_t n);

/* One function an upper layer, in a file of its name. */
void ibw_ulp_walk_iser(struct ulp_walk *w);
void ibw_ulp_walk_nvme(struct ulp_walk *w);
void ibw_ulp_walk_rds(struct ulp_walk *w);
void ibw_ulp_walk_rpcrdma(struct ulp_walk *w);
void ibw_ulp_walk_smb_direct(struct ulp_walk *w);
void ibw_ulp_walk_srp(struct ulp_walk *w);

#endif /* IBWIRE_CODEC_ULP_WALK_H */
