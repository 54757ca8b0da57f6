/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sm.h - the subnet as SMPs show it: its managers, and the progress of the sweep.
 *
 * Memory is bounded: the least recently seen entry is evicted.
 */
#ifndef IBWIRE_TRACK_SM_H
#define IBWIRE_TRACK_SM_H

#include "track/base/subnet.h"
#include "track/view/view.h"

/* Requests that wait, and nodes; managers: 20 to 120 bytes each. */
#define TRACK_SMPS_MAX 65536
#define TRACK_MANAGERS_MAX 256

struct track_sm_watch;

struct track_sm_watch *track_sm_watch_new(void);
void track_sm_watch_free(struct track_sm_watch *t); /* NULL is fine */

/* An SMP without bit errors. */
void track_sm_mad(struct track_sm_watch *t, const struct track_mad *mad, const struct track_at *at);

/* What is known by now. */
void track_sm_list(const struct track_sm_watch *t, struct track_subnet *s);

/* What made room for others. */
uint64_t track_sm_evicted(const struct track_sm_watch *t);

#endif /* IBWIRE_TRACK_SM_H */
