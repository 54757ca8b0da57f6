/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rmpp.h - reassembles the segments of one RMPP transfer. IBTA vol 1, 13.6
 *
 * The caller owns the memory and knows which MADs belong to one transfer (same
 * transaction id, class and ends, from the sender of the data):
 *
 *	struct ibw_transfer t;
 *	uint8_t room[65536];
 *
 *	ibw_transfer_start(&t, room, sizeof(room));
 *	while (next MAD of the transfer)
 *		if (ibw_transfer_feed(&t, mad, n) == IBW_TRANSFER_COMPLETE)
 *			... t.room[0 .. t.len) are the records ...
 *
 * Segments may arrive in any order and more than once. A transfer that does not fit into the room
 * ends, so a hostile stream costs no more than what the caller gave it.
 */
#ifndef IBWIRE_RMPP_H
#define IBWIRE_RMPP_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The largest number of segments of a transfer: 409,600 bytes of SA records. */
#define IBW_TRANSFER_SEGMENTS_MAX 2048

enum ibw_transfer_state {
	IBW_TRANSFER_RUNNING,  /* segments are missing */
	IBW_TRANSFER_COMPLETE, /* all there */
	IBW_TRANSFER_STOPPED,  /* a STOP or ABORT came; status says why */
	IBW_TRANSFER_TOO_BIG,  /* more than the room, or than IBW_TRANSFER_SEGMENTS_MAX */
	IBW_TRANSFER_BROKEN    /* the segments contradict each other */
};

/* The role of a MAD in the transfer; each MAD may change the state. */
enum ibw_transfer_flags {
	IBW_TRANSFER_DUPLICATE = 1 << 0,    /* the segment was there already, with the same bytes */
	IBW_TRANSFER_REORDERED = 1 << 1,    /* a segment below the highest came late */
	IBW_TRANSFER_GAP = 1 << 2,          /* a segment came before the one in front of it */
	IBW_TRANSFER_BEYOND_WINDOW = 1 << 3 /* beyond the last window the receiver had opened */
};

struct ibw_transfer {
	uint8_t *room; /* the caller's */
	uint32_t room_bytes;
	uint32_t len;        /* COMPLETE: bytes of records at room */
	uint32_t promised;   /* PayloadLength of the first segment, 0: not said */
	uint32_t payload;    /* sum as PayloadLength counts it, COMPLETE */
	uint16_t seg_bytes;  /* record bytes in a full segment: 200 for SA */
	uint16_t seg_header; /* class header bytes in each, which PayloadLength counts too */
	uint16_t highest;    /* segment seen */
	uint16_t last;       /* the last segment's number, 0: not known yet */
	uint16_t last_bytes; /* record bytes in it */
	uint16_t have;       /* different segments */
	uint32_t acked;      /* by the receiver */
	uint32_t window;     /* NewWindowLast of the receiver, 0: none seen */
	uint8_t state;       /* enum ibw_transfer_state */
	uint8_t flags;       /* enum ibw_transfer_flags of the MAD fed last */
	uint8_t status;      /* STOPPED: RMPP status */
	uint8_t seen[IBW_TRANSFER_SEGMENTS_MAX / 8];
};

/* An empty transfer that puts its records into the @bytes at @room. */
void ibw_transfer_start(struct ibw_transfer *t, void *room, uint32_t bytes);

/*
 * One MAD of the transfer, @n bytes at @mad from the common header on: DATA from its
 * sender, or ACK, STOP, ABORT from either end. A MAD that is not RMPP, or too short,
 * changes nothing. Returns the state.
 */
enum ibw_transfer_state ibw_transfer_feed(struct ibw_transfer *t, const uint8_t *mad, uint32_t n);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* IBWIRE_RMPP_H */
