/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qp_state.h - the state of a connection in one word, and what the capture does not show of it. */
#ifndef IBWIRE_TRACK_QP_STATE_H
#define IBWIRE_TRACK_QP_STATE_H

#include "qp.h"

/* What the timeouts of a way come from, as far as the other end was heard. */
enum track_ending {
	TRACK_ENDING_NONE,
	TRACK_ENDING_CLOSED,  /* a DREQ came before */
	TRACK_ENDING_QP_GONE, /* it answers on other connections, not on this one */
	TRACK_ENDING_SILENT,  /* nothing came from there any more */
	TRACK_ENDING_QUIET,   /* nothing came for several timeouts, then it did: watch.quiet_ns */
	TRACK_ENDING_CUT      /* and for so many that a link was cut */
};

/* heard.c; after track_finish() */
enum track_ending track_qp_ending(const struct track_qps *s, const struct track_qp *qp,
				  enum track_way way);

/* The first that is true. */
enum track_qp_state {
	TRACK_QP_REJECTED,   /* the CM refused it */
	TRACK_QP_FAILED,     /* a NAK that ends a connection, or retries used up */
	TRACK_QP_CLOSED,     /* the CM ended it */
	TRACK_QP_STALLED,    /* the last request was sent again, and never answered */
	TRACK_QP_SETUP,      /* no packet after the CM messages */
	TRACK_QP_MID_STREAM, /* it began before the capture, or without the CM */
	TRACK_QP_ESTABLISHED,
	TRACK_QP_STATES
};

extern const char *const track_qp_state_names[TRACK_QP_STATES];

enum track_qp_state track_qp_state(const struct track_qp *qp);

/* NAKs after which a queue pair is in the error state: all but a sequence NAK. */
bool track_dir_is_fatal(const struct track_dir *d);

/* enum track_doubt: what is known of the connection at the end. */
uint16_t track_qp_doubt(const struct track_qp *qp);

#endif /* IBWIRE_TRACK_QP_STATE_H */
