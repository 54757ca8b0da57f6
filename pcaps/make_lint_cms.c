/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_cms.c - the cases of group CMS. */
#include <string.h>

#include <ibwire/cm.h>

#include "make_case.h"

#define SEND IBW_METHOD_SEND
#define ASKED IN(cm_req, 24)
#define CMA IN(cma_hdr, 24 + ibw_cm_req_BYTES)

/* A REQ of RDMA CM to a TCP port. */
static void req(uint8_t *mad)
{
	struct ibw_cm_req v = { .local_comm_id = 1,
				.service_id = ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, 18515),
				.local_qpn = 0x48,
				.retry_count = 7,
				.rnr_retry_count = 7,
				.path_mtu = 3,
				.primary_ack_timeout = 19 };
	struct ibw_cma_hdr cma = { .ip_version = 4, .src_port = 40000 };

	ibw_ipv4_to_gid(v.primary_local_gid, 0xc0000201);
	ibw_ipv4_to_gid(v.primary_remote_gid, 0xc0000202);
	ibw_cm_req_pack(ASKED, &v);
	ibw_cma_hdr_pack(CMA, &cma);
}

#define CM(name, framing, method, attr, ...)                                                       \
	MAD(name, framing, COMM_MGT, method, IBW_ATTR_CM_##attr, __VA_ARGS__)
#define ASK(name, framing, ...) CM(name, framing, SEND, REQ, req(mad); __VA_ARGS__)
#define SERVICE(id) ibw_cm_req_set_service_id(ASKED, id)

CM(get_req, ROCE_V2_IPV4, IBW_METHOD_GET, REQ, req(mad))
CM(rep_resp, IB_LOCAL, METHOD_RESP | SEND, REP, ibw_cm_rep_set_rnr_retry_count(IN(cm_rep, 24), 7))
CM(get_class, IB_LOCAL, IBW_METHOD_GET, CLASS_PORT_INFO, (void)p)
CM(rtu, ROCE_V2_IPV6, SEND, RTU, (void)p)
CM(spr, IB_LOCAL, SEND, SPR, (void)p)
MAD(attr_1d, ROCE_V2_IPV4, COMM_MGT, SEND, 0x1d, (void)p)
MAD(attr_0f, IB_LOCAL, COMM_MGT, SEND, 0x0f, (void)p)
CM(rej_99, ROCE_V2_IPV4, SEND, REJ, ibw_cm_rej_set_reason(IN(cm_rej, 24), 99))
CM(rej_28, ROCE_V2_IPV4, SEND, REJ, ibw_cm_rej_set_reason(IN(cm_rej, 24), 28))
CM(rej_8, ROCE_V2_IPV4, SEND, REJ, ibw_cm_rej_set_reason(IN(cm_rej, 24), 8))
CM(rej_4, IB_LOCAL, SEND, REJ, ibw_cm_rej_set_reason(IN(cm_rej, 24), 4);
   ibw_cm_rej_set_message(IN(cm_rej, 24), 1); ibw_cm_rej_set_info_len(IN(cm_rej, 24), 8);
   ibw_put_be64(IN(cm_rej, 24)->b + 12, 0x0002c90300a1b2c3))
CM(rej_12, IB_LOCAL, SEND, REJ, ibw_cm_rej_set_reason(IN(cm_rej, 24), 12);
   ibw_cm_rej_set_info_len(IN(cm_rej, 24), 16); IN(cm_rej, 24)->b[12] = 0xfe;
   IN(cm_rej, 24)->b[13] = 0x80; IN(cm_rej, 24)->b[27] = 7)
CM(rej_13, IB_LOCAL, SEND, REJ, ibw_cm_rej_set_reason(IN(cm_rej, 24), 13);
   ibw_cm_rej_set_info_len(IN(cm_rej, 24), 2); IN(cm_rej, 24)->b[13] = 0x31)
CM(sidr_rep_1, ROCE_V2_IPV4, SEND, SIDR_REP, ibw_cm_sidr_rep_set_status(IN(cm_sidr_rep, 24), 1);
   ibw_cm_sidr_rep_set_service_id(IN(cm_sidr_rep, 24), ibw_sid_rdma_cm(IBW_RDMA_PS_UDP, 7174)))
CM(sidr_rep_0, ROCE_V2_IPV4, SEND, SIDR_REP, ibw_cm_sidr_rep_set_qpn(IN(cm_sidr_rep, 24), 0x48))
ASK(plain, ROCE_V2_IPV4, (void)p)
ASK(mtu_0, ROCE_V2_IPV4, ibw_cm_req_set_path_mtu(ASKED, 0))
ASK(mtu_6, IB_LOCAL, ibw_cm_req_set_path_mtu(ASKED, 6))
ASK(mtu_5, IB_LOCAL, ibw_cm_req_set_path_mtu(ASKED, 5))
ASK(retry_0, ROCE_V2_IPV4, ibw_cm_req_set_retry_count(ASKED, 0))
ASK(rnr_retry_0, IB_LOCAL, ibw_cm_req_set_rnr_retry_count(ASKED, 0))
ASK(retry_0_of_uc, IB_LOCAL, ibw_cm_req_set_retry_count(ASKED, 0);
    ibw_cm_req_set_transport(ASKED, IBW_CM_UC))
ASK(retry_0_of_ipoib, IB_LOCAL, ibw_cm_req_set_retry_count(ASKED, 0);
    ibw_cm_req_set_rnr_retry_count(ASKED, 0); SERVICE(0x1000000000000048);
    ibw_cma_hdr_set_ip_version(CMA, 0))
ASK(rnr_retry_0_of_nfs, ROCE_V2_IPV4, ibw_cm_req_set_rnr_retry_count(ASKED, 0);
    SERVICE(ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, 20049)))
ASK(rnr_retry_0_of_smb, IB_LOCAL, ibw_cm_req_set_rnr_retry_count(ASKED, 0);
    SERVICE(ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, 445)))
ASK(rnr_retry_0_of_nvme, ROCE_V2_IPV4, ibw_cm_req_set_rnr_retry_count(ASKED, 0);
    SERVICE(ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, 4420)))
ASK(rnr_retry_0_of_udp, IB_LOCAL, ibw_cm_req_set_rnr_retry_count(ASKED, 0);
    SERVICE(ibw_sid_rdma_cm(IBW_RDMA_PS_UDP, 20049)))
CM(rep_rnr_retry_0, ROCE_V2_IPV4, SEND, REP, ibw_cm_rep_set_remote_comm_id(IN(cm_rep, 24), 0x77))
CM(rep_rnr_retry_1, IB_LOCAL, SEND, REP, ibw_cm_rep_set_remote_comm_id(IN(cm_rep, 24), 0x78);
   ibw_cm_rep_set_rnr_retry_count(IN(cm_rep, 24), 1))
ASK(retry_1, IB_LOCAL, ibw_cm_req_set_retry_count(ASKED, 1))
ASK(timeout_7, ROCE_V2_IPV4, ibw_cm_req_set_primary_ack_timeout(ASKED, 7))
ASK(timeout_23, IB_LOCAL, ibw_cm_req_set_primary_ack_timeout(ASKED, 23))
ASK(timeout_8, IB_LOCAL, ibw_cm_req_set_primary_ack_timeout(ASKED, 8))
ASK(timeout_22, IB_LOCAL, ibw_cm_req_set_primary_ack_timeout(ASKED, 22))
ASK(cma_1, ROCE_V2_IPV4, ibw_cma_hdr_set_minor(CMA, 1))
ASK(cma_1_ib, IB_LOCAL, ibw_cma_hdr_set_major(CMA, 1))
ASK(own_data, IB_LOCAL, SERVICE(0x0200000000000001); ibw_cma_hdr_set_major(CMA, 1))
ASK(own_data_of_ps_ib, IB_LOCAL, SERVICE(ibw_sid_rdma_cm(IBW_RDMA_PS_IB, 1));
    ibw_cma_hdr_set_major(CMA, 1))
ASK(ip_5, ROCE_V2_IPV4, ibw_cma_hdr_set_ip_version(CMA, 5))
ASK(ip_6_over_ipv4, ROCE_V2_IPV4, ibw_cma_hdr_set_ip_version(CMA, 6))
ASK(ip_4_link_local, ROCE_V1, memset(ASKED->b + 56, 0, 16); ASKED->b[56] = 0xfe;
    ASKED->b[57] = 0x80)
ASK(port_space_0, IB_LOCAL, SERVICE(0x1000))
ASK(port_space_105, ROCE_V2_IPV4, SERVICE(0x01054853))
ASK(port_space_ipoib, IB_LOCAL, SERVICE(ibw_sid_rdma_cm(IBW_RDMA_PS_IPOIB, 1)))
ASK(sid_of_vendor, IB_LOCAL, SERVICE(0x1000000000000048); ibw_cma_hdr_set_ip_version(CMA, 0))

static const struct mk_case cases[] = {
	{ "CMS001", MK_FIRES, get_req, "mad.method", NULL, "Get(REQ)" },
	{ "CMS001", MK_FIRES, rep_resp, "mad.method", "MAD006=mad.method", "the answer to a Send" },
	{ "CMS001", MK_MISSES, get_class, "mad", NULL, "Get(ClassPortInfo)" },
	{ "CMS001", MK_MISSES, rtu, "mad", NULL, "Send(RTU)" },
	{ "CMS002", MK_FIRES, attr_1d, "mad.attr_id", NULL, "message 0x1d" },
	{ "CMS002", MK_FIRES, attr_0f, "mad.attr_id", NULL, "message 0x0f" },
	{ "CMS002", MK_MISSES, spr, "mad", NULL, "message 0x1c, SPR" },
	{ "CMS005", MK_FIRES, rej_8, "cm_rej.reason", NULL, "reason 8 for a REQ" },
	{ "CMS005", MK_FIRES, rej_4, "cm_rej.reason", NULL, "reason 4 for a REP, with a CA GUID" },
	{ "CMS005", MK_FIRES, rej_12, "cm_rej.reason", NULL, "reason 12, with a GID" },
	{ "CMS005", MK_FIRES, rej_13, "cm_rej.reason", NULL, "reason 13, with a LID" },
	{ "CMS005", MK_FIRES, sidr_rep_1, "cm_sidr_rep.status", NULL, "SIDR_REP, status 1" },
	{ "CMS005", MK_MISSES, sidr_rep_0, "cm_sidr_rep", NULL, "SIDR_REP with a QPN" },
	{ "CMS006", MK_FIRES, rej_99, "cm_rej.reason", "CMS005=cm_rej.reason", "reason 99" },
	{ "CMS006", MK_MISSES, rej_28, "cm_rej", "CMS005=cm_rej.reason", "reason 28" },
	{ "CMS013", MK_FIRES, mtu_0, "cm_req.path_mtu", NULL, "MTU code 0" },
	{ "CMS013", MK_FIRES, mtu_6, "cm_req.path_mtu", NULL, "MTU code 6" },
	{ "CMS013", MK_MISSES, mtu_5, "cm_req", NULL, "MTU code 5" },
	{ "CMS016", MK_FIRES, retry_0, "cm_req.retry_count", NULL, "retry count 0" },
	{ "CMS016", MK_FIRES, rnr_retry_0, "cm_req.rnr_retry_count", NULL, "RNR retry count 0" },
	{ "CMS016", MK_MISSES, retry_0_of_uc, "cm_req", NULL, "retry count 0 of UC" },
	{ "CMS016", MK_MISSES, retry_0_of_ipoib, "cm_req", NULL, "both 0 of IPoIB connected mode" },
	{ "CMS016", MK_MISSES, retry_1, "cm_req", NULL, "retry count 1" },
	{ "CMS016", MK_FIRES, rnr_retry_0_of_nfs, "~cm_req.rnr_retry_count", NULL,
	  "RNR retry count 0 of NFS" },
	{ "CMS016", MK_FIRES, rnr_retry_0_of_smb, "~cm_req.rnr_retry_count", NULL,
	  "RNR retry count 0 of SMB Direct" },
	{ "CMS016", MK_FIRES, rnr_retry_0_of_nvme, "cm_req.rnr_retry_count", NULL,
	  "RNR retry count 0 of NVMe-oF" },
	{ "CMS016", MK_FIRES, rnr_retry_0_of_udp, "cm_req.rnr_retry_count", NULL,
	  "the port of NFS in another port space" },
	{ "CMS016", MK_FIRES, rep_rnr_retry_0, "~cm_rep.rnr_retry_count", NULL,
	  "RNR retry count 0 in a REP without its REQ" },
	{ "CMS016", MK_MISSES, rep_rnr_retry_1, "cm_rep", NULL, "RNR retry count 1 in a REP" },
	{ "CMS017", MK_FIRES, timeout_7, "cm_req.primary_ack_timeout", NULL, "timeout 7" },
	{ "CMS017", MK_FIRES, timeout_23, "cm_req.primary_ack_timeout", NULL, "timeout 23" },
	{ "CMS017", MK_MISSES, timeout_8, "cm_req", NULL, "timeout 8" },
	{ "CMS017", MK_MISSES, timeout_22, "cm_req", NULL, "timeout 22" },
	{ "CMS018", MK_FIRES, cma_1, "cma_hdr.minor", NULL, "version 0.1" },
	{ "CMS018", MK_FIRES, cma_1_ib, "cm_private_92/cma_hdr.major", NULL, "version 1.0, on IB" },
	{ "CMS018", MK_MISSES, own_data, "cm_req", NULL, "other private data, local service id" },
	{ "CMS018", MK_MISSES, own_data_of_ps_ib, "cm_req", NULL, "port space IB may be without" },
	{ "CMS018", MK_MISSES, plain, "cma_hdr", NULL, "version 0" },
	{ "CMS019", MK_FIRES, ip_5, "cm_private_92/cma_hdr.ip_version", NULL, "IP version 5" },
	{ "CMS019", MK_FIRES, ip_6_over_ipv4, "cma_hdr.ip_version", NULL,
	  "IP version 6 between IPv4 GIDs" },
	{ "CMS019", MK_MISSES, ip_4_link_local, "cma_hdr", NULL,
	  "IP version 4 between link-local GIDs" },
	{ "CMS019", MK_MISSES, sid_of_vendor, "cm_req", NULL, "IPoIB's own private data" },
	{ "CMS020", MK_FIRES, port_space_0, "cm_req.service_id", NULL, "service id 0x1000" },
	{ "CMS020", MK_FIRES, port_space_105, "cm_req.service_id", NULL, "port space 0x0105" },
	{ "CMS020", MK_MISSES, port_space_ipoib, "cm_req", NULL, "port space IPOIB" },
	{ "CMS020", MK_MISSES, sid_of_vendor, "cm_req", NULL, "IPoIB connected mode" },
	{ 0 },
};

/* ---- Answers ---- */

/* A REP with RNR retry count @count that answers a REQ to @service_id; at @at it fires, NULL: it does not. */
static void answered(struct mk_capture *c, uint64_t service_id, uint8_t transport, uint8_t count,
		     const char *at)
{
	struct mk_packet p = { 0 };
	uint8_t *mad = mk_start_mad(&p, MK_IB_LOCAL, IBW_CLASS_COMM_MGT, SEND, IBW_ATTR_CM_REQ);
	uint16_t client = p.lrh.slid, server = p.lrh.dlid;

	mk_pcap(c, IBW_LINKTYPE_INFINIBAND, 0, MK_NANO);
	req(mad);
	ibw_cm_req_set_service_id(ASKED, service_id);
	ibw_cm_req_set_transport(ASKED, transport);
	ibw_cm_req_set_primary_local_lid(ASKED, client);
	ibw_cm_req_set_primary_remote_lid(ASKED, server);
	ibw_cma_hdr_set_ip_version(CMA, 4);
	mk_build(&p);
	mk_put(c, &p);
	mk_misses(c, "CMS016", "cm_req");
	p = (struct mk_packet){ 0 };
	mad = mk_start_mad(&p, MK_IB_LOCAL, IBW_CLASS_COMM_MGT, SEND, IBW_ATTR_CM_REP);
	p.lrh.slid = server;
	p.lrh.dlid = client;
	ibw_cm_rep_set_local_comm_id(IN(cm_rep, 24), 2);
	ibw_cm_rep_set_remote_comm_id(IN(cm_rep, 24), 1);
	ibw_cm_rep_set_local_qpn(IN(cm_rep, 24), 0x49);
	ibw_cm_rep_set_rnr_retry_count(IN(cm_rep, 24), count);
	mk_build(&p);
	mk_put(c, &p);
	if (at)
		mk_fires(c, &p, "CMS016", at);
	else
		mk_misses(c, "CMS016", "cm_rep");
}

#define ANSWERED(name, port_space, port, transport, count, at)                                     \
	static void name(struct mk_capture *c)                                                     \
	{                                                                                          \
		answered(c, ibw_sid_rdma_cm(IBW_RDMA_PS_##port_space, port), IBW_CM_##transport,   \
			 count, at);                                                               \
	}
ANSWERED(rep_of_nvme, TCP, 4420, RC, 0, "cm_rep.rnr_retry_count")
ANSWERED(rep_of_nfs, TCP, 20049, RC, 0, "~cm_rep.rnr_retry_count")
ANSWERED(rep_of_smb, TCP, 445, RC, 0, "~cm_rep.rnr_retry_count")
ANSWERED(rep_of_uc, TCP, 4420, UC, 0, NULL)
ANSWERED(rep_with_1, TCP, 4420, RC, 1, NULL)

/* IPoIB of connected mode: a lost datagram is for IP's users to send again. */
static void rep_of_ipoib(struct mk_capture *c)
{
	answered(c, 0x1000000000000048, IBW_CM_RC, 0, NULL);
}

static const struct mk_file_case files[] = {
	{ "rep-of-nvme.pcap", rep_of_nvme },
	{ "rep-of-nfs.pcap", rep_of_nfs },
	{ "rep-of-smb.pcap", rep_of_smb },
	{ "rep-of-uc.pcap", rep_of_uc },
	{ "rep-with-1.pcap", rep_with_1 },
	{ "rep-of-ipoib.pcap", rep_of_ipoib },
	{ 0 },
};

const struct mk_group mk_lint_cms = { "cms", cases, files, NULL };
