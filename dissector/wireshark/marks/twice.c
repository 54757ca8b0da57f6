/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * twice.c - which packets were captured twice (track/link/twice.h), and those to be seen once more, without the copies.
 *
 * Wireshark does not read ahead: trackers and linter have seen the first copies before it is known what they are. So the first packets of a
 * file are kept, and once there are copies among them pass.c begins again with what is kept: only when the file was read, or twice as
 * many as the time before are, so that none is seen more than four times.
 */
#include <string.h>

#include <ibwire/packet.h>

#include "twice.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/prefs.h"
#include "lint/lint.h"
#include "track/link/twice.h"
#include "track/track.h"

/* Of a longer file copies are left out from the decision on. */
#define KEPT_MAX 65536u
#define KEPT_BYTES (32u << 20)
#define BLOCK_BYTES (256u << 10) /* at least; a packet is in one block */

struct kept {
	struct track_frame at;
	const uint8_t *data;
	uint32_t caplen, len, linktype;
	uint32_t ticket; /* of track_twice_feed(), while that is open */
	uint32_t of;     /* the frame that it would be a copy of */
	uint16_t roce_port;
	bool whole, is_copy;
};

static struct track_twice *twice; /* NULL: nobody asks */
static GArray *kept;              /* of struct kept; NULL: they were too many */
static GPtrArray *blocks;         /* with their bytes: what is there never moves */
static uint8_t *room;             /* left in the last block, */
static size_t room_bytes;         /* and how much */
static size_t kept_bytes;
static unsigned int undecided; /* packets since it has been open */
static uint64_t undecided_bytes;
static unsigned int decided; /* of those that are kept */
static unsigned int seen;    /* once more, of those */
static unsigned int next;    /* to be seen once more */
static bool is_due;          /* a copy was taken for another packet */

static GArray *copies; /* of uint32_t, by frame: what that is a copy of, 0: it is none */

/* Of the last frame, by which packets within it go. */
static struct {
	uint64_t frame;
	uint32_t ticket, of;
	bool is_copy;
} last;

static void let_go(void)
{
	if (kept) {
		g_array_free(kept, TRUE);
		g_ptr_array_free(blocks, TRUE);
	}
	kept = NULL;
	blocks = NULL;
	room = NULL;
	room_bytes = kept_bytes = 0;
}

void iw_twice_init(void)
{
	undecided = decided = seen = next = 0;
	undecided_bytes = 0;
	is_due = false;
	last.frame = 0;
	if (!iw_prefs.lint.rules[LINT_CAP008])
		return;
	twice = track_twice_new();
	kept = g_array_new(FALSE, FALSE, sizeof(struct kept));
	blocks = g_ptr_array_new_with_free_func(g_free);
	copies = g_array_new(FALSE, TRUE, sizeof(uint32_t));
}

void iw_twice_cleanup(void)
{
	let_go();
	track_twice_free(twice);
	twice = NULL;
	if (copies)
		g_array_free(copies, TRUE);
	copies = NULL;
}

void iw_twice_finish(void)
{
	let_go();
}

uint32_t iw_twice_of(uint32_t frame)
{
	return copies && frame < copies->len ? g_array_index(copies, uint32_t, frame) : 0;
}

static void put(uint32_t frame, uint32_t of)
{
	if (frame >= copies->len)
		g_array_set_size(copies, frame + 1);
	g_array_index(copies, uint32_t, frame) = of;
}

const struct track_twice *iw_twice(void)
{
	return twice;
}

static bool has_room(void)
{
	return kept->len < KEPT_MAX && kept_bytes < KEPT_BYTES;
}

/* What was open is known. */
static void settle(void)
{
	struct kept *k;
	bool copy;

	undecided = 0;
	undecided_bytes = 0;
	for (; kept && decided < kept->len; decided++) {
		k = &g_array_index(kept, struct kept, decided);
		copy = track_twice_is_copy(twice, k->ticket);
		if (!copy || k->is_copy)
			continue;
		k->is_copy = true;
		is_due = true;
		put((uint32_t)k->at.number, k->of);
	}
}

static void decide(void)
{
	track_twice_decide(twice);
	settle();
}

/* A copy of the bytes that stays where it is. */
static const uint8_t *keep_bytes(const uint8_t *data, uint32_t caplen)
{
	uint8_t *to;

	if (caplen > room_bytes) {
		room_bytes = MAX(caplen, BLOCK_BYTES);
		room = g_malloc(room_bytes);
		g_ptr_array_add(blocks, room);
	}
	to = room;
	memcpy(to, data, caplen);
	room += caplen;
	room_bytes -= caplen;
	kept_bytes += caplen;
	return to;
}

static void keep(struct kept *k, const struct ibw_packet *pkt)
{
	if (!kept)
		return;
	k->data = keep_bytes(pkt->data, pkt->caplen);
	g_array_append_val(kept, *k);
}

/* As pcap-lint, which does not read on for longer. */
static void wait_for_more(uint32_t caplen)
{
	undecided++;
	undecided_bytes += caplen;
	if (track_twice_is_due(twice, undecided, undecided_bytes))
		decide();
}

/* What a whole frame is, and every packet within it. */
static enum track_twice_is ask(struct iw_frame *frame, const struct track_frame *at)
{
	const struct track_at now = { .frame = at->number, .time_ns = at->time_ns };
	enum track_twice_is is =
		track_twice_feed(twice, &frame->view, &now, at->iface, &last.ticket);

	if (is != TRACK_TWICE_OPEN)
		last.ticket = 0;
	last.is_copy = is == TRACK_TWICE_COPY || track_twice_is_copy(twice, last.ticket);
	last.of = twice->of;
	last.frame = at->number;
	if (last.is_copy)
		put((uint32_t)at->number, last.of);
	return is;
}

bool iw_twice_packet(struct iw_frame *frame, const struct track_frame *at)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	enum track_twice_is is = TRACK_TWICE_NEW;
	bool known;
	struct kept k;

	if (!twice)
		return false;
	if (frame->whole)
		is = ask(frame, at);
	known = last.frame == at->number;
	k = (struct kept){ .at = *at,
			   .caplen = pkt->caplen,
			   .len = pkt->len,
			   .linktype = frame->linktype,
			   .ticket = known ? last.ticket : 0,
			   .of = last.of,
			   .roce_port = frame->roce_port,
			   .whole = frame->whole,
			   .is_copy = known && last.is_copy };
	keep(&k, pkt);
	if (is == TRACK_TWICE_OPEN)
		wait_for_more(pkt->caplen);
	return k.is_copy;
}

bool iw_twice_is_due(void)
{
	if (!kept)
		return false;
	if (!has_room() && !is_due)
		let_go();
	return is_due && (kept->len / 2 >= seen || !has_room());
}

bool iw_twice_is_due_at_end(void)
{
	if (twice)
		decide();
	return kept && is_due;
}

bool iw_twice_next(struct iw_frame *frame, struct track_frame *at, bool *is_copy)
{
	struct ibw_walk_options options = { iw_prefs.lint.roce_ports, iw_prefs.lint.n_roce_ports };
	const struct kept *k;

	if (next == kept->len) {
		is_due = false;
		seen = next;
		next = 0;
		if (!has_room())
			let_go();
		return false;
	}
	k = &g_array_index(kept, struct kept, next++);
	if (k->roce_port)
		options = (struct ibw_walk_options){ &k->roce_port, 1 };
	*frame = (struct iw_frame){ .whole = k->whole,
				    .linktype = k->linktype,
				    .roce_port = k->roce_port };
	track_view_packet(&frame->view, k->data, k->caplen, k->len, k->linktype, &options);
	*at = k->at;
	*is_copy = k->is_copy;
	return true;
}
