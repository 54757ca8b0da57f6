/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_mcast.c - captures of group MCG about what the SA answers: joins, leaves and what is sent. */
#include <string.h>

#include "make_case.h"

#define BIT(field) (1ull << ibw_mcmember_rec_##field##_COMP)
#define JOIN (BIT(mgid) | BIT(port_gid) | BIT(join_state))
#define CREATE (JOIN | BIT(qkey) | BIT(tclass) | BIT(pkey) | BIT(sl) | BIT(flow_label))

#define RESP (METHOD_RESP | IBW_METHOD_GET)
#define LEFT (METHOD_RESP | IBW_METHOD_DELETE)

#define REFUSED (IBW_SA_STATUS_REQ_INVALID << 8)
#define INSUFFICIENT (IBW_SA_STATUS_INSUFFICIENT_COMPONENTS << 8)

#define QKEY 0xb1b
#define MLID 0xc005

static const uint8_t mgid_a[16] = { 0xff, 0x12, 0x40, 0x01, 0xff, 0xff, [15] = 0x16 };
static const uint8_t mgid_b[16] = { 0xff, 0x12, 0x40, 0x01, 0xff, 0xff, [15] = 0x17 };
static const uint8_t port_gid[16] = { 0xfe, 0x80, [8] = 0x02, [15] = 1 };

/* The group as the SA has it. */
static struct ibw_mcmember_rec group_of(const uint8_t *mgid)
{
	struct ibw_mcmember_rec rec = { .qkey = QKEY,
					.mlid = MLID,
					.mtu_sel = IBW_SELECTOR_EXACTLY,
					.mtu = 4,
					.pkey = 0x7fff,
					.rate_sel = IBW_SELECTOR_EXACTLY,
					.rate = IBW_RATE_10,
					.life_sel = IBW_SELECTOR_EXACTLY,
					.life = 18,
					.join_state = IBW_JOIN_FULL };

	memcpy(rec.mgid, mgid, 16);
	memcpy(rec.port_gid, port_gid, 16);
	return rec;
}

/* What a port says that only wants in. */
static struct ibw_mcmember_rec request_of(const uint8_t *mgid, uint8_t join_state)
{
	struct ibw_mcmember_rec rec = { .join_state = join_state & 0xf };

	memcpy(rec.mgid, mgid, 16);
	memcpy(rec.port_gid, port_gid, 16);
	return rec;
}

/* LIDs of who asks and of the SA; of another subnet the client has another. */
#define CLIENT 4
#define OTHER_CLIENT 6
static uint16_t client = CLIENT;

static void put_mad(struct mk_capture *c, uint8_t method, uint16_t status, uint8_t tid,
		    uint64_t mask, const struct ibw_mcmember_rec *rec)
{
	struct mk_packet p = { .serial = 0 };
	uint8_t *mad =
		mk_start_mad(&p, MK_IB_LOCAL, IBW_CLASS_SUBN_ADM, method, IBW_ATTR_SA_MCMEMBER_REC);

	p.lrh.slid = method & METHOD_RESP ? 2 : client;
	p.lrh.dlid = method & METHOD_RESP ? client : 2;
	ibw_mad_set_tid(IN(mad, 0), tid);
	ibw_mad_set_status(IN(mad, 0), status);
	ibw_sa_set_comp_mask(IN(sa, 36), mask);
	ibw_mcmember_rec_pack(IN(mcmember_rec, 56), rec);
	mk_build(&p);
	mk_put(c, &p);
	if (status)
		mk_fires(c, &p, "MAD011", "mad.status");
}

static void start(struct mk_capture *c)
{
	mk_pcap(c, IBW_LINKTYPE_INFINIBAND, 0, MK_NANO);
}

/* A join, and what the SA answers. */
static void join(struct mk_capture *c, uint8_t tid, uint64_t mask, struct ibw_mcmember_rec asked,
		 uint16_t status)
{
	struct ibw_mcmember_rec rec = group_of(asked.mgid);

	rec.join_state = asked.join_state;
	put_mad(c, IBW_METHOD_SET, 0, tid, mask, &asked);
	put_mad(c, RESP, status, tid, mask, status ? &asked : &rec);
}

static void leave(struct mk_capture *c, uint8_t tid, const uint8_t *mgid, uint8_t join_state,
		  uint16_t status)
{
	struct ibw_mcmember_rec rec = request_of(mgid, join_state);

	put_mad(c, IBW_METHOD_DELETE, 0, tid, JOIN, &rec);
	put_mad(c, LEFT, status, tid, JOIN, &rec);
}

/* The answer says that nothing is left of its membership. */
static void leave_all(struct mk_capture *c, uint8_t tid, const uint8_t *mgid, uint8_t join_state)
{
	struct ibw_mcmember_rec rec = request_of(mgid, join_state);

	put_mad(c, IBW_METHOD_DELETE, 0, tid, JOIN, &rec);
	rec.join_state = 0;
	put_mad(c, LEFT, 0, tid, JOIN, &rec);
}

/* The SA describes the group. */
static void describe(struct mk_capture *c, uint8_t tid, const uint8_t *mgid)
{
	struct ibw_mcmember_rec asked = { .qkey = 0 }, rec = group_of(mgid);

	memcpy(asked.mgid, mgid, 16);
	memset(rec.port_gid, 0, 16);
	rec.join_state = 0;
	put_mad(c, IBW_METHOD_GET, 0, tid, BIT(mgid), &asked);
	put_mad(c, RESP, 0, tid, BIT(mgid), &rec);
}

/* The same with another MLID. */
static void describe_at(struct mk_capture *c, uint8_t tid, const uint8_t *mgid, uint16_t mlid)
{
	struct ibw_mcmember_rec asked = { .qkey = 0 }, rec = group_of(mgid);

	memcpy(asked.mgid, mgid, 16);
	rec.mlid = mlid;
	put_mad(c, IBW_METHOD_GET, 0, tid, BIT(mgid), &asked);
	put_mad(c, RESP, 0, tid, BIT(mgid), &rec);
}

static void send(struct mk_capture *c, const uint8_t *mgid, uint32_t qkey)
{
	struct mk_packet p = { .serial = 0 };

	mk_start(&p, MK_IB_GLOBAL, IBW_OP_UD_SEND_ONLY, 64);
	p.lrh.dlid = MLID;
	memcpy(p.grh.sgid, port_gid, 16);
	memcpy(p.grh.dgid, mgid, 16);
	p.bth.dqpn = IBW_QPN_MULTICAST;
	p.deth.qkey = qkey;
	mk_build(&p);
	mk_put(c, &p);
}

/* A group that does not exist: the SA makes it if it can. */
static void create(struct mk_capture *c)
{
	struct ibw_mcmember_rec rec = request_of(mgid_a, IBW_JOIN_FULL);

	start(c);
	join(c, 1, JOIN, rec, INSUFFICIENT);
	mk_event_fires(c, "MCG005", "mcmember_rec");
	mk_misses(c, "MCG006", NULL);
	join(c, 2, JOIN, rec, REFUSED);
	mk_misses(c, "MCG005", NULL);
	join(c, 3, CREATE, rec, INSUFFICIENT);
	mk_misses(c, "MCG005", NULL);
	mk_misses(c, "MCG006", NULL);
}

static void create_as(struct mk_capture *c)
{
	start(c);
	join(c, 1, CREATE, request_of(mgid_a, IBW_JOIN_SEND_ONLY_NON), REFUSED);
	mk_event_fires(c, "MCG006", "mcmember_rec");
	mk_misses(c, "MCG005", NULL);
	join(c, 2, CREATE, request_of(mgid_a, IBW_JOIN_SEND_ONLY_FULL), REFUSED);
	mk_misses(c, "MCG006", NULL);
	describe(c, 3, mgid_a);
	join(c, 4, JOIN, request_of(mgid_a, IBW_JOIN_SEND_ONLY_NON), REFUSED);
	mk_misses(c, "MCG006", NULL);
	mk_misses(c, "MCG011", NULL);
	join(c, 5, JOIN, request_of(mgid_b, IBW_JOIN_SEND_ONLY_NON), REFUSED);
	mk_event_fires_milder(c, "MCG006", "mcmember_rec");
	mk_misses(c, "MCG005", NULL);
}

/* What a refused join asks for is compared with the group; what the SA accepts is right. */
static void misfit(struct mk_capture *c)
{
	struct ibw_mcmember_rec rec = request_of(mgid_a, IBW_JOIN_FULL);

	start(c);
	describe(c, 1, mgid_a);
	rec.qkey = 0x111;
	join(c, 2, JOIN | BIT(qkey), rec, REFUSED);
	mk_event_fires(c, "MCG008", "mcmember_rec");
	join(c, 3, JOIN | BIT(qkey), rec, 0);
	mk_misses(c, "MCG008", NULL);
	rec.qkey = QKEY;
	join(c, 4, JOIN | BIT(qkey), rec, REFUSED);
	mk_misses(c, "MCG008", NULL);
	mk_misses(c, "MCG009", NULL);
	mk_misses(c, "MCG010", NULL);
}

static void misfit_pkey(struct mk_capture *c)
{
	struct ibw_mcmember_rec rec = request_of(mgid_a, IBW_JOIN_FULL);

	start(c);
	describe(c, 1, mgid_a);
	rec.pkey = 0x7fff; /* limited, as the group's is */
	join(c, 2, JOIN | BIT(pkey), rec, REFUSED);
	mk_event_fires(c, "MCG009", "mcmember_rec");
	rec.pkey = 0xffff;
	join(c, 3, JOIN | BIT(pkey), rec, REFUSED);
	mk_misses(c, "MCG009", NULL);
	rec.pkey = 0x8123;
	join(c, 4, JOIN | BIT(pkey), rec, REFUSED);
	mk_event_fires(c, "MCG009", "mcmember_rec");
}

static void misfit_size(struct mk_capture *c)
{
	const uint64_t mtu = BIT(mtu) | BIT(mtu_sel), rate = BIT(rate) | BIT(rate_sel);
	struct ibw_mcmember_rec rec = request_of(mgid_a, IBW_JOIN_FULL);

	start(c);
	describe(c, 1, mgid_a);
	rec.mtu_sel = IBW_SELECTOR_EXACTLY;
	rec.mtu = 5;
	join(c, 2, JOIN | mtu, rec, REFUSED);
	mk_event_fires(c, "MCG010", "mcmember_rec");
	rec.mtu_sel = IBW_SELECTOR_LESS;
	join(c, 3, JOIN | mtu, rec, REFUSED);
	mk_misses(c, "MCG010", NULL);
	rec.mtu_sel = rec.mtu = 0;
	rec.rate_sel = IBW_SELECTOR_LESS;
	rec.rate = IBW_RATE_5; /* its code is above that of 10 Gb/s */
	join(c, 4, JOIN | rate, rec, 0);
	mk_misses(c, "MCG010", NULL);
	join(c, 5, JOIN | rate, rec, REFUSED);
	mk_event_fires(c, "MCG010", "mcmember_rec");
	rec.rate_sel = IBW_SELECTOR_GREATER;
	join(c, 6, JOIN | rate, rec, REFUSED);
	mk_misses(c, "MCG010", NULL);
}

/* What is as large as the group's is not greater, and not less. */
static void misfit_equal(struct mk_capture *c)
{
	static const uint8_t selectors[] = { IBW_SELECTOR_GREATER, IBW_SELECTOR_LESS };
	const uint64_t mtu = BIT(mtu) | BIT(mtu_sel), rate = BIT(rate) | BIT(rate_sel);
	struct ibw_mcmember_rec rec;
	unsigned int i;

	start(c);
	describe(c, 1, mgid_a);
	for (i = 0; i < 2; i++) {
		rec = request_of(mgid_a, IBW_JOIN_FULL);
		rec.mtu_sel = selectors[i];
		rec.mtu = 4;
		join(c, (uint8_t)(2 + 2 * i), JOIN | mtu, rec, REFUSED);
		mk_event_fires(c, "MCG010", "mcmember_rec");
		rec.mtu_sel = rec.mtu = 0;
		rec.rate_sel = selectors[i];
		rec.rate = IBW_RATE_10;
		join(c, (uint8_t)(3 + 2 * i), JOIN | rate, rec, REFUSED);
		mk_event_fires(c, "MCG010", "mcmember_rec");
		join(c, (uint8_t)(6 + i), JOIN, request_of(mgid_a, IBW_JOIN_FULL), 0);
	}
	rec = request_of(mgid_a, IBW_JOIN_FULL);
	rec.mtu_sel = rec.rate_sel = IBW_SELECTOR_EXACTLY;
	rec.mtu = 4;
	rec.rate = IBW_RATE_10;
	join(c, 8, JOIN | mtu | rate, rec, REFUSED);
	mk_misses(c, "MCG010", NULL);
	rec.mtu_sel = rec.rate_sel = IBW_SELECTOR_GREATER;
	rec.mtu = 3;
	rec.rate = IBW_RATE_5;
	join(c, 9, JOIN | mtu | rate, rec, REFUSED);
	mk_misses(c, "MCG010", NULL);
	rec.mtu_sel = rec.rate_sel = IBW_SELECTOR_LESS;
	rec.mtu = 5;
	rec.rate = IBW_RATE_20;
	join(c, 10, JOIN | mtu | rate, rec, REFUSED);
	mk_misses(c, "MCG010", NULL);
}

/* The same join again and again. */
static void refused(struct mk_capture *c)
{
	uint8_t tid;

	start(c);
	for (tid = 1; tid <= 5; tid++) {
		join(c, tid, CREATE, request_of(mgid_a, IBW_JOIN_FULL), REFUSED);
		if (tid == 4)
			mk_event_fires(c, "MCG011", "mcmember_rec");
		else
			mk_misses(c, "MCG011", NULL);
	}
}

/* Once a second; what is asked twice at once waits for one answer. */
static void unanswered(struct mk_capture *c)
{
	struct ibw_mcmember_rec rec = request_of(mgid_a, IBW_JOIN_FULL);
	uint8_t i;

	start(c);
	describe(c, 1, mgid_a);
	for (i = 1; i <= 5; i++) {
		put_mad(c, IBW_METHOD_SET, 0, (uint8_t)(1 + i), JOIN, &rec);
		if (i == 5)
			mk_event_fires(c, "MCG011", "mcmember_rec");
		else
			mk_misses(c, "MCG011", NULL);
		if (i == 3)
			put_mad(c, IBW_METHOD_SET, 0, (uint8_t)(1 + i), JOIN, &rec);
		if (i <= 3) /* of the others the capture ends too soon */
			mk_event_fires(c, "MAD009", "mad");
		c->time_ns += 1000000000;
	}
}

/* One is not answered, the next one is; then four are refused. What was before a join counts no more. */
static void joins_between(struct mk_capture *c)
{
	struct ibw_mcmember_rec rec = request_of(mgid_a, IBW_JOIN_FULL);
	uint8_t tid;

	start(c);
	describe(c, 1, mgid_a);
	put_mad(c, IBW_METHOD_SET, 0, 2, JOIN, &rec);
	c->time_ns += 200000000; /* too late for an answer, not for MAD009 */
	join(c, 3, JOIN, rec, 0);
	for (tid = 4; tid <= 7; tid++)
		join(c, tid, JOIN, rec, REFUSED);
	mk_event_fires(c, "MCG011", "mcmember_rec");
}

static void succeeds(struct mk_capture *c)
{
	struct ibw_mcmember_rec rec = group_of(mgid_a);
	uint8_t tid;

	start(c);
	rec.pkey = 0xffff;
	rec.mlid = rec.mtu_sel = rec.mtu = rec.rate_sel = rec.rate = rec.life_sel = rec.life = 0;
	for (tid = 1; tid <= 8; tid++)
		join(c, tid, CREATE, rec, tid % 4 ? REFUSED : 0);
	mk_misses(c, "MCG011", NULL);
}

static void leave_unjoined(struct mk_capture *c)
{
	start(c);
	join(c, 1, JOIN, request_of(mgid_a, IBW_JOIN_FULL), 0);
	leave(c, 2, mgid_a, IBW_JOIN_FULL, 0);
	mk_misses(c, "MCG012", NULL);
	leave(c, 3, mgid_a, IBW_JOIN_FULL, REFUSED);
	mk_event_fires(c, "MCG012", "mcmember_rec");
	join(c, 4, JOIN, request_of(mgid_a, IBW_JOIN_FULL), 0);
	leave(c, 5, mgid_a, IBW_JOIN_FULL, REFUSED);
	mk_misses(c, "MCG012", NULL);
	leave(c, 6, mgid_a, IBW_JOIN_NON, REFUSED);
	mk_event_fires(c, "MCG012", "mcmember_rec");
	leave(c, 7, mgid_b, IBW_JOIN_FULL, 0); /* joined before the capture began */
	mk_misses(c, "MCG012", NULL);
}

static void leave_half(struct mk_capture *c)
{
	const uint8_t both = IBW_JOIN_FULL | IBW_JOIN_SEND_ONLY_FULL;

	start(c);
	join(c, 1, JOIN, request_of(mgid_a, both), 0);
	leave(c, 2, mgid_a, IBW_JOIN_FULL, 0);
	mk_event_fires(c, "MCG013", "mcmember_rec");
	join(c, 3, JOIN, request_of(mgid_a, both), 0);
	leave(c, 4, mgid_a, both, 0);
	mk_misses(c, "MCG013", NULL);
	join(c, 5, JOIN, request_of(mgid_a, IBW_JOIN_FULL), 0);
	leave(c, 6, mgid_a, IBW_JOIN_FULL, 0);
	mk_misses(c, "MCG013", NULL);
	join(c, 7, JOIN, request_of(mgid_a, both), 0);
	leave(c, 8, mgid_a, IBW_JOIN_SEND_ONLY_FULL, 0);
	mk_misses(c, "MCG013", NULL);
}

/* It leaves as one of the two, and is no member at all. */
static void leave_half_all(struct mk_capture *c)
{
	const uint8_t both = IBW_JOIN_FULL | IBW_JOIN_SEND_ONLY_FULL;

	start(c);
	join(c, 1, JOIN, request_of(mgid_a, both), 0);
	leave_all(c, 2, mgid_a, IBW_JOIN_FULL);
	mk_event_fires(c, "MCG013", "mcmember_rec");
	leave(c, 3, mgid_a, IBW_JOIN_SEND_ONLY_FULL, REFUSED);
	mk_event_fires(c, "MCG012", "mcmember_rec");
}

/* What follows the leave by @after ns. */
static void send_after_leave(struct mk_capture *c, uint64_t after, bool fires)
{
	start(c);
	join(c, 1, JOIN, request_of(mgid_a, IBW_JOIN_FULL), 0);
	send(c, mgid_a, QKEY);
	leave(c, 2, mgid_a, IBW_JOIN_FULL, 0);
	send(c, mgid_a, QKEY);
	mk_misses(c, "MCG019", NULL);
	c->time_ns += after - UINT64_C(2) * MK_TIME_STEP;
	send(c, mgid_a, QKEY);
	if (fires)
		mk_event_fires(c, "MCG019", "bth");
	else
		mk_misses(c, "MCG019", NULL);
}

static void send_soon(struct mk_capture *c)
{
	send_after_leave(c, 999999999, false);
}

static void send_on(struct mk_capture *c)
{
	send_after_leave(c, 1000000000, true);
	send(c, mgid_a, QKEY);
	mk_misses(c, "MCG019", NULL);
	send(c, mgid_b, QKEY);
	mk_misses(c, "MCG019", NULL);
}

/* It stays as something else, or is back. */
static void send_as_other(struct mk_capture *c)
{
	const uint8_t both = IBW_JOIN_FULL | IBW_JOIN_SEND_ONLY_FULL;

	start(c);
	join(c, 1, JOIN, request_of(mgid_a, both), 0);
	leave(c, 2, mgid_a, IBW_JOIN_SEND_ONLY_FULL, 0);
	c->time_ns += 2000000000;
	send(c, mgid_a, QKEY);
	mk_misses(c, "MCG019", NULL);
	leave(c, 3, mgid_a, IBW_JOIN_FULL, 0);
	join(c, 4, JOIN, request_of(mgid_a, IBW_JOIN_FULL), 0);
	c->time_ns += 2000000000;
	send(c, mgid_a, QKEY);
	mk_misses(c, "MCG019", NULL);
}

/* The SM reports a port out of service. */
static void gone(struct mk_capture *c, uint8_t tid)
{
	struct mk_packet p = { .serial = 0 };
	uint8_t *mad = mk_start_mad(&p, MK_IB_LOCAL, IBW_CLASS_SUBN_ADM, IBW_METHOD_REPORT,
				    IBW_ATTR_SA_NOTICE);
	struct ibw_notice notice = { .is_generic = 1,
				     .type = 3,
				     .producer_type = 4,
				     .trap_num = IBW_TRAP_OUT_OF_SERVICE,
				     .issuer_lid = 2 };

	p.lrh.slid = 2;
	p.lrh.dlid = 7;
	ibw_mad_set_tid(IN(mad, 0), tid);
	ibw_notice_pack(IN(notice, 56), &notice);
	memcpy(mad + 56 + ibw_notice_BYTES + 6, port_gid, 16);
	mk_build(&p);
	mk_put(c, &p);
}

static void never_left(struct mk_capture *c)
{
	start(c);
	join(c, 1, JOIN, request_of(mgid_a, IBW_JOIN_FULL), 0);
	gone(c, 9);
	mk_event_fires(c, "MCG014", "file");
}

static void left_before(struct mk_capture *c)
{
	start(c);
	join(c, 1, JOIN, request_of(mgid_a, IBW_JOIN_FULL), 0);
	leave(c, 2, mgid_a, IBW_JOIN_FULL, 0);
	gone(c, 9);
	join(c, 3, JOIN, request_of(mgid_a, IBW_JOIN_FULL), 0); /* it is back */
	mk_misses(c, "MCG014", NULL);
}

static void before_join(struct mk_capture *c)
{
	start(c);
	send(c, mgid_a, QKEY);
	join(c, 1, JOIN, request_of(mgid_a, IBW_JOIN_FULL), 0);
	mk_event_fires_milder(c, "MCG015", "mcmember_rec"); /* it may have joined before */
	send(c, mgid_a, QKEY);
	join(c, 2, JOIN, request_of(mgid_a, IBW_JOIN_FULL), 0);
	mk_misses(c, "MCG015", NULL);
	leave(c, 3, mgid_a, IBW_JOIN_FULL, 0);
	send(c, mgid_a, QKEY);
	join(c, 4, JOIN, request_of(mgid_a, IBW_JOIN_FULL), 0);
	mk_event_fires(c, "MCG015", "mcmember_rec");
}

static void one_mlid(struct mk_capture *c)
{
	start(c);
	describe(c, 1, mgid_a);
	describe(c, 2, mgid_a);
	mk_misses(c, "MCG016", NULL);
	describe(c, 3, mgid_b);
	mk_event_fires(c, "MCG016", "mcmember_rec");
	describe(c, 4, mgid_b);
	mk_misses(c, "MCG016", NULL);
}

static void qkey(struct mk_capture *c)
{
	start(c);
	send(c, mgid_a, 0x111); /* nothing is known of the group */
	mk_misses(c, "MCG018", NULL);
	describe(c, 1, mgid_a);
	send(c, mgid_a, QKEY);
	mk_misses(c, "MCG018", NULL);
	send(c, mgid_b, 0x111);
	mk_misses(c, "MCG018", NULL);
	send(c, mgid_a, 0x111);
	mk_event_fires(c, "MCG018", "deth");
}

/* A packet to the old MLID, @after ns after the answer with the new one. */
static void send_to_old(struct mk_capture *c, uint64_t after, bool fires)
{
	start(c);
	describe(c, 1, mgid_a);
	send(c, mgid_a, QKEY);
	mk_misses(c, "MCG020", NULL);
	describe_at(c, 2, mgid_a, MLID + 1);
	send(c, mgid_a, QKEY);
	mk_misses(c, "MCG020", NULL);
	c->time_ns += after - UINT64_C(2) * MK_TIME_STEP;
	send(c, mgid_a, QKEY);
	if (fires)
		mk_event_fires(c, "MCG020", "lrh");
	else
		mk_misses(c, "MCG020", NULL);
}

static void old_mlid_soon(struct mk_capture *c)
{
	send_to_old(c, 999999999, false);
}

static void old_mlid(struct mk_capture *c)
{
	send_to_old(c, 1000000000, true);
	send(c, mgid_a, QKEY);
	mk_misses(c, "MCG020", NULL);
	send(c, mgid_b, QKEY);
	mk_misses(c, "MCG020", NULL);
}

/* Two SAs answer in turns: which of them is right for the sender is not known. */
static void two_mlids(struct mk_capture *c)
{
	start(c);
	describe(c, 1, mgid_a);
	describe_at(c, 2, mgid_a, MLID + 1);
	describe(c, 3, mgid_a);
	describe_at(c, 4, mgid_a, MLID + 1);
	c->time_ns += 2000000000;
	send(c, mgid_a, QKEY);
	mk_misses(c, "MCG020", NULL);
}

/* Each client is told one MLID, of a subnet of its own: none takes the place of the other. */
static void of_two_subnets(struct mk_capture *c)
{
	start(c);
	describe(c, 1, mgid_a);
	client = OTHER_CLIENT;
	describe_at(c, 2, mgid_a, MLID + 1);
	client = CLIENT;
	c->time_ns += 2000000000;
	send(c, mgid_a, QKEY);
	mk_misses(c, "MCG020", NULL);
}

/* The client that was told the old MLID is told the new one after another client was. */
static void told_both(struct mk_capture *c)
{
	start(c);
	describe(c, 1, mgid_a);
	client = OTHER_CLIENT;
	describe_at(c, 2, mgid_a, MLID + 1);
	client = CLIENT;
	describe_at(c, 3, mgid_a, MLID + 1);
	c->time_ns += 2000000000;
	send(c, mgid_a, QKEY);
	mk_event_fires(c, "MCG020", "lrh");
}

/* Each member joins again and is told the new one: it is known since the first of them. */
static void told_one_by_one(struct mk_capture *c)
{
	start(c);
	describe(c, 1, mgid_a);
	client = OTHER_CLIENT;
	describe(c, 2, mgid_a);
	client = CLIENT;
	describe_at(c, 3, mgid_a, MLID + 1);
	c->time_ns += 2000000000;
	send(c, mgid_a, QKEY);
	mk_event_fires(c, "MCG020", "lrh");
	client = OTHER_CLIENT;
	describe_at(c, 4, mgid_a, MLID + 1);
	client = CLIENT;
	c->time_ns += 2000000000;
	send(c, mgid_a, QKEY);
	mk_misses(c, "MCG020", NULL);
}

static const struct mk_case cases[] = { { 0 } };

static const struct mk_file_case files[] = {
	{ "create.pcap", create },
	{ "create-as.pcap", create_as },
	{ "misfit.pcap", misfit },
	{ "misfit-pkey.pcap", misfit_pkey },
	{ "misfit-size.pcap", misfit_size },
	{ "misfit-sizes-equal.pcap", misfit_equal },
	{ "refused.pcap", refused },
	{ "unanswered.pcap", unanswered },
	{ "joins-between.pcap", joins_between },
	{ "succeeds.pcap", succeeds },
	{ "leave-unjoined.pcap", leave_unjoined },
	{ "leave-half.pcap", leave_half },
	{ "leave-half-all.pcap", leave_half_all },
	{ "send-soon.pcap", send_soon },
	{ "send-on.pcap", send_on },
	{ "send-as-other.pcap", send_as_other },
	{ "never-left.pcap", never_left },
	{ "left-before.pcap", left_before },
	{ "before-join.pcap", before_join },
	{ "one-mlid.pcap", one_mlid },
	{ "qkey.pcap", qkey },
	{ "old-mlid.pcap", old_mlid },
	{ "old-mlid-soon.pcap", old_mlid_soon },
	{ "two-mlids.pcap", two_mlids },
	{ "of-two-subnets.pcap", of_two_subnets },
	{ "told-both.pcap", told_both },
	{ "told-one-by-one.pcap", told_one_by_one },
	{ 0 },
};

const struct mk_group mk_lint_mcast = { "mcast", cases, files, NULL };
