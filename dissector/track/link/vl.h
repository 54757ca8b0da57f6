/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vl.h - virtual lanes: the VL of the packets of a path and SL at one capture point.
 *
 * A port maps SL to VL by a table that the subnet manager writes. So one link carries the packets of
 * two LIDs and an SL on one VL, until the table is rewritten.
 */
#ifndef IBWIRE_TRACK_VL_H
#define IBWIRE_TRACK_VL_H

#include "track/base/event.h"
#include "track/view/view.h"

/* The largest number of pairs of LIDs with SL and interface, of 80 bytes each. */
#define TRACK_VLS_MAX 65536

struct track_vls;

struct track_vls *track_vls_new(struct track_events *events);
void track_vls_free(struct track_vls *t); /* NULL is fine */

/* A packet with an LRH, seen by interface @iface. */
void track_vls_feed(struct track_vls *t, struct track_view *view, uint32_t iface,
		    const struct track_at *at);

#endif /* IBWIRE_TRACK_VL_H */
