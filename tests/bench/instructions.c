/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * instructions.c - the same BTH code from the schema and by hand, for instructions.py to count
 * and for bench_headers.c to time. The hand-written code is what one would write knowing
 * the layout: one load a word, shifts and masks.
 */
#include "instructions.h"

void schema_bth_unpack(struct ibw_bth *v, const struct ibw_bth_wire *w)
{
	ibw_bth_unpack(v, w);
}

void hand_bth_unpack(struct ibw_bth *v, const struct ibw_bth_wire *w)
{
	uint32_t a, b, c;

	memcpy(&a, w->b, 4);
	memcpy(&b, w->b + 4, 4);
	memcpy(&c, w->b + 8, 4);
	a = ntohl(a);
	b = ntohl(b);
	c = ntohl(c);
	v->opcode = (uint8_t)(a >> 24);
	v->se = a >> 23 & 1;
	v->migreq = a >> 22 & 1;
	v->padcnt = a >> 20 & 3;
	v->tver = a >> 16 & 15;
	v->pkey = (uint16_t)a;
	v->fecn = (uint8_t)(b >> 31);
	v->becn = b >> 30 & 1;
	v->dqpn = b & 0xffffff;
	v->ackreq = (uint8_t)(c >> 31);
	v->psn = c & 0xffffff;
}

void schema_bth_pack(struct ibw_bth_wire *w, const struct ibw_bth *v)
{
	ibw_bth_pack(w, v);
}

void hand_bth_pack(struct ibw_bth_wire *w, const struct ibw_bth *v)
{
	uint32_t a, b, c;

	a = (uint32_t)v->opcode << 24 | (v->se & 1u) << 23 | (v->migreq & 1u) << 22 |
	    (v->padcnt & 3u) << 20 | (v->tver & 15u) << 16 | v->pkey;
	b = (v->fecn & 1u) << 31 | (v->becn & 1u) << 30 | (v->dqpn & 0xffffff);
	c = (v->ackreq & 1u) << 31 | (v->psn & 0xffffff);
	a = htonl(a);
	b = htonl(b);
	c = htonl(c);
	memcpy(w->b, &a, 4);
	memcpy(w->b + 4, &b, 4);
	memcpy(w->b + 8, &c, 4);
}

void schema_grh_unpack(struct ibw_grh *v, const struct ibw_grh_wire *w)
{
	ibw_grh_unpack(v, w);
}

void schema_grh_pack(struct ibw_grh_wire *w, const struct ibw_grh *v)
{
	ibw_grh_pack(w, v);
}

void schema_path_rec_unpack(struct ibw_path_rec *v, const struct ibw_path_rec_wire *w)
{
	ibw_path_rec_unpack(v, w);
}

void schema_path_rec_pack(struct ibw_path_rec_wire *w, const struct ibw_path_rec *v)
{
	ibw_path_rec_pack(w, v);
}

uint8_t getter_bth_opcode(const struct ibw_bth_wire *w)
{
	return ibw_bth_opcode(w);
}

uint32_t getter_bth_psn(const struct ibw_bth_wire *w)
{
	return ibw_bth_psn(w);
}

uint16_t getter_bth_pkey(const struct ibw_bth_wire *w)
{
	return ibw_bth_pkey(w);
}

uint8_t getter_bth_padcnt(const struct ibw_bth_wire *w)
{
	return ibw_bth_padcnt(w);
}

uint64_t getter_reth_va(const struct ibw_reth_wire *w)
{
	return ibw_reth_va(w);
}

uint32_t getter_grh_flow_label(const struct ibw_grh_wire *w)
{
	return ibw_grh_flow_label(w);
}

uint16_t getter_lrh_pktlen(const struct ibw_lrh_wire *w)
{
	return ibw_lrh_pktlen(w);
}
