/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mad_view.c - what the rules about management datagrams see of one, and what they call it. */
#include <stdio.h>
#include <string.h>

#include "mad.h"

/* Room for a message, as lint.c has it. */
#define LINT_WIRE_TEXT 512

static void note_header(struct lint_mad *m, const struct ibw_span *span)
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

/* To another QP than QP0 and QP1, only what looks like one is a MAD. */
static bool meant(const struct lint_mad *m, const struct ibw_packet *pkt)
{
	const struct ibw_bth_wire *bth = ibw_packet_at(pkt, pkt->bth);

	return ibw_bth_dqpn(bth) <= IBW_QPN_GSI ||
	       (m->len == IBW_MAD_BYTES && m->n && *m->p == IBW_MAD_BASE_VERSION);
}

/*
 * The records of the MAD by itself: a table, or the one of anything else. Those of several
 * segments, and what the SA refused, are none.
 */
static void find_records(struct lint_mad *m)
{
	const struct ibw_mad_walked *w = &m->walked;
	struct lint_records *r = &m->records;

	if (!lint_mad_is_sa(m) || !m->sa || !w->attr || w->data_off > m->n ||
	    w->flags & (IBW_MAD_OPA | IBW_MAD_SEGMENT | IBW_MAD_CONTROL))
		return;
	r->p = m->p + w->data_off;
	r->here = w->data_len < m->n - w->data_off ? w->data_len : m->n - w->data_off;
	if (w->flags & IBW_MAD_TABLE) {
		r->table = ibw_sa_table_of(w->attr, w->record_stride, w->data_len);
	} else {
		r->table.n = 1;
		r->table.stride = w->data_len;
	}
}

bool lint_mad_walk(struct lint_mad *m, const struct ibw_packet *pkt)
{
	static const struct lint_mad fresh;
	uint32_t i;

	*m = fresh;
	m->n = ibw_packet_payload_captured(pkt);
	m->len = pkt->payload_len;
	m->off = m->n ? pkt->payload_off : 0;
	m->p = pkt->data + m->off;
	if (!meant(m, pkt))
		return false;
	ibw_mad_walk(&m->walked, m->p, m->n, m->len, m->span, LINT_MAD_SPANS);
	for (i = 0; i < m->walked.n_spans; i++)
		note_header(m, &m->span[i]);
	if (m->mad)
		m->status = m->dr_status ? ibw_smp_dr_status_status(m->dr_status)
					 : ibw_mad_status(m->mad);
	if (m->sa)
		find_records(m);
	return true;
}

bool lint_mad_is_smp(const struct lint_mad *m)
{
	const struct ibw_mad_class_row *row = m->walked.class_row;

	return row && row->attrs == IBW_ATTRS_SM;
}

bool lint_mad_is_sa(const struct lint_mad *m)
{
	const struct ibw_mad_class_row *row = m->walked.class_row;

	return row && row->attrs == IBW_ATTRS_SA;
}

bool lint_mad_is_cm(const struct lint_mad *m)
{
	const struct ibw_mad_class_row *row = m->walked.class_row;

	return row && row->attrs == IBW_ATTRS_CM;
}

/* Get and Set are both answered by GetResp; the others by their own name and "Resp". */
const char *lint_mad_text(const struct lint_mad *m, char buf[LINT_MAD_TEXT])
{
	const struct ibw_mad_class_row *row = m->walked.class_row;
	const char *method = ibw_name_of(ibw_mad_method_names, ibw_mad_method(m->mad));
	const char *resp = ibw_mad_r(m->mad) ? "Resp" : "";
	char number[16], class_number[16], attr[24];

	snprintf(number, sizeof(number), "method 0x%02x", ibw_mad_method(m->mad));
	snprintf(class_number, sizeof(class_number), "class 0x%02x", ibw_mad_mgmt_class(m->mad));
	snprintf(attr, sizeof(attr), "attribute 0x%04x", ibw_mad_attr_id(m->mad));
	snprintf(buf, LINT_MAD_TEXT, "%s %s%s(%s)", row ? row->text : class_number,
		 method ? method : number, resp, m->walked.attr ? m->walked.attr->text : attr);
	return buf;
}

static void append(char buf[LINT_MAD_TEXT], const char *text)
{
	size_t n = strlen(buf);

	snprintf(buf + n, LINT_MAD_TEXT - n, "%s%s", n ? "; " : "", text);
}

const char *lint_mad_status_text(const struct lint_mad *m, char buf[LINT_MAD_TEXT])
{
	uint32_t code = IBW_STATUS_CODE(m->status), own = IBW_STATUS_CLASS(m->status);
	const char *name;
	char number[32];

	*buf = '\0';
	if (m->status & IBW_STATUS_BUSY)
		append(buf, "busy");
	if (m->status & IBW_STATUS_REDIRECT)
		append(buf, "redirection required");
	if (code) {
		name = ibw_name_of(ibw_mad_status_code_names, code);
		append(buf, name ? name : "reserved code");
	}
	if (own) {
		name = lint_mad_is_sa(m) ? ibw_name_of(ibw_sa_status_names, own) : NULL;
		snprintf(number, sizeof(number), "class-specific 0x%02x", own);
		append(buf, name ? name : number);
	}
	if (!*buf)
		append(buf, "reserved bits");
	return buf;
}

/* Only answers of several records come in segments. */
void lint_mad_complete(struct lint_mad *m, const struct lint_transfer *t)
{
	struct lint_records *r = &m->records;

	m->walked.attr = t->attr;
	if (!t->attr || !ibw_mad_r(m->mad))
		return;
	r->p = t->rmpp.room;
	r->here = t->rmpp.len;
	r->table = ibw_sa_table_of(t->attr, t->record_stride, t->rmpp.len);
	r->put_together = true;
}

const uint8_t *lint_mad_record(const struct lint_mad *m, unsigned int i, uint32_t bytes)
{
	const struct lint_records *r = &m->records;
	uint32_t at = i * r->table.stride;

	return i < r->table.n && at <= r->here && bytes <= r->here - at ? r->p + at : NULL;
}

void lint_found_wire(const struct lint_packet *p, enum lint_rule_id rule, const uint8_t *at,
		     uint32_t n, const char *format, ...)
{
	const struct lint_records *r = p->mad ? &p->mad->records : NULL;
	char text[LINT_WIRE_TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* Both are addresses of bytes that exist; which of the two is to be told. */
	if (r && r->put_together && (uintptr_t)at - (uintptr_t)r->p < r->here)
		lint_found(p, rule, p->mad->off + p->mad->walked.data_off, 0, "record %u of %u: %s",
			   (uint32_t)(at - r->p) / r->table.stride + 1, r->table.n, text);
	else
		lint_found(p, rule, (uint32_t)(at - p->pkt->data), n, "%s", text);
}
