/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * events-dump CAPTURE [filtered|streams]: all the trackers find out of a capture, an event a line of JSON, for
 * track_events.py and oracles/text_story.py: who sent what it is about ("from"), and to which QP. With "filtered" it says so of every event; with "streams" packets of connections are tracked, too.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/ahead.h"
#include "capture/capture.h"
#include "track/link/twice.h"
#include "track/track.h"

static void print(const struct track_event *e)
{
	const struct track_event_row *row = &track_event_rows[e->kind];
	struct track_flow flow = e->flow;
	char address[TRACK_ADDRESS_TEXT];
	const char *comma = "";
	unsigned int i;

	printf("{\"event\":\"%s\",\"frame\":%" PRIu64 ",\"time\":%" PRIu64 ",\"half\":%" PRIu64
	       ",\"doubt\":[",
	       row->name, e->frame, e->time_ns, e->half);
	for (i = 0; i < TRACK_DOUBT_COUNT; i++) {
		if (!(e->doubt & 1u << i))
			continue;
		printf("%s\"%s\"", comma, track_doubt_rows[i].name);
		comma = ",";
	}
	printf("],\"frames\":[");
	for (i = 0; i < e->n_frames; i++)
		printf("%s%" PRIu64, i ? "," : "", e->frames[i]);
	printf("]");
	track_flow_as_seen(&flow);
	if (flow.address != TRACK_ADDRESS_NONE)
		printf(",\"from\":\"%s\",\"to\":%" PRIu32,
		       track_address_text((enum track_address)flow.address, flow.src, address),
		       flow.dqpn);
	for (i = 0; i < TRACK_EVENT_NUMBERS; i++)
		if (row->number[i].name)
			printf(",\"%s\":%" PRIu64, row->number[i].name, e->number[i]);
	printf("}\n");
}

static void print_all(struct track *t)
{
	const struct track_event *e;
	unsigned int n, i;

	e = track_events(t, &n);
	for (i = 0; i < n; i++)
		print(&e[i]);
}

static void see(struct track *t, const struct capture_packet *record, struct track_view *view)
{
	const struct track_frame frame = { record->frame, record->time_ns, record->iface };

	track_feed(t, view, &frame);
	print_all(t);
}

static void view_of(const struct capture_packet *record, struct track_view *view)
{
	track_view_packet(view, record->data, record->caplen, record->len, record->linktype, NULL);
}

/* What was captured twice is left out, as pcap-lint does. */
static void see_ahead(struct track *t, struct track_twice *twice, struct capture_ahead *ahead)
{
	const struct capture_kept *kept;
	struct track_view view;

	track_twice_decide(twice);
	while ((kept = capture_ahead_next(ahead, 1))) {
		view_of(&kept->packet, &view);
		if (track_twice_is_copy(twice, kept->ticket))
			track_copy(t, &view.pkt);
		else
			see(t, &kept->packet, &view);
	}
	capture_ahead_clear(ahead);
}

static void one(struct track *t, struct track_twice *twice, struct capture_ahead *ahead,
		const struct capture_packet *record)
{
	const struct track_at at = { .frame = record->frame, .time_ns = record->time_ns };
	struct track_view view;
	uint32_t ticket;

	view_of(record, &view);
	switch (track_twice_feed(twice, &view, &at, record->iface, &ticket)) {
	case TRACK_TWICE_NEW:
		see(t, record, &view);
		break;
	case TRACK_TWICE_COPY:
		track_copy(t, &view.pkt);
		break;
	case TRACK_TWICE_OPEN:
		capture_ahead_add(ahead, &(struct capture_kept){
						 .packet = *record, .nth = 1, .ticket = ticket });
		if (track_twice_is_due(twice, capture_ahead_count(ahead),
				       capture_ahead_bytes(ahead)))
			see_ahead(t, twice, ahead);
		break;
	}
}

int main(int argc, char **argv)
{
	struct capture_packet record;
	struct capture_ahead *ahead;
	struct capture *capture;
	struct track_twice *twice;
	enum capture_result r;
	GError *err = NULL;
	struct track *t;

	capture = argc > 1 ? capture_open(argv[1], NULL, &err) : NULL;
	if (!capture) {
		fprintf(stderr, "%s\n",
			err ? err->message : "events-dump CAPTURE [filtered|streams]");
		return 2;
	}
	t = track_new();
	track_want_connections(t);
	track_want_events(t);
	if (argc > 2 && strcmp(argv[2], "filtered") == 0)
		track_doubt(t, TRACK_DOUBT_FILTERED);
	if (argc > 2 && strcmp(argv[2], "streams") == 0)
		track_want_streams(t);
	twice = track_twice_new();
	ahead = capture_ahead_new();
	while ((r = capture_next(capture, &record)) != CAPTURE_END)
		if (r == CAPTURE_PACKET)
			one(t, twice, ahead, &record);
	see_ahead(t, twice, ahead);
	capture_ahead_free(ahead);
	while (track_finish(t))
		print_all(t);
	print_all(t);
	printf("{\"lost\":%" PRIu64 "}\n", track_events_lost(t));
	track_twice_free(twice);
	track_free(t);
	capture_close(capture);
	return 0;
}
