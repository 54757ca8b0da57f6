/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mad_edge.c - the walk over MADs that end early: by the capture, on the wire, by their own words. */
#include "check.h"

#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>
#include <ibwire/rmpp.h>

#define SPANS 64

static uint8_t mad[IBW_MAD_BYTES];
static struct ibw_mad_walked walked;
static struct ibw_span span[SPANS];

static enum ibw_outcome walk(uint32_t n, uint32_t len)
{
	return ibw_mad_walk(&walked, mad, n, len, span, SPANS);
}

static void start(uint8_t mgmt_class, uint8_t method, uint16_t attr_id)
{
	struct ibw_mad v = { .base_version = 1,
			     .mgmt_class = mgmt_class,
			     .class_version = 2,
			     .method = method & 0x7f,
			     .r = method >> 7,
			     .attr_id = attr_id };

	memset(mad, 0, sizeof(mad));
	ibw_mad_pack(ibw_mad_view_mut(mad, sizeof(mad)), &v);
}

static void check_error(uint16_t layer, uint16_t said_by, uint32_t off, uint32_t needed,
			uint32_t had)
{
	CHECK_EQ(walked.error.layer, layer);
	CHECK_EQ(walked.error.said_by, said_by);
	CHECK_EQ(walked.error.off, off);
	CHECK_EQ(walked.error.needed, needed);
	CHECK_EQ(walked.error.had, had);
}

/* NodeInfo, 40 bytes after 64 of headers, and the 128 reserved after it, at every length. */
static void test_attribute(void)
{
	uint32_t n;

	start(IBW_CLASS_SUBN_LID, 0x81, 0x11);
	for (n = 64; n < IBW_MAD_BYTES; n++) {
		check_case("%u bytes", n);
		CHECK_EQ(walk(n, IBW_MAD_BYTES), IBW_CUT);
		if (n < 104)
			check_error(IBW_LAYER_node_info, IBW_LAYER_COUNT, 64, 40, n - 64);
		else
			check_error(IBW_LAYER_reserved_128, IBW_LAYER_COUNT, 128, 128,
				    n < 128 ? 0 : n - 128);
		CHECK_EQ(walk(n, n), IBW_MALFORMED);
		if (n < 104)
			check_error(IBW_LAYER_node_info, IBW_LAYER_bth, 64, 40, n - 64);
		else
			check_error(IBW_LAYER_reserved_128, IBW_LAYER_bth, 128, 128,
				    n < 128 ? 0 : n - 128);
	}
	for (n = 0; n < 24; n++) {
		check_case("%u bytes", n);
		CHECK_EQ(walk(n, IBW_MAD_BYTES), IBW_CUT);
		check_error(IBW_LAYER_mad, IBW_LAYER_COUNT, 0, 24, n);
		CHECK_EQ(walk(n, n), IBW_MALFORMED);
		check_error(IBW_LAYER_mad, IBW_LAYER_bth, 0, 24, n);
	}
	/* A class with no header of its own: the attribute is missed all the same. */
	start(IBW_CLASS_PERF, 0x81, 0x12);
	CHECK_EQ(walk(40, IBW_MAD_BYTES), IBW_CUT);
	CHECK_EQ(walk(40, 40), IBW_MALFORMED);
	check_case("%s", "");
}

/* A table answer of @bytes bytes of PathRecords, one every 8 * @offset. */
static void start_table(uint16_t offset, uint32_t bytes)
{
	struct ibw_rmpp rmpp = { .version = 1, .type = IBW_RMPP_DATA, .data1 = 1 };

	start(IBW_CLASS_SUBN_ADM, 0x92, 0x35);
	memset(mad + 56, 1, 200);
	rmpp.flags = IBW_RMPP_ACTIVE | IBW_RMPP_FIRST | IBW_RMPP_LAST;
	rmpp.data2 = 20 + bytes;
	ibw_rmpp_pack(ibw_rmpp_view_mut(mad + 24, 12), &rmpp);
	ibw_sa_set_attr_offset(ibw_sa_view_mut(mad + 36, 20), offset);
}

static uint32_t paths(void)
{
	uint32_t i, n = 0;

	for (i = 0; i < walked.n_spans; i++)
		n += span[i].layer == IBW_LAYER_path_rec;
	return n;
}

/* Tables that end early, and those whose AttributeOffset cannot be. */
static void test_table(void)
{
	uint32_t n;

	start_table(8, 192);
	for (n = 56; n < IBW_MAD_BYTES; n++) {
		check_case("%u bytes", n);
		CHECK_EQ(walk(n, IBW_MAD_BYTES), n < 248 ? IBW_CUT : IBW_OK);
		CHECK_EQ(paths(), (n - 56) / 64);
		if (n < 248)
			check_error(IBW_LAYER_path_rec, IBW_LAYER_COUNT, 56 + (n - 56) / 64 * 64,
				    64, (n - 56) % 64);
	}
	check_case("AttributeOffset");
	start_table(0, 128);
	CHECK_EQ(walk(IBW_MAD_BYTES, IBW_MAD_BYTES), IBW_MALFORMED);
	check_error(IBW_LAYER_sa, IBW_LAYER_rmpp, 36, 8, 0);
	CHECK_STR(walked.error.field, "attr_offset");
	start_table(7, 128);
	CHECK_EQ(walk(IBW_MAD_BYTES, IBW_MAD_BYTES), IBW_MALFORMED);
	check_error(IBW_LAYER_sa, IBW_LAYER_rmpp, 36, 8, 7);
	start_table(9, 136); /* the padding of the last record is missing */
	CHECK_EQ(walk(IBW_MAD_BYTES, IBW_MAD_BYTES), IBW_OK);
	CHECK_EQ(paths(), 2);
	start_table(8, 100);
	CHECK_EQ(walk(IBW_MAD_BYTES, IBW_MAD_BYTES), IBW_MALFORMED);
	check_error(IBW_LAYER_path_rec, IBW_LAYER_rmpp, 56 + 64, 64, 36);
	CHECK_EQ(paths(), 1);
	check_case("one record, none, a refusal");
	start_table(0, 64);
	CHECK_EQ(walk(IBW_MAD_BYTES, IBW_MAD_BYTES), IBW_OK);
	CHECK_EQ(paths(), 1);
	start_table(0, 0);
	CHECK_EQ(walk(IBW_MAD_BYTES, IBW_MAD_BYTES), IBW_OK);
	CHECK_EQ(paths(), 0);
	start_table(0, 128);
	ibw_put_be16(mad + 4, IBW_SA_STATUS_NO_RECORDS << 8);
	CHECK_EQ(walk(IBW_MAD_BYTES, IBW_MAD_BYTES), IBW_OK);
	check_case("a segment");
	start_table(8, 0);
	mad[24 + 2] = IBW_RMPP_ACTIVE | IBW_RMPP_FIRST;
	CHECK_EQ(walk(200, IBW_MAD_BYTES), IBW_CUT);
	CHECK_STR(walked.error.field, "payload");
	check_error(IBW_LAYER_rmpp, IBW_LAYER_COUNT, 24, 200, 144);
	check_case("%s", "");
}

/* Only DATA has data, alone or a segment: IBTA vol 1, 13.6.2 */
static void test_rmpp_types(void)
{
	uint32_t type, flags;

	for (type = 1; type < 6; type++)
		for (flags = 1; flags < 8; flags += 2) {
			check_case("RMPP type %u, flags %u", type, flags);
			start_table(8, 128);
			ibw_rmpp_set_type(ibw_rmpp_view_mut(mad + 24, 12), (uint8_t)type);
			ibw_rmpp_set_flags(ibw_rmpp_view_mut(mad + 24, 12), (uint8_t)flags);
			walk(IBW_MAD_BYTES, IBW_MAD_BYTES);
			CHECK_EQ(walked.flags & (IBW_MAD_CONTROL | IBW_MAD_SEGMENT),
				 type != 1          ? IBW_MAD_CONTROL
				 : (flags & 6) == 6 ? 0
						    : IBW_MAD_SEGMENT);
		}
	check_case("%s", "");
}

/* RMPP active, but neither a type nor a segment: the whole of it, not sent yet. */
static void test_unsent(void)
{
	static const struct {
		uint8_t flags, type, version, segment;
		bool unsent;
	} cases[] = {
		{ 1, 0, 1, 0, true },  { 1, 0, 0, 0, true },  { 1, 1, 0, 0, false },
		{ 1, 0, 1, 1, false }, { 0, 0, 1, 0, false }, { 1, 2, 0, 0, false },
	};
	struct ibw_rmpp_wire *rmpp = ibw_rmpp_view_mut(mad + 24, 12);
	uint32_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		check_case("case %u", i);
		start_table(8, 128);
		ibw_rmpp_set_flags(rmpp, cases[i].flags);
		ibw_rmpp_set_type(rmpp, cases[i].type);
		ibw_rmpp_set_version(rmpp, cases[i].version);
		ibw_rmpp_set_data1(rmpp, cases[i].segment);
		walk(IBW_MAD_BYTES, IBW_MAD_BYTES);
		CHECK_EQ((walked.flags & IBW_MAD_UNSENT) != 0, cases[i].unsent);
	}
	check_case("%s", "");
}

/* Base version 0x80 is Omni-Path's: after the common header nothing is ours. */
static void test_opa(void)
{
	start(IBW_CLASS_SUBN_LID, 0x81, IBW_ATTR_SM_NODE_INFO);
	CHECK_EQ(walk(IBW_MAD_BYTES, IBW_MAD_BYTES), IBW_OK);
	CHECK(walked.n_spans > 1);
	CHECK(!(walked.flags & IBW_MAD_OPA));
	ibw_mad_set_base_version(ibw_mad_view_mut(mad, sizeof(mad)), IBW_MAD_BASE_VERSION_OPA);
	CHECK_EQ(walk(IBW_MAD_BYTES, IBW_MAD_BYTES), IBW_OK);
	CHECK_EQ(walked.n_spans, 1);
	CHECK_EQ(walked.flags & IBW_MAD_OPA, IBW_MAD_OPA);
	CHECK_EQ(walked.data_off, ibw_mad_BYTES);
	CHECK_EQ(walked.data_len, IBW_MAD_BYTES - ibw_mad_BYTES);
}

/* A segment of another class in the middle of a transfer: len would be beyond the room. */
static void test_mixed_classes(void)
{
	static uint8_t room[2 * 200];
	struct ibw_transfer t;
	struct ibw_rmpp rmpp = { .version = 1, .type = IBW_RMPP_DATA };

	ibw_transfer_start(&t, room, sizeof(room));
	start(IBW_CLASS_SUBN_ADM, 0x92, 0x35);
	rmpp.flags = IBW_RMPP_ACTIVE | IBW_RMPP_LAST;
	rmpp.data1 = 2;
	rmpp.data2 = 220;
	ibw_rmpp_pack(ibw_rmpp_view_mut(mad + 24, 12), &rmpp);
	CHECK_EQ(ibw_transfer_feed(&t, mad, sizeof(mad)), IBW_TRANSFER_RUNNING);
	start(IBW_CLASS_VENDOR2, 0x92, 0x35);
	rmpp.flags = IBW_RMPP_ACTIVE | IBW_RMPP_FIRST;
	rmpp.data1 = 1;
	ibw_rmpp_pack(ibw_rmpp_view_mut(mad + 24, 12), &rmpp);
	CHECK_EQ(ibw_transfer_feed(&t, mad, sizeof(mad)), IBW_TRANSFER_BROKEN);
	CHECK(t.len <= sizeof(room));
}

/* The segment that was the last comes once more, as one that more follow. */
static void test_last_again(void)
{
	static uint8_t room[4 * 200];
	struct ibw_transfer t;
	struct ibw_rmpp rmpp = { .version = 1, .type = IBW_RMPP_DATA, .data1 = 3, .data2 = 220 };

	ibw_transfer_start(&t, room, sizeof(room));
	start(IBW_CLASS_SUBN_ADM, 0x92, 0x35);
	rmpp.flags = IBW_RMPP_ACTIVE | IBW_RMPP_LAST;
	ibw_rmpp_pack(ibw_rmpp_view_mut(mad + 24, 12), &rmpp);
	CHECK_EQ(ibw_transfer_feed(&t, mad, sizeof(mad)), IBW_TRANSFER_RUNNING);
	CHECK_EQ(ibw_transfer_feed(&t, mad, sizeof(mad)), IBW_TRANSFER_RUNNING);
	CHECK_EQ(t.flags, IBW_TRANSFER_DUPLICATE);
	rmpp.flags = IBW_RMPP_ACTIVE;
	ibw_rmpp_pack(ibw_rmpp_view_mut(mad + 24, 12), &rmpp);
	CHECK_EQ(ibw_transfer_feed(&t, mad, sizeof(mad)), IBW_TRANSFER_BROKEN);
}

/* How many GIDs follow a MultiPathRecord say its two counts, whatever else is set in it. */
static void test_gids(void)
{
	static const uint8_t counts[][2] = { { 2, 3 }, { 3, 2 }, { 1, 0 }, { 0, 4 } };
	struct ibw_multipath_rec rec;
	uint32_t i, k, gids;

	start(IBW_CLASS_SUBN_ADM, IBW_METHOD_GET_MULTI, IBW_ATTR_SA_MULTIPATH_REC);
	memset(&rec, 0xff, sizeof(rec));
	for (i = 0; i < 4; i++) {
		check_case("%u and %u GIDs", counts[i][0], counts[i][1]);
		rec.sgid_count = counts[i][0];
		rec.dgid_count = counts[i][1];
		ibw_multipath_rec_pack((struct ibw_multipath_rec_wire *)(mad + 56), &rec);
		CHECK_EQ(walk(IBW_MAD_BYTES, IBW_MAD_BYTES), IBW_OK);
		for (k = 0, gids = 0; k < walked.n_spans; k++)
			gids += span[k].layer == IBW_LAYER_multipath_gid;
		CHECK_EQ(gids, counts[i][0] + counts[i][1]);
	}
	check_case("%s", "");
}

/*
 * A whole SMP may be walked in one step, one with a byte more on the wire is walked header by header: the same is found, whatever
 * the attribute and its bytes are.
 */
static void test_whole_smp(void)
{
	static struct ibw_span others[SPANS];
	const struct ibw_mad_attr_row *row;
	struct ibw_mad_walked other;
	unsigned int i, fill;

	for (i = 0; (row = ibw_mad_attr_at(i)); i++) {
		for (fill = 0; fill < 0x200; fill += 0xff) {
			check_case("attribute 0x%04x of 0x%02x", row->id, fill & 0xff);
			start(fill < 0x100 ? IBW_CLASS_SUBN_DR : IBW_CLASS_SUBN_LID, IBW_METHOD_GET,
			      row->id);
			memset(mad + ibw_mad_BYTES, (int)(fill & 0xff),
			       sizeof(mad) - ibw_mad_BYTES);
			CHECK_EQ(ibw_mad_walk(&other, mad, IBW_MAD_BYTES, IBW_MAD_BYTES + 1, others,
					      SPANS),
				 IBW_OK);
			CHECK_EQ(walk(IBW_MAD_BYTES, IBW_MAD_BYTES), IBW_OK);
			CHECK(walked.class_row == other.class_row && walked.attr == other.attr);
			CHECK_EQ(walked.flags, other.flags);
			CHECK_EQ(walked.data_off, other.data_off);
			CHECK_EQ(walked.data_len, other.data_len);
			CHECK_EQ(walked.needed_spans, other.needed_spans);
			CHECK_EQ(walked.n_spans, other.n_spans);
			CHECK(!memcmp(span, others, other.n_spans * sizeof(*span)));
		}
	}
	check_case("%s", "");
}

int main(void)
{
	test_whole_smp();
	test_attribute();
	test_gids();
	test_table();
	test_rmpp_types();
	test_unsent();
	test_opa();
	test_mixed_classes();
	test_last_again();
	return check_end();
}
