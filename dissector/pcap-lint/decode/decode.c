/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode.c - --decode: all layers of a packet, those of its payload included. */
#include "decode.h"
#include "track/iwarp/iwarp.h"

static void add_layers(struct pl_decoded *d, const struct ibw_span *span, uint32_t n,
		       const uint8_t *data, uint32_t off)
{
	d->layers[d->n_layers++] = (struct pl_layers){ span, n, data, off, NULL, NULL, NULL };
}

static void take_outcome(struct pl_decoded *d, uint8_t outcome, const struct ibw_error *error,
			 uint32_t off)
{
	if (d->outcome != IBW_OK)
		return;
	d->outcome = outcome;
	d->error = *error;
	d->error.off += off;
}

static void add_mad(struct pl_decoded *d, const struct track_mad *m)
{
	if (!m->n)
		return;
	add_layers(d, m->span, m->walked.n_spans, m->p, m->off);
	take_outcome(d, m->walked.outcome, &m->walked.error, m->off);
	d->payload_off = m->off + m->walked.data_off;
	d->payload_len =
		m->walked.attr || m->walked.flags & IBW_MAD_CONTROL ? 0 : m->walked.data_len;
}

static void add_ipoib(struct pl_decoded *d, const struct ibw_packet *ip)
{
	add_layers(d, ip->span, ip->n_spans, ip->data, 0);
	d->payload_off = ip->payload_off;
	d->payload_len = ip->payload_len;
	take_outcome(d, ip->outcome, &ip->error, 0);
}

/* The headers of an upper layer's message that begins in the packet; where more packets have the rest of it, those of its first one. */
static void add_upper(struct pl_decoded *d, const struct track_upper *upper,
		      struct ibw_span span[PL_UPPER_SPANS])
{
	const struct ibw_packet *pkt = &d->view->pkt;
	uint32_t off = MIN(pkt->payload_off, pkt->caplen), n = pkt->payload_len;
	struct ibw_ulp_walked w;

	ibw_ulp_walk(&w, (enum ibw_ulp)upper->ulp, upper->flags, pkt->data + off,
		     MIN(n, pkt->caplen - off), upper->len, span, PL_UPPER_SPANS);
	if (!w.n_spans)
		return;
	add_layers(d, span, w.n_spans, pkt->data + off, pkt->payload_off);
	d->layers[d->n_layers - 1].upper = upper->n_of ? upper : NULL;
	w.data_off = w.data_len ? MIN(w.data_off, n) : n;
	d->payload_off += w.data_off;
	d->payload_len = n - w.data_off;
}

/*
 * The header that says what a message answers: of iSER that of iSCSI, of RPC the one in front, as the reply may be elsewhere;
 * of a READ or WRITE the one that says where its data are.
 */
static bool is_answer(const struct track_upper *upper, uint16_t layer)
{
	switch (upper->ulp) {
	case IBW_ULP_NVME:
		return layer == IBW_LAYER_nvme_completion;
	case IBW_ULP_SRP:
		return layer == IBW_LAYER_srp_rsp;
	case IBW_ULP_ISER:
		return layer != IBW_LAYER_iser_ctrl;
	case IBW_ULP_RPCRDMA:
		return layer == IBW_LAYER_rpcrdma_hdr;
	case IBW_ULP_SMB_DIRECT:
		return layer == IBW_LAYER_smb2_hdr;
	default:
		return layer == IBW_LAYER_reth || layer == IBW_LAYER_ddp_tagged ||
		       layer == IBW_LAYER_rdmap_read_req;
	}
}

const struct track_ulp_of *pl_decoded_of(const struct pl_layers *l, uint32_t i)
{
	uint32_t k, before = 0;
	uint8_t of;

	if (!l->upper || !is_answer(l->upper, l->span[i].layer))
		return NULL;
	for (k = 0; k < i; k++)
		before += is_answer(l->upper, l->span[k].layer);
	for (of = 0; of < l->upper->n_of; of++)
		if (l->upper->of[of].header == before)
			return &l->upper->of[of];
	return NULL;
}

bool pl_decoded_record(const struct pl_decoded *d, struct pl_records *records,
		       struct pl_layers *layers)
{
	const struct track_transfer *t = d->context->transfer;
	struct track_record_walk *w = &records->walk;

	if (!t)
		return false;
	if (!records->started)
		track_record_start(w, t->attr, t->attr_mod, t->record_stride, t->rmpp.room,
				   t->rmpp.len);
	records->started = true;
	if (!track_record_next(w))
		return false;
	*layers = (struct pl_layers){ w->span, w->n_spans, w->p, 0, t, NULL, NULL };
	return true;
}

const char *const pl_fpdu_crc_names[] = {
	[TRACK_FPDU_CRC_NONE] = NULL,
	[TRACK_FPDU_CRC_GOOD] = "good",
	[TRACK_FPDU_CRC_BAD] = "bad",
	[TRACK_FPDU_CRC_UNUSED] = "unused",
	[TRACK_FPDU_CRC_UNVERIFIABLE] = "unverifiable",
};

struct pl_layers pl_decoded_fpdu(const struct track_fpdu *f, unsigned int i)
{
	/* In front of it markers may be that the copy does not have. */
	struct pl_layers l = { .span = &f->span[i],
			       .n = 1,
			       .data = f->head,
			       .off = f->off + f->at[i] - f->span[i].off };

	if (f->upper.ulp == IBW_ULP_NONE && f->upper.n_of)
		l.upper = &f->upper;
	return l;
}

struct pl_layers pl_decoded_fpdu_upper(const struct pl_decoded *d, const struct track_fpdu *f,
				       struct ibw_span span[PL_UPPER_SPANS])
{
	struct pl_layers l = { .span = span, .off = track_fpdu_data_at(f), .fpdu = f };
	struct ibw_ulp_walked w;

	if (f->upper.ulp != IBW_ULP_NONE && d->streams)
		l.data = track_iwarp_octets_of(d->streams, f);
	if (!l.data)
		return l;
	ibw_ulp_walk(&w, (enum ibw_ulp)f->upper.ulp, f->upper.flags, l.data, f->data, f->upper.len,
		     span, PL_UPPER_SPANS);
	l.n = w.n_spans;
	l.upper = f->upper.n_of ? &f->upper : NULL;
	return l;
}

uint32_t pl_decoded_place(const struct pl_layers *l, uint32_t i)
{
	const uint32_t at = l->off + l->span[i].off;

	return l->fpdu ? l->fpdu->off + track_fpdu_place(l->fpdu, at) : at;
}

struct pl_layers pl_decoded_quoted(const struct track_icmp *icmp)
{
	return (struct pl_layers){ icmp->quoted.span,
				   icmp->quoted.n_spans,
				   icmp->quoted.data,
				   icmp->off + TRACK_ICMP_BYTES,
				   NULL,
				   NULL,
				   NULL };
}

void pl_decode(struct pl_output *output, const struct pl_options *options, const char *file,
	       const struct capture_packet *record, struct track_view *view,
	       const struct track_context *context, const struct track_iwarp *streams)
{
	const struct ibw_packet *pkt = &view->pkt, *ipoib = track_view_ipoib(view);
	const struct ibw_walk_options walk = { options->roce_ports, options->n_roce_ports };
	const struct track_mad *m = track_view_mad(view);
	struct ibw_span upper[PL_UPPER_SPANS];
	struct track_icmp icmp;
	struct pl_decoded d = { .file = file,
				.record = record,
				.view = view,
				.context = context,
				.outcome = pkt->outcome,
				.error = pkt->error,
				.payload_off = pkt->payload_off,
				.payload_len = pkt->payload_len,
				.icrc = track_view_icrc(view),
				.vcrc = ibw_packet_vcrc(pkt),
				.streams = streams };

	add_layers(&d, pkt->span, pkt->n_spans, pkt->data, 0);
	if (context->upper.ulp == IBW_ULP_NONE && context->upper.n_of)
		d.layers[0].upper = &context->upper;
	if (m)
		add_mad(&d, m);
	else if (ipoib && ipoib != pkt)
		add_ipoib(&d, ipoib);
	else if (context->upper.ulp != IBW_ULP_NONE)
		add_upper(&d, &context->upper, upper);
	if (pkt->proto == IBW_PROTO_OTHER && track_icmp_quotes(&icmp, pkt, &walk))
		d.icmp = &icmp;
	if (context->n_fpdus && d.outcome == IBW_OTHER)
		d.outcome = IBW_OK;
	if (options->format == PL_FORMAT_json)
		pl_decode_json(output, &d);
	else
		pl_decode_text(output, &d, options->verbose);
	pl_output_line(output);
}
