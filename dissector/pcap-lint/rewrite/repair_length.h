/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repair_length.h - the length fields of a packet: their values, and their correct values. */
#ifndef PL_REPAIR_LENGTH_H
#define PL_REPAIR_LENGTH_H

#include "repair_packet.h"

/* Notes what a field was and is, if that is not the same. */
void pl_changed(struct pl_repaired *r, enum ibw_layer layer, const char *field, uint32_t was,
		uint32_t is);

/* Sets a field of a header to what it should be, and notes that. */
#define PL_REPAIR_FIELD(r, wire, name, field, value)                                               \
	do {                                                                                       \
		pl_changed(r, IBW_LAYER_##name, #field, ibw_##name##_##field(wire), (value));      \
		ibw_##name##_set_##field(wire, (value));                                           \
	} while (0)

/* Makes the length of the header of @span, and its checksum, those of a packet that ends at @end. */
void pl_length_repair(struct pl_repaired *r, const struct ibw_span *span, uint32_t end);

#endif /* PL_REPAIR_LENGTH_H */
