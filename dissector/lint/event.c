/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.c - the rules about events: the LINT_ON_EVENT rows of rules/GROUP.def. */
#include "rule.h"

bool lint_wants_events(const struct lint *l)
{
	bool wanted = false;

	(void)l; /* if there is no such rule */
#define LINT_ON_EVENT(id, event, when, ...) wanted |= lint_on(l, LINT_##id);
#include "rules.def"
	return wanted;
}

static void judge(struct lint *l, const struct track_event *e)
{
	(void)l;
	(void)e;
#define LINT_ON_EVENT(id, event, when, ...)                                                        \
	if (e->kind == TRACK_EVENT_##event && (when))                                              \
		lint_found_event(l, LINT_##id, e, __VA_ARGS__);
#include "rules.def"
}

void lint_events(struct lint *l, const struct track_event *events, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		judge(l, &events[i]);
}
