/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lint_impl.h - the linter's own state: for lint.c, event.c, found.c and held.c. */
#ifndef IBWIRE_LINT_IMPL_H
#define IBWIRE_LINT_IMPL_H

#include <stdarg.h>
#include <stddef.h>

#include "held.h"
#include "rule.h"

/* Long enough for any message; a longer one is truncated, never written past. */
#define LINT_MESSAGE_MAX 512

/* Rows about events: those of a kind, one after the other. */
#define LINT_EVENT_ROWS_MAX 1024u
struct lint_event_rows {
	uint16_t first[TRACK_EVENT_COUNT]; /* 1 and its number; 0: no rule judges the kind */
	uint16_t next[LINT_EVENT_ROWS_MAX];
};

/* event.c: fills them in. */
void lint_event_rows(struct lint_event_rows *rows);

/* A message, lint_as_one(). */
void lint_say(char *message, size_t size, const char *format, va_list args)
	__attribute__((cold, format(printf, 3, 0)));

struct lint {
	struct lint_options options;
	struct lint_sink sink;
	bool none;                      /* of the rules is on */
	uint64_t said[LINT_RULE_COUNT]; /* the last frame of each, selected or not */
	struct lint_held *held;
	/* Events that a rule is about. */
	struct lint_event_rows event_rows;
	/* What the groups remember of the file. */
#define LINT_STATE(name) struct lint_##name##_state *name;
#include "groups.def"
};

/* The finding of @rule that @e shows, with @doubt: what the sink counts by. */
struct lint_finding lint_finding_of(enum lint_rule_id rule, const struct track_event *e,
				    uint16_t doubt);

/* The number of the connection of an event as far as known; 0: none. */
uint64_t lint_connection_of(const struct lint *l, const struct track_event *e);

/* Hands over a finding that was held, of event @e; false: nobody wanted it. */
bool lint_found_held(const struct lint *l, const struct track_event *e, struct lint_finding *f,
		     uint64_t connection, const char *message);

/* Reports @rule, if it is on, about packets of a flow, the first of them at @frame with @psn. */
void lint_found_of_flow(struct lint *l, enum lint_rule_id rule, const struct track_frame *frame,
			const struct track_flow *flow, uint32_t psn, const char *format, ...)
	__attribute__((cold, format(printf, 6, 7)));

/*
 * A plain packet that is ordinary: whether slice.c or trim.c asks for its view ... (it is the longest frame of its
 * interface; packets of a connection may be trimmed)
 */
bool lint_slice_asks(const struct lint_slice_state *slice, const struct track_frame *frame,
		     const struct track_plain *p);
bool lint_trim_asks(const struct lint_trim_state *state);

/* ... and if not, what trim.c and cap.c remember of it. */
void lint_trim_plain(struct lint_trim_state *state, const struct track_plain *p);
void lint_cap_plain(struct lint_cap_state *cap, const struct track_frame *frame);

/* Hands over a finding about a packet that was kept, with all that is known of it. */
void lint_found_late(const struct lint *l, struct lint_finding *f);

/* Hands over @n whose words were not kept, the first and the frame of the last. */
void lint_found_more(const struct lint *l, struct lint_finding *f, uint64_t n, uint64_t last_frame);

#endif /* IBWIRE_LINT_IMPL_H */
