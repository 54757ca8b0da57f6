/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thresholds.c - the table of thresholds, and their defaults. */
#include "thresholds.h"

const struct track_threshold_row track_threshold_rows[TRACK_THRESHOLDS] = {
#define TRACK_THRESHOLD(id, name, unit, otherwise, least, most, rules, text)                       \
	[TRACK_THRESHOLD_##id] = { name, unit, otherwise, least, most, rules, text },
#include "thresholds.def"
};

void track_thresholds_default(struct track_thresholds *t)
{
	unsigned int i;

	for (i = 0; i < TRACK_THRESHOLDS; i++)
		t->value[i] = track_threshold_rows[i].otherwise;
}
