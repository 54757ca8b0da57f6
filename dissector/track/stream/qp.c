/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qp.c - updates the state of a connection for each packet. */
#include <string.h>

#include "stream.h"
#include "track/incident/incident_impl.h"
#include "track/measure/measure_impl.h"
#include "track/measure/series_impl.h"
#include "track/measure/timeline_impl.h"
#include "track/way/flight.h"
#include "track/way/history.h"

/* With some buckets. */
#define TIMES_BYTES (TRACK_TIMES_COUNT * sizeof(struct track_histogram) + 64)

void track_qp_time(struct track_qp *qp, struct track_dir *d, enum track_times times,
		   uint64_t since_ns, uint64_t now_ns)
{
	if (now_ns < since_ns) {
		qp->doubt |= TRACK_DOUBT_CLOCK;
		return;
	}
	if (!qp->timed)
		return;
	if (!d->times) {
		d->times = g_new0(struct track_histogram, TRACK_TIMES_COUNT);
		track_memory_take(d->memory, TIMES_BYTES);
	}
	track_histogram_add(&d->times[times], now_ns - since_ns);
}

void track_dir_clear(struct track_dir *d)
{
	struct track_memory *memory = d->memory;
	unsigned int i;

	track_psns_clear(&d->psns);
	track_requests_free(d->requests);
	for (i = 0; d->times && i < TRACK_TIMES_COUNT; i++)
		track_histogram_clear(&d->times[i]);
	if (d->times)
		track_memory_give(memory, TIMES_BYTES);
	if (d->answers) {
		track_memory_give(memory, sizeof(*d->answers));
		g_free(d->answers->rkey);
	}
	if (d->watch) {
		track_memory_give(memory, sizeof(*d->watch));
		track_psns_clear(&d->watch->unasked);
		track_qp_held_give(d);
		g_free(d->watch->held);
		track_damaged_give(d);
		g_free(d->watch->damaged);
	}
	g_free(d->times);
	g_free(d->answers);
	g_free(d->watch);
	g_free(d->flight);
	if (d->reads)
		track_memory_give(memory, TRACK_READS_BYTES);
	track_measure_free(d->measure);
	track_incident_free(d);
	track_reads_free(d->reads);
	memset(d, 0, sizeof(*d));
	d->memory = memory;
}

uint32_t track_qp_psns(const struct track_qp *qp, const struct track_packet *p)
{
	uint32_t mtu = track_qp_mtu(qp);

	if (!track_is_read_request(p) || p->dmalen <= TRACK_MTU_MIN)
		return 1;
	return mtu ? track_packets_of(p->dmalen, mtu) : 0;
}

/* MIDDLE, LAST or an answer, and nothing says what was before. */
static void begin(struct track_qps *s, struct track_qp *qp, const struct track_packet *p)
{
	struct track_event *e;

	qp->begun = true;
	if (track_qp_cm_frame(qp) || qp->doubt & TRACK_DOUBT_ONE_WAY ||
	    !(track_packet_opf(p) & (IBW_OPF_MIDDLE | IBW_OPF_LAST | IBW_OPF_RESPONSE)))
		return;
	qp->doubt |= TRACK_DOUBT_MID_STREAM;
	e = track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_MID_STREAM, &p->at);
	if (!e)
		return;
	e->number[TRACK_MID_STREAM_psn] = p->psn;
	e->number[TRACK_MID_STREAM_opcode] = p->opcode;
}

/* Taps may capture the two ways some time apart. */
#define SKEW_NS 1000000u

/* An answer came before what it answers was captured. */
static bool is_unsent(const struct track_dir *d)
{
	return d->watch && d->watch->since.unsent.frame;
}

/* So that was sent, or it was not. */
void track_qp_unsent(struct track_qps *s, struct track_qp *qp, enum track_way way, uint64_t now_ns)
{
	struct track_dir *d = &qp->dir[way];
	struct track_watch *w = d->watch;
	struct track_event *e;

	_Static_assert((int)TRACK_ACK_UNSENT_psn == (int)TRACK_NAK_WRONG_psn &&
			       (int)TRACK_ACK_UNSENT_highest == (int)TRACK_NAK_WRONG_highest,
		       "the same numbers");
	if (!is_unsent(d))
		return;
	if (d->psns.next > w->since.unsent.psn ||
	    track_watched(d)->icrc_bad) { /* or it had bit errors */
		w->since.unsent.frame = 0;
		return;
	}
	if (now_ns <= w->since.unsent.time_ns + SKEW_NS)
		return;
	e = track_qp_event_of(s, qp, (enum track_way) !way,
			      w->since.unsent_nak ? TRACK_EVENT_NAK_WRONG : TRACK_EVENT_ACK_UNSENT,
			      w->since.unsent.frame, w->since.unsent.time_ns);
	w->since.unsent.frame = 0;
	if (!e)
		return;
	e->number[TRACK_ACK_UNSENT_psn] = w->since.unsent.psn & 0xffffff;
	e->number[TRACK_ACK_UNSENT_highest] = (d->psns.next - 1) & 0xffffff;
}

static void look_after(struct track_qps *s, struct track_qp *qp, const struct track_packet *p)
{
	if (is_unsent(&qp->dir[TRACK_A_TO_B]))
		track_qp_unsent(s, qp, TRACK_A_TO_B, p->at.time_ns);
	if (is_unsent(&qp->dir[TRACK_B_TO_A]))
		track_qp_unsent(s, qp, TRACK_B_TO_A, p->at.time_ns);
}

/* Cut off before how many PSNs it asks for, or what it answers. */
static bool is_headless(const struct track_packet *p)
{
	unsigned int eths = ibw_opcodes[p->opcode].eths;

	return (eths & IBW_ETH_AETH && !(p->flags & TRACK_PACKET_AETH)) ||
	       (eths & (IBW_ETH_RETH | IBW_ETH_ATOMICETH) && !(p->flags & TRACK_PACKET_RETH));
}

/* By what it is; each packet runs through it, and out of line that costs 28 instructions. */
static inline __attribute__((always_inline)) void count(struct track_qps *s, struct track_qp *qp,
							const struct track_packet *p, uint32_t n)
{
	struct track_dir *d = &qp->dir[p->way];

	s->last_frame = MAX(s->last_frame, p->at.frame);
	s->last_ns = MAX(s->last_ns, p->at.time_ns);
	look_after(s, qp, p);
	d->packets++;
	d->wire_bytes += p->wire_len;
	if (G_UNLIKELY(track_is_marked(p))) {
		track_watch(d)->ce_packets++;
		track_cc_marked(d->watch, p);
	}
	if ((p->opcode & IBW_SERVICE_MASK) == IBW_SERVICE_CNP) {
		track_watch(d)->cnp_packets++;
		track_cc_about(s, track_watch(&qp->dir[!p->way]), p);
		track_series_cnp(&qp->dir[!p->way], p);
		return;
	}
	d->payload_bytes += p->payload;
	if (!qp->begun)
		begin(s, qp, p);
	if (G_UNLIKELY(is_headless(p)))
		qp->doubt |= TRACK_DOUBT_HEADERS;
	if (track_shows_mtu(p)) {
		if (!qp->mtu_seen)
			qp->mtu_seen = p->payload;
		track_qp_agreed_mtu(s, qp, p);
	}
	if (track_packet_opf(p) & IBW_OPF_REQUEST)
		track_qp_request(s, qp, p, n);
	else if (track_packet_opf(p) & IBW_OPF_RESPONSE)
		track_qp_answer(s, qp, p);
	else
		track_qp_damaged(s, qp, p);
}

void track_qp_packet(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		     uint32_t n)
{
	if (s->interval_ns)
		track_timeline_before(s, qp, p->at.time_ns);
	if (s->measures)
		track_measure_packet(s, qp, p);
	count(s, qp, p, n);
	track_qp_happened_packet(qp, p);
	if (s->interval_ns)
		track_timeline_after(qp);
}
