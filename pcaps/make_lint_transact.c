/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_transact.c - captures about MAD transactions: groups MAD and RMP, of more than one packet. */
#include <string.h>

#include "make_case.h"

#define GET IBW_METHOD_GET
#define TABLE IBW_METHOD_GET_TABLE
#define TABLE_RESP (METHOD_RESP | IBW_METHOD_GET_TABLE)

#define NODE IBW_ATTR_SA_NODE_REC
#define LINK IBW_ATTR_SA_LINK_REC

#define CLIENT 4
#define SERVER 2
#define STRANGER 0x302
#define SECOND 1000000000ull

static void start(struct mk_capture *c)
{
	mk_pcap(c, IBW_LINKTYPE_INFINIBAND, 0, MK_NANO);
}

/* A MAD of the SA, from the client unless it is a response. */
static uint8_t *sa(struct mk_packet *p, uint8_t method, uint16_t attr, uint64_t tid)
{
	const bool back = method & METHOD_RESP;

	return begin_mad(p, IBW_CLASS_SUBN_ADM, method, attr, back ? SERVER : CLIENT,
			 back ? CLIENT : SERVER, tid);
}

static void ask(struct mk_capture *c, uint64_t tid, uint16_t attr)
{
	struct mk_packet p;

	sa(&p, TABLE, attr, tid);
	put_built(c, &p);
}

static void answer(struct mk_capture *c, uint64_t tid, uint16_t attr)
{
	struct mk_packet p;

	sa(&p, TABLE_RESP, attr, tid);
	put_built(c, &p);
}

static void answer_from(struct mk_capture *c, uint64_t tid, uint16_t lid)
{
	struct mk_packet p;

	sa(&p, TABLE_RESP, NODE, tid);
	p.lrh.slid = lid;
	put_built(c, &p);
}

/* From another port; then from another LID of the right one. */
static void unasked(struct mk_capture *c)
{
	start(c);
	ask(c, 1, NODE);
	answer(c, 1, NODE);
	mk_misses(c, "MAD008", "mad");
	c->time_ns += 3 * SECOND;
	answer(c, 2, NODE);
	mk_event_fires(c, "MAD008", "mad");
	answer(c, 1, NODE); /* it comes twice */
	mk_misses(c, "MAD008", "mad");
	ask(c, 3, NODE);
	answer_from(c, 3, STRANGER);
	mk_event_fires(c, "MAD008", "mad");
	answer_from(c, 3, SERVER + 1);
	mk_misses(c, "MAD008", "mad");
}

/* It may have been asked for before the capture began. */
static void unasked_early(struct mk_capture *c)
{
	start(c);
	answer(c, 7, NODE); /* nothing is known of the client */
	mk_misses(c, "MAD008", "mad");
	ask(c, 1, NODE);
	answer(c, 1, NODE);
	answer(c, 9, NODE);
	mk_event_fires_milder(c, "MAD008", "mad");
}

/* Once, and once again a second later; what waits when the capture ends is nobody's fault. */
static void unanswered(struct mk_capture *c)
{
	start(c);
	ask(c, 1, NODE);
	answer(c, 1, NODE);
	ask(c, 2, NODE);
	c->time_ns += SECOND;
	ask(c, 2, NODE);
	mk_event_fires(c, "MAD009", "mad");
	c->time_ns += SECOND;
	ask(c, 3, NODE);
	mk_misses(c, "MAD009", "mad");
	c->time_ns += SECOND + SECOND / 2;
	answer(c, 3, NODE);
	ask(c, 4, NODE);
	c->time_ns += SECOND;
	ask(c, 5, NODE);
	mk_misses(c, "MAD009", "mad");
}

/* Asked for twice, a second apart; the answer comes @after ns after the second, and once more. */
static void answered_after(struct mk_capture *c, uint64_t after, bool fires)
{
	start(c);
	ask(c, 1, NODE);
	answer(c, 1, NODE);
	ask(c, 2, NODE);
	c->time_ns += SECOND - MK_TIME_STEP;
	ask(c, 2, NODE);
	mk_misses(c, "MAD009", "mad");
	c->time_ns += after - MK_TIME_STEP;
	answer(c, 2, NODE);
	if (fires)
		mk_event_fires(c, "MAD014", "mad");
	else
		mk_misses(c, "MAD014", "mad");
	answer(c, 2, NODE);
	mk_misses(c, "MAD014", "mad");
}

static void answered_in_time(struct mk_capture *c)
{
	answered_after(c, 2 * SECOND - 1, false);
}

static void answered_late(struct mk_capture *c)
{
	answered_after(c, 2 * SECOND, true);
}

/* Nobody looks for an answer any longer. */
static void answered_too_late(struct mk_capture *c)
{
	start(c);
	ask(c, 1, NODE);
	answer(c, 1, NODE);
	ask(c, 2, NODE);
	mk_event_fires(c, "MAD009", "mad");
	c->time_ns += 31 * SECOND;
	ask(c, 3, NODE);
	answer(c, 3, NODE);
	answer(c, 2, NODE);
	mk_misses(c, "MAD014", "mad");
}

/* No answer of anybody was captured. */
static void unanswered_one_way(struct mk_capture *c)
{
	start(c);
	ask(c, 1, NODE);
	mk_event_fires_milder(c, "MAD009", "mad");
	c->time_ns += 3 * SECOND;
	ask(c, 2, NODE);
}

/* Two requests without an answer, the second so long after the first: one cause, or two. */
static void unanswered_within(struct mk_capture *c, uint64_t ns)
{
	start(c);
	ask(c, 1, NODE);
	answer(c, 1, NODE);
	ask(c, 2, NODE);
	mk_event_fires(c, "MAD009", "mad");
	c->time_ns += ns - MK_TIME_STEP;
	ask(c, 3, LINK);
	mk_event_fires(c, "MAD009", "mad");
	c->time_ns += 3 * SECOND;
	ask(c, 4, NODE);
	answer(c, 4, NODE);
}

static void unanswered_together(struct mk_capture *c)
{
	unanswered_within(c, SECOND);
}

static void unanswered_apart(struct mk_capture *c)
{
	unanswered_within(c, SECOND + 1);
}

static void reused(struct mk_capture *c)
{
	start(c);
	ask(c, 5, NODE);
	ask(c, 5, NODE); /* the same again */
	mk_misses(c, "MAD010", "mad");
	ask(c, 5, LINK);
	mk_event_fires(c, "MAD010", "mad");
	answer(c, 5, LINK);
	ask(c, 5, NODE);
	mk_misses(c, "MAD010", "mad");
	answer(c, 5, NODE);
}

static void reused_late(struct mk_capture *c)
{
	start(c);
	ask(c, 1, LINK);
	answer(c, 1, LINK);
	ask(c, 8, NODE);
	mk_event_fires(c, "MAD009", "mad");
	c->time_ns += 61 * SECOND;
	ask(c, 8, LINK);
	mk_misses(c, "MAD010", "mad");
}

/* Asked for twice, and for another attribute @after ns after the second time. */
static void reused_after(struct mk_capture *c, uint64_t after, bool fires)
{
	start(c);
	ask(c, 1, LINK);
	answer(c, 1, LINK);
	ask(c, 9, NODE);
	c->time_ns += SECOND;
	ask(c, 9, NODE);
	mk_event_fires(c, "MAD009", "mad");
	c->time_ns += after - MK_TIME_STEP;
	ask(c, 9, LINK);
	if (fires)
		mk_event_fires(c, "MAD010", "mad");
	else
		mk_misses(c, "MAD010", "mad");
	answer(c, 9, LINK);
}

static void reused_before(struct mk_capture *c)
{
	reused_after(c, 60 * SECOND - 1, true);
}

static void reused_at(struct mk_capture *c)
{
	reused_after(c, 60 * SECOND, false);
}

/* Ten responses, so many of them busy. */
static void answers_busy(struct mk_capture *c, unsigned int n)
{
	struct mk_packet p;
	unsigned int i;
	uint8_t *mad;

	start(c);
	for (i = 0; i < 10; i++) {
		ask(c, i, NODE);
		mad = sa(&p, TABLE_RESP, NODE, i);
		ibw_mad_set_status(IN(mad, 0), i < n ? IBW_STATUS_BUSY : 0);
		put_built(c, &p);
		if (i < n)
			mk_fires(c, &p, "MAD011", "mad.status");
		if (n == 2 && i == 1)
			mk_event_fires(c, "MAD012", "mad");
	}
	mk_misses(c, "MAD012", "mad");
}

static void busy(struct mk_capture *c)
{
	answers_busy(c, 2);
}

static void not_busy(struct mk_capture *c)
{
	answers_busy(c, 1);
}

/* RMPP: a table of LinkRecords, 200 bytes a segment, in this many; the last has 96 bytes. */

static uint8_t *rmpp(struct mk_packet *p, uint8_t method, uint8_t type, uint32_t data1,
		     uint32_t data2)
{
	uint8_t *mad = sa(p, method, LINK, 1);
	struct ibw_rmpp rmpp = {
		.version = 1, .type = type, .flags = IBW_RMPP_ACTIVE, .data1 = data1, .data2 = data2
	};

	ibw_rmpp_pack(IN(rmpp, 24), &rmpp);
	return mad;
}

static void segment(struct mk_capture *c, uint32_t i, uint32_t n, uint32_t length)
{
	struct mk_packet p;
	uint8_t *mad = rmpp(&p, TABLE_RESP, IBW_RMPP_DATA, i, i == 1 ? length : i == n ? 116 : 0);

	ibw_rmpp_set_flags(IN(rmpp, 24), (uint8_t)(IBW_RMPP_ACTIVE | (i == 1 ? IBW_RMPP_FIRST : 0) |
						   (i == n ? IBW_RMPP_LAST : 0)) &
						 7);
	ibw_sa_set_attr_offset(IN(sa, 36), 1);
	put_built(c, &p);
}

static void ack(struct mk_capture *c, uint32_t i, uint32_t window)
{
	struct mk_packet p;

	rmpp(&p, TABLE, IBW_RMPP_ACK, i, window);
	put_built(c, &p);
}

static void gap(struct mk_capture *c)
{
	start(c);
	ask(c, 1, LINK);
	segment(c, 1, 4, 0);
	segment(c, 2, 4, 0);
	mk_misses(c, "RMP006", "rmpp");
	segment(c, 4, 4, 0);
	mk_event_fires(c, "RMP006", "mad");
	segment(c, 3, 4, 0);
	mk_misses(c, "RMP006", "rmpp");
}

/* Of the second nobody knows where it began. */
static void gap_first(struct mk_capture *c, bool asked)
{
	start(c);
	if (asked)
		ask(c, 1, LINK);
	segment(c, 2, 3, 0);
	if (asked)
		mk_event_fires(c, "RMP006", "mad");
	else
		mk_misses(c, "RMP006", "rmpp");
	segment(c, 3, 3, 0);
}

static void gap_asked(struct mk_capture *c)
{
	gap_first(c, true);
}

static void gap_middle(struct mk_capture *c)
{
	gap_first(c, false);
}

static void beyond(struct mk_capture *c)
{
	start(c);
	ask(c, 1, LINK);
	segment(c, 1, 4, 0);
	ack(c, 1, 2);
	mk_misses(c, "RMP009", "rmpp");
	segment(c, 2, 4, 0);
	mk_misses(c, "RMP007", "rmpp");
	segment(c, 3, 4, 0);
	mk_event_fires(c, "RMP007", "mad");
	ack(c, 3, 8);
	segment(c, 4, 4, 0);
	mk_misses(c, "RMP007", "rmpp");
}

/* More than any transfer has: beyond the window all the same. */
static void far_beyond(struct mk_capture *c)
{
	start(c);
	ask(c, 1, LINK);
	segment(c, 1, 4, 0);
	ack(c, 1, 2);
	segment(c, 5000, 5001, 0);
	mk_event_fires(c, "RMP007", "mad");
}

/* After the last segment: of itself, and of one more. */
static void ack_after(struct mk_capture *c)
{
	start(c);
	ask(c, 1, LINK);
	segment(c, 1, 2, 0);
	segment(c, 2, 2, 0);
	ack(c, 2, 8);
	mk_misses(c, "RMP009", "rmpp");
	ack(c, 3, 8);
	mk_event_fires(c, "RMP009", "mad");
}

static void ack_ahead(struct mk_capture *c)
{
	start(c);
	ask(c, 1, LINK);
	segment(c, 1, 3, 0);
	ack(c, 2, 8);
	mk_event_fires(c, "RMP009", "mad");
	segment(c, 2, 3, 0);
	ack(c, 2, 8);
	mk_misses(c, "RMP009", "rmpp");
	segment(c, 3, 3, 0);
}

/* 220 bytes and 116. */
static void length(struct mk_capture *c, uint32_t said)
{
	start(c);
	ask(c, 1, LINK);
	segment(c, 1, 2, said);
	segment(c, 2, 2, 0);
	if (said == 296)
		mk_event_fires(c, "RMP011", "mad"); /* the headers of the SA are counted, too */
	else
		mk_misses(c, "RMP011", "rmpp");
}

static void length_wrong(struct mk_capture *c)
{
	length(c, 296);
}

static void length_right(struct mk_capture *c)
{
	length(c, 336);
}

static void length_unknown(struct mk_capture *c)
{
	length(c, 0);
}

/* The client gives up, and waits no longer. */
static void stopped(struct mk_capture *c)
{
	struct mk_packet p;
	uint8_t *mad;

	start(c);
	ask(c, 2, NODE);
	answer(c, 2, NODE);
	ask(c, 1, LINK);
	mk_misses(c, "MAD009", "mad");
	mad = rmpp(&p, TABLE, IBW_RMPP_ABORT, 0, 0);
	ibw_rmpp_set_status(IN(rmpp, 24), IBW_RMPP_STATUS_RETRIES);
	put_built(c, &p);
	mk_fires(c, &p, "RMP013", "rmpp.status");
	c->time_ns += 3 * SECOND;
	ask(c, 3, NODE);
}

static const struct mk_case cases[] = { { 0 } };

static const struct mk_file_case files[] = {
	{ "unasked.pcap", unasked },
	{ "unasked-early.pcap", unasked_early },
	{ "unanswered.pcap", unanswered },
	{ "in-time.pcap", answered_in_time },
	{ "late.pcap", answered_late },
	{ "too-late.pcap", answered_too_late },
	{ "one-way.pcap", unanswered_one_way },
	{ "together.pcap", unanswered_together },
	{ "apart.pcap", unanswered_apart },
	{ "reused.pcap", reused },
	{ "reused-late.pcap", reused_late },
	{ "reuses-before.pcap", reused_before },
	{ "reuses-at.pcap", reused_at },
	{ "busy.pcap", busy },
	{ "not-busy.pcap", not_busy },
	{ "gap.pcap", gap },
	{ "gap-first.pcap", gap_asked },
	{ "gap-middle.pcap", gap_middle },
	{ "beyond.pcap", beyond },
	{ "ack-ahead.pcap", ack_ahead },
	{ "ack-after.pcap", ack_after },
	{ "far-beyond.pcap", far_beyond },
	{ "length-wrong.pcap", length_wrong },
	{ "length-right.pcap", length_right },
	{ "length-unknown.pcap", length_unknown },
	{ "stopped.pcap", stopped },
	{ 0 },
};

const struct mk_group mk_lint_transact = { "transact", cases, files, NULL };
