/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_paths.c - captures of group SAQ about queries for paths, their answers, and what is sent then. */
#include <string.h>

#include "make_case.h"

#define BIT(field) (1ull << ibw_path_rec_##field##_COMP)
#define MASK (BIT(dgid) | BIT(sgid) | BIT(reversible) | BIT(numb_path))

#define RESP (METHOD_RESP | IBW_METHOD_GET)

#define LID_A 4
#define LID_B 0x104
#define LID_SM 2
#define SL 3

static const uint8_t gid_a[16] = { 0xfe, 0x80, [8] = 0x02, [15] = 1 };
static const uint8_t gid_b[16] = { 0xfe, 0x80, [8] = 0x02, [15] = 2 };

static void start(struct mk_capture *c)
{
	mk_pcap(c, IBW_LINKTYPE_INFINIBAND, 0, MK_NANO);
}

/* The path from A to B. */
static struct ibw_path_rec path_of(uint16_t dlid)
{
	struct ibw_path_rec rec = { .slid = LID_A,
				    .dlid = dlid,
				    .pkey = 0xffff,
				    .sl = SL,
				    .mtu_sel = IBW_SELECTOR_EXACTLY,
				    .mtu = 3,
				    .rate_sel = IBW_SELECTOR_EXACTLY,
				    .rate = IBW_RATE_100,
				    .life_sel = IBW_SELECTOR_EXACTLY,
				    .life = 18,
				    .reversible = 1,
				    .numb_path = 1 };

	memcpy(rec.sgid, gid_a, 16);
	memcpy(rec.dgid, gid_b, 16);
	rec.dgid[14] = (uint8_t)(dlid >> 12); /* another port, another GID */
	return rec;
}

static void put_mad(struct mk_capture *c, uint8_t method, uint32_t tid, uint16_t pkey,
		    const struct ibw_path_rec *rec)
{
	struct mk_packet p = { .serial = 0 };
	uint8_t *mad =
		mk_start_mad(&p, MK_IB_LOCAL, IBW_CLASS_SUBN_ADM, method, IBW_ATTR_SA_PATH_REC);

	p.lrh.slid = method & METHOD_RESP ? LID_SM : LID_A;
	p.lrh.dlid = method & METHOD_RESP ? LID_A : LID_SM;
	p.bth.pkey = pkey;
	ibw_mad_set_tid(IN(mad, 0), tid);
	ibw_sa_set_comp_mask(IN(sa, 36), MASK);
	ibw_path_rec_pack(IN(path_rec, 56), rec);
	mk_build(&p);
	mk_put(c, &p);
}

static void ask(struct mk_capture *c, uint32_t tid, uint16_t dlid, uint16_t pkey)
{
	struct ibw_path_rec rec = { .reversible = 1, .numb_path = 1 };
	struct ibw_path_rec path = path_of(dlid);

	memcpy(rec.sgid, path.sgid, 16);
	memcpy(rec.dgid, path.dgid, 16);
	put_mad(c, IBW_METHOD_GET, tid, pkey, &rec);
}

static void query(struct mk_capture *c, uint32_t tid, const struct ibw_path_rec *path)
{
	ask(c, tid, path->dlid, 0xffff);
	put_mad(c, RESP, tid, 0xffff, path);
}

static void send_to(struct mk_capture *c, enum mk_framing framing, uint16_t dlid, uint8_t sl,
		    uint32_t bytes)
{
	struct mk_packet p = { .serial = 0 };

	mk_start(&p, framing, IBW_OP_UD_SEND_ONLY, bytes);
	p.lrh.slid = LID_A;
	p.lrh.dlid = dlid;
	p.lrh.sl = sl & 0xf;
	memcpy(p.grh.sgid, gid_a, 16);
	memcpy(p.grh.dgid, gid_b, 16);
	p.bth.dqpn = 0x48;
	mk_build(&p);
	mk_put(c, &p);
}

/* Each is said once for an answer. */
static void other(struct mk_capture *c)
{
	struct ibw_path_rec path = path_of(LID_B);

	start(c);
	send_to(c, MK_IB_LOCAL, LID_B, SL + 1, 64); /* nothing is known yet */
	mk_misses(c, "SAQ016", NULL);
	query(c, 1, &path);
	send_to(c, MK_IB_LOCAL, LID_B, SL, 1024);
	mk_misses(c, "SAQ016", NULL);
	send_to(c, MK_IB_LOCAL, LID_B, SL + 1, 64);
	mk_event_fires(c, "SAQ016", "bth");
	send_to(c, MK_IB_LOCAL, LID_B, SL + 1, 64);
	mk_misses(c, "SAQ016", NULL);
	send_to(c, MK_IB_LOCAL, LID_B, SL, 1028);
	mk_event_fires(c, "SAQ016", "bth");
	send_to(c, MK_IB_GLOBAL, LID_B + 3, SL, 64); /* an LMC of 2 */
	mk_misses(c, "SAQ016", NULL);
	send_to(c, MK_IB_GLOBAL, 0x304, SL, 64);
	mk_event_fires(c, "SAQ016", "bth");
	path.sl = SL + 1;
	query(c, 2, &path);
	send_to(c, MK_IB_LOCAL, LID_B, SL + 1, 64);
	mk_misses(c, "SAQ016", NULL);
	send_to(c, MK_IB_LOCAL, LID_B, SL, 64);
	mk_event_fires(c, "SAQ016", "bth");
}

static void unused(struct mk_capture *c)
{
	struct ibw_path_rec path = path_of(LID_B), far = path_of(0x3004);

	start(c);
	query(c, 1, &path);
	query(c, 2, &far);
	send_to(c, MK_IB_LOCAL, LID_B, SL, 64);
	mk_event_fires(c, "SAQ015", "bth"); /* of frame 4 */
}

/* What the port sends was not captured, or it sends on all paths. */
static void not_seen(struct mk_capture *c)
{
	struct ibw_path_rec path = path_of(LID_B);

	start(c);
	query(c, 1, &path);
	mk_misses(c, "SAQ015", NULL);
}

static void used(struct mk_capture *c)
{
	struct ibw_path_rec path = path_of(LID_B), far = path_of(0x3004);

	start(c);
	query(c, 1, &path);
	query(c, 2, &far);
	send_to(c, MK_IB_LOCAL, 0x3004, SL, 64);
	send_to(c, MK_IB_LOCAL, LID_B, SL, 64);
	mk_misses(c, "SAQ015", NULL);
}

static void repeated(struct mk_capture *c)
{
	struct ibw_path_rec path = path_of(LID_B), far = path_of(0x3004);
	uint8_t i;

	start(c);
	for (i = 1; i <= 4; i++)
		query(c, i, &path);
	for (i = 5; i <= 7; i++)
		query(c, i, &far);
	query(c, 8, &path);
	mk_event_fires(c, "SAQ017", "bth");
}

/* Three times; then the answer is another one. */
static void renewed(struct mk_capture *c)
{
	struct ibw_path_rec path = path_of(LID_B);
	uint8_t i;

	start(c);
	for (i = 1; i <= 3; i++)
		query(c, i, &path);
	path.sl = SL + 1;
	for (; i <= 6; i++)
		query(c, i, &path);
	mk_misses(c, "SAQ017", NULL);
}

/* 501 requests within 6 ms. */
static void storm(struct mk_capture *c)
{
	unsigned int i;

	start(c);
	for (i = 0; i < 500; i++) {
		ask(c, i, (uint16_t)(0x1000 * (1 + i / 256)), 0xffff);
		c->time_ns += 1000;
	}
	mk_misses(c, "SAQ018", NULL);
	ask(c, 500, 0x4000, 0xffff);
	mk_event_fires(c, "SAQ018", "bth");
}

/* 600 within 1.2 s. */
static void no_storm(struct mk_capture *c)
{
	unsigned int i;

	start(c);
	for (i = 0; i < 600; i++) {
		ask(c, i, LID_B, 0xffff);
		c->time_ns += 2000000;
	}
	mk_misses(c, "SAQ018", NULL);
}

/* 100 answers, two of which take 250 ms: the 99th of 100 is one of them. */
static void slow(struct mk_capture *c, unsigned int n_slow)
{
	struct ibw_path_rec path = path_of(LID_B);
	uint8_t i;

	start(c);
	for (i = 0; i < 100; i++) {
		ask(c, i, LID_B, 0xffff);
		c->time_ns += i < n_slow ? 250000000 : 1000000;
		path.sl = i & 1;
		put_mad(c, RESP, i, 0xffff, &path);
	}
}

static void slow_two(struct mk_capture *c)
{
	slow(c, 2);
	mk_event_fires(c, "SAQ018", "bth");
}

static void slow_one(struct mk_capture *c)
{
	slow(c, 1);
	mk_misses(c, "SAQ018", NULL);
}

static void default_pkey(struct mk_capture *c)
{
	struct ibw_path_rec path = path_of(LID_B);

	start(c);
	ask(c, 1, LID_B, 0xffff);
	ask(c, 2, LID_B, 0xffff);
	ask(c, 3, LID_B, 0x7fff);
	ask(c, 4, LID_B, 0x8001);
	put_mad(c, RESP, 4, 0x8001, &path);
	mk_event_fires(c, "SAQ019", "bth");
}

static void default_answered(struct mk_capture *c)
{
	struct ibw_path_rec path = path_of(LID_B);

	start(c);
	ask(c, 1, LID_B, 0xffff);
	ask(c, 2, LID_B, 0xffff);
	ask(c, 3, LID_B, 0xffff);
	put_mad(c, RESP, 3, 0xffff, &path);
	ask(c, 4, LID_B, 0x8001);
	put_mad(c, RESP, 4, 0x8001, &path);
	mk_misses(c, "SAQ019", NULL);
}

static void none_answered(struct mk_capture *c)
{
	start(c);
	ask(c, 1, LID_B, 0xffff);
	ask(c, 2, LID_B, 0xffff);
	ask(c, 3, LID_B, 0xffff);
	ask(c, 4, LID_B, 0x8001);
	mk_misses(c, "SAQ019", NULL);
}

static const struct mk_case cases[] = { { 0 } };

static const struct mk_file_case files[] = {
	{ "other.pcap", other },
	{ "unused.pcap", unused },
	{ "not-seen.pcap", not_seen },
	{ "used.pcap", used },
	{ "repeated.pcap", repeated },
	{ "renewed.pcap", renewed },
	{ "storm.pcap", storm },
	{ "no-storm.pcap", no_storm },
	{ "slow-two.pcap", slow_two },
	{ "slow-one.pcap", slow_one },
	{ "default-pkey.pcap", default_pkey },
	{ "default-answered.pcap", default_answered },
	{ "none-answered.pcap", none_answered },
	{ 0 },
};

const struct mk_group mk_lint_paths = { "paths", cases, files, NULL };
