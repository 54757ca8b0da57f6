/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waited.h - what a connection waited for: its time, from its first packet to the latest, is split among the rows
 * of waits.def. Of both directions, the first cause counts. Known only if measures are requested.
 */
#ifndef IBWIRE_TRACK_WAITED_H
#define IBWIRE_TRACK_WAITED_H

#include "track/way/qp.h"

enum track_wait {
#define TRACK_WAIT(name, title, definition) TRACK_WAIT_##name,
#include "waits.def"
	TRACK_WAIT_COUNT
};

extern const struct track_wait_row {
	const char *name;
	const char *title;
} track_wait_rows[TRACK_WAIT_COUNT];

/* Nanoseconds; @doubt: of the connection and the capture, bits of enum track_doubt. */
uint64_t track_waited_ns(const struct track_qp *qp, enum track_wait wait, uint16_t doubt);

#endif /* IBWIRE_TRACK_WAITED_H */
