/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flow_detail.c - all figures of a connection, below its lines of the table: --stats -v. */
#include "flow.h"

#define LINE 160
#define TIME 40

static void figure(struct pl_output *output, const struct track_dir *d, enum track_figure number_of)
{
	const struct track_figure_row *row = &track_figures[number_of];
	uint64_t n = track_figure(d, number_of);
	char text[LINE];

	if (!n)
		return;
	pl_output_room(output);
	g_snprintf(text, sizeof(text), "%18" G_GUINT64_FORMAT "  %s", (guint64)n, row->title);
	ibw_out_str(&output->out, text);
	if (row->counter) {
		ibw_out_str(&output->out, " (");
		ibw_out_str(&output->out, row->counter);
		ibw_out_char(&output->out, ')');
	}
	ibw_out_char(&output->out, '\n');
}

#define BAR 40u

static void bar(struct pl_output *output, unsigned int power, uint64_t count, uint64_t most)
{
	char from[TIME], to[TIME], text[LINE];
	uint64_t i, length = (count * BAR + most - 1) / most;

	pl_time_text(from, sizeof(from), power ? (uint64_t)1 << power : 0);
	pl_time_text(to, sizeof(to), (uint64_t)2 << power);
	pl_output_room(output);
	g_snprintf(text, sizeof(text), "%18" G_GUINT64_FORMAT "  %6s to %6s  ", (guint64)count,
		   from, to);
	ibw_out_str(&output->out, text);
	for (i = 0; i < length; i++)
		ibw_out_char(&output->out, '#');
	ibw_out_char(&output->out, '\n');
}

/* A bar for each power of two. */
static void bars(struct pl_output *output, const struct track_histogram *h)
{
	uint64_t count[64] = { 0 }, most = 0;
	unsigned int i, power, first = 63, last = 0;

	for (i = 0; i < h->n; i++) {
		power = (unsigned int)g_bit_storage(
				(gulong)track_bucket_upper(h->bucket[i].number) | 1) -
			1;
		count[power] += h->bucket[i].count;
		most = MAX(most, count[power]);
		first = MIN(first, power);
		last = MAX(last, power);
	}
	for (i = first; i <= last; i++)
		bar(output, i, count[i], most);
}

static void times(struct pl_output *output, const struct track_dir *d, enum track_times list)
{
	const struct track_histogram *h = track_dir_times(d, list);
	char p50[TIME], p99[TIME], max[TIME], text[LINE];

	if (!h->count)
		return;
	pl_time_text(p50, sizeof(p50), MIN(track_histogram_percentile(h, 500), h->max));
	pl_time_text(p99, sizeof(p99), MIN(track_histogram_percentile(h, 990), h->max));
	pl_time_text(max, sizeof(max), h->max);
	pl_output_room(output);
	g_snprintf(text, sizeof(text), "%18" G_GUINT64_FORMAT "  %s: p50 %s, p99 %s, max %s\n",
		   (guint64)h->count, track_times[list].title, p50, p99, max);
	ibw_out_str(&output->out, text);
	bars(output, h);
}

static void verb(struct pl_output *output, const struct track_dir *d, enum track_verb number_of)
{
	char text[LINE];

	if (!d->messages[number_of])
		return;
	g_snprintf(text, sizeof(text), "%18u  messages: %s\n", d->messages[number_of],
		   track_verbs[number_of].title);
	ibw_out_str(&output->out, text);
}

static void direction(struct pl_output *output, const struct track_qp *qp, enum track_way way)
{
	const struct track_dir *d = &qp->dir[way];
	struct ibw_out *o = &output->out;

	if (!track_figure(d, TRACK_FIGURE_packets) && !track_figure(d, TRACK_FIGURE_icrc_bad))
		return;
	pl_output_room(output);
	ibw_out_str(o, "      ");
	pl_out_end(o, qp, way);
	ibw_out_str(o, " -> ");
	pl_out_end(o, qp, way == TRACK_A_TO_B ? TRACK_B_TO_A : TRACK_A_TO_B);
	ibw_out_char(o, '\n');
#define TRACK_FIGURE(name, value, title, counter) figure(output, d, TRACK_FIGURE_##name);
#define TRACK_VERB(id, name, title) verb(output, d, TRACK_VERB_##id);
#define TRACK_TIMES(id, name, title) times(output, d, TRACK_TIMES_##id);
#include "track/figures.def"
}

void pl_text_details(struct pl_report *report, const struct track_qp *qp)
{
	direction(report->output, qp, TRACK_A_TO_B);
	direction(report->output, qp, TRACK_B_TO_A);
}
