/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build_mad.h - builds management datagrams in place, in 256 bytes of the caller's.
 *
 *	struct ibw_sa_mad *q = ibw_sa_build(buf, sizeof(buf), IBW_METHOD_GET,
 *					    IBW_ATTR_SA_PATH_REC, tid);
 *
 *	IBW_SA_SET(q, path_rec, sgid, my_gid);
 *	IBW_SA_SET(q, path_rec, dgid, peer_gid);
 *	IBW_SA_SET(q, path_rec, numb_path, 1);
 *
 * IBW_SA_SET() sets the field and its bit of the component mask together, so a query cannot hold a value
 * that the SA ignores. Everything else is zero. Functions that build return NULL if @cap is less than 256,
 * and then write nothing.
 */
#ifndef IBWIRE_BUILD_MAD_H
#define IBWIRE_BUILD_MAD_H

#include "link.h"
#include "mad.h"
#include "sa.h"
#include "smp.h"

/* A MAD as it lies in its 256 bytes: IBTA vol 1, 13.4.2 */
struct ibw_any_mad {
	struct ibw_mad_wire mad;
	uint8_t data[IBW_MAD_BYTES - ibw_mad_BYTES];
};

/* LID routed: IBTA vol 1, 14.2.1.1 */
struct ibw_smp_mad {
	struct ibw_mad_wire mad;
	struct ibw_smp_wire smp;
	uint8_t attr[64];
	uint8_t rsvd[128];
};

/* Directed route: IBTA vol 1, 14.2.1.2 */
struct ibw_smp_dr_mad {
	struct ibw_mad_wire mad;
	struct ibw_smp_dr_wire dr;
	uint8_t attr[64];
	struct ibw_smp_dr_path_wire path;
};

/* IBTA vol 1, 15.2.1.1 */
struct ibw_sa_mad {
	struct ibw_mad_wire mad;
	struct ibw_rmpp_wire rmpp;
	struct ibw_sa_wire sa;
	uint8_t record[200];
};

IBW_STATIC_ASSERT(sizeof(struct ibw_any_mad) == IBW_MAD_BYTES, "a MAD is 256 bytes");
IBW_STATIC_ASSERT(sizeof(struct ibw_smp_mad) == IBW_MAD_BYTES, "a MAD is 256 bytes");
IBW_STATIC_ASSERT(sizeof(struct ibw_smp_dr_mad) == IBW_MAD_BYTES, "a MAD is 256 bytes");
IBW_STATIC_ASSERT(sizeof(struct ibw_sa_mad) == IBW_MAD_BYTES, "a MAD is 256 bytes");

/*
 * Clears the 256 bytes at @buf and writes the common header. NULL: @cap is less, and nothing was
 * written. The same holds for all of these functions.
 */
static inline struct ibw_any_mad *ibw_mad_build(void *buf, size_t cap, uint8_t mgmt_class,
						uint8_t class_version, uint8_t method,
						uint16_t attr_id, uint32_t attr_mod, uint64_t tid)
{
	struct ibw_any_mad *m = (struct ibw_any_mad *)buf;
	unsigned int i;

	if (cap < IBW_MAD_BYTES)
		return NULL;
	/* In words that the compiler does not turn into a call of memset(), which may not exist. */
	for (i = 0; i < IBW_MAD_BYTES; i += 8) {
		ibw_put_be64((uint8_t *)buf + i, 0);
		__asm__("" : : : "memory");
	}
	ibw_mad_set_base_version(&m->mad, IBW_MAD_BASE_VERSION);
	ibw_mad_set_mgmt_class(&m->mad, mgmt_class);
	ibw_mad_set_class_version(&m->mad, class_version);
	ibw_mad_set_r(&m->mad, method >> 7);
	ibw_mad_set_method(&m->mad, method & 0x7f);
	ibw_mad_set_tid(&m->mad, tid);
	ibw_mad_set_attr_id(&m->mad, attr_id);
	ibw_mad_set_attr_mod(&m->mad, attr_mod);
	return m;
}

/* A subnet management packet to a LID. The attribute goes to ->attr. */
static inline struct ibw_smp_mad *ibw_smp_build(void *buf, size_t cap, uint8_t method,
						uint16_t attr_id, uint32_t attr_mod, uint64_t tid,
						uint64_t mkey)
{
	struct ibw_smp_mad *m = (struct ibw_smp_mad *)buf;

	if (!ibw_mad_build(buf, cap, IBW_CLASS_SUBN_LID, 1, method, attr_id, attr_mod, tid))
		return NULL;
	ibw_smp_set_mkey(&m->smp, mkey);
	return m;
}

/*
 * A directed route that starts at this node: @hops port numbers at @ports, the first of them on
 * this node. Neither end has a LID in the route. NULL also if there are too many hops.
 */
static inline struct ibw_smp_dr_mad *ibw_smp_dr_build(void *buf, size_t cap, uint8_t method,
						      uint16_t attr_id, uint32_t attr_mod,
						      uint64_t tid, uint64_t mkey,
						      const uint8_t *ports, unsigned int hops)
{
	struct ibw_smp_dr_mad *m = (struct ibw_smp_dr_mad *)buf;
	unsigned int i;

	if (hops > IBW_SMP_HOPS_MAX ||
	    !ibw_mad_build(buf, cap, IBW_CLASS_SUBN_DR, 1, method, attr_id, attr_mod, tid))
		return NULL;
	/* Status and hops are where other MADs have their status: IBTA vol 1, 14.2.1.2 */
	ibw_smp_dr_status_set_hop_cnt(
		(struct ibw_smp_dr_status_wire *)(m->mad.b + ibw_mad_status_AT / 8), (uint8_t)hops);
	ibw_smp_dr_set_mkey(&m->dr, mkey);
	ibw_smp_dr_set_dr_slid(&m->dr, IBW_LID_PERMISSIVE);
	ibw_smp_dr_set_dr_dlid(&m->dr, IBW_LID_PERMISSIVE);
	for (i = 0; i < hops; i++)
		ibw_smp_dr_path_set_initial_path(&m->path, i + 1, ports[i]);
	return m;
}

/* A query or another request to the SA; fields of its record with IBW_SA_SET(). */
static inline struct ibw_sa_mad *ibw_sa_build(void *buf, size_t cap, uint8_t method,
					      uint16_t attr_id, uint64_t tid)
{
	if (!ibw_mad_build(buf, cap, IBW_CLASS_SUBN_ADM, 2, method, attr_id, 0, tid))
		return NULL;
	return (struct ibw_sa_mad *)buf;
}

/* Adds the components of @mask to the component mask. */
IBW_INLINE void ibw_sa_ask(struct ibw_sa_mad *q, uint64_t mask)
{
	ibw_sa_set_comp_mask(&q->sa, ibw_sa_comp_mask(&q->sa) | mask);
}

/*
 * The bits of a field whose first component is @comp; a field without one does not compile.
 * PathRecord ServiceID is two components, 8 and 56 bits of one number: IBTA vol 1, 15.2.5.16
 */
#define IBW_SA_COMPS(rec, field)                                                                   \
	((uint64_t)(__builtin_strcmp(#rec "." #field, "path_rec.service_id") == 0 ? 3 : 1)         \
	 << ((unsigned int)ibw_##rec##_##field##_COMP +                                            \
	     0u * (unsigned int)sizeof(char[ibw_##rec##_##field##_COMP >= 0 ? 1 : -1])))

/* q->record.field = value, and its bit in the component mask. */
#define IBW_SA_SET(q, rec, field, value)                                                           \
	(ibw_##rec##_set_##field((struct ibw_##rec##_wire *)(q)->record, (value)),                 \
	 ibw_sa_ask((q), IBW_SA_COMPS(rec, field)))

/* Element @i of a field that is an array, a component each. */
#define IBW_SA_SET_ELEMENT(q, rec, field, i, value)                                                \
	(ibw_##rec##_set_##field((struct ibw_##rec##_wire *)(q)->record, (i), (value)),            \
	 ibw_sa_ask((q), IBW_SA_COMPS(rec, field) << (i)))

#endif /* IBWIRE_BUILD_MAD_H */
