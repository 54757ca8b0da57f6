/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_mad.c - packets that carry a management datagram: IBTA vol 1, 13.4.2 and 14.2.1 */
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
