/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events.h - events, as the rules about them read them. */
#ifndef IBWIRE_LINT_EVENTS_H
#define IBWIRE_LINT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "track/base/event.h"

struct lint;
struct lint_event_rows;

/* Whether rules that are on are about events: then call track_want_events(), and this ... */
bool lint_wants_events(const struct lint *l);

/* ... with those of track_events() after each packet, and after track_finish(). */
void lint_events(struct lint *l, const struct track_event *events, unsigned int n);

/* Whether it matters there that an event of that kind happened: track_want_kinds(). */
bool lint_reads_event(const struct lint *l, enum track_event_kind kind);

/* Whether some of these events are of streams: then call track_want_streams(), too. */
bool lint_wants_streams(const struct lint *l);

/* Live: @now_ns is the time. No finding is held for longer than a second. */
void lint_tick(struct lint *l, uint64_t now_ns);

/* Fills in which rows are about which events. */
void lint_event_rows(struct lint_event_rows *rows);

#endif /* IBWIRE_LINT_EVENTS_H */
