/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * psn.h - which PSNs of one direction were requested: 24 bits on the wire, 64 here.
 *
 * A PSN is near the expected one, which is after the highest requested so far: up to 2^23 - 1
 * ahead or 2^23 behind. A PSN that is further than 2^20 from it and was not requested before is a
 * new start: everything before it is discarded. PSNs in between that were not requested are holes,
 * of which the last 64 are kept.
 */
#ifndef IBWIRE_TRACK_PSN_H
#define IBWIRE_TRACK_PSN_H

#include <stdbool.h>
#include <stdint.h>

#include <ibwire/rc.h>

#define TRACK_PSN_JUMP (1u << 20)
#define TRACK_HOLES_MAX 64u

/* What a request is by its first PSN. */
enum track_psn_class {
	TRACK_PSN_START,  /* the first of all */
	TRACK_PSN_NEXT,   /* the expected one */
	TRACK_PSN_AHEAD,  /* beyond: there is a hole before it */
	TRACK_PSN_FILL,   /* in a hole, or before the first of all */
	TRACK_PSN_REPEAT, /* requested before */
	TRACK_PSN_RESTART /* another start */
};

/* PSNs that nobody requested: from low up to, but not including, high. */
struct track_hole {
	uint64_t low, high;
	uint64_t frame, time_ns; /* of the packet after it, which showed it */
	uint64_t answered;       /* those below were sent, and are only not captured */
	uint16_t ip_id;          /* of the packet after it */
};

/* Whether some of them were. */
static inline bool track_hole_is_answered(const struct track_hole *hole)
{
	return hole->answered > hole->low;
}

struct track_psns {
	uint64_t next; /* the expected one */
	bool begun;
	bool holes_closed; /* for want of room: what comes there is taken for a repeat */
	uint8_t n_holes;
	uint8_t room; /* for holes, with */
	uint8_t skipped; /* places before the first one: where the lowest goes often, the others stay where they are */
	/* Not for what comes in order */
	uint64_t first;          /* of the first request since the last start */
	uint64_t low;            /* the lowest requested */
	uint64_t missing;        /* of all starts */
	struct track_hole *hole; /* the lowest first */
};

void track_psns_clear(struct track_psns *s);

/* From @from to the PSN that has the 24 bits of @psn and is the nearest. */
static inline int32_t track_psn_from(uint64_t from, uint32_t psn)
{
	return ibw_psn_diff(psn, (uint32_t)from);
}

/* The 64 bits of @psn. Before anything was requested it is the one that begins. */
uint64_t track_psn_extend(struct track_psns *s, uint32_t psn);

/* Of a request; it is not noted yet. */
enum track_psn_class track_psn_class(const struct track_psns *s, uint64_t psn);

/* Notes a request of @n PSNs. @frame shows the hole, if there is one. */
void track_psn_occupy(struct track_psns *s, enum track_psn_class class, uint64_t psn, uint32_t n,
		      uint64_t frame, uint64_t time_ns);

/* Whether @psn was requested since the last start. */
bool track_psn_is_occupied(const struct track_psns *s, uint64_t psn);

/*
 * The first PSNs from @from on, up to but not including @end, that nobody requested: @low to @high,
 * which is not one of them. False: all were.
 */
bool track_psn_next_free(const struct track_psns *s, uint64_t from, uint64_t end, uint64_t *low,
			 uint64_t *high);

/* The hole that has @psn; NULL: none has. */
struct track_hole *track_psn_hole(const struct track_psns *s, uint64_t psn);

#endif /* IBWIRE_TRACK_PSN_H */
