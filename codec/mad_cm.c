/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mad_cm.c - what lies after the fixed part of a CM message.
 *
 * First the private data, whole: the RDMA CM header if there is one, then bytes.
 * Where a message says enough about the consumer to know the layout of its bytes,
 * that layer follows, over the same bytes.
 */
#include <ibwire/cm.h>

#include "mad_attr.h"

/* A layer over bytes that have been walked already, from @off. */
static void overlay(struct ibw_attr_walk *w, uint32_t off, uint16_t layer)
{
	uint32_t end = w->c.off;

	w->c.off = off;
	ibw_attr_take(w, layer);
	w->c.off = end;
}

#define VIEW(w, name, off)                                                                         \
	((off) <= (w)->c.cap ? ibw_##name##_view((w)->c.p + (off), (w)->c.cap - (off)) : NULL)

/* IPv4 leaves the first 12 bytes of both addresses 0. */
static bool take_cma(struct ibw_attr_walk *w)
{
	const struct ibw_cma_hdr_wire *cma = VIEW(w, cma_hdr, w->c.off);

	if (!cma || cursor_left(&w->c) < ibw_cma_hdr_BYTES + ibw_cma_ipv6_BYTES ||
	    ibw_cma_hdr_major(cma) != 0 ||
	    (ibw_cma_hdr_ip_version(cma) != 4 && ibw_cma_hdr_ip_version(cma) != 6))
		return false;
	ibw_attr_add(w, IBW_LAYER_cma_hdr);
	ibw_attr_add(w, ibw_cma_hdr_ip_version(cma) == 4 ? IBW_LAYER_cma_ipv4 : IBW_LAYER_cma_ipv6);
	return true;
}

/* RFC 8797, 4.1: known by its magic, whatever the service. */
static bool over_rpcrdma(struct ibw_attr_walk *w, uint32_t off)
{
	const struct ibw_rpcrdma_cm_wire *rpc = VIEW(w, rpcrdma_cm, off);

	if (!rpc || ibw_rpcrdma_cm_magic(rpc) != IBW_RPCRDMA_MAGIC)
		return false;
	overlay(w, off, IBW_LAYER_rpcrdma_cm);
	return true;
}

/* Buffer formats: at least one, and none that SRP does not have. */
static bool is_srp_format(uint16_t fmt)
{
	return fmt && !(fmt & ~(unsigned int)(IBW_SRP_BUF_DIRECT | IBW_SRP_BUF_INDIRECT));
}

/* The service IDs of SRP targets are their own; the bytes have to speak for themselves. */
static void over_srp_req(struct ibw_attr_walk *w, uint32_t off)
{
	const struct ibw_srp_login_req_wire *srp = VIEW(w, srp_login_req, off);

	if (srp && ibw_srp_login_req_opcode(srp) == IBW_SRP_LOGIN_REQ &&
	    !ibw_srp_login_req_rsvd_set(srp) && ibw_srp_login_req_req_it_iu_len(srp) &&
	    is_srp_format(ibw_srp_login_req_req_buf_fmt(srp)))
		overlay(w, off, IBW_LAYER_srp_login_req);
}

/*
 * The same after the RDMA CM header, without the reserved bytes that would say that it is
 * one; so what it has of them, and the names of both ports, have to.
 */
static void over_srp_req_rdma(struct ibw_attr_walk *w, uint32_t off)
{
	const struct ibw_srp_login_req_rdma_wire *srp = VIEW(w, srp_login_req_rdma, off);

	if (srp && ibw_srp_login_req_rdma_opcode(srp) == IBW_SRP_LOGIN_REQ &&
	    !ibw_srp_login_req_rdma_rsvd_set(srp) && ibw_srp_login_req_rdma_req_it_iu_len(srp) &&
	    is_srp_format(ibw_srp_login_req_rdma_req_buf_fmt(srp)) &&
	    ibw_get_be64(ibw_srp_login_req_rdma_initiator_port_id(srp)) &&
	    ibw_get_be64(ibw_srp_login_req_rdma_target_port_id(srp)))
		overlay(w, off, IBW_LAYER_srp_login_req_rdma);
}

static void over_rdma_cm(struct ibw_attr_walk *w, uint32_t off, const struct ibw_sid *sid,
			 bool ipv6)
{
	if (over_rpcrdma(w, off) || sid->port_space != IBW_RDMA_PS_TCP)
		return;
	switch (sid->port) {
	case IBW_CM_PORT_NVME:
	case IBW_CM_PORT_NVME_DISCOVERY:
		overlay(w, off, IBW_LAYER_nvme_cm_req);
		break;
	case IBW_CM_PORT_ISER:
		overlay(w, off, IBW_LAYER_iser_cm);
		break;
	case IBW_CM_PORT_RDS:
	case IBW_CM_PORT_RDS_IPV4:
		overlay(w, off, ipv6 ? IBW_LAYER_rds_cm6 : IBW_LAYER_rds_cm);
		break;
	default:
		over_srp_req_rdma(w, off);
	}
}

static void over_rep(struct ibw_attr_walk *w, uint32_t off)
{
	const struct ibw_srp_login_rsp_wire *srp = VIEW(w, srp_login_rsp, off);

	if (over_rpcrdma(w, off) || !srp)
		return;
	if (ibw_srp_login_rsp_opcode(srp) == IBW_SRP_LOGIN_RSP &&
	    !ibw_srp_login_rsp_rsvd_set(srp) && ibw_srp_login_rsp_max_it_iu_len(srp) &&
	    is_srp_format(ibw_srp_login_rsp_buf_fmt(srp)))
		overlay(w, off, IBW_LAYER_srp_login_rsp);
}

/* SDP has a header of its own where others have that of RDMA CM: IBTA vol 1, A4 */
static void over_sdp(struct ibw_attr_walk *w, uint32_t off, uint8_t mid, uint16_t layer)
{
	const struct ibw_sdp_bsdh_wire *bsdh = VIEW(w, sdp_bsdh, off);

	if (!bsdh)
		return;
	overlay(w, off, IBW_LAYER_sdp_bsdh);
	if (ibw_sdp_bsdh_mid(bsdh) == mid)
		overlay(w, off + ibw_sdp_bsdh_BYTES, layer);
}

static void walk_req(struct ibw_attr_walk *w, uint64_t service_id)
{
	struct ibw_sid sid = ibw_sid_split(service_id);
	bool sdp = sid.port_space == IBW_RDMA_PS_SDP, ipv6;
	uint32_t off = w->c.off;

	if (sid.kind == IBW_SID_RDMA_CM && !sdp && take_cma(w)) {
		ipv6 = ibw_cma_hdr_ip_version((const struct ibw_cma_hdr_wire *)(w->c.p + off)) == 6;
		off = w->c.off;
		if (ibw_attr_take(w, IBW_LAYER_cm_private_56))
			over_rdma_cm(w, off, &sid, ipv6);
		return;
	}
	if (!ibw_attr_take(w, IBW_LAYER_cm_private_92))
		return;
	if (sdp)
		over_sdp(w, off, IBW_SDP_HELLO, IBW_LAYER_sdp_hello);
	else if (sid.kind == IBW_SID_IPOIB_CM)
		overlay(w, off, IBW_LAYER_ipoib_cm);
	else
		over_srp_req(w, off);
}

static void walk_sidr_req(struct ibw_attr_walk *w, uint64_t service_id)
{
	if (ibw_sid_split(service_id).kind == IBW_SID_RDMA_CM && take_cma(w))
		ibw_attr_take(w, IBW_LAYER_cm_private_180);
	else
		ibw_attr_take(w, IBW_LAYER_cm_private_216);
}

/* What the additional reject information is, by the reason: IBTA vol 1, 12.6.7.2 */
static uint16_t ari_layer(uint16_t reason)
{
	switch (reason) {
	case IBW_CM_REJ_TIMEOUT:
		return IBW_LAYER_cm_ari_guid;
	case IBW_CM_REJ_GID:
	case IBW_CM_REJ_ALT_GID:
	case IBW_CM_REJ_PORT_REDIRECT:
		return IBW_LAYER_cm_ari_gid;
	case IBW_CM_REJ_LID:
	case IBW_CM_REJ_ALT_LID:
		return IBW_LAYER_cm_ari_lid;
	case IBW_CM_REJ_PORT_CM_REDIRECT:
		return IBW_LAYER_class_port_info;
	default:
		return IBW_LAYER_COUNT;
	}
}

static void walk_rej(struct ibw_attr_walk *w, const struct ibw_cm_rej_wire *rej)
{
	uint16_t ari = ari_layer(ibw_cm_rej_reason(rej));
	const struct ibw_srp_login_rej_wire *srp = VIEW(w, srp_login_rej, w->c.off);
	uint32_t off = w->c.off;

	if (ari != IBW_LAYER_COUNT && ibw_headers[ari].bytes <= ibw_cm_rej_info_len(rej))
		overlay(w, off - ibw_cm_rej_BYTES + ibw_cm_rej_ari_AT / 8, ari);
	if (!ibw_attr_take(w, IBW_LAYER_cm_private_148) || !srp)
		return;
	if (ibw_srp_login_rej_opcode(srp) == IBW_SRP_LOGIN_REJ &&
	    !ibw_srp_login_rej_rsvd_set(srp) && ibw_srp_login_rej_reason(srp) >> 16 == 1)
		overlay(w, off, IBW_LAYER_srp_login_rej);
}

void ibw_attr_walk_cm(struct ibw_attr_walk *w, uint16_t layer)
{
	const uint8_t *fixed = w->c.p + w->c.off - ibw_headers[layer].bytes;
	uint32_t off = w->c.off;

	switch (layer) {
	case IBW_LAYER_cm_req:
		walk_req(w, ibw_cm_req_service_id((const struct ibw_cm_req_wire *)fixed));
		break;
	case IBW_LAYER_cm_sidr_req:
		walk_sidr_req(
			w, ibw_cm_sidr_req_service_id((const struct ibw_cm_sidr_req_wire *)fixed));
		break;
	case IBW_LAYER_cm_rej:
		walk_rej(w, (const struct ibw_cm_rej_wire *)fixed);
		break;
	case IBW_LAYER_cm_rep:
		if (ibw_attr_take(w, IBW_LAYER_cm_private_196))
			over_rep(w, off);
		break;
	case IBW_LAYER_cm_mra:
		ibw_attr_take(w, IBW_LAYER_cm_private_222);
		break;
	case IBW_LAYER_cm_rtu:
	case IBW_LAYER_cm_drep:
		ibw_attr_take(w, IBW_LAYER_cm_private_224);
		break;
	case IBW_LAYER_cm_dreq:
		ibw_attr_take(w, IBW_LAYER_cm_private_220);
		break;
	case IBW_LAYER_cm_sidr_rep:
		ibw_attr_take(w, IBW_LAYER_cm_private_136);
		break;
	case IBW_LAYER_cm_lap:
		ibw_attr_take(w, IBW_LAYER_cm_private_168);
		break;
	case IBW_LAYER_cm_apr:
		ibw_attr_take(w, IBW_LAYER_cm_private_148);
		break;
	default:
		break;
	}
}

/* What a REP says to the consumer that asked for @sid. */
static void answer_rep(struct ibw_attr_walk *w, const struct ibw_sid *sid)
{
	const struct ibw_rds_cm6_wire *rds6 = VIEW(w, rds_cm6, w->c.off);

	if (sid->kind == IBW_SID_IPOIB_CM)
		overlay(w, w->c.off, IBW_LAYER_ipoib_cm);
	if (sid->kind != IBW_SID_RDMA_CM)
		return;
	if (sid->port_space == IBW_RDMA_PS_SDP)
		over_sdp(w, w->c.off, IBW_SDP_HELLO_ACK, IBW_LAYER_sdp_hello_ack);
	if (sid->port_space != IBW_RDMA_PS_TCP)
		return;
	switch (sid->port) {
	case IBW_CM_PORT_NVME:
	case IBW_CM_PORT_NVME_DISCOVERY:
		overlay(w, w->c.off, IBW_LAYER_nvme_cm_rep);
		break;
	case IBW_CM_PORT_ISER:
		overlay(w, w->c.off, IBW_LAYER_iser_cm);
		break;
	case IBW_CM_PORT_RDS_IPV4:
		overlay(w, w->c.off, IBW_LAYER_rds_cm);
		break;
	case IBW_CM_PORT_RDS: /* either: the longer one has its versions where the other has nothing */
		overlay(w, w->c.off,
			rds6 && ibw_rds_cm6_major(rds6) ? IBW_LAYER_rds_cm6 : IBW_LAYER_rds_cm);
		break;
	default:
		break;
	}
}

uint32_t ibw_mad_walk_cm_answer(uint64_t service_id, const uint8_t *mad, uint32_t n,
				struct ibw_span *span, uint32_t cap)
{
	struct ibw_attr_walk w = ibw_attr_walk_of(mad, n, 0, 0, span, cap);
	const struct ibw_mad_wire *header = ibw_mad_view(mad, n);
	const struct ibw_sid sid = ibw_sid_split(service_id);
	const struct ibw_cm_rej_wire *rej;

	/* Nothing of private data is walked unless all of it is there, as in a REQ. */
	if (!header || n < IBW_MAD_BYTES || ibw_mad_mgmt_class(header) != IBW_CLASS_COMM_MGT)
		return 0;
	switch (ibw_mad_attr_id(header)) {
	case IBW_ATTR_CM_REP:
		w.c.off = ibw_mad_BYTES + ibw_cm_rep_BYTES;
		answer_rep(&w, &sid);
		break;
	case IBW_ATTR_CM_REJ:
		rej = (const struct ibw_cm_rej_wire *)(mad + ibw_mad_BYTES);
		w.c.off = ibw_mad_BYTES + ibw_cm_rej_BYTES;
		if (sid.port_space == IBW_RDMA_PS_TCP &&
		    (sid.port == IBW_CM_PORT_NVME || sid.port == IBW_CM_PORT_NVME_DISCOVERY) &&
		    ibw_cm_rej_reason(rej) == IBW_CM_REJ_CONSUMER)
			overlay(&w, w.c.off, IBW_LAYER_nvme_cm_rej);
		break;
	default:
		break;
	}
	return w.c.n_spans;
}
