/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * icrc.h - wrong ICRCs: senders that leave it out, and bits that were changed on the way (for whole
 * flows: rewritten.h).
 *
 * From the first wrong ICRC on, the beginnings of the last packets are kept. A packet that was
 * changed on the way has the ICRC of the packet that was sent: if that is captured, too, before it
 * (a mirror of both sides of a switch) or after it (a retransmission), the two show which field was
 * changed.
 */
#ifndef IBWIRE_TRACK_ICRC_H
#define IBWIRE_TRACK_ICRC_H

#include "rewritten.h"
#include "track/base/event.h"
#include "track/view/view.h"

/* The largest number of flows with wrong ICRCs of all zeros or ones. */
#define TRACK_ICRC_FLOWS 4096

/* This many packets of a flow with such an ICRC cannot be chance. */
#define TRACK_ICRC_MANY 11

struct track_icrcs;

struct track_icrcs *track_icrcs_new(struct track_events *events);
void track_icrcs_free(struct track_icrcs *t); /* NULL is fine */

/* A packet with a BTH, whose ICRC has been computed. */
void track_icrcs_feed(struct track_icrcs *t, const struct track_view *view,
		      const struct track_at *at);

/* Whether packets with a right one are to be fed, too: since there was a wrong one. */
bool track_icrcs_wants_right(const struct track_icrcs *t);

/* Of the packet of @frame, which was fed last: rewritten.h */
struct track_icrc_run track_icrcs_run_of(const struct track_icrcs *t, uint64_t frame);

/* The end of the capture. False: there is no room for more events; read them and call it again. */
bool track_icrcs_finish(struct track_icrcs *t);

#endif /* IBWIRE_TRACK_ICRC_H */
