/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waited.c - who waited for whom: the time between two packets counts for what was open in the meantime.
 */
#include <string.h>

#include "measure_impl.h"
#include "timeline_impl.h"
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
	uint64_t until;     /* PSN: recovering as long as not all below is done */
	uint64_t rnr_until; /* what is below comes again because of an RNR NAK */
	uint64_t rate;      /* of the last block, in bits/s */
	uint64_t before;    /* that before a CNP; 0: none slows it down */
	uint64_t cnp_ns;    /* the time of that CNP */
	uint64_t read_ns, ack_ns, application_ns; /* counted at the last progress */
	/* PSNs whose responses are asked for again: recovering as long as one of them is waited for */
	uint64_t wanted, wanted_end;
	struct block block;
	bool within; /* a message that is not sent to its end */
};

#define NO_PRIORITY 0xffu

/* Time in a pause of which nobody knows yet whether an XON ends it. */
struct maybe {
	uint64_t since; /* the pause; 0: none */
	uint64_t ns[TRACK_WAIT_COUNT];
	uint8_t priority;
};

struct track_waited {
	uint64_t ns[TRACK_WAIT_COUNT];
	uint64_t last_ns;
	struct way way[TRACK_WAYS];
	struct maybe maybe;
	uint8_t priority; /* of the latest packet with payload */
	bool begins;
};

static struct track_waited *waited_of(struct track_qp *qp)
{
	if (!qp->waited) {
		qp->waited = g_new0(struct track_waited, 1);
		qp->waited->priority = NO_PRIORITY;
	}
	return qp->waited;
}

void track_waited_free(struct track_qp *qp)
{
	g_free(qp->waited);
}

size_t track_waited_bytes(void)
{
	return sizeof(struct track_waited);
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

static uint64_t so_far(const struct track_waited *w, enum track_wait wait)
{
	return w->ns[wait] + w->maybe.ns[wait];
}

uint64_t track_waited_ns(const struct track_qp *qp, enum track_wait wait, uint16_t doubt)
{
	const uint16_t hides = TRACK_DOUBT_ONE_WAY | TRACK_DOUBT_LOSS | TRACK_DOUBT_SAMPLED;
	uint64_t all = 0;
	unsigned int i;

	if (!qp->waited)
		return 0;
	if (qp->service != IBW_SERVICE_UC && !(doubt & hides))
		return so_far(qp->waited, wait);
	for (i = 0; wait == TRACK_WAIT_unknown && i < TRACK_WAIT_COUNT; i++)
		all += so_far(qp->waited, (enum track_wait)i);
	return all;
}

static bool is_recovering(const struct way *w, const struct track_dir *d)
{
	if (d->flight->packets && w->until > d->flight->done)
		return true;
	return w->wanted < w->wanted_end && d->reads &&
	       track_reads_wait(d->reads, w->wanted, w->wanted_end);
}

static enum track_wait cause_of(const struct way *w, const struct track_dir *d)
{
	const struct track_flight *f = d->flight;

	if (is_recovering(w, d))
		return TRACK_WAIT_recovery;
	if (d->measure->since.rnr.frame)
		return TRACK_WAIT_rnr;
	if (w->before && (f->packets || w->within))
		return TRACK_WAIT_cnp;
	if (f->reads)
		return TRACK_WAIT_read;
	return f->packets ? TRACK_WAIT_ack : TRACK_WAIT_application;
}

/* The first of both directions. */
static enum track_wait cause(const struct track_qp *qp)
{
	enum track_wait first = TRACK_WAIT_unknown;
	unsigned int way;

	for (way = 0; way < TRACK_WAYS; way++)
		if (qp->dir[way].psns.begun)
			first = MIN(first, cause_of(&qp->waited->way[way], &qp->dir[way]));
	return first;
}

/* The rate is back that it had before a CNP. */
static void recovered(struct track_qp *qp, struct way *w, const struct track_packet *p)
{
	if (w->before)
		track_sample_time(qp, qp->dir[p->way].measure, TRACK_SAMPLES_CNP_RECOVERY,
				  w->cnp_ns, p->at.time_ns);
	w->before = 0;
}

static void block_add(struct track_qp *qp, const struct track_packet *p)
{
	struct way *w = &qp->waited->way[p->way];
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
		recovered(qp, w, p);
}

/* The pause that there may have been is over: by an XON, or nobody knows. */
static void settle(struct track_waited *w, const struct track_pausing *pausing)
{
	struct maybe *m = &w->maybe;
	uint64_t since;
	bool paused;
	unsigned int i;

	if (!m->since || (track_pausing_open(pausing, m->priority, &since) && since == m->since))
		return;
	paused = track_pausing_ns(pausing, m->priority, m->since, m->since + 1) > 0;
	for (i = 0; paused && i < TRACK_WAYS; i++) {
		w->way[i].read_ns = MIN(w->way[i].read_ns, w->ns[TRACK_WAIT_read]);
		w->way[i].ack_ns = MIN(w->way[i].ack_ns, w->ns[TRACK_WAIT_ack]);
		w->way[i].application_ns =
			MIN(w->way[i].application_ns, w->ns[TRACK_WAIT_application]);
	}
	for (i = 0; i < TRACK_WAIT_COUNT; i++)
		w->ns[paused ? TRACK_WAIT_pause : i] += m->ns[i];
	memset(m, 0, sizeof(*m));
}

/* What is open, or comes next, may have waited for an XON. */
static bool is_held(const struct track_waited *w, const struct track_packet *p,
		    enum track_wait cause)
{
	if (cause < TRACK_WAIT_pause || cause == TRACK_WAIT_unknown || w->priority == NO_PRIORITY)
		return false;
	return cause != TRACK_WAIT_application || w->way[0].within || w->way[1].within ||
	       track_packet_opf(p) & IBW_OPF_REQUEST;
}

static void pass_paused(struct track_waited *w, const struct track_pausing *pausing,
			enum track_wait cause, uint64_t to)
{
	uint64_t from = w->last_ns, since;
	uint64_t ns = track_pausing_ns(pausing, w->priority, from, to), rest = to - from - ns;

	w->ns[TRACK_WAIT_pause] += ns;
	if (track_pausing_open(pausing, w->priority, &since) && since < to) {
		if (w->maybe.since && w->maybe.since != since) /* of another priority */
			settle(w, NULL);
		ns = MIN(rest, to - MAX(since, from));
		w->maybe.since = since;
		w->maybe.priority = w->priority;
		w->maybe.ns[cause] += ns;
		rest -= ns;
	}
	w->ns[cause] += rest;
}

void track_wait_finish(const struct track_qps *s, struct track_qp *qp)
{
	if (qp->waited)
		settle(qp->waited, s->pausing);
}

static void pass(struct track_qp *qp, const struct track_packet *p,
		 const struct track_pausing *pausing)
{
	struct track_waited *w = qp->waited;
	enum track_wait first = cause(qp);

	if (pausing && is_held(w, p, first))
		pass_paused(w, pausing, first, p->at.time_ns);
	else
		w->ns[first] += p->at.time_ns - w->last_ns;
}

void track_wait_pass(struct track_qp *qp, const struct track_packet *p,
		     const struct track_pausing *pausing)
{
	struct track_waited *w = waited_of(qp);
	unsigned int way;

	for (way = 0; way < TRACK_WAYS; way++)
		if (!qp->dir[way].flight->packets)
			w->way[way].until = 0;
	if (G_UNLIKELY(w->maybe.since))
		settle(w, pausing);
	if (p->payload)
		w->priority = p->tag == TRACK_NO_TAG ? p->tclass >> 5 : (uint8_t)(p->tag >> 13);
	if (!w->begins || p->at.time_ns > w->last_ns) {
		if (w->begins)
			pass(qp, p, pausing);
		w->last_ns = p->at.time_ns;
		w->begins = true;
	}
	if ((p->opcode & IBW_SERVICE_MASK) != IBW_SERVICE_CNP)
		block_add(qp, p);
}

void track_wait_pause(struct track_qps *s, const struct ibw_packet *pkt, uint32_t iface,
		      uint64_t speed, uint64_t time_ns)
{
	if (!s->measures)
		return;
	if (!s->pausing)
		s->pausing = track_pausing_new();
	track_pausing_feed(s->pausing, pkt, iface, speed, time_ns);
	track_timeline_paused(s);
}

static void progress(struct track_waited *waited, struct way *w)
{
	w->read_ns = so_far(waited, TRACK_WAIT_read);
	w->ack_ns = so_far(waited, TRACK_WAIT_ack);
	w->application_ns = so_far(waited, TRACK_WAIT_application);
}

/* From @progress on it was time lost; what may have been a pause is of the end of it. */
static uint64_t recount(struct track_waited *w, enum track_wait wait, uint64_t progress)
{
	uint64_t now = so_far(w, wait), lost = now - MIN(progress, now);
	uint64_t maybe = MIN(lost, w->maybe.ns[wait]);

	w->maybe.ns[wait] -= maybe;
	w->maybe.ns[TRACK_WAIT_recovery] += maybe;
	w->ns[wait] -= lost - maybe;
	w->ns[TRACK_WAIT_recovery] += lost - maybe;
	return now - lost;
}

/* What was waited since the last progress was time lost. */
static void count_again(struct track_waited *waited, struct way *w)
{
	w->read_ns = recount(waited, TRACK_WAIT_read, w->read_ns);
	w->ack_ns = recount(waited, TRACK_WAIT_ack, w->ack_ns);
}

/* A response came, and one before it did not, of these PSNs. */
static bool is_passed(const struct track_dir *d, uint64_t low, uint64_t high)
{
	return d->reads && track_reads_wait(d->reads, low, MIN(high, d->since_rare.response_high));
}

/* Of a READ that lacks a response: while nothing else was open it waited for its timer. */
static void missing_again(struct track_qp *qp, const struct track_packet *p, uint64_t psn,
			  uint32_t n)
{
	const struct track_dir *d = &qp->dir[p->way];
	struct way *w = &qp->waited->way[p->way];

	if (is_recovering(w, d)) {
		w->wanted = w->wanted < w->wanted_end ? MIN(w->wanted, psn) : psn;
		w->wanted_end = MAX(w->wanted_end, psn + n);
		return;
	}
	w->wanted = psn;
	w->wanted_end = psn + n;
	count_again(qp->waited, w);
	w->application_ns = recount(qp->waited, TRACK_WAIT_application, w->application_ns);
}

static bool is_copy(const struct track_dir *d, const struct track_packet *p, uint64_t psn)
{
	const struct track_request *q = track_requests_find(d->requests, psn);

	return q && q->psn == psn && p->at.time_ns >= q->last_ns &&
	       p->at.time_ns - q->last_ns <= TRACK_COPY_NS;
}

static void again(struct track_qp *qp, const struct track_packet *p, uint64_t psn, uint32_t n)
{
	const struct track_dir *d = &qp->dir[p->way];
	const struct track_measure *m = d->measure;
	struct way *w = &qp->waited->way[p->way];

	if (track_verb_of(p->opcode) == TRACK_VERB_READ && is_passed(d, psn, psn + n)) {
		missing_again(qp, p, psn, n);
		return;
	}
	if (psn < d->flight->done)
		return;
	if (m->since.rnr.frame && m->since.rnr.psn == psn) {
		w->rnr_until = d->psns.next;
		return;
	}
	if (psn < w->rnr_until || is_recovering(w, d) || is_copy(d, p, psn))
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
		w->wanted = w->wanted_end = 0;
		progress(qp->waited, w);
	} else if (class == TRACK_PSN_AHEAD) {
		w->until = MAX(w->until, psn + n);
	} else if (class == TRACK_PSN_REPEAT) {
		again(qp, p, psn, n);
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
	if (!is_ack || d->flight->done > done)
		progress(qp->waited, w);
	if (is_ack && p->flags & TRACK_PACKET_AETH && p->syndrome == IBW_AETH_NAK_PSN_SEQUENCE &&
	    psn >= done && !(m->since.rnr.frame && m->since.rnr.psn == psn))
		w->until = MAX(w->until, d->psns.next);
}

void track_wait_cnp(struct track_qp *qp, const struct track_packet *p)
{
	struct way *w = &qp->waited->way[!p->way];

	if (!w->before) {
		w->before = w->rate ? w->rate
				    : track_measure_rate(w->block.bytes, w->block.begin_ns,
							 p->at.time_ns);
		w->cnp_ns = p->at.time_ns;
	}
	w->block.n = 0;
}
