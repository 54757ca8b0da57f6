/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stall.h - TCP segments of iWARP connections that were lost and held messages up: octets that were missing until they were retransmitted,
 * and octets that were retransmitted before the other end acknowledged them.
 *
 * Octets that were only late, or that the other end acknowledged although the capture lacks them, were not lost, and are not
 * included.
 */
#ifndef IBWIRE_TRACK_IWARP_STALL_H
#define IBWIRE_TRACK_IWARP_STALL_H

#include "conn.h"

/* The largest number kept, and of connections whose numbers are kept: as many as are listed. */
#define TRACK_STALLS_MAX 65536u

#define TRACK_STALL_NO_CONNECTION UINT32_MAX

struct track_stall {
	struct track_tcp_ends ends;
	uint64_t conn;   /* struct track_iwarp_conn: its number */
	uint64_t place;  /* of the first octet */
	uint64_t octets; /* that were missing; 0: none were, they were only not acknowledged */
	uint64_t start_ns;
	/* Frames; 0: there is none */
	uint64_t frame,
		time_ns; /* of the first segment after them; else of the first retransmission */
	uint64_t
		root_frame; /* first copy of the first octet that the capture has, once they were missing */
	uint64_t notice_frame, notice_ns; /* first duplicate ACK */
	uint64_t resent_frame, resent_ns; /* first retransmission of some of them */
	uint64_t end_frame, end_ns;       /* they are complete, or acknowledged */
	uint64_t last_frame;
	uint64_t resent_octets;
	uint64_t resent_at, resent_to; /* places of the first retransmission */
	uint32_t before; /* 1 and the number of the one before of the direction; 0: there is none */
	uint16_t resent_id; /* of that, by IPv4 */
	uint32_t resent_packets;
	uint32_t copies; /* of the first octet */
	uint32_t
		connection; /* its number among those of iWARP, TRACK_STALL_NO_CONNECTION: it is not listed; once the capture has ended */
	uint8_t side;       /* the sender, as in the ends */
	uint8_t way;        /* enum track_way, likewise */
	bool ended;
	bool late; /* the original of a retransmission arrived, too: it was not lost */
};

struct track_stalls;

struct track_stalls *track_stalls_new(void);
void track_stalls_free(struct track_stalls *stalls); /* NULL is fine */

/* Once the capture has ended: by frame. */
const struct track_stall *track_stalls_list(const struct track_stalls *stalls, uint32_t *n);

/* More than there is room for. */
uint64_t track_stalls_more(const struct track_stalls *stalls);

struct track_iwarp_x;

/* All connections are over: sets their numbers. */
void track_stalls_sort(struct track_stalls *stalls);

/* The other end, whose segment is at hand, has all before @place; before that is noted. */
void track_stall_acknowledged(struct track_iwarp_x *x, const struct track_tcp_segment *s,
			      uint64_t place);

/* A segment at @place is retransmitted, before its octets are noted; by what it is alone, or by its number, too. */
void track_stall_resent(struct track_iwarp_x *x, const struct track_tcp_segment *s, uint64_t place,
			enum track_tcp_was was, bool by_octets);

/* A segment is a copy, or was overtaken: octets taken for lost may only be late. */
void track_stall_late(struct track_iwarp_x *x, const struct track_tcp_segment *s, uint64_t place);

/* The outcome of the octets of a segment at @place. */
void track_stall_follow(struct track_iwarp_x *x, const struct track_tcp_segment *s, uint64_t place);

/* A hole is given up before the end of the connection. */
void track_stall_given_up(struct track_iwarp_x *x);

/* The connection is over: of the direction; of all of it. */
void track_stall_end(struct track_iwarp_x *x);
void track_stalls_end(struct track_stalls *stalls, const struct track_iwarp_conn *c);
void track_stall_forget(struct track_iwarp_dir *d);

#endif /* IBWIRE_TRACK_IWARP_STALL_H */
