/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode_text.c - a packet as an indented listing. */
#include "decode.h"

#define DUMP_COLUMNS 16

static void number(struct ibw_out *o, const char *before, uint64_t n)
{
	ibw_out_str(o, before);
	ibw_out_dec(o, n);
}

/* " in bth.padcnt at offset 42, needed 3, had 1 by udp" */
static void error(struct ibw_out *o, const struct ibw_error *e)
{
	ibw_out_str(o, " in ");
	ibw_out_str(o, ibw_headers[e->layer].name);
	if (e->field) {
		ibw_out_char(o, '.');
		ibw_out_str(o, e->field);
	}
	number(o, " at offset ", e->off);
	number(o, ", needed ", e->needed);
	number(o, ", had ", e->had);
	if (e->said_by < IBW_LAYER_COUNT) {
		ibw_out_str(o, " by ");
		ibw_out_str(o, ibw_headers[e->said_by].name);
	}
}

static void head(struct ibw_out *o, const struct pl_decoded *d)
{
	pl_out_name(o, d->file);
	number(o, ":", d->record->frame);
	number(o, ": ", d->record->len);
	ibw_out_str(o, " bytes");
	if (d->record->caplen < d->record->len) {
		number(o, " (", d->record->caplen);
		ibw_out_str(o, " captured)");
	}
	if (d->record->has_time) {
		ibw_out_str(o, " at ");
		pl_out_time(o, d->record->time_ns);
	}
	ibw_out_str(o, ": ");
	ibw_out_str(o, ibw_outcome_names[d->outcome]);
	if (d->outcome == IBW_MALFORMED || d->outcome == IBW_CUT)
		error(o, &d->error);
	ibw_out_char(o, '\n');
}

/* "    answers: Identify, cid 4104, of frame 80, 2358910000 ns before" */
static void of_command(struct ibw_out *o, const struct pl_layers *l, const struct track_ulp_of *of)
{
	bool answers = l->upper->ulp != IBW_ULP_NONE;
	char text[TRACK_ULP_TEXT];

	ibw_out_str(o, answers ? "    answers: " : "    moves data of: ");
	ibw_out_str(o, track_ulp_operation_text(of->queue, of->command.code, text));
	ibw_out_str(o, ", ");
	ibw_out_str(o, track_ulp_id_word((enum ibw_ulp)of->queue->ulp));
	ibw_out_char(o, ' ');
	track_ulp_out_id(o, (enum ibw_ulp)of->queue->ulp, of->command.id);
	number(o, ", of frame ", of->command.frame);
	if (answers) {
		number(o, ", ", of->command.ns);
		ibw_out_str(o, " ns before");
	}
	ibw_out_char(o, '\n');
}

static void layer(struct ibw_out *o, struct ibw_print_context *context, const struct pl_layers *l,
		  uint32_t i)
{
	const struct ibw_span *span = &l->span[i];
	const struct ibw_header *h = &ibw_headers[span->layer];
	const void *wire = l->data + span->off;
	const struct track_ulp_of *of = pl_decoded_of(l, i);
	const struct ibw_field *f;
	/* Options, extension headers. */
	size_t more = span->len > h->bytes ? (size_t)span->len - h->bytes : 0;
	uint32_t entry;

	ibw_out_str(o, "  ");
	ibw_out_str(o, h->name);
	number(o, ": offset ", pl_decoded_place(l, i));
	number(o, ", length ", span->len);
	ibw_out_str(o, ", ");
	ibw_out_str(o, h->title);
	ibw_print_enter(context, span->layer, wire);
	if (ibw_print_entry(context, &entry))
		number(o, " ", entry);
	if (l->transfer) {
		number(o, ", of frames ", l->transfer->frames[0]);
		number(o, " to ", l->transfer->frames[l->transfer->n_frames - 1]);
	}
	ibw_out_char(o, '\n');
	for (f = h->fields; f->name; f++) {
		if (!ibw_field_shown(f, wire))
			continue;
		ibw_out_str(o, "    ");
		ibw_out_str(o, f->name);
		ibw_out_str(o, ": ");
		ibw_print_field(o, context, f, wire);
		ibw_out_char(o, '\n');
	}
	if (of)
		of_command(o, l, of);
	if (more) {
		ibw_out_str(o, "    more: ");
		ibw_out_bytes(o, (const uint8_t *)wire + h->bytes, MIN(more, PL_PIECE_MAX / 4));
		ibw_out_char(o, '\n');
	}
}

void pl_decode_text_layers(struct pl_output *output, struct ibw_print_context *context,
			   const struct pl_layers *l)
{
	uint32_t i;

	for (i = 0; i < l->n; i++) {
		pl_output_room(output);
		layer(&output->out, context, l, i);
	}
}

/* "  FPDU at octet 24 of the stream, of frames 8 9, CRC good 0x0123abcd" and its headers, and those of the message that begins in it */
static void fpdu(struct pl_output *output, struct ibw_print_context *context,
		 const struct pl_decoded *d, const struct track_fpdu *f)
{
	struct ibw_span span[PL_UPPER_SPANS];
	const char *status = pl_fpdu_crc_names[f->crc];
	struct ibw_out *o = &output->out;
	struct pl_layers l;
	unsigned int i;

	pl_output_room(output);
	ibw_out_str(o, status ? "  FPDU" : "  MPA frame");
	number(o, " at octet ", f->place);
	number(o, " of the stream, length ", f->bytes);
	for (i = 0; !f->here && i < f->n_frames; i++)
		number(o, i ? " " : f->n_frames > 1 ? ", of frames " : ", of frame ", f->frames[i]);
	if (status) {
		ibw_out_str(o, ", CRC ");
		ibw_out_str(o, status);
		ibw_out_str(o, ", found ");
		ibw_out_hex(o, f->found, 8);
	}
	if (f->crc == TRACK_FPDU_CRC_BAD) {
		ibw_out_str(o, ", computed ");
		ibw_out_hex(o, f->computed, 8);
	}
	ibw_out_char(o, '\n');
	for (i = 0; i < f->n_spans; i++) {
		l = pl_decoded_fpdu(f, i);
		pl_decode_text_layers(output, context, &l);
	}
	l = pl_decoded_fpdu_upper(d, f, span);
	pl_decode_text_layers(output, context, &l);
}

/* An ICMP error; the headers that it quotes are indented like those of the packet. */
static void icmp(struct pl_output *output, const struct track_icmp *icmp)
{
	struct ibw_print_context context = ibw_print_start();
	const struct pl_layers quoted = pl_decoded_quoted(icmp);
	struct ibw_error wrong = icmp->quoted.error;
	struct ibw_out *o = &output->out;

	number(o, icmp->v6 ? "  icmpv6: offset " : "  icmp: offset ", icmp->off);
	number(o, ", length ", TRACK_ICMP_BYTES);
	ibw_out_str(o, ", ");
	ibw_out_str(o, icmp->reason);
	number(o, "\n    type: ", icmp->type);
	number(o, "\n    code: ", icmp->code);
	if (icmp->has_mtu)
		number(o, "\n    mtu: ", icmp->mtu);
	ibw_out_str(o, "\n  quoted: ");
	ibw_out_str(o, ibw_outcome_names[icmp->quoted.outcome]);
	if (icmp->quoted.outcome == IBW_MALFORMED) {
		wrong.off += quoted.off;
		error(o, &wrong);
	}
	ibw_out_char(o, '\n');
	ibw_print_packet(&context, &icmp->quoted);
	pl_decode_text_layers(output, &context, &quoted);
}

static void place(struct ibw_out *o, const char *name, uint32_t off, uint32_t len)
{
	ibw_out_str(o, "  ");
	ibw_out_str(o, name);
	number(o, ": offset ", off);
	number(o, ", length ", len);
	ibw_out_char(o, '\n');
}

void pl_decode_text_dump(struct pl_output *output, const uint8_t *data, uint32_t off,
			 uint32_t bytes)
{
	uint32_t n;

	for (; bytes; bytes -= n, off += n) {
		n = MIN(bytes, DUMP_COLUMNS);
		pl_output_room(output);
		ibw_out_str(&output->out, "    ");
		ibw_out_hex(&output->out, off, 4);
		ibw_out_char(&output->out, ' ');
		ibw_out_bytes(&output->out, data + off, n);
		ibw_out_char(&output->out, '\n');
	}
}

static void payload(struct pl_output *output, const struct pl_decoded *d)
{
	const uint32_t off = d->payload_off;

	if (off < d->record->caplen)
		pl_decode_text_dump(output, d->record->data, off,
				    MIN(d->payload_len, d->record->caplen - off));
}

static void crc(struct ibw_out *o, const char *name, const struct ibw_crc_verdict *verdict,
		uint32_t off, unsigned int digits)
{
	if (verdict->status == IBW_CRC_ABSENT)
		return;
	ibw_out_str(o, "  ");
	ibw_out_str(o, name);
	ibw_out_str(o, ": ");
	ibw_out_str(o, ibw_crc_status_names[verdict->status]);
	if (off)
		number(o, ", offset ", off);
	if (verdict->status != IBW_CRC_UNVERIFIABLE) {
		ibw_out_str(o, ", found ");
		ibw_out_hex(o, verdict->found, digits);
	}
	if (verdict->status == IBW_CRC_BAD) {
		ibw_out_str(o, ", computed ");
		ibw_out_hex(o, verdict->computed, digits);
	}
	ibw_out_char(o, '\n');
}

void pl_decode_text(struct pl_output *output, const struct pl_decoded *d, bool verbose)
{
	struct ibw_print_context context = ibw_print_start();
	const struct ibw_packet *pkt = &d->view->pkt;
	struct ibw_out *o = &output->out;
	struct pl_records records;
	struct pl_layers record;
	unsigned int i;

	pl_output_room(output);
	head(o, d);
	ibw_print_packet(&context, pkt);
	for (i = 0; i < d->n_layers; i++)
		pl_decode_text_layers(output, &context, &d->layers[i]);
	records.started = false;
	while (pl_decoded_record(d, &records, &record))
		pl_decode_text_layers(output, &context, &record);
	for (i = 0; i < d->context->n_fpdus; i++)
		fpdu(output, &context, d, &d->context->fpdus[i]);
	pl_output_room(output);
	if (d->icmp)
		icmp(output, d->icmp);
	pl_output_room(output);
	if (d->payload_len)
		place(o, "payload", d->payload_off, d->payload_len);
	if (verbose)
		payload(output, d);
	if (pkt->pad_len)
		place(o, "pad", pkt->payload_off + pkt->payload_len, pkt->pad_len);
	crc(o, "icrc", &d->icrc, pkt->icrc_off, 8);
	crc(o, "vcrc", &d->vcrc, pkt->vcrc_off, 4);
	if (pkt->trailer_len)
		place(o, "trailer", pkt->trailer_off, pkt->trailer_len);
}
