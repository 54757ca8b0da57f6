/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * held.h - findings that are held until it is known whether they are true.
 *
 * A missing PSN was lost in the network, or by the capture: later packets tell. So a finding that may
 * come into doubt (a row LINT_ON_EVENT_HELD of rules/GROUP.def, or
 * lint_held_add()) is kept until it is settled, by the first of
 *
 *	a SETTLED event of its half	as far as that says: an ACK or NAK covers the packets up to
 *					a frame, and what was doubtful of them is known
 *	HALF_ENDED, HALF_EVICTED	there will be no more packets of the half
 *	lint_tick()			live: a second has passed
 *	lint_finish()			the end of input
 *
 * Then its severity is worked out, from what the capture is known to lack by now (doubt.def), of its half and
 * in all, and by what of that its event may be untrue (event.def): only where the two meet is it one step lower,
 * and never is it dropped. Where a packet that was not captured would show otherwise, so does the message.
 * Doubt that becomes known later changes nothing of what was said.
 *
 * Where it is known how many packets are absent, they explain as many: if the findings of the half (of the
 * capture, where the capturing side counted them) need more of them, none of these is lowered.
 *
 * Findings settled by one packet are handed over in the order of frame, rule and connection.
 *
 * What a tracker has to do: add TRACK_EVENT_SETTLED events (track/base/event.def), each for the half its
 * other events name, before or after the other events of that packet. It need not for a half of which
 * there was no event since the last time. LOSS, SAMPLED and what else becomes known of a half goes with
 * it, upto 0 if nothing is settled; half 0 is all halves. Events of later packets bring their doubt
 * along, and at the end of the capture (track_finish()) only doubt needs to be said.
 *
 * Memory is bounded, and counts are exact all the same: of a rule and direction no more findings keep their
 * words than will be shown (lint_options.held), of all LINT_HELD_MAX; the others are counted, and
 * settled when the last of them is. There are fewer where tables may take little (table.h). Where too many halves have some, the one that had none for the
 * longest is settled early.
 */
#ifndef IBWIRE_LINT_HELD_H
#define IBWIRE_LINT_HELD_H

#include "lint/base/finding.h"

/* Findings with their words: 300 to 800 bytes each. */
#define LINT_HELD_MAX 65536

/* Pairs of rule and direction: 200 bytes each, and as much for the half. */
#define LINT_HELD_PAIRS 65536

struct lint_held;

/* With at most @words findings of a rule and half that keep their words; 0: all. */
struct lint_held *lint_held_new(uint64_t words);
void lint_held_free(struct lint_held *held);

/* Whether a finding of @rule about @e needs no words, as there are enough of its kind: then it is held, too. */
bool lint_held_counted(struct lint *l, enum lint_rule_id rule, const struct track_event *e);

/* A finding of @rule about @e with its words, of @connection as far as known. */
void lint_held_add(struct lint *l, enum lint_rule_id rule, const struct track_event *e,
		   const char *format, ...) __attribute__((cold, format(printf, 4, 5)));

/*
 * What is known of findings of @half (0: of all) up to frame @upto (0: none is settled; UINT64_MAX:
 * all, and there will be no more).
 */
void lint_held_settle(struct lint *l, uint64_t half, uint64_t upto, uint16_t doubt);

/* What is held of @rule, @half and @flow is not so: another finding says it. */
void lint_held_drop(struct lint *l, uint64_t half, enum lint_rule_id rule,
		    const struct track_flow *flow);

/* Those of before @time_ns are settled. */
void lint_held_settle_before(struct lint *l, uint64_t time_ns);

/* All are. */
void lint_held_settle_all(struct lint *l);

/* An event with findings that wait, which is asked once: the packets that would have to be absent to make it untrue. */
void lint_held_needs(struct lint *l, const struct track_event *e);

/* So many requests of the half, by way, are answered and not in the capture; before it is settled. */
void lint_held_lost(struct lint *l, uint64_t half, const uint64_t lost[2]);

/* The capturing side lost so many packets more. */
void lint_held_dropped(struct lint *l, uint64_t packets);

/* Hands over what was settled since the last call; not what the end of the capture has to show ... */
void lint_held_release(struct lint *l);

/* ... and that, too. */
void lint_held_release_all(struct lint *l);

#endif /* IBWIRE_LINT_HELD_H */
