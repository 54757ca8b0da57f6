/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thresholds.h - the thresholds of rules about a fabric, from thresholds.def. */
#ifndef IBWIRE_TRACK_THRESHOLDS_H
#define IBWIRE_TRACK_THRESHOLDS_H

#include <stdint.h>

enum track_threshold {
#define TRACK_THRESHOLD(id, name, unit, otherwise, least, most, rules, text) TRACK_THRESHOLD_##id,
#include "thresholds.def"
	TRACK_THRESHOLDS
};

struct track_threshold_row {
	const char *name, *unit;
	uint64_t otherwise, least, most;
	const char *rules; /* "FAB007,FAB008" */
	const char *text;
};

extern const struct track_threshold_row track_threshold_rows[TRACK_THRESHOLDS];

struct track_thresholds {
	uint64_t value[TRACK_THRESHOLDS];
};

void track_thresholds_default(struct track_thresholds *t);

#endif /* IBWIRE_TRACK_THRESHOLDS_H */
