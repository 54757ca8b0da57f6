/* SPDX-License-Identifier: GPL-2.0-or-later */
/* figure.h - connections of iWARP in the order of their numbers, and their figures by the names of other connections' figures. */
#ifndef IBWIRE_TRACK_IWARP_FIGURE_H
#define IBWIRE_TRACK_IWARP_FIGURE_H

#include "iwarp.h"
#include "track/measure/measure.h"
#include "track/way/qp.h"

/* Records by the first frame; to be freed. */
const struct track_iwarp_record **track_iwarp_sorted(const struct track_iwarp *t, unsigned int *n);

/* The direction that travels @way; A is the end that sends the request. */
const struct track_iwarp_dir *track_iwarp_dir_that(const struct track_iwarp_conn *c,
						   enum track_way way);

/* As those of TRACK_FIGURE of track/way/figures.def; false: it has no meaning here. */
bool track_iwarp_figure(const struct track_iwarp_dir *d, enum track_figure figure, uint64_t *n);
bool track_iwarp_measure(const struct track_iwarp_dir *d, enum track_measure_figure measure,
			 uint64_t *n);
uint64_t track_iwarp_messages(const struct track_iwarp_dir *d, enum track_verb verb);

/* "mid-stream": its state. */
const char *track_iwarp_state_name(const struct track_iwarp_conn *c);

#endif /* IBWIRE_TRACK_IWARP_FIGURE_H */
