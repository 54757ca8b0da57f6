/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_latency.c - how long answers took: one lane per direction and kind, on a logarithmic scale. Above the first ones,
 * the buckets of a histogram are such a scale, so they are drawn by their numbers, a few together.
 */
#include <string.h>

#include "pcap-lint/report/flow.h"
#include "html_picture.h"

#define LEFT 200u
#define RIGHT 990u
#define LANE 50u
#define STEP 74u /* from lane to lane: marks have their words above */
#define TOP 22u
#define LANES 6u
#define TOGETHER 4u /* buckets to a bar */

struct lane {
	char title[64];
	const struct track_histogram *h;
};

/* The buckets that all lanes have. */
struct range {
	uint32_t first, last;
};

static int64_t x_of(const struct range *range, uint32_t number)
{
	return (int64_t)(LEFT * (uint64_t)10 + pl_svg_part(number - range->first,
							   range->last + 1 - range->first,
							   (RIGHT - LEFT) * (uint64_t)10));
}

/* The bucket of a value, as its upper end says. */
static uint32_t bucket_of(const struct range *range, uint64_t value)
{
	uint32_t i;

	for (i = range->first; i < range->last && track_bucket_upper(i) < value; i++)
		;
	return i;
}

static void bars(GString *p, const struct range *range, const struct track_histogram *h,
		 unsigned int floor)
{
	uint32_t from, i, n = range->last / TOGETHER + 1;
	uint64_t *count = g_new0(uint64_t, n), most = 1;

	for (i = 0; i < h->n; i++) {
		count[h->bucket[i].number / TOGETHER] += h->bucket[i].count;
		most = MAX(most, count[h->bucket[i].number / TOGETHER]);
	}
	g_string_append(p, "<path class=\"f-new\" d=\"");
	for (i = range->first / TOGETHER; i < n; i++) {
		int64_t high = (int64_t)pl_svg_part(count[i], most, LANE * (uint64_t)10);
		int64_t x, to;

		if (!count[i])
			continue;
		from = MAX(i * TOGETHER, range->first);
		x = x_of(range, from);
		to = x_of(range, MIN((i + 1) * TOGETHER, range->last + 1));
		high = MAX(high, 10);
		pl_svg_box(p, x, (int64_t)floor * 10 - high, MAX(to - x, 10), high);
	}
	g_string_append(p, "\"/>\n");
	g_free(count);
}

static void mark(GString *p, const struct range *range, uint64_t ns, const char *what,
		 unsigned int floor, unsigned int above)
{
	int64_t x = (x_of(range, bucket_of(range, ns)) + x_of(range, bucket_of(range, ns) + 1)) / 2;
	char text[48], time[32];

	pl_time_text(time, sizeof(time), ns);
	g_snprintf(text, sizeof(text), "%s %s", what, time);
	g_string_append(p, "<line class=\"mark\" x1=\"");
	pl_svg_tenths(p, x);
	g_string_append_printf(p, "\" y1=\"%u\" x2=\"", floor - LANE - above);
	pl_svg_tenths(p, x);
	g_string_append_printf(p, "\" y2=\"%u\"/>", floor);
	pl_svg_text(p, (unsigned int)(x / 10) + (x > 8500 ? 0 : 3), floor - LANE - above + 8, "t",
		    x > 8500 ? "end" : "start", text);
}

static void draw(GString *p, const struct range *range, const struct lane *lane, unsigned int top)
{
	const unsigned int floor = top + LANE;
	char text[48];

	bars(p, range, lane->h, floor);
	g_string_append_printf(p, "<line class=\"axis\" x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\"/>",
			       LEFT, floor, RIGHT, floor);
	pl_svg_text(p, LEFT - 8, floor - 20, "l", "end", lane->title);
	g_snprintf(text, sizeof(text), "%" G_GUINT64_FORMAT " times",
		   (guint64)track_histogram_count(lane->h));
	pl_svg_text(p, LEFT - 8, floor - 6, "t", "end", text);
	mark(p, range, MIN(track_histogram_percentile(lane->h, 500), lane->h->max), "p50", floor,
	     18);
	mark(p, range, MIN(track_histogram_percentile(lane->h, 990), lane->h->max), "p99", floor,
	     8);
}

/* 1 us, 10 us ...: where they are. */
static void decades(GString *p, const struct range *range, unsigned int bottom)
{
	uint64_t least = range->first ? track_bucket_upper(range->first - 1) : 0, ns;
	uint64_t most = track_bucket_upper(range->last);
	char text[32];
	int64_t x;

	g_string_append(p, "<g class=\"grid\">");
	for (ns = 1; ns <= most / 10 * 10 && ns < UINT64_MAX / 10; ns *= 10) {
		if (ns <= least)
			continue;
		x = x_of(range, bucket_of(range, ns));
		g_string_append(p, "<line x1=\"");
		pl_svg_tenths(p, x);
		g_string_append_printf(p, "\" y1=\"%u\" x2=\"", TOP);
		pl_svg_tenths(p, x);
		g_string_append_printf(p, "\" y2=\"%u\"/>", bottom);
		pl_time_text(text, sizeof(text), ns);
		pl_svg_text(p, (unsigned int)(x / 10), bottom + 13, "t", "middle", text);
	}
	g_string_append(p, "</g>\n");
}

/* Whether it has more than a bar. */
static bool is_spread(const struct track_histogram *h)
{
	return h->n && h->bucket[0].number / TOGETHER != h->bucket[h->n - 1].number / TOGETHER;
}

/* Lanes of more than a bar. */
static unsigned int fill(struct lane lanes[LANES], const struct track_qp *qp)
{
	static const char *const whose[TRACK_WAYS] = { "A's", "B's" };
	unsigned int way, n = 0;

	for (way = 0; way < TRACK_WAYS; way++) {
		const struct track_dir *d = &qp->dir[way];
		const struct {
			const struct track_histogram *h;
			const char *what;
		} all[] = {
			{ track_dir_times(d, TRACK_TIMES_ACK), "AckReq to ACK" },
			{ track_dir_times(d, TRACK_TIMES_READ), "READ to last answer" },
			{ track_dir_samples(d, TRACK_SAMPLES_NAK_REACTION), "NAK to resend" },
		};
		unsigned int i;

		for (i = 0; i < G_N_ELEMENTS(all); i++) {
			if (n == LANES || !is_spread(all[i].h))
				continue;
			lanes[n].h = all[i].h;
			g_snprintf(lanes[n].title, sizeof(lanes[n].title), "%s %s", whose[way],
				   all[i].what);
			n++;
		}
	}
	return n;
}

static char *sentence_of(const struct lane *lanes, unsigned int n)
{
	GString *text = g_string_new("How long answers took.");
	char p50[32], p99[32], most[32];
	unsigned int i;

	for (i = 0; i < n; i++) {
		pl_time_text(p50, sizeof(p50),
			     MIN(track_histogram_percentile(lanes[i].h, 500), lanes[i].h->max));
		pl_time_text(p99, sizeof(p99),
			     MIN(track_histogram_percentile(lanes[i].h, 990), lanes[i].h->max));
		pl_time_text(most, sizeof(most), lanes[i].h->max);
		g_string_append_printf(text,
				       " %s: half within %s, 99 %% within %s, the slowest %s.",
				       lanes[i].title, p50, p99, most);
	}
	return g_string_free(text, FALSE);
}

void pl_html_latency(struct pl_html *html, const struct track_qp *qp)
{
	struct lane lanes[LANES];
	unsigned int i, n = fill(lanes, qp);
	struct range range = { UINT32_MAX, 0 };
	GString *p = html->page;
	char *sentence;

	if (!n)
		return;
	for (i = 0; i < n; i++) {
		range.first = MIN(range.first, lanes[i].h->bucket[0].number);
		range.last = MAX(range.last, lanes[i].h->bucket[lanes[i].h->n - 1].number);
	}
	range.first -= range.first % TOGETHER;
	sentence = sentence_of(lanes, n);
	g_string_append(
		p,
		"<figure><figcaption>How long answers took, on a logarithmic scale; bars count answers.</figcaption>");
	pl_svg_begin(p, TOP + n * STEP + 6, sentence, NULL);
	decades(p, &range, TOP + n * STEP - (STEP - LANE));
	for (i = 0; i < n; i++)
		draw(p, &range, &lanes[i], TOP + i * STEP);
	pl_svg_end(p);
	g_string_append(p, "</figure>\n");
	g_free(sentence);
}
