/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * streams.c - any packets one after the other (packets.h): what the trackers make of them, and all rules.
 *
 * How often the events are read decides which packets are tracked together, and may decide nothing else.
 */
#include <string.h>

#include "packets.h"

/* What is found where the events are read after every packet, or when there are any. */
static struct packets_sum lint(uint8_t *data, size_t size, bool each)
{
	struct packets r = { .p = data, .left = size };
	struct packets_sum sum = { 0, 0 };
	struct track *track = packets_track();
	struct lint *l = packets_lint(track, 0, &sum);
	const struct track_context *context;
	struct track_view view;

	while (packets_next(&r)) {
		track_view_packet(&view, r.pkt.data, r.pkt.caplen, r.pkt.len, r.pkt.linktype, NULL);
		context = track_feed(track, &view, &r.frame);
		lint_packet(l, &r.frame, &view, context);
		if (each || track_events_waiting(track))
			packets_pass_events(l, track);
	}
	packets_end(l, track);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t copy[65536];
	struct packets_sum each, rarely;

	if (size > sizeof(copy))
		return 0;
	memcpy(copy, data, size);
	each = lint(copy, size, true);
	rarely = lint(copy, size, false);
	FUZZ_CHECK(each.findings == rarely.findings && each.hash == rarely.hash);
	return 0;
}
