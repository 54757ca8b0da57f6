/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode.c - --decode: all layers of a packet, those of its payload included. */
#include "decode.h"

/*
 * What a payload may hold. Each walker says whether the payload is its own, and fills
 * @body with the spans it found there; the first that does is taken.
 */
typedef bool body_walker(struct ibw_packet *body, const struct ibw_packet *pkt);

static bool ipoib_body(struct ibw_packet *body, const struct ibw_packet *pkt)
{
	if (!ibw_packet_is_ipoib(pkt))
		return false;
	ibw_packet_walk_ipoib(body, pkt);
	return true;
}

static body_walker *const body_walkers[] = { ipoib_body };

static void walk_body(struct pl_decoded *d)
{
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(body_walkers) && !d->has_body; i++)
		d->has_body = body_walkers[i](&d->body, d->pkt);
	if (!d->has_body)
		return;
	d->payload_off = d->body.payload_off;
	d->payload_len = d->body.payload_len;
	if (d->outcome == IBW_OK) {
		d->outcome = d->body.outcome;
		d->error = &d->body.error;
	}
}

void pl_decode(struct pl_output *output, const struct pl_options *options, const char *file,
	       const struct pl_packet *record, const struct ibw_packet *pkt)
{
	struct pl_decoded d = { .file = file,
				.record = record,
				.pkt = pkt,
				.outcome = pkt->outcome,
				.error = &pkt->error,
				.payload_off = pkt->payload_off,
				.payload_len = pkt->payload_len,
				.icrc = ibw_packet_icrc(pkt),
				.vcrc = ibw_packet_vcrc(pkt) };

	walk_body(&d);
	if (options->format == PL_JSON)
		pl_decode_json(output, &d);
	else
		pl_decode_text(output, &d, options->verbose);
	pl_output_line(output);
}
