/* SPDX-License-Identifier: GPL-2.0-or-later */
/* messages.c - --decode --messages: reassembles messages, and finds the connection of each. */
#include <stdlib.h>

#include <ibwire/ibwire.h>

#include "messages.h"
#include "track/stream/qps.h"

struct pl_messages {
	struct pl_output *output;
	const struct pl_options *options;
	const struct pl_owners *owners;
	struct track_messages *read;
	struct track_iwarp *streams;
	struct track_at last;   /* packet */
	struct pl_iwarp *iwarp; /* connections, by the number that track/iwarp gives them */
	unsigned int n_iwarp;
	uint64_t printed;
	bool timeless; /* there were packets without a time: they have 0 */
};

static uint64_t number_of(const struct pl_iwarp *c)
{
	return c->record->conn.number;
}

static bool is_asked_for(const void *chosen, const struct track_flow *flow)
{
	return pl_chosen_flow(chosen, NULL, flow) == PL_CHOSEN_YES;
}

static int by_number(const void *left, const void *right)
{
	const uint64_t a = number_of(left), b = number_of(right);

	return a < b ? -1 : a > b;
}

struct pl_messages *pl_messages_new(struct pl_output *output, const struct pl_options *options,
				    const struct pl_owners *owners, struct track *known,
				    struct track_iwarp *streams)
{
	const struct track_iwarp *iwarp = track_iwarp_connections(known);
	const struct pl_chosen all = { .n_qps = 0 };
	struct pl_messages *t = g_new0(struct pl_messages, 1);
	unsigned int n = 0;

	t->output = output;
	t->options = options;
	t->owners = owners;
	t->read = track_messages_new(options->max_memory / TRACK_MEMORY_TABLES);
	t->streams = streams;
	track_messages_choose(t->read, is_asked_for, &options->chosen);
	track_iwarp_want_messages(streams, t->read);
	g_free(track_qps_sorted(track_streams(known), &n));
	if (iwarp) {
		t->iwarp = pl_iwarp_listed(iwarp, &all, n, &t->n_iwarp);
		qsort(t->iwarp, t->n_iwarp, sizeof(*t->iwarp), by_number);
	}
	return t;
}

void pl_messages_free(struct pl_messages *t)
{
	if (!t)
		return;
	track_messages_free(t->read);
	g_free(t->iwarp);
	g_free(t);
}

const struct track_messages *pl_messages_done(const struct pl_messages *t)
{
	return t->read;
}

/* NULL: it is not listed. */
static const struct pl_iwarp *iwarp_of(const struct pl_messages *t, uint64_t number)
{
	unsigned int low = 0, high = t->n_iwarp, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (number_of(&t->iwarp[middle]) < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->n_iwarp && number_of(&t->iwarp[low]) == number ? &t->iwarp[low] : NULL;
}

/* Its connection and its direction, as --stats has them. */
static void find_connection(const struct pl_messages *t, struct pl_message *p)
{
	const struct track_message_place *place = &p->m->place;
	const struct pl_iwarp *c;

	p->connection = place->connection;
	p->has_connection = place->connection != TRACK_MESSAGE_NO_CONNECTION;
	p->way = place->way;
	if (!place->iwarp)
		return;
	c = iwarp_of(t, place->connection);
	p->has_connection = c != NULL;
	if (!c)
		return;
	p->connection = c->number;
	p->way = place->way == track_iwarp_opener(&c->record->conn) ? TRACK_A_TO_B : TRACK_B_TO_A;
}

/* The headers of what it carries. */
static void walk(struct pl_message *p, struct ibw_span span[PL_UPPER_SPANS],
		 struct ibw_packet *ipoib)
{
	const struct track_message_out *m = p->m;
	uint32_t len =
		m->whole && m->payload < TRACK_ULP_LONG ? (uint32_t)m->payload : TRACK_ULP_LONG;
	struct ibw_ulp_walked w;

	p->layers = (struct pl_layers){ .data = m->bytes };
	if (m->ipoib && m->n_bytes) {
		ibw_packet_walk(ipoib, m->bytes, m->n_bytes, (uint32_t)m->payload,
				IBW_LINKTYPE_IPOIB, NULL);
		p->layers.span = ipoib->span;
		p->layers.n = ipoib->n_spans;
	} else if (m->upper.ulp != IBW_ULP_NONE && m->n_bytes) {
		ibw_ulp_walk(&w, (enum ibw_ulp)m->upper.ulp, m->upper.flags, m->bytes, m->n_bytes,
			     len, span, PL_UPPER_SPANS);
		p->layers.span = span;
		p->layers.n = w.n_spans;
		p->layers.upper = m->upper.n_of ? &m->upper : NULL;
	}
}

static void print(struct pl_messages *t, const char *file, const struct track_message_out *m)
{
	struct pl_message p = { .m = m,
				.file = file,
				.number = t->printed++,
				.has_begin = m->begin_ns || !t->timeless,
				.has_end = m->end_ns || !t->timeless };
	struct ibw_span span[PL_UPPER_SPANS];
	struct ibw_packet ipoib;

	find_connection(t, &p);
	walk(&p, span, &ipoib);
	if (t->options->format == PL_FORMAT_json)
		pl_message_json(t->output, &p);
	else
		pl_message_text(t->output, &p, t->options->verbose);
	pl_output_line(t->output);
}

static void print_all(struct pl_messages *t, const char *file)
{
	const struct track_message_out *m;

	while ((m = track_messages_next(t->read)))
		print(t, file, m);
}

void pl_messages_packet(struct pl_messages *t, const char *file,
			const struct capture_packet *record, struct track_view *view,
			const struct track_context *context, const struct track_frame *frame,
			bool asked_for)
{
	struct track_message_place place = { .connection = TRACK_MESSAGE_NO_CONNECTION };

	t->last = (struct track_at){ .frame = frame->number, .time_ns = frame->time_ns };
	t->timeless |= !record->has_time;
	if (asked_for && view->pkt.bth != IBW_NO_SPAN &&
	    track_flow_gids_of(&view->pkt, &place.flow)) {
		pl_owners_place(t->owners, &place.flow, frame->number, &place);
		track_messages_packet(t->read, &place, view, &t->last, &context->upper);
	}
	print_all(t, file);
}

void pl_messages_finish(struct pl_messages *t, const char *file)
{
	track_iwarp_finish(t->streams, &t->last);
	track_messages_finish(t->read);
	print_all(t, file);
}
