/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_mad.c - packets that carry a management datagram: IBTA vol 1, 13.4.2 and 14.2.1 */
#include <string.h>

#include <ibwire/mad_walk.h>

#include "make.h"

#define MAD_BYTES 256

/* SubnGet(NodeInfo), routed by LID. */
static const uint8_t smp_get_node_info[MAD_BYTES] = {
	[0] = 1,     /* base version */
	[1] = 0x01,  /* subnet management, LID routed */
	[2] = 1,     /* class version */
	[3] = 0x01,  /* Get */
	[15] = 0x21, /* transaction */
	[17] = 0x11, /* NodeInfo */
};

/* PerformanceGet(ClassPortInfo). */
static const uint8_t gsi_get_class_port_info[MAD_BYTES] = {
	[0] = 1, [1] = 0x04, [2] = 1, [3] = 0x01, [15] = 0x22, [17] = 0x01,
};

static void start_mad(struct mk_packet *p, enum mk_framing framing, const uint8_t *mad,
		      uint32_t qpn, uint32_t qkey)
{
	mk_start(p, framing, IBW_OP_UD_SEND_ONLY, MAD_BYTES);
	p->payload = mad;
	p->bth.dqpn = qpn;
	p->deth.sqpn = qpn;
	p->deth.qkey = qkey;
}

void mk_start_smp(struct mk_packet *p, enum mk_framing framing)
{
	start_mad(p, framing, smp_get_node_info, IBW_QPN_SMI, 0);
	p->lrh.vl = IBW_VL_SM;
}

void mk_start_gsi(struct mk_packet *p, enum mk_framing framing)
{
	start_mad(p, framing, gsi_get_class_port_info, IBW_QPN_GSI, IBW_QKEY_GSI);
}

/* Directed all the way, one hop. */
static void start_directed(struct mk_packet *p, uint8_t *mad, bool back)
{
	struct ibw_smp_dr_wire *dr = (struct ibw_smp_dr_wire *)(mad + ibw_mad_BYTES);

	p->lrh.slid = p->lrh.dlid = IBW_LID_PERMISSIVE;
	ibw_smp_dr_set_dr_slid(dr, IBW_LID_PERMISSIVE);
	ibw_smp_dr_set_dr_dlid(dr, IBW_LID_PERMISSIVE);
	ibw_smp_dr_status_set_hop_cnt((struct ibw_smp_dr_status_wire *)(mad + 4), 1);
	ibw_smp_dr_path_set_initial_path((struct ibw_smp_dr_path_wire *)(mad + 128), 1, 1);
	if (!back)
		return;
	ibw_smp_dr_status_set_d((struct ibw_smp_dr_status_wire *)(mad + 4), 1);
	ibw_smp_dr_path_set_return_path((struct ibw_smp_dr_path_wire *)(mad + 128), 1, 1);
}

uint8_t *mk_start_mad(struct mk_packet *p, enum mk_framing framing, uint8_t mgmt_class,
		      uint8_t method, uint16_t attr_id)
{
	static uint8_t mad[MAD_BYTES + 4]; /* a case may send one that is too long */
	const struct ibw_mad_class_row *row = ibw_mad_class_of(mgmt_class);
	struct ibw_mad common = { .base_version = IBW_MAD_BASE_VERSION,
				  .mgmt_class = mgmt_class,
				  .class_version = row && row->version ? row->version : 1,
				  .r = method >> 7,
				  .method = method & 0x7f,
				  .tid = 0x23 + (method == IBW_METHOD_SEND ? 0 : p->serial),
				  .attr_id = attr_id };
	bool smp = row && row->attrs == IBW_ATTRS_SM;

	memset(mad, 0, sizeof(mad));
	ibw_mad_pack((struct ibw_mad_wire *)mad, &common);
	start_mad(p, framing, mad, smp ? IBW_QPN_SMI : IBW_QPN_GSI, smp ? 0 : IBW_QKEY_GSI);
	if (smp)
		p->lrh.vl = IBW_VL_SM;
	if (mgmt_class == IBW_CLASS_SUBN_DR)
		start_directed(p, mad, method >> 7);
	return mad;
}
