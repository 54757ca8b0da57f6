/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode.h - --decode: a packet, layer by layer and field by field, as text or JSON. */
#ifndef PL_DECODE_H
#define PL_DECODE_H

#include <ibwire/packet.h>

#include "capture.h"
#include "options.h"
#include "output.h"

/*
 * What a walk over the payload of a packet found there: more layers, and what is left
 * behind them. IBW_PKT_... and CRCs are the outer packet's.
 */
struct pl_decoded {
	const char *file;
	const struct pl_packet *record;
	const struct ibw_packet *pkt;
	struct ibw_packet body; /* its spans follow those of pkt */
	bool has_body;
	uint8_t outcome;               /* enum ibw_outcome, of packet and body together */
	const struct ibw_error *error; /* outcome CUT or MALFORMED */
	uint32_t payload_off, payload_len;
	struct ibw_crc_verdict icrc, vcrc;
};

/* Prints one packet; @pkt is the walk over @record. */
void pl_decode(struct pl_output *output, const struct pl_options *options, const char *file,
	       const struct pl_packet *record, const struct ibw_packet *pkt);

/* The two formats; each makes room in @output for every layer. */
void pl_decode_text(struct pl_output *output, const struct pl_decoded *d, bool verbose);
void pl_decode_json(struct pl_output *output, const struct pl_decoded *d);

#endif /* PL_DECODE_H */
