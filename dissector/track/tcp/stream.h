/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream.h - the bytes of one direction of a TCP connection, in order.
 *
 *	was = track_tcp_read(&r, &stream, &memory, &segment, &at);
 *	while (track_tcp_next(&r, &run))
 *		... run.n bytes at run.p are the next ones; NULL: they are not in the capture ...
 *
 * Bytes in order are not copied. Bytes after a hole are copied until the hole is filled or given up: when the other end
 * acknowledges the hole and it is still there many segments later, when too many bytes follow it, or at the end. Of
 * duplicated bytes the first copy counts.
 */
#ifndef IBWIRE_TRACK_TCP_STREAM_H
#define IBWIRE_TRACK_TCP_STREAM_H

#include "segment.h"
#include "track/base/event.h"

/* What is kept after a hole: bytes and segments of a direction. */
#define TRACK_TCP_KEPT_MAX (256u << 10)
#define TRACK_TCP_PIECES_MAX 1024u

/* Segments after the acknowledgement of what is missing until it is given up. */
#define TRACK_TCP_PATIENCE 16u

/* Right checksums of a direction before a wrong one counts: where the adapter makes them, the sender's are wrong. */
#define TRACK_TCP_RIGHT_MIN 4u

struct track_tcp_late;

struct track_tcp_stream {
	uint64_t place;              /* of the next byte: counted from the first one */
	struct track_tcp_late *late; /* NULL: there is no hole */
	uint32_t next;               /* its sequence number */
	uint32_t fin;                /* that of the FIN */
	uint32_t first;              /* that of the byte at place 0 */
	bool begun, syn, finished;   /* it has a byte or a SYN; its SYN; a FIN */
	uint8_t right, wrong;        /* checksums, as far as they are counted */
};

/* The place of a sequence number: the one next to the next byte's. */
static inline uint64_t track_tcp_place_of(const struct track_tcp_stream *s, uint32_t seq)
{
	return s->place + (uint64_t)(int64_t)(int32_t)(seq - s->next);
}

/* What all streams keep. */
struct track_tcp_memory {
	uint64_t used;
};

/* What a segment was. */
enum track_tcp_was {
	TRACK_TCP_NOTHING, /* no data, or a keep-alive */
	TRACK_TCP_NEXT,    /* new bytes, in order */
	TRACK_TCP_FILLS,   /* new bytes that were missing: of a hole that there is */
	TRACK_TCP_AHEAD,   /* new bytes after a hole */
	TRACK_TCP_AGAIN,   /* none that is new */
	TRACK_TCP_DAMAGED  /* its checksum is wrong, and others are right */
};

struct track_tcp_read {
	struct track_tcp_stream *s;
	struct track_tcp_memory *m;
	uint64_t at, end,
		there; /* places of the segment: its first byte, after the last one, and the last captured one */
	const uint8_t *p; /* NULL: it has none */
	uint64_t frame, ns;
	bool gives_up; /* the first hole */
	bool rest;     /* all of them */
	bool conflict; /* a byte that was there before is another one now */
};

/* Why bytes are not there. */
enum track_tcp_missing {
	TRACK_TCP_HOLE,       /* no segment of the capture has them */
	TRACK_TCP_HOLE_ACKED, /* nor these, which the other end has */
	TRACK_TCP_CUT         /* the capture does not have the end of the segment */
};

/* The next bytes. */
struct track_tcp_run {
	const uint8_t *p; /* valid until the next call; NULL: they are missing */
	uint64_t n;
	uint64_t place;  /* of the first one */
	uint64_t frame;  /* that they came in */
	uint64_t ns;     /* and when, by their segment */
	uint8_t missing; /* enum track_tcp_missing, if they are */
};

/* A direction may begin with @seq: its first byte. */
void track_tcp_begin(struct track_tcp_stream *s, uint32_t seq, bool syn);
void track_tcp_end(struct track_tcp_stream *s, struct track_tcp_memory *m);

enum track_tcp_was track_tcp_read(struct track_tcp_read *r, struct track_tcp_stream *s,
				  struct track_tcp_memory *m,
				  const struct track_tcp_segment *segment, uint64_t frame);

/* All that is after holes: there will be no more segments. */
void track_tcp_read_rest(struct track_tcp_read *r, struct track_tcp_stream *s,
			 struct track_tcp_memory *m);

bool track_tcp_next(struct track_tcp_read *r, struct track_tcp_run *run);

/* The other end acknowledges all before @ack. */
void track_tcp_acknowledged(struct track_tcp_stream *s, uint32_t ack);

/* The bytes right after the first hole: where they begin, and the segment that brought them. */
struct track_tcp_after {
	uint64_t at, frame, ns;
};

/* False: there is no hole. */
bool track_tcp_after(const struct track_tcp_stream *s, struct track_tcp_after *after);

/* The place after the last byte that came, whatever is missing before it. */
uint64_t track_tcp_highest(const struct track_tcp_stream *s);

/* Whether all bytes up to a FIN were handed out. */
static inline bool track_tcp_is_finished(const struct track_tcp_stream *s)
{
	return s->finished && s->next == s->fin;
}

#endif /* IBWIRE_TRACK_TCP_STREAM_H */
