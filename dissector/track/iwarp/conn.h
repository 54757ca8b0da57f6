/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conn.h - a connection of iWARP: two directions, each a TCP stream of FPDUs after one MPA frame. */
#ifndef IBWIRE_TRACK_IWARP_CONN_H
#define IBWIRE_TRACK_IWARP_CONN_H

#include <ibwire/fpdu.h>

#include "track/tcp/stream.h"

/* What the bytes of a direction are taken for. */
enum track_iwarp_phase {
	TRACK_IWARP_START, /* its MPA frame */
	TRACK_IWARP_FPDUS,
	TRACK_IWARP_LOST, /* the next FPDU is looked for */
	TRACK_IWARP_OFF   /* nothing more is reported of it */
};

enum track_iwarp_crc {
	TRACK_IWARP_CRC_OPEN, /* nothing says so yet */
	TRACK_IWARP_CRC_USED,
	TRACK_IWARP_CRC_UNUSED
};

/* Messages of a direction, by what they are; INVALIDATE and SEND are both Sends. */
enum track_iwarp_message {
	TRACK_IWARP_SEND,
	TRACK_IWARP_INVALIDATE,
	TRACK_IWARP_WRITE,
	TRACK_IWARP_READ_REQUEST,
	TRACK_IWARP_READ_RESPONSE,
	TRACK_IWARP_ATOMIC_REQUEST,
	TRACK_IWARP_ATOMIC_RESPONSE,
	TRACK_IWARP_IMMEDIATE,
	TRACK_IWARP_TERMINATE,
	TRACK_IWARP_MESSAGE_COUNT
};

/* A message whose last segment has not arrived. */
struct track_iwarp_open {
	uint64_t next;  /* untagged: its offset; tagged: its address */
	uint64_t frame; /* that it began in; 0: there is none */
	uint32_t key;   /* MSN or STag */
	uint32_t bytes;
};

/* The last messages that began, one of which a Terminate may refuse. */
#define TRACK_IWARP_RECENT 16u
struct track_iwarp_begun {
	uint64_t frame, ns;
	uint64_t at; /* tagged: its first address; of a Read Request the one it reads */
	uint32_t key, msn, bytes; /* STag or MSN; of a Read Request; so far */
	uint8_t opcode;
};

/* A Read Request that is not answered yet. */
#define TRACK_IWARP_READS_MAX 256u
struct track_iwarp_asked {
	uint64_t frame, to;
	uint32_t stag, bytes;
};

struct track_iwarp_asks {
	uint32_t first, n;
	struct track_iwarp_asked asked[TRACK_IWARP_READS_MAX];
};

/* A request or reply frame, as far as it matters later. */
struct track_iwarp_start {
	uint64_t frame, ns; /* 0: not seen */
	uint16_t private_bytes, ird, ord;
	uint8_t rev;
	uint8_t rtr; /* enum track_iwarp_rtr */
	bool reply, m, c, r, s, enhanced;
};

/* The flags of the enhanced set-up: the first FPDU says that the initiator is ready, and may be of these. RFC 6581, 6 */
enum track_iwarp_rtr {
	TRACK_IWARP_RTR_READ = 1,
	TRACK_IWARP_RTR_WRITE = 2,
	TRACK_IWARP_RTR_SEND = 4,
	TRACK_IWARP_RTR_ASKED = 8
};

struct track_iwarp_counts {
	uint64_t segments, wire_bytes;                 /* with data */
	uint64_t retransmitted, reordered, duplicated; /* of those */
	uint64_t fpdus, crc_good, crc_bad, crossed, payload;
	uint64_t messages[TRACK_IWARP_MESSAGE_COUNT];
	uint64_t lost;     /* bytes that are not in the capture, or in no FPDU */
	uint64_t missing;  /* of those, that are not in the capture though the other end has them */
	uint64_t stall_ns; /* the longest time that bytes waited for those before them */
	uint64_t first_ns, last_ns; /* of segments: the earliest and the latest time */
};

/* Where something is: frame 0: nowhere. */
struct track_iwarp_where {
	uint64_t frame, ns;
};

/* What few directions have. */
struct track_iwarp_odd {
	/*
	 * The first retransmitted segment; the one that ends the longest wait; the longest time without an acknowledgement, at
	 * least.
	 */
	struct track_iwarp_where resent, stall, unacked;
	uint64_t unacked_ns;
	/* The first hole, and bytes of all of them; the first FPDU that does not fit in a segment. */
	struct track_iwarp_where hole, long_one;
	uint64_t hole_place, missing;
	uint32_t holes, too_long;
	uint32_t longest; /* ULPDU */
};

struct track_series;
struct track_stall_now;

struct track_iwarp_dir {
	struct track_tcp_stream tcp;
	uint64_t at;    /* the place of what is looked at next: of kept, if there is any */
	uint64_t base;  /* of the first FPDU, or of one */
	uint64_t until; /* up to here it is of an FPDU that is lost */
	uint8_t *kept;  /* the beginning of an FPDU, in pieces until now */
	uint32_t n_kept, room;
	uint32_t need;       /* bytes from @at on, before it is worth to look again */
	uint64_t kept_frame; /* that the first of them came in */
	uint64_t kept_end;   /* the place after those that came with it */
	uint64_t hole_ns;    /* since when there is one; 0: there is none */
	uint16_t
		last_id; /* of IPv4, of the last one that was sent of the segments with data; 0: none */
	bool ids_mixed;      /* they do not tell in what order segments were sent */
	bool cut;            /* the capture does not have all bytes of a segment */
	uint8_t phase, crc;  /* enum track_iwarp_phase, track_iwarp_crc */
	uint8_t zeros;       /* FPDUs whose CRC is 0, before it is known whether it is used */
	uint8_t tries;       /* wrong CRCs since an FPDU is looked for */
	bool begun, aligned; /* FPDUs begin at the place after the frame; base is known */
	bool markers, terminated;
	bool asks_lost; /* there were more Read Requests, or some were not captured */
	uint8_t touched; /* kinds of messages of which something was lost since the last one, by their bits */
	uint32_t said;     /* faults, by their bits: each is said once */
	uint32_t msn[4];   /* of each queue: the last one */
	uint8_t msn_known; /* by their bits */
	struct track_iwarp_start start;
	struct track_iwarp_open open[3];
	struct track_iwarp_begun *recent;
	uint32_t n_recent;
	struct track_iwarp_asks *asks;
	uint16_t mss;   /* of its SYN; 0: not known */
	uint8_t header; /* the shortest header of TCP in front of data */
	uint64_t terminate_frame;
	uint64_t acked;    /* a place: the other end has all before it */
	uint64_t acked_ns; /* since when, or since when there is something to acknowledge */
	struct track_iwarp_odd *odd; /* NULL: there is nothing in it */
	struct track_series *series; /* of its octets; NULL: not wanted, or there is no room */
	struct track_stall_now
		*stall;  /* what is missing now; NULL: nothing was so far, or it is not wanted */
	uint16_t window; /* that its sender announced last, if that is wanted */
	struct track_iwarp_counts counts;
};

struct track_iwarp_conn {
	struct track_iwarp_dir dir[2]; /* by the sender, as in the ends */
	uint64_t number;               /* how many were before it */
	uint64_t first_frame, first_ns, last_frame, last_ns;
	uint64_t
		round_ns; /* round trip: from its SYN to the segment after the answer; 0: not known */
	bool is_iwarp;    /* an MPA frame is whole, or FPDUs were found */
	bool reset;
	uint8_t opener;     /* which side sends the request; 2: open */
	uint8_t first_side; /* that its first segment came from */
	struct track_busy
		*busy; /* of its segments with data; NULL: not wanted, or there is no room */
};

/* Its state: the first that is true. */
enum track_iwarp_state {
	TRACK_IWARP_REJECTED,
	TRACK_IWARP_FAILED,     /* a Terminate */
	TRACK_IWARP_CLOSED,     /* a FIN or a RST */
	TRACK_IWARP_MID_STREAM, /* its MPA frames were not captured */
	TRACK_IWARP_SETUP,      /* no FPDU after them */
	TRACK_IWARP_ESTABLISHED
};

/* state.c */
enum track_iwarp_state track_iwarp_state(const struct track_iwarp_conn *c);

/* Whether an MPA frame of it was captured. */
static inline bool track_iwarp_has_start(const struct track_iwarp_conn *c)
{
	return c->dir[0].start.frame || c->dir[1].start.frame;
}

/* enum track_doubt: what the capture does not show of it. */
uint16_t track_iwarp_doubt(const struct track_iwarp_conn *c);

/* The smaller MSS of its two SYNs; 0: not both are known. */
uint16_t track_iwarp_mss(const struct track_iwarp_conn *c);

/* The side that sends the request; while that is open, the one that its first segment came from. */
static inline unsigned int track_iwarp_opener(const struct track_iwarp_conn *c)
{
	return c->opener < 2 ? c->opener : c->first_side;
}

#endif /* IBWIRE_TRACK_IWARP_CONN_H */
