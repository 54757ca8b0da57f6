/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wait.h - findings in a packet that wait: until it is known whether it was cut, trimmed or rewritten. */
#ifndef IBWIRE_LINT_WAIT_H
#define IBWIRE_LINT_WAIT_H

#include "lint/base/rule.h"

struct track_plain;

/* slice.c: whether a finding of @rule has to wait until it is known whether the frame was cut ... */
bool lint_slice_keeps(const struct lint_packet *p, enum lint_rule_id rule);

/* ... and then keeps it, with its words. */
void lint_slice_keep(const struct lint_packet *p, const struct lint_finding *f,
		     const char *message);

/* ... settles what waits for trim.c: it was @trimmed, or not. */
void lint_slice_settle(struct lint *l, unsigned int trim, bool trimmed);

/* trim.c: connections with packets that may be trimmed, at a time, numbered from 1 ... */
#define LINT_TRIMS 256u

/* ... whether a finding of @rule waits until it is known whether the packet was trimmed: for what; 0: it does not ... */
unsigned int lint_trim_waits(const struct lint_packet *p, enum lint_rule_id rule);

/* ... whether it is known that it was ... */
bool lint_trim_explains(const struct lint_packet *p, enum lint_rule_id rule);

/* ... whether a connection's first packet that may be trimmed is this one ... */
bool lint_trim_began(const struct lint *l, uint64_t frame);

/* ... and how many frames of an interface that have so many bytes were trimmed. */
uint64_t lint_trim_frames(const struct lint *l, uint32_t iface, uint32_t bytes);

/* rewritten.c: whether a finding of @rule has to wait for what is known of its flow later ... */
bool lint_rewritten_keeps(const struct lint_packet *p, enum lint_rule_id rule);

/* ... and then keeps it, with its words ... */
void lint_rewritten_keep(const struct lint_packet *p, const struct lint_finding *f,
			 const char *message);

/* ... for good: @e says all there is to say of the packets it is about. */
void lint_rewritten_explained(const struct lint *l, const struct track_event *e);

/*
 * A plain packet that is ordinary: whether slice.c or trim.c asks for its view ... (it is the longest frame of its
 * interface; packets of a connection may be trimmed)
 */
bool lint_slice_asks(const struct lint_slice_state *slice, const struct track_frame *frame,
		     const struct track_plain *p);
bool lint_trim_asks(const struct lint_trim_state *state);

/* ... and if not, what trim.c remembers of it. */
void lint_trim_plain(struct lint_trim_state *state, const struct track_plain *p);

#endif /* IBWIRE_LINT_WAIT_H */
