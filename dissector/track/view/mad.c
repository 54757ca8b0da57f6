/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mad.c - the management datagram of a packet: its headers and its records. */
#include <stddef.h>
#include <string.h>

#include <glib.h>

#include "mad.h"

/* Headers of an SMP by directed route before its attribute. */
#define DR_SPANS 3

static void note_header(struct track_mad *m, const struct ibw_span *span)
{
	const void *at = m->p + span->off;

	switch (span->layer) {
	case IBW_LAYER_mad:
		m->mad = at;
		break;
	case IBW_LAYER_smp:
		m->smp = at;
		break;
	case IBW_LAYER_smp_dr:
		m->dr = at;
		break;
	case IBW_LAYER_smp_dr_status:
		m->dr_status = at;
		break;
	case IBW_LAYER_smp_dr_path:
		m->dr_path = at;
		break;
	case IBW_LAYER_rmpp:
		m->rmpp = at;
		break;
	case IBW_LAYER_sa:
		m->sa = at;
		break;
	case IBW_LAYER_vendor_oui:
		m->oui = at;
		break;
	default:
		break;
	}
}

/* Most are SMPs by directed route, of which these are the first headers, and the way is the last one. */
static void note_headers(struct track_mad *m)
{
	const struct ibw_span *span = m->span;
	uint32_t n = m->walked.n_spans, i = 0;

	if (n > DR_SPANS && span[1].layer == IBW_LAYER_smp_dr_status &&
	    span[2].layer == IBW_LAYER_smp_dr) {
		m->mad = (const void *)(m->p + span[0].off);
		m->dr_status = (const void *)(m->p + span[1].off);
		m->dr = (const void *)(m->p + span[2].off);
		i = n - 1;
	}
	for (; i < n; i++)
		note_header(m, &span[i]);
}

bool track_is_mad(const struct ibw_packet *pkt)
{
	const struct ibw_bth_wire *bth;

	if (!ibw_packet_is_mad(pkt))
		return false;
	bth = ibw_packet_at(pkt, pkt->bth);
	return ibw_bth_dqpn(bth) <= IBW_QPN_GSI ||
	       (pkt->payload_len == IBW_MAD_BYTES && ibw_packet_payload_captured(pkt) &&
		pkt->data[pkt->payload_off] == IBW_MAD_BASE_VERSION);
}

/*
 * The records of the MAD by itself: a table, or the one of anything else. Those of several
 * segments, and what the SA refused, are none.
 */
static void find_records(struct track_mad *m)
{
	const struct ibw_mad_walked *w = &m->walked;
	struct track_records *r = &m->records;

	if (!track_mad_is_sa(m) || !m->sa || !w->attr || w->data_off > m->n ||
	    w->flags & (IBW_MAD_OPA | IBW_MAD_SEGMENT | IBW_MAD_CONTROL))
		return;
	r->source.p = m->p + w->data_off;
	r->source.n = MIN(w->data_len, m->n - w->data_off);
	if (w->flags & IBW_MAD_TABLE) {
		r->table = ibw_sa_table_of(w->attr, w->record_stride, w->data_len);
	} else {
		r->table.n = 1;
		r->table.stride = w->data_len;
	}
}

void track_mad_walk(struct track_mad *m, const struct ibw_packet *pkt)
{
	memset(m, 0, offsetof(struct track_mad, span)); /* of the spans only n_spans count */
	m->n = ibw_packet_payload_captured(pkt);
	m->len = pkt->payload_len;
	m->off = m->n ? pkt->payload_off : 0;
	m->p = pkt->data + m->off;
	ibw_mad_walk(&m->walked, m->p, m->n, m->len, m->span, TRACK_SPANS);
	note_headers(m);
	if (m->mad)
		m->status = m->dr_status ? ibw_smp_dr_status_status(m->dr_status)
					 : ibw_mad_status(m->mad);
	if (m->sa)
		find_records(m);
}

void track_mad_answer(struct track_mad *m, uint64_t service_id)
{
	uint32_t room = TRACK_SPANS - m->walked.n_spans;
	uint32_t n =
		ibw_mad_walk_cm_answer(service_id, m->p, m->n, m->span + m->walked.n_spans, room);

	m->walked.n_spans += MIN(n, room);
}

bool track_mad_is_smp(const struct track_mad *m)
{
	const struct ibw_mad_class_row *row = m->walked.class_row;

	return row && row->attrs == IBW_ATTRS_SM;
}

bool track_mad_is_sa(const struct track_mad *m)
{
	const struct ibw_mad_class_row *row = m->walked.class_row;

	return row && row->attrs == IBW_ATTRS_SA;
}

bool track_mad_is_cm(const struct track_mad *m)
{
	const struct ibw_mad_class_row *row = m->walked.class_row;

	return row && row->attrs == IBW_ATTRS_CM;
}

/* Only answers of several records come in segments. */
void track_mad_complete(struct track_mad *m, const struct track_transfer *t)
{
	struct track_records *r = &m->records;

	m->walked.attr = t->attr;
	if (!t->attr || !ibw_mad_r(m->mad))
		return;
	r->source = (struct track_source){ t->rmpp.room, t->rmpp.len, t->n_frames, t->frames };
	r->table = ibw_sa_table_of(t->attr, t->record_stride, t->rmpp.len);
}

const uint8_t *track_mad_record(const struct track_mad *m, unsigned int i, uint32_t bytes)
{
	const struct track_records *r = &m->records;
	uint32_t at = i * r->table.stride;

	return i < r->table.n && at <= r->source.n && bytes <= r->source.n - at ? r->source.p + at
										: NULL;
}

void track_record_start(struct track_record_walk *w, const struct ibw_mad_attr_row *attr,
			uint32_t attr_mod, uint32_t stride, const uint8_t *p, uint32_t len)
{
	w->attr = attr;
	w->attr_mod = attr_mod;
	w->stride = stride ? stride : len;
	w->p = p;
	w->len = len;
	w->off = w->next = w->n_spans = 0;
	w->left = attr ? ibw_sa_table_of(attr, w->stride, len).n : 0;
}

bool track_record_next(struct track_record_walk *w)
{
	uint32_t n, i;

	if (!w->left)
		return false;
	w->left--;
	w->off = w->next;
	w->next += w->stride;
	n = ibw_mad_walk_attr(w->attr, w->attr_mod, w->p + w->off, MIN(w->stride, w->len - w->off),
			      w->span, TRACK_SPANS);
	w->n_spans = MIN(n, TRACK_SPANS);
	for (i = 0; i < w->n_spans; i++)
		w->span[i].off += w->off;
	return true;
}
