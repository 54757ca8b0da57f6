/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * plain.c - any packets: what is read in one step of a plain one is the same as header by header, its summary and what
 * trackers and rules make of it.
 *
 * Input: as of walk.c. Everything is done three times: with the summary alone as far as that is enough, with views, and with
 * views as if no packet were plain.
 */
#include <string.h>

#include "fuzz.h"
#include "lint/lint.h"
#include "pick.h"
#include "track/link/twice.h"
#include "track/view/plain.h"

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

static void events(struct way *way)
{
	const struct track_event *e;
	unsigned int n;

	e = track_events(way->track, &n);
	lint_events(way->lint, e, n);
}

static void go(struct way *way, struct track_view *view, const struct track_frame *frame)
{
	lint_packet(way->lint, frame, view, track_feed(way->track, view, frame));
	events(way);
}

/* As pcap-lint does: the view only where somebody asks for it. */
static void go_plain(struct way *way, const struct track_plain *plain, struct track_view *view,
		     const struct track_frame *frame)
{
	if (!track_feed_plain(way->track, plain, frame)) {
		go(way, view, frame);
		return;
	}
	if (!lint_is_ordinary(plain) || !lint_packet_plain(way->lint, frame, plain)) {
		track_view_icrc(view);
		lint_packet(way->lint, frame, view, track_context_none());
	}
	events(way);
}

static bool same_bytes(const void *a, const void *b, size_t n)
{
	return !memcmp(a, b, n);
}

/* What the view says of the packet: whether track_plain_read() is to read it, if its ICRC is right. */
static bool is_plain_but_for_icrc(const struct track_view *view, uint32_t caplen, uint32_t len)
{
	const uint32_t eths = IBW_ETH_RETH | IBW_ETH_ATOMICETH | IBW_ETH_AETH |
			      IBW_ETH_ATOMICACKETH | IBW_ETH_IMMDT | IBW_ETH_IETH | IBW_ETH_CNP;

	return view->plain && caplen == len && !view->pkt.trailer_len &&
	       !(view->pkt.eths & ~eths) && track_packet_is_connected(view->pkt.opcode) &&
	       ibw_udp_dport(IBW_AT(&view->pkt, udp)) == IBW_UDP_PORT_ROCE;
}

/* Of what may be plain it is the view's, of others it is not computed. */
static void check_icrc(const struct track_plain *plain, struct track_view *view, bool is_computed)
{
	const struct ibw_crc_verdict icrc = track_view_icrc(view);

	if (!is_computed) {
		FUZZ_CHECK(plain->icrc.status == IBW_CRC_ABSENT);
		return;
	}
	FUZZ_CHECK(plain->icrc.status == icrc.status);
	FUZZ_CHECK(plain->icrc.computed == icrc.computed && plain->icrc.found == icrc.found);
}

static void check_read(struct track_plain *plain, struct track_view *view)
{
	static const struct track_at at = { 7, 8, 0 };
	struct track_packet other;

	memset(&other, 0, sizeof(other));
	FUZZ_CHECK(track_packet_of(&other, &view->pkt, &at, false));
	plain->packet.at = at;
	FUZZ_CHECK(same_bytes(&plain->packet, &other, sizeof(other)));
	FUZZ_CHECK(plain->data == view->pkt.data);
	FUZZ_CHECK(plain->payload_len == view->pkt.payload_len);
	FUZZ_CHECK(track_twice_look_of_plain(plain, 3) == track_twice_look_of(&view->pkt, 3));
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
	static struct way ways[3];
	static struct track_frame frame;
	static const uint16_t ports[] = { IBW_UDP_PORT_ROCE + 1 };
	static const struct ibw_walk_options options = { ports, 1 };
	struct track_view view, other, third;
	struct track_plain plain;
	uint32_t linktype, caplen, len, i;
	bool may_be_read, is_read;

	if (size < HEAD || size > 65536)
		return 0;
	if (!ways[0].track) {
		for (i = 0; i < 3; i++)
			begin(&ways[i]);
	}
	linktype = pick_linktype(data);
	caplen = (uint32_t)size - HEAD;
	len = caplen + data[2];
	frame.number++;
	frame.time_ns += 1000;
	track_view_packet(&view, data + HEAD, caplen, len, linktype, &options);
	if (view.plain)
		check_summary(&view);
	may_be_read = is_plain_but_for_icrc(&view, caplen, len);
	is_read = may_be_read && track_view_icrc(&view).status == IBW_CRC_GOOD;
	memset(&plain, 0, sizeof(plain));
	FUZZ_CHECK(track_plain_read(&plain, data + HEAD, caplen, len, linktype) == is_read);
	check_icrc(&plain, &view, may_be_read);
	if (is_read)
		check_read(&plain, &view);
	other = third = view;
	other.plain = false;
	go(&ways[0], &view, &frame);
	go(&ways[1], &other, &frame);
	if (is_read)
		go_plain(&ways[2], &plain, &third, &frame);
	else
		go(&ways[2], &third, &frame);
	for (i = 1; i < 3; i++) {
		FUZZ_CHECK(ways[0].found.n == ways[i].found.n);
		FUZZ_CHECK(ways[0].found.sum == ways[i].found.sum);
	}
	return 0;
}
