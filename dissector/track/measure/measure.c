/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure.c - measures every packet, and reads the measures. */
#include <string.h>

#include "measure_impl.h"
#include "series_impl.h"
#include "waited_impl.h"

static const struct track_measure nothing;

/* Rows of figures.def: of struct track_congestion, and of the first packet that is no CNP. */
#define CC(field) (track_measured_congestion(m)->field)
#define ROAD(known, field)                                                                         \
	(m->has_path && (known) ? (uint64_t)(m->first_road.field) : TRACK_UNKNOWN)

/* Bits a second. */
static uint64_t track_rate(uint64_t bytes, const struct track_measure *m)
{
	return track_measure_rate(bytes, m->first_ns, m->last_ns);
}

uint64_t track_measure_figure(const struct track_dir *d, enum track_measure_figure figure)
{
	const struct track_measure *m = d->measure ? d->measure : &nothing;

	switch (figure) {
#define TRACK_MEASURE(name, unit, value, title, counter, definition)                               \
	case TRACK_MEASURE_##name:                                                                 \
		return (value);
#include "track/way/figures.def"
	default:
		return 0;
	}
}

uint64_t track_frame_figure(const struct track_dir *d, enum track_frame_figure figure)
{
	const struct track_measure *m = d->measure ? d->measure : &nothing;

	switch (figure) {
#define TRACK_FRAME(name, value, title, definition)                                                \
	case TRACK_FRAME_##name:                                                                   \
		return (value);
#include "track/way/figures.def"
	default:
		return 0;
	}
}

/* NULL: unknown */
const char *track_named_figure(const struct track_dir *d, enum track_named_figure figure)
{
	const struct track_measure *m = d->measure ? d->measure : &nothing;

	switch (figure) {
#define TRACK_NAMED(name, value, title, definition)                                                \
	case TRACK_NAMED_##name:                                                                   \
		return (value);
#include "track/way/figures.def"
	default:
		return NULL;
	}
}

const struct track_histogram *track_dir_samples(const struct track_dir *d,
						enum track_samples samples)
{
	static const struct track_histogram none;

	return d->measure && d->measure->samples[samples] ? d->measure->samples[samples] : &none;
}

void track_qps_want_measures(struct track_qps *s)
{
	s->measures = true;
}

void track_measure_free(struct track_measure *m)
{
	unsigned int i;

	for (i = 0; m && i < TRACK_SAMPLES_COUNT; i++) {
		if (m->samples[i])
			track_histogram_clear(m->samples[i]);
		g_free(m->samples[i]);
	}
	if (m) {
		g_free(m->congestion);
		track_series_free(m->series);
	}
	g_free(m);
}

void track_sample(struct track_measure *m, enum track_samples samples, uint64_t value)
{
	if (!m->samples[samples])
		m->samples[samples] = g_new0(struct track_histogram, 1);
	track_histogram_add(m->samples[samples], value);
}

void track_sample_time(struct track_qp *qp, struct track_measure *m, enum track_samples samples,
		       uint64_t since_ns, uint64_t now_ns)
{
	if (now_ns < since_ns)
		qp->doubt |= TRACK_DOUBT_CLOCK;
	else
		track_sample(m, samples, now_ns - since_ns);
}

/* Its memory, and that of the flight, was taken for the connection. */
static __attribute__((noinline)) void begin(struct track_dir *d)
{
	d->measure = g_new0(struct track_measure, 1);
	d->measure->either_ns = UINT64_MAX;
	track_flight(d);
}

/* Time went by: was anything open? */
static void pass_time(struct track_dir *d, uint64_t now_ns)
{
	struct track_measure *m;
	uint64_t ns;

	if (!d->measure)
		begin(d);
	m = d->measure;
	if (d->flight->packets && now_ns > m->either_ns) {
		ns = now_ns - m->either_ns;
		m->busy_ns += ns;
		m->stall_max_ns = MAX(m->stall_max_ns, ns);
	}
	m->either_ns = now_ns;
}

static void volume(struct track_measure *m, const struct track_at *at)
{
	const uint64_t now_ns = at->time_ns;

	if (!m->begins) {
		m->first_ns = m->last_ns = m->before_ns = m->begin_ns = now_ns;
		m->begin_frame = at->frame;
	}
	m->begins = true;
	if (now_ns > m->before_ns) {
		m->idle_max_ns = MAX(m->idle_max_ns, now_ns - m->before_ns);
		m->last_ns = MAX(m->last_ns, now_ns);
	} else {
		m->first_ns = MIN(m->first_ns, now_ns);
	}
	m->before_ns = now_ns;
}

static void other_road(struct track_measure *m, const struct track_packet *p,
		       const struct track_road *road)
{
	if (m->has_path) {
		m->sport_changes += road->sport != m->road.sport;
		m->dscp_changes += road->dscp != m->road.dscp;
		m->hop_limit_changes += road->hop_limit != m->road.hop_limit;
		m->tag_changes += road->tag != m->road.tag;
		m->version_changes += road->version != m->road.version;
	} else {
		m->first_road = *road;
		m->gid_kind = track_gid_kind_of(&p->flow, p->version == TRACK_NATIVE);
	}
	m->has_path = true;
	m->road = *road;
}

static void path(struct track_measure *m, const struct track_packet *p)
{
	const struct track_road road = { p->port, p->tag, p->tclass >> 2, p->hop_limit,
					 p->version };

	if (!m->has_path || memcmp(&road, &m->road, sizeof(road)) != 0)
		other_road(m, p, &road);
}

static void mark(struct track_qp *qp, struct track_measure *m, const struct track_packet *p)
{
	m->fecn += (p->flags & TRACK_PACKET_FECN) != 0;
	track_measure_mark(qp, p);
	if (m->series && !m->series->marks[TRACK_SERIES_MARK_CE])
		track_series_look(m->series);
}

void track_measure_packet(const struct track_qps *s, struct track_qp *qp,
			  const struct track_packet *p)
{
	struct track_measure *m;

	pass_time(&qp->dir[TRACK_A_TO_B], p->at.time_ns);
	pass_time(&qp->dir[TRACK_B_TO_A], p->at.time_ns);
	track_wait_pass(qp, p, s->pausing);
	m = qp->dir[p->way].measure;
	volume(m, &p->at);
	m->longest = MAX(m->longest, p->wire_len);
	if (G_UNLIKELY(track_is_marked(p)))
		mark(qp, m, p);
	if ((p->opcode & IBW_SERVICE_MASK) == IBW_SERVICE_CNP) {
		track_measure_cnp(qp, p);
		track_wait_cnp(qp, p);
		return;
	}
	path(m, p);
	m->becn += p->becn;
}

/* What of a packet that comes during a pause: @late as in track_measure_resent(). */
static void resent_paused(struct track_measure *m, const struct track_watch *w,
			  const struct track_packet *p, enum track_resend cause, uint32_t late)
{
	bool paused = p->flags & TRACK_PACKET_PAUSED;

	if (paused) {
		m->resent_paused[cause] += w->retransmitted_packets + late - m->retransmitted;
		m->timeouts_paused += w->timeouts - m->timeouts;
	}
	if (m->since.nak_paused)
		m->resent_paused[TRACK_RESEND_NAK] -= late;
	if (w->since.nak_filled == p->at.frame)
		m->since.nak_paused = paused;
}

/*
 * Of a request that is not the expected one. Why it came again is known once it was looked at. A repeat may show
 * that what came before was late, and not sent again because of a NAK (say_late() of resend.c).
 */
void track_measure_resent(struct track_qp *qp, const struct track_packet *p)
{
	const struct track_dir *d = &qp->dir[p->way];
	const struct track_watch *w = track_watched(d);
	struct track_measure *m = d->measure;
	uint32_t late = m->is_repeat && w->since.resend == TRACK_RESEND_NAK
				? w->reordered_packets - m->reordered
				: 0;
	enum track_resend cause = m->is_early || w->since.resend >= TRACK_RESENDS
					  ? TRACK_RESEND_UNKNOWN
					  : (enum track_resend)w->since.resend;

	m->resent[cause] += w->retransmitted_packets + late - m->retransmitted;
	m->resent[TRACK_RESEND_NAK] -= late;
	resent_paused(m, w, p, cause, late);
}

uint64_t track_measure_paused(const struct track_measure *m)
{
	uint64_t all = 0;
	unsigned int i;

	for (i = 0; i < TRACK_RESENDS; i++)
		all += m->resent_paused[i];
	return all;
}
