/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * make_cm.c - CM conversations of every consumer whose private data has a layout, and
 * IPoIB in connected mode: what its queue pairs carry.
 */
#include <string.h>

#include "make.h"

#define LID_A 1
#define LID_B 2
#define QPN_A 0x51
#define QPN_B 0x52
#define IPV4_A 0xc0000201
#define IPV4_B 0xc0000202

static const uint8_t gid_a[16] = { 0xfe, 0x80, [8] = 0x02, [15] = 1 };
static const uint8_t gid_b[16] = { 0xfe, 0x80, [8] = 0x02, [15] = 2 };

/* The packet being made, its MAD, and the conversation it is part of. */
static struct mk_packet p;
static uint8_t *mad;
static uint32_t conversation;

static void from(uint16_t slid, uint16_t dlid)
{
	p.lrh.slid = slid;
	p.lrh.dlid = dlid;
}

static void put(struct mk_capture *c)
{
	mk_build(&p);
	mk_put(c, &p);
	p.serial++;
}

static void *message(uint16_t attr_id)
{
	mad = mk_start_mad(&p, MK_IB_LOCAL, IBW_CLASS_COMM_MGT, IBW_METHOD_SEND, attr_id);
	return mad + ibw_mad_BYTES;
}

/* The private data of a message, @off bytes into it, as its view for writing. */
#define PRIVATE(name, message, off)                                                                \
	((struct ibw_##name##_wire *)(mad + ibw_mad_BYTES + ibw_##message##_BYTES + (off)))

/* A asks B for the service. */
static void req(uint64_t service_id)
{
	struct ibw_cm_req v = { .local_comm_id = ++conversation,
				.service_id = service_id,
				.local_ca_guid = 0x0200000000000001,
				.local_qpn = QPN_A,
				.resp_res = 4,
				.init_depth = 4,
				.remote_resp_timeout = 20,
				.local_resp_timeout = 20,
				.starting_psn = 100,
				.retry_count = 7,
				.pkey = IBW_PKEY_DEFAULT_FULL,
				.path_mtu = 5,
				.rnr_retry_count = 7,
				.max_cm_retries = 15,
				.primary_local_lid = LID_A,
				.primary_remote_lid = LID_B,
				.primary_packet_rate = IBW_RATE_100,
				.primary_subnet_local = 1,
				.primary_ack_timeout = 18 };

	memcpy(v.primary_local_gid, gid_a, 16);
	memcpy(v.primary_remote_gid, gid_b, 16);
	ibw_cm_req_pack(message(IBW_ATTR_CM_REQ), &v);
	from(LID_A, LID_B);
}

/* The RDMA CM header in front of the consumer's data. */
static void req_rdma_cm(uint16_t port, bool ipv6)
{
	struct ibw_cma_hdr cma = { .ip_version = ipv6 ? 6 : 4, .src_port = 40000 };
	struct ibw_cma_ipv4 four = { .src = IPV4_A, .dst = IPV4_B };
	struct ibw_cma_ipv6 six;

	req(ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, port));
	ibw_cma_hdr_pack(PRIVATE(cma_hdr, cm_req, 0), &cma);
	memcpy(six.src, gid_a, 16);
	memcpy(six.dst, gid_b, 16);
	if (ipv6)
		ibw_cma_ipv6_pack(PRIVATE(cma_ipv6, cm_req, ibw_cma_hdr_BYTES), &six);
	else
		ibw_cma_ipv4_pack(PRIVATE(cma_ipv4, cm_req, ibw_cma_hdr_BYTES), &four);
}

#define BEHIND_CMA (ibw_cma_hdr_BYTES + ibw_cma_ipv4_BYTES)

static void rep(void)
{
	struct ibw_cm_rep v = { .local_comm_id = conversation | 0x8000,
				.remote_comm_id = conversation,
				.local_qpn = QPN_B,
				.starting_psn = 200,
				.resp_res = 4,
				.init_depth = 4,
				.target_ack_delay = 15,
				.rnr_retry_count = 7,
				.local_ca_guid = 0x0200000000000002 };

	ibw_cm_rep_pack(message(IBW_ATTR_CM_REP), &v);
	from(LID_B, LID_A);
}

static void rej(void)
{
	struct ibw_cm_rej v = { .remote_comm_id = conversation, .reason = IBW_CM_REJ_CONSUMER };

	ibw_cm_rej_pack(message(IBW_ATTR_CM_REJ), &v);
	from(LID_B, LID_A);
}

static void le16(uint8_t *at, uint16_t v)
{
	at[0] = (uint8_t)v;
	at[1] = (uint8_t)(v >> 8);
}

static void nvme(struct mk_capture *c)
{
	struct ibw_nvme_cm_req asked = { .qid = { 1, 0 }, .cntlid = { 2, 1 } };
	struct ibw_nvme_cm_rep answer = { { 0 }, { 0 } };
	struct ibw_nvme_cm_rej refused = { .sts = IBW_NVME_CM_INVALID_QID };

	le16(asked.hrqsize, 129);
	le16(asked.hsqsize, 128);
	le16(answer.crqsize, 1024);
	req_rdma_cm(4420, false);
	ibw_nvme_cm_req_pack(PRIVATE(nvme_cm_req, cm_req, BEHIND_CMA), &asked);
	put(c);
	rep();
	ibw_nvme_cm_rep_pack(PRIVATE(nvme_cm_rep, cm_rep, 0), &answer);
	put(c);
	req_rdma_cm(4420, true);
	ibw_nvme_cm_req_pack(PRIVATE(nvme_cm_req, cm_req, BEHIND_CMA), &asked);
	put(c);
	rej();
	ibw_nvme_cm_rej_pack(PRIVATE(nvme_cm_rej, cm_rej, 0), &refused);
	put(c);
}

static void iser(struct mk_capture *c)
{
	struct ibw_iser_cm v = { .no_zbva = 1, .no_send_inv = 1 };

	req_rdma_cm(3260, false);
	ibw_iser_cm_pack(PRIVATE(iser_cm, cm_req, BEHIND_CMA), &v);
	put(c);
	v.no_send_inv = 0;
	rep();
	ibw_iser_cm_pack(PRIVATE(iser_cm, cm_rep, 0), &v);
	put(c);
}

static void nfs(struct mk_capture *c)
{
	struct ibw_rpcrdma_cm v = {
		.magic = 0xf6ab0e18, .version = 1, .inv_ok = 1, .send_size = 3, .recv_size = 3
	};

	req_rdma_cm(20049, false);
	ibw_rpcrdma_cm_pack(PRIVATE(rpcrdma_cm, cm_req, BEHIND_CMA), &v);
	put(c);
	rep();
	ibw_rpcrdma_cm_pack(PRIVATE(rpcrdma_cm, cm_rep, 0), &v);
	put(c);
}

static void rds(struct mk_capture *c)
{
	struct ibw_rds_cm four = { .src = IPV4_A,
				   .dst = IPV4_B,
				   .major = 4,
				   .minor = 1,
				   .minor_mask = 3,
				   .ack_seq = 0x1122334455667788,
				   .credit = 17 };
	struct ibw_rds_cm6 six = { .major = 4, .minor = 1, .minor_mask = 3, .credit = 18 };

	req_rdma_cm(18634, false);
	ibw_rds_cm_pack(PRIVATE(rds_cm, cm_req, BEHIND_CMA), &four);
	put(c);
	rep();
	ibw_rds_cm_pack(PRIVATE(rds_cm, cm_rep, 0), &four);
	put(c);
	memcpy(six.src, gid_a, 16);
	memcpy(six.dst, gid_b, 16);
	req_rdma_cm(16385, true);
	ibw_rds_cm6_pack(PRIVATE(rds_cm6, cm_req, BEHIND_CMA), &six);
	put(c);
	rep();
	ibw_rds_cm6_pack(PRIVATE(rds_cm6, cm_rep, 0), &six);
	put(c);
}

static void sdp(struct mk_capture *c)
{
	struct ibw_sdp_bsdh bsdh = { .mid = IBW_SDP_HELLO, .bufs = 64, .len = 76 };
	struct ibw_sdp_hello hello = { .major = 2,
				       .minor = 2,
				       .ip_version = 4,
				       .max_adverts = 1,
				       .des_rem_rcv_sz = 32784,
				       .local_rcv_sz = 32784,
				       .src_port = 40000 };
	struct ibw_sdp_hello_ack ack = {
		.major = 2, .minor = 2, .ip_version = 4, .max_adverts = 1, .act_rcv_sz = 32784
	};

	ibw_put_be32(hello.src + 12, IPV4_A);
	ibw_put_be32(hello.dst + 12, IPV4_B);
	req(ibw_sid_rdma_cm(IBW_RDMA_PS_SDP, 5001));
	ibw_sdp_bsdh_pack(PRIVATE(sdp_bsdh, cm_req, 0), &bsdh);
	ibw_sdp_hello_pack(PRIVATE(sdp_hello, cm_req, ibw_sdp_bsdh_BYTES), &hello);
	put(c);
	bsdh.mid = IBW_SDP_HELLO_ACK;
	bsdh.len = ibw_sdp_bsdh_BYTES + ibw_sdp_hello_ack_BYTES;
	rep();
	ibw_sdp_bsdh_pack(PRIVATE(sdp_bsdh, cm_rep, 0), &bsdh);
	ibw_sdp_hello_ack_pack(PRIVATE(sdp_hello_ack, cm_rep, ibw_sdp_bsdh_BYTES), &ack);
	put(c);
}

static void srp(struct mk_capture *c)
{
	struct ibw_srp_login_req_rdma login = { .tag = 7,
						.req_buf_fmt =
							IBW_SRP_BUF_DIRECT | IBW_SRP_BUF_INDIRECT,
						.req_it_iu_len = 2116,
						.imm_data_offset = 80 };
	struct ibw_srp_login_rej refused = { .opcode = IBW_SRP_LOGIN_REJ,
					     .reason = IBW_SRP_REJ_RESOURCES,
					     .tag = 7,
					     .buf_fmt = IBW_SRP_BUF_DIRECT | IBW_SRP_BUF_INDIRECT };

	memcpy(login.initiator_port_id, gid_a, 16);
	memcpy(login.target_port_id, gid_b, 16);
	req_rdma_cm(5555, false);
	ibw_srp_login_req_rdma_pack(PRIVATE(srp_login_req_rdma, cm_req, BEHIND_CMA), &login);
	put(c);
	rej();
	ibw_srp_login_rej_pack(PRIVATE(srp_login_rej, cm_rej, 0), &refused);
	put(c);
}

/* ARP that the IPoIB connection carries: from its own end, in a SEND. */
static void ipoib_arp(struct mk_capture *c, uint16_t op, bool back)
{
	struct ibw_ipoib encap = { .type = IBW_ETHERTYPE_ARP };
	struct ibw_arp_ipoib arp = { .htype = IBW_ARP_HTYPE_INFINIBAND,
				     .ptype = IBW_ETHERTYPE_IPV4,
				     .hlen = 20,
				     .plen = 4,
				     .op = op,
				     .sha_flags = IBW_IPOIB_FLAG_RC,
				     .sha_qpn = 0x48,
				     .spa = back ? IPV4_B : IPV4_A,
				     .tpa = back ? IPV4_A : IPV4_B };
	static uint8_t body[ibw_ipoib_BYTES + ibw_arp_ipoib_BYTES];

	memcpy(arp.sha_gid, back ? gid_b : gid_a, 16);
	if (op == IBW_ARP_REPLY) { /* to who asked */
		arp.tha_flags = IBW_IPOIB_FLAG_RC;
		arp.tha_qpn = 0x48;
		memcpy(arp.tha_gid, back ? gid_a : gid_b, 16);
	}
	ibw_ipoib_pack((struct ibw_ipoib_wire *)body, &encap);
	ibw_arp_ipoib_pack((struct ibw_arp_ipoib_wire *)(body + ibw_ipoib_BYTES), &arp);
	mk_start(&p, MK_IB_LOCAL, IBW_OP_RC_SEND_ONLY, sizeof(body));
	p.payload = body;
	p.bth.dqpn = back ? QPN_A : QPN_B;
	from(back ? LID_B : LID_A, back ? LID_A : LID_B);
	put(c);
}

static void ipoib(struct mk_capture *c)
{
	struct ibw_ipoib_cm v = { .qpn = 0x48, .mtu = 65520 };

	ipoib_arp(c, IBW_ARP_REQUEST, false); /* as any other SEND: nothing has been asked for */
	req(IBW_SID_IPOIB_CM_BASE | 0x49);
	ibw_ipoib_cm_pack(PRIVATE(ipoib_cm, cm_req, 0), &v);
	put(c);
	v.qpn = 0x49;
	rep();
	ibw_ipoib_cm_pack(PRIVATE(ipoib_cm, cm_rep, 0), &v);
	put(c);
	ipoib_arp(c, IBW_ARP_REQUEST, false);
	ipoib_arp(c, IBW_ARP_REPLY, true);
}

void mk_all_cm(void)
{
	struct mk_capture c;

	mk_file_begin(&c, "cm.pcap", false);
	mk_pcap(&c, IBW_LINKTYPE_INFINIBAND, 0, MK_NANO);
	nvme(&c);
	iser(&c);
	nfs(&c);
	rds(&c);
	sdp(&c);
	srp(&c);
	ipoib(&c);
	conversation++; /* whose REQ is not in the capture */
	rep();
	put(&c);
	mk_file_end(&c);
}
