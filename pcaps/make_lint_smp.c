/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_smp.c - the cases of group SMP. */
#include <string.h>

#include "make_case.h"

#define GET IBW_METHOD_GET
#define SET IBW_METHOD_SET

#define LID(name, framing, method, attr, ...)                                                      \
	MAD(name, framing, SUBN_LID, method, IBW_ATTR_SM_##attr, __VA_ARGS__)
#define DR(name, ...) MAD(name, IB_LOCAL, SUBN_DR, GET, IBW_ATTR_SM_NODE_INFO, __VA_ARGS__)

/* The hops of a directed route, and their ports: all 1 unless something else is said. */
static void hops(uint8_t *mad, uint8_t count, uint8_t pointer)
{
	unsigned int i;

	ibw_smp_dr_status_set_hop_cnt(IN(smp_dr_status, 4), count);
	ibw_smp_dr_status_set_hop_ptr(IN(smp_dr_status, 4), pointer);
	for (i = 1; i <= count && i < 64; i++)
		ibw_smp_dr_path_set_initial_path(IN(smp_dr_path, 128), i, 1);
}

#define PORT(i, port) ibw_smp_dr_path_set_initial_path(IN(smp_dr_path, 128), i, port)
#define DR_LIDS(s, d)                                                                              \
	do {                                                                                       \
		ibw_smp_dr_set_dr_slid(IN(smp_dr, 24), s);                                         \
		ibw_smp_dr_set_dr_dlid(IN(smp_dr, 24), d);                                         \
	} while (0)

LID(plain, IB_LOCAL, GET, NODE_INFO, (void)p)
LID(on_vl_0, IB_LOCAL, GET, NODE_INFO, p->lrh.vl = 0)
LID(on_vl_14, IB_LOCAL, SET, PORT_INFO, p->lrh.vl = p->lrh.sl = 14)
LID(on_roce, ROCE_V2_IPV4, GET, NODE_INFO, (void)p)
MAD(dr_on_roce, ROCE_V1, SUBN_DR, GET, IBW_ATTR_SM_NODE_INFO, (void)p)
MAD(perf_on_roce, ROCE_V2_IPV4, PERF, GET, 1, (void)p)
DR(hops_64, hops(mad, 64, 0))
DR(hops_255, hops(mad, 255, 0))
DR(hops_63, hops(mad, 63, 0))
DR(pointer_3, hops(mad, 1, 3))
DR(pointer_255, hops(mad, 63, 255))
DR(pointer_2, hops(mad, 1, 2))
#define DR_RESP(name, ...)                                                                         \
	MAD(name, IB_LOCAL, SUBN_DR, GET_RESP, IBW_ATTR_SM_NODE_INFO, __VA_ARGS__)
#define RETURN(i, port) ibw_smp_dr_path_set_return_path(IN(smp_dr_path, 128), i, port)

DR(request_back, ibw_smp_dr_status_set_d(IN(smp_dr_status, 4), 1))
DR_RESP(response_out, ibw_smp_dr_status_set_d(IN(smp_dr_status, 4), 0))
DR_RESP(response, (void)p)
DR_RESP(return_0, RETURN(1, 0))
DR_RESP(return_0_of_2, hops(mad, 2, 0))
DR_RESP(return_0_behind, RETURN(2, 0))
DR(path_0, PORT(0, 1))
DR(path_behind, PORT(63, 7))
DR(port_0_first, PORT(1, 0))
DR(port_0_mid, hops(mad, 3, 0); PORT(2, 0))
DR(port_0_behind, hops(mad, 2, 0); PORT(3, 0))
DR(by_lid, p->lrh.dlid = 7; p->lrh.slid = 2)
DR(from_lid, p->lrh.slid = 2)
DR(lid_part, p->lrh.slid = 2; p->lrh.dlid = 7; DR_LIDS(2, IBW_LID_PERMISSIVE))
DR(lid_part_permissive, DR_LIDS(2, IBW_LID_PERMISSIVE))
DR(lid_part_done, hops(mad, 2, 1); DR_LIDS(2, IBW_LID_PERMISSIVE))
DR(directed, (void)p)
LID(reserved, IB_LOCAL, GET, NODE_INFO, mad[32] = 1)
DR(dr_reserved, mad[63] = 0x80)
DR(dr_reserved_not, DR_LIDS(IBW_LID_PERMISSIVE, IBW_LID_PERMISSIVE); mad[64] = 1)
MAD(attr_7f, IB_LOCAL, SUBN_LID, GET, 0x7f, (void)p)
MAD(attr_ff00, IB_LOCAL, SUBN_LID, GET, 0xff00, (void)p)
LID(set_node_info, IB_LOCAL, SET, NODE_INFO, (void)p)
LID(set_node_desc, IB_LOCAL, SET, NODE_DESC, (void)p)
LID(get_node_desc, IB_LOCAL, GET, NODE_DESC, (void)p)
LID(set_port_info, IB_LOCAL, SET, PORT_INFO, (void)p)
LID(mkey, IB_LOCAL, GET, PORT_INFO, ibw_smp_set_mkey(IN(smp, 24), 1))
DR(dr_mkey, ibw_smp_dr_set_mkey(IN(smp_dr, 24), 1ull << 63))
LID(mkey_resp, IB_LOCAL, GET_RESP, PORT_INFO, ibw_smp_set_mkey(IN(smp, 24), 1))

static void directed_at(struct mk_packet *p, uint8_t pointer)
{
	uint8_t *mad = mk_start_mad(p, MK_IB_LOCAL, IBW_CLASS_SUBN_DR, GET, IBW_ATTR_SM_NODE_INFO);

	hops(mad, 2, pointer);
	mk_build(p);
}

static const struct mk_case cases[] = {
	{ "SMP001", MK_FIRES, on_vl_0, "lrh.vl", "GRH009=grh", "VL 0" },
	{ "SMP001", MK_FIRES, on_vl_14, "lrh.vl", "GRH009=grh", "VL 14" },
	{ "SMP001", MK_MISSES, plain, "mad", NULL, "VL 15" },
	{ "SMP002", MK_FIRES, on_roce, "mad.mgmt_class", "BTH014=bth.dqpn GRH009=grh",
	  "an SMP on RoCE v2" },
	{ "SMP002", MK_FIRES, dr_on_roce, "mad.mgmt_class", "BTH014=bth.dqpn GRH009=grh",
	  "a directed SMP on RoCE v1" },
	{ "SMP002", MK_MISSES, perf_on_roce, "mad", NULL, "PerfMgt on RoCE" },
	{ "SMP003", MK_FIRES, hops_64, "smp_dr_status.hop_cnt", "GRH009=grh", "64 hops" },
	{ "SMP003", MK_FIRES, hops_255, "smp_dr_status.hop_cnt", "GRH009=grh", "255 hops" },
	{ "SMP003", MK_MISSES, hops_63, "smp_dr_status", NULL, "63 hops" },
	{ "SMP004", MK_FIRES, pointer_3, "smp_dr_status.hop_ptr", "GRH009=grh",
	  "pointer 3 of 1 hop" },
	{ "SMP004", MK_FIRES, pointer_255, "smp_dr_status.hop_ptr", "GRH009=grh",
	  "pointer 255 of 63 hops" },
	{ "SMP004", MK_MISSES, pointer_2, "smp_dr_status", NULL, "pointer 2 of 1 hop: arrived" },
	{ "SMP005", MK_FIRES, path_0, "smp_dr_path+0:1", "GRH009=grh", "a port in entry 0" },
	{ "SMP005", MK_MISSES, path_behind, "smp_dr_path", NULL, "a port after the path" },
	{ "SMP006", MK_FIRES, port_0_first, "smp_dr_path+1:1", "GRH009=grh",
	  "the first hop leaves by port 0" },
	{ "SMP006", MK_FIRES, port_0_mid, "smp_dr_path+2:1", "GRH009=grh",
	  "the second of three does" },
	{ "SMP006", MK_MISSES, port_0_behind, "smp_dr_path", NULL, "zeros after the path" },
	{ "SMP007", MK_FIRES, request_back, "smp_dr_status.d", "GRH009=grh",
	  "a request on its way back" },
	{ "SMP007", MK_FIRES, response_out, "smp_dr_status.d", "GRH009=grh",
	  "a response on its way out" },
	{ "SMP007", MK_MISSES, response, "smp_dr_status", NULL, "a response on its way back" },
	{ "SMP007", MK_MISSES, directed, "smp_dr_status", NULL, "a request on its way out" },
	{ "SMP008", MK_FIRES, return_0, "smp_dr_path+65:1", "GRH009=grh",
	  "the first entry of the return path is 0" },
	{ "SMP008", MK_FIRES, return_0_of_2, "smp_dr_path+66:1", "GRH009=grh",
	  "the second of two is" },
	{ "SMP008", MK_MISSES, return_0_behind, "smp_dr_path", NULL, "zeros after the path" },
	{ "SMP008", MK_MISSES, directed, "smp_dr_path", NULL, "a request, not written yet" },
	{ "SMP009", MK_FIRES, by_lid, "lrh.dlid", "GRH009=grh", "directed, but from LID 2 to 7" },
	{ "SMP009", MK_FIRES, from_lid, "lrh.slid", "GRH009=grh", "directed, but from LID 2" },
	{ "SMP009", MK_MISSES, directed, "smp_dr", NULL, "directed, LIDs permissive" },
	{ "SMP009", MK_MISSES, lid_part, "smp_dr", NULL, "by LID first" },
	{ "SMP010", MK_FIRES, lid_part_permissive, "lrh.slid", "GRH009=grh",
	  "by LID first, from the permissive LID" },
	{ "SMP010", MK_MISSES, lid_part, "smp_dr", NULL, "by LID first, from LID 2" },
	{ "SMP010", MK_MISSES, lid_part_done, "smp_dr", NULL, "the LID-routed part is after it" },
	{ "SMP011", MK_FIRES, reserved, "smp+8:32", "GRH009=grh", "first reserved byte" },
	{ "SMP011", MK_FIRES, dr_reserved, "smp_dr+8:32", "GRH009=grh",
	  "last reserved byte of a directed one" },
	{ "SMP011", MK_MISSES, dr_reserved_not, "mad", NULL, "its neighbours" },
	{ "SMP012", MK_FIRES, attr_7f, "mad.attr_id", "GRH009=grh", "attribute 0x7f" },
	{ "SMP012", MK_MISSES, attr_ff00, "mad", NULL, "attribute 0xff00 is a manufacturer's" },
	{ "SMP013", MK_FIRES, set_node_info, "mad.attr_id", "GRH009=grh", "Set(NodeInfo)" },
	{ "SMP013", MK_FIRES, set_node_desc, "~mad.attr_id", "GRH009=grh", "Set(NodeDescription)" },
	{ "SMP013", MK_MISSES, get_node_desc, "mad", NULL, "Get(NodeDescription)" },
	{ "SMP013", MK_MISSES, set_port_info, "mad", NULL, "Set(PortInfo)" },
	{ "SMP014", MK_FIRES, mkey, "smp.mkey", "GRH009=grh", "Get with M_Key 1" },
	{ "SMP014", MK_FIRES, dr_mkey, "smp_dr.mkey", "GRH009=grh", "directed Get with an M_Key" },
	{ "SMP014", MK_MISSES, mkey_resp, "mad", NULL, "an M_Key in an answer" },
	{ 0 },
};

/* One directed SMP, seen before each of its hops: nobody repeats anything. */
static void at_each_hop(struct mk_capture *c)
{
	struct mk_packet p;
	uint8_t pointer;

	mk_pcap(c, IBW_LINKTYPE_INFINIBAND, 0, MK_NANO);
	for (pointer = 0; pointer < 3; pointer++) {
		memset(&p, 0, sizeof(p));
		p.serial = 1;
		directed_at(&p, pointer);
		mk_put(c, &p);
		mk_misses(c, "SMP004", "smp_dr_status");
	}
}

static const struct mk_file_case files[] = {
	{ "hops-ib.pcap", at_each_hop },
	{ 0 },
};

static const struct mk_claim claims[] = {
	{ "SMP002", NULL, MK_IN_V1 | MK_IN_V2, "on InfiniBand SMPs are right" },
	{ "SMP001", NULL, MK_IN_IB, "SMPs are of InfiniBand alone: SMP002" },
	{ "SMP003", NULL, MK_IN_IB, "SMPs are of InfiniBand alone: SMP002" },
	{ "SMP004", NULL, MK_IN_IB, "SMPs are of InfiniBand alone: SMP002" },
	{ "SMP005", NULL, MK_IN_IB, "SMPs are of InfiniBand alone: SMP002" },
	{ "SMP006", NULL, MK_IN_IB, "SMPs are of InfiniBand alone: SMP002" },
	{ "SMP007", NULL, MK_IN_IB, "SMPs are of InfiniBand alone: SMP002" },
	{ "SMP008", NULL, MK_IN_IB, "SMPs are of InfiniBand alone: SMP002" },
	{ "SMP009", NULL, MK_IN_IB, "SMPs are of InfiniBand alone: SMP002" },
	{ "SMP010", NULL, MK_IN_IB, "SMPs are of InfiniBand alone: SMP002" },
	{ "SMP011", NULL, MK_IN_IB, "SMPs are of InfiniBand alone: SMP002" },
	{ "SMP012", NULL, MK_IN_IB, "SMPs are of InfiniBand alone: SMP002" },
	{ "SMP013", NULL, MK_IN_IB, "SMPs are of InfiniBand alone: SMP002" },
	{ "SMP014", NULL, MK_IN_IB, "SMPs are of InfiniBand alone: SMP002" },
	{ 0 },
};

const struct mk_group mk_lint_smp = { "smp", cases, files, claims };
