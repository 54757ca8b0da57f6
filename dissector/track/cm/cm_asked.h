/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cm_asked.h - the messages of a CM conversation that were seen more than once, or waited too long for an answer: when
 * each was sent, and what answered it.
 *
 * The bytes of a copy do not show whether it was retransmitted or duplicated by the network.
 */
#ifndef IBWIRE_TRACK_CM_ASKED_H
#define IBWIRE_TRACK_CM_ASKED_H

#include "cm_list.h"

/*
 * The messages of one kind from one side; frames and times are those of the messages that are kept.
 */
struct track_cm_asked {
	/* Frames; 0: there is none */
	uint64_t first_frame, again_frame; /* of the first copy and the second */
	uint64_t last_frame;               /* of the last copy */
	uint64_t answer_frame; /* the first after the last copy; without any, the last */
	uint64_t first_ns, again_ns, answer_ns;
	uint32_t copies;
	uint8_t message, side; /* enum track_cm_message, track_cm_side */
	uint8_t answer; /* enum track_cm_message; 0: there is none. Without a frame it is one that is not kept */
};

/* REQ, REP, LAP, SIDR_REQ, and the DREQs of both. */
#define TRACK_CM_ASKED_MAX 6u

/* The messages of @r, in the order of their first copies; returns their number. */
unsigned int track_cm_list_asked(const struct track_cm_list *l, const struct track_cm_record *r,
				 struct track_cm_asked asked[TRACK_CM_ASKED_MAX]);

#endif /* IBWIRE_TRACK_CM_ASKED_H */
