/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bodies.c - what the payload of a packet holds: IPoIB, a MAD, the records of an RMPP transfer. */
#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>

#include "decode.h"
#include "lint/services.h"
#include "lint/transfers.h"

/* Spans of one MAD; of one attribute or record. */
#define MAD_SPANS 300

struct pl_bodies {
	struct lint_transfers *transfers;
	struct lint_services *services;
	struct ibw_packet ipoib;
	struct ibw_mad_walked mad;
	struct ibw_span mad_span[MAD_SPANS];
	GArray *records; /* of struct ibw_span: a transfer's */
};

struct pl_bodies *pl_bodies_new(void)
{
	struct pl_bodies *b = g_new0(struct pl_bodies, 1);

	b->transfers = lint_transfers_new();
	b->services = lint_services_new();
	b->records = g_array_new(FALSE, FALSE, sizeof(struct ibw_span));
	return b;
}

void pl_bodies_free(struct pl_bodies *b)
{
	if (!b)
		return;
	lint_transfers_free(b->transfers);
	lint_services_free(b->services);
	g_array_free(b->records, TRUE);
	g_free(b);
}

static struct pl_layers *add_layers(struct pl_decoded *d, const struct ibw_span *span, uint32_t n,
				    const uint8_t *data)
{
	struct pl_layers *l = &d->layers[d->n_layers++];

	l->span = span;
	l->n = n;
	l->data = data;
	return l;
}

static void take_outcome(struct pl_decoded *d, uint8_t outcome, const struct ibw_error *error)
{
	if (d->outcome != IBW_OK)
		return;
	d->outcome = outcome;
	d->error = error;
}

static void walk_ipoib(struct pl_bodies *b, struct pl_decoded *d)
{
	ibw_packet_walk_ipoib(&b->ipoib, d->pkt);
	add_layers(d, b->ipoib.span, b->ipoib.n_spans, d->pkt->data);
	d->payload_off = b->ipoib.payload_off;
	d->payload_len = b->ipoib.payload_len;
	take_outcome(d, b->ipoib.outcome, &b->ipoib.error);
}

/* All records of a transfer that is complete, with offsets into the records put together. */
static void walk_transfer(struct pl_bodies *b, struct pl_decoded *d, const struct lint_transfer *t)
{
	uint32_t stride = t->record_stride ? t->record_stride : t->rmpp.len, off = 0, n, i;
	struct ibw_span span[MAD_SPANS];
	struct ibw_sa_table table;
	struct pl_layers *l;

	if (!t->attr)
		return;
	g_array_set_size(b->records, 0);
	table = ibw_sa_table_of(t->attr, stride, t->rmpp.len);
	for (; table.n; table.n--, off += stride) {
		n = ibw_mad_walk_attr(t->attr, t->attr_mod, t->rmpp.room + off,
				      MIN(stride, t->rmpp.len - off), span, MAD_SPANS);
		n = MIN(n, MAD_SPANS);
		for (i = 0; i < n; i++)
			span[i].off += off;
		g_array_append_vals(b->records, span, n);
	}
	l = add_layers(d, (const struct ibw_span *)(const void *)b->records->data, b->records->len,
		       t->rmpp.room);
	l->frames = t->frames;
	l->n_frames = t->n_frames;
}

/* What the answer to a REQ seen before carries, behind the layers of the MAD. */
static void walk_answer(struct pl_bodies *b, const struct ibw_packet *pkt, const uint8_t *mad,
			uint32_t n)
{
	uint64_t service_id = lint_services_feed(b->services, pkt, mad, n);

	if (service_id)
		b->mad.n_spans +=
			MIN(MAD_SPANS - b->mad.n_spans,
			    ibw_mad_walk_cm_answer(service_id, mad, n, b->mad_span + b->mad.n_spans,
						   MAD_SPANS - b->mad.n_spans));
}

static void walk_mad(struct pl_bodies *b, struct pl_decoded *d)
{
	const struct ibw_packet *pkt = d->pkt;
	const uint8_t *mad = pkt->data + pkt->payload_off;
	uint32_t n = ibw_packet_payload_captured(pkt), i;
	const struct lint_transfer *t;

	if (!n)
		return;
	ibw_mad_walk(&b->mad, mad, n, pkt->payload_len, b->mad_span, MAD_SPANS);
	walk_answer(b, pkt, mad, n);
	for (i = 0; i < b->mad.n_spans; i++)
		b->mad_span[i].off += pkt->payload_off;
	b->mad.error.off += pkt->payload_off;
	add_layers(d, b->mad_span, b->mad.n_spans, pkt->data);
	take_outcome(d, b->mad.outcome, &b->mad.error);
	d->payload_off = pkt->payload_off + b->mad.data_off;
	d->payload_len = b->mad.attr || b->mad.flags & IBW_MAD_CONTROL ? 0 : b->mad.data_len;
	t = lint_transfers_feed(b->transfers, pkt, mad, n, d->record->frame);
	if (t && t->rmpp.state == IBW_TRANSFER_COMPLETE)
		walk_transfer(b, d, t);
}

void pl_bodies_walk(struct pl_bodies *b, struct pl_decoded *d)
{
	if (ibw_packet_is_mad(d->pkt))
		walk_mad(b, d);
	else if (ibw_packet_is_ipoib(d->pkt) || lint_services_ipoib(b->services, d->pkt))
		walk_ipoib(b, d);
}
