/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incident.h - incidents: a fault on a connection with everything that follows from it. There are incidents of CM conversations
 * (incident_cm.h), RMPP transfers (incident_rmpp.h), MAD requests (incident_mad.h) and iWARP segments (incident_stall.h), too.
 *
 * A way has at most one open incident. It opens at the first packet that shows a fault, with a root: the PSN that blocks
 * progress. Later faults join it while it is open. It ends when the root is answered, or with the connection. Its cost is the
 * time without progress: from when the root first blocked it to the end.
 */
#ifndef IBWIRE_TRACK_INCIDENT_H
#define IBWIRE_TRACK_INCIDENT_H

#include <stdbool.h>
#include <stdint.h>

#include "congestion.h"

enum track_incident_kind {
#define TRACK_INCIDENT(id, name, one, many, is) TRACK_INCIDENT_##id,
#include "incident.def"
	TRACK_INCIDENT_COUNT
};

extern const struct track_incident_row {
	const char *name;
	const char *one, *many; /* after a number */
	const char *is;         /* after the request that it is about */
} track_incident_rows[TRACK_INCIDENT_COUNT];

struct track_incident {
	uint64_t serial; /* of its connection: struct track_qp; 0: it is of none */
	uint64_t
		cm_frame; /* the first of the conversation of the CM that it is about; 0: it is about a queue pair */
	uint64_t frame; /* that shows it first */
	uint64_t time_ns;
	/* Frames; 0: there is none */
	uint64_t root_frame;   /* first copy of the root, or the first READ that asks for it */
	uint64_t lost_frame;   /* the copy that was lost */
	uint64_t notice_frame; /* first NAK, RNR NAK or resend */
	uint64_t nak_frame;    /* first NAK or RNR NAK */
	uint64_t resent_frame; /* the root is retransmitted */
	uint64_t end_frame;
	uint64_t last_frame; /* that belongs to it: a retransmission may come after the end */
	/* Time without progress, and its parts: until the notice, until the root was retransmitted, until the end */
	uint64_t ns, noticed_ns, resent_ns, repaired_ns;
	uint64_t end_ns;       /* of the time without progress, which began ns before */
	uint64_t resent_bytes; /* payload */
	uint32_t resent_packets;
	uint32_t psn;    /* the root */
	uint32_t copies; /* of the root, in the capture */
	uint32_t naks, rnr, timers;
	uint32_t
		mads; /* 1 and the number of its requests: struct track_mads_alike; 0: it is about no MADs */
	uint32_t
		transfer; /* 1 and its number: struct track_transfer_troubles; 0: it is about none of RMPP */
	uint32_t
		stall; /* 1 and its number: struct track_stall; 0: it is about no connection of iWARP */
	uint32_t
		congestion; /* 1 and its number: struct track_marked_ways; 0: it is about no marks and CNPs */
	uint8_t kind; /* enum track_incident_kind */
	uint8_t way;  /* enum track_way, of the requests */
	/* Of what is refused: the NAK, and enum track_refusal */
	uint8_t syndrome, why;
	uint8_t opcode; /* of the root; enum track_cm_message, of the CM */
	bool known;     /* the root is in the capture: the opcode */
	bool by_timer; /* the root was retransmitted by a timer, or with what a timer retransmitted */
	bool response; /* of a READ: its response is missing, or late */
	bool ended; /* else nothing answered it by the end of the connection, or of the capture */
};

/* The largest number kept; further ones are only counted. */
#define TRACK_INCIDENTS_MAX 65536u

struct track_incidents {
	/*
	 * In the order in which they were completely known, until there is no room for another one; from then on, one that is
	 * the costliest of its way and kind replaces one that is not
	 */
	struct track_incident *kept;
	uint32_t n, room;
	uint64_t count;                    /* of all, kept or not */
	struct track_incidents_full *full; /* NULL: there is room */
	/* The costliest of each kind among those that were not kept; frame 0: there was none */
	struct track_incident costliest[TRACK_INCIDENT_COUNT];
	uint64_t of_kind[TRACK_INCIDENT_COUNT]; /* of those */
	/* Of conversations of the CM, of MADs, of transfers of RMPP, of congestion, of connections of iWARP, once the capture has ended; in no count */
	struct track_incident *managed;
	uint32_t n_managed;
	struct track_marked_ways congested; /* what some of these are about */
};

/* The number of the first of @managed: those of connections come before. */
static inline uint32_t track_incidents_managed_from(const struct track_incidents *list)
{
	return list->n + (list->count > list->n ? TRACK_INCIDENT_COUNT : 0);
}

/* Those that are not listed. */
struct track_incidents_rest {
	uint64_t n, resent_packets;
	uint64_t ns; /* their sum */
};

/* Of the way and kind of kept[@number], if that is the costliest of those; else none. */
struct track_incidents_rest track_incidents_rest_of(const struct track_incidents *list,
						    uint32_t number);

struct track_memory;

/* One more of connections, in @memory. */
void track_incidents_keep(struct track_incidents *list, struct track_memory *memory,
			  const struct track_incident *incident);

/* One more of @managed. */
void track_incidents_manage(struct track_incidents *list, const struct track_incident *incident);

/* Of @managed, those from number @from on: by the frame that shows them first. */
void track_incidents_sort_managed(struct track_incidents *list, uint32_t from);

/*
 * Its root was first seen, then repeated in that frame (0: it was not): sets what follows from that, once its time is
 * known.
 */
void track_incident_copied(struct track_incident *incident, uint64_t first_ns, uint64_t again_frame,
			   uint64_t again_ns);

/* Whether it is about datagrams of managers, about iWARP, or about congestion: it has no PSN. */
static inline bool track_incident_is_managed(const struct track_incident *incident)
{
	return incident->cm_frame || incident->mads || incident->transfer || incident->stall ||
	       incident->congestion;
}

struct track_incidents *track_incidents_new(void);
void track_incidents_free(struct track_incidents *list); /* NULL is fine */

#endif /* IBWIRE_TRACK_INCIDENT_H */
