/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mad.c - the walk over one management datagram, from the common header to its records. */
#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>

#include "cursor.h"

/* CongestionLog begins in bytes that other attributes of its class reserve: IBTA vol 1, A10.3.1 */
enum { CONG_LOG_OFF = 32 };

/* The MAD being walked. What there was of it on the wire is @len; all bounds are of the cursor. */
struct mad {
	struct cursor c;
	struct ibw_mad_walked *walked;
	uint32_t len;
	bool sized; /* data_len is what the sender says, not all there is room for */
};

/* The layer's bytes, its span added; NULL if they are not there. */
static const void *take(struct mad *m, uint16_t layer, uint32_t off)
{
	uint32_t bytes = ibw_headers[layer].bytes;

	if (off > m->c.limit || bytes > m->c.limit - off) {
		cursor_short(&m->c, off, layer, bytes);
		return NULL;
	}
	m->c.off = off;
	cursor_span(&m->c, layer, bytes);
	return m->c.p + off;
}

#define TAKE(m, name, off) ((const struct ibw_##name##_wire *)take(m, IBW_LAYER_##name, off))

/* What the RMPP header says of the data after it. */
static void walk_rmpp(struct mad *m, const struct ibw_rmpp_wire *rmpp)
{
	struct ibw_mad_walked *w = m->walked;
	uint32_t payload = ibw_rmpp_data2(rmpp), sa = 0;
	uint8_t flags = ibw_rmpp_flags(rmpp);

	if (!(flags & IBW_RMPP_ACTIVE))
		return;
	if (!ibw_rmpp_type(rmpp) && !ibw_rmpp_data1(rmpp)) {
		w->flags |= IBW_MAD_UNSENT;
		return;
	}
	if (ibw_rmpp_type(rmpp) != IBW_RMPP_DATA) {
		w->flags |= IBW_MAD_CONTROL;
		return;
	}
	if (!(flags & IBW_RMPP_FIRST) || !(flags & IBW_RMPP_LAST))
		w->flags |= IBW_MAD_SEGMENT;
	/* PayloadLength counts the class header after RMPP too: IBTA vol 1, 13.6.3 */
	if (w->class_row->layers[1] != IBW_LAYER_COUNT)
		sa = ibw_headers[w->class_row->layers[1]].bytes;
	if (flags & IBW_RMPP_LAST && payload >= sa && payload - sa <= w->data_len) {
		w->data_len = payload - sa;
		m->sized = true;
	}
}

static bool walk_class(struct mad *m)
{
	const struct ibw_mad_class_row *row = m->walked->class_row;
	uint32_t off = ibw_mad_BYTES, i;
	const void *p;

	if (row->first == IBW_CLASS_SUBN_DR && !TAKE(m, smp_dr_status, 4))
		return false;
	for (i = 0; i < 2 && row->layers[i] != IBW_LAYER_COUNT; i++) {
		if (off >= m->walked->data_off)
			break; /* CongestionLog */
		p = take(m, row->layers[i], off);
		if (!p)
			return false;
		off += ibw_headers[row->layers[i]].bytes;
		if (row->layers[i] == IBW_LAYER_rmpp)
			walk_rmpp(m, (const struct ibw_rmpp_wire *)p);
		if (row->layers[i] == IBW_LAYER_sa)
			m->walked->record_stride =
				ibw_sa_attr_offset((const struct ibw_sa_wire *)p) * 8u;
	}
	return true;
}

/* Whether the fixed layers of the attribute, one after the other, are all there. */
static void check_fixed(struct mad *m)
{
	const struct ibw_mad_walked *w = m->walked;
	uint32_t off = w->data_off, end = w->data_off + w->data_len, i, bytes;

	if (end <= m->len)
		cursor_end(&m->c, end,
			   w->class_row->layers[0] == IBW_LAYER_rmpp ? IBW_LAYER_rmpp
								     : IBW_LAYER_bth);
	for (i = 0; i < 3 && w->attr->layers[i] != IBW_LAYER_COUNT; i++, off += bytes) {
		bytes = ibw_headers[w->attr->layers[i]].bytes;
		if (off > m->c.limit || bytes > m->c.limit - off) {
			cursor_short(&m->c, off, w->attr->layers[i], bytes);
			break;
		}
	}
	cursor_end(&m->c, m->len, IBW_LAYER_bth);
}

/* One attribute, or one record of a table, at @off of the MAD. */
static void walk_record(struct mad *m, uint32_t attr_mod, uint32_t off, uint32_t bytes)
{
	struct ibw_mad_walked *w = m->walked;
	uint32_t at = m->c.n_spans < m->c.room ? m->c.n_spans : m->c.room;
	uint32_t room = m->c.room - at, n, i;

	n = ibw_mad_walk_attr(w->attr, attr_mod, m->c.p + off, bytes, m->c.span + at, room);
	for (i = 0; i < n && i < room; i++)
		m->c.span[at + i].off += off;
	m->c.n_spans += n;
}

static bool all_zero(const uint8_t *p, uint32_t n)
{
	while (n && !*p)
		p++, n--;
	return !n;
}

/* An error after the headers, whose length RMPP says. */
static void data_error(struct mad *m, enum ibw_outcome outcome, uint16_t layer, const char *field,
		       uint32_t off, uint32_t needed, uint32_t had)
{
	m->c.end_by = IBW_LAYER_rmpp;
	cursor_error(&m->c, off, outcome, layer, field, needed, had);
	m->c.end_by = IBW_LAYER_bth;
}

/* A table whose bytes are no whole number of records. */
static void odd_table(struct mad *m, const struct ibw_sa_table *t)
{
	const struct ibw_mad_walked *w = m->walked;

	if (t->stride < t->record)
		data_error(m, IBW_MALFORMED, IBW_LAYER_sa, "attr_offset",
			   w->data_off - ibw_sa_BYTES, (t->record + 7) / 8, t->stride / 8);
	else
		data_error(m, IBW_MALFORMED, w->attr->layers[0], NULL,
			   w->data_off + w->data_len - t->rest, t->record, t->rest);
}

/*
 * All records of a table, whose headers are there. Where nothing says how long the data is,
 * they end before one that is all zero.
 */
static void walk_table(struct mad *m, uint32_t attr_mod, bool refused)
{
	struct ibw_mad_walked *w = m->walked;
	struct ibw_sa_table t = ibw_sa_table_of(w->attr, w->record_stride, w->data_len);
	uint32_t off = w->data_off, end = off + w->data_len, here = m->c.cap - off, bytes, i;

	if (!m->sized && (t.n || all_zero(m->c.p + off, here < w->data_len ? here : w->data_len)))
		t.rest = 0;
	for (i = 0; i < t.n; i++, off += bytes) {
		bytes = t.stride < end - off ? t.stride : end - off;
		if (off > m->c.cap || bytes > m->c.cap - off) {
			data_error(m, end > m->len ? IBW_MALFORMED : IBW_CUT, w->attr->layers[0],
				   NULL, off, bytes, off < m->c.cap ? m->c.cap - off : 0);
			break;
		}
		if (!m->sized && all_zero(m->c.p + off, bytes)) {
			w->data_len = off - w->data_off;
			break;
		}
		walk_record(m, attr_mod, off, bytes);
	}
	if (t.rest && !refused)
		odd_table(m, &t);
}

/* The attribute, or what there is of it. */
static void walk_single(struct mad *m, uint32_t attr_mod)
{
	struct ibw_mad_walked *w = m->walked;
	uint32_t off = w->data_off;

	check_fixed(m);
	if (off <= m->c.cap)
		walk_record(m, attr_mod, off,
			    w->data_len <= m->c.cap - off ? w->data_len : m->c.cap - off);
}

static void walk_data(struct mad *m, const struct ibw_mad_wire *mad)
{
	struct ibw_mad_walked *w = m->walked;
	uint8_t method = ibw_mad_method(mad);

	if (w->flags & IBW_MAD_SEGMENT && w->data_off + w->data_len > m->c.cap && m->c.cap < m->len)
		data_error(m, IBW_CUT, IBW_LAYER_rmpp, "payload", ibw_mad_BYTES, w->data_len,
			   m->c.cap - w->data_off);
	if (!w->attr || w->flags & (IBW_MAD_CONTROL | IBW_MAD_SEGMENT))
		return;
	if (w->class_row->attrs == IBW_ATTRS_SA && ibw_mad_r(mad) &&
	    (method == IBW_METHOD_GET_TABLE || method == IBW_METHOD_GET_TRACE_TABLE ||
	     method == IBW_METHOD_GET_MULTI))
		w->flags |= IBW_MAD_TABLE;
	if (w->flags & IBW_MAD_TABLE)
		walk_table(m, ibw_mad_attr_mod(mad), ibw_mad_status(mad) != 0);
	else
		walk_single(m, ibw_mad_attr_mod(mad));
}

/* Headers, attribute or records, and what fills up an SMP. */
static void walk_mad(struct mad *m)
{
	struct ibw_mad_walked *walked = m->walked;
	const struct ibw_mad_wire *mad = TAKE(m, mad, 0);

	if (!mad)
		return;
	if (ibw_mad_base_version(mad) == IBW_MAD_BASE_VERSION_OPA)
		walked->flags |= IBW_MAD_OPA;
	walked->class_row = ibw_mad_class_of(ibw_mad_mgmt_class(mad));
	if (!walked->class_row || walked->flags & IBW_MAD_OPA) {
		walked->data_off = ibw_mad_BYTES;
		walked->data_len = m->len > ibw_mad_BYTES ? m->len - ibw_mad_BYTES : 0;
		return;
	}
	walked->data_off = walked->class_row->off;
	walked->data_len = walked->class_row->len;
	walked->attr = ibw_mad_attr_of(walked->class_row, ibw_mad_attr_id(mad));
	if (walked->attr && walked->attr->layers[0] == IBW_LAYER_cong_log) {
		walked->data_off = CONG_LOG_OFF;
		walked->data_len = IBW_MAD_BYTES - CONG_LOG_OFF;
	}
	if (!walk_class(m))
		return;
	walk_data(m, mad);
	if (walked->class_row->first == IBW_CLASS_SUBN_DR)
		TAKE(m, smp_dr_path, 128);
	else if (walked->class_row->first == IBW_CLASS_SUBN_LID)
		TAKE(m, reserved_128, 128);
}

/* Whether an attribute of subnet management is one header, whatever is in it. */
static bool is_one_header(const struct ibw_mad_attr_row *attr)
{
	switch (attr->layers[0]) {
	case IBW_LAYER_node_desc:
	case IBW_LAYER_node_info:
	case IBW_LAYER_switch_info:
	case IBW_LAYER_guid_info:
	case IBW_LAYER_port_info:
	case IBW_LAYER_pkey_table:
	case IBW_LAYER_lft:
	case IBW_LAYER_mft:
		return attr->layers[1] == IBW_LAYER_COUNT;
	default:
		return false;
	}
}

enum { WHOLE_SMP_SPANS = 5 };

/*
 * A whole SMP by directed route of such an attribute, as most SMPs are: in one step what walk_mad() finds header by header.
 * False: it is none, and nothing was done.
 */
static bool walk_whole_smp(struct ibw_mad_walked *w, const uint8_t *p, struct ibw_span *span)
{
	static const struct ibw_span spans[WHOLE_SMP_SPANS] = {
		{ IBW_LAYER_mad, ibw_mad_BYTES, 0 },
		{ IBW_LAYER_smp_dr_status, ibw_smp_dr_status_BYTES, 4 },
		{ IBW_LAYER_smp_dr, ibw_smp_dr_BYTES, ibw_mad_BYTES },
		{ IBW_LAYER_COUNT, 0, ibw_mad_BYTES + ibw_smp_dr_BYTES }, /* the attribute */
		{ IBW_LAYER_smp_dr_path, ibw_smp_dr_path_BYTES, 128 },
	};
	const struct ibw_mad_wire *mad = (const struct ibw_mad_wire *)p;
	const struct ibw_mad_class_row *row;
	const struct ibw_mad_attr_row *attr;

	if (ibw_mad_base_version(mad) != IBW_MAD_BASE_VERSION ||
	    ibw_mad_mgmt_class(mad) != IBW_CLASS_SUBN_DR)
		return false;
	row = ibw_mad_class_of(IBW_CLASS_SUBN_DR);
	attr = ibw_mad_attr_of(row, ibw_mad_attr_id(mad));
	if (!attr || !is_one_header(attr))
		return false;
	IBW_COPY(span, spans, sizeof(spans));
	span[3].layer = attr->layers[0];
	span[3].len = (uint16_t)ibw_headers[attr->layers[0]].bytes;
	w->class_row = row;
	w->attr = attr;
	w->data_off = row->off;
	w->data_len = row->len;
	w->n_spans = w->needed_spans = WHOLE_SMP_SPANS;
	return true;
}

enum ibw_outcome ibw_mad_walk(struct ibw_mad_walked *walked, const uint8_t *p, uint32_t n,
			      uint32_t len, struct ibw_span *span, uint32_t cap)
{
	static const struct ibw_mad_walked fresh;
	struct mad m = { { .p = p, .cap = n, .span = span, .room = cap, .error = &walked->error },
			 walked,
			 len,
			 false };

	*walked = fresh;
	if (n == IBW_MAD_BYTES && len == IBW_MAD_BYTES && cap >= WHOLE_SMP_SPANS &&
	    walk_whole_smp(walked, p, span))
		return IBW_OK;
	cursor_end(&m.c, len, IBW_LAYER_bth);
	walk_mad(&m);
	walked->outcome = m.c.outcome;
	walked->needed_spans = m.c.n_spans;
	walked->n_spans = m.c.n_spans < cap ? m.c.n_spans : cap;
	return (enum ibw_outcome)walked->outcome;
}

bool ibw_packet_is_mad(const struct ibw_packet *pkt)
{
	const struct ibw_deth_wire *deth = IBW_AT(pkt, deth);

	if (!deth || (pkt->opcode & IBW_SERVICE_MASK) != IBW_SERVICE_UD)
		return false;
	return ibw_bth_dqpn(IBW_KNOWN(pkt, bth)) <= IBW_QPN_GSI ||
	       ibw_deth_sqpn(deth) <= IBW_QPN_GSI;
}

uint32_t ibw_packet_payload_captured(const struct ibw_packet *pkt)
{
	uint32_t left = pkt->payload_off < pkt->caplen ? pkt->caplen - pkt->payload_off : 0;

	return left < pkt->payload_len ? left : pkt->payload_len;
}
