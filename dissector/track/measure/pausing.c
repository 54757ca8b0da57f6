/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pausing.c - when each priority was paused: the times of all senders together. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "pausing.h"
#include "track/link/pause.h"

#define NOT_KNOWN UINT64_MAX

struct sender {
	uint8_t mac[6];
	uint32_t iface;
	uint64_t until[TRACK_PRIORITIES]; /* 0: not paused */
};

struct span {
	uint64_t begin, end;
	uint64_t before; /* paused in all earlier ones */
};

struct priority {
	bool open;
	uint64_t begin, until; /* while open */
	struct span *span;     /* a ring */
	uint32_t n;            /* that there were */
};

struct piece {
	uint64_t begin, end;
};

/* Of all priorities together: times apart from each other, in order. */
struct together {
	uint64_t floor; /* before it all is counted */
	unsigned int n, n_fresh;
	struct piece span[TRACK_PAUSING_TOGETHER];
	struct piece fresh[2 * TRACK_PAUSING_TOGETHER]; /* not taken yet */
};

struct track_pausing {
	uint64_t latest_ns;
	struct together together;
	unsigned int n_senders;
	struct sender sender[TRACK_PAUSING_SENDERS];
	struct priority priority[TRACK_PRIORITIES];
};

struct track_pausing *track_pausing_new(void)
{
	return g_new0(struct track_pausing, 1);
}

void track_pausing_free(struct track_pausing *t)
{
	unsigned int i;

	for (i = 0; t && i < TRACK_PRIORITIES; i++)
		g_free(t->priority[i].span);
	g_free(t);
}

static struct sender *sender_of(struct track_pausing *t, const uint8_t *mac, uint32_t iface)
{
	struct sender *s;

	for (s = t->sender; s < t->sender + t->n_senders; s++)
		if (s->iface == iface && memcmp(s->mac, mac, sizeof(s->mac)) == 0)
			return s;
	if (t->n_senders == TRACK_PAUSING_SENDERS)
		return NULL;
	t->n_senders++;
	memcpy(s->mac, mac, sizeof(s->mac));
	s->iface = iface;
	return s;
}

static struct span *span_at(const struct priority *p, uint32_t i)
{
	return &p->span[i % TRACK_PAUSING_TIMES];
}

/* Taken after each frame, in which no more than this comes. */
static void fresh(struct together *t, uint64_t begin, uint64_t end)
{
	if (begin >= end || t->n_fresh == G_N_ELEMENTS(t->fresh))
		return;
	t->fresh[t->n_fresh].begin = begin;
	t->fresh[t->n_fresh++].end = end;
}

static void forget_earlier(struct together *t)
{
	unsigned int half = TRACK_PAUSING_TOGETHER / 2;

	t->floor = t->span[half - 1].end;
	t->n -= half;
	memmove(t->span, t->span + half, t->n * sizeof(*t->span));
}

/* What of it was not counted is fresh. */
static void count_together(struct together *t, uint64_t begin, uint64_t end)
{
	unsigned int first, after;
	uint64_t from;

	if (t->n == TRACK_PAUSING_TOGETHER)
		forget_earlier(t);
	begin = MAX(begin, t->floor);
	if (begin >= end)
		return;
	for (first = t->n; first && t->span[first - 1].end >= begin; first--)
		;
	from = begin;
	for (after = first; after < t->n && t->span[after].begin <= end; after++) {
		fresh(t, from, t->span[after].begin);
		from = MAX(from, t->span[after].end);
		begin = MIN(begin, t->span[after].begin);
	}
	fresh(t, from, end);
	memmove(t->span + first + 1, t->span + after, (t->n - after) * sizeof(*t->span));
	t->n = t->n + 1 - (after - first);
	t->span[first].begin = begin;
	t->span[first].end = MAX(from, end);
}

bool track_pausing_take(struct track_pausing *t, uint64_t *begin, uint64_t *end)
{
	struct together *together = &t->together;

	if (!together->n_fresh)
		return false;
	together->n_fresh--;
	*begin = together->fresh[together->n_fresh].begin;
	*end = together->fresh[together->n_fresh].end;
	return true;
}

void track_pausing_end(struct track_pausing *t, uint64_t now)
{
	struct priority *p;

	for (p = t->priority; p < t->priority + TRACK_PRIORITIES; p++)
		if (p->open && p->until != NOT_KNOWN)
			count_together(&t->together, p->begin, MIN(p->until, now));
}

static void close_at(struct track_pausing *t, struct priority *p, uint64_t end)
{
	const struct span *last;
	uint64_t before = 0;

	p->open = false;
	if (end <= p->begin)
		return;
	if (!p->span)
		p->span = g_new0(struct span, TRACK_PAUSING_TIMES);
	if (p->n) {
		last = span_at(p, p->n - 1);
		before = last->before + last->end - last->begin;
	}
	*span_at(p, p->n++) = (struct span){ .begin = p->begin, .end = end, .before = before };
	count_together(&t->together, p->begin, end);
}

/* When the last sender's pause ends; 0: nobody pauses. */
static uint64_t until_of_all(const struct track_pausing *t, unsigned int i,
			     const struct sender *but)
{
	uint64_t until = 0;
	unsigned int n;

	for (n = 0; n < t->n_senders; n++)
		if (&t->sender[n] != but)
			until = MAX(until, t->sender[n].until[i]);
	return until;
}

static void feed(struct track_pausing *t, struct sender *s, unsigned int i, uint64_t until)
{
	struct priority *p = &t->priority[i];
	uint64_t now = t->latest_ns, others = until_of_all(t, i, s);
	bool again = s->until[i] == NOT_KNOWN;

	if (p->open && p->until <= now)
		close_at(t, p, p->until);
	s->until[i] = until;
	if (!until && others <= now) {
		if (p->open)
			close_at(t, p, now);
		return;
	}
	/* Nobody knows when it was over before it was asked for again. */
	if (!p->open || (until && again && others <= now))
		p->begin = now;
	p->open = true;
	p->until = MAX(until, others);
}

void track_pausing_feed(struct track_pausing *t, const struct ibw_packet *pkt, uint32_t iface,
			uint64_t speed, uint64_t time_ns)
{
	const struct ibw_eth_wire *eth = IBW_AT(pkt, eth);
	uint16_t quanta[TRACK_PRIORITIES];
	unsigned int asked = track_pause_of(pkt, quanta), i;
	struct sender *s;

	s = asked ? sender_of(t, ibw_eth_src(eth), iface) : NULL;
	if (!s)
		return;
	t->latest_ns = MAX(t->latest_ns, time_ns);
	for (i = 0; i < TRACK_PRIORITIES; i++)
		if (asked >> TRACK_PAUSE_GLOBAL & 1 || asked >> i & 1)
			feed(t, s, i,
			     !quanta[i] ? 0
			     : speed    ? t->latest_ns + track_pause_ns(quanta[i], speed)
					: NOT_KNOWN);
}

/* How long it was paused before @at, of what is over. */
static uint64_t before(const struct priority *p, uint64_t at)
{
	uint32_t low = p->n > TRACK_PAUSING_TIMES ? p->n - TRACK_PAUSING_TIMES : 0, high = p->n,
		 first = low;
	const struct span *span;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (span_at(p, middle)->begin <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == first)
		return low == p->n ? 0 : span_at(p, low)->before;
	span = span_at(p, low - 1);
	return span->before + MIN(span->end, at) - span->begin;
}

uint64_t track_pausing_ns(const struct track_pausing *t, unsigned int priority, uint64_t from,
			  uint64_t to)
{
	const struct priority *p = t ? &t->priority[priority] : NULL;
	uint64_t ns, begin, end;

	if (!p || to <= from)
		return 0;
	ns = before(p, to) - before(p, from);
	if (!p->open || p->until == NOT_KNOWN)
		return ns;
	begin = MAX(p->begin, from);
	end = MIN(p->until, to);
	return end > begin ? ns + end - begin : ns;
}

bool track_pausing_open(const struct track_pausing *t, unsigned int priority, uint64_t *since)
{
	const struct priority *p = t ? &t->priority[priority] : NULL;

	if (!p || !p->open || p->until != NOT_KNOWN)
		return false;
	*since = p->begin;
	return true;
}
