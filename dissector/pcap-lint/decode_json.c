/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode_json.c - a packet as one line of JSON: the keys, and their order, are a promise. */
#include <string.h>

#include <ibwire/json.h>

#include "decode.h"

static void number(struct ibw_out *o, const char *name, uint64_t n)
{
	ibw_out_str(o, name);
	ibw_out_dec(o, n);
}

static void head(struct ibw_out *o, const struct pl_decoded *d)
{
	ibw_out_str(o, "{\"type\":\"packet\",\"file\":");
	ibw_json_string(o, d->file, strlen(d->file));
	number(o, ",\"frame\":", d->record->frame);
	ibw_out_str(o, ",\"time\":");
	if (d->record->has_time) {
		ibw_out_char(o, '"');
		pl_out_time(o, d->record->time_ns);
		ibw_out_char(o, '"');
	} else {
		ibw_out_str(o, "null");
	}
	number(o, ",\"caplen\":", d->record->caplen);
	number(o, ",\"len\":", d->record->len);
	ibw_out_str(o, ",\"outcome\":\"");
	ibw_out_str(o, ibw_outcome_names[d->outcome]);
	ibw_out_char(o, '"');
}

static void error(struct ibw_out *o, const struct ibw_error *e)
{
	ibw_out_str(o, ",\"error\":{\"layer\":\"");
	ibw_out_str(o, ibw_headers[e->layer].name);
	ibw_out_str(o, "\",\"field\":");
	if (e->field)
		ibw_json_string(o, e->field, strlen(e->field));
	else
		ibw_out_str(o, "null");
	number(o, ",\"offset\":", e->off);
	number(o, ",\"needed\":", e->needed);
	number(o, ",\"had\":", e->had);
	ibw_out_char(o, '}');
}

static void frames(struct ibw_out *o, const struct track_transfer *t)
{
	unsigned int i;

	ibw_out_str(o, ",\"frames\":");
	for (i = 0; i < t->n_frames; i++) {
		ibw_out_char(o, i ? ',' : '[');
		ibw_out_dec(o, t->frames[i]);
	}
	ibw_out_char(o, ']');
}

static void layers(struct pl_output *output, const struct pl_layers *l, bool *first)
{
	struct ibw_out *o = &output->out;
	uint32_t i;

	for (i = 0; i < l->n; i++) {
		const struct ibw_header *h = &ibw_headers[l->span[i].layer];

		pl_output_room(output);
		ibw_out_str(o, *first ? "{\"name\":\"" : ",{\"name\":\"");
		*first = false;
		ibw_out_str(o, h->name);
		number(o, "\",\"offset\":", l->off + l->span[i].off);
		number(o, ",\"length\":", l->span[i].len);
		if (l->transfer)
			frames(o, l->transfer);
		pl_output_room(output);
		ibw_out_str(o, ",\"fields\":");
		ibw_json_fields(o, h, l->data + l->span[i].off);
		ibw_out_char(o, '}');
	}
}

static void crc(struct ibw_out *o, const char *name, const struct ibw_crc_verdict *verdict,
		unsigned int digits)
{
	ibw_out_str(o, name);
	ibw_out_str(o, "{\"status\":\"");
	ibw_out_str(o, ibw_crc_status_names[verdict->status]);
	ibw_out_char(o, '"');
	if (verdict->status == IBW_CRC_GOOD || verdict->status == IBW_CRC_BAD) {
		ibw_out_str(o, ",\"found\":\"");
		ibw_out_hex(o, verdict->found, digits);
		ibw_out_str(o, "\",\"computed\":\"");
		ibw_out_hex(o, verdict->computed, digits);
		ibw_out_char(o, '"');
	}
	ibw_out_char(o, '}');
}

void pl_decode_json(struct pl_output *output, const struct pl_decoded *d)
{
	struct ibw_out *o = &output->out;
	struct pl_records records;
	struct pl_layers record;
	bool first = true;
	unsigned int i;

	pl_output_room(output);
	head(o, d);
	if (d->outcome == IBW_MALFORMED)
		error(o, &d->error);
	ibw_out_str(o, ",\"layers\":[");
	for (i = 0; i < d->n_layers; i++)
		layers(output, &d->layers[i], &first);
	records.started = false;
	while (pl_decoded_record(d, &records, &record))
		layers(output, &record, &first);
	pl_output_room(output);
	number(o, "],\"payload\":{\"offset\":", d->payload_off);
	number(o, ",\"length\":", d->payload_len);
	ibw_out_char(o, '}');
	crc(o, ",\"icrc\":", &d->icrc, 8);
	crc(o, ",\"vcrc\":", &d->vcrc, 4);
	ibw_out_str(o, "}\n");
}
