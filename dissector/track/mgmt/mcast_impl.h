/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mcast_impl.h - the state that mcast.c keeps and mcast_list.c lists. */
#ifndef IBWIRE_TRACK_MCAST_IMPL_H
#define IBWIRE_TRACK_MCAST_IMPL_H

#include <ibwire/ibwire.h>

#include "mcast.h"
#include "track/base/table.h"

/* No holes: compared as bytes. */
struct member_key {
	uint8_t mgid[16], port[16];
};

struct told_key {
	uint8_t mgid[16], client[16];
};

struct member {
	uint64_t frame;      /* of the last answer; 0: none yet */
	uint64_t data_frame; /* of the first packet sent before it joined; 0: none */
	uint64_t asked;      /* frame of the join that waits for its answer; 0: none */
	uint64_t asked_ns;   /* its time */
	uint64_t left_ns;    /* when it gave up all that it had joined as; 0: it has not */
	uint64_t refused;    /* frame that refused the last join; 0: it was not refused */
	uint32_t failed;     /* joins in a row */
	uint32_t unanswered; /* of them */
	uint8_t state;       /* enum ibw_join_state */
	bool has_left;
	bool told_left; /* that it sends on */
};

struct group {
	uint64_t frame; /* of the answer that described it */
	struct ibw_mcmember_rec rec;
	uint64_t mlid_frame, mlid_ns; /* of the answer with an MLID other than the one before */
	uint16_t mlid_before;         /* 0: it had none */
	bool to_and_fro; /* it got an MLID back that it had before: of two SAs, maybe */
	bool told_mlid;
};

/* The port that the broadcast group of a partition refused. */
struct outsider {
	uint8_t port[16];
	uint64_t frame;
	bool several; /* ports */
};

struct track_mcast {
	struct track_events *events;
	struct track_fabric *fabric;   /* NULL: nobody to ask */
	struct track_table *groups;    /* MGID -> struct group */
	struct track_table *members;   /* struct member_key -> struct member */
	struct track_table *requests;  /* struct request_key -> struct request */
	struct track_table *told;      /* struct told_key -> uint16_t, the MLID */
	struct track_table *mlids;     /* uint16_t -> MGID; of the first group that has it */
	struct track_table *gone;      /* GID -> uint64_t: frame of the Notice */
	struct track_table *outsiders; /* MGID -> struct outsider; of groups of IPoIB broadcast */
	uint32_t finished;             /* members that were looked at */
};

#endif /* IBWIRE_TRACK_MCAST_IMPL_H */
