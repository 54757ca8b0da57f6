/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode.c - --decode: all layers of a packet, those of its payload included. */
#include "decode.h"

void pl_decode(struct pl_output *output, struct pl_bodies *bodies, const struct pl_options *options,
	       const char *file, const struct capture_packet *record, const struct ibw_packet *pkt)
{
	struct pl_decoded d = {
		.file = file,
		.record = record,
		.pkt = pkt,
		.layers = { { .span = pkt->span, .n = pkt->n_spans, .data = pkt->data } },
		.n_layers = 1,
		.outcome = pkt->outcome,
		.error = &pkt->error,
		.payload_off = pkt->payload_off,
		.payload_len = pkt->payload_len,
		.icrc = ibw_packet_icrc(pkt),
		.vcrc = ibw_packet_vcrc(pkt)
	};

	pl_bodies_walk(bodies, &d);
	if (options->format == PL_JSON)
		pl_decode_json(output, &d);
	else
		pl_decode_text(output, &d, options->verbose);
	pl_output_line(output);
}
