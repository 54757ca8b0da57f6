/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode.h - --decode: a packet, layer by layer and field by field, as text or JSON. */
#ifndef PL_DECODE_H
#define PL_DECODE_H

#include <ibwire/packet.h>

#include "capture/capture.h"
#include "options.h"
#include "output.h"

/* Layers in a row: of the packet, of a body in it, or of records put together from several. */
struct pl_layers {
	const struct ibw_span *span;
	uint32_t n;
	const uint8_t *data;    /* what the offsets count from */
	const uint64_t *frames; /* where the data came from; NULL: this packet alone */
	unsigned int n_frames;
};

#define PL_LAYERS_MAX 3

struct pl_decoded {
	const char *file;
	const struct capture_packet *record;
	const struct ibw_packet *pkt;
	struct pl_layers layers[PL_LAYERS_MAX]; /* pkt's first */
	unsigned int n_layers;
	uint8_t outcome;                   /* enum ibw_outcome, of packet and body together */
	const struct ibw_error *error;     /* outcome CUT or MALFORMED */
	uint32_t payload_off, payload_len; /* what no layer accounts for */
	struct ibw_crc_verdict icrc, vcrc;
};

/* What decoding remembers from packet to packet: RMPP transfers, services. One for each file. */
struct pl_bodies;
struct pl_bodies *pl_bodies_new(void);
void pl_bodies_free(struct pl_bodies *bodies);

/* Adds what the payload of d->pkt holds to @d; the layers are valid until the next call. */
void pl_bodies_walk(struct pl_bodies *bodies, struct pl_decoded *d);

/* Prints one packet; @pkt is the walk over @record. */
void pl_decode(struct pl_output *output, struct pl_bodies *bodies, const struct pl_options *options,
	       const char *file, const struct capture_packet *record, const struct ibw_packet *pkt);

/* The two formats; each makes room in @output for every layer. */
void pl_decode_text(struct pl_output *output, const struct pl_decoded *d, bool verbose);
void pl_decode_json(struct pl_output *output, const struct pl_decoded *d);

#endif /* PL_DECODE_H */
