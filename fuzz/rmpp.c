/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rmpp.c - RMPP segments in any order, of many transfers at a time: the tracker against a reassembly
 * that keeps every segment apart, and within its bounds of memory.
 *
 * Input: MADs of nine bytes: sender and receiver, both ways; transaction; type and class; flags;
 * segment number, two bytes, of which the highest bit makes it a very large one; PayloadLength, two
 * bytes; what its data are, and how much of the MAD there is.
 */
#include <string.h>

#include <ibwire/build_crc.h>

#include "fuzz.h"
#include "heap.h"
#include "track/view/rmpp.h"

#define OP 9
#define WAYS 8 /* of sender and receiver */
#define SEGMENTS 2048
#define CLASS_OUI 0x30 /* the first of the vendors' classes that have RMPP */

/* Bytes of a MAD before the data, and of the class header among them: IBTA vol 1, 15.2.1.1, 16.2.1. */
#define SA_HEADER 56
#define SA_CLASS 20
#define OUI_HEADER 40
#define OUI_CLASS 4

/* A transfer as 13.6 of the IBTA specification has it. */
struct model {
	unsigned int way;
	uint8_t tid, class;
	uint32_t used;             /* turn */
	uint32_t last, last_bytes; /* 0: not known */
	uint32_t have, highest;
	uint8_t got[SEGMENTS + 1]; /* what the data of a segment are, and 1 */
	enum ibw_transfer_state state;
};

/* Of all transfers there can be at a time: their data, a frame for each segment, and a page for the rest. */
#define MEMORY (TRACK_TRANSFERS_MAX * (TRACK_TRANSFER_BYTES + SEGMENTS * sizeof(uint64_t) + 4096))

struct mad {
	unsigned int way;
	uint8_t tid, class, type, flags, fill;
	uint32_t seg, payload, n;
	uint8_t bytes[IBW_MAD_BYTES];
};

static struct model models[TRACK_TRANSFERS_MAX];
static unsigned int n_models;
static uint64_t evicted;
static uint8_t packets[WAYS][512];
static struct ibw_packet walked[WAYS];

/* Each way of four pairs of hosts, a datagram to QP 1. */
static void make_packets(void)
{
	static const uint8_t zeros[IBW_MAD_BYTES];
	struct ibw_build b = { .kind = IBW_ICRC_IB_LOCAL, .payload_len = IBW_MAD_BYTES };
	unsigned int i;
	size_t n;

	ibw_build_defaults(&b);
	b.bth.opcode = IBW_OP_UD_SEND_ONLY;
	b.bth.dqpn = IBW_QPN_GSI;
	b.deth.sqpn = IBW_QPN_GSI;
	for (i = 0; i < WAYS; i++) {
		b.lrh.slid = (uint16_t)(i + 1);
		b.lrh.dlid = (uint16_t)((i ^ 1) + 1);
		n = ibw_build_packet(packets[i], sizeof(packets[i]), &b, zeros);
		ibw_packet_walk(&walked[i], packets[i], (uint32_t)n, (uint32_t)n,
				IBW_LINKTYPE_INFINIBAND, NULL);
		FUZZ_CHECK(walked[i].outcome == IBW_OK);
	}
}

static void read_mad(struct mad *m, const uint8_t *op)
{
	static const uint8_t classes[] = { IBW_CLASS_SUBN_ADM, IBW_CLASS_SUBN_ADM, CLASS_OUI,
					   IBW_CLASS_PERF };
	struct ibw_mad_wire *header = (struct ibw_mad_wire *)m->bytes;
	struct ibw_rmpp_wire *rmpp = (struct ibw_rmpp_wire *)(m->bytes + ibw_mad_BYTES);

	m->way = op[0] % WAYS;
	m->tid = op[1];
	m->type = op[2] & 7;
	m->class = classes[op[2] >> 3 & 3];
	m->flags = op[3] & 7;
	m->seg = ((uint32_t)op[4] << 8 | op[5]) & 0x7fff;
	if (op[4] & 0x80)
		m->seg = UINT32_MAX - m->seg;
	m->payload = (uint32_t)op[6] << 8 | op[7];
	m->fill = op[8] & 0x7f;
	m->n = op[8] & 0x80 ? op[8] & 0x7f : IBW_MAD_BYTES;
	memset(m->bytes, m->fill, sizeof(m->bytes));
	memset(m->bytes, 0, m->class == CLASS_OUI ? OUI_HEADER : SA_HEADER);
	ibw_mad_set_mgmt_class(header, m->class);
	ibw_mad_set_attr_id(header, IBW_ATTR_SA_PATH_REC);
	ibw_mad_set_tid(header, m->tid);
	ibw_rmpp_set_version(rmpp, 1);
	ibw_rmpp_set_type(rmpp, m->type);
	ibw_rmpp_set_flags(rmpp, m->flags);
	ibw_rmpp_set_data1(rmpp, m->seg);
	ibw_rmpp_set_data2(rmpp, m->payload);
}

static struct model *find(unsigned int way, const struct mad *m)
{
	unsigned int i;

	for (i = 0; i < n_models; i++)
		if (models[i].way == way && models[i].tid == m->tid && models[i].class == m->class)
			return &models[i];
	return NULL;
}

static void forget(struct model *t)
{
	*t = models[--n_models];
}

static struct model *begin(const struct mad *m)
{
	struct model *t, *oldest = &models[0];

	for (t = models; t < models + n_models; t++)
		if (t->used < oldest->used)
			oldest = t;
	if (n_models == TRACK_TRANSFERS_MAX) {
		forget(oldest);
		evicted++;
	}
	t = &models[n_models++];
	memset(t, 0, sizeof(*t));
	t->way = m->way;
	t->tid = m->tid;
	t->class = m->class;
	return t;
}

/* The transfer that a MAD is of: the sender's of the data, for an answer the receiver's, too. */
static struct model *model_of(const struct mad *m)
{
	const bool whole = m->flags & IBW_RMPP_FIRST && m->flags & IBW_RMPP_LAST;
	struct model *t = find(m->way, m);

	if (m->type == IBW_RMPP_DATA)
		return t || whole ? t : begin(m);
	return t ? t : find(m->way ^ 1, m);
}

/* What PayloadLength makes of a segment; UINT32_MAX: it cannot be. */
static uint32_t bytes_of(const struct mad *m, uint32_t full, uint32_t class_header)
{
	if (!(m->flags & IBW_RMPP_LAST) || !m->payload)
		return full;
	if (m->payload < class_header || m->payload - class_header > full)
		return UINT32_MAX;
	return m->payload - class_header;
}

/* One segment is the last, none comes after it, and no other is it, too. */
static bool is_end_sure(const struct model *t, const struct mad *m, uint32_t bytes)
{
	if (!(m->flags & IBW_RMPP_LAST))
		return !t->last || m->seg < t->last;
	if (t->last)
		return t->last == m->seg && t->last_bytes == bytes;
	return t->highest < m->seg;
}

static enum ibw_transfer_state add(struct model *t, const struct mad *m)
{
	const uint32_t header = t->class == CLASS_OUI ? OUI_HEADER : SA_HEADER;
	const uint32_t full = IBW_MAD_BYTES - header;
	const uint32_t bytes = bytes_of(m, full, t->class == CLASS_OUI ? OUI_CLASS : SA_CLASS);

	if (!m->seg || bytes == UINT32_MAX)
		return IBW_TRANSFER_BROKEN;
	if (m->seg > SEGMENTS || (m->seg - 1) * full + bytes > TRACK_TRANSFER_BYTES)
		return IBW_TRANSFER_TOO_BIG;
	if (!is_end_sure(t, m, bytes))
		return IBW_TRANSFER_BROKEN;
	if (t->got[m->seg])
		return t->got[m->seg] == m->fill + 1 || !bytes ? IBW_TRANSFER_RUNNING
							       : IBW_TRANSFER_BROKEN;
	t->got[m->seg] = (uint8_t)(m->fill + 1);
	t->have++;
	t->highest = m->seg > t->highest ? m->seg : t->highest;
	if (m->flags & IBW_RMPP_LAST) {
		t->last = m->seg;
		t->last_bytes = bytes;
	}
	return t->last && t->have == t->last ? IBW_TRANSFER_COMPLETE : IBW_TRANSFER_RUNNING;
}

/* The transfer a MAD is of, once it has it; NULL: it is of none. */
static struct model *feed_model(const struct mad *m, uint32_t turn)
{
	struct model *t;
	unsigned int i;

	for (i = n_models; i-- > 0;)
		if (models[i].state != IBW_TRANSFER_RUNNING)
			forget(&models[i]);
	if (m->n < IBW_MAD_BYTES || m->class == IBW_CLASS_PERF || !(m->flags & IBW_RMPP_ACTIVE))
		return NULL;
	t = model_of(m);
	if (!t)
		return NULL;
	t->used = turn;
	if (m->type == IBW_RMPP_DATA)
		t->state = add(t, m);
	else if (m->type == IBW_RMPP_STOP || m->type == IBW_RMPP_ABORT)
		t->state = IBW_TRANSFER_STOPPED;
	else if (m->type != IBW_RMPP_ACK)
		t->state = IBW_TRANSFER_BROKEN;
	return t;
}

/* All data, one segment after the other. */
static void check_data(const struct model *t, const struct ibw_transfer *have)
{
	const uint32_t full = IBW_MAD_BYTES - (t->class == CLASS_OUI ? OUI_HEADER : SA_HEADER);
	const uint8_t *p = have->room;
	uint32_t seg, i, n;

	for (seg = 1; seg <= t->last; seg++) {
		n = seg == t->last ? t->last_bytes : full;
		for (i = 0; i < n; i++)
			FUZZ_CHECK(*p++ == t->got[seg] - 1);
	}
	FUZZ_CHECK(have->len == (size_t)(p - have->room));
}

static void check_transfer(const struct model *t, const struct track_transfer *have)
{
	FUZZ_CHECK(!t == !have);
	if (!t)
		return;
	FUZZ_CHECK(have->rmpp.state == t->state && have->rmpp.have == t->have);
	FUZZ_CHECK(have->n_frames <= SEGMENTS && have->n_frames >= t->have);
	if (t->state == IBW_TRANSFER_COMPLETE)
		check_data(t, &have->rmpp);
}

/* Every transfer that begins ends once. */
static void count_events(struct track_events *events, uint64_t *begun, uint64_t *ended)
{
	unsigned int i;

	FUZZ_CHECK(!events->lost);
	for (i = 0; i < events->n; i++) {
		*begun += events->event[i].kind == TRACK_EVENT_TRANSFER_BEGUN;
		*ended += events->event[i].kind == TRACK_EVENT_TRANSFER_COMPLETE ||
			  events->event[i].kind == TRACK_EVENT_TRANSFER_STOPPED ||
			  events->event[i].kind == TRACK_EVENT_TRANSFER_GIVEN_UP;
	}
	events->n = 0;
}

static void run(struct track_rmpp *ts, struct track_events *events, const uint8_t *data,
		size_t size)
{
	struct track_at at = { .frame = 0 };
	uint64_t begun = 0, ended = 0;
	struct mad m = { .bytes = { 0 } };

	track_rmpp_events(ts, events);
	for (; size >= OP; data += OP, size -= OP) {
		read_mad(&m, data);
		at.frame++;
		at.time_ns++;
		check_transfer(feed_model(&m, (uint32_t)at.frame),
			       track_rmpp_feed(ts, &walked[m.way], m.bytes, m.n, &at));
		FUZZ_CHECK(track_rmpp_evicted(ts) == evicted);
		count_events(events, &begun, &ended);
	}
	FUZZ_CHECK(track_rmpp_finish(ts, &at));
	count_events(events, &begun, &ended);
	FUZZ_CHECK(begun == ended);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct track_event room[TRACK_EVENTS_MAX];
	struct track_events events = { .event = room };
	struct track_rmpp *ts;
	size_t before;

	if (!walked[0].data)
		make_packets();
	n_models = 0;
	evicted = 0;
	before = heap_bytes();
	ts = track_rmpp_new();
	run(ts, &events, data, size);
	FUZZ_CHECK(heap_bytes() <= before + MEMORY + heap_slack());
	track_rmpp_free(ts);
	FUZZ_CHECK(heap_bytes() <= before + heap_slack());
	return 0;
}
