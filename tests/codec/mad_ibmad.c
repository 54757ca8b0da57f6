/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mad_ibmad.c - every field libibmad knows, against ours: read from the MADs of the
 * captures and from random bytes, and written by each side for the other to read. The
 * five rows in which the library reads another field are shown to do so.
 */
#include "check.h"
#include "codecs.h"
#include "pcap_file.h"

#include <infiniband/mad.h>

#include <ibwire/interp.h>
#include <ibwire/mad_walk.h>
#include <ibwire/packet.h>
#include <ibwire/print.h>

#define ROOM 1024 /* around a layer; libibmad takes no length */
#define PLACE 512 /* of the layer in it, about */
#define ALL (-1)  /* all elements, as bytes */
#define ROUNDS 64 /* of random bytes */
#define SPANS 300 /* of one MAD */

struct row {
	enum MAD_FIELDS theirs;
	const char *name;
	uint16_t layer;
	const char *field;
	int element;
	int shift; /* bytes */
};

static const struct row rows[] = {
#define IBMAD(theirs, layer, field, element, shift)                                                \
	{ theirs, #theirs, IBW_LAYER_##layer, #field, element, (shift) / 8 },
#include "mad_ibmad.def"
#undef IBMAD
};
#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

/* Read at a place other than where the field is: rows of fields.c that lack BITSOFFS(). */
static const struct {
	struct row row;
	unsigned int reads; /* bit it reads from, 16 of them */
} wrong[] = {
#define WRONG(theirs, layer, field, reads)                                                         \
	{                                                                                          \
		{ theirs, #theirs, IBW_LAYER_##layer, #field, 0, 0 }, reads                        \
	}
	WRONG(IB_PC_QP1_DROP_F, port_counters, qp1_dropped, 176),
	WRONG(IB_PORT_EXT_HDR_FEC_MODE_SUPPORTED_F, port_info_ext, hdr_fec_supported, 96),
	WRONG(IB_PORT_EXT_HDR_FEC_MODE_ENABLED_F, port_info_ext, hdr_fec_enabled, 144),
	WRONG(IB_PORT_EXT_NDR_FEC_MODE_SUPPORTED_F, port_info_ext, ndr_fec_supported, 128),
	WRONG(IB_PORT_EXT_NDR_FEC_MODE_ENABLED_F, port_info_ext, ndr_fec_enabled, 176),
};
#define N_WRONG (sizeof(wrong) / sizeof(wrong[0]))

/* Fields of theirs that are none of ours. */
static const struct {
	enum MAD_FIELDS first, last;
	const char *why;
} left_out[] = {
	{ IB_GID_PREFIX_F, IB_GID_GUID_F, "halves of a GID" },
	{ IB_SA_DATA_F, IB_GS_DATA_F, "whatever follows the headers" },
	{ IB_SA_SR_DATA_F, IB_SA_SR_DATA_F, "four arrays of ours" },
	{ IB_ATS_SM_NODE_ADDR_F, IB_ATS_SM_NODE_NAME_F, "one service's use of the service data" },
	{ IB_VL_ARBITRATION_TABLE_F, IB_VL_ARBITRATION_TABLE_F, "an entry is a layer of ours" },
	{ IB_VEND2_DATA_F, IB_VEND2_DATA_F, "whatever follows the headers" },
};

static unsigned long per_row[N_ROWS]; /* comparisons */
static bool differed[N_WRONG];

static uint64_t random64(void)
{
	static uint64_t state = 0x2545f4914f6cdd1du;

	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x9e3779b97f4a7c15u;
}

static void random_bytes(uint8_t *p, size_t n)
{
	while (n--)
		*p++ = (uint8_t)(random64() >> 56);
}

static const struct ibw_field *field_of(const struct row *row)
{
	const struct ibw_field *f = ibw_headers[row->layer].fields;

	while (f->name && strcmp(f->name, row->field) != 0)
		f++;
	return f->name ? f : NULL;
}

static bool as_bytes(const struct row *row, const struct ibw_field *f)
{
	return f->flags & IBW_FIELD_BYTES || row->element == ALL;
}

/* All elements of the value struct, one after the other; how many bytes. */
static unsigned int bytes_of(uint8_t *to, const void *value, const struct ibw_field *f)
{
	unsigned int i, n = ibw_interp_elements(f), width = ibw_interp_width(f), bit;

	memset(to, 0, (n * width + 7) / 8);
	for (i = 0; i < n; i++)
		for (bit = 0; bit < width; bit++)
			if (ibw_interp_value(value, f, i) >> (width - 1 - bit) & 1)
				to[(i * width + bit) / 8] |=
					(uint8_t)(0x80 >> (i * width + bit) % 8);
	return n * width / 8;
}

/* Where the layer lies in the room: the library counts in words from where its own structure starts. */
static int place_of(const struct row *row)
{
	return PLACE + row->shift % 4;
}

static int base_of(const struct row *row)
{
	return place_of(row) - row->shift;
}

/* The layer's bytes among others. */
static void furnish(uint8_t *room, const struct row *row, const uint8_t *wire)
{
	memset(room, 0xa5, ROOM);
	memcpy(room + place_of(row), wire, ibw_headers[row->layer].bytes);
}

static uint64_t their_number(uint8_t *room, const struct row *row, const struct ibw_field *f)
{
	if (f->bits > 32)
		return mad_get_field64(room, base_of(row), row->theirs);
	return mad_get_field(room, base_of(row), row->theirs);
}

/* The library reads from @wire what our value struct holds. */
static void check_row(const struct row *row, const uint8_t *wire, const void *value)
{
	const struct ibw_field *f = field_of(row);
	uint8_t want[CODEC_ROOM], got[CODEC_ROOM] = { 0 }, room[ROOM];
	unsigned int n;

	check_case("%s is %s.%s", row->name, ibw_headers[row->layer].name, row->field);
	if (!CHECK(f != NULL))
		return;
	furnish(room, row, wire);
	if (!as_bytes(row, f)) {
		CHECK_EQ(their_number(room, row, f),
			 ibw_interp_value(value, f, (unsigned int)row->element));
		return;
	}
	n = bytes_of(want, value, f);
	mad_get_array(room, base_of(row), row->theirs, got);
	CHECK_MEM(got, want, n);
}

static void check_wrong(unsigned int i, const uint8_t *wire, const void *value)
{
	const struct row *row = &wrong[i].row;
	const struct ibw_field *f = field_of(row);
	uint8_t room[ROOM];
	uint64_t got;

	check_case("%s is not %s.%s", row->name, ibw_headers[row->layer].name, row->field);
	if (!CHECK(f != NULL))
		return;
	furnish(room, row, wire);
	got = their_number(room, row, f);
	CHECK_EQ(got, ibw_get_be16(wire + wrong[i].reads / 8));
	if (got != ibw_interp_value(value, f, 0))
		differed[i] = true;
}

/* One layer's bytes, read by both. */
static void check_layer(uint16_t layer, const uint8_t *wire)
{
	union {
		uint8_t bytes[CODEC_ROOM];
		uint64_t align;
	} value;
	unsigned int i;

	codecs[layer].unpack(value.bytes, wire);
	for (i = 0; i < N_ROWS; i++)
		if (rows[i].layer == layer) {
			check_row(&rows[i], wire, value.bytes);
			per_row[i]++;
		}
	for (i = 0; i < N_WRONG; i++)
		if (wrong[i].row.layer == layer)
			check_wrong(i, wire, value.bytes);
}

/* The library takes 64 bits for a number of the host, more for bytes. */
static void put_bytes(uint8_t *room, const struct row *row, const struct ibw_field *f,
		      uint8_t *bytes)
{
	if (ibw_interp_elements(f) * ibw_interp_width(f) == 64)
		mad_set_field64(room, base_of(row), row->theirs, ibw_get_be64(bytes));
	else
		mad_encode_field(room + base_of(row), row->theirs, bytes);
}

/* What we pack, the library reads; what it writes, we read. */
static void construct(const struct row *row)
{
	const struct ibw_field *f = field_of(row);
	uint8_t wire[CODEC_ROOM], room[ROOM] = { 0 }, want[CODEC_ROOM];
	union {
		uint8_t bytes[CODEC_ROOM];
		uint64_t align;
	} value;
	uint64_t v = random64();
	unsigned int n;

	random_bytes(wire, ibw_headers[row->layer].bytes);
	codecs[row->layer].unpack(value.bytes, wire);
	codecs[row->layer].pack(wire, value.bytes);
	check_row(row, wire, value.bytes);
	if (!f)
		return;
	memset(room, 0, sizeof(room));
	check_case("%s written", row->name);
	if (as_bytes(row, f)) {
		random_bytes(wire, sizeof(wire));
		put_bytes(room, row, f, wire);
		codecs[row->layer].unpack(value.bytes, room + place_of(row));
		n = bytes_of(want, value.bytes, f);
		CHECK_MEM(want, wire, n);
		return;
	}
	v = f->bits < 64 ? v & ((1ull << f->bits) - 1) : v;
	if (f->bits > 32)
		mad_set_field64(room, base_of(row), row->theirs, v);
	else
		mad_set_field(room, base_of(row), row->theirs, (uint32_t)v);
	codecs[row->layer].unpack(value.bytes, room + place_of(row));
	CHECK_EQ(ibw_interp_value(value.bytes, f, (unsigned int)row->element), v);
}

static void random_rounds(void)
{
	uint8_t wire[CODEC_ROOM];
	unsigned int round, layer, i;

	for (round = 0; round < ROUNDS; round++) {
		for (layer = 0; layer < IBW_LAYER_COUNT; layer++) {
			random_bytes(wire, ibw_headers[layer].bytes);
			check_layer((uint16_t)layer, wire);
		}
		for (i = 0; i < N_ROWS; i++)
			construct(&rows[i]);
	}
	for (i = 0; i < N_WRONG; i++) {
		check_case("%s", wrong[i].row.name);
		CHECK(differed[i]);
	}
}

static unsigned int check_capture(const char *name)
{
	struct ibw_span span[SPANS];
	struct ibw_mad_walked walked;
	struct ibw_packet pkt;
	struct pcap_file f;
	unsigned int mads = 0;
	const uint8_t *mad;
	uint32_t i;

	pcap_file_open(&f, "pcaps", name);
	while (pcap_file_next(&f)) {
		ibw_packet_walk(&pkt, f.frame, f.caplen, f.len, f.linktype, NULL);
		if (pkt.outcome != IBW_OK || !ibw_packet_is_mad(&pkt) ||
		    pkt.payload_len != IBW_MAD_BYTES)
			continue;
		mad = pkt.data + pkt.payload_off;
		ibw_mad_walk(&walked, mad, IBW_MAD_BYTES, IBW_MAD_BYTES, span, SPANS);
		for (i = 0; i < walked.n_spans; i++)
			check_layer(span[i].layer, mad + span[i].off);
		mads++;
	}
	pcap_file_close(&f);
	return mads;
}

static bool known(enum MAD_FIELDS theirs)
{
	unsigned int i;

	for (i = 0; i < N_ROWS; i++)
		if (rows[i].theirs == theirs)
			return true;
	for (i = 0; i < N_WRONG; i++)
		if (wrong[i].row.theirs == theirs)
			return true;
	for (i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		if (theirs >= left_out[i].first && theirs <= left_out[i].last)
			return true;
	return false;
}

/* Each field the library has a name for is in one of the lists above. */
static void all_theirs(void)
{
	unsigned int theirs, n = 0;
	const char *name;

	for (theirs = IB_NO_FIELD + 1; theirs < IB_FIELD_LAST_; theirs++) {
		name = mad_field_name((enum MAD_FIELDS)theirs);
		if (!name || !*name)
			continue;
		check_case("libibmad's field %u, %s", theirs, name);
		CHECK(known((enum MAD_FIELDS)theirs));
		n++;
	}
	printf("%u fields of libibmad, %zu rows, %zu of them wrong\n", n, N_ROWS, N_WRONG);
}

int main(void)
{
	static const char *const captures[] = {
		"mad/sweep.pcap",
		"mad/sa.pcap",
		"mad/perf.pcap",
		"mad/rmpp.roce.pcap",
		"rxe/09-udaddy-sidr.pcap",
		"rxe/11-ucmatose-ok.pcap",
		"rxe/11b-ucmatose-rej-nolistener.pcap",
		"rxe/11d-cmtime.pcap",
	};
	unsigned int i, mads = 0, unseen = 0;

	all_theirs();
	for (i = 0; i < sizeof(captures) / sizeof(captures[0]); i++)
		mads += check_capture(captures[i]);
	for (i = 0; i < N_ROWS; i++)
		unseen += !per_row[i];
	printf("%u MADs of captures; %u rows are in none of them\n", mads, unseen);
	check_case("%s", "captures");
	CHECK(mads > 10000);
	random_rounds();
	return check_end();
}
