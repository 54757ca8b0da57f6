/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alias.h - the built-in dissector's names for them. */
#ifndef IW_ALIAS_H
#define IW_ALIAS_H

#include "compat.h"

#include <ibwire/packet.h>

#include "hf.h"

/* The names of the built-in dissector; once our own fields are registered. */
void iw_alias_register(void);
/* The field of @wire, which is at @at of @tvb, under the built-in's name. */
void iw_alias_add(proto_tree *tree, tvbuff_t *tvb, int at, const struct iw_field *field,
		  const struct ibw_field *f, const void *wire);

#endif /* IW_ALIAS_H */
