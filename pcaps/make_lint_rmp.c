/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_rmp.c - the cases of group RMP. */
#include <string.h>

#include "make_case.h"

#define TABLE_RESP (METHOD_RESP | IBW_METHOD_GET_TABLE)
#define ACTIVE IBW_RMPP_ACTIVE
#define FIRST (IBW_RMPP_ACTIVE | IBW_RMPP_FIRST)
#define LAST (IBW_RMPP_ACTIVE | IBW_RMPP_LAST)
#define BOTH (IBW_RMPP_ACTIVE | IBW_RMPP_FIRST | IBW_RMPP_LAST)

static void put(uint8_t *mad, uint8_t version, uint8_t type, uint8_t flags, uint8_t status,
		uint32_t data1, uint32_t data2)
{
	struct ibw_rmpp rmpp = { .version = version,
				 .type = type,
				 .flags = flags,
				 .status = status,
				 .data1 = data1,
				 .data2 = data2 };

	ibw_rmpp_pack(IN(rmpp, 24), &rmpp);
}

#define RMPP(name, framing, version, type, flags, status, data1, data2)                            \
	MAD(name, framing, SUBN_ADM, TABLE_RESP, IBW_ATTR_SA_NODE_REC,                             \
	    put(mad, version, type, flags, status, data1, data2))

RMPP(version_0, IB_LOCAL, 0, 1, FIRST, 0, 1, 1000)
RMPP(version_2, ROCE_V2_IPV6, 2, 1, FIRST, 0, 1, 1000)
RMPP(version_0_inactive, IB_LOCAL, 0, 0, 0, 0, 0, 0)
RMPP(type_0, IB_LOCAL, 1, 0, FIRST, 0, 1, 1000)
RMPP(type_5, ROCE_V2_IPV4, 1, 5, FIRST, 0, 1, 1000)
RMPP(type_1, ROCE_V2_IPV4, 1, 1, FIRST, 0, 1, 1000)
RMPP(inactive_segment, IB_LOCAL, 1, 1, 0, 0, 1, 0)
RMPP(inactive_last, ROCE_V2_IPV4, 1, 1, IBW_RMPP_LAST, 0, 0, 0)
RMPP(inactive_type, IB_LOCAL, 1, 1, 0, 0, 0, 0)

/* As ibsysstat answers. */
static void inactive_version(struct mk_packet *p)
{
	uint8_t *mad =
		mk_start_mad(p, MK_IB_LOCAL, IBW_CLASS_SUBN_ADM, TABLE_RESP, IBW_ATTR_SA_NODE_REC);

	put(mad, 1, 0, 0, 0, 0, 0);
	ibw_rmpp_set_rresp_time(IN(rmpp, 24), 31);
	mk_build(p);
}

RMPP(first_of_2, IB_LOCAL, 1, 1, FIRST, 0, 2, 0)
RMPP(no_first_of_1, ROCE_V2_IPV4, 1, 1, ACTIVE, 0, 1, 0)
RMPP(segment_0, IB_LOCAL, 1, 1, ACTIVE, 0, 0, 0)
RMPP(segment_0_first, ROCE_V2_IPV4, 1, 1, FIRST, 0, 0, 0)
RMPP(segment_2, IB_LOCAL, 1, 1, ACTIVE, 0, 2, 0)
RMPP(ack_of_0, IB_LOCAL, 1, 2, ACTIVE, 0, 0, 1)
RMPP(ack_backward, ROCE_V2_IPV6, 1, 2, ACTIVE, 0, 7, 6)
RMPP(ack_of_same, IB_LOCAL, 1, 2, ACTIVE, 0, 7, 7)
RMPP(last_of_0, IB_LOCAL, 1, 1, LAST, 0, 2, 0)
RMPP(last_of_221, ROCE_V2_IPV4, 1, 1, LAST, 0, 2, 221)
RMPP(last_of_220, IB_LOCAL, 1, 1, LAST, 0, 2, 220)
RMPP(only_of_20, ROCE_V2_IPV4, 1, 1, BOTH, 0, 1, 20)
RMPP(abort_117, IB_LOCAL, 1, 4, ACTIVE, 117, 0, 0)
RMPP(abort_128, ROCE_V2_IPV4, 1, 4, ACTIVE, 128, 0, 0)
RMPP(abort_118, IB_LOCAL, 1, 4, ACTIVE, 118, 0, 0)
RMPP(abort_127, IB_LOCAL, 1, 4, ACTIVE, 127, 0, 0)
RMPP(stop_0, IB_LOCAL, 1, 3, ACTIVE, 0, 0, 0)
RMPP(stop_1, ROCE_V2_IPV4, 1, 3, ACTIVE, 1, 0, 0)

/* A table of LinkRecords of 6 bytes, @bytes of them in one segment, one every 8 * @offset. */
static void links(uint8_t *mad, uint16_t offset, uint32_t bytes)
{
	put(mad, 1, 1, BOTH, 0, 1, 20 + bytes);
	ibw_sa_set_attr_offset(IN(sa, 36), offset);
	memset(mad + 56, 1, bytes);
}

#define LINKS(name, framing, offset, bytes)                                                        \
	MAD(name, framing, SUBN_ADM, TABLE_RESP, IBW_ATTR_SA_LINK_REC, links(mad, offset, bytes))
LINKS(offset_0_of_2, IB_LOCAL, 0, 16)
LINKS(offset_0_of_1, IB_LOCAL, 0, 8)
LINKS(offset_1_of_2, ROCE_V2_IPV6, 1, 16)
LINKS(last_unpadded, IB_LOCAL, 1, 14)
LINKS(last_of_4_bytes, ROCE_V2_IPV4, 1, 20)

static void refused(struct mk_packet *p)
{
	uint8_t *mad =
		mk_start_mad(p, MK_IB_LOCAL, IBW_CLASS_SUBN_ADM, TABLE_RESP, IBW_ATTR_SA_LINK_REC);

	links(mad, 0, 16);
	ibw_mad_set_status(IN(mad, 0), IBW_SA_STATUS_NO_RECORDS << 8);
	mk_build(p);
}

static void offset_13_of_node(struct mk_packet *p)
{
	uint8_t *mad = mk_start_mad(p, MK_ROCE_V2_IPV4, IBW_CLASS_SUBN_ADM, TABLE_RESP,
				    IBW_ATTR_SA_NODE_REC);

	put(mad, 1, 1, BOTH, 0, 1, 20 + 108);
	ibw_sa_set_attr_offset(IN(sa, 36), 13);
	mk_build(p);
}

/* Records of 72 bytes: a multiple of 8. */
static void offset_8_of_guids(struct mk_packet *p)
{
	uint8_t *mad = mk_start_mad(p, MK_IB_LOCAL, IBW_CLASS_SUBN_ADM, TABLE_RESP,
				    IBW_ATTR_SA_GUID_INFO_REC);

	put(mad, 1, 1, BOTH, 0, 1, 20 + 2 * 72);
	ibw_sa_set_attr_offset(IN(sa, 36), 8);
	mk_build(p);
}

/*
 * 50 LinkRecords, 400 bytes, in two segments; @more bytes after them in a third. The last
 * frame fires @at.
 */
static void transfer(struct mk_capture *c, uint16_t offset, uint32_t more, const char *at)
{
	struct mk_packet p = { .serial = 1 };
	uint32_t i, n = more ? 3 : 2;
	uint8_t *mad;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 1; i <= n; i++) {
		mad = mk_start_mad(&p, MK_ROCE_V2_IPV4, IBW_CLASS_SUBN_ADM, TABLE_RESP,
				   IBW_ATTR_SA_LINK_REC);
		put(mad, 1, 1,
		    (uint8_t)(ACTIVE | (i == 1 ? IBW_RMPP_FIRST : 0) |
			      (i == n ? IBW_RMPP_LAST : 0)),
		    0, i, i == n ? 20 + (more ? more : 200) : 0);
		ibw_sa_set_attr_offset(IN(sa, 36), offset);
		mk_build(&p);
		mk_put(c, &p);
		if (i == n && at)
			mk_fires(c, &p, "RMP012", at);
		else
			mk_misses(c, "RMP012", "sa");
	}
}

static void transfer_right(struct mk_capture *c)
{
	transfer(c, 1, 0, NULL);
}

static void transfer_offset_0(struct mk_capture *c)
{
	transfer(c, 0, 0, "sa.attr_offset");
}

static void transfer_rest(struct mk_capture *c)
{
	transfer(c, 1, 4, "rmpp.data2");
}

static void transfer_unpadded(struct mk_capture *c)
{
	transfer(c, 1, 6, NULL);
}

static const struct mk_file_case files[] = {
	{ "table-right.pcap", transfer_right },
	{ "table-offset-0.pcap", transfer_offset_0 },
	{ "table-rest.pcap", transfer_rest },
	{ "table-unpadded.pcap", transfer_unpadded },
	{ 0 },
};

static const struct mk_case cases[] = {
	{ "RMP001", MK_FIRES, version_0, "rmpp.version", NULL, "active, version 0" },
	{ "RMP001", MK_FIRES, version_2, "rmpp.version", NULL, "active, version 2" },
	{ "RMP001", MK_MISSES, version_0_inactive, "rmpp", NULL, "not active, version 0" },
	{ "RMP002", MK_FIRES, type_0, "rmpp.type", NULL, "type 0" },
	{ "RMP002", MK_FIRES, type_5, "rmpp.type", NULL, "type 5" },
	{ "RMP002", MK_MISSES, type_1, "rmpp", NULL, "type 1" },
	{ "RMP002", MK_MISSES, abort_127, "rmpp", "RMP013=rmpp.status", "type 4" },
	{ "RMP003", MK_FIRES, inactive_segment, "rmpp.flags", NULL, "not active, segment 1" },
	{ "RMP003", MK_FIRES, inactive_last, "rmpp.flags", NULL, "not active, last" },
	{ "RMP003", MK_FIRES, inactive_type, "rmpp.flags", NULL, "not active, DATA" },
	{ "RMP003", MK_MISSES, inactive_version, "rmpp", NULL,
	  "not active, version and response time" },
	{ "RMP004", MK_FIRES, first_of_2, "rmpp.flags", NULL, "segment 2 is the first" },
	{ "RMP004", MK_FIRES, no_first_of_1, "rmpp.flags", NULL, "segment 1 is not the first" },
	{ "RMP004", MK_MISSES, segment_2, "rmpp", NULL, "segment 2 is not the first" },
	{ "RMP004", MK_MISSES, segment_0_first, "rmpp", "RMP005=rmpp.data1",
	  "segment 0 is another matter" },
	{ "RMP005", MK_FIRES, segment_0, "rmpp.data1", NULL, "segment 0" },
	{ "RMP005", MK_FIRES, segment_0_first, "rmpp.data1", NULL, "segment 0, first" },
	{ "RMP005", MK_MISSES, ack_of_0, "rmpp", NULL, "ACK of 0" },
	{ "RMP008", MK_FIRES, ack_backward, "rmpp.data2", NULL, "ACK of 7, window up to 6" },
	{ "RMP008", MK_MISSES, ack_of_same, "rmpp", NULL, "ACK of 7, window up to 7" },
	{ "RMP010", MK_FIRES, last_of_0, "rmpp.data2", NULL, "last of 0 bytes" },
	{ "RMP010", MK_FIRES, last_of_221, "rmpp.data2", NULL, "last of 221 bytes" },
	{ "RMP010", MK_MISSES, last_of_220, "rmpp", NULL, "last of 220 bytes" },
	{ "RMP010", MK_MISSES, only_of_20, "rmpp", NULL, "a table without records" },
	{ "RMP010", MK_MISSES, type_1, "rmpp", NULL, "1000 bytes in the first" },
	{ "RMP012", MK_FIRES, offset_0_of_2, "sa.attr_offset", NULL,
	  "two records, AttributeOffset 0" },
	{ "RMP012", MK_FIRES, offset_13_of_node, "sa.attr_offset", NULL,
	  "NodeRecord every 104 bytes" },
	{ "RMP012", MK_FIRES, offset_8_of_guids, "sa.attr_offset", NULL,
	  "GuidInfoRecord every 64 bytes" },
	{ "RMP012", MK_FIRES, last_of_4_bytes, "rmpp.data2", NULL, "two records and a half" },
	{ "RMP012", MK_MISSES, offset_0_of_1, "sa", NULL, "one record, AttributeOffset 0" },
	{ "RMP012", MK_MISSES, offset_1_of_2, "sa", NULL, "two records every 8 bytes" },
	{ "RMP012", MK_MISSES, last_unpadded, "sa", NULL, "the last one without padding" },
	{ "RMP012", MK_MISSES, only_of_20, "sa", NULL, "a table without records" },
	{ "RMP012", MK_MISSES, refused, "sa", "MAD011=mad.status", "a refusal" },
	{ "RMP013", MK_FIRES, abort_118, "rmpp.status", NULL, "ABORT 118" },
	{ "RMP013", MK_FIRES, stop_1, "rmpp.status", NULL, "STOP 1" },
	{ "RMP013", MK_MISSES, ack_of_same, "rmpp", NULL, "an ACK" },
	{ "RMP014", MK_FIRES, abort_117, "rmpp.status", "RMP013=rmpp.status", "ABORT 117" },
	{ "RMP014", MK_FIRES, abort_128, "rmpp.status", "RMP013=rmpp.status", "ABORT 128" },
	{ "RMP014", MK_FIRES, stop_0, "rmpp.status", "RMP013=rmpp.status", "STOP 0" },
	{ "RMP014", MK_MISSES, abort_118, "rmpp", "RMP013=rmpp.status", "ABORT 118" },
	{ "RMP014", MK_MISSES, abort_127, "rmpp", "RMP013=rmpp.status", "ABORT 127" },
	{ "RMP014", MK_MISSES, stop_1, "rmpp", "RMP013=rmpp.status", "STOP 1" },
	{ 0 },
};

const struct mk_group mk_lint_rmp = { "rmp", cases, files, NULL };
