/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chunks.h - reads a capture in chunks of packets, ahead of the packet that is checked.
 *
 * Any thread may read the next chunk (pl_chunks_read()), one thread at a time. The bytes of its packets stay where they are
 * until the chunk is given back (pl_chunks_done()). A chunk also has what the capture says at that point: the fault after
 * its last packet, the speeds of interfaces and how far the file is read. The capture itself is further ahead.
 */
#ifndef PL_CHUNKS_H
#define PL_CHUNKS_H

#include "capture/capture.h"
#include "front.h"

/* Packets of a chunk, unless a test says otherwise. */
#define PL_CHUNK_PACKETS 1024u

struct pl_item {
	struct capture_packet packet; /* not after a CAPTURE_FAULT */
	struct pl_front front;        /* of a CAPTURE_PACKET, once it is prepared */
	uint64_t offset, bytes;       /* capture_record(), if it has_record */
	bool has_record;
	uint8_t result; /* enum capture_result */
};

struct pl_window;

struct pl_chunk {
	struct pl_item *item;
	unsigned int n;
	struct capture_fault fault; /* if the last item is one */
	uint64_t position;          /* capture_position() after it */
	const uint64_t *speeds;     /* of interfaces, as far as packets of the chunk need them */
	struct pl_window *window;   /* that its packets lie in */
};

struct pl_chunks;

/* Of @cap, of which nothing is to be read otherwise from now on; @places chunks are in use at a time. */
struct pl_chunks *pl_chunks_new(struct capture *cap, unsigned int places);
void pl_chunks_free(struct pl_chunks *c); /* @cap is to be closed after that */

/* The chunk of a place. */
struct pl_chunk *pl_chunks_at(struct pl_chunks *c, unsigned int place);

/* Fills it with what comes next; false: it ends there. It may be empty then. */
bool pl_chunks_read(struct pl_chunks *c, unsigned int place);

/* Gives back the bytes of its packets. */
void pl_chunks_done(struct pl_chunks *c, unsigned int place);

#endif /* PL_CHUNKS_H */
