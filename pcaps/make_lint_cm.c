/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_cm.c - captures of group CMS about many messages of the CM, and about SIDR. */
#include <string.h>

#include <ibwire/cm.h>

#include "make_case.h"

#define CLIENT 4
#define SERVER 2
#define OTHER 6
#define QPN 0x48
#define STALE 10
#define CONSUMER 28
#define QKEY 0x01234567
#define SECOND 1000000000ull

static void start(struct mk_capture *c)
{
	mk_pcap(c, IBW_LINKTYPE_INFINIBAND, 0, MK_NANO);
}

static uint8_t *cm(struct mk_packet *p, uint16_t attr_id, uint16_t from, uint16_t to)
{
	uint8_t *mad;

	*p = (struct mk_packet){ .serial = 0 };
	mad = mk_start_mad(p, MK_IB_LOCAL, IBW_CLASS_COMM_MGT, IBW_METHOD_SEND, attr_id);
	p->lrh.slid = from;
	p->lrh.dlid = to;
	return mad;
}

static void req_to(struct mk_capture *c, uint32_t id, uint32_t qpn, uint16_t server)
{
	struct ibw_cm_req v = { .local_comm_id = id,
				.service_id = 0x0200000000000001,
				.local_qpn = qpn,
				.retry_count = 7,
				.rnr_retry_count = 7,
				.path_mtu = 3,
				.primary_ack_timeout = 19,
				.primary_local_lid = CLIENT,
				.primary_remote_lid = server };
	struct mk_packet p;
	uint8_t *mad = cm(&p, IBW_ATTR_CM_REQ, CLIENT, server);

	ibw_mad_set_tid(IN(mad, 0), id);
	ibw_cm_req_pack(IN(cm_req, 24), &v);
	put_built(c, &p);
}

static void req(struct mk_capture *c, uint32_t id, uint32_t qpn)
{
	req_to(c, id, qpn, SERVER);
}

static void rej(struct mk_capture *c, uint32_t id, uint16_t reason)
{
	struct ibw_cm_rej v = { .remote_comm_id = id, .reason = reason };
	struct mk_packet p;
	uint8_t *mad = cm(&p, IBW_ATTR_CM_REJ, SERVER, CLIENT);

	ibw_cm_rej_pack(IN(cm_rej, 24), &v);
	put_built(c, &p);
	mk_fires(c, &p, "CMS005", "cm_rej.reason");
}

static void rep(struct mk_capture *c, uint32_t id)
{
	struct ibw_cm_rep v = { .local_comm_id = id + 0x1000,
				.rnr_retry_count = 7,
				.remote_comm_id = id,
				.local_qpn = QPN + 1 };
	struct mk_packet p;
	uint8_t *mad = cm(&p, IBW_ATTR_CM_REP, SERVER, CLIENT);

	ibw_mad_set_tid(IN(mad, 0), id);
	ibw_cm_rep_pack(IN(cm_rep, 24), &v);
	put_built(c, &p);
}

static void refused(struct mk_capture *c, uint32_t id, uint32_t qpn, uint16_t reason)
{
	req(c, id, qpn);
	rej(c, id, reason);
}

/* Said once of a QPN. */
static void stale(struct mk_capture *c)
{
	uint32_t id;

	start(c);
	for (id = 1; id <= 3; id++)
		refused(c, id, QPN, STALE);
	mk_misses(c, "CMS007", "cm_rej");
	refused(c, 4, QPN, STALE);
	mk_event_fires(c, "CMS007", "cm_rej");
	refused(c, 5, QPN, STALE);
	mk_misses(c, "CMS007", "cm_rej");
}

/* Three and one of two QPNs; other reasons; one that was accepted in the end. */
static void not_stale(struct mk_capture *c)
{
	uint32_t id;

	start(c);
	for (id = 1; id <= 3; id++)
		refused(c, id, QPN, STALE);
	refused(c, 4, QPN + 2, STALE);
	mk_misses(c, "CMS007", "cm_rej");
	refused(c, 5, QPN, CONSUMER);
	mk_misses(c, "CMS007", "cm_rej");
	req(c, 6, QPN);
	rep(c, 6);
	refused(c, 7, QPN, STALE);
	mk_misses(c, "CMS007", "cm_rej");
}

/* Said once of a port. */
static void storm(struct mk_capture *c)
{
	uint32_t id;

	start(c);
	for (id = 1; id <= 1000; id++)
		req(c, id, id);
	mk_misses(c, "CMS022", "cm_req");
	req_to(c, 1001, 1001, OTHER);
	mk_misses(c, "CMS022", "cm_req");
	req(c, 1002, 1002);
	mk_event_fires(c, "CMS022", "cm_req");
	req(c, 1003, 1003);
	mk_misses(c, "CMS022", "cm_req");
}

/* 1200 within 1.2 s. */
static void no_storm(struct mk_capture *c)
{
	uint32_t id;

	start(c);
	for (id = 1; id <= 1200; id++) {
		req(c, id, id);
		c->time_ns += SECOND / 1000;
	}
	mk_misses(c, "CMS022", "cm_req");
}

static void sidr_req(struct mk_capture *c, uint32_t id)
{
	struct ibw_cm_sidr_req v = { .request_id = id,
				     .service_id = ibw_sid_rdma_cm(IBW_RDMA_PS_UDP, 7174) };
	struct ibw_cma_hdr cma = { .ip_version = 4, .src_port = 40000 };
	struct mk_packet p;
	uint8_t *mad = cm(&p, IBW_ATTR_CM_SIDR_REQ, CLIENT, SERVER);

	ibw_mad_set_tid(IN(mad, 0), id);
	ibw_cm_sidr_req_pack(IN(cm_sidr_req, 24), &v);
	ibw_cma_hdr_pack(IN(cma_hdr, 24 + ibw_cm_sidr_req_BYTES), &cma);
	put_built(c, &p);
}

static void sidr_rep(struct mk_capture *c, uint32_t id, uint32_t qkey)
{
	struct ibw_cm_sidr_rep v = { .request_id = id,
				     .qpn = QPN,
				     .qkey = qkey,
				     .service_id = ibw_sid_rdma_cm(IBW_RDMA_PS_UDP, 7174) };
	struct mk_packet p;
	uint8_t *mad = cm(&p, IBW_ATTR_CM_SIDR_REP, SERVER, CLIENT);

	ibw_mad_set_tid(IN(mad, 0), id);
	ibw_cm_sidr_rep_pack(IN(cm_sidr_rep, 24), &v);
	put_built(c, &p);
}

static void datagram(struct mk_capture *c, uint16_t to, uint32_t qpn, uint32_t qkey)
{
	struct mk_packet p = { .serial = 0 };

	mk_start(&p, MK_IB_LOCAL, IBW_OP_UD_SEND_ONLY, 64);
	p.lrh.slid = CLIENT;
	p.lrh.dlid = to;
	p.bth.dqpn = qpn;
	p.deth.qkey = qkey;
	p.deth.sqpn = QPN + 2;
	put_built(c, &p);
}

/* Said once for an answer. */
static void qkey(struct mk_capture *c)
{
	start(c);
	datagram(c, SERVER, QPN, 7); /* nothing is known yet */
	mk_misses(c, "CMS021", "deth");
	sidr_req(c, 1);
	sidr_req(c, 1);
	sidr_rep(c, 1, QKEY);
	datagram(c, SERVER, QPN, QKEY);
	mk_misses(c, "CMS021", "deth");
	datagram(c, SERVER, QPN, QKEY + 1);
	mk_event_fires(c, "CMS021", "deth");
	datagram(c, SERVER, QPN, QKEY + 1);
	mk_misses(c, "CMS021", "deth");
	datagram(c, SERVER, QPN + 4, QKEY + 1); /* another queue pair */
	mk_misses(c, "CMS021", "deth");
	datagram(c, OTHER, QPN, QKEY + 1); /* of another port */
	mk_misses(c, "CMS021", "deth");
	sidr_rep(c, 1, QKEY); /* the answer comes twice */
	datagram(c, SERVER, QPN, QKEY + 1);
	mk_misses(c, "CMS021", "deth");
	sidr_req(c, 2);
	sidr_rep(c, 2, QKEY + 1);
	datagram(c, SERVER, QPN, QKEY + 1);
	mk_misses(c, "CMS021", "deth");
	datagram(c, SERVER, QPN, QKEY);
	mk_event_fires(c, "CMS021", "deth");
}

/* The SIDR_REP refuses: it has no QPN. */
static void refused_qkey(struct mk_capture *c)
{
	struct ibw_cm_sidr_rep v = { .request_id = 1,
				     .status = IBW_CM_SIDR_UNSUPPORTED,
				     .qpn = QPN,
				     .service_id = ibw_sid_rdma_cm(IBW_RDMA_PS_UDP, 7174) };
	struct mk_packet p;
	uint8_t *mad;

	start(c);
	sidr_req(c, 1);
	mad = cm(&p, IBW_ATTR_CM_SIDR_REP, SERVER, CLIENT);
	ibw_cm_sidr_rep_pack(IN(cm_sidr_rep, 24), &v);
	put_built(c, &p);
	mk_fires(c, &p, "CMS005", "cm_sidr_rep.status");
	datagram(c, SERVER, QPN, QKEY);
	mk_misses(c, "CMS021", "deth");
}

/* Another alternate path, asked for twice and refused, of a connection that is used and closed. */
static void alternate(struct mk_capture *c)
{
	static const uint16_t answers[] = { IBW_ATTR_CM_RTU, IBW_ATTR_CM_LAP,  IBW_ATTR_CM_LAP,
					    IBW_ATTR_CM_APR, IBW_ATTR_CM_DREQ, IBW_ATTR_CM_DREP };
	struct mk_packet p;
	unsigned int i;
	uint8_t *mad;
	bool server;

	start(c);
	req(c, 1, QPN);
	rep(c, 1);
	for (i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		server = answers[i] == IBW_ATTR_CM_APR || answers[i] == IBW_ATTR_CM_DREP;
		mad = cm(&p, answers[i], server ? SERVER : CLIENT, server ? CLIENT : SERVER);
		ibw_cm_rtu_set_local_comm_id(IN(cm_rtu, 24), server ? 0x1001 : 1);
		ibw_cm_rtu_set_remote_comm_id(IN(cm_rtu, 24), server ? 1 : 0x1001);
		put_built(c, &p);
	}
	mk_misses(c, "CMS008", "mad");
}

static const struct mk_case cases[] = { { 0 } };

static const struct mk_file_case files[] = {
	{ "stale.pcap", stale },         { "not-stale.pcap", not_stale },
	{ "storm.pcap", storm },         { "no-storm.pcap", no_storm },
	{ "qkey.pcap", qkey },           { "refused-qkey.pcap", refused_qkey },
	{ "alternate.pcap", alternate }, { 0 },
};

const struct mk_group mk_lint_cm = { "cm", cases, files, NULL };
