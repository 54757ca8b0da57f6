/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cm_event.h - the events of the CM tracker, and conversations that get no answer.
 *
 * A message is answered within the CM Response Timeout of its receiver plus twice the packet life
 * time, or it is retransmitted, as often as Max CM Retries says: IBTA vol 1, 12.9.8. All are in the
 * REQ; its Local ACK Timeout is a bound for the packet life time (12.7.34). An MRA asks for more time.
 * A message that was answered once is not waited for again, and two DREQs that cross answer each
 * other. Memory is bounded like that of the conversations.
 */
#ifndef IBWIRE_TRACK_CM_EVENT_H
#define IBWIRE_TRACK_CM_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "track/base/event.h"
#include "track/cm/cm.h"
#include "track/cm/cm_list.h"
#include "track/conn/conn.h"
#include "track/view/mad.h"

struct track_cm_waits;

struct track_cm_waits *track_cm_waits_new(struct track_events *events, uint32_t max);
void track_cm_waits_free(struct track_cm_waits *w); /* NULL is fine */

/* What the message @mad was to the CM tracker. One with bit errors is no event. */
void track_cm_waits_feed(struct track_cm_waits *w, const struct track_cm_news *news,
			 const struct track_mad *mad, const struct track_at *at);

/* Data to the server's QP stands for the RTU: who to ask for it. NULL: nobody. */
void track_cm_waits_conn(struct track_cm_waits *w, struct track_conn *conn);

/* What waited too long is said to @list, too. */
void track_cm_waits_list(struct track_cm_waits *w, struct track_cm_list *list);

/* Gives up what has waited too long; with many conversations it takes some ticks to see all. */
void track_cm_waits_tick(struct track_cm_waits *w, const struct track_at *now);

/* The capture ended: whatever still waits. False: there was no room for all events, call again. */
bool track_cm_waits_finish(struct track_cm_waits *w, const struct track_at *at);

#endif /* IBWIRE_TRACK_CM_EVENT_H */
