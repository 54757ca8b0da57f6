/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rejection.h - what an upper layer says in the private data of a REJ. */
#ifndef IBWIRE_TRACK_REJECTION_H
#define IBWIRE_TRACK_REJECTION_H

#include <stdint.h>

#include "mad.h"

/* The status of a REJ of RDS: no version in common. */
#define TRACK_REJECTION_RDS_VERSION 1u

struct track_rejection {
	uint32_t status; /* the number that the upper layer gives */
	uint16_t layer;  /* enum ibw_layer, of what says it; IBW_LAYER_COUNT: nothing does */
};

/* @m is a REJ, whose private data are known by track_mad_answer() if its REQ was captured. */
struct track_rejection track_rejection_of(const struct track_mad *m);

/* The same, of a REJ of which the REQ asks for @service_id. */
struct track_rejection track_rejection_to(const struct track_mad *m, uint64_t service_id);

/* "SRP login refused: insufficient channel resources"; "": nothing says it; returns @buf. */
#define TRACK_REJECTION_TEXT 96
const char *track_rejection_text(const struct track_rejection *r, char buf[TRACK_REJECTION_TEXT]);

#endif /* IBWIRE_TRACK_REJECTION_H */
