/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * plain.c - any packets: what is taken in one step of a plain one is the same as header by header, its summary and what
 * trackers and rules make of it.
 *
 * Input: as of walk.c. Everything is done twice, the second time as if no packet were plain.
 */
#include <string.h>

#include "fuzz.h"
#include "lint/lint.h"
#include "pick.h"
#include "track/view/packet.h"

#define HEAD 3

/* What was found so far, as one number: of each finding where it is, and its words. */
struct found {
	uint64_t n, sum;
};

struct way {
	struct found found;
	struct track *track;
	struct lint *lint;
};

static void add(struct found *found, const void *data, size_t n)
{
	const uint8_t *p = data;
	size_t i;

	for (i = 0; i < n; i++)
		found->sum = (found->sum ^ p[i]) * UINT64_C(0x100000001b3);
}

static void take(void *user, const struct lint_finding *f)
{
	struct found *found = user;

	found->n++;
	add(found, &f->rule, sizeof(f->rule));
	add(found, &f->frame, sizeof(f->frame));
	add(found, &f->offset, sizeof(f->offset));
	add(found, &f->length, sizeof(f->length));
	add(found, f->message, strlen(f->message));
}

static void begin(struct way *way)
{
	static struct lint_options all;
	const struct lint_sink sink = { .take = take, .user = &way->found };

	way->track = track_new();
	track_want_events(way->track);
	track_want_streams(way->track);
	memset(all.rules, true, sizeof(all.rules));
	all.track = all.names = way->track;
	way->lint = lint_new(&all, &sink);
}

static void go(struct way *way, struct track_view *view, const struct track_frame *frame)
{
	const struct track_event *e;
	unsigned int n;

	lint_packet(way->lint, frame, view, track_feed(way->track, view, frame));
	e = track_events(way->track, &n);
	lint_events(way->lint, e, n);
}

static bool same_bytes(const void *a, const void *b, size_t n)
{
	return !memcmp(a, b, n);
}

static void check_summary(struct track_view *view)
{
	static const struct track_at at = { 7, 8, 0 };
	struct track_packet plain, other;
	bool bad;

	memset(&plain, 0, sizeof(plain));
	memset(&other, 0, sizeof(other));
	bad = track_view_icrc(view).status == IBW_CRC_BAD;
	FUZZ_CHECK(track_packet_of_plain(&plain, &view->pkt, &at, bad) ==
		   track_packet_of(&other, &view->pkt, &at, bad));
	FUZZ_CHECK(same_bytes(&plain, &other, sizeof(plain)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct way ways[2];
	static struct track_frame frame;
	struct track_view view, other;
	uint32_t linktype, caplen, len;

	if (size < HEAD || size > 65536)
		return 0;
	if (!ways[0].track) {
		begin(&ways[0]);
		begin(&ways[1]);
	}
	linktype = pick_linktype(data);
	caplen = (uint32_t)size - HEAD;
	len = caplen + data[2];
	frame.number++;
	frame.time_ns += 1000;
	track_view_packet(&view, data + HEAD, caplen, len, linktype, NULL);
	if (view.plain)
		check_summary(&view);
	other = view;
	other.plain = false;
	go(&ways[0], &view, &frame);
	go(&ways[1], &other, &frame);
	FUZZ_CHECK(ways[0].found.n == ways[1].found.n);
	FUZZ_CHECK(ways[0].found.sum == ways[1].found.sum);
	return 0;
}
