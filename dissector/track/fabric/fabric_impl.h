/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric_impl.h - what the parts of the tracker of fabrics share. */
#ifndef IBWIRE_TRACK_FABRIC_IMPL_H
#define IBWIRE_TRACK_FABRIC_IMPL_H

#include <ibwire/ibwire.h>

#include "chronicle.h"
#include "fabric.h"
#include "nodes.h"
#include "track/base/lanes.h"
#include "track/base/table.h"

#define TRACK_FABRIC_PORTS_MAX 262144
#define TRACK_FABRIC_TRAPS_MAX 4096
#define TRACK_FABRIC_MANAGERS_MAX 256
#define TRACK_FABRIC_COUNTERS_MAX 65536
#define TRACK_FABRIC_ROUTES_MAX 65536
#define TRACK_FABRIC_BLOCKS_MAX 65536
#define TRACK_FABRIC_ADDRESSES_MAX 65536

/* No holes: compared as bytes. So are all keys here. */
struct fabric_port_key {
	uint64_t guid, port;
};

/* How many times a port went down are kept: the most of threshold flap-downs. */
#define FABRIC_DOWNS 8

struct fabric_port {
	uint64_t frame, frame_time_ns;  /* of the last PortInfo */
	uint64_t changed;               /* frame of the last change of its state */
	uint64_t prefix, prefix_frame;  /* of its GIDs, the last time that it was Active */
	uint64_t first_ns, last_ns;     /* when it went down */
	uint64_t down_ns[FABRIC_DOWNS]; /* the last of those times */
	uint64_t down_frame, frame_ns;  /* the one by which it flaps, else the last */
	uint32_t downs, changes;
	uint16_t lid;
	uint8_t state;
	uint8_t said,
		before; /* the last state, which may be 0, and the one before the last change */
	struct track_lanes width, speed;
	bool was_up; /* it has been Active */
	bool is_up;  /* it has been Active since it went down */
	bool flaps, back;
};

/* Where a port is cabled to, by the last NodeInfo that came by the one end or the other. */
struct fabric_cable {
	struct fabric_port_key to;
	uint64_t frame, time_ns;
	struct track_object route;
	bool entered; /* this end is the one that the route ends at */
	bool told;
};

struct fabric_lid {
	struct fabric_port_key port,
		other;         /* the one that had it first, the one that got it, too */
	struct track_at at;    /* when the first was seen with it */
	struct track_at twice; /* when the other was; frame 0: none */
	uint64_t last;         /* GUID of the node that said it last */
	uint64_t since;        /* frame since when that one has it */
	bool moved;            /* another node said it before */
};

/* A LID that a port had before. */
struct fabric_lid_before {
	struct fabric_port_key port;
	uint64_t frame, time_ns; /* that says the new one */
	uint16_t now;
	bool told;
};

/* Sweeps that a route was asked in. */
struct fabric_asked_key {
	uint64_t way;
	uint32_t agent, zero;
};

/* The most of threshold sweeps. */
#define FABRIC_SWEEPS 16

struct fabric_asked {
	uint64_t time_ns[FABRIC_SWEEPS]; /* the last one last */
	uint64_t frame;                  /* of the first one without an answer */
	bool missed[FABRIC_SWEEPS];
	uint8_t asked; /* how many of these */
	bool told;
};

/* A block of a forwarding table. */
struct fabric_block_key {
	uint64_t guid;
	uint32_t block, position;
};

#define FABRIC_LFT 64
#define FABRIC_MFT 32

struct fabric_lft {
	uint64_t frame, time_ns;
	uint8_t port[FABRIC_LFT];
};

struct fabric_mft {
	uint64_t frame, time_ns;
	uint16_t ports[FABRIC_MFT]; /* bits of 16 ports */
};

struct fabric_pkeys_key {
	uint64_t port_guid;
	uint64_t block;
};

#define FABRIC_PKEYS 32

struct fabric_pkeys {
	uint64_t frame;
	uint64_t guid; /* of the node */
	uint16_t pkey[FABRIC_PKEYS];
};

struct fabric_trap_key {
	uint8_t details[54]; /* as far as they tell one culprit from another */
	uint16_t issuer, trap_num;
	uint8_t zero[6];
};

struct fabric_trap {
	struct track_at at; /* of the first */
	struct track_flow flow;
	uint64_t last_ns, last_frame;
	uint32_t count;
	uint32_t run, longest; /* with less than a minute between two */
	uint8_t hop;           /* of a directed route */
};

struct fabric_manager {
	uint64_t frame;
	uint16_t lid;
	uint8_t priority, state;
};

struct fabric_handover {
	uint64_t frame, time_ns;
	uint64_t tid;
	uint64_t from; /* GUID */
	struct track_flow flow;
	uint16_t from_lid, to_lid;
	uint8_t priority;
	bool answers; /* the new one does */
	bool waits;   /* for the answer to it */
};

/* The last ones, each by the one that took over in the one before. */
#define FABRIC_HANDOVERS 3

struct fabric_to_and_fro {
	uint64_t frame[FABRIC_HANDOVERS], time_ns[FABRIC_HANDOVERS];
	uint64_t to; /* GUID that took over last */
	uint32_t n;
	bool told;
};

/* Error counters of PortCounters, and with those of data. */
#define FABRIC_COUNTERS 13
#define FABRIC_COUNTED 18

struct fabric_counters_key {
	uint16_t lid;
	uint8_t port;
	uint8_t zero[5];
};

struct fabric_counters {
	uint64_t frame; /* of the last reading */
	uint64_t first_frame, first_ns, last_ns;
	uint64_t grew_frame, grew_ns; /* the first that shows that a counter of errors grew */
	struct track_flow flow;       /* of that */
	uint64_t reset_tid, reset_frame;
	uint64_t grown[FABRIC_COUNTED]; /* from one reading to the next, all together */
	uint32_t value[FABRIC_COUNTED], base[FABRIC_COUNTED]; /* as read; what they count from */
	uint32_t readings, resets;
	uint32_t selected;         /* to be reset: a bit each */
	uint16_t reader, resetter; /* LIDs; 0: none yet */
	bool told_end, told_reset;
};

/* "SymbolErrorCounter" */
const char *fabric_counter_name(unsigned int counter);

struct fabric_mkey {
	uint64_t mkey, frame;
	uint8_t protect;
};

struct track_fabric {
	struct track_events *events;
	struct track_thresholds thresholds;
	struct track_chronicle chronicle;
	struct track_nodes *nodes;
	struct track_table *ports;       /* struct fabric_port_key -> struct fabric_port */
	struct track_table *cables;      /* struct fabric_port_key -> struct fabric_cable */
	struct track_table *lids;        /* uint16_t -> struct fabric_lid */
	struct track_table *pkeys;       /* struct fabric_pkeys_key -> struct fabric_pkeys */
	struct track_table *traps;       /* struct fabric_trap_key -> struct fabric_trap */
	struct track_table *managers;    /* GUID -> struct fabric_manager */
	struct track_table *counters;    /* struct fabric_counters_key -> struct fabric_counters */
	struct track_table *mkeys;       /* uint16_t -> struct fabric_mkey */
	struct track_table *before;      /* uint16_t -> struct fabric_lid_before */
	struct track_table *asked;       /* struct fabric_asked_key -> struct fabric_asked */
	struct track_table *lfts;        /* struct fabric_block_key -> struct fabric_lft */
	struct track_table *mfts;        /* struct fabric_block_key -> struct fabric_mft */
	struct track_table *addresses;   /* GID -> IP address */
	struct fabric_handover handover; /* the last one */
	struct fabric_to_and_fro to_and_fro;
	uint64_t prefixes[2]; /* told of: before and now */
	uint32_t finished_links, finished_counters, finished_routes, finished_mfts;
	uint32_t finished_ports, finished_lids, finished_traps;
};

#define FABRIC_THRESHOLD(t, id) ((t)->thresholds.value[TRACK_THRESHOLD_##id])
#define FABRIC_THRESHOLD_NS(t, id) (FABRIC_THRESHOLD(t, id) * UINT64_C(1000000000))

/* The MAD at hand. */
struct fabric_mad {
	const struct track_mad *mad;
	const struct track_at *at;
	struct track_flow flow;
	uint16_t slid, dlid; /* 0: of no LID */
};

/* An event of what @flow sent; NULL: there is no room, or nobody asked. */
struct track_event *track_fabric_event(struct track_fabric *t, enum track_event_kind kind,
				       const struct track_at *at, const struct track_flow *flow);

/* What a port is cabled to, if both ends say so; NULL: not known. */
const struct fabric_cable *track_fabric_cable(const struct track_fabric *t,
					      const struct fabric_port_key *key);

/* Whether the other end of @cable, which is at @key, says the same. */
bool track_fabric_cable_is_known(const struct track_fabric *t, const struct fabric_port_key *key,
				 const struct fabric_cable *cable);

/* lid_before.c: a port said @lid, and had @had. */
void track_fabric_lid_now(struct track_fabric *t, const struct fabric_port_key *key, uint16_t had,
			  uint16_t lid, uint8_t lmc, const struct track_at *at);

/* forward.c: forwarding tables. */
void track_fabric_lft(struct track_fabric *t, const struct fabric_mad *m, uint64_t guid);
void track_fabric_mft(struct track_fabric *t, const struct fabric_mad *m, uint64_t guid);
bool track_fabric_finish_groups(struct track_fabric *t);

/* routes.c: where these lead. */
bool track_fabric_finish_routes(struct track_fabric *t);

/* below.c: links that are less than they could be. */
bool track_fabric_finish_below(struct track_fabric *t);

/* links.c: nodes, ports, LIDs, P_Keys, M_Keys. */
void track_fabric_smp(struct track_fabric *t, const struct fabric_mad *m);
bool track_fabric_finish_links(struct track_fabric *t);

/* traps.c */
void track_fabric_trap(struct track_fabric *t, const struct fabric_mad *m);
bool track_fabric_finish_traps(struct track_fabric *t);

/* managers.c */
void track_fabric_sm_info(struct track_fabric *t, const struct fabric_mad *m);
void track_fabric_sa(struct track_fabric *t, const struct fabric_mad *m);

/* counters.c */
void track_fabric_counters(struct track_fabric *t, const struct fabric_mad *m);
bool track_fabric_finish_counters(struct track_fabric *t);

#endif /* IBWIRE_TRACK_FABRIC_IMPL_H */
