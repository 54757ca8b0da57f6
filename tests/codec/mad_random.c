/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mad_random.c - management datagrams packed from random values, every attribute of every
 * class in turn: the walk finds the layers that were packed. With an argument they are
 * written to that file, for tshark_fields.py to have them read by tshark.
 */
#include "check.h"
#include "codecs.h"

#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>

#define ROUNDS 6
#define SPANS 300

static uint64_t state = 2026;
static uint8_t mad[IBW_MAD_BYTES];
static struct ibw_mad_walked walked;
static struct ibw_span span[SPANS];

static uint8_t random_byte(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint8_t)(state >> 56);
}

static void walk(void)
{
	ibw_mad_walk(&walked, mad, sizeof(mad), sizeof(mad), span, SPANS);
}

/* Random values that a header can have, packed: what is reserved is 0, and text is letters. */
static void pack_random(uint16_t layer, uint8_t *wire)
{
	const struct ibw_field *f;
	static union {
		uint64_t align;
		uint8_t b[CODEC_ROOM];
	} value;
	uint8_t room[CODEC_ROOM];
	unsigned int i;

	for (i = 0; i < ibw_headers[layer].bytes; i++)
		room[i] = random_byte();
	codecs[layer].unpack(value.b, room);
	codecs[layer].pack(wire, value.b);
	for (f = ibw_headers[layer].fields; f->name; f++)
		for (i = 0; f->kind == IBW_KIND_TEXT && i < f->bits / 8u; i++)
			wire[f->at / 8u + i] = (uint8_t)('a' + random_byte() % 26);
	for (f = ibw_headers[layer].fields; f->name; f++)
		if (f->kind == IBW_KIND_ZERO)
			memset(wire + f->at / 8u, 0, f->bits / 8u);
}

/* What decides which layers follow is not left to chance alone. */
static void choose(uint16_t layer, uint8_t *wire, unsigned int round)
{
	static const uint16_t traps[ROUNDS] = { 64, 128, 129, 144, 256, 257 };

	switch (layer) {
	case IBW_LAYER_notice:
		ibw_notice_set_is_generic((struct ibw_notice_wire *)wire, 1);
		ibw_notice_set_trap_num((struct ibw_notice_wire *)wire, traps[round]);
		break;
	case IBW_LAYER_multipath_rec:
		ibw_multipath_rec_set_sgid_count((struct ibw_multipath_rec_wire *)wire, 1);
		ibw_multipath_rec_set_dgid_count((struct ibw_multipath_rec_wire *)wire, 2);
		break;
	case IBW_LAYER_cong_log:
		ibw_cong_log_set_type((struct ibw_cong_log_wire *)wire, round % 2 + 1);
		break;
	default:
		break;
	}
}

static void start(const struct ibw_mad_class_row *row, const struct ibw_mad_attr_row *attr,
		  unsigned int round)
{
	bool get = attr->methods & IBW_M_GET;
	struct ibw_mad v = { .base_version = 1,
			     .mgmt_class = row->first,
			     .class_version = row->version ? row->version : 1,
			     .r = get,
			     .method = get ? IBW_METHOD_GET : IBW_METHOD_SEND,
			     .tid = 0x100000000u + round,
			     .attr_id = attr->id };

	memset(mad, 0, sizeof(mad));
	ibw_mad_pack(ibw_mad_view_mut(mad, sizeof(mad)), &v);
}

/* Packs the layers of the attribute one by one: each may say what follows. */
static void fill(unsigned int round)
{
	uint16_t layers[SPANS];
	uint32_t i, n;

	walk();
	for (i = 0; i < walked.n_spans; i++) {
		if (span[i].off >= walked.data_off && span[i].layer != IBW_LAYER_smp_dr_path) {
			pack_random(span[i].layer, mad + span[i].off);
			choose(span[i].layer, mad + span[i].off, round);
		}
		layers[i] = span[i].layer;
		walk();
		CHECK(walked.n_spans > i);
	}
	n = walked.n_spans;
	CHECK(n < SPANS);
	for (i = 0; i < n; i++)
		CHECK_EQ(span[i].layer, layers[i]);
	CHECK_EQ(walked.outcome, IBW_OK);
}

static void le32(uint8_t *at, uint32_t v)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		at[i] = (uint8_t)(v >> 8 * i);
}

/* The MAD in a packet of a native link, with CRCs of 0. */
static void write_packet(FILE *out)
{
	uint8_t record[16] = { 0 },
		frame[28 + IBW_MAD_BYTES + IBW_ICRC_BYTES + IBW_VCRC_BYTES] = { 0 };
	bool smp = walked.class_row->attrs == IBW_ATTRS_SM;
	struct ibw_lrh lrh = { .vl = smp ? IBW_VL_SM : 0,
			       .lnh = IBW_LNH_LOCAL,
			       .dlid = 2,
			       .pktlen = (sizeof(frame) - IBW_VCRC_BYTES) / 4,
			       .slid = 1 };
	struct ibw_bth bth = { .opcode = IBW_OP_UD_SEND_ONLY,
			       .pkey = IBW_PKEY_DEFAULT_FULL,
			       .dqpn = smp ? IBW_QPN_SMI : IBW_QPN_GSI };
	struct ibw_deth deth = { .qkey = smp ? 0 : IBW_QKEY_GSI, .sqpn = bth.dqpn };

	ibw_lrh_pack((struct ibw_lrh_wire *)frame, &lrh);
	ibw_bth_pack((struct ibw_bth_wire *)(frame + 8), &bth);
	ibw_deth_pack((struct ibw_deth_wire *)(frame + 20), &deth);
	memcpy(frame + 28, mad, sizeof(mad));
	le32(record + 8, sizeof(frame));
	le32(record + 12, sizeof(frame));
	fwrite(record, 1, sizeof(record), out);
	fwrite(frame, 1, sizeof(frame), out);
}

static FILE *open_out(const char *path)
{
	uint8_t header[24] = { 0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4 };
	FILE *out = fopen(path, "wb");

	if (!out) {
		CHECK(out != NULL);
		return NULL;
	}
	le32(header + 16, 65535);
	le32(header + 20, 247);
	fwrite(header, 1, sizeof(header), out);
	return out;
}

int main(int argc, char **argv)
{
	FILE *out = argc > 1 ? open_out(argv[1]) : NULL;
	const struct ibw_mad_class_row *row;
	unsigned int round, i, mads = 0;

	for (row = ibw_mad_classes; row < ibw_mad_classes + ibw_mad_class_count; row++) {
		for (i = 0; i < ibw_mad_attribute_count; i++) {
			const struct ibw_mad_attr_row *attr = &ibw_mad_attributes[i];

			if (attr->attrs != row->attrs || attr->layers[0] == IBW_LAYER_COUNT)
				continue;
			for (round = 0; round < ROUNDS; round++, mads++) {
				check_case("%s %s, round %u", row->text, attr->text, round);
				start(row, attr, round);
				fill(round);
				if (out)
					write_packet(out);
			}
		}
	}
	check_case("%u MADs", mads);
	CHECK(mads > 500);
	if (out)
		CHECK_EQ(fclose(out), 0);
	return check_end();
}
