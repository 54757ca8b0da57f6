/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reply.h - which packets belong to which, for who keeps a record of each packet. */
#ifndef IBWIRE_TRACK_REPLY_H
#define IBWIRE_TRACK_REPLY_H

#include <stdint.h>

enum track_reply_kind {
	TRACK_REPLY_ACK,      /* an ACK, NAK or response: the request came */
	TRACK_REPLY_RESPONSE, /* of a READ or an atomic */
	TRACK_REPLY_MAD,      /* or a segment of it */
	TRACK_REPLY_RETRY,    /* no answer: the same MAD as the request once more */
	TRACK_REPLY_CM,  /* a message of the CM to the first one of its conversation, or that one */
	TRACK_REPLY_CNP, /* to the last of "count" packets that were marked since the CNP before */
	/* No answers: the request packet "answer" and the message it is of; chain.c */
	TRACK_REPLY_BEGINS,  /* another message */
	TRACK_REPLY_GOES_ON, /* with that of "request" */
	TRACK_REPLY_REPEATS, /* a packet of it; request 0: which one is forgotten */
	/* No answers, either: note.h */
	TRACK_REPLY_NOTE, /* what the packet "answer" is; "request" is the one it repeats or follows, 0: not known */
	TRACK_REPLY_NOTED, /* so are "answer" and those before it whose notes were UNSURE; "request" overtook those that are late */
};

struct track_reply {
	/* Frames; of a request that was sent again the last one, of a MAD the first one. */
	uint64_t request, answer;
	/* From that one, to a CNP from the first mark; TRACK_NO_TIME: which copy it answers is not known. */
	uint64_t ns;
	uint64_t time_ns; /* of the answer; of MADs only those of the CM have it */
	uint64_t va;      /* of the packet of a message, as dmalen */
	uint32_t dmalen;
	union {
		uint32_t payload; /* of the packet of a message, or of a response */
		uint32_t count;   /* of a CNP, of a note */
	};
	/* What of its direction is in flight, with the packet of a message: flight.h */
	uint64_t open_packets, open_bytes, open_reads;
	uint32_t psn; /* of the request an ACK is about, else of the packet "answer" */
	uint8_t kind; /* enum track_reply_kind */
	uint8_t opcode; /* of the answer; of the CM enum track_cm_message; of other MADs the request's method */
	union {
		uint8_t flags;    /* of the packet of a message: enum track_packet_flags */
		uint8_t syndrome; /* of what answers a request, if it has an AETH */
	};
	union {
		uint8_t verb; /* of the request: enum track_verb; not of MADs */
		uint8_t side; /* of the CM: enum track_cm_side */
		uint8_t note; /* enum track_note */
	};
};

#define TRACK_NO_TIME UINT64_MAX

/* One ACK answers as many requests as are remembered, and a packet that ends a wait feeds others. */
#define TRACK_REPLIES_MAX 16384u

/* Those that nobody has read yet; what does not fit is counted and lost. */
struct track_replies {
	struct track_reply *reply;
	unsigned int n;
	uint64_t lost;
};

/* @q: NULL: not wanted. */
static inline void track_reply_add(struct track_replies *q, const struct track_reply *r)
{
	if (!q)
		return;
	if (q->n == TRACK_REPLIES_MAX)
		q->lost++;
	else
		q->reply[q->n++] = *r;
}

#endif /* IBWIRE_TRACK_REPLY_H */
