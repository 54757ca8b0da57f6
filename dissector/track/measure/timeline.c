/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline.c - the bins of a timeline, which are merged in pairs when there are too many. */
#include <string.h>

#include "measure.h"
#include "pausing.h"
#include "timeline_impl.h"
#include "track/way/flight.h"

const char *const track_bin_names[TRACK_BIN_COUNT] = {
#define TRACK_BIN(name, how, definition) [TRACK_BIN_##name] = #name,
#include "bins.def"
};

static void merge(struct track_bin *to, const struct track_bin *from)
{
	unsigned int way;

#define MERGE_SUM(a, b) ((a) + (b))
#define MERGE_MOST(a, b) MAX(a, b)
	for (way = 0; way < TRACK_WAYS; way++) {
#define TRACK_BIN(name, how, definition)                                                           \
	to->way[way][TRACK_BIN_##name] =                                                           \
		MERGE_##how(to->way[way][TRACK_BIN_##name], from->way[way][TRACK_BIN_##name]);
#include "bins.def"
	}
	to->pause += from->pause;
	to->paused_ns += from->paused_ns;
}

/* Intervals twice as long. */
static void halve(struct track_timeline *t)
{
	uint64_t first = t->first / 2;
	struct track_bin bin;
	uint32_t i, to, n = 0;

	for (i = 0; i < t->n; i++) {
		to = (uint32_t)((t->first + i) / 2 - first);
		bin = t->bin[i];
		if (to == n) {
			t->bin[n++] = bin;
		} else {
			merge(&t->bin[to], &bin);
		}
	}
	t->n = n;
	t->first = first;
	t->interval_ns *= 2;
	t->begin_ns = t->end_ns = 0;
}

static struct track_timeline *new_timeline(const struct track_qps *s)
{
	struct track_timeline *t = g_new0(struct track_timeline, 1);

	t->interval_ns = s->interval_ns;
	t->max = s->bins_max;
	return t;
}

/* Room for @n bins; false: there is no memory for them. */
static bool has_room(struct track_qps *s, struct track_timeline *t, uint32_t n)
{
	uint32_t room;

	if (n <= t->room)
		return true;
	if (t->room && track_memory_is_full(&s->memory))
		return false;
	room = MIN(MAX(n, MAX(2 * t->room, TRACK_TIMELINE_FIRST)), t->max);
	t->bin = g_renew(struct track_bin, t->bin, room);
	s->memory.used += (room - MAX(t->room, TRACK_TIMELINE_FIRST)) * sizeof(*t->bin);
	t->room = room;
	return true;
}

static __attribute__((noinline)) struct track_bin *find(struct track_qps *s,
							struct track_timeline *t, uint64_t time_ns)
{
	uint64_t number = time_ns / t->interval_ns, low, span;

	if (!t->n)
		t->first = number;
	for (;;) {
		span = track_bins_span(t->first, t->n, number, &low);
		if (span < t->max && has_room(s, t, (uint32_t)span + 1))
			break;
		halve(t);
		number = time_ns / t->interval_ns;
	}
	if (low < t->first) {
		memmove(&t->bin[t->first - low], t->bin, t->n * sizeof(*t->bin));
		memset(t->bin, 0, (t->first - low) * sizeof(*t->bin));
		t->n += (uint32_t)(t->first - low);
		t->first = low;
	}
	if (t->n <= span) {
		memset(&t->bin[t->n], 0, (span + 1 - t->n) * sizeof(*t->bin));
		t->n = (uint32_t)span + 1;
	}
	t->recent = (uint32_t)(number - t->first);
	t->begin_ns = number * t->interval_ns;
	t->end_ns = t->begin_ns + t->interval_ns;
	return &t->bin[t->recent];
}

static struct track_bin *bin_at(struct track_qps *s, struct track_timeline *t, uint64_t time_ns)
{
	return time_ns >= t->begin_ns && time_ns < t->end_ns ? &t->bin[t->recent]
							     : find(s, t, time_ns);
}

/*
 * A connection counts these anyway: a bin has what it counts from then on once that was taken off as it began, and
 * is added as it ends. @sign: -1 or 1
 */
static void tally(uint64_t *bin, const struct track_dir *d, int64_t sign)
{
	const struct track_watch *w = track_watched(d);
	uint64_t times = (uint64_t)sign;
	unsigned int i;

	bin[TRACK_BIN_packets] += times * d->packets;
	bin[TRACK_BIN_wire_bytes] += times * d->wire_bytes;
	bin[TRACK_BIN_payload_bytes] += times * d->payload_bytes;
	bin[TRACK_BIN_repeated_packets] += times * w->repeated_packets;
	bin[TRACK_BIN_ce_packets] += times * w->ce_packets;
	bin[TRACK_BIN_cnp_packets] += times * w->cnp_packets;
	for (i = 0; i < G_N_ELEMENTS(w->naks); i++)
		bin[TRACK_BIN_nak] += times * w->naks[i];
	bin[TRACK_BIN_rnr] += times * w->rnr_naks;
	bin[TRACK_BIN_timeouts] += times * w->timeouts;
}

static void most(uint64_t *so_far, uint64_t n)
{
	if (n > *so_far)
		*so_far = n;
}

/* In the bin of the last packet, and in that of all connections. */
static void tally_both(struct track_qps *s, struct track_qp *qp, int64_t sign)
{
	struct track_timeline *t = qp->timeline;
	struct track_bin *bin = &t->bin[t->recent];
	uint64_t *all = bin_at(s, s->timeline, t->begin_ns)->way[0];
	unsigned int way;

	for (way = 0; way < TRACK_WAYS; way++) {
		tally(bin->way[way], &qp->dir[way], sign);
		tally(all, &qp->dir[way], sign);
		most(&all[TRACK_BIN_open_max], bin->way[way][TRACK_BIN_open_max]);
		most(&all[TRACK_BIN_in_flight_bytes], bin->way[way][TRACK_BIN_in_flight_bytes]);
	}
}

/* Its bins are read, or move, or other counters are its own, before the next packet. */
static void settle(struct track_qps *s, struct track_qp *qp)
{
	struct track_timeline *t = qp->timeline;

	if (!t || !t->end_ns)
		return;
	tally_both(s, qp, 1);
	t->begin_ns = t->end_ns = 0;
}

static __attribute__((noinline)) void turn(struct track_qps *s, struct track_qp *qp,
					   uint64_t time_ns)
{
	if (!qp->timeline)
		qp->timeline = new_timeline(s);
	if (!s->timeline)
		s->timeline = new_timeline(s);
	settle(s, qp);
	find(s, qp->timeline, time_ns);
	tally_both(s, qp, -1);
}

void track_timeline_before(struct track_qps *s, struct track_qp *qp, uint64_t time_ns)
{
	const struct track_timeline *t = qp->timeline;

	if (!t || time_ns < t->begin_ns || time_ns >= t->end_ns)
		turn(s, qp, time_ns);
}

void track_timeline_after(struct track_qp *qp)
{
	struct track_bin *bin = &qp->timeline->bin[qp->timeline->recent];
	const struct track_flight *flight;
	unsigned int way;

	for (way = 0; way < TRACK_WAYS; way++) {
		flight = track_flown(&qp->dir[way]);
		most(&bin->way[way][TRACK_BIN_open_max], flight->packets);
		most(&bin->way[way][TRACK_BIN_in_flight_bytes], flight->bytes);
	}
}

void track_timeline_pause(struct track_qps *s, uint64_t time_ns)
{
	if (!s->interval_ns)
		return;
	if (!s->timeline)
		s->timeline = new_timeline(s);
	bin_at(s, s->timeline, time_ns)->pause++;
}

/* Any priority, from @begin to @end. */
static void add_paused(struct track_qps *s, uint64_t begin, uint64_t end)
{
	struct track_timeline *t = s->timeline;
	uint64_t at, next;

	find(s, t, end - 1);
	find(s, t, begin); /* which may have made intervals longer */
	for (at = begin; at < end; at = next) {
		next = MIN(end, (at / t->interval_ns + 1) * t->interval_ns);
		t->bin[at / t->interval_ns - t->first].paused_ns += next - at;
	}
}

void track_timeline_paused(struct track_qps *s)
{
	uint64_t begin, end;

	if (!s->interval_ns || !s->timeline)
		return;
	while (track_pausing_take(s->pausing, &begin, &end))
		add_paused(s, begin, end);
}

/* Of one that was alone, way 0 is all there is. */
void track_timeline_join(struct track_qps *s, struct track_qp *qp, enum track_way way,
			 struct track_qp *from)
{
	struct track_timeline *t = from->timeline;
	struct track_bin bin;
	uint32_t i;

	settle(s, qp);
	settle(s, from);
	if (!t)
		return;
	if (!qp->timeline)
		qp->timeline = new_timeline(s);
	for (i = 0; i < t->n; i++) {
		bin = t->bin[i];
		if (way == TRACK_B_TO_A) {
			memcpy(bin.way[TRACK_B_TO_A], t->bin[i].way[TRACK_A_TO_B],
			       sizeof(bin.way[0]));
			memset(bin.way[TRACK_A_TO_B], 0, sizeof(bin.way[0]));
		}
		merge(find(s, qp->timeline, (t->first + i) * t->interval_ns), &bin);
	}
	qp->timeline->begin_ns = qp->timeline->end_ns = 0;
}

void track_timeline_drop(struct track_qps *s, struct track_timeline *t)
{
	if (t)
		s->memory.used -= (MAX(t->room, TRACK_TIMELINE_FIRST) - TRACK_TIMELINE_FIRST) *
				  sizeof(*t->bin);
	track_timeline_free(t);
}

void track_timeline_leave(struct track_qps *s, struct track_qp *qp)
{
	settle(s, qp);
	track_timeline_drop(s, qp->timeline);
}

void track_timeline_free(struct track_timeline *t)
{
	if (t)
		g_free(t->bin);
	g_free(t);
}

struct track_timeline *track_timeline_shorter(const struct track_timeline *t, uint32_t max)
{
	struct track_timeline *copy = g_new(struct track_timeline, 1);

	*copy = *t;
	copy->bin = g_memdup2(t->bin, t->n * sizeof(*t->bin));
	copy->room = t->n;
	while (copy->n > max)
		halve(copy);
	return copy;
}

void track_qps_want_timeline(struct track_qps *s, uint64_t interval_ns)
{
	s->interval_ns = interval_ns ? interval_ns : TRACK_BIN_NS;
	s->bins_max = interval_ns ? TRACK_BINS_ASKED : TRACK_BINS;
	track_qps_want_measures(s);
}

const struct track_timeline *track_qps_timeline(const struct track_qps *s)
{
	return s->timeline;
}

const struct track_timeline *track_qp_timeline(const struct track_qp *qp)
{
	return qp->timeline;
}

void track_timelines_align(struct track_qps *s)
{
	uint64_t longest;
	struct track_qp *qp;

	for (qp = s->oldest; qp; qp = qp->newer)
		settle(s, qp);
	if (s->timeline && s->pausing) {
		track_pausing_end(s->pausing,
				  (s->timeline->first + s->timeline->n) * s->timeline->interval_ns);
		track_timeline_paused(s);
	}
	longest = s->timeline ? s->timeline->interval_ns : 0;
	for (qp = s->oldest; qp; qp = qp->newer)
		if (qp->timeline)
			longest = MAX(longest, qp->timeline->interval_ns);
	while (s->timeline && s->timeline->interval_ns < longest)
		halve(s->timeline);
	for (qp = s->oldest; qp; qp = qp->newer)
		while (qp->timeline && qp->timeline->interval_ns < longest)
			halve(qp->timeline);
}
