/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waited.c - who waited for whom: the time between two packets is counted for what was open meanwhile. */
#include "measure_impl.h"
#include "waited_impl.h"

/* Packets of which a rate is taken: see waits.def. */
#define BLOCK 64u

const struct track_wait_row track_wait_rows[TRACK_WAIT_COUNT] = {
#define TRACK_WAIT(name, title, definition) [TRACK_WAIT_##name] = { #name "_ns", title },
#include "waits.def"
};

/* Packets in a row: the first one's time, and the bytes of the others. */
struct block {
	uint64_t begin_ns, bytes;
	uint32_t n;
};

/* Of the requests of one direction. */
struct way {
	uint64_t until;           /* PSN: recovering as long as not all below is done */
	uint64_t rnr_until;       /* what is below comes again because of an RNR NAK */
	uint64_t rate;            /* of the last block, in bits/s */
	uint64_t before;          /* that before a CNP; 0: none slows it down */
	uint64_t read_ns, ack_ns; /* counted at the last progress */
	struct block block;
	bool within; /* a message that is not sent to its end */
};

struct track_waited {
	uint64_t ns[TRACK_WAIT_COUNT];
	uint64_t last_ns;
	struct way way[TRACK_WAYS];
	bool begins;
};

static struct track_waited *waited_of(struct track_qp *qp)
{
	if (!qp->waited) {
		qp->waited = g_new0(struct track_waited, 1);
		track_memory_take(qp->dir[TRACK_A_TO_B].memory, sizeof(*qp->waited));
	}
	return qp->waited;
}

void track_waited_free(struct track_qp *qp, struct track_memory *memory)
{
	if (!qp->waited)
		return;
	track_memory_give(memory, sizeof(*qp->waited));
	g_free(qp->waited);
}

void track_waited_join(struct track_qp *qp, enum track_way way, struct track_qp *from)
{
	struct track_waited *w = from->waited;
	struct way other;

	if (!w)
		return;
	if (qp->waited) {
		qp->waited->way[way] = w->way[TRACK_A_TO_B];
		return;
	}
	if (way == TRACK_B_TO_A) {
		other = w->way[TRACK_A_TO_B];
		w->way[TRACK_A_TO_B] = w->way[TRACK_B_TO_A];
		w->way[TRACK_B_TO_A] = other;
	}
	qp->waited = w;
	from->waited = NULL;
}

uint64_t track_waited_ns(const struct track_qp *qp, enum track_wait wait, uint16_t doubt)
{
	const uint16_t hides = TRACK_DOUBT_ONE_WAY | TRACK_DOUBT_LOSS | TRACK_DOUBT_SAMPLED;
	uint64_t all = 0;
	unsigned int i;

	if (!qp->waited)
		return 0;
	if (qp->service != IBW_SERVICE_UC && !(doubt & hides))
		return qp->waited->ns[wait];
	for (i = 0; wait == TRACK_WAIT_unknown && i < TRACK_WAIT_COUNT; i++)
		all += qp->waited->ns[i];
	return all;
}

static bool is_recovering(const struct way *w, const struct track_measure *m)
{
	return m->open_packets && w->until > m->done;
}

static enum track_wait cause_of(const struct way *w, const struct track_measure *m)
{
	if (is_recovering(w, m))
		return TRACK_WAIT_recovery;
	if (m->rnr.frame)
		return TRACK_WAIT_rnr;
	if (w->before && (m->open_packets || w->within))
		return TRACK_WAIT_cnp;
	if (m->open_reads)
		return TRACK_WAIT_read;
	return m->open_packets ? TRACK_WAIT_ack : TRACK_WAIT_application;
}

/* The first of both directions. */
static enum track_wait cause(const struct track_qp *qp)
{
	enum track_wait first = TRACK_WAIT_unknown;
	unsigned int way;

	for (way = 0; way < TRACK_WAYS; way++)
		if (qp->dir[way].psns.begun)
			first = MIN(first, cause_of(&qp->waited->way[way], qp->dir[way].measure));
	return first;
}

static void block_add(struct way *w, const struct track_packet *p)
{
	struct block *b = &w->block;
	uint64_t rate;

	if (b->n++)
		b->bytes += p->wire_len;
	else
		*b = (struct block){ .begin_ns = p->at.time_ns, .n = 1 };
	if (b->n < BLOCK)
		return;
	rate = track_measure_rate(b->bytes, b->begin_ns, p->at.time_ns);
	*b = (struct block){ .begin_ns = p->at.time_ns, .n = 1 };
	if (!rate)
		return;
	w->rate = rate;
	if (rate >= w->before - w->before / 10)
		w->before = 0;
}

void track_wait_pass(struct track_qp *qp, const struct track_packet *p)
{
	struct track_waited *w = waited_of(qp);
	unsigned int way;

	for (way = 0; way < TRACK_WAYS; way++)
		if (!qp->dir[way].measure->open_packets)
			w->way[way].until = 0;
	if (w->begins && p->at.time_ns > w->last_ns)
		w->ns[cause(qp)] += p->at.time_ns - w->last_ns;
	w->last_ns = w->begins ? MAX(w->last_ns, p->at.time_ns) : p->at.time_ns;
	w->begins = true;
	if ((p->opcode & IBW_SERVICE_MASK) != IBW_SERVICE_CNP)
		block_add(&w->way[p->way], p);
}

static void progress(struct track_waited *waited, struct way *w)
{
	w->read_ns = waited->ns[TRACK_WAIT_read];
	w->ack_ns = waited->ns[TRACK_WAIT_ack];
}

/* What was waited since the last progress was time lost. */
static void count_again(struct track_waited *waited, struct way *w)
{
	uint64_t *ns = waited->ns;

	w->read_ns = MIN(w->read_ns, ns[TRACK_WAIT_read]);
	w->ack_ns = MIN(w->ack_ns, ns[TRACK_WAIT_ack]);
	ns[TRACK_WAIT_recovery] +=
		ns[TRACK_WAIT_read] - w->read_ns + ns[TRACK_WAIT_ack] - w->ack_ns;
	ns[TRACK_WAIT_read] = w->read_ns;
	ns[TRACK_WAIT_ack] = w->ack_ns;
}

static bool is_copy(const struct track_dir *d, const struct track_packet *p, uint64_t psn)
{
	const struct track_request *q = track_requests_find(d->requests, psn);

	return q && q->psn == psn && p->at.time_ns >= q->last_ns &&
	       p->at.time_ns - q->last_ns <= TRACK_COPY_NS;
}

static void again(struct track_qp *qp, const struct track_packet *p, uint64_t psn)
{
	const struct track_dir *d = &qp->dir[p->way];
	const struct track_measure *m = d->measure;
	struct way *w = &qp->waited->way[p->way];

	if (psn < m->done)
		return;
	if (m->rnr.frame && m->rnr.psn == psn) {
		w->rnr_until = d->psns.next;
		return;
	}
	if (psn < w->rnr_until || is_recovering(w, m) || is_copy(d, p, psn))
		return;
	w->until = d->psns.next;
	count_again(qp->waited, w);
}

void track_wait_request(struct track_qp *qp, const struct track_packet *p, uint64_t psn, uint32_t n,
			enum track_psn_class class)
{
	struct way *w = &qp->waited->way[p->way];

	if (class == TRACK_PSN_START || class == TRACK_PSN_RESTART) {
		w->until = w->rnr_until = 0;
		progress(qp->waited, w);
	} else if (class == TRACK_PSN_AHEAD) {
		w->until = MAX(w->until, psn + n);
	} else if (class == TRACK_PSN_REPEAT) {
		again(qp, p, psn);
	}
	w->within = ibw_opcodes[p->opcode].flags & (IBW_OPF_FIRST | IBW_OPF_MIDDLE);
}

void track_wait_answer(struct track_qp *qp, const struct track_packet *p, uint64_t psn,
		       uint64_t done)
{
	const struct track_dir *d = &qp->dir[!p->way];
	const struct track_measure *m = d->measure;
	struct way *w = &qp->waited->way[!p->way];
	bool is_ack = TRACK_OPERATION(p->opcode) == IBW_OP_RC_ACKNOWLEDGE;

	if (!d->psns.begun)
		return;
	if (!is_ack || m->done > done)
		progress(qp->waited, w);
	if (is_ack && p->flags & TRACK_PACKET_AETH && p->syndrome == IBW_AETH_NAK_PSN_SEQUENCE &&
	    psn >= done && !(m->rnr.frame && m->rnr.psn == psn))
		w->until = MAX(w->until, d->psns.next);
}

void track_wait_cnp(struct track_qp *qp, const struct track_packet *p)
{
	struct way *w = &qp->waited->way[!p->way];

	if (!w->before)
		w->before = w->rate ? w->rate
				    : track_measure_rate(w->block.bytes, w->block.begin_ns,
							 p->at.time_ns);
	w->block.n = 0;
}
