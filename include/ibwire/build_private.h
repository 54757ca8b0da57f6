/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build_private.h - writes and reads what consumers of the CM put into the private data of REQ, REP and
 * REJ.
 *
 *	struct ibw_nvme_connect c = { .qid = 1, .hrqsize = 128, .hsqsize = 127 };
 *	struct ibw_cm_mad *m = ibw_cm_build_req(buf, sizeof(buf), &conn, &req);
 *	uint32_t n, at;
 *
 *	ibw_cma_put_ipv4(ibw_cm_req_private(m), src, dst, port);
 *	at = ibw_cm_consumer(m, &n);
 *	ibw_nvme_put_req(buf + at, n, &c);
 *
 *	consumer	REQ			REP			REJ
 *	NVMe over RDMA	ibw_nvme_put_req	ibw_nvme_put_rep	ibw_nvme_put_rej
 *	iSER		ibw_iser_put		ibw_iser_put		-
 *	SRP		ibw_srp_put_req		ibw_srp_put_rsp		ibw_srp_put_rej
 *	SDP		ibw_sdp_put_hello	ibw_sdp_put_hello_ack	-
 *	RDS		ibw_rds_put, _put6	ibw_rds_put, _put6	-
 *	RPC (NFS)	ibw_rpcrdma_put		ibw_rpcrdma_put		-
 *	IPoIB		ibw_ipoib_cm_put	ibw_ipoib_cm_put	-
 *
 * and ..._take() for each of them. SMB Direct has none: its first SEND is the negotiate message.
 *
 * Each ..._put() writes at @p, of which there are @cap bytes, and returns the number of bytes that it
 * wrote; 0: @cap is less, or a value does not fit its field, and nothing was written. The rest of the
 * private data stays unchanged (ibw_cm_build_req() makes it 0). Each ..._take() reads @n bytes at @p;
 * false: they are too few, or not of this consumer, and the result is unchanged. Numbers are host
 * integers, lengths and sizes are bytes unless stated otherwise, GIDs, ports' identifiers and IPv6
 * addresses bytes in wire order. Nothing but the result is written: any thread may call these.
 */
#ifndef IBWIRE_BUILD_PRIVATE_H
#define IBWIRE_BUILD_PRIVATE_H

#include "build_cm.h"

/* The private data of a REJ: IBTA vol 1, 12.6.7 */
#define IBW_CM_REJ_PRIVATE 148u

/* Clears the @n bytes at @p, in words that the compiler does not turn into a call of memset(). */
IBW_INLINE void ibw_private_clear(uint8_t *p, uint32_t n)
{
	for (; n; n -= 4, p += 4) {
		ibw_put_be32(p, 0);
		__asm__("" : : : "memory");
	}
}

/* Whether a REQ has RDMA CM's header in front of the consumer's data. SDP has a header of its own. */
static inline bool ibw_cm_has_cma(const struct ibw_cm_mad *m)
{
	const struct ibw_cm_req_wire *req = (const struct ibw_cm_req_wire *)m->data;
	struct ibw_sid sid = ibw_sid_split(ibw_cm_req_service_id(req));

	return sid.kind == IBW_SID_RDMA_CM && sid.port_space != IBW_RDMA_PS_SDP &&
	       ibw_cma_ip_version(m->data + ibw_cm_req_BYTES, IBW_CM_REQ_PRIVATE);
}

/*
 * Where, in the 256 bytes of the message @m, its consumer's bytes begin, and in @n how many there are: the
 * private data of REQ, REP or REJ, in a REQ after RDMA CM's header. 0: it is none of these.
 */
static inline uint32_t ibw_cm_consumer(const struct ibw_cm_mad *m, uint32_t *n)
{
	uint32_t cma;

	switch (ibw_mad_attr_id(&m->mad)) {
	case IBW_ATTR_CM_REQ:
		cma = ibw_cm_has_cma(m) ? IBW_CMA_BYTES : 0;
		*n = IBW_CM_REQ_PRIVATE - cma;
		return (uint32_t)ibw_mad_BYTES + (uint32_t)ibw_cm_req_BYTES + cma;
	case IBW_ATTR_CM_REP:
		*n = IBW_CM_REP_PRIVATE;
		return (uint32_t)ibw_mad_BYTES + (uint32_t)ibw_cm_rep_BYTES;
	case IBW_ATTR_CM_REJ:
		*n = IBW_CM_REJ_PRIVATE;
		return (uint32_t)ibw_mad_BYTES + (uint32_t)ibw_cm_rej_BYTES;
	default:
		*n = 0;
		return 0;
	}
}

/*
 * NVMe over Fabrics 1.1, 7.3.6.4, record format 0; little endian on the wire. hsqsize is one less
 * than the entries of the host's send queue, hrqsize the entries of its receive queue.
 */
struct ibw_nvme_connect {
	uint16_t qid;     /* 0: the admin queue */
	uint16_t hrqsize; /* entries of the host's receive queue */
	uint16_t hsqsize; /* of its send queue, less one */
	uint16_t cntlid;  /* of the controller, from NVMe-oF 1.1 on; 0 before */
};

/* A host connects a queue, in a REQ after RDMA CM's header. */
static inline uint32_t ibw_nvme_put_req(uint8_t *p, size_t cap, const struct ibw_nvme_connect *c)
{
	if (cap < ibw_nvme_cm_req_BYTES)
		return 0;
	ibw_private_clear(p, ibw_nvme_cm_req_BYTES);
	ibw_put_le16(p + ibw_nvme_cm_req_qid_AT / 8, c->qid);
	ibw_put_le16(p + ibw_nvme_cm_req_hrqsize_AT / 8, c->hrqsize);
	ibw_put_le16(p + ibw_nvme_cm_req_hsqsize_AT / 8, c->hsqsize);
	ibw_put_le16(p + ibw_nvme_cm_req_cntlid_AT / 8, c->cntlid);
	return ibw_nvme_cm_req_BYTES;
}

/* False also if the record format is not 0. */
static inline bool ibw_nvme_take_req(struct ibw_nvme_connect *c, const uint8_t *p, size_t n)
{
	const struct ibw_nvme_cm_req_wire *w = ibw_nvme_cm_req_view(p, n);

	if (!w || ibw_get_le16(ibw_nvme_cm_req_recfmt(w)))
		return false;
	c->qid = ibw_get_le16(ibw_nvme_cm_req_qid(w));
	c->hrqsize = ibw_get_le16(ibw_nvme_cm_req_hrqsize(w));
	c->hsqsize = ibw_get_le16(ibw_nvme_cm_req_hsqsize(w));
	c->cntlid = ibw_get_le16(ibw_nvme_cm_req_cntlid(w));
	return true;
}

/* The controller accepts; its receive queue has @crqsize entries. */
static inline uint32_t ibw_nvme_put_rep(uint8_t *p, size_t cap, uint16_t crqsize)
{
	if (cap < ibw_nvme_cm_rep_BYTES)
		return 0;
	ibw_private_clear(p, ibw_nvme_cm_rep_BYTES);
	ibw_put_le16(p + ibw_nvme_cm_rep_crqsize_AT / 8, crqsize);
	return ibw_nvme_cm_rep_BYTES;
}

/* What a controller that accepts says; false also if the record format is not 0. */
static inline bool ibw_nvme_take_rep(uint16_t *crqsize, const uint8_t *p, size_t n)
{
	const struct ibw_nvme_cm_rep_wire *w = ibw_nvme_cm_rep_view(p, n);

	if (!w || ibw_get_le16(ibw_nvme_cm_rep_recfmt(w)))
		return false;
	*crqsize = ibw_get_le16(ibw_nvme_cm_rep_crqsize(w));
	return true;
}

/* It refuses, in a REJ for IBW_CM_REJ_CONSUMER; @status: IBW_NVME_CM_... */
static inline uint32_t ibw_nvme_put_rej(uint8_t *p, size_t cap, uint16_t status)
{
	if (cap < ibw_nvme_cm_rej_BYTES)
		return 0;
	ibw_put_le16(p + ibw_nvme_cm_rej_recfmt_AT / 8, 0);
	ibw_put_le16(p + ibw_nvme_cm_rej_sts_AT / 8, status);
	return ibw_nvme_cm_rej_BYTES;
}

/* Why a controller refuses; false also if the record format is not 0. */
static inline bool ibw_nvme_take_rej(uint16_t *status, const uint8_t *p, size_t n)
{
	const struct ibw_nvme_cm_rej_wire *w = ibw_nvme_cm_rej_view(p, n);

	if (!w || ibw_get_le16(ibw_nvme_cm_rej_recfmt(w)))
		return false;
	*status = ibw_get_le16(w->b + ibw_nvme_cm_rej_sts_AT / 8);
	return true;
}

/* iSER, of initiator (REQ) and target (REP), 1 for what an end does not have: IBTA vol 1, A12 */
static inline uint32_t ibw_iser_put(uint8_t *p, size_t cap, const struct ibw_iser_cm *i)
{
	if (cap < ibw_iser_cm_BYTES || i->no_zbva > 1 || i->no_send_inv > 1)
		return 0;
	ibw_iser_cm_pack((struct ibw_iser_cm_wire *)p, i);
	return ibw_iser_cm_BYTES;
}

/* What an end of iSER says. */
static inline bool ibw_iser_take(struct ibw_iser_cm *i, const uint8_t *p, size_t n)
{
	const struct ibw_iser_cm_wire *w = ibw_iser_cm_view(p, n);

	if (!w)
		return false;
	ibw_iser_cm_unpack(i, w);
	return true;
}

/*
 * The login of an SRP initiator: T10 SRP, 6.2; ->opcode is not read. @cma: RDMA CM's header is in front of
 * it, so that the 64 bytes do not fit: it is sent in the 56 that Linux has for that.
 */
static inline uint32_t ibw_srp_put_req(uint8_t *p, size_t cap, const struct ibw_srp_login_req *req,
				       bool cma)
{
	struct ibw_srp_login_req_rdma r;

	if (cap <
	    (cma ? (uint32_t)ibw_srp_login_req_rdma_BYTES : (uint32_t)ibw_srp_login_req_BYTES))
		return 0;
	if (!cma) {
		ibw_srp_login_req_pack((struct ibw_srp_login_req_wire *)p, req);
		ibw_srp_login_req_set_opcode((struct ibw_srp_login_req_wire *)p, IBW_SRP_LOGIN_REQ);
		return ibw_srp_login_req_BYTES;
	}
	r.opcode = IBW_SRP_LOGIN_REQ;
	r.tag = req->tag;
	r.req_it_iu_len = req->req_it_iu_len;
	r.req_buf_fmt = req->req_buf_fmt;
	r.req_flags = req->req_flags;
	r.imm_data_offset = req->imm_data_offset;
	ibw_copy_bytes(r.initiator_port_id, req->initiator_port_id, 16);
	ibw_copy_bytes(r.target_port_id, req->target_port_id, 16);
	ibw_srp_login_req_rdma_pack((struct ibw_srp_login_req_rdma_wire *)p, &r);
	return ibw_srp_login_req_rdma_BYTES;
}

/* The login of an initiator, in either form; false also if it is another opcode. */
static inline bool ibw_srp_take_req(struct ibw_srp_login_req *req, const uint8_t *p, size_t n,
				    bool cma)
{
	const struct ibw_srp_login_req_rdma_wire *r = ibw_srp_login_req_rdma_view(p, n);
	const struct ibw_srp_login_req_wire *w = ibw_srp_login_req_view(p, n);

	if (!cma) {
		if (!w || ibw_srp_login_req_opcode(w) != IBW_SRP_LOGIN_REQ)
			return false;
		ibw_srp_login_req_unpack(req, w);
		return true;
	}
	if (!r || ibw_srp_login_req_rdma_opcode(r) != IBW_SRP_LOGIN_REQ)
		return false;
	req->opcode = IBW_SRP_LOGIN_REQ;
	req->tag = ibw_srp_login_req_rdma_tag(r);
	req->req_it_iu_len = ibw_srp_login_req_rdma_req_it_iu_len(r);
	req->req_buf_fmt = ibw_srp_login_req_rdma_req_buf_fmt(r);
	req->req_flags = ibw_srp_login_req_rdma_req_flags(r);
	req->imm_data_offset = ibw_srp_login_req_rdma_imm_data_offset(r);
	ibw_copy_bytes(req->initiator_port_id, ibw_srp_login_req_rdma_initiator_port_id(r), 16);
	ibw_copy_bytes(req->target_port_id, ibw_srp_login_req_rdma_target_port_id(r), 16);
	return true;
}

/* The target accepts: T10 SRP, 6.3; ->opcode is not read. */
static inline uint32_t ibw_srp_put_rsp(uint8_t *p, size_t cap, const struct ibw_srp_login_rsp *rsp)
{
	if (cap < ibw_srp_login_rsp_BYTES)
		return 0;
	ibw_srp_login_rsp_pack((struct ibw_srp_login_rsp_wire *)p, rsp);
	ibw_srp_login_rsp_set_opcode((struct ibw_srp_login_rsp_wire *)p, IBW_SRP_LOGIN_RSP);
	return ibw_srp_login_rsp_BYTES;
}

/* What a target that accepts says; false also if it is another opcode. */
static inline bool ibw_srp_take_rsp(struct ibw_srp_login_rsp *rsp, const uint8_t *p, size_t n)
{
	const struct ibw_srp_login_rsp_wire *w = ibw_srp_login_rsp_view(p, n);

	if (!w || ibw_srp_login_rsp_opcode(w) != IBW_SRP_LOGIN_RSP)
		return false;
	ibw_srp_login_rsp_unpack(rsp, w);
	return true;
}

/* It refuses, for ->reason IBW_SRP_REJ_...: T10 SRP, 6.4; ->opcode is not read. */
static inline uint32_t ibw_srp_put_rej(uint8_t *p, size_t cap, const struct ibw_srp_login_rej *rej)
{
	if (cap < ibw_srp_login_rej_BYTES)
		return 0;
	ibw_srp_login_rej_pack((struct ibw_srp_login_rej_wire *)p, rej);
	ibw_srp_login_rej_set_opcode((struct ibw_srp_login_rej_wire *)p, IBW_SRP_LOGIN_REJ);
	return ibw_srp_login_rej_BYTES;
}

/* Why a target refuses; false also if it is another opcode. */
static inline bool ibw_srp_take_rej(struct ibw_srp_login_rej *rej, const uint8_t *p, size_t n)
{
	const struct ibw_srp_login_rej_wire *w = ibw_srp_login_rej_view(p, n);

	if (!w || ibw_srp_login_rej_opcode(w) != IBW_SRP_LOGIN_REJ)
		return false;
	ibw_srp_login_rej_unpack(rej, w);
	return true;
}

/* The header that every SDP message begins with; its length is that of all the private data. */
static inline void ibw_sdp_put_bsdh(uint8_t *p, uint8_t mid, uint16_t bufs, uint32_t len)
{
	struct ibw_sdp_bsdh bsdh = { 0, 0, 0, 0, 0, 0 };

	bsdh.mid = mid;
	bsdh.bufs = bufs;
	bsdh.len = len;
	ibw_private_clear(p, len);
	ibw_sdp_bsdh_pack((struct ibw_sdp_bsdh_wire *)p, &bsdh);
}

/*
 * SDP, which opens a connection where others have RDMA CM's header: IBTA vol 1, A4.3.2. All private data of a
 * REQ, 92 bytes. @bufs: receive buffers posted. Versions and capabilities have 4 bits.
 */
static inline uint32_t ibw_sdp_put_hello(uint8_t *p, size_t cap, uint16_t bufs,
					 const struct ibw_sdp_hello *h)
{
	if (cap < IBW_CM_REQ_PRIVATE || h->major > 15 || h->minor > 15 || h->ip_version > 15 ||
	    h->cap > 15)
		return 0;
	ibw_sdp_put_bsdh(p, IBW_SDP_HELLO, bufs, IBW_CM_REQ_PRIVATE);
	ibw_sdp_hello_pack((struct ibw_sdp_hello_wire *)(p + ibw_sdp_bsdh_BYTES), h);
	return IBW_CM_REQ_PRIVATE;
}

/* What a Hello says, in the private data of a REQ; false also if it is another message. */
static inline bool ibw_sdp_take_hello(struct ibw_sdp_hello *h, uint16_t *bufs, const uint8_t *p,
				      size_t n)
{
	const struct ibw_sdp_bsdh_wire *bsdh = (const struct ibw_sdp_bsdh_wire *)p;

	if (n < (uint32_t)ibw_sdp_bsdh_BYTES + (uint32_t)ibw_sdp_hello_BYTES ||
	    ibw_sdp_bsdh_mid(bsdh) != IBW_SDP_HELLO)
		return false;
	*bufs = ibw_sdp_bsdh_bufs(bsdh);
	ibw_sdp_hello_unpack(h, (const struct ibw_sdp_hello_wire *)(p + ibw_sdp_bsdh_BYTES));
	return true;
}

/* The answer, all private data of a REP, 196 bytes: IBTA vol 1, A4.3.3 */
static inline uint32_t ibw_sdp_put_hello_ack(uint8_t *p, size_t cap, uint16_t bufs,
					     const struct ibw_sdp_hello_ack *h)
{
	if (cap < IBW_CM_REP_PRIVATE || h->major > 15 || h->minor > 15 || h->ip_version > 15 ||
	    h->cap > 15)
		return 0;
	ibw_sdp_put_bsdh(p, IBW_SDP_HELLO_ACK, bufs, IBW_CM_REP_PRIVATE);
	ibw_sdp_hello_ack_pack((struct ibw_sdp_hello_ack_wire *)(p + ibw_sdp_bsdh_BYTES), h);
	return IBW_CM_REP_PRIVATE;
}

/* What a HelloAck says, in that of a REP; false also if it is another message. */
static inline bool ibw_sdp_take_hello_ack(struct ibw_sdp_hello_ack *h, uint16_t *bufs,
					  const uint8_t *p, size_t n)
{
	const struct ibw_sdp_bsdh_wire *bsdh = (const struct ibw_sdp_bsdh_wire *)p;

	if (n < (uint32_t)ibw_sdp_bsdh_BYTES + (uint32_t)ibw_sdp_hello_ack_BYTES ||
	    ibw_sdp_bsdh_mid(bsdh) != IBW_SDP_HELLO_ACK)
		return false;
	*bufs = ibw_sdp_bsdh_bufs(bsdh);
	ibw_sdp_hello_ack_unpack(h,
				 (const struct ibw_sdp_hello_ack_wire *)(p + ibw_sdp_bsdh_BYTES));
	return true;
}

/* RDS over IPv4, REQ and REP alike, each end's own address as the source (one source: Linux). */
static inline uint32_t ibw_rds_put(uint8_t *p, size_t cap, const struct ibw_rds_cm *r)
{
	if (cap < ibw_rds_cm_BYTES)
		return 0;
	ibw_rds_cm_pack((struct ibw_rds_cm_wire *)p, r);
	return ibw_rds_cm_BYTES;
}

/* False also if the major version is 0, which Linux takes for RDS 3.0 that says nothing. */
static inline bool ibw_rds_take(struct ibw_rds_cm *r, const uint8_t *p, size_t n)
{
	const struct ibw_rds_cm_wire *w = ibw_rds_cm_view(p, n);

	if (!w || !ibw_rds_cm_major(w))
		return false;
	ibw_rds_cm_unpack(r, w);
	return true;
}

/* The same over IPv6. */
static inline uint32_t ibw_rds_put6(uint8_t *p, size_t cap, const struct ibw_rds_cm6 *r)
{
	if (cap < ibw_rds_cm6_BYTES)
		return 0;
	ibw_rds_cm6_pack((struct ibw_rds_cm6_wire *)p, r);
	return ibw_rds_cm6_BYTES;
}

/* The same over IPv6. */
static inline bool ibw_rds_take6(struct ibw_rds_cm6 *r, const uint8_t *p, size_t n)
{
	const struct ibw_rds_cm6_wire *w = ibw_rds_cm6_view(p, n);

	if (!w || !ibw_rds_cm6_major(w))
		return false;
	ibw_rds_cm6_unpack(r, w);
	return true;
}

/* RPC over RDMA, NFS for one, REQ and REP alike: RFC 8797, 4.1 */
struct ibw_rpcrdma {
	uint32_t send_size; /* of the longest SEND, bytes: 1024 to 262144, in steps of 1024 */
	uint32_t recv_size; /* of the receive buffers, the same */
	bool inv_ok;        /* R_Keys may be invalidated by the other end */
};

/* Whether a size can be encoded. */
IBW_INLINE bool ibw_rpcrdma_size_is(uint32_t bytes)
{
	return bytes && !(bytes % 1024) && bytes <= 262144;
}

/* The private data of an end of RPC over RDMA; 0 also if a size cannot be encoded. */
static inline uint32_t ibw_rpcrdma_put(uint8_t *p, size_t cap, const struct ibw_rpcrdma *r)
{
	struct ibw_rpcrdma_cm w;

	if (cap < ibw_rpcrdma_cm_BYTES || !ibw_rpcrdma_size_is(r->send_size) ||
	    !ibw_rpcrdma_size_is(r->recv_size))
		return 0;
	w.magic = IBW_RPCRDMA_MAGIC;
	w.version = IBW_RPCRDMA_VERSION;
	w.inv_ok = r->inv_ok;
	w.send_size = (uint8_t)(r->send_size / 1024 - 1);
	w.recv_size = (uint8_t)(r->recv_size / 1024 - 1);
	ibw_rpcrdma_cm_pack((struct ibw_rpcrdma_cm_wire *)p, &w);
	return ibw_rpcrdma_cm_BYTES;
}

/* False also where the magic or the version is another: then the RFC's defaults hold. */
static inline bool ibw_rpcrdma_take(struct ibw_rpcrdma *r, const uint8_t *p, size_t n)
{
	const struct ibw_rpcrdma_cm_wire *w = ibw_rpcrdma_cm_view(p, n);

	if (!w || ibw_rpcrdma_cm_magic(w) != IBW_RPCRDMA_MAGIC ||
	    ibw_rpcrdma_cm_version(w) != IBW_RPCRDMA_VERSION)
		return false;
	r->send_size = (ibw_rpcrdma_cm_send_size(w) + 1u) * 1024;
	r->recv_size = (ibw_rpcrdma_cm_recv_size(w) + 1u) * 1024;
	r->inv_ok = ibw_rpcrdma_cm_inv_ok(w);
	return true;
}

/* IPoIB's connected mode, REQ and REP alike, to ibw_sid_ipoib_cm(): RFC 4755, 5 */
static inline uint32_t ibw_ipoib_cm_put(uint8_t *p, size_t cap, const struct ibw_ipoib_cm *i)
{
	if (cap < ibw_ipoib_cm_BYTES || i->qpn > 0xffffff)
		return 0;
	ibw_ipoib_cm_pack((struct ibw_ipoib_cm_wire *)p, i);
	return ibw_ipoib_cm_BYTES;
}

/* What an end of IPoIB says of itself. */
static inline bool ibw_ipoib_cm_take(struct ibw_ipoib_cm *i, const uint8_t *p, size_t n)
{
	const struct ibw_ipoib_cm_wire *w = ibw_ipoib_cm_view(p, n);

	if (!w)
		return false;
	ibw_ipoib_cm_unpack(i, w);
	return true;
}

#endif /* IBWIRE_BUILD_PRIVATE_H */
