/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * note.h - notes: what a packet of a connection is, known on its arrival, for readers that keep a record of each
 * packet.
 *
 * Events report a fault of a connection once, and may be withheld; a note marks each packet that figures.def
 * counts, at once. A connection has as many notes as its figures say, except where its headers are truncated.
 */
#ifndef IBWIRE_TRACK_NOTE_H
#define IBWIRE_TRACK_NOTE_H

enum track_note {
	TRACK_NOTE_RESENT,   /* retransmitted_packets */
	TRACK_NOTE_DOUBLED,  /* duplicated_packets; count 1: two points of the capture may see it */
	TRACK_NOTE_LATE,     /* reordered_packets */
	TRACK_NOTE_CONFLICT, /* conflicting_packets, as the next */
	TRACK_NOTE_IN_READ,
	TRACK_NOTE_AHEAD,          /* gap_episodes; count: PSNs before it that did not come yet */
	TRACK_NOTE_TIMEOUT,        /* timeouts */
	TRACK_NOTE_RESPONSE_AGAIN, /* response_repeated */
	TRACK_NOTE_RESPONSE_LATE,  /* response_late */
	TRACK_NOTE_RESPONSE_AHEAD, /* response_gaps; count: responses before it that did not come yet */
	TRACK_NOTE_NAK_SEQUENCE, /* nak_sequence */
	TRACK_NOTE_NAK_FATAL,    /* the other NAKs */
	TRACK_NOTE_RNR,          /* rnr_nak */
	TRACK_NOTE_ACK_AGAIN,    /* an ACK of what the ACK before acknowledged */
	TRACK_NOTE_COPY, /* copies: captured twice, which the reader of the packets finds out and no tracker sees */
	/*
	 * It came into a hole, and whether it was late or sent again is known later: then it is noted
	 * (TRACK_REPLY_NOTED), with those that each names as the one before it.
	 */
	TRACK_NOTE_UNSURE,
	TRACK_NOTE_COUNT
};

#endif /* IBWIRE_TRACK_NOTE_H */
