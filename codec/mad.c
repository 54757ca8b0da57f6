/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mad.c - the walk over one management datagram, from the common header to its records. */
#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>

/* CongestionLog begins in bytes that other attributes of its class reserve: IBTA vol 1, A10.3.1 */
enum { CONG_LOG_OFF = 32 };

/* The MAD being walked: what is there (n), what there was (len), and how far we are. */
struct mad {
	struct ibw_mad_walked *walked;
	const uint8_t *p;
	uint32_t n, len;
	struct ibw_span *span;
	uint32_t cap;
};

static void add_span(struct mad *m, uint16_t layer, uint32_t off, uint32_t len)
{
	struct ibw_mad_walked *w = m->walked;

	if (w->n_spans < m->cap) {
		struct ibw_span span = { layer, (uint16_t)len, off };

		m->span[w->n_spans++] = span;
	}
	w->needed_spans++;
}

/* @layer at @off does not fit between it and @end, which @said_by says; the first error stays. */
static void missing(struct mad *m, uint16_t layer, uint32_t off, uint32_t end, uint16_t said_by)
{
	struct ibw_mad_walked *w = m->walked;
	uint32_t len = ibw_headers[layer].bytes;

	if (w->outcome != IBW_OK)
		return;
	w->outcome = IBW_MALFORMED;
	if (off <= end && len <= end - off) {
		w->outcome = IBW_CUT;
		end = m->n;
		said_by = IBW_LAYER_COUNT;
	}
	w->error.layer = layer;
	w->error.said_by = said_by;
	w->error.off = off;
	w->error.needed = len;
	w->error.had = off < end ? end - off : 0;
}

/* The layer's bytes, its span added; NULL if they are not there. */
static const void *take(struct mad *m, uint16_t layer, uint32_t off)
{
	uint32_t len = ibw_headers[layer].bytes;

	if (off > m->n || len > m->n - off) {
		missing(m, layer, off, m->len, IBW_LAYER_bth);
		return NULL;
	}
	add_span(m, layer, off, len);
	return m->p + off;
}

#define TAKE(m, name, off) ((const struct ibw_##name##_wire *)take(m, IBW_LAYER_##name, off))

/* What the RMPP header says of the data behind it. */
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
	/* PayloadLength counts the class header behind RMPP too: IBTA vol 1, 13.6.3 */
	if (w->class_row->layers[1] != IBW_LAYER_COUNT)
		sa = ibw_headers[w->class_row->layers[1]].bytes;
	if (flags & IBW_RMPP_LAST && payload >= sa && payload - sa < w->data_len)
		w->data_len = payload - sa;
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

/* Whether the fixed layers of the attribute, one behind the other, are all there. */
static void check_fixed(struct mad *m)
{
	const struct ibw_mad_walked *w = m->walked;
	uint32_t off = w->data_off, end = w->data_off + w->data_len, i, bytes;
	uint16_t said_by = IBW_LAYER_bth;

	if (end > m->len)
		end = m->len;
	else if (w->class_row->layers[0] == IBW_LAYER_rmpp)
		said_by = IBW_LAYER_rmpp;
	for (i = 0; i < 3 && w->attr->layers[i] != IBW_LAYER_COUNT; i++, off += bytes) {
		bytes = ibw_headers[w->attr->layers[i]].bytes;
		if (off > end || bytes > end - off || off > m->n || bytes > m->n - off) {
			missing(m, w->attr->layers[i], off, end, said_by);
			return;
		}
	}
}

/* One attribute, or one record of a table, at @off of the MAD. */
static void walk_record(struct mad *m, uint32_t attr_mod, uint32_t off, uint32_t bytes)
{
	struct ibw_mad_walked *w = m->walked;
	uint32_t room = m->cap - w->n_spans, n, i;

	n = ibw_mad_walk_attr(w->attr, attr_mod, m->p + off, bytes, m->span + w->n_spans, room);
	w->needed_spans += n;
	if (n > room)
		n = room;
	for (i = 0; i < n; i++)
		m->span[w->n_spans + i].off += off;
	w->n_spans += n;
}

static bool all_zero(const uint8_t *p, uint32_t n)
{
	while (n && !*p)
		p++, n--;
	return !n;
}

/*
 * All records the data holds whole; one if there is no stride. Where nothing says how long
 * the data is, they end before one that is all zero.
 */
static void walk_records(struct mad *m, uint32_t attr_mod)
{
	struct ibw_mad_walked *w = m->walked;
	uint32_t off = w->data_off, end;

	if (!(w->flags & IBW_MAD_TABLE))
		check_fixed(m);
	if (off > m->n)
		return;
	end = w->data_len <= m->n - off ? off + w->data_len : m->n;
	if (!(w->flags & IBW_MAD_TABLE)) {
		walk_record(m, attr_mod, off, end - off);
		return;
	}
	while (w->record_stride && end - off >= w->record_stride) {
		if (w->flags & IBW_MAD_UNSENT && all_zero(m->p + off, w->record_stride)) {
			w->data_len = off - w->data_off;
			break;
		}
		walk_record(m, attr_mod, off, w->record_stride);
		off += w->record_stride;
	}
}

static void walk_data(struct mad *m, const struct ibw_mad_wire *mad)
{
	struct ibw_mad_walked *w = m->walked;
	uint8_t method = ibw_mad_method(mad);

	if (!w->attr || w->flags & (IBW_MAD_CONTROL | IBW_MAD_SEGMENT))
		return;
	if (w->class_row->attrs == IBW_ATTRS_SA && ibw_mad_r(mad) &&
	    (method == IBW_METHOD_GET_TABLE || method == IBW_METHOD_GET_TRACE_TABLE ||
	     method == IBW_METHOD_GET_MULTI))
		w->flags |= IBW_MAD_TABLE;
	walk_records(m, ibw_mad_attr_mod(mad));
}

enum ibw_outcome ibw_mad_walk(struct ibw_mad_walked *walked, const uint8_t *p, uint32_t n,
			      uint32_t len, struct ibw_span *span, uint32_t cap)
{
	static const struct ibw_mad_walked fresh;
	struct mad m = { walked, p, n, len, span, cap };
	const struct ibw_mad_wire *mad;

	*walked = fresh;
	mad = TAKE(&m, mad, 0);
	if (!mad)
		return (enum ibw_outcome)walked->outcome;
	if (ibw_mad_base_version(mad) == IBW_MAD_BASE_VERSION_OPA)
		walked->flags |= IBW_MAD_OPA;
	walked->class_row = ibw_mad_class_of(ibw_mad_mgmt_class(mad));
	if (!walked->class_row || walked->flags & IBW_MAD_OPA) {
		walked->data_off = ibw_mad_BYTES;
		walked->data_len = len > ibw_mad_BYTES ? len - ibw_mad_BYTES : 0;
		return (enum ibw_outcome)walked->outcome;
	}
	walked->data_off = walked->class_row->off;
	walked->data_len = walked->class_row->len;
	walked->attr = ibw_mad_attr_of(walked->class_row, ibw_mad_attr_id(mad));
	if (walked->attr && walked->attr->layers[0] == IBW_LAYER_cong_log) {
		walked->data_off = CONG_LOG_OFF;
		walked->data_len = IBW_MAD_BYTES - CONG_LOG_OFF;
	}
	if (!walk_class(&m))
		return (enum ibw_outcome)walked->outcome;
	walk_data(&m, mad);
	if (walked->class_row->first == IBW_CLASS_SUBN_DR)
		TAKE(&m, smp_dr_path, 128);
	else if (walked->class_row->first == IBW_CLASS_SUBN_LID)
		TAKE(&m, reserved_128, 128);
	return (enum ibw_outcome)walked->outcome;
}

bool ibw_packet_is_mad(const struct ibw_packet *pkt)
{
	const struct ibw_bth_wire *bth;
	const struct ibw_deth_wire *deth;

	if (!(pkt->eths & IBW_ETH_DETH) || (pkt->opcode & IBW_SERVICE_MASK) != IBW_SERVICE_UD)
		return false;
	bth = (const struct ibw_bth_wire *)ibw_packet_at(pkt, pkt->bth);
	deth = (const struct ibw_deth_wire *)ibw_packet_at(pkt, pkt->bth + 1u);
	return ibw_bth_dqpn(bth) <= IBW_QPN_GSI || ibw_deth_sqpn(deth) <= IBW_QPN_GSI;
}

uint32_t ibw_packet_payload_captured(const struct ibw_packet *pkt)
{
	uint32_t left = pkt->payload_off < pkt->caplen ? pkt->caplen - pkt->payload_off : 0;

	return left < pkt->payload_len ? left : pkt->payload_len;
}
