/* SPDX-License-Identifier: GPL-2.0-or-later */
/* figure.c - the figures of a way, by name: figures.def has them. */
#include "qp.h"

const struct track_figure_row track_figures[TRACK_FIGURE_COUNT] = {
#define TRACK_FIGURE(name, value, title, counter) { #name, title, counter },
#include "track/way/figures.def"
};

const struct track_figure_row track_verbs[TRACK_VERB_COUNT] = {
#define TRACK_VERB(id, name, title) { #name, title, NULL },
#include "track/way/figures.def"
};

const struct track_figure_row track_times[TRACK_TIMES_COUNT] = {
#define TRACK_TIMES(id, name, title) { #name, title, NULL },
#include "track/way/figures.def"
};

uint64_t track_figure(const struct track_dir *d, enum track_figure figure)
{
	switch (figure) {
#define TRACK_FIGURE(name, value, title, counter)                                                  \
	case TRACK_FIGURE_##name:                                                                  \
		return (value);
#include "track/way/figures.def"
	default:
		return 0;
	}
}

const struct track_histogram *track_dir_times(const struct track_dir *d, enum track_times times)
{
	static const struct track_histogram none;

	return d->times ? &d->times[times] : &none;
}
