/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_neigh.c - captures of group IPO about neighbours: ARP, the path query, and what is sent then. */
#include <string.h>

#include <ibwire/cm.h>

#include "make_case.h"

#define RESP (METHOD_RESP | IBW_METHOD_GET)

#define LID_A 4
#define LID_B 5
#define LID_C 6
#define LID_SM 2
#define QPN_A 0x48
#define QPN_B 0x49
#define IPV4_A 0xc0000201
#define IPV4_B 0xc0000202
#define QKEY 0xb1b

static const uint8_t gid_a[16] = { 0xfe, 0x80, [8] = 0x02, [15] = 1 };
static const uint8_t gid_b[16] = { 0xfe, 0x80, [8] = 0x02, [15] = 2 };
static const uint8_t gid_c[16] = { 0xfe, 0x80, [8] = 0x02, [15] = 3 };
static const uint8_t broadcast[16] = { 0xff, 0x12,        0x40, 0x1b, 0xff,
				       0xff, [12] = 0xff, 0xff, 0xff, 0xff };

static uint8_t body[64];

static void start(struct mk_capture *c)
{
	mk_pcap(c, IBW_LINKTYPE_INFINIBAND, 0, MK_NANO);
}

/* A asks, or B answers. */
static void arp(bool reply)
{
	struct ibw_arp_ipoib v = { .htype = IBW_ARP_HTYPE_INFINIBAND,
				   .ptype = IBW_ETHERTYPE_IPV4,
				   .hlen = 20,
				   .plen = 4,
				   .op = reply ? IBW_ARP_REPLY : IBW_ARP_REQUEST,
				   .sha_qpn = reply ? QPN_B : QPN_A,
				   .spa = reply ? IPV4_B : IPV4_A,
				   .tha_qpn = reply ? QPN_A : 0,
				   .tpa = reply ? IPV4_A : IPV4_B };

	memcpy(v.sha_gid, reply ? gid_b : gid_a, 16);
	if (reply)
		memcpy(v.tha_gid, gid_a, 16);
	memset(body, 0, sizeof(body));
	ibw_ipoib_set_type((struct ibw_ipoib_wire *)body, IBW_ETHERTYPE_ARP);
	ibw_arp_ipoib_pack((struct ibw_arp_ipoib_wire *)(body + 4), &v);
}

static void ipv4(void)
{
	struct ibw_ipv4 v = { .version = 4,
			      .ihl = 5,
			      .total_len = 56,
			      .ttl = 64,
			      .protocol = 253,
			      .src = IPV4_A,
			      .dst = IPV4_B };
	struct ibw_ipv4_wire *ip = (struct ibw_ipv4_wire *)(body + 4);

	memset(body, 0, sizeof(body));
	ibw_ipoib_set_type((struct ibw_ipoib_wire *)body, IBW_ETHERTYPE_IPV4);
	ibw_ipv4_pack(ip, &v);
	ibw_ipv4_set_checksum(ip, ibw_ipv4_checksum_of(ip, 20));
}

static void start_body(struct mk_packet *p, enum mk_framing framing, bool from_b, uint32_t qkey)
{
	*p = (struct mk_packet){ .serial = 0 };
	mk_start(p, framing, IBW_OP_UD_SEND_ONLY, 60);
	p->payload = body;
	p->lrh.slid = from_b ? LID_B : LID_A;
	p->lrh.dlid = from_b ? LID_A : LID_B;
	p->bth.dqpn = from_b ? QPN_A : QPN_B;
	p->deth.sqpn = from_b ? QPN_B : QPN_A;
	p->deth.qkey = qkey;
	if (framing == MK_IB_GLOBAL) {
		p->lrh.dlid = 0xc000;
		p->bth.dqpn = IBW_QPN_MULTICAST;
		memcpy(p->grh.sgid, gid_a, 16);
		memcpy(p->grh.dgid, broadcast, 16);
	}
}

static void build_body(struct mk_packet *p, enum mk_framing framing, bool from_b, uint32_t qkey)
{
	start_body(p, framing, from_b, qkey);
	mk_build(p);
}

static void put_body(struct mk_capture *c, enum mk_framing framing, bool from_b, uint32_t qkey)
{
	struct mk_packet p;

	build_body(&p, framing, from_b, qkey);
	mk_put(c, &p);
}

static void resolve(struct mk_capture *c)
{
	arp(false);
	put_body(c, MK_IB_GLOBAL, false, QKEY);
	arp(true);
	put_body(c, MK_IB_LOCAL, true, QKEY);
}

static void send(struct mk_capture *c, uint32_t qkey)
{
	ipv4();
	put_body(c, MK_IB_LOCAL, false, qkey);
}

static uint8_t *start_mad(struct mk_packet *p, uint8_t mgmt_class, uint8_t method, uint16_t attr,
			  bool from_a)
{
	uint8_t *mad;

	*p = (struct mk_packet){ .serial = 0 };
	mad = mk_start_mad(p, MK_IB_LOCAL, mgmt_class, method, attr);
	p->lrh.slid = from_a ? LID_A : LID_B;
	p->lrh.dlid = from_a ? LID_B : LID_A;
	return mad;
}

static void put_mad(struct mk_capture *c, struct mk_packet *p)
{
	mk_build(p);
	mk_put(c, p);
}

/* The SA describes the broadcast group. */
static void describe(struct mk_capture *c)
{
	struct ibw_mcmember_rec rec = { .qkey = QKEY,
					.mlid = 0xc000,
					.mtu_sel = IBW_SELECTOR_EXACTLY,
					.mtu = 4,
					.pkey = 0xffff,
					.rate_sel = IBW_SELECTOR_EXACTLY,
					.rate = IBW_RATE_10,
					.life_sel = IBW_SELECTOR_EXACTLY,
					.life = 18 };
	struct mk_packet p;
	uint8_t *mad = start_mad(&p, IBW_CLASS_SUBN_ADM, RESP, IBW_ATTR_SA_MCMEMBER_REC, false);

	memcpy(rec.mgid, broadcast, 16);
	p.lrh.slid = LID_SM;
	ibw_sa_set_comp_mask(IN(sa, 36), 1);
	ibw_mcmember_rec_pack(IN(mcmember_rec, 56), &rec);
	put_mad(c, &p);
}

static void query(struct mk_capture *c, const uint8_t *dgid)
{
	struct ibw_path_rec rec = { .numb_path = 1 };
	struct mk_packet p;
	uint8_t *mad =
		start_mad(&p, IBW_CLASS_SUBN_ADM, IBW_METHOD_GET, IBW_ATTR_SA_PATH_REC, true);

	memcpy(rec.dgid, dgid, 16);
	memcpy(rec.sgid, gid_a, 16);
	p.lrh.dlid = LID_SM;
	ibw_mad_set_tid(IN(mad, 0), c->frames);
	ibw_sa_set_comp_mask(IN(sa, 36), 1ull << ibw_path_rec_dgid_COMP |
						 1ull << ibw_path_rec_sgid_COMP |
						 1ull << ibw_path_rec_numb_path_COMP);
	ibw_path_rec_pack(IN(path_rec, 56), &rec);
	put_mad(c, &p);
}

static void connect(struct mk_capture *c, uint64_t service_id)
{
	struct ibw_cm_req req = { .local_comm_id = 1,
				  .service_id = service_id,
				  .local_qpn = 0x50,
				  .retry_count = 7,
				  .rnr_retry_count = 7,
				  .path_mtu = 3,
				  .primary_local_lid = LID_A,
				  .primary_remote_lid = LID_B,
				  .primary_ack_timeout = 19 };
	struct mk_packet p;
	uint8_t *mad = start_mad(&p, IBW_CLASS_COMM_MGT, IBW_METHOD_SEND, IBW_ATTR_CM_REQ, true);

	memcpy(req.primary_local_gid, gid_a, 16);
	memcpy(req.primary_remote_gid, gid_b, 16);
	ibw_cm_req_pack(IN(cm_req, 24), &req);
	put_mad(c, &p);
}

static void reject(struct mk_capture *c, uint16_t reason)
{
	struct mk_packet p;
	uint8_t *mad = start_mad(&p, IBW_CLASS_COMM_MGT, IBW_METHOD_SEND, IBW_ATTR_CM_REJ, false);

	ibw_cm_rej_set_local_comm_id(IN(cm_rej, 24), 2);
	ibw_cm_rej_set_remote_comm_id(IN(cm_rej, 24), 1);
	ibw_cm_rej_set_reason(IN(cm_rej, 24), reason);
	put_mad(c, &p);
	mk_fires(c, &p, "CMS005", "cm_rej.reason");
}

static void qkey(struct mk_capture *c)
{
	start(c);
	send(c, 0x111); /* nothing is known of the group */
	mk_misses(c, "IPO015", "ipoib");
	describe(c);
	send(c, QKEY);
	mk_misses(c, "IPO015", "ipoib");
	send(c, 0x111);
	mk_event_fires(c, "IPO015", "deth");
}

/* The @fault of what goes to the QP that ARP named; before, and with another Q_Key, it may be anything. */
enum fault { OTHER_TYPE, RESERVED, OTHER_ARP };

static void spoil(enum fault fault)
{
	if (fault == OTHER_ARP) {
		arp(true);
		ibw_arp_ipoib_set_htype((struct ibw_arp_ipoib_wire *)(body + 4), 1);
		return;
	}
	ipv4();
	if (fault == OTHER_TYPE)
		ibw_ipoib_set_type((struct ibw_ipoib_wire *)body, 0x88cc);
	else
		body[3] = 1;
}

static void named(struct mk_capture *c, enum fault fault, const char *rule, const char *at)
{
	bool from_b = fault == OTHER_ARP;
	struct mk_packet p;

	start(c);
	spoil(fault);
	put_body(c, MK_IB_LOCAL, from_b, QKEY);
	mk_misses(c, rule, "deth");
	resolve(c);
	spoil(fault);
	put_body(c, MK_IB_LOCAL, from_b, 0x111);
	mk_misses(c, rule, "deth");
	build_body(&p, MK_IB_LOCAL, from_b, QKEY);
	mk_put(c, &p);
	mk_fires(c, &p, rule, at);
	send(c, QKEY);
	mk_misses(c, rule, "ipoib");
}

static void named_type(struct mk_capture *c)
{
	named(c, OTHER_TYPE, "IPO002", "ipoib/payload+0:2");
}

static void named_reserved(struct mk_capture *c)
{
	named(c, RESERVED, "IPO001", "ipoib/payload+2:2");
}

static void named_arp(struct mk_capture *c)
{
	named(c, OTHER_ARP, "IPO003", "arp_ipoib/payload+4:2");
}

static void modes(struct mk_capture *c)
{
	start(c);
	connect(c, IBW_SID_IPOIB_CM_BASE + QPN_B);
	reject(c, IBW_CM_REJ_SERVICE_ID);
	mk_event_fires(c, "IPO018", "cm_rej");
}

static void other_service(struct mk_capture *c)
{
	start(c);
	connect(c, ibw_sid_rdma_cm(IBW_RDMA_PS_IB, 1));
	reject(c, IBW_CM_REJ_SERVICE_ID);
	mk_misses(c, "IPO018", "cm_rej");
}

static void consumer(struct mk_capture *c)
{
	start(c);
	connect(c, IBW_SID_IPOIB_CM_BASE + QPN_B);
	reject(c, IBW_CM_REJ_CONSUMER);
	mk_misses(c, "IPO018", "cm_rej");
}

/* 2 s later there is a query for another port. */
static void no_query(struct mk_capture *c)
{
	start(c);
	resolve(c);
	c->time_ns += 2000000000;
	query(c, gid_a);
	mk_event_fires(c, "IPO023", "bth");
}

static void queried(struct mk_capture *c)
{
	start(c);
	resolve(c);
	query(c, gid_b);
	mk_event_fires_milder(c, "MAD009", "mad"); /* no answer at all was captured */
	c->time_ns += 2000000000;
	query(c, gid_a);
	mk_misses(c, "IPO023", NULL);
}

static void sent(struct mk_capture *c)
{
	start(c);
	resolve(c);
	send(c, QKEY);
	c->time_ns += 2000000000;
	query(c, gid_a);
	mk_misses(c, "IPO023", NULL);
}

static void too_short(struct mk_capture *c)
{
	start(c);
	resolve(c);
	query(c, gid_a);
	mk_misses(c, "IPO023", NULL);
}

/* A asks so often, @gap ns between two; @heard: something else comes to it. */
static void asks(struct mk_capture *c, unsigned int times, uint64_t gap, bool heard, bool fires)
{
	unsigned int i;

	start(c);
	if (heard)
		describe(c);
	for (i = 0; i < times; i++) {
		if (i)
			c->time_ns += gap - MK_TIME_STEP;
		arp(false);
		put_body(c, MK_IB_GLOBAL, false, QKEY);
	}
	if (fires)
		mk_event_fires(c, "IPO024", "ipoib");
	else
		mk_misses(c, "IPO024", NULL);
}

static void silent(struct mk_capture *c)
{
	asks(c, 3, 1000000000, true, true);
}

static void silent_twice(struct mk_capture *c)
{
	asks(c, 2, 2000000000, true, false);
}

static void silent_shortly(struct mk_capture *c)
{
	asks(c, 3, 999999999, true, false);
}

static void silent_unheard(struct mk_capture *c)
{
	asks(c, 3, 1000000000, false, false);
}

static void answers_at_last(struct mk_capture *c)
{
	asks(c, 3, 1000000000, true, false);
	arp(true);
	put_body(c, MK_IB_LOCAL, true, QKEY);
}

static void send_as(struct mk_capture *c, uint16_t pkey, uint32_t dqpn)
{
	struct mk_packet p;

	ipv4();
	start_body(&p, MK_IB_LOCAL, false, QKEY);
	p.bth.pkey = pkey;
	p.bth.dqpn = dqpn;
	mk_build(&p);
	mk_put(c, &p);
}

static void other_pkey(struct mk_capture *c)
{
	start(c);
	resolve(c);
	send_as(c, 0x7fff, QPN_B); /* a limited member of the partition */
	mk_misses(c, "IPO025", NULL);
	send_as(c, 0x8001, QPN_B);
	mk_event_fires(c, "IPO025", "bth");
	send_as(c, 0x8001, QPN_B);
	mk_misses(c, "IPO025", NULL);
}

static void to_qp_of_before(struct mk_capture *c, unsigned int n, bool back, bool fires)
{
	unsigned int i;

	start(c);
	resolve(c);
	for (i = 0; i < n; i++) {
		send_as(c, 0xffff, 0x99);
		if (fires && !i)
			mk_event_fires(c, "IPO026", "bth");
		else
			mk_misses(c, "IPO026", NULL);
	}
	if (!back)
		return;
	ipv4();
	ibw_ipv4_set_src((struct ibw_ipv4_wire *)(body + 4), IPV4_B);
	ibw_ipv4_set_dst((struct ibw_ipv4_wire *)(body + 4), IPV4_A);
	put_body(c, MK_IB_LOCAL, true, QKEY);
}

static void qp_of_before(struct mk_capture *c)
{
	to_qp_of_before(c, 3, false, true);
}

static void qp_twice(struct mk_capture *c)
{
	to_qp_of_before(c, 2, false, false);
}

static void qp_that_answers(struct mk_capture *c)
{
	to_qp_of_before(c, 4, true, false);
}

/* Asked and answered three times, @gap ns between two. */
static void answers(struct mk_capture *c, uint64_t gap, const char *rule, const char * not )
{
	unsigned int i;

	start(c);
	for (i = 0; i < 3; i++) {
		if (i)
			c->time_ns += gap - UINT64_C(2) * MK_TIME_STEP;
		resolve(c);
		if (!i && rule)
			mk_event_fires(c, rule, "ipoib");
		mk_misses(c, not, NULL);
	}
}

static void unreached(struct mk_capture *c)
{
	answers(c, 1000000000, "IPO027", "IPO023");
}

static void unreached_shortly(struct mk_capture *c)
{
	answers(c, 999999999, NULL, "IPO027");
	mk_event_fires(c, "IPO023", "bth");
}

/* The SA refuses the join of the broadcast group by the port with the GID of B. */
static void refuse_join(struct mk_capture *c)
{
	struct ibw_mcmember_rec rec = { .join_state = IBW_JOIN_FULL, .pkey = 0xffff };
	struct mk_packet p;
	uint8_t *mad;
	int resp;

	memcpy(rec.mgid, broadcast, 16);
	memcpy(rec.port_gid, gid_b, 16);
	for (resp = 0; resp < 2; resp++) {
		mad = start_mad(&p, IBW_CLASS_SUBN_ADM, resp ? RESP : IBW_METHOD_SET,
				IBW_ATTR_SA_MCMEMBER_REC, true);
		p.lrh.slid = resp ? LID_SM : LID_B;
		p.lrh.dlid = resp ? LID_B : LID_SM;
		ibw_mad_set_tid(IN(mad, 0), 0x77);
		if (resp)
			ibw_mad_set_status(IN(mad, 0), IBW_SA_STATUS_REQ_INVALID << 8);
		ibw_sa_set_comp_mask(IN(sa, 36), 1ull << ibw_mcmember_rec_mgid_COMP |
							 1ull << ibw_mcmember_rec_port_gid_COMP |
							 1ull << ibw_mcmember_rec_pkey_COMP |
							 1ull << ibw_mcmember_rec_join_state_COMP);
		ibw_mcmember_rec_pack(IN(mcmember_rec, 56), &rec);
		put_mad(c, &p);
	}
	mk_fires(c, &p, "MAD011", "mad.status");
}

/* Who asks three times over 2 s, after @before, and @between the first and the second. */
static void silent_because(struct mk_capture *c, void (*before)(struct mk_capture *),
			   void (*between)(struct mk_capture *))
{
	unsigned int i;

	start(c);
	describe(c);
	if (before)
		before(c);
	for (i = 0; i < 3; i++) {
		arp(false);
		put_body(c, MK_IB_GLOBAL, false, QKEY);
		if (!i && between)
			between(c);
		if (i < 2)
			c->time_ns += 1000000000;
	}
	mk_event_fires(c, "IPO024", "ipoib");
}

/* B is known by its own request before. */
static void b_asks(struct mk_capture *c)
{
	struct mk_packet p;

	arp(true);
	ibw_arp_ipoib_set_op((struct ibw_arp_ipoib_wire *)(body + 4), IBW_ARP_REQUEST);
	memset(((struct ibw_arp_ipoib_wire *)(body + 4))->b + ibw_arp_ipoib_tha_flags_AT / 8, 0,
	       20);
	ibw_arp_ipoib_set_tpa((struct ibw_arp_ipoib_wire *)(body + 4), IPV4_A + 7);
	start_body(&p, MK_IB_GLOBAL, true, QKEY);
	memcpy(p.grh.sgid, gid_b, 16);
	mk_build(&p);
	mk_put(c, &p);
}

static void b_asks_and_is_refused(struct mk_capture *c)
{
	b_asks(c);
	refuse_join(c);
}

static void silent_outside(struct mk_capture *c)
{
	silent_because(c, refuse_join, NULL);
}

static void silent_outside_known(struct mk_capture *c)
{
	silent_because(c, b_asks_and_is_refused, NULL);
}

/* B asks the SA for the path to A; something is heard by B. */
static void b_queries(struct mk_capture *c)
{
	struct ibw_path_rec rec = { .numb_path = 1 };
	struct mk_packet p;
	uint8_t *mad;

	ipv4();
	put_body(c, MK_IB_LOCAL, false, QKEY);
	mad = start_mad(&p, IBW_CLASS_SUBN_ADM, IBW_METHOD_GET, IBW_ATTR_SA_PATH_REC, false);
	memcpy(rec.dgid, gid_a, 16);
	memcpy(rec.sgid, gid_b, 16);
	p.lrh.dlid = LID_SM;
	ibw_mad_set_tid(IN(mad, 0), 0x78);
	ibw_sa_set_comp_mask(IN(sa, 36), 1ull << ibw_path_rec_dgid_COMP |
						 1ull << ibw_path_rec_sgid_COMP |
						 1ull << ibw_path_rec_numb_path_COMP);
	ibw_path_rec_pack(IN(path_rec, 56), &rec);
	put_mad(c, &p);
	mk_event_fires_milder(c, "MAD009", "mad");
}

static void silent_no_path(struct mk_capture *c)
{
	silent_because(c, NULL, b_queries);
}

static void silent_no_path_known(struct mk_capture *c)
{
	silent_because(c, b_asks, b_queries);
}

/* C has the address of B, too. */
static void c_answers(struct mk_capture *c)
{
	struct mk_packet p;

	arp(true);
	memcpy(((struct ibw_arp_ipoib_wire *)(body + 4))->b + ibw_arp_ipoib_sha_gid_AT / 8, gid_c,
	       16);
	start_body(&p, MK_IB_LOCAL, true, QKEY);
	p.lrh.slid = LID_C;
	mk_build(&p);
	mk_put(c, &p);
}

static void two_ports(struct mk_capture *c)
{
	start(c);
	resolve(c);
	mk_misses(c, "IPO028", NULL);
	c_answers(c);
	mk_event_fires(c, "IPO028", "ipoib");
	resolve(c);
	c_answers(c);
	mk_misses(c, "IPO028", NULL); /* told once */
}

static void send_to_c(struct mk_capture *c)
{
	struct mk_packet p;

	ipv4();
	start_body(&p, MK_IB_LOCAL, false, QKEY);
	p.lrh.dlid = LID_C;
	mk_build(&p);
	mk_put(c, &p);
}

/* The address moves to C, and back after @ns. */
static void moves(struct mk_capture *c, uint64_t ns, bool fires)
{
	start(c);
	resolve(c);
	send(c, QKEY);
	arp(false);
	put_body(c, MK_IB_GLOBAL, false, QKEY);
	c_answers(c);
	mk_misses(c, "IPO028", NULL);
	send_to_c(c);
	c->time_ns += ns - UINT64_C(3) * MK_TIME_STEP;
	resolve(c);
	if (fires)
		mk_event_fires(c, "IPO028", "ipoib");
	else
		mk_misses(c, "IPO028", NULL);
}

static void moves_to_and_fro(struct mk_capture *c)
{
	moves(c, 60000000000, true);
}

static void moves_back_later(struct mk_capture *c)
{
	moves(c, 60000000001, false);
}

static void echo(bool reply)
{
	struct ibw_ipv4_wire *ip = (struct ibw_ipv4_wire *)(body + 4);

	ipv4();
	ibw_ipv4_set_protocol(ip, IBW_IP_PROTO_ICMP);
	ibw_ipv4_set_src(ip, reply ? IPV4_B : IPV4_A);
	ibw_ipv4_set_dst(ip, reply ? IPV4_A : IPV4_B);
	ibw_ipv4_set_checksum(ip, 0);
	ibw_ipv4_set_checksum(ip, ibw_ipv4_checksum_of(ip, 20));
	body[4 + 20] = reply ? 0 : 8;
}

/* @n echo requests, @gap ns between two; an answer to the last. */
static void echoes(struct mk_capture *c, unsigned int n, uint64_t gap, bool answer, bool fires)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (i)
			c->time_ns += gap - MK_TIME_STEP;
		echo(false);
		put_body(c, MK_IB_LOCAL, false, QKEY);
	}
	if (fires)
		mk_event_fires(c, "IPO029", "ipoib");
	else
		mk_misses(c, "IPO029", NULL);
	if (answer) {
		echo(true);
		put_body(c, MK_IB_LOCAL, true, QKEY);
	}
}

static void no_reply(struct mk_capture *c)
{
	start(c);
	resolve(c);
	echoes(c, 3, 1000000000, false, true);
}

static void no_reply_twice(struct mk_capture *c)
{
	start(c);
	resolve(c);
	echoes(c, 2, 2000000000, false, false);
}

static void no_reply_shortly(struct mk_capture *c)
{
	start(c);
	resolve(c);
	echoes(c, 3, 999999999, false, false);
}

static void late_reply(struct mk_capture *c)
{
	start(c);
	resolve(c);
	echoes(c, 3, 1000000000, true, false);
}

/* Whoever takes connected mode answers there. */
static void no_reply_connected(struct mk_capture *c)
{
	start(c);
	arp(false);
	put_body(c, MK_IB_GLOBAL, false, QKEY);
	arp(true);
	ibw_arp_ipoib_set_sha_flags((struct ibw_arp_ipoib_wire *)(body + 4), 0x80);
	put_body(c, MK_IB_LOCAL, true, QKEY);
	echoes(c, 3, 1000000000, false, false);
}

/* The RDMA CM of a host that has the path: a REQ to the GID follows. */
static void rdma_cm(struct mk_capture *c)
{
	start(c);
	resolve(c);
	connect(c, ibw_sid_rdma_cm(IBW_RDMA_PS_IB, 1));
	c->time_ns += 2000000000;
	query(c, gid_a);
	mk_misses(c, "IPO023", NULL);
}

static const struct mk_case cases[] = { { 0 } };

static const struct mk_file_case files[] = {
	{ "qkey.pcap", qkey },
	{ "named-type.pcap", named_type },
	{ "named-reserved.pcap", named_reserved },
	{ "named-arp.pcap", named_arp },
	{ "modes.pcap", modes },
	{ "other.pcap", other_service },
	{ "consumer.pcap", consumer },
	{ "no-query.pcap", no_query },
	{ "queried.pcap", queried },
	{ "sent.pcap", sent },
	{ "too-short.pcap", too_short },
	{ "silent.pcap", silent },
	{ "silent-twice.pcap", silent_twice },
	{ "silent-shortly.pcap", silent_shortly },
	{ "silent-unheard.pcap", silent_unheard },
	{ "answers-at-last.pcap", answers_at_last },
	{ "other-pkey.pcap", other_pkey },
	{ "qp-of-before.pcap", qp_of_before },
	{ "qp-twice.pcap", qp_twice },
	{ "qp-that-answers.pcap", qp_that_answers },
	{ "unreached.pcap", unreached },
	{ "unreached-shortly.pcap", unreached_shortly },
	{ "silent-outside.pcap", silent_outside },
	{ "silent-outside-known.pcap", silent_outside_known },
	{ "silent-no-path.pcap", silent_no_path },
	{ "silent-no-path-known.pcap", silent_no_path_known },
	{ "two-ports.pcap", two_ports },
	{ "moves-to-and-fro.pcap", moves_to_and_fro },
	{ "moves-back-later.pcap", moves_back_later },
	{ "no-reply.pcap", no_reply },
	{ "no-reply-twice.pcap", no_reply_twice },
	{ "no-reply-shortly.pcap", no_reply_shortly },
	{ "late-reply.pcap", late_reply },
	{ "no-reply-connected.pcap", no_reply_connected },
	{ "rdma-cm.pcap", rdma_cm },
	{ 0 },
};

const struct mk_group mk_lint_neigh = { "neigh", cases, files, NULL };
