/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * streams.c - any packets one after the other: what the trackers make of them, and all rules.
 *
 * Input: packets, each behind five bytes: its link type, and whether it gets a right ICRC; how much of it the
 * capture has lost; how long after the one before it came, a power of two; its captured bytes, two bytes.
 *
 * How often the events are read decides which packets are tracked together, and may decide nothing else.
 */
#include <string.h>

#include <ibwire/bits.h>
#include <ibwire/crc.h>
#include <ibwire/packet.h>

#include "fuzz.h"
#include "lint/lint.h"

static const uint32_t linktypes[] = { IBW_LINKTYPE_ETHERNET, IBW_LINKTYPE_INFINIBAND,
				      IBW_LINKTYPE_ERF, IBW_LINKTYPE_RAW };

#define LINKTYPES (sizeof(linktypes) / sizeof(linktypes[0]))
#define HEAD 5
#define FIX_ICRC 0x80
#define MAX_SHIFT 36 /* a minute */

/* What was found, whatever the order. */
struct sum {
	uint64_t findings, hash;
};

static uint64_t mix(uint64_t hash, uint64_t v)
{
	return (hash ^ v) * 0x9e3779b97f4a7c15 ^ hash >> 29;
}

static void take(void *user, const struct lint_finding *f)
{
	struct sum *sum = user;
	uint64_t hash = mix(f->rule + 1u, f->frame);
	const char *c;

	FUZZ_CHECK(f->rule < LINT_RULE_COUNT && f->message && !strchr(f->message, '\n'));
	hash = mix(hash, (uint64_t)f->severity << 48 | (uint64_t)f->doubt << 32 | f->psn);
	for (c = f->message; *c; c++)
		hash = mix(hash, (uint8_t)*c);
	sum->findings++;
	sum->hash += hash;
}

/* One packet after the other, from @left bytes at @p. */
struct reader {
	uint8_t *p;
	size_t left;
	struct track_frame frame;
	struct ibw_packet pkt;
};

static bool next_packet(struct reader *r)
{
	uint8_t *data = r->p + HEAD;
	struct ibw_crc_verdict icrc;
	uint32_t n;

	if (r->left < HEAD)
		return false;
	n = ibw_get_be16(r->p + 3);
	if (n > r->left - HEAD)
		n = (uint32_t)(r->left - HEAD);
	ibw_packet_walk(&r->pkt, data, n, n + r->p[1], linktypes[r->p[0] % LINKTYPES], NULL);
	icrc = ibw_packet_icrc(&r->pkt);
	if (r->p[0] & FIX_ICRC && icrc.status == IBW_CRC_BAD)
		ibw_icrc_put(data + r->pkt.icrc_off, icrc.computed);
	r->frame.number++;
	r->frame.time_ns += (uint64_t)1 << r->p[2] % MAX_SHIFT;
	r->p += HEAD + n;
	r->left -= HEAD + n;
	return true;
}

static void pass_events(struct lint *l, struct track *track)
{
	const struct track_event *e;
	unsigned int n, i;

	e = track_events(track, &n);
	for (i = 0; i < n; i++)
		FUZZ_CHECK(e[i].kind < TRACK_EVENT_COUNT && e[i].n_frames <= TRACK_EVENT_FRAMES);
	lint_events(l, e, n);
}

/* What is found where the events are read after every packet, or when there are any. */
static struct sum lint(uint8_t *data, size_t size, bool each)
{
	struct reader r = { .p = data, .left = size };
	struct track *track = track_new();
	struct lint_options all = { .track = track };
	const struct track_context *context;
	struct track_view view;
	struct sum sum = { 0, 0 };
	struct lint *l;
	bool more;

	memset(all.rules, true, sizeof(all.rules));
	l = lint_new(&all, &(struct lint_sink){ .take = take, .user = &sum });
	track_want_connections(track);
	track_want_senders(track);
	track_want_streams(track);
	track_want_events(track);
	while (next_packet(&r)) {
		track_view_packet(&view, r.pkt.data, r.pkt.caplen, r.pkt.len, r.pkt.linktype, NULL);
		context = track_packet(track, &view, &r.frame);
		lint_packet(l, &r.frame, &view, context);
		if (each || track_events_waiting(track))
			pass_events(l, track);
	}
	lint_last_packet(l);
	do {
		more = track_finish(track);
		pass_events(l, track);
	} while (more);
	FUZZ_CHECK(!track_events_lost(track));
	lint_finish(l);
	lint_free(l);
	track_free(track);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t copy[65536];
	struct sum each, rarely;

	if (size > sizeof(copy))
		return 0;
	memcpy(copy, data, size);
	each = lint(copy, size, true);
	rarely = lint(copy, size, false);
	FUZZ_CHECK(each.findings == rarely.findings && each.hash == rarely.hash);
	return 0;
}
