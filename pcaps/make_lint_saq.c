/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_saq.c - the cases of group SAQ. */
#include <string.h>

#include "make_case.h"

#define GET IBW_METHOD_GET
#define SET IBW_METHOD_SET
#define TABLE IBW_METHOD_GET_TABLE
#define TABLE_RESP (METHOD_RESP | IBW_METHOD_GET_TABLE)

#define SA(name, framing, method, attr, ...)                                                       \
	MAD(name, framing, SUBN_ADM, method, IBW_ATTR_SA_##attr, __VA_ARGS__)
#define MASK(bits) ibw_sa_set_comp_mask(IN(sa, 36), bits)
#define BIT(rec, field) (1ull << ibw_##rec##_##field##_COMP)

static const uint8_t gid_a[16] = { 0xfe, 0x80, [8] = 0x02, [15] = 1 };
static const uint8_t gid_b[16] = { 0xfe, 0x80, [8] = 0x02, [15] = 2 };

/* A question for one path from a to b; or the answer to it. */
static void path(uint8_t *mad, bool answer)
{
	struct ibw_path_rec rec = { .reversible = 1, .numb_path = 1, .pkey = 0xffff };

	memcpy(rec.dgid, gid_b, 16);
	memcpy(rec.sgid, gid_a, 16);
	if (answer) {
		rec.dlid = 2;
		rec.slid = 1;
		rec.mtu_sel = rec.rate_sel = rec.life_sel = IBW_SELECTOR_EXACTLY;
		rec.mtu = 5;
		rec.rate = IBW_RATE_100;
	}
	ibw_path_rec_pack(IN(path_rec, 56), &rec);
	MASK(BIT(path_rec, dgid) | BIT(path_rec, sgid) | BIT(path_rec, reversible) |
	     BIT(path_rec, numb_path) | BIT(path_rec, pkey));
}

#define ASK(name, framing, ...) SA(name, framing, GET, PATH_REC, path(mad, false); __VA_ARGS__)
#define ANSWER(name, framing, ...)                                                                 \
	SA(name, framing, GET_RESP, PATH_REC, path(mad, true); __VA_ARGS__)
#define PATH IN(path_rec, 56)

/* A table of two paths in one segment, the second without LIDs. */
static void two_paths(uint8_t *mad)
{
	struct ibw_rmpp rmpp = { .version = 1, .type = 1, .flags = 7, .data1 = 1, .data2 = 148 };

	path(mad, true);
	memcpy(mad + 120, mad + 56, 64);
	ibw_path_rec_set_dlid(IN(path_rec, 120), 0);
	ibw_sa_set_attr_offset(IN(sa, 36), 8);
	ibw_rmpp_pack(IN(rmpp, 24), &rmpp);
}

MAD(attr_77, IB_LOCAL, SUBN_ADM, GET, 0x77, (void)p)
MAD(attr_77_resp, IB_LOCAL, SUBN_ADM, GET_RESP, 0x77, (void)p)
SA(set_path, IB_LOCAL, SET, PATH_REC, path(mad, false))
SA(get_multi_path, ROCE_V2_IPV4, GET, MULTIPATH_REC, (void)p)
SA(get_inform, IB_LOCAL, GET, INFORM_INFO, (void)p)
SA(set_inform, IB_LOCAL, SET, INFORM_INFO, ibw_inform_info_set_trap_num(IN(inform_info, 56), 64))
ASK(ask, IB_LOCAL, (void)p)
ASK(ask_roce, ROCE_V2_IPV6, (void)p)
ASK(smkey, IB_LOCAL, ibw_sa_set_smkey(IN(sa, 36), 1))
ASK(sa_reserved, IB_LOCAL, mad[46] = 1)
ASK(path_reserved, IB_LOCAL, mad[56 + 44] |= 0x10)
SA(port_info_reserved, IB_LOCAL, GET_RESP, PORT_INFO_REC, mad[56 + 4 + 34] |= 0x20)
ASK(beside_reserved, IB_LOCAL, ibw_path_rec_set_raw_traffic(PATH, 1);
    ibw_path_rec_set_flow_label(PATH, 0x80000);
    MASK(0xffffff & ~BIT(path_rec, rsvd353) & ~BIT(path_rec, rsvd464)))
SA(no_mask, IB_LOCAL, GET, NODE_REC, (void)p)
SA(no_mask_table, IB_LOCAL, TABLE, NODE_REC, (void)p)
SA(no_mask_class, IB_LOCAL, GET, CLASS_PORT_INFO, (void)p)
SA(node_bit_15, IB_LOCAL, TABLE, NODE_REC, MASK(1ull << 15))
SA(node_bit_14, IB_LOCAL, TABLE, NODE_REC, MASK(1ull << 14))
ASK(path_bit_24, ROCE_V2_IPV4, MASK(ibw_sa_comp_mask(IN(sa, 36)) | 1ull << 24))
ASK(path_bit_reserved, IB_LOCAL, MASK(ibw_sa_comp_mask(IN(sa, 36)) | BIT(path_rec, rsvd353)))
ASK(path_bit_22, IB_LOCAL, MASK(ibw_sa_comp_mask(IN(sa, 36)) | BIT(path_rec, preference)))
ASK(sgid_not_in_mask, IB_LOCAL, MASK(ibw_sa_comp_mask(IN(sa, 36)) & ~BIT(path_rec, sgid)))
SA(node_guid_not_in_mask, IB_LOCAL, TABLE, NODE_REC, ibw_node_rec_set_lid(IN(node_rec, 56), 3);
   ibw_node_info_set_node_guid(IN(node_info, 60), 1); MASK(BIT(node_rec, lid)))
SA(two_not_in_mask, IB_LOCAL, TABLE, NODE_REC, ibw_node_rec_set_lid(IN(node_rec, 56), 3);
   ibw_node_info_set_sys_guid(IN(node_info, 60), 1);
   ibw_node_info_set_port_guid(IN(node_info, 60), 1); MASK(BIT(node_rec, lid)))
SA(guid_not_in_mask, IB_LOCAL, TABLE, GUID_INFO_REC, IN(guid_info, 64)->b[3 * 8 + 7] = 1;
   MASK(1 << 6 | 1 << 8))
SA(guid_in_mask, IB_LOCAL, TABLE, GUID_INFO_REC, IN(guid_info, 64)->b[3 * 8 + 7] = 1; MASK(1 << 7))
SA(service_id_low_half, IB_LOCAL, TABLE, PATH_REC, ibw_path_rec_set_service_id(PATH, 1);
   MASK(BIT(path_rec, service_id) << 1))
SA(service_id_high_half, IB_LOCAL, TABLE, PATH_REC, ibw_path_rec_set_service_id(PATH, 1ull << 63);
   MASK(BIT(path_rec, service_id)))
SA(service_id_not_in_mask, IB_LOCAL, TABLE, PATH_REC, ibw_path_rec_set_service_id(PATH, 1))
ASK(dgid_0, IB_LOCAL, memset(PATH->b + 8, 0, 16))
ASK(sgid_0, ROCE_V2_IPV4, memset(PATH->b + 24, 0, 16))
ASK(pkey_0, IB_LOCAL, ibw_path_rec_set_pkey(PATH, 0))
SA(table_of_all, IB_LOCAL, TABLE, PATH_REC, (void)p)
SA(no_destination, IB_LOCAL, GET, PATH_REC, ibw_path_rec_set_slid(PATH, 3);
   MASK(BIT(path_rec, slid)))
SA(by_dlid, IB_LOCAL, GET, PATH_REC, ibw_path_rec_set_dlid(PATH, 3); MASK(BIT(path_rec, dlid)))
SA(by_service_id, IB_LOCAL, GET, PATH_REC, ibw_path_rec_set_service_id(PATH, 3);
   MASK(BIT(path_rec, service_id) * 3))
SA(table_from, IB_LOCAL, TABLE, PATH_REC, ibw_path_rec_set_slid(PATH, 3); MASK(BIT(path_rec, slid)))
#define SA_STATUS(v) ibw_mad_set_status(IN(mad, 0), (uint16_t)(IBW_SA_STATUS_##v << 8))
ANSWER(too_many, IB_LOCAL, SA_STATUS(TOO_MANY_RECORDS))
ANSWER(no_records, IB_LOCAL, SA_STATUS(NO_RECORDS); ibw_path_rec_set_dlid(PATH, 0))
SA(too_many_nodes, IB_LOCAL, GET_RESP, NODE_REC, SA_STATUS(TOO_MANY_RECORDS))
ANSWER(answer, IB_LOCAL, (void)p)
ANSWER(dlid_0, IB_LOCAL, ibw_path_rec_set_dlid(PATH, 0))
ANSWER(slid_0_on_roce, ROCE_V2_IPV4, ibw_path_rec_set_slid(PATH, 0))
SA(second_dlid_0, IB_LOCAL, TABLE_RESP, PATH_REC, two_paths(mad))
ANSWER(mtu_0, IB_LOCAL, ibw_path_rec_set_mtu(PATH, 0))
ANSWER(mtu_6, ROCE_V2_IPV4, ibw_path_rec_set_mtu(PATH, 6))
ANSWER(rate_1, IB_LOCAL, ibw_path_rec_set_rate(PATH, 1))
ANSWER(rate_25, IB_LOCAL, ibw_path_rec_set_rate(PATH, 25))
ANSWER(mtu_selector, IB_LOCAL, ibw_path_rec_set_mtu_sel(PATH, IBW_SELECTOR_LARGEST))
ANSWER(mtu_1_rate_24, IB_LOCAL, ibw_path_rec_set_mtu(PATH, 1); ibw_path_rec_set_rate(PATH, 24))
ANSWER(answer_pkey_0, IB_LOCAL, ibw_path_rec_set_pkey(PATH, 0))
ANSWER(answer_pkey_8000, ROCE_V2_IPV4, ibw_path_rec_set_pkey(PATH, 0x8000))
ANSWER(answer_pkey_1, IB_LOCAL, ibw_path_rec_set_pkey(PATH, 1))

static const struct mk_case cases[] = {
	{ "SAQ001", MK_FIRES, attr_77, "mad.attr_id", NULL, "attribute 0x77" },
	{ "SAQ001", MK_MISSES, attr_77_resp, "sa", NULL, "the answer to it" },
	{ "SAQ002", MK_FIRES, set_path, "mad.method", NULL, "Set(PathRecord)" },
	{ "SAQ002", MK_FIRES, get_multi_path, "mad.method", "SAQ005=sa.comp_mask",
	  "Get(MultiPathRecord)" },
	{ "SAQ002", MK_FIRES, get_inform, "mad.method", NULL, "Get(InformInfo)" },
	{ "SAQ002", MK_MISSES, set_inform, "sa", NULL, "Set(InformInfo)" },
	{ "SAQ003", MK_FIRES, smkey, "sa.smkey", NULL, "SM_Key 1" },
	{ "SAQ003", MK_MISSES, ask, "sa", NULL, "SM_Key 0" },
	{ "SAQ004", MK_FIRES, sa_reserved, "sa/payload+46:2", NULL,
	  "reserved bytes of the SA header" },
	{ "SAQ004", MK_FIRES, path_reserved, "path_rec/payload+100:1", NULL,
	  "a reserved bit of a PathRecord" },
	{ "SAQ004", MK_FIRES, port_info_reserved, "port_info/payload+94:1", NULL,
	  "a reserved bit of the PortInfo in a PortInfoRecord" },
	{ "SAQ004", MK_MISSES, beside_reserved, "sa", NULL, "the bits on both sides of it" },
	{ "SAQ005", MK_FIRES, no_mask, "sa.comp_mask", NULL, "Get(NodeRecord) without a mask" },
	{ "SAQ005", MK_MISSES, no_mask_table, "sa", NULL, "GetTable without a mask" },
	{ "SAQ005", MK_MISSES, no_mask_class, "sa", NULL, "ClassPortInfo has no components" },
	{ "SAQ006", MK_FIRES, node_bit_15, "sa.comp_mask", NULL, "bit 15 of NodeRecord" },
	{ "SAQ006", MK_FIRES, path_bit_24, "sa.comp_mask", NULL, "bit 24 of PathRecord" },
	{ "SAQ006", MK_FIRES, path_bit_reserved, "~sa.comp_mask", NULL,
	  "a reserved component (a warning)" },
	{ "SAQ006", MK_MISSES, node_bit_14, "sa", NULL, "bit 14 of NodeRecord: NodeDescription" },
	{ "SAQ006", MK_MISSES, path_bit_22, "sa", NULL, "bit 22 of PathRecord" },
	{ "SAQ007", MK_FIRES, sgid_not_in_mask, "path_rec.sgid", NULL, "SGID without its bit" },
	{ "SAQ007", MK_MISSES, sgid_not_in_mask, "sa", NULL, "the same client again" },
	{ "SAQ007", MK_FIRES, node_guid_not_in_mask, "node_info@60.node_guid", NULL,
	  "NodeGUID of the NodeInfo" },
	{ "SAQ007", MK_FIRES, two_not_in_mask, "node_info@60.sys_guid", NULL,
	  "two fields of the NodeInfo" },
	{ "SAQ007", MK_FIRES, service_id_not_in_mask, "path_rec.service_id", NULL,
	  "service id without its bits" },
	{ "SAQ007", MK_FIRES, guid_not_in_mask, "guid_info/payload+88:8", NULL,
	  "GUID 3 of GuidInfoRecord, with the bits of 2 and 4" },
	{ "SAQ007", MK_MISSES, guid_in_mask, "sa", NULL, "GUID 3 with its bit, and no other" },
	{ "SAQ007", MK_MISSES, service_id_low_half, "sa", NULL, "service id with the second bit" },
	{ "SAQ007", MK_MISSES, service_id_high_half, "sa", NULL, "service id with the first bit" },
	{ "SAQ007", MK_MISSES, set_inform, "sa", NULL, "an InformInfo needs no mask" },
	{ "SAQ007", MK_MISSES, ask_roce, "sa", NULL, "a plain question" },
	{ "SAQ008", MK_FIRES, dgid_0, "path_rec.dgid", NULL, "DGID 0" },
	{ "SAQ008", MK_FIRES, sgid_0, "path_rec.sgid", NULL, "SGID 0" },
	{ "SAQ008", MK_FIRES, pkey_0, "path_rec.pkey", NULL, "P_Key 0" },
	{ "SAQ008", MK_MISSES, table_of_all, "path_rec", NULL, "zeros without their bits" },
	{ "SAQ009", MK_FIRES, no_destination, "sa.comp_mask", NULL, "Get by SLID alone" },
	{ "SAQ009", MK_MISSES, by_dlid, "path_rec", NULL, "Get by DLID" },
	{ "SAQ009", MK_MISSES, by_service_id, "path_rec", NULL, "Get by service id" },
	{ "SAQ009", MK_MISSES, table_from, "path_rec", NULL, "GetTable by SLID alone" },
	{ "SAQ010", MK_FIRES, too_many, "mad.status", "MAD011=mad.status", "too many paths" },
	{ "SAQ010", MK_MISSES, no_records, "sa", "MAD011=mad.status", "no path" },
	{ "SAQ010", MK_MISSES, too_many_nodes, "sa", "MAD011=mad.status", "too many nodes" },
	{ "SAQ011", MK_FIRES, dlid_0, "path_rec.dlid", NULL, "DLID 0" },
	{ "SAQ011", MK_FIRES, second_dlid_0, "path_rec@120.dlid", NULL,
	  "DLID 0 in the second path of a table" },
	{ "SAQ011", MK_MISSES, answer, "path_rec", NULL, "a healthy answer" },
	{ "SAQ011", MK_MISSES, slid_0_on_roce, "path_rec", NULL, "no LIDs on RoCE" },
	{ "SAQ011", MK_MISSES, no_records, "path_rec", "MAD011=mad.status",
	  "a refusal says nothing of LIDs" },
	{ "SAQ012", MK_FIRES, mtu_0, "path_rec.mtu", NULL, "MTU code 0" },
	{ "SAQ012", MK_FIRES, mtu_6, "path_rec.mtu", NULL, "MTU code 6" },
	{ "SAQ012", MK_FIRES, rate_1, "path_rec.rate", NULL, "rate code 1" },
	{ "SAQ012", MK_FIRES, rate_25, "path_rec.rate", NULL, "rate code 25" },
	{ "SAQ012", MK_FIRES, mtu_selector, "path_rec.mtu_sel", NULL, "the largest MTU available" },
	{ "SAQ012", MK_MISSES, mtu_1_rate_24, "path_rec", NULL, "MTU code 1, rate code 24" },
	{ "SAQ013", MK_FIRES, answer_pkey_0, "path_rec.pkey", NULL, "P_Key 0x0000" },
	{ "SAQ013", MK_FIRES, answer_pkey_8000, "path_rec.pkey", NULL, "P_Key 0x8000" },
	{ "SAQ013", MK_MISSES, answer_pkey_1, "path_rec", NULL, "P_Key 0x0001" },
	{ 0 },
};

/*
 * Four paths in two segments, the last one across both, in the order and as often as @order
 * says ("12"). The frame that completes them fires, 0: none does.
 */
static void transfer(struct mk_capture *c, const char *order, uint16_t last_dlid,
		     uint32_t completing)
{
	struct ibw_rmpp rmpp = { .version = 1, .type = 1 };
	struct mk_packet p = { .serial = 1 };
	uint8_t paths[4][64], one[256] = { 0 }, *mad;
	const uint8_t *all = paths[0];
	uint32_t i;

	path(one, true);
	for (i = 0; i < 4; i++)
		memcpy(paths[i], one + 56, 64);
	ibw_path_rec_set_dlid((struct ibw_path_rec_wire *)paths[3], last_dlid);
	mk_pcap(c, IBW_LINKTYPE_INFINIBAND, 0, MK_NANO);
	for (; *order; order++) {
		mad = mk_start_mad(&p, MK_IB_LOCAL, IBW_CLASS_SUBN_ADM, TABLE_RESP,
				   IBW_ATTR_SA_PATH_REC);
		rmpp.data1 = (uint32_t)(*order - '0');
		rmpp.flags = rmpp.data1 == 1 ? 3 : 5;
		rmpp.data2 = rmpp.data1 == 1 ? 0 : 20 + 56;
		ibw_rmpp_pack(IN(rmpp, 24), &rmpp);
		ibw_sa_set_attr_offset(IN(sa, 36), 8);
		if (rmpp.data1 == 1)
			memcpy(mad + 56, all, 200);
		else
			memcpy(mad + 56, all + 200, 56);
		mk_build(&p);
		mk_put(c, &p);
		if (c->frames == completing)
			mk_fires(c, &p, "SAQ011", "path_rec+0:0"); /* in no packet alone */
		else
			mk_misses(c, "SAQ011", "sa");
	}
}

static void transfer_healthy(struct mk_capture *c)
{
	transfer(c, "12", 2, 0);
}

static void transfer_dlid_0(struct mk_capture *c)
{
	transfer(c, "12", 0, 2);
}

static void transfer_reordered(struct mk_capture *c)
{
	transfer(c, "2212", 0, 3);
}

static void transfer_unfinished(struct mk_capture *c)
{
	transfer(c, "11", 0, 0);
}

static const struct mk_file_case files[] = {
	{ "table.pcap", transfer_healthy },
	{ "table-dlid-0.pcap", transfer_dlid_0 },
	{ "table-reordered.pcap", transfer_reordered },
	{ "table-unfinished.pcap", transfer_unfinished },
	{ 0 },
};

static const struct mk_claim claims[] = {
	{ "SAQ007", NULL, MK_IN_IB | MK_IN_V1 | MK_IN(ROCE_V2_IPV4) | MK_IN(ROCE_V2_IPV6),
	  "a field is named once for a client, and the others have the same addresses" },
	{ "SAQ011", NULL, MK_IN_IB, "RoCE has no LIDs" },
	{ 0 },
};

const struct mk_group mk_lint_saq = { "saq", cases, files, claims };
