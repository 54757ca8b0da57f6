/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode_json.c - a packet as one line of JSON: the keys, and their order, are a promise. */
#include <ibwire/json.h>

#include "decode.h"
#include "pcap-lint/base/json_write.h"

static void head(struct ibw_out *o, const struct pl_decoded *d)
{
	pl_json_begin(o, "packet");
	pl_json_text(o, "file", d->file);
	pl_json_number(o, "frame", d->record->frame);
	pl_json_time(o, "time", d->record->has_time, d->record->time_ns);
	pl_json_number(o, "caplen", d->record->caplen);
	pl_json_number(o, "len", d->record->len);
	pl_json_text(o, "outcome", ibw_outcome_names[d->outcome]);
}

static void error(struct ibw_out *o, const struct ibw_error *e)
{
	pl_json_key(o, "error");
	ibw_out_str(o, "{\"layer\":");
	pl_json_string(o, ibw_headers[e->layer].name);
	pl_json_text(o, "field", e->field);
	pl_json_number(o, "offset", e->off);
	pl_json_number(o, "needed", e->needed);
	pl_json_number(o, "had", e->had);
	ibw_out_char(o, '}');
}

/* Its name and place; layer_end() closes it. */
static const struct ibw_header *layer_begin(struct pl_output *output, const struct pl_layers *l,
					    uint32_t i, bool *first)
{
	const struct ibw_header *h = &ibw_headers[l->span[i].layer];
	struct ibw_out *o = &output->out;

	pl_output_room(output);
	ibw_out_str(o, *first ? "{\"name\":\"" : ",{\"name\":\"");
	*first = false;
	ibw_out_str(o, h->name);
	ibw_out_char(o, '"');
	pl_json_number(o, "offset", pl_decoded_place(l, i));
	pl_json_number(o, "length", l->span[i].len);
	return h;
}

static void layer_end(struct pl_output *output, const struct pl_layers *l, uint32_t i,
		      const struct ibw_header *h)
{
	pl_output_room(output);
	pl_json_key(&output->out, "fields");
	ibw_json_fields(&output->out, h, l->data + l->span[i].off);
	ibw_out_char(&output->out, '}');
}

/* What the layer answers, or what the RDMA READ or WRITE is for. */
static void of_command(struct ibw_out *o, const struct pl_layers *l, uint32_t i)
{
	const struct track_ulp_of *of = pl_decoded_of(l, i);
	char text[TRACK_ULP_TEXT];

	if (!of)
		return;
	track_ulp_operation_text(of->queue, of->command.code, text);
	if (l->upper->ulp != IBW_ULP_NONE) {
		pl_json_key(o, "request");
		ibw_out_str(o, "{\"frame\":");
		ibw_out_dec(o, of->command.frame);
		pl_json_text(o, "name", text);
		pl_json_number(o, "ns", of->command.ns);
	} else {
		pl_json_key(o, "command");
		ibw_out_str(o, "{\"name\":");
		pl_json_string(o, text);
		pl_json_number(o, "id", of->command.id);
		pl_json_number_or_null(o, "queue", of->queue->id,
				       of->queue->ulp == IBW_ULP_NVME && !of->queue->id_unknown);
		pl_json_number(o, "frame", of->command.frame);
	}
	ibw_out_char(o, '}');
}

/* Where a transfer came from is at its first layer: of thousands of records, each has many. */
static void layers(struct pl_output *output, const struct pl_layers *l, bool *first, bool *told)
{
	const struct ibw_header *h;
	uint32_t i;

	for (i = 0; i < l->n; i++) {
		h = layer_begin(output, l, i, first);
		if (l->transfer)
			pl_json_numbers(&output->out, "frames", l->transfer->frames,
					*told ? 0 : l->transfer->n_frames);
		*told |= l->transfer != NULL;
		of_command(&output->out, l, i);
		layer_end(output, l, i, h);
	}
}

void pl_decode_json_layers(struct pl_output *output, const struct pl_layers *l, bool *first)
{
	bool told = false;

	layers(output, l, first, &told);
}

static void word(struct ibw_out *o, const char *key, uint32_t n)
{
	pl_json_key(o, key);
	ibw_out_char(o, '"');
	ibw_out_hex(o, n, 8);
	ibw_out_char(o, '"');
}

/* What its first layer says of all of it. */
static void fpdu_head(struct ibw_out *o, const struct track_fpdu *f)
{
	const char *status = pl_fpdu_crc_names[f->crc];

	pl_json_number(o, "place", f->place);
	if (!status)
		return;
	pl_json_key(o, "crc");
	ibw_out_str(o, "{\"status\":");
	pl_json_string(o, status);
	word(o, "found", f->found);
	if (f->crc == TRACK_FPDU_CRC_GOOD || f->crc == TRACK_FPDU_CRC_BAD)
		word(o, "computed", f->computed);
	ibw_out_char(o, '}');
}

/* An FPDU, header by header, and those of the message that begins in it. */
static void fpdu(struct pl_output *output, const struct pl_decoded *d, const struct track_fpdu *f,
		 bool *first)
{
	struct ibw_span span[PL_UPPER_SPANS];
	const struct ibw_header *h;
	struct pl_layers l;
	unsigned int i;

	for (i = 0; i < f->n_spans; i++) {
		l = pl_decoded_fpdu(f, i);
		h = layer_begin(output, &l, 0, first);
		if (!f->here)
			pl_json_numbers(&output->out, "frames", f->frames, i ? 0 : f->n_frames);
		if (!i)
			fpdu_head(&output->out, f);
		of_command(&output->out, &l, 0);
		layer_end(output, &l, 0, h);
	}
	l = pl_decoded_fpdu_upper(d, f, span);
	pl_decode_json_layers(output, &l, first);
}

static void crc(struct ibw_out *o, const char *key, const struct ibw_crc_verdict *verdict,
		unsigned int digits)
{
	pl_json_key(o, key);
	ibw_out_str(o, "{\"status\":");
	pl_json_string(o, ibw_crc_status_names[verdict->status]);
	if (verdict->status == IBW_CRC_GOOD || verdict->status == IBW_CRC_BAD) {
		pl_json_key(o, "found");
		ibw_out_char(o, '"');
		ibw_out_hex(o, verdict->found, digits);
		ibw_out_char(o, '"');
		pl_json_key(o, "computed");
		ibw_out_char(o, '"');
		ibw_out_hex(o, verdict->computed, digits);
		ibw_out_char(o, '"');
	}
	ibw_out_char(o, '}');
}

static void icmp(struct pl_output *output, const struct track_icmp *icmp)
{
	const struct pl_layers quoted = pl_decoded_quoted(icmp);
	struct ibw_out *o = &output->out;
	bool first = true, told = false;

	pl_json_key(o, "icmp");
	ibw_out_str(o, "{\"version\":");
	ibw_out_char(o, icmp->v6 ? '6' : '4');
	pl_json_number(o, "offset", icmp->off);
	pl_json_number(o, "length", TRACK_ICMP_BYTES);
	pl_json_number(o, "type", icmp->type);
	pl_json_number(o, "code", icmp->code);
	pl_json_text(o, "reason", icmp->reason);
	if (icmp->has_mtu)
		pl_json_number(o, "mtu", icmp->mtu);
	pl_json_key(o, "quoted");
	ibw_out_str(o, "{\"outcome\":");
	pl_json_string(o, ibw_outcome_names[icmp->quoted.outcome]);
	pl_json_key(o, "layers");
	ibw_out_char(o, '[');
	layers(output, &quoted, &first, &told);
	pl_output_room(output);
	ibw_out_str(o, "]}}");
}

void pl_decode_json(struct pl_output *output, const struct pl_decoded *d)
{
	struct ibw_out *o = &output->out;
	struct pl_records records;
	struct pl_layers record;
	bool first = true, told = false;
	unsigned int i;

	pl_output_room(output);
	head(o, d);
	if (d->outcome == IBW_MALFORMED)
		error(o, &d->error);
	pl_json_key(o, "layers");
	ibw_out_char(o, '[');
	for (i = 0; i < d->n_layers; i++)
		layers(output, &d->layers[i], &first, &told);
	records.started = false;
	while (pl_decoded_record(d, &records, &record))
		layers(output, &record, &first, &told);
	for (i = 0; i < d->context->n_fpdus; i++)
		fpdu(output, d, &d->context->fpdus[i], &first);
	pl_output_room(output);
	ibw_out_char(o, ']');
	pl_json_key(o, "payload");
	ibw_out_str(o, "{\"offset\":");
	ibw_out_dec(o, d->payload_off);
	pl_json_number(o, "length", d->payload_len);
	ibw_out_char(o, '}');
	crc(o, "icrc", &d->icrc, 8);
	crc(o, "vcrc", &d->vcrc, 4);
	if (d->icmp)
		icmp(output, d->icmp);
	pl_json_end(o);
}
