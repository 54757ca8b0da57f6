/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build_cm.h - builds the messages of a CM exchange, each from those before it, and RDMA CM's private
 * data.
 *
 *	active side			passive side
 *	ibw_cm_build_req(.., &c, &req)
 *					ibw_cm_take_req(&c, mad, n)
 *					ibw_cm_build_rep(.., &c, &rep)
 *	ibw_cm_take_rep(&c, mad, n)
 *	ibw_cm_build_rtu(.., &c)
 *		... the QP sends to c.remote.qpn, from c.remote.psn on, and expects c.local.psn ...
 *	ibw_cm_build_dreq(.., &c, tid)	ibw_cm_take_dreq(&c, mad, n), ibw_cm_build_drep(.., &c)
 *
 * A connection keeps what both ends told each other, so that the caller carries over no id, QPN, PSN
 * or transaction id. Messages are 256 bytes; private data after them is 0 until ->data is written at
 * ibw_cm_req_BYTES (..., 92 bytes of it) and so on. All numbers are host integers, but GIDs and IPv6
 * addresses. NULL: @cap is less than 256, and nothing was written. All state is the caller's: use a
 * connection in one thread at a time.
 */
#ifndef IBWIRE_BUILD_CM_H
#define IBWIRE_BUILD_CM_H

#include "build_gs.h"
#include "cm.h"

struct ibw_cm_mad {
	struct ibw_mad_wire mad;
	uint8_t data[IBW_MAD_BYTES - ibw_mad_BYTES]; /* the message, its private data */
};

IBW_STATIC_ASSERT(sizeof(struct ibw_cm_mad) == IBW_MAD_BYTES, "a MAD is 256 bytes");

/* One end of a connection. */
struct ibw_cm_end {
	uint32_t comm_id;
	uint32_t qpn;
	uint32_t psn; /* where the send queue of the other end begins: IBTA vol 1, 12.7 */
};

struct ibw_cm_conn {
	struct ibw_cm_end local, remote;
	uint64_t tid;     /* of REQ, REP and RTU */
	uint64_t end_tid; /* of DREQ and DREP */
};

/* A message without content. */
static inline struct ibw_cm_mad *ibw_cm_build(void *buf, size_t cap, uint16_t attr_id, uint64_t tid)
{
	return (struct ibw_cm_mad *)ibw_gs_build(buf, cap, IBW_CLASS_COMM_MGT, IBW_METHOD_SEND,
						 attr_id, 0, tid);
}

/* The message at @mad, of @n bytes, if it is of CM and of this attribute; else NULL. */
static inline const struct ibw_cm_mad *ibw_cm_view(const void *mad, size_t n, uint16_t attr_id)
{
	const struct ibw_cm_mad *m = (const struct ibw_cm_mad *)mad;

	if (n < IBW_MAD_BYTES || ibw_mad_mgmt_class(&m->mad) != IBW_CLASS_COMM_MGT ||
	    ibw_mad_attr_id(&m->mad) != attr_id)
		return NULL;
	return m;
}

/* The REQ of the active end @c->local; its members in @req are not read. */
static inline struct ibw_cm_mad *
ibw_cm_build_req(void *buf, size_t cap, const struct ibw_cm_conn *c, const struct ibw_cm_req *req)
{
	struct ibw_cm_mad *m = ibw_cm_build(buf, cap, IBW_ATTR_CM_REQ, c->tid);
	struct ibw_cm_req_wire *wire;

	if (!m)
		return NULL;
	wire = (struct ibw_cm_req_wire *)m->data;
	ibw_cm_req_pack(wire, req);
	ibw_cm_req_set_local_comm_id(wire, c->local.comm_id);
	ibw_cm_req_set_local_qpn(wire, c->local.qpn);
	ibw_cm_req_set_starting_psn(wire, c->local.psn);
	return m;
}

/* The passive end learns of the active one. False: this is no REQ. */
static inline bool ibw_cm_take_req(struct ibw_cm_conn *c, const void *mad, size_t n)
{
	const struct ibw_cm_mad *m = ibw_cm_view(mad, n, IBW_ATTR_CM_REQ);
	const struct ibw_cm_req_wire *req;

	if (!m)
		return false;
	req = (const struct ibw_cm_req_wire *)m->data;
	c->tid = ibw_mad_tid(&m->mad);
	c->remote.comm_id = ibw_cm_req_local_comm_id(req);
	c->remote.qpn = ibw_cm_req_local_qpn(req);
	c->remote.psn = ibw_cm_req_starting_psn(req);
	return true;
}

/* The REP of the passive end @c->local; the ids, QPN and PSN in @rep are not read. */
static inline struct ibw_cm_mad *
ibw_cm_build_rep(void *buf, size_t cap, const struct ibw_cm_conn *c, const struct ibw_cm_rep *rep)
{
	struct ibw_cm_mad *m = ibw_cm_build(buf, cap, IBW_ATTR_CM_REP, c->tid);
	struct ibw_cm_rep_wire *wire;

	if (!m)
		return NULL;
	wire = (struct ibw_cm_rep_wire *)m->data;
	ibw_cm_rep_pack(wire, rep);
	ibw_cm_rep_set_local_comm_id(wire, c->local.comm_id);
	ibw_cm_rep_set_remote_comm_id(wire, c->remote.comm_id);
	ibw_cm_rep_set_local_qpn(wire, c->local.qpn);
	ibw_cm_rep_set_starting_psn(wire, c->local.psn);
	return m;
}

/* The active end learns of the passive one. False: no REP, or not to this end's REQ. */
static inline bool ibw_cm_take_rep(struct ibw_cm_conn *c, const void *mad, size_t n)
{
	const struct ibw_cm_mad *m = ibw_cm_view(mad, n, IBW_ATTR_CM_REP);
	const struct ibw_cm_rep_wire *rep;

	if (!m)
		return false;
	rep = (const struct ibw_cm_rep_wire *)m->data;
	if (ibw_cm_rep_remote_comm_id(rep) != c->local.comm_id)
		return false;
	c->remote.comm_id = ibw_cm_rep_local_comm_id(rep);
	c->remote.qpn = ibw_cm_rep_local_qpn(rep);
	c->remote.psn = ibw_cm_rep_starting_psn(rep);
	return true;
}

/* Writes both ids, of this end and of the other, as RTU, DREQ, DREP, REJ and MRA begin. */
IBW_INLINE void ibw_cm_put_ids(struct ibw_cm_mad *m, const struct ibw_cm_conn *c)
{
	ibw_cm_rtu_set_local_comm_id((struct ibw_cm_rtu_wire *)m->data, c->local.comm_id);
	ibw_cm_rtu_set_remote_comm_id((struct ibw_cm_rtu_wire *)m->data, c->remote.comm_id);
}

/* Ready to use: the answer to a REP. */
static inline struct ibw_cm_mad *ibw_cm_build_rtu(void *buf, size_t cap,
						  const struct ibw_cm_conn *c)
{
	struct ibw_cm_mad *m = ibw_cm_build(buf, cap, IBW_ATTR_CM_RTU, c->tid);

	if (m)
		ibw_cm_put_ids(m, c);
	return m;
}

/*
 * A REJ with reason IBW_CM_REJ_...; @message: the message that is refused, IBW_CM_MESSAGE_... (0:
 * REQ).
 */
static inline struct ibw_cm_mad *ibw_cm_build_rej(void *buf, size_t cap,
						  const struct ibw_cm_conn *c, uint8_t message,
						  uint16_t reason)
{
	struct ibw_cm_mad *m = ibw_cm_build(buf, cap, IBW_ATTR_CM_REJ, c->tid);

	if (!m)
		return NULL;
	ibw_cm_put_ids(m, c);
	ibw_cm_rej_set_message((struct ibw_cm_rej_wire *)m->data, message);
	ibw_cm_rej_set_reason((struct ibw_cm_rej_wire *)m->data, reason);
	return m;
}

/* The end of the connection, by either end, in a transaction of its own. */
static inline struct ibw_cm_mad *ibw_cm_build_dreq(void *buf, size_t cap, struct ibw_cm_conn *c,
						   uint64_t tid)
{
	struct ibw_cm_mad *m = ibw_cm_build(buf, cap, IBW_ATTR_CM_DREQ, tid);

	if (!m)
		return NULL;
	c->end_tid = tid;
	ibw_cm_put_ids(m, c);
	ibw_cm_dreq_set_remote_qpn((struct ibw_cm_dreq_wire *)m->data, c->remote.qpn);
	return m;
}

/* False: no DREQ, or not of this connection. */
static inline bool ibw_cm_take_dreq(struct ibw_cm_conn *c, const void *mad, size_t n)
{
	const struct ibw_cm_mad *m = ibw_cm_view(mad, n, IBW_ATTR_CM_DREQ);
	const struct ibw_cm_dreq_wire *dreq;

	if (!m)
		return false;
	dreq = (const struct ibw_cm_dreq_wire *)m->data;
	if (ibw_cm_dreq_local_comm_id(dreq) != c->remote.comm_id ||
	    ibw_cm_dreq_remote_comm_id(dreq) != c->local.comm_id ||
	    ibw_cm_dreq_remote_qpn(dreq) != c->local.qpn)
		return false;
	c->end_tid = ibw_mad_tid(&m->mad);
	return true;
}

/* The answer to a DREQ. */
static inline struct ibw_cm_mad *ibw_cm_build_drep(void *buf, size_t cap,
						   const struct ibw_cm_conn *c)
{
	struct ibw_cm_mad *m = ibw_cm_build(buf, cap, IBW_ATTR_CM_DREP, c->end_tid);

	if (m)
		ibw_cm_put_ids(m, c);
	return m;
}

/* Where the private data of a REQ and of a REP are, and how much: IBTA vol 1, 12.6.5, 12.6.8 */
#define IBW_CM_REQ_PRIVATE 92u
#define IBW_CM_REP_PRIVATE 196u

/* What RDMA CM's header takes of the private data of a REQ; the application has the rest. */
#define IBW_CMA_BYTES ((uint32_t)ibw_cma_hdr_BYTES + (uint32_t)ibw_cma_ipv4_BYTES)

/* The private data of a REQ, IBW_CM_REQ_PRIVATE bytes. */
IBW_INLINE uint8_t *ibw_cm_req_private(struct ibw_cm_mad *req)
{
	return req->data + ibw_cm_req_BYTES;
}

/* RDMA CM's header with two IPv4 addresses, IBW_CMA_BYTES bytes at @p. IBTA vol 1, A11 */
static inline void ibw_cma_put_ipv4(uint8_t *p, uint32_t src, uint32_t dst, uint16_t src_port)
{
	struct ibw_cma_hdr hdr = { 0, 0, 4, 0 };
	struct ibw_cma_ipv4 ip = { 0, 0 };

	hdr.src_port = src_port;
	ip.src = src;
	ip.dst = dst;
	ibw_cma_hdr_pack((struct ibw_cma_hdr_wire *)p, &hdr);
	ibw_cma_ipv4_pack((struct ibw_cma_ipv4_wire *)(p + ibw_cma_hdr_BYTES), &ip);
}

/* The same with two IPv6 addresses, 16 bytes each in wire order. */
static inline void ibw_cma_put_ipv6(uint8_t *p, const uint8_t *src, const uint8_t *dst,
				    uint16_t src_port)
{
	struct ibw_cma_hdr hdr = { 0, 0, 6, 0 };

	hdr.src_port = src_port;
	ibw_cma_hdr_pack((struct ibw_cma_hdr_wire *)p, &hdr);
	ibw_copy_bytes(p + ibw_cma_hdr_BYTES, src, 16);
	ibw_copy_bytes(p + ibw_cma_hdr_BYTES + 16, dst, 16);
}

/*
 * The IP version in the RDMA CM header at @p, of @n bytes: 4 or 6; 0: it is not such a header, or too
 * short.
 */
static inline uint8_t ibw_cma_ip_version(const uint8_t *p, size_t n)
{
	const struct ibw_cma_hdr_wire *hdr = (const struct ibw_cma_hdr_wire *)p;

	if (n < IBW_CMA_BYTES || ibw_cma_hdr_major(hdr) != 0)
		return 0;
	return ibw_cma_hdr_ip_version(hdr) == 4 || ibw_cma_hdr_ip_version(hdr) == 6
		       ? ibw_cma_hdr_ip_version(hdr)
		       : 0;
}

/* The service id of IPoIB's connected mode at a QP: RFC 4755, 5 */
IBW_INLINE uint64_t ibw_sid_ipoib_cm(uint32_t qpn)
{
	return IBW_SID_IPOIB_CM_BASE | (qpn & 0xffffffu);
}

#endif /* IBWIRE_BUILD_CM_H */
