/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode.h - FPDUs for display: each belongs to the packet that completes it and everything before it. */
#ifndef IBWIRE_TRACK_IWARP_DECODE_H
#define IBWIRE_TRACK_IWARP_DECODE_H

#include <ibwire/fpdu.h>
#include <ibwire/packet.h>

#include "track/way/upper.h"

/* Headers of one, and their bytes: length, segment, a Terminate with all it may quote. */
#define TRACK_FPDU_SPANS 8
#define TRACK_FPDU_FRAMES 3
#define TRACK_FPDU_HEAD 96

enum track_fpdu_crc {
	TRACK_FPDU_CRC_NONE, /* a request or reply frame has none */
	TRACK_FPDU_CRC_GOOD,
	TRACK_FPDU_CRC_BAD,
	TRACK_FPDU_CRC_UNUSED,
	TRACK_FPDU_CRC_UNVERIFIABLE /* whether it is used is not known */
};

/* Its part of a message. */
enum track_fpdu_part {
	TRACK_FPDU_OF_NONE, /* a frame, or of a message whose beginning is lost, or wrong */
	TRACK_FPDU_BEGINS,
	TRACK_FPDU_GOES_ON
};

/* An FPDU, or the request or reply frame that comes before the first one. */
struct track_fpdu {
	uint64_t connection; /* struct track_iwarp_conn.number */
	uint8_t side;        /* that sends it */
	uint8_t part;        /* enum track_fpdu_part */
	uint8_t slot;        /* enum track_message_slot, of what has a part */
	uint8_t opcode;
	bool ends;        /* its message, too */
	uint32_t data;    /* bytes of its payload */
	uint32_t data_at; /* where track_iwarp_octets_of() finds them */
	/* Of the message that it begins, or, by its commands alone, of the READ or WRITE that it completes. */
	struct track_upper upper;
	uint32_t of_at; /* the first of those commands, in struct track_iwarp */
	uint32_t
		read; /* a Read Request: its number in its direction, from 1; a response: that of its request; 0: not known */
	/* Of its first byte, of its last one, and the packet that it is shown with, in their order. */
	uint64_t frames[TRACK_FPDU_FRAMES];
	unsigned int n_frames;
	uint64_t place;        /* of its first byte in the stream */
	uint32_t bytes;        /* of the stream */
	uint32_t off;          /* where it is in the packet */
	uint32_t first_marker; /* bytes before that, if it has markers */
	bool here;             /* all of it is in that */
	uint8_t crc;           /* enum track_fpdu_crc */
	uint32_t found, computed;
	uint32_t n_spans;
	struct ibw_span span[TRACK_FPDU_SPANS]; /* in head */
	/* Where they are from its first byte on: head has no markers. */
	uint32_t at[TRACK_FPDU_SPANS];
	uint8_t head[TRACK_FPDU_HEAD];
};

/* Where the payload is, without markers; where byte @at without them is, from the first one of the FPDU. */
uint32_t track_fpdu_data_at(const struct track_fpdu *f);
uint32_t track_fpdu_place(const struct track_fpdu *f, uint32_t at);

#endif /* IBWIRE_TRACK_IWARP_DECODE_H */
