/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build_gs.h - builds general services MADs in place: PerfMgt, CM, vendors, InformInfo, Report, traps,
 * and the response to a request. Class versions are those of list/mad_classes.def.
 *
 *	struct ibw_perf_mad *q = ibw_perf_build(buf, sizeof(buf), IBW_METHOD_GET,
 *						IBW_ATTR_PERF_COUNTERS, tid);
 *
 *	ibw_port_counters_set_port_select((struct ibw_port_counters_wire *)q->data, 1);
 *
 * Each clears the 256 bytes at @buf and writes the headers. NULL (false): @cap is less, or the reason
 * given at the function, and nothing was written. Transaction ids and all other numbers are host
 * integers, GIDs bytes in wire order. Nothing but @buf is written: any thread may call these.
 */
#ifndef IBWIRE_BUILD_GS_H
#define IBWIRE_BUILD_GS_H

#include "build_mad.h"
#include "transport.h"
#include "vendor.h"

/* PerfMgt, DevMgt, BaseBoardMgt: IBTA vol 1, 16.1.1 */
struct ibw_perf_mad {
	struct ibw_mad_wire mad;
	uint8_t rsvd[40];
	uint8_t data[192];
};

/* Vendors' classes 0x30 to 0x4f: IBTA vol 1, 16.5 */
struct ibw_vendor_mad {
	struct ibw_mad_wire mad;
	struct ibw_rmpp_wire rmpp;
	struct ibw_vendor_oui_wire oui;
	uint8_t data[216];
};

IBW_STATIC_ASSERT(sizeof(struct ibw_perf_mad) == IBW_MAD_BYTES, "a MAD is 256 bytes");
IBW_STATIC_ASSERT(sizeof(struct ibw_vendor_mad) == IBW_MAD_BYTES, "a MAD is 256 bytes");

/* The version of a management class; 1 where the class has none of its own, as those of vendors. */
static inline uint8_t ibw_mad_class_version_of(uint8_t mgmt_class)
{
#define IBW_MAD_CLASS(first, last, name, text, version, layer1, layer2, off, len, attrs)           \
	if (mgmt_class >= (first) && mgmt_class <= (last))                                         \
		return (version) ? (version) : 1;
#include "list/mad_classes.def"
#undef IBW_MAD_CLASS
	return 1;
}

/* A MAD of a class, in the version the class has. */
static inline struct ibw_any_mad *ibw_gs_build(void *buf, size_t cap, uint8_t mgmt_class,
					       uint8_t method, uint16_t attr_id, uint32_t attr_mod,
					       uint64_t tid)
{
	return ibw_mad_build(buf, cap, mgmt_class, ibw_mad_class_version_of(mgmt_class), method,
			     attr_id, attr_mod, tid);
}

/* Performance management; the attribute goes to ->data. */
static inline struct ibw_perf_mad *ibw_perf_build(void *buf, size_t cap, uint8_t method,
						  uint16_t attr_id, uint64_t tid)
{
	return (struct ibw_perf_mad *)ibw_gs_build(buf, cap, IBW_CLASS_PERF, method, attr_id, 0,
						   tid);
}

/* A vendor's class with an OUI, of 24 bits. NULL also if @mgmt_class is not 0x30 to 0x4f. */
static inline struct ibw_vendor_mad *ibw_vendor_build(void *buf, size_t cap, uint8_t mgmt_class,
						      uint32_t oui, uint8_t method,
						      uint16_t attr_id, uint32_t attr_mod,
						      uint64_t tid)
{
	struct ibw_vendor_mad *m = (struct ibw_vendor_mad *)buf;

	if (mgmt_class < IBW_CLASS_VENDOR2 || mgmt_class > IBW_CLASS_VENDOR2_LAST ||
	    !ibw_gs_build(buf, cap, mgmt_class, method, attr_id, attr_mod, tid))
		return NULL;
	ibw_vendor_oui_set_oui(&m->oui, oui);
	return m;
}

/* The trap of a port to the SM, without details: they go to ->attr, from byte 10 on. 14.2.5.1 */
static inline struct ibw_smp_mad *ibw_trap_build(void *buf, size_t cap, uint8_t type,
						 uint32_t producer_type, uint16_t trap_num,
						 uint16_t issuer_lid, uint64_t tid, uint64_t mkey)
{
	struct ibw_smp_mad *m =
		ibw_smp_build(buf, cap, IBW_METHOD_TRAP, IBW_ATTR_SM_NOTICE, 0, tid, mkey);
	struct ibw_notice_wire *notice;

	if (!m)
		return NULL;
	notice = (struct ibw_notice_wire *)m->attr;
	ibw_notice_set_is_generic(notice, 1);
	ibw_notice_set_type(notice, type);
	ibw_notice_set_producer_type(notice, producer_type);
	ibw_notice_set_trap_num(notice, trap_num);
	ibw_notice_set_issuer_lid(notice, issuer_lid);
	return m;
}

/* Subscribes to, or unsubscribes from, the generic traps of a number, 0xffff for all. */
static inline struct ibw_sa_mad *ibw_inform_build(void *buf, size_t cap, bool subscribe,
						  uint16_t trap_num, uint64_t tid)
{
	struct ibw_sa_mad *m = ibw_sa_build(buf, cap, IBW_METHOD_SET, IBW_ATTR_SA_INFORM_INFO, tid);
	struct ibw_inform_info_wire *info;

	if (!m)
		return NULL;
	info = (struct ibw_inform_info_wire *)m->record;
	ibw_inform_info_set_lid_begin(info, 0xffff); /* of any LID: 13.4.8.3 */
	ibw_inform_info_set_is_generic(info, 1);
	ibw_inform_info_set_subscribe(info, subscribe);
	ibw_inform_info_set_type(info, 0xffff);
	ibw_inform_info_set_trap_num(info, trap_num);
	ibw_inform_info_set_qpn(info, IBW_QPN_GSI);
	ibw_inform_info_set_resp_time(info, 0x1f);
	ibw_inform_info_set_producer_type(info, 0xffffff);
	return m;
}

/* A Notice, 64 bytes at @notice, reported by the SA, which adds the GID of the trap's issuer. */
static inline struct ibw_sa_mad *ibw_report_build(void *buf, size_t cap, const void *notice,
						  const uint8_t *issuer_gid, uint64_t tid)
{
	struct ibw_sa_mad *m = ibw_sa_build(buf, cap, IBW_METHOD_REPORT, IBW_ATTR_SA_NOTICE, tid);

	if (!m)
		return NULL;
	ibw_copy_bytes(m->record, (const uint8_t *)notice, 64);
	ibw_copy_bytes(m->record + 64, issuer_gid, 16);
	return m;
}

/*
 * The method of the response to a method; 0: it has none, or is a response itself. Set is answered
 * by GetResp, Trap by TrapRepress, and all others by themselves with the R bit: 13.4.5
 */
static inline uint8_t ibw_mad_response_method(uint8_t method)
{
	switch (method) {
	case IBW_METHOD_GET:
	case IBW_METHOD_SET:
		return IBW_METHOD_GET | 0x80;
	case IBW_METHOD_TRAP:
		return IBW_METHOD_TRAP_REPRESS;
	case IBW_METHOD_REPORT:
	case IBW_METHOD_GET_TABLE:
	case IBW_METHOD_GET_TRACE_TABLE:
	case IBW_METHOD_GET_MULTI:
	case IBW_METHOD_DELETE:
		return method | 0x80;
	default:
		return 0;
	}
}

/*
 * The response to the 256 bytes at @request: a copy with the method of the response and
 * @status, host integer; the caller writes the attribute. For a directed route the D bit is set,
 * which says that the packet is on its way back. @buf may be @request. False also if the method has
 * no response.
 */
static inline bool ibw_mad_respond(void *buf, size_t cap, const void *request, uint16_t status)
{
	const struct ibw_mad_wire *from = (const struct ibw_mad_wire *)request;
	uint8_t method = (uint8_t)(ibw_mad_r(from) << 7 | ibw_mad_method(from));
	uint8_t answer = ibw_mad_response_method(method), *to = (uint8_t *)buf;
	bool directed = ibw_mad_mgmt_class(from) == IBW_CLASS_SUBN_DR;
	struct ibw_mad_wire *mad = (struct ibw_mad_wire *)buf;
	unsigned int i;

	if (cap < IBW_MAD_BYTES || !answer)
		return false;
	for (i = 0; i < IBW_MAD_BYTES; i += 8) {
		ibw_put_be64(to + i, ibw_get_be64((const uint8_t *)request + i));
		__asm__ volatile("" : : : "memory");
	}
	ibw_mad_set_r(mad, answer >> 7);
	ibw_mad_set_method(mad, answer & 0x7f);
	ibw_mad_set_status(mad, directed ? (uint16_t)(status | 0x8000) : status);
	return true;
}

/*
 * A whole record, from its struct, with the components of @mask (IBW_SA_COMPS() of its fields,
 * ORed) asked for: IBW_SA_RECORD(q, path_rec, &rec, mask).
 */
#define IBW_SA_RECORD(q, rec, values, mask)                                                        \
	(ibw_##rec##_pack((struct ibw_##rec##_wire *)(q)->record, (values)),                       \
	 ibw_sa_ask((q), (mask)))

#endif /* IBWIRE_BUILD_GS_H */
