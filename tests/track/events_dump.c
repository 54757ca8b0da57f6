/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * events-dump CAPTURE [filtered|streams]: all the trackers find out of a capture, an event a line of JSON, for
 * track_events.py and oracles/text_story.py: who sent what it is about ("from"), and to which QP. With "filtered" it says so of every event; with "streams" packets of connections are tracked, too.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/capture.h"
#include "track/context.h"

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

static void one(struct track *t, const struct capture_packet *record)
{
	const struct track_frame frame = { record->frame, record->time_ns, record->iface };
	struct track_view view;

	track_view_packet(&view, record->data, record->caplen, record->len, record->linktype, NULL);
	track_packet(t, &view, &frame);
	print_all(t);
}

int main(int argc, char **argv)
{
	struct capture_packet record;
	struct capture *capture;
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
	while ((r = capture_next(capture, &record)) != CAPTURE_END)
		if (r == CAPTURE_PACKET)
			one(t, &record);
	while (track_finish(t))
		print_all(t);
	print_all(t);
	printf("{\"lost\":%" PRIu64 "}\n", track_events_lost(t));
	track_free(t);
	capture_close(capture);
	return 0;
}
