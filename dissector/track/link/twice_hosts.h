/* SPDX-License-Identifier: GPL-2.0-or-later */
/* twice_hosts.h - whether two hosts are captured at two points: the evidence, and the decision. */
#ifndef IBWIRE_TRACK_TWICE_HOSTS_H
#define IBWIRE_TRACK_TWICE_HOSTS_H

#include "twice.h"

#define TRACK_TWICE_POINTS 4

/* A packet that equals an earlier one. */
struct track_twice_equal {
	bool is_equal;
	bool is_copy; /* if these hosts are captured twice: the first of two, of four the third, is none */
	bool is_same; /* it looks like the first one, too */
	uint32_t nth; /* of those that look so */
	uint32_t first_look;
	uint64_t ns;     /* between it and the one that it would be a copy of */
	uint32_t frames; /* since the first one */
};

/* What is counted is counted while it is open. */
struct track_twice_way {
	uint32_t packets;
	uint32_t
		lag; /* frames between the first equal one of both ways and what the first of this one equals */
	uint32_t same, other; /* equal packets that look the same, or otherwise */
	uint32_t thirds;      /* third ones that look the same */
	uint32_t unrepeated;  /* of same and other, of kinds that are never retransmitted */
	uint32_t
		again; /* packets that look as the first ones do, after those that look otherwise */
	uint32_t news; /* that look as the later ones do, and equal none */
	uint32_t ids;  /* changes of the IPv4 identification */
	uint16_t id;   /* of the packet before */
	bool drops_same;
	uint64_t copies_same, copies_other; /* copies, if these hosts are captured twice */
	uint32_t copy_look, first_look;     /* of the last equal one */
	unsigned int n_points;
	struct track_twice_point point[TRACK_TWICE_POINTS];
};

enum track_twice_state {
	TRACK_TWICE_UNKNOWN,
	TRACK_TWICE_WATCHED,
	TRACK_TWICE_ONCE,
	TRACK_TWICE_IS
};

struct track_twice_pair {
	uint8_t state; /* enum track_twice_state */
	bool drops_other;
	uint32_t equals; /* of all times */
	uint64_t least_ns, most_ns;
	uint64_t frame;                /* of the first equal one */
	uint64_t now;                  /* the frame up to which it was counted */
	struct track_twice_way way[2]; /* from the lower address, and to it */
};

/* For hosts captured once, whether another equal packet is no reason to decide again. */
bool track_twice_pair_rests(struct track_twice_pair *pair);

/* A packet of @pair, which may be equal to an earlier one; @way: 0 or 1. Whether it may be a copy. */
bool track_twice_pair_packet(struct track_twice_pair *pair, unsigned int way,
			     const struct ibw_packet *pkt, const struct track_at *at,
			     const struct track_twice_point *point,
			     const struct track_twice_equal *e);

/* Whether it is decided by @frame; @last: it has to be. */
bool track_twice_pair_decide(struct track_twice_pair *pair, uint64_t frame, bool last);

/*
 * Of hosts with too few packets to show it by themselves: others are captured twice, with looks that differ (@other), or so many ns
 * apart at most (@same_ns; 0: none is), and all of these are there twice, too.
 */
void track_twice_pair_follow(struct track_twice_pair *pair, uint64_t frame, bool other,
			     uint64_t same_ns);

/* Whether an equal packet is a copy, by the decision. */
static inline bool track_twice_pair_drops(const struct track_twice_pair *pair, unsigned int way,
					  bool is_same)
{
	return pair->state == TRACK_TWICE_IS &&
	       (is_same ? pair->way[way].drops_same : pair->drops_other);
}

/* The number of copies so far, by the decision. */
static inline uint64_t track_twice_pair_copies(const struct track_twice_pair *pair)
{
	uint64_t n = 0;
	unsigned int way;

	for (way = 0; way < 2; way++) {
		n += track_twice_pair_drops(pair, way, true) ? pair->way[way].copies_same : 0;
		n += track_twice_pair_drops(pair, way, false) ? pair->way[way].copies_other : 0;
	}
	return n;
}

#endif /* IBWIRE_TRACK_TWICE_HOSTS_H */
