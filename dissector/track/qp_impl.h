/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qp_impl.h - how a packet goes through its connection: qps.c keeps the connections, qp_wait.c the
 * packets that wait, qp.c reads a packet, request.c and answer.c follow its PSN.
 */
#ifndef IBWIRE_TRACK_QP_IMPL_H
#define IBWIRE_TRACK_QP_IMPL_H

#include <glib.h>

#include <ibwire/ibwire.h>

#include "qp.h"
#include "ranks.h"
#include "reads.h"
#include "requests.h"
#include "table.h"

/* Bits 4:0 of the opcode: what the packet does, the same for every service. */
#define TRACK_OPERATION(opcode) ((opcode) & ~(unsigned int)IBW_SERVICE_MASK)

/* Packets of a connection that are not looked at yet, in file order. */
struct track_waiting {
	struct track_packet *packet;
	uint32_t first, n, room; /* those from first on */
	uint32_t requests[TRACK_WAYS];
};

struct track_qps {
	struct track_table *by_flow;      /* struct track_flow -> struct owner: what the CM says */
	GHashTable *by_cm;                /* first frame of a conversation -> struct track_qp */
	GHashTable *by_serial;            /* -> struct track_qp */
	struct track_qp *oldest, *newest; /* by their birth */
	struct track_qp *done; /* the oldest of those without halves may be from here on */
	uint32_t count, max;
	uint64_t serial;
	struct track_ranks ranks; /* of serials: of those remembered */
	uint64_t evicted;
	uint64_t waiting; /* packets of all */
	struct track_events *events;
};

/* qp.c: a packet of way p->way; @n: PSNs it takes, if it is a request. */
void track_qp_packet(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		     uint32_t n);

/* PSNs that a READ Request takes, or any other request; 0: that depends on the path MTU. */
uint32_t track_qp_psns(const struct track_qp *qp, const struct track_packet *p);

static inline bool track_is_read_request(const struct track_packet *p)
{
	return TRACK_OPERATION(p->opcode) == IBW_OP_RC_RDMA_READ_REQUEST;
}

/* The payload of such a packet is the path MTU. */
static inline bool track_shows_mtu(const struct track_packet *p)
{
	return track_packet_opf(p) & IBW_OPF_MTU && p->payload;
}

/* request.c, answer.c */
void track_qp_request(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		      uint32_t n);
void track_qp_answer(struct track_qps *s, struct track_qp *qp, const struct track_packet *p);

/* A sample of a list of times: from @since to now, if the clock did not go back. */
void track_qp_time(struct track_qp *qp, struct track_dir *d, enum track_times times,
		   uint64_t since_ns, uint64_t now_ns);

/* qp_wait.c: a packet, at once or later. */
void track_qp_feed(struct track_qps *s, struct track_qp *qp, const struct track_packet *p);

/* Nothing is waited for any more. */
void track_qp_drain(struct track_qps *s, struct track_qp *qp);

/* The packets of @from, which wait, wait in @qp from now on, as of @way. */
void track_qp_wait_together(struct track_qps *s, struct track_qp *qp, struct track_qp *from,
			    enum track_way way);

void track_dir_clear(struct track_dir *d);

/*
 * qps.c. A half is a way of a connection: the one that the CM says, or one of its own. NULL: there
 * is no room for one more.
 */
struct track_qps *track_qps_new(uint32_t max);
void track_qps_free(struct track_qps *s); /* NULL is fine */
struct track_qp *track_qps_half(struct track_qps *s, const struct track_packet *p,
				enum track_way *way);

/* What the CM says of a half that was there before: it may be of another connection now. */
struct track_qp *track_qps_cm_half(struct track_qps *s, const struct track_flow *flow,
				   enum track_way *way);

/* Two connections of one way each are one: @from goes; its half is of way @way of @qp. */
void track_qps_join(struct track_qps *s, struct track_qp *qp, struct track_qp *from,
		    enum track_way way);

/* A half of it is forgotten. */
void track_qps_leave(struct track_qps *s, struct track_qp *qp);

/* A message of the CM. */
void track_qps_cm(struct track_qps *s, const struct track_cm_news *news, const struct track_at *at);

/* The end of the capture. */
void track_qps_finish(struct track_qps *s);

#endif /* IBWIRE_TRACK_QP_IMPL_H */
