/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode.h - FPDUs for display: each belongs to the packet that completes it and everything before it. */
#ifndef IBWIRE_TRACK_IWARP_DECODE_H
#define IBWIRE_TRACK_IWARP_DECODE_H

#include <ibwire/fpdu.h>
#include <ibwire/packet.h>

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

/* An FPDU, or the request or reply frame that comes before the first one. */
struct track_fpdu {
	/* Of its first byte, of its last one, and the packet that it is shown with, in their order. */
	uint64_t frames[TRACK_FPDU_FRAMES];
	unsigned int n_frames;
	uint64_t place; /* of its first byte in the stream */
	uint32_t bytes; /* of the stream */
	uint32_t off;   /* where it is in the packet */
	bool here;      /* all of it is in that */
	uint8_t crc;    /* enum track_fpdu_crc */
	uint32_t found, computed;
	uint32_t n_spans;
	struct ibw_span span[TRACK_FPDU_SPANS]; /* in head */
	/* Where they are from its first byte on: head has no markers. */
	uint32_t at[TRACK_FPDU_SPANS];
	uint8_t head[TRACK_FPDU_HEAD];
};

#endif /* IBWIRE_TRACK_IWARP_DECODE_H */
