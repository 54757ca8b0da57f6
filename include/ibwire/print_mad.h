/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * print_mad.h - the value of a field in words, where its meaning depends on the
 * layers before it: the status and attribute of a management datagram by its class,
 * component masks by their record, entries of tables by their block.
 *
 *	struct ibw_print_context context = ibw_print_start();
 *
 *	ibw_print_packet(&context, pkt);
 *
 *	for each layer of the packet, in order:
 *		ibw_print_enter(&context, layer, wire);
 *		for (f = ibw_header_at(layer)->fields; f->name; f++)
 *			ibw_print_field(&out, &context, f, wire);
 *
 * Needs libibwire.
 */
#ifndef IBWIRE_PRINT_MAD_H
#define IBWIRE_PRINT_MAD_H

#include "packet.h"
#include "print.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* What earlier layers say about later ones. */
struct ibw_print_context {
	uint16_t layer;     /* entered last; IBW_LAYER_COUNT: none */
	uint16_t entry;     /* how many of the same name are directly before it */
	uint16_t attr_id;   /* of the management datagram */
	uint8_t mgmt_class; /* 0: not in a management datagram */
	bool response;
	bool vendor;      /* the notice is not a generic one */
	uint8_t position; /* of a block of multicast port masks, 16 ports each */
	uint32_t block;   /* of the table */
	const char *dc;   /* opcode of a packet of the DC transport; NULL: it is none */
};

/* A context before the first layer of a packet. */
struct ibw_print_context ibw_print_start(void);

/* The following layers are those of @pkt; the opcode alone does not say which transport uses it. */
void ibw_print_packet(struct ibw_print_context *c, const struct ibw_packet *pkt);

/* The next layer of the packet, all of whose bytes are at @wire. */
void ibw_print_enter(struct ibw_print_context *c, uint16_t layer, const void *wire);

/*
 * The number of a table entry that is a layer by itself (VL arbitration, random forwarding),
 * including those of the blocks before it; false: the layer is not such an entry.
 */
bool ibw_print_entry(const struct ibw_print_context *c, uint32_t *number);

/*
 * A field of the layer entered last. Like ibw_print_value(), except for what depends on the
 * context; tables show the number of each entry, and only entries that are set: "[64] 1, [66] 3".
 */
void ibw_print_field(struct ibw_out *o, const struct ibw_print_context *c,
		     const struct ibw_field *f, const void *wire);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* IBWIRE_PRINT_MAD_H */
