/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cm.h - the tracker of CM conversations, and what they tell about the packets of their
 * connections.
 *
 * A conversation begins with a REQ. Its answers name it by the communication ID of the REQ, and
 * are between the same two addresses. What was set up is kept by flow, of normalised addresses
 * (track_flow_as_gids()) and service 0: the QPs of all services are one number space. The packets
 * of a connection may be addressed as its CM messages are, by the GIDs of the REQ's primary path,
 * or by its LIDs: all three are learned.
 *
 * Memory is bounded: the least recently seen entry is evicted, and counted. It is then as if its
 * REQ had not been captured.
 */
#ifndef IBWIRE_TRACK_CM_H
#define IBWIRE_TRACK_CM_H

#include <stdbool.h>
#include <stdint.h>

#include <ibwire/packet.h>

#include "track/base/event.h"
#include "track/base/flow.h"
#include "track/view/mad.h"
#include "track/view/rejection.h"

/* How a connection's packets may be addressed. */
#define TRACK_CM_ADDRESSINGS 3

/*
 * The largest numbers of conversations and flows, of about 200 and 90 bytes each; names of
 * conversations take 130.
 */
#define TRACK_CM_MAX 65536
#define TRACK_CM_FLOWS (2 * TRACK_CM_ADDRESSINGS)

#define TRACK_CM_NO_QPN UINT32_MAX

enum track_cm_message {
	TRACK_CM_OTHER, /* of no conversation */
	TRACK_CM_REQ,
	TRACK_CM_MRA,
	TRACK_CM_REJ,
	TRACK_CM_REP,
	TRACK_CM_RTU,
	TRACK_CM_DREQ,
	TRACK_CM_DREP,
	TRACK_CM_LAP,
	TRACK_CM_APR,
	TRACK_CM_SIDR_REQ, /* these two are the SIDR tracker's */
	TRACK_CM_SIDR_REP,
	TRACK_CM_MESSAGES
};

/* The client sends the REQ, the server answers it. */
enum track_cm_side { TRACK_CM_CLIENT, TRACK_CM_SERVER, TRACK_CM_SIDES };

/* A message, and the state of its conversation with it. */
struct track_cm_news {
	uint8_t message;    /* enum track_cm_message */
	bool doubt;         /* it has a bad ICRC */
	uint32_t local_id;  /* communication IDs, the sender's first */
	uint32_t remote_id; /* 0 in a REQ */
	uint32_t detail;    /* MRA: service timeout; REJ: reason; DREQ: remote QPN; else 0 */
	struct track_rejection
		rejection; /* REJ: what the upper layer says; set by the tracker that has the REQ */
	struct track_flow sent; /* from the sender, as it was addressed; no QP */
	/* False: its REQ was not captured, and few of the following members are known. */
	bool known;
	bool repeated;                 /* a repetition */
	uint8_t side;                  /* enum track_cm_side: who sent it */
	uint16_t seen[TRACK_CM_SIDES]; /* 1 << enum track_cm_message, by sender */
	uint8_t before;                /* enum track_cm_state, before it */
	uint64_t last_frame;           /* of the message before it; 0: it is the first one */
	/*
	 * Of the REQ or, if that was not captured, the REP. 0: neither was captured. It identifies the
	 * conversation.
	 */
	uint64_t first_frame;
	/*
	 * The conversation whose communication ID differs from the remote one in the message, which the
	 * other side never gave. 0: the ID is right, or unknown.
	 */
	uint64_t meant_frame;
	uint32_t meant_id;        /* the right one */
	struct track_flow client; /* from the client, addressed as the first message was; no QP */
	uint32_t mtu;             /* the path's, in bytes; 0: not known */
	uint8_t service;          /* enum ibw_service, as the REQ asks for; RC without it */
	uint64_t service_id;
	uint64_t req_frame;           /* of the first REQ, which identifies the conversation */
	uint64_t rep_frame;           /* of the last REP; 0: none yet */
	uint32_t qpn[TRACK_CM_SIDES]; /* TRACK_CM_NO_QPN: not known yet */
	uint32_t psn[TRACK_CM_SIDES]; /* the first one the other side will send */
	/*
	 * READs and atomics: the most that it wants to have outstanding, and the most that it can
	 * answer at a time
	 */
	uint8_t init_depth[TRACK_CM_SIDES], resp_res[TRACK_CM_SIDES];
	uint8_t retry_count; /* of both sides, as the REQ says */
	uint8_t ack_timeout; /* 4.096 us << it, as the REQ says */
	/* The RNR retry count for the other side */
	uint8_t rnr_retry_count[TRACK_CM_SIDES];
	/* The flows to a QP that the message sets up. */
	unsigned int n_flows;
	struct track_flow flow[TRACK_CM_ADDRESSINGS];
};

/* What REQ and REP say about the packets of a flow. */
struct track_cm_said {
	uint64_t rep_frame;  /* 0: no REP yet */
	uint32_t sqpn;       /* the QP they come from; TRACK_CM_NO_QPN: no REP yet */
	uint32_t sure_sqpn;  /* the same, from a message without bit errors */
	uint64_t service_id; /* that the REQ asks for; 0: it was not captured */
	uint32_t psn;        /* of their first one; once there is a REP */
	bool ipoib;          /* IPoIB of connected mode: RFC 4755 */
};

struct track_cm;

struct track_cm *track_cm_new(uint32_t max_conversations);
void track_cm_free(struct track_cm *c); /* NULL is fine */

/* A MAD of the CM, the payload of @pkt; @doubt: the packet has a bad ICRC. */
void track_cm_feed(struct track_cm *c, const struct ibw_packet *pkt, const struct track_mad *mad,
		   uint64_t frame, bool doubt, struct track_cm_news *news);

/*
 * What the CM says about a flow of normalised addresses; NULL: nothing. Valid until the next
 * message.
 */
const struct track_cm_said *track_cm_ask(struct track_cm *c, const struct track_flow *flow);

/* Whether anything is known; whether anything is about IPoIB. */
bool track_cm_any(const struct track_cm *c);
bool track_cm_any_ipoib(const struct track_cm *c);

/* The numbers of evicted conversations and flows. */
uint64_t track_cm_evicted(const struct track_cm *c);

#endif /* IBWIRE_TRACK_CM_H */
