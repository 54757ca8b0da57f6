/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state.c - the state of a connection, and what the capture does not show of it. */
#include <glib.h>

#include "conn.h"

static bool is_rejected(const struct track_iwarp_start *start)
{
	return start->frame && start->reply && start->r;
}

enum track_iwarp_state track_iwarp_state(const struct track_iwarp_conn *c)
{
	const struct track_iwarp_dir *a = &c->dir[0], *b = &c->dir[1];

	if (is_rejected(&a->start) || is_rejected(&b->start))
		return TRACK_IWARP_REJECTED;
	if (a->terminated || b->terminated)
		return TRACK_IWARP_FAILED;
	if (a->tcp.finished || b->tcp.finished || c->reset)
		return TRACK_IWARP_CLOSED;
	if (!track_iwarp_has_start(c))
		return TRACK_IWARP_MID_STREAM;
	return a->counts.fpdus || b->counts.fpdus ? TRACK_IWARP_ESTABLISHED : TRACK_IWARP_SETUP;
}

uint16_t track_iwarp_doubt(const struct track_iwarp_conn *c)
{
	const struct track_iwarp_dir *a = &c->dir[0], *b = &c->dir[1];
	unsigned int doubt = 0;

	if (!track_iwarp_has_start(c))
		doubt |= TRACK_DOUBT_MID_STREAM;
	if (!a->tcp.begun || !b->tcp.begun)
		doubt |= TRACK_DOUBT_ONE_WAY;
	if (a->counts.missing || b->counts.missing)
		doubt |= TRACK_DOUBT_LOSS;
	if (a->cut || b->cut)
		doubt |= TRACK_DOUBT_CUT;
	return (uint16_t)doubt;
}

uint16_t track_iwarp_mss(const struct track_iwarp_conn *c)
{
	return MIN(c->dir[0].mss, c->dir[1].mss);
}
