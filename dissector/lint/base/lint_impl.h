/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lint_impl.h - the linter's own state, and how findings reach the sink. */
#ifndef IBWIRE_LINT_IMPL_H
#define IBWIRE_LINT_IMPL_H

#include <stddef.h>

#include "rule.h"

/* Long enough for any message; a longer one is truncated, never written past. */
#define LINT_MESSAGE_MAX 512

/* Rows about events: those of a kind, one after the other. */
#define LINT_EVENT_ROWS_MAX 1024u
struct lint_event_rows {
	uint16_t first[TRACK_EVENT_COUNT]; /* 1 and its number; 0: no rule judges the kind */
	uint16_t next[LINT_EVENT_ROWS_MAX];
};

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

/* A finding of @rule at bytes [offset, offset + length) of a packet, of no frame yet. */
struct lint_finding lint_finding_at(enum lint_rule_id rule, uint16_t doubt, uint32_t offset,
				    uint32_t length);

/* Whether more of @f is wanted than that there is one. */
bool lint_is_wanted(const struct lint *l, const struct lint_finding *f);

/* Hands over a finding that is wanted. */
void lint_hand_over(const struct lint *l, struct lint_finding *f, const char *message);

/* The number of the connection of a flow; 0: none. */
uint64_t lint_connection_of_flow(const struct lint *l, const struct track_flow *flow);

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

/* Hands over a finding about a packet that was kept, with all that is known of it. */
void lint_found_late(const struct lint *l, struct lint_finding *f);

/* Hands over @n whose words were not kept, the first and the frame of the last. */
void lint_found_more(const struct lint *l, struct lint_finding *f, uint64_t n, uint64_t last_frame);

#endif /* IBWIRE_LINT_IMPL_H */
