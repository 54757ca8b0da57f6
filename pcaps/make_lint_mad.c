/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_mad.c - the cases of group MAD. */
#include "make_case.h"

#define GET IBW_METHOD_GET

/* A Get(ClassPortInfo) to QP1. */
#define PERF_GET(name, framing, ...) MAD(name, framing, PERF, GET, 1, __VA_ARGS__)
#define CLASS_VERSION(v) ibw_mad_set_class_version(IN(mad, 0), v)
#define STATUS(v) ibw_mad_set_status(IN(mad, 0), v)
/* Directed route has the direction where others have the highest bit. */
#define DR_STATUS(v) ibw_smp_dr_status_set_status(IN(smp_dr_status, 4), v)

PERF_GET(plain, ROCE_V2_IPV4, (void)p)
PERF_GET(plain_ib, IB_LOCAL, (void)p)
PERF_GET(size_252, ROCE_V2_IPV4, p->payload_len = 252)
PERF_GET(size_260, IB_GLOBAL, p->payload_len = 260)
PERF_GET(size_23, ROCE_V1, p->payload_len = 23)
PERF_GET(base_2, ROCE_V2_IPV6, ibw_mad_set_base_version(IN(mad, 0), 2))
PERF_GET(base_opa, IB_LOCAL, ibw_mad_set_base_version(IN(mad, 0), IBW_MAD_BASE_VERSION_OPA))
PERF_GET(class_2, IB_LOCAL, ibw_mad_set_mgmt_class(IN(mad, 0), 2))
PERF_GET(class_80, ROCE_V1, ibw_mad_set_mgmt_class(IN(mad, 0), 0x80))
MAD(class_9, IB_LOCAL, VENDOR1, GET, 0x10, (void)p)
PERF_GET(perf_version_2, ROCE_V2_IPV4, CLASS_VERSION(2))
MAD(cm_version_1, ROCE_V2_IPV4, COMM_MGT, GET, 1, CLASS_VERSION(1))
MAD(vendor_version_9, IB_LOCAL, VENDOR1, GET, 0x10, CLASS_VERSION(9))
MAD(smp_to_qp1, IB_LOCAL, SUBN_LID, GET, IBW_ATTR_SM_NODE_INFO, p->bth.dqpn = IBW_QPN_GSI;
    p->deth.sqpn = IBW_QPN_GSI; p->deth.qkey = IBW_QKEY_GSI; p->lrh.vl = 0)
PERF_GET(perf_to_qp0, IB_LOCAL, p->bth.dqpn = IBW_QPN_SMI; p->deth.sqpn = IBW_QPN_SMI;
	 p->deth.qkey = 0)
MAD(smp, IB_LOCAL, SUBN_LID, GET, IBW_ATTR_SM_NODE_INFO, (void)p)
MAD(smp_get_table, IB_LOCAL, SUBN_LID, IBW_METHOD_GET_TABLE, IBW_ATTR_SM_NODE_INFO, (void)p)
MAD(smp_trap_resp, IB_LOCAL, SUBN_LID, METHOD_RESP | IBW_METHOD_TRAP, IBW_ATTR_SM_NOTICE, (void)p)
MAD(smp_trap, IB_LOCAL, SUBN_LID, IBW_METHOD_TRAP, IBW_ATTR_SM_NOTICE, (void)p)
MAD(perf_get_multi_resp, ROCE_V2_IPV6, PERF, METHOD_RESP | IBW_METHOD_GET_MULTI,
    IBW_ATTR_PERF_CLASS_PORT_INFO, (void)p)
MAD(vendor_method_4, ROCE_V2_IPV4, VENDOR1, 0x04, 0x10, (void)p)
MAD(vendor_method_7f, ROCE_V2_IPV4, VENDOR1, 0x7f, 0x10, (void)p)
PERF_GET(request_status, ROCE_V2_IPV4, STATUS(0x0004))
MAD(dr_request_status, IB_LOCAL, SUBN_DR, GET, IBW_ATTR_SM_NODE_INFO, DR_STATUS(0x1c))
MAD(dr_returning, IB_LOCAL, SUBN_DR, GET_RESP, IBW_ATTR_SM_NODE_INFO,
    ibw_smp_dr_status_set_d(IN(smp_dr_status, 4), 1))
MAD(resp_busy, ROCE_V2_IPV4, PERF, GET_RESP, 1, STATUS(IBW_STATUS_BUSY))
MAD(sa_no_records, IB_LOCAL, SUBN_ADM, GET_RESP, IBW_ATTR_SA_PATH_REC,
    STATUS(IBW_SA_STATUS_NO_RECORDS << 8))
MAD(resp_ok, ROCE_V2_IPV4, PERF, GET_RESP, 1, (void)p)
MAD(oui_0, IB_LOCAL, VENDOR2, GET, 0x10, (void)p)
MAD(oui_1, IB_LOCAL, VENDOR2, GET, 0x10, ibw_vendor_oui_set_oui(IN(vendor_oui, 36), 1))

/* Sent by QP1 to a QP it redirected to, or that an application misuses. */
PERF_GET(redirected, ROCE_V2_IPV4, p->bth.dqpn = 0x51)
PERF_GET(short_to_other, ROCE_V2_IPV4, p->bth.dqpn = 0x51; p->payload_len = 252;
	 p->deth.qkey = 0x11111111)

static const struct mk_case cases[] = {
	{ "MAD001", MK_FIRES, size_252, "mad/payload", NULL, "252 bytes" },
	{ "MAD001", MK_FIRES, size_260, "mad/payload", NULL, "260 bytes" },
	{ "MAD001", MK_FIRES, size_23, "mad/payload", NULL, "not even the common header" },
	{ "MAD001", MK_MISSES, plain, "mad", NULL, "256 bytes" },
	{ "MAD001", MK_MISSES, short_to_other, NULL, NULL,
	  "252 bytes to an ordinary QP are no MAD" },
	{ "MAD002", MK_FIRES, base_2, "mad.base_version", NULL, "base version 2" },
	{ "MAD002", MK_MISSES, plain_ib, "mad", NULL, "base version 1" },
	{ "MAD002", MK_MISSES, base_opa, "mad", NULL, "base version 0x80 is Omni-Path's" },
	{ "MAD003", MK_FIRES, class_2, "mad.mgmt_class", NULL, "class 0x02" },
	{ "MAD003", MK_FIRES, class_80, "mad.mgmt_class", NULL, "class 0x80" },
	{ "MAD003", MK_MISSES, class_9, "mad", NULL, "class 0x09 is a manufacturer's" },
	{ "MAD004", MK_FIRES, perf_version_2, "mad.class_version", NULL, "PerfMgt version 2" },
	{ "MAD004", MK_FIRES, cm_version_1, "mad.class_version", NULL, "ComMgt version 1" },
	{ "MAD004", MK_MISSES, vendor_version_9, "mad", NULL, "a vendor class has any version" },
	{ "MAD005", MK_FIRES, smp_to_qp1, "mad.mgmt_class", "SMP001=lrh.vl SMP002=mad.mgmt_class",
	  "an SMP to QP1" },
	{ "MAD005", MK_FIRES, perf_to_qp0, "mad.mgmt_class", "GRH009=grh", "PerfMgt to QP0" },
	{ "MAD005", MK_MISSES, smp, "mad", NULL, "an SMP to QP0" },
	{ "MAD005", MK_MISSES, redirected, "mad", NULL, "PerfMgt redirected to another QP" },
	{ "MAD006", MK_FIRES, smp_get_table, "mad.method", "GRH009=grh",
	  "SubnMgt has no GetTable" },
	{ "MAD006", MK_FIRES, smp_trap_resp, "mad.method", "GRH009=grh", "a Trap is not answered" },
	{ "MAD006", MK_FIRES, perf_get_multi_resp, "mad.method", NULL, "PerfMgt has no GetMulti" },
	{ "MAD006", MK_FIRES, vendor_method_4, "mad.method", NULL,
	  "method 0x04, even of a vendor class" },
	{ "MAD006", MK_MISSES, smp_trap, "mad", NULL, "a Trap of SubnMgt" },
	{ "MAD006", MK_MISSES, vendor_method_7f, "mad", NULL, "method 0x7f of a vendor class" },
	{ "MAD007", MK_FIRES, request_status, "mad.status", NULL, "Get with status 4" },
	{ "MAD007", MK_FIRES, dr_request_status, "mad.status", "GRH009=grh",
	  "directed Get with status 0x1c" },
	{ "MAD007", MK_MISSES, dr_returning, "mad", NULL, "the direction bit is no status" },
	{ "MAD007", MK_MISSES, resp_busy, "mad", "MAD011=mad.status", "a status in an answer" },
	{ "MAD011", MK_FIRES, resp_busy, "mad.status", NULL, "busy" },
	{ "MAD011", MK_FIRES, sa_no_records, "mad.status", NULL, "no records" },
	{ "MAD011", MK_MISSES, resp_ok, "mad", NULL, "an answer with status 0" },
	{ "MAD011", MK_MISSES, dr_returning, "mad", NULL, "directed, returning, status 0" },
	{ "MAD013", MK_FIRES, oui_0, "vendor_oui.oui", NULL, "class 0x30 with OUI 0" },
	{ "MAD013", MK_MISSES, oui_1, "vendor_oui", NULL, "OUI 1" },
	{ "MAD013", MK_MISSES, class_9, "mad", NULL, "class 0x09 has no OUI" },
	{ 0 },
};

static const struct mk_claim claims[] = {
	{ "MAD005", perf_to_qp0, MK_IN_IB, "SMPs are of InfiniBand alone: SMP002" },
	{ "MAD006", smp_get_table, MK_IN_IB, "SMPs are of InfiniBand alone: SMP002" },
	{ "MAD006", smp_trap_resp, MK_IN_IB, "SMPs are of InfiniBand alone: SMP002" },
	{ "MAD007", dr_request_status, MK_IN_IB, "SMPs are of InfiniBand alone: SMP002" },
	{ 0 },
};

const struct mk_group mk_lint_mad = { "mad", cases, NULL, claims };
