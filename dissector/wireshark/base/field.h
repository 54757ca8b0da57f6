/* SPDX-License-Identifier: GPL-2.0-or-later */
/* field.h - a header as tree items. */
#ifndef IW_FIELD_H
#define IW_FIELD_H

#include "compat.h"

#include <ibwire/mad_walk.h>
#include <ibwire/packet.h>

#include "hf.h"

/* What of a field can be said once; @bits is how many single bits it has. */
void iw_field_plan(struct iw_field *field, const struct ibw_field *f, unsigned int bits);

/*
 * One layer, whose bytes at @wire are at @at of @tvb; @attr, which may be NULL, is what a
 * component mask in it is about. @lacking: only what the built-in dissector has not.
 */
void iw_tree_header(proto_tree *tree, tvbuff_t *tvb, int at, const void *wire,
		    const struct ibw_span *span, const struct ibw_mad_attr_row *attr, bool lacking);

#endif /* IW_FIELD_H */
