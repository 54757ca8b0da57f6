/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * packets.h - an input that is packets one after the other.
 *
 * Each is after seven bytes: its link type (pick.h); whether it gets a right ICRC; how much of it the capture
 * has lost; how long after the one before it came, a power of two; its captured bytes, two bytes.
 */
#ifndef FUZZ_PACKETS_H
#define FUZZ_PACKETS_H

#include <string.h>

#include <ibwire/bits.h>
#include <ibwire/crc.h>
#include <ibwire/packet.h>

#include "fuzz.h"
#include "lint/lint.h"
#include "pick.h"

#define PACKETS_HEAD 7
#define PACKETS_FIX_ICRC 0x01
#define PACKETS_MAX_SHIFT 36 /* a minute */

/* One packet after the other, from @left bytes at @p, in which ICRCs are made right. */
struct packets {
	uint8_t *p;
	size_t left;
	struct track_frame frame;
	struct ibw_packet pkt;
};

static inline bool packets_next(struct packets *r)
{
	uint8_t *data = r->p + PACKETS_HEAD;
	struct ibw_crc_verdict icrc;
	uint32_t n;

	if (r->left < PACKETS_HEAD)
		return false;
	n = ibw_get_be16(r->p + 5);
	if (n > r->left - PACKETS_HEAD)
		n = (uint32_t)(r->left - PACKETS_HEAD);
	ibw_packet_walk(&r->pkt, data, n, n + r->p[3], pick_linktype(r->p), NULL);
	icrc = ibw_packet_icrc(&r->pkt);
	if (r->p[2] & PACKETS_FIX_ICRC && icrc.status == IBW_CRC_BAD)
		ibw_icrc_put(data + r->pkt.icrc_off, icrc.computed);
	r->frame.number++;
	r->frame.time_ns += (uint64_t)1 << r->p[4] % PACKETS_MAX_SHIFT;
	r->p += PACKETS_HEAD + n;
	r->left -= PACKETS_HEAD + n;
	return true;
}

/* What was found, whatever the order. */
struct packets_sum {
	uint64_t findings, hash;
};

static inline uint64_t packets_mix(uint64_t hash, uint64_t v)
{
	return (hash ^ v) * 0x9e3779b97f4a7c15 ^ hash >> 29;
}

/* The take() of a sink whose user is a struct packets_sum. */
static inline void packets_take(void *user, const struct lint_finding *f)
{
	struct packets_sum *sum = user;
	uint64_t hash = packets_mix(f->rule + 1u, f->frame);
	const char *c;

	FUZZ_CHECK(f->rule < LINT_RULE_COUNT && f->message && !strchr(f->message, '\n'));
	hash = packets_mix(hash, (uint64_t)f->severity << 48 | (uint64_t)f->doubt << 32 | f->psn);
	for (c = f->message; *c; c++)
		hash = packets_mix(hash, (uint8_t)*c);
	sum->findings++;
	sum->hash += hash;
}

/* The events there are so far, to the linter. */
static inline void packets_pass_events(struct lint *l, struct track *track)
{
	const struct track_event *e;
	unsigned int n, i;

	e = track_events(track, &n);
	for (i = 0; i < n; i++)
		FUZZ_CHECK(e[i].kind < TRACK_EVENT_COUNT && e[i].n_frames <= TRACK_EVENT_FRAMES);
	lint_events(l, e, n);
}

/* All trackers, and a linter of all rules. */
static inline struct track *packets_track(void)
{
	struct track *track = track_new();

	track_want_connections(track);
	track_want_senders(track);
	track_want_streams(track);
	track_want_events(track);
	return track;
}

/* @held: as in struct lint_options. */
static inline struct lint *packets_lint(struct track *track, uint64_t held, struct packets_sum *sum)
{
	struct lint_options all = { .track = track, .names = track, .held = held };

	memset(all.rules, true, sizeof(all.rules));
	return lint_new(&all, &(struct lint_sink){ .take = packets_take, .user = sum });
}

/* The last packet was that: nothing waits any more. */
static inline void packets_settle(struct lint *l, struct track *track)
{
	bool more;

	lint_last_packet(l);
	do {
		more = track_finish(track);
		packets_pass_events(l, track);
	} while (more);
	FUZZ_CHECK(!track_events_lost(track));
	lint_finish(l);
}

static inline void packets_end(struct lint *l, struct track *track)
{
	packets_settle(l, track);
	lint_free(l);
	track_free(track);
}

#endif /* FUZZ_PACKETS_H */
