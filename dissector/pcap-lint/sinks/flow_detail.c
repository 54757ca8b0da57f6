/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flow_detail.c - all figures of a connection, below its lines of the table: --stats -v. */
#include "pcap-lint/report/flow.h"

#define LINE 160
#define TIME 40

static void line(struct pl_output *output, const char *value, const char *title,
		 const char *counter)
{
	char text[LINE];

	pl_output_room(output);
	g_snprintf(text, sizeof(text), "%18s  %s", value, title);
	ibw_out_str(&output->out, text);
	if (counter) {
		ibw_out_str(&output->out, " (");
		ibw_out_str(&output->out, counter);
		ibw_out_char(&output->out, ')');
	}
	ibw_out_char(&output->out, '\n');
}

void pl_text_figure(struct pl_output *output, const char *title, const char *counter, uint64_t n)
{
	char text[TIME];

	if (!n)
		return;
	g_snprintf(text, sizeof(text), "%" G_GUINT64_FORMAT, (guint64)n);
	line(output, text, title, counter);
}

/* Of a file other than the one that the connection begins in: with its name. */
static void frame(struct pl_report *report, const struct track_qp *qp, const char *title,
		  uint64_t number)
{
	const char *file = pl_frames_place(&report->frames, qp->first_frame).file;
	const struct pl_place place = pl_frames_place(&report->frames, number);
	struct ibw_out *o = &report->output->out;

	if (!number || place.file == file) {
		pl_text_figure(report->output, title, NULL, place.frame);
		return;
	}
	pl_output_room(report->output);
	pl_out_frame(o, &report->frames, number, file);
	ibw_out_str(o, "  ");
	ibw_out_str(o, title);
	ibw_out_char(o, '\n');
}

static void value_text(char *buf, enum track_unit unit, uint64_t n)
{
	if (unit == TRACK_UNIT_NS)
		pl_time_text(buf, TIME, n);
	else
		pl_bytes_text(buf, TIME, n);
}

void pl_text_duration(struct pl_output *output, const char *title, uint64_t ns)
{
	char text[TIME];

	if (!ns)
		return;
	value_text(text, TRACK_UNIT_NS, ns);
	line(output, text, title, NULL);
}

static void measure(struct pl_output *output, const char *title, const char *counter,
		    enum track_unit unit, uint64_t n)
{
	char text[TIME];

	if (n == TRACK_UNKNOWN)
		return;
	if (unit == TRACK_UNIT_COUNT) {
		pl_text_figure(output, title, counter, n);
	} else if (n) {
		value_text(text, unit, n);
		line(output, text, title, counter);
	}
}

static void named(struct pl_output *output, const char *title, const char *text)
{
	if (text)
		line(output, text, title, NULL);
}

#define BAR 40u

static void bar(struct pl_output *output, enum track_unit unit, unsigned int power, uint64_t count,
		uint64_t most)
{
	char from[TIME], to[TIME], text[LINE];
	uint64_t i, length = (count * BAR + most - 1) / most;

	value_text(from, unit, power ? (uint64_t)1 << power : 0);
	value_text(to, unit, (uint64_t)2 << power);
	pl_output_room(output);
	g_snprintf(text, sizeof(text), "%18" G_GUINT64_FORMAT "  %6s to %6s  ", (guint64)count,
		   from, to);
	ibw_out_str(&output->out, text);
	for (i = 0; i < length; i++)
		ibw_out_char(&output->out, '#');
	ibw_out_char(&output->out, '\n');
}

/* A bar for each power of two. */
static void bars(struct pl_output *output, enum track_unit unit, const struct track_histogram *h)
{
	uint64_t count[64] = { 0 }, most = 0;
	unsigned int i, power, first = 63, last = 0;

	if (!h->n)
		return;
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
		bar(output, unit, i, count[i], most);
}

/* "15  AckReq to ACK: p50 319 us, p99 2.3 ms, max 2.3 ms" */
static void samples(struct pl_output *output, const char *title, enum track_unit unit,
		    const struct track_histogram *h)
{
	char p50[TIME], p99[TIME], max[TIME], text[LINE];

	if (!h->n)
		return;
	value_text(p50, unit, MIN(track_histogram_percentile(h, 500), h->max));
	value_text(p99, unit, MIN(track_histogram_percentile(h, 990), h->max));
	value_text(max, unit, h->max);
	pl_output_room(output);
	g_snprintf(text, sizeof(text), "%18" G_GUINT64_FORMAT "  %s: p50 %s, p99 %s, max %s\n",
		   (guint64)track_histogram_count(h), title, p50, p99, max);
	ibw_out_str(&output->out, text);
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

static void direction(struct pl_report *report, const struct track_qp *qp, enum track_way way)
{
	const struct track_dir *d = &qp->dir[way];
	struct pl_output *output = report->output;
	struct ibw_out *o = &output->out;

	if (!track_figure(d, TRACK_FIGURE_packets) && !track_figure(d, TRACK_FIGURE_icrc_bad))
		return;
	pl_output_room(output);
	ibw_out_str(o, "      ");
	pl_out_end(o, qp, way);
	ibw_out_str(o, " -> ");
	pl_out_end(o, qp, way == TRACK_A_TO_B ? TRACK_B_TO_A : TRACK_A_TO_B);
	ibw_out_char(o, '\n');
#define TRACK_FIGURE(name, value, title, counter)                                                  \
	pl_text_figure(output, title, counter, track_figure(d, TRACK_FIGURE_##name));
#define TRACK_VERB(id, name, title) verb(output, d, TRACK_VERB_##id);
#define TRACK_TIMES(id, name, title)                                                               \
	samples(output, title, TRACK_UNIT_NS, track_dir_times(d, TRACK_TIMES_##id));               \
	bars(output, TRACK_UNIT_NS, track_dir_times(d, TRACK_TIMES_##id));
#define TRACK_MEASURE(name, unit, value, title, counter, definition)                               \
	measure(output, title, counter, TRACK_UNIT_##unit,                                         \
		track_measure_figure(d, TRACK_MEASURE_##name));
#define TRACK_NAMED(name, value, title, definition)                                                \
	named(output, title, track_named_figure(d, TRACK_NAMED_##name));
#define TRACK_FRAME(name, value, title, definition)                                                \
	frame(report, qp, title, track_frame_figure(d, TRACK_FRAME_##name));
#define TRACK_SAMPLES(id, name, unit, title, definition)                                           \
	samples(output, title, TRACK_UNIT_##unit, track_dir_samples(d, TRACK_SAMPLES_##id));       \
	if (TRACK_SAMPLES_##id <= TRACK_SAMPLES_MESSAGE_TIME)                                      \
		bars(output, TRACK_UNIT_##unit, track_dir_samples(d, TRACK_SAMPLES_##id));
#include "track/way/figures.def"
}

void pl_text_details(struct pl_report *report, const struct track_qp *qp)
{
	direction(report, qp, TRACK_A_TO_B);
	direction(report, qp, TRACK_B_TO_A);
	pl_text_qp_waited(report, qp);
}
