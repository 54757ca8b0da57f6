/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cm_asked.h - messages of a conversation of the CM that wait for an answer, and came more than once or waited too long:
 * what was sent when, and what answered it.
 *
 * Whether a copy was sent again or was doubled on its way, its bytes do not tell.
 */
#ifndef IBWIRE_TRACK_CM_ASKED_H
#define IBWIRE_TRACK_CM_ASKED_H

#include "cm_list.h"

/* One side's of one kind; frames and times by what is kept of the conversation. */
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

/* Those of @r, in the order of their first copies; how many there are. */
unsigned int track_cm_list_asked(const struct track_cm_list *l, const struct track_cm_record *r,
				 struct track_cm_asked asked[TRACK_CM_ASKED_MAX]);

#endif /* IBWIRE_TRACK_CM_ASKED_H */
