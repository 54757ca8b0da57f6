/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * icrc.h - wrong ICRCs: senders that leave it out, and bits that somebody changed on the way
 * (of whole flows: rewritten.h).
 *
 * From the first wrong one on, the beginning of the last packets is kept. A packet that was changed
 * on the way has the ICRC of what was sent: if that is seen as well, before it (a mirror of both
 * sides of a switch) or after it (sent again), the two say which field was changed.
 */
#ifndef IBWIRE_TRACK_ICRC_H
#define IBWIRE_TRACK_ICRC_H

#include "rewritten.h"
#include "track/base/event.h"
#include "track/view/view.h"

/* Flows with wrong ICRCs of all zeros or ones that are remembered. */
#define TRACK_ICRC_FLOWS 4096

/* So many packets of a flow with such an ICRC are no chance. */
#define TRACK_ICRC_MANY 11

struct track_icrcs;

struct track_icrcs *track_icrcs_new(struct track_events *events);
void track_icrcs_free(struct track_icrcs *t); /* NULL is fine */

/* A packet with a BTH; its ICRC is worked out. */
void track_icrcs_feed(struct track_icrcs *t, const struct track_view *view,
		      const struct track_at *at);

/* Of the packet of @frame, which was fed last: rewritten.h */
struct track_icrc_run track_icrcs_run_of(const struct track_icrcs *t, uint64_t frame);

/* The capture ended. False: there is no room for more events; read them and call again. */
bool track_icrcs_finish(struct track_icrcs *t);

#endif /* IBWIRE_TRACK_ICRC_H */
