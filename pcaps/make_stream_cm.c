/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * make_stream_cm.c - the CM messages of a conversation: IBTA vol 1, 12.6, and for RDMA CM's
 * private data A11.
 */
#include <string.h>

#include "make_stream.h"

#define PORT 7471
#define XRC_EXTENDED 1 /* extended transport type: IBTA vol 1, A14 */

/* Of one end's connections; the same at another host may be somebody else's. */
static uint32_t comm_id(const struct mk_line *line, const struct mk_end *end)
{
	return (uint32_t)MK_VALUE(line, conn, 0) << 16 | end->comm;
}

static uint32_t remote_id(const struct mk_line *line)
{
	return (uint32_t)MK_VALUE(line, remote, comm_id(line, line->to));
}

/* Both ends use one transaction to connect, another to disconnect. */
static uint64_t tid_of(const struct mk_line *line)
{
	unsigned int a = line->from->number, b = line->to->number;
	bool closing = line->cm == IBW_ATTR_CM_DREQ || line->cm == IBW_ATTR_CM_DREP;

	return (uint64_t)(a < b ? a : b) << 32 | MK_VALUE(line, conn, 0) << 8 | (closing ? 2 : 1);
}

static void put_rdma_cm(uint8_t *at, const struct mk_stream *s, const struct mk_line *line)
{
	bool ipv6 = mk_framing_has(s->framing, IBW_LAYER_ipv6);
	struct ibw_cma_hdr hdr = { .ip_version = ipv6 ? 6 : 4, .src_port = 40000 };
	struct ibw_cma_ipv4 four = { .src = line->from->host->ipv4, .dst = line->to->host->ipv4 };
	struct ibw_cma_ipv6 six;

	memcpy(six.src, line->from->host->gid, 16);
	memcpy(six.dst, line->to->host->gid, 16);
	ibw_cma_hdr_pack((struct ibw_cma_hdr_wire *)at, &hdr);
	at += ibw_cma_hdr_BYTES;
	if (ipv6)
		ibw_cma_ipv6_pack((struct ibw_cma_ipv6_wire *)at, &six);
	else
		ibw_cma_ipv4_pack((struct ibw_cma_ipv4_wire *)at, &four);
}

/* Whoever sends REQ or REP says where the other one's PSNs begin; IBTA vol 1, 12.7.21 */
static uint32_t starting_psn(const struct mk_line *line)
{
	return (uint32_t)MK_VALUE(line, psn, line->to->psn);
}

static void put_req(uint8_t *at, const struct mk_stream *s, const struct mk_line *line)
{
	const struct mk_host *from = line->from->host, *to = line->to->host;
	uint64_t rdma_cm = ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, PORT);
	struct ibw_cm_req v = { .local_comm_id = comm_id(line, line->from),
				.service_id = MK_VALUE(line, service, rdma_cm),
				.local_ca_guid = 0x0200000000000000u + from->number,
				.local_qpn = (uint32_t)MK_VALUE(line, qpn, line->from->qpn),
				.resp_res = (uint8_t)MK_VALUE(line, resources, 4),
				.init_depth = (uint8_t)MK_VALUE(line, initdepth, 4),
				.remote_resp_timeout = 20,
				.local_resp_timeout = 20,
				.starting_psn = starting_psn(line),
				.retry_count = (uint8_t)MK_VALUE(line, retry, 7),
				.pkey = IBW_PKEY_DEFAULT_FULL,
				.path_mtu = mk_mtu_code((uint32_t)MK_VALUE(line, pathmtu, s->mtu)),
				.rnr_retry_count = (uint8_t)MK_VALUE(line, rnr, 7),
				.max_cm_retries = 15,
				.primary_local_lid = IBW_LID_PERMISSIVE,
				.primary_remote_lid = IBW_LID_PERMISSIVE,
				.primary_hop_limit = 64,
				.primary_packet_rate = IBW_RATE_100,
				.primary_ack_timeout = (uint8_t)MK_VALUE(line, timeout, 18) };

	if (mk_line_is(line, MK_FLAG_uc))
		v.transport = IBW_CM_UC;
	if (mk_line_is(line, MK_FLAG_xrc)) {
		v.transport = IBW_CM_EXTENDED;
		v.ext_transport = XRC_EXTENDED;
	}
	if (mk_framing_has(s->framing, IBW_LAYER_lrh)) {
		v.primary_local_lid = from->lid;
		v.primary_remote_lid = to->lid;
		v.primary_subnet_local = 1;
	}
	memcpy(v.primary_local_gid, from->gid, 16);
	memcpy(v.primary_remote_gid, to->gid, 16);
	ibw_cm_req_pack((struct ibw_cm_req_wire *)at, &v);
	if (!mk_line_gives(line, MK_OPT_service) || line->n_bytes)
		put_rdma_cm(at + ibw_cm_req_BYTES, s, line);
}

static void put_rep(uint8_t *at, const struct mk_line *line)
{
	struct ibw_cm_rep v = { .local_comm_id = comm_id(line, line->from),
				.remote_comm_id = remote_id(line),
				.local_qpn = (uint32_t)MK_VALUE(line, qpn, line->from->qpn),
				.starting_psn = starting_psn(line),
				.resp_res = (uint8_t)MK_VALUE(line, resources, 4),
				.init_depth = (uint8_t)MK_VALUE(line, initdepth, 4),
				.target_ack_delay = 15,
				.rnr_retry_count = (uint8_t)MK_VALUE(line, rnr, 7),
				.local_ca_guid = 0x0200000000000000u + line->from->host->number };

	/* The QPN of an XRC target is where RD has its EE context; IBTA vol 1, A14 */
	if (mk_line_is(line, MK_FLAG_xrc)) {
		v.local_eecn = v.local_qpn;
		v.local_qpn = 0;
	}
	ibw_cm_rep_pack((struct ibw_cm_rep_wire *)at, &v);
}

static void put_mra(uint8_t *at, const struct mk_line *line)
{
	struct ibw_cm_mra v = { .local_comm_id = comm_id(line, line->from),
				.remote_comm_id = remote_id(line),
				.message = IBW_CM_MESSAGE_REQ,
				.service_timeout = 20 };

	ibw_cm_mra_pack((struct ibw_cm_mra_wire *)at, &v);
}

static void put_rej(uint8_t *at, const struct mk_line *line)
{
	struct ibw_cm_rej v = { .remote_comm_id = remote_id(line),
				.message = IBW_CM_MESSAGE_REQ,
				.reason = (uint16_t)MK_VALUE(line, reason, IBW_CM_REJ_CONSUMER) };

	ibw_cm_rej_pack((struct ibw_cm_rej_wire *)at, &v);
}

static void put_dreq(uint8_t *at, const struct mk_line *line)
{
	struct ibw_cm_dreq v = { .local_comm_id = comm_id(line, line->from),
				 .remote_comm_id = remote_id(line),
				 .remote_qpn = line->to->qpn };

	ibw_cm_dreq_pack((struct ibw_cm_dreq_wire *)at, &v);
}

/* RTU and DREP: the two communication IDs. */
static void put_ids(uint8_t *at, const struct mk_line *line)
{
	ibw_put_be32(at, comm_id(line, line->from));
	ibw_put_be32(at + 4, remote_id(line));
}

/* That of a REQ comes after the header of the RDMA CM. */
uint32_t mk_stream_private_at(const struct mk_line *line)
{
	const size_t cma = ibw_cma_hdr_BYTES + ibw_cma_ipv4_BYTES;

	switch (line->cm) {
	case IBW_ATTR_CM_REQ:
		return (uint32_t)(ibw_mad_BYTES + ibw_cm_req_BYTES + cma);
	case IBW_ATTR_CM_REP:
		return (uint32_t)(ibw_mad_BYTES + ibw_cm_rep_BYTES);
	case IBW_ATTR_CM_REJ:
		return (uint32_t)(ibw_mad_BYTES + ibw_cm_rej_BYTES);
	}
	return 0;
}

static void put_private(uint8_t *mad, const struct mk_stream *s, const struct mk_line *line)
{
	uint32_t at = mk_stream_private_at(line);

	if (!line->n_bytes)
		return;
	if (line->n_bytes > IBW_MAD_BYTES - at)
		mk_stream_die(s, line->number, "bytes", "more than its private data");
	memcpy(mad + at, s->bytes + line->bytes_at, line->n_bytes);
}

void mk_stream_cm(struct mk_packet *p, const struct mk_stream *s, const struct mk_line *line)
{
	uint8_t *mad = mk_start_mad(p, s->framing, IBW_CLASS_COMM_MGT, IBW_METHOD_SEND, line->cm);
	uint8_t *at = mad + ibw_mad_BYTES;

	ibw_mad_set_tid((struct ibw_mad_wire *)mad, tid_of(line));
	p->bth.psn = 0;
	switch (line->cm) {
	case IBW_ATTR_CM_REQ:
		put_req(at, s, line);
		break;
	case IBW_ATTR_CM_MRA:
		put_mra(at, line);
		break;
	case IBW_ATTR_CM_REP:
		put_rep(at, line);
		break;
	case IBW_ATTR_CM_REJ:
		put_rej(at, line);
		break;
	case IBW_ATTR_CM_DREQ:
		put_dreq(at, line);
		break;
	default:
		put_ids(at, line);
		break;
	}
	put_private(mad, s, line);
}
