/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finding.c - hands findings to the sink.
 *
 * In a capture with a fault in every packet, a few findings are shown and the others only counted.
 * So the sink is asked first, and a message is formatted only if the sink takes the finding.
 */
#include <glib.h>

#include "lint_impl.h"

struct lint_finding lint_finding_at(enum lint_rule_id rule, uint16_t doubt, uint32_t offset,
				    uint32_t length)
{
	return (struct lint_finding){ .rule = rule,
				      .severity = lint_severity_of(rule, doubt),
				      .doubt = doubt,
				      .offset = offset,
				      .length = length,
				      .psn = LINT_NO_PSN };
}

bool lint_is_wanted(const struct lint *l, const struct lint_finding *f)
{
	return !l->sink.count || l->sink.count(l->sink.user, f);
}

uint64_t lint_connection_of_flow(const struct lint *l, const struct track_flow *flow)
{
	return flow && l->options.track ? track_connection_number(l->options.track, flow) : 0;
}

void lint_hand_over(const struct lint *l, struct lint_finding *f, const char *message)
{
	f->message = message;
	l->sink.take(l->sink.user, f);
}

static void take(const struct lint *l, struct lint_finding *f, const char *format, va_list args)
{
	char message[LINT_MESSAGE_MAX];

	lint_say(message, sizeof(message), format, args);
	lint_hand_over(l, f, message);
}

/* The PSN among the numbers of an event. */
static uint32_t event_psn(const struct track_event *e)
{
	const struct track_event_row *row = &track_event_rows[e->kind];
	unsigned int i;

	for (i = 0; i < TRACK_EVENT_NUMBERS; i++)
		if (row->number[i].name && row->number[i].kind == IBW_KIND_PSN)
			return (uint32_t)e->number[i];
	return LINT_NO_PSN;
}

struct lint_finding lint_finding_of(enum lint_rule_id rule, const struct track_event *e,
				    uint16_t doubt)
{
	struct lint_finding f = lint_finding_at(rule, doubt, 0, 0);

	f.frame = e->frame;
	f.time_ns = e->time_ns;
	f.psn = event_psn(e);
	if (e->flow.address != TRACK_ADDRESS_NONE)
		f.flow = &e->flow;
	return f;
}

/* No connection begins after one of its halves: then the QPN is in use again, by another one. */
uint64_t lint_connection_of(const struct lint *l, const struct track_event *e)
{
	uint64_t number;

	if (e->flow.address == TRACK_ADDRESS_NONE || e->flow.service == TRACK_SERVICE_IWARP ||
	    !l->options.track)
		return 0;
	number = lint_connection_of_flow(l, &e->flow);
	return e->half && (!number || number > e->half) ? e->half : number;
}

/* What a rule has of a packet of RoCE, a connection of iWARP has in segments of TCP. */
static const char *layer_of_event(enum lint_rule_id rule, const struct track_event *e)
{
	const char *layer = lint_rules[rule].layer;

	return e->flow.service == TRACK_SERVICE_IWARP && g_str_has_suffix(layer, "th") ? "tcp"
										       : layer;
}

/* What is worked out of a finding that is wanted. */
static void complete(struct lint_finding *f, const struct track_event *e, uint64_t connection)
{
	f->layer = layer_of_event(f->rule, e);
	f->connection = connection;
	f->related = e->frames;
	f->n_related = e->n_frames;
	f->event = e;
}

static void found_event(struct lint *l, enum lint_rule_id rule, const struct track_event *e,
			uint16_t lesser, const char *format, va_list args)
{
	const struct track_untrue untrue = track_event_untrue(e);
	struct lint_finding f =
		lint_finding_of(rule, e, track_event_doubt(&untrue, e->doubt) | lesser);

	if (!lint_on(l, rule) || !lint_is_wanted(l, &f))
		return;
	complete(&f, e, lint_connection_of(l, e));
	take(l, &f, format, args);
}

void lint_found_event(struct lint *l, enum lint_rule_id rule, const struct track_event *e,
		      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	found_event(l, rule, e, 0, format, args);
	va_end(args);
}

void lint_found_lesser(struct lint *l, enum lint_rule_id rule, const struct track_event *e,
		       const char *format, ...)
{
	va_list args;

	va_start(args, format);
	found_event(l, rule, e, LINT_DOUBT_LESSER, format, args);
	va_end(args);
}

bool lint_found_held(const struct lint *l, const struct track_event *e, struct lint_finding *f,
		     uint64_t connection, const char *message)
{
	if (!lint_is_wanted(l, f))
		return false;
	complete(f, e, connection);
	lint_hand_over(l, f, message);
	return true;
}

void lint_found_late(const struct lint *l, struct lint_finding *f)
{
	if (lint_is_wanted(l, f))
		lint_hand_over(l, f, f->message);
}

void lint_found_more(const struct lint *l, struct lint_finding *f, uint64_t n, uint64_t last_frame)
{
	f->layer = lint_rules[f->rule].layer;
	if (l->sink.more)
		l->sink.more(l->sink.user, f, n, last_frame);
}

void lint_file_finding(struct lint *l, enum lint_rule_id rule, const struct track_frame *frame,
		       const char *format, ...)
{
	struct lint_finding f = lint_finding_at(rule, 0, 0, 0);
	va_list args;

	if (!lint_on(l, rule))
		return;
	if (frame) {
		f.frame = frame->number;
		f.time_ns = frame->time_ns;
	}
	if (!lint_is_wanted(l, &f))
		return;
	f.layer = lint_rules[rule].layer;
	va_start(args, format);
	take(l, &f, format, args);
	va_end(args);
}

void lint_found_of_flow(struct lint *l, enum lint_rule_id rule, const struct track_frame *frame,
			const struct track_flow *flow, uint32_t psn, const char *format, ...)
{
	struct lint_finding f = lint_finding_at(rule, 0, 0, 0);
	va_list args;

	f.frame = frame->number;
	f.time_ns = frame->time_ns;
	f.flow = flow;
	f.psn = psn;
	if (!lint_on(l, rule) || !lint_is_wanted(l, &f))
		return;
	f.layer = lint_rules[rule].layer;
	f.connection = lint_connection_of_flow(l, flow);
	va_start(args, format);
	take(l, &f, format, args);
	va_end(args);
}
