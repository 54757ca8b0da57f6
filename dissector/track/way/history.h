/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history.h - the history of a connection: one letter per kind of event, in the order of first
 * occurrence.
 *
 *	R  REQ, its answer REP	U  RTU		J  REJ		M  MRA		D  DREQ, DREP
 *	S  SEND		W  WRITE	E  READ Request		T  atomic	F  FLUSH
 *	Q  responses	A  ACKs		N  NAKs			Y  RNR NAKs	C  CNPs
 *	G  gaps		X  requests sent again
 *
 * A capital letter stands for end a, the client, a small letter for end b. N, Y, G and X are
 * followed by a count, rounded down to its first digit: RrUWaG2n1X100 has two gaps, a NAK and 100
 * to 199 retransmitted packets.
 */
#ifndef IBWIRE_TRACK_HISTORY_H
#define IBWIRE_TRACK_HISTORY_H

#include "qp.h"

enum track_happened {
	TRACK_DID_R,
	TRACK_DID_U,
	TRACK_DID_J,
	TRACK_DID_M,
	TRACK_DID_D,
	TRACK_DID_S,
	TRACK_DID_W,
	TRACK_DID_E,
	TRACK_DID_T,
	TRACK_DID_F,
	TRACK_DID_Q,
	TRACK_DID_A,
	TRACK_DID_N,
	TRACK_DID_Y,
	TRACK_DID_C,
	TRACK_DID_G,
	TRACK_DID_X
};

void track_qp_happened(struct track_qp *qp, enum track_way way, enum track_happened what);

/* What @p is. */
void track_qp_happened_packet(struct track_qp *qp, const struct track_packet *p);

/* What happened to @from, too, which is way @way of @qp. */
void track_qp_happened_join(struct track_qp *qp, const struct track_qp *from, enum track_way way);

/* Returns @buf. */
#define TRACK_HISTORY_TEXT 160
const char *track_qp_history(const struct track_qp *qp, char buf[TRACK_HISTORY_TEXT]);

#endif /* IBWIRE_TRACK_HISTORY_H */
