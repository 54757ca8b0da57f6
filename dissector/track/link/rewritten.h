/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rewritten.h - wrong ICRCs of a flow that one rewritten field explains.
 *
 * A CRC is linear: what a changed header does to it depends on what was changed and on how many bytes
 * come after, on nothing else. Taken back over those, the difference of a wrong ICRC and the right one
 * is, at any 16 bits of the headers, what to change there to make it right: in one packet in 65,536 by
 * chance no more than these 16 bits, in two packets of a flow with one former value by none. Packets
 * of one length whose headers were changed alike all have the same difference: they prove that it is
 * no chance, but not that it is the headers. Nothing is searched for, and nothing tried out.
 */
#ifndef IBWIRE_TRACK_REWRITTEN_H
#define IBWIRE_TRACK_REWRITTEN_H

#include "track/base/event.h"
#include "track/view/view.h"

/* The largest number of flows with wrong ICRCs, of 200 bytes each. */
#define TRACK_REWRITTEN_FLOWS 4096

/* This many packets in a row that agree cannot be chance. */
#define TRACK_REWRITTEN_MANY 3

/* What a wrong ICRC has in common with those of its flow before it; by their first frame, 0: none. */
struct track_icrc_run {
	uint64_t first_frame; /* it agrees with them so far, and one field may explain all */
	uint64_t ended;       /* it does not agree with them, and nothing explains them */
};

struct track_rewritten;

struct track_rewritten *track_rewritten_new(struct track_events *events);
void track_rewritten_free(struct track_rewritten *t); /* NULL is fine */

/* A packet with a BTH whose ICRC is wrong, and not one of all zeros or ones. */
void track_rewritten_feed(struct track_rewritten *t, const struct track_view *view,
			  const struct track_at *at);

/* Of the packet of @frame, which was fed last; of another one: none. NULL is fine. */
struct track_icrc_run track_rewritten_run_of(const struct track_rewritten *t, uint64_t frame);

/* The end of the capture. False: there is no room for more events; read them and call it again. */
bool track_rewritten_finish(struct track_rewritten *t);

#endif /* IBWIRE_TRACK_REWRITTEN_H */
