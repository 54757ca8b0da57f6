/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mad_asked.h - MAD requests that were seen more than once, were answered late, or not at all: when each was sent, and
 * what answered it.
 *
 * The bytes of a copy do not show whether it was retransmitted or duplicated by the network.
 */
#ifndef IBWIRE_TRACK_MAD_ASKED_H
#define IBWIRE_TRACK_MAD_ASKED_H

#include <stdbool.h>
#include <stdint.h>

#include "track/base/flow.h"
#include "track/view/object.h"

/* So many are kept. */
#define TRACK_MAD_ASKED_MAX 65536u

/* What came of it. */
enum track_mad_outcome {
	TRACK_MAD_UNANSWERED,
	TRACK_MAD_LATE,     /* answered when nobody waited any longer */
	TRACK_MAD_STOPPED,  /* a STOP or an ABORT of RMPP came instead of an answer */
	TRACK_MAD_REPEATED, /* answered in time */
};

struct track_mad_asked {
	/* Frames; 0: there is none */
	uint64_t first_frame, again_frame; /* of the first copy and the second */
	uint64_t last_frame;               /* of the last copy */
	uint64_t given_up_frame;           /* of the copy whose answer did not come in time */
	uint64_t answer_frame;             /* the first of the answer, or what stopped it */
	uint64_t until_frame;              /* none was looked for from there on; 0: to the end */
	uint64_t first_ns, again_ns, last_ns, answer_ns;
	uint64_t path;          /* of a directed route: what its way is */
	struct track_flow flow; /* of the request */
	struct track_object object;
	uint32_t copies;
	uint32_t agent; /* of a directed route: who asks, the upper half of the transaction ID */
	uint16_t attr_id;
	uint8_t mgmt_class, method;
	bool late, stopped;
};

/* Those of one cause, as far as anybody can tell: places in the order. */
struct track_mads_alike {
	uint32_t from, n;
};

/* Those of a capture, in the order in which it was seen that something is wrong with them. */
struct track_mads_asked {
	struct track_mad_asked *asked;
	uint32_t n, room;
	uint64_t more; /* than there is room for */
	/* Once sorted, until the next one comes: by first copies among those of one cause */
	const struct track_mad_asked **sorted;
	struct track_mads_alike *alike;
	uint32_t n_alike;
};

void track_mads_asked_free(struct track_mads_asked *list); /* NULL is fine */

/* A place for one more; NULL: there is no room, and it is counted. The address holds until the next one. */
struct track_mad_asked *track_mads_asked_add(struct track_mads_asked *list);

enum track_mad_outcome track_mad_asked_outcome(const struct track_mad_asked *a);

/* The time it certainly waited: to its answer, without any to the last copy. */
uint64_t track_mad_asked_end(const struct track_mad_asked *a);

/* The frame that shows it, and when that came: the second copy, of one that came once itself. */
static inline uint64_t track_mad_asked_shown(const struct track_mad_asked *a)
{
	return a->again_frame ? a->again_frame : a->first_frame;
}

static inline uint64_t track_mad_asked_shown_ns(const struct track_mad_asked *a)
{
	return a->again_frame ? a->again_ns : a->first_ns;
}

/*
 * The capture has ended: sorts them by cause. Those have one that are between the same hosts, of the same class, agent and way, came
 * to the same, and show within a second of the first of them.
 */
void track_mads_asked_sort(struct track_mads_asked *list);

/* The one at that place of the order. */
static inline const struct track_mad_asked *track_mads_asked_at(const struct track_mads_asked *list,
								uint32_t place)
{
	return list->sorted[place];
}

#endif /* IBWIRE_TRACK_MAD_ASKED_H */
