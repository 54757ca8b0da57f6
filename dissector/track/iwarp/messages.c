/* SPDX-License-Identifier: GPL-2.0-or-later */
/* messages.c - hands the segments of a connection to the reassembly of messages. */
#include "impl.h"

/* Of the end @side. */
static struct track_message_place place_of(const struct track_iwarp_x *x, unsigned int side)
{
	struct track_message_place place = { .flow = track_iwarp_flow(x),
					     .connection = x->c->number,
					     .way = (uint8_t)side,
					     .iwarp = true,
					     .answers = true };

	if (side != x->side)
		track_flow_turn(&place.flow);
	return place;
}

void track_iwarp_message(struct track_iwarp_x *x, const struct ibw_fpdu *f,
			 const struct ibw_segment *s, enum track_message_slot slot, bool begins)
{
	uint64_t frames[TRACK_FPDU_FRAMES];
	struct track_message_segment segment = { .fpdu = f,
						 .segment = s,
						 .frames = frames,
						 .upper = &x->upper,
						 .slot = slot,
						 .begins = begins };

	track_iwarp_decode_part(x, f, s, slot, begins);
	if (!x->t->read)
		return;
	segment.place = place_of(x, x->side);
	segment.n_frames = track_iwarp_frames(x, frames);
	track_messages_segment(x->t->read, &segment, x->at);
}

void track_iwarp_message_headless(const struct track_iwarp_x *x)
{
	struct track_message_place place;

	if (!x->t->read)
		return;
	place = place_of(x, x->side);
	track_messages_headless_segment(x->t->read, &place);
}

void track_iwarp_message_refused(const struct track_iwarp_x *x, const struct track_iwarp_begun *b)
{
	const struct track_message_refused r = {
		.frame = b->frame, .address = b->at, .key = b->key, .opcode = b->opcode
	};
	struct track_message_place place;

	if (!x->t->read)
		return;
	place = place_of(x, !x->side);
	track_messages_refused(x->t->read, &place, &r, x->at);
}

void track_iwarp_messages_over(const struct track_iwarp_x *x)
{
	struct track_message_place place;
	unsigned int side;

	for (side = 0; x->t->read && side < 2; side++) {
		place = place_of(x, side);
		track_messages_over(x->t->read, &place);
	}
}
