/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qp_impl.h - the internal state of a connection while its packets are followed, and what is concluded from
 * it.
 *
 * stream/stream.h follows the packets; track/incident and track/measure are told.
 */
#ifndef IBWIRE_TRACK_QP_IMPL_H
#define IBWIRE_TRACK_QP_IMPL_H

#include <glib.h>

#include <ibwire/ibwire.h>

#include "heard.h"
#include "left_out.h"
#include "note.h"
#include "qp.h"
#include "reads.h"
#include "requests.h"
#include "track/base/ranks.h"
#include "track/base/table.h"

/* The capture has one packet twice: at two points, or by a parent and its VLAN. */
#define TRACK_COPY_NS 10000u

/*
 * Sooner than that after an answer no timer sends again what it answers, or the rest of a READ. What was answered is sent again
 * only if the answer was lost after the capture point; as often the network doubled it, and then it is less late than
 * most timeouts are long. A READ is asked for again as soon as a response is missing.
 */
#define TRACK_TIMEOUT_ANSWERED_NS 10000000u

/* Without answers in the capture a NAK may have asked for what is sent again sooner than that. */
#define TRACK_UNHEARD_NS 50000000u

/* So few request packets show nothing of their connection. */
#define TRACK_REQUESTS_MIN 10u

/* Packets of a connection that are not looked at yet, in file order. */
struct track_waiting {
	struct track_packet *packet;
	uint32_t first, n, room; /* those from first on */
	uint32_t requests[TRACK_WAYS];
	uint32_t damaged; /* of them, that count for nothing */
};

struct track_cc;

struct track_qps {
	struct track_table *by_flow;      /* struct track_flow -> struct owner: what the CM says */
	GHashTable *by_cm;                /* first frame of a conversation -> struct track_qp */
	GHashTable *by_serial;            /* -> struct track_qp: those the CM said something of */
	struct track_qp *oldest, *newest; /* by their birth */
	GQueue left;                      /* those that no half is of, by when they lost the last */
	uint32_t count;
	struct track_qp *spare; /* memory for the next one; NULL: none */
	struct track_memory memory;
	uint64_t serial;
	struct track_ranks ranks; /* of serials: of those remembered */
	uint64_t evicted, unfollowed;
	uint64_t waiting; /* packets of all */
	struct track_events *events;
	struct track_cc *cc;             /* the caller's; NULL: no events are wanted */
	struct track_table *paused_gaps; /* see qps.c; NULL: none yet */
	struct track_table *unreached;   /* unreached.c; NULL: there are none */
	struct track_table *sprayed;     /* spray.c; NULL: there are none */
	struct track_pausing *pausing;   /* NULL without measures, or pause frames */
	struct track_heard heard[TRACK_HEARD_MAX];
	struct track_replies *replies;     /* NULL: not wanted */
	struct track_left_out *left_out;   /* the caller's; NULL: nothing was */
	struct track_incidents *incidents; /* NULL: not wanted */
	struct track_series_room *series;  /* likewise */
	bool measures;                     /* are wanted */
	uint64_t interval_ns;              /* of timelines; 0: not wanted */
	uint32_t bins_max;
	struct track_timeline *timeline; /* of all; NULL: nothing was seen */
	uint64_t last_frame, last_ns;    /* of the capture */
	/* Once the capture ended: where the steps of finishing are. */
	enum { TRACK_END_NOT, TRACK_END_DRAIN, TRACK_END_FINISH } end;
	struct track_qp *finish;
};

/* Packets of @mtu bytes that @dmalen bytes are sent in. */
static inline uint32_t track_packets_of(uint32_t dmalen, uint32_t mtu)
{
	return dmalen / mtu + (dmalen % mtu != 0);
}

static inline bool track_is_read_request(const struct track_packet *p)
{
	return TRACK_OPERATION(p->opcode) == IBW_OP_RC_RDMA_READ_REQUEST;
}

/* Marked on its way: RFC 3168, 5; IBTA vol 1, 9.2 */
static inline bool track_is_marked(const struct track_packet *p)
{
	return (p->tclass & 3) == IBW_ECN_CE || p->flags & TRACK_PACKET_FECN;
}

/* The payload of such a packet is the path MTU. */
static inline bool track_shows_mtu(const struct track_packet *p)
{
	return track_packet_opf(p) & IBW_OPF_MTU && p->payload;
}

/* What goes wrong on a way, to be changed. */
static inline struct track_watch *track_watch(struct track_dir *d)
{
	if (!d->watch) {
		d->watch = g_new0(struct track_watch, 1);
		track_memory_take(d->memory, sizeof(*d->watch));
	}
	return d->watch;
}

/* An answer to its requests came. */
static inline struct track_answers *track_answers(struct track_dir *d)
{
	if (!d->answers) {
		d->answers = g_new0(struct track_answers, 1);
		track_memory_take(d->memory, sizeof(*d->answers));
	}
	return d->answers;
}

/* What is found out, by the packet of @at; NULL: nobody asked. @way: of the requests it is about. */
struct track_event *track_qp_event(struct track_qps *s, const struct track_qp *qp,
				   enum track_way way, enum track_event_kind kind,
				   const struct track_at *at);

/* The same of a packet seen earlier. */
struct track_event *track_qp_event_of(struct track_qps *s, const struct track_qp *qp,
				      enum track_way way, enum track_event_kind kind,
				      uint64_t frame, uint64_t time_ns);

/* The same of the last packet of the connection; its time is kept only of the last one of the capture, otherwise 0. */
struct track_event *track_qp_event_last(struct track_qps *s, const struct track_qp *qp,
					enum track_way way, enum track_event_kind kind);

/* The verb of a request's opcode: SEND, if no other. */
static inline enum track_verb track_verb_of(uint8_t opcode)
{
	static const uint8_t verbs[TRACK_OPERATION(0xff) + 1] = {
		[IBW_OP_RC_RDMA_WRITE_FIRST] = TRACK_VERB_WRITE,
		[IBW_OP_RC_RDMA_WRITE_MIDDLE] = TRACK_VERB_WRITE,
		[IBW_OP_RC_RDMA_WRITE_LAST] = TRACK_VERB_WRITE,
		[IBW_OP_RC_RDMA_WRITE_LAST_WITH_IMMEDIATE] = TRACK_VERB_WRITE,
		[IBW_OP_RC_RDMA_WRITE_ONLY] = TRACK_VERB_WRITE,
		[IBW_OP_RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE] = TRACK_VERB_WRITE,
		[IBW_OP_RC_RDMA_READ_REQUEST] = TRACK_VERB_READ,
		[IBW_OP_RC_COMPARE_SWAP] = TRACK_VERB_ATOMIC,
		[IBW_OP_RC_FETCH_ADD] = TRACK_VERB_ATOMIC,
		[IBW_OP_RC_FLUSH] = TRACK_VERB_FLUSH,
		[IBW_OP_RC_ATOMIC_WRITE] = TRACK_VERB_WRITE,
	};

	_Static_assert(TRACK_VERB_SEND == 0, "what has no row");
	return (enum track_verb)verbs[TRACK_OPERATION(opcode)];
}

static inline bool track_is_read_or_atomic(uint8_t opcode)
{
	enum track_verb verb = track_verb_of(opcode);

	return verb == TRACK_VERB_READ || verb == TRACK_VERB_ATOMIC;
}

/* why.c: what the capture has of the answer to @p, which repeats @q (or NULL) and takes @n PSNs from @psn on. */
struct track_reason track_qp_why(const struct track_qp *qp, const struct track_packet *p,
				 const struct track_request *q, uint64_t psn, uint32_t n,
				 bool answered);

/* It is said, now or when its answers are known. */
void track_qp_say_again(struct track_qps *s, struct track_qp *qp, enum track_way way,
			const struct track_again *a);

/* An answer to @psn of @way; some that came again wait. All of them are said. */
void track_qp_held_answered(struct track_qps *s, struct track_qp *qp, enum track_way way,
			    const struct track_packet *p, uint64_t psn);
void track_qp_held_settle(struct track_qps *s, struct track_qp *qp, enum track_way way);

/* Memory of those that wait. */
static inline void track_qp_held_give(struct track_dir *d)
{
	if (d->watch->held)
		track_memory_give(d->memory, d->watch->held_room * sizeof(*d->watch->held));
}

/* Memory of them. */
static inline void track_damaged_give(struct track_dir *d)
{
	if (d->watch->damaged)
		track_memory_give(d->memory, d->watch->damaged_room * sizeof(*d->watch->damaged));
}

/* heard.c: a request comes again after a timeout: whether the other end was heard meanwhile. */
enum track_peer track_qp_peer(const struct track_qps *s, struct track_qp *qp,
			      const struct track_packet *p);

/* Whether no answers to its requests were captured, though there are some. */
static inline bool track_qp_is_deaf(const struct track_qp *qp, enum track_way way)
{
	return qp->service != IBW_SERVICE_UC && !qp->dir[!way].packets;
}

/* Of a SEND or WRITE: others have answers of their own. */
static inline bool track_wants_ack(const struct track_request *q)
{
	return q->flags & TRACK_PACKET_ACKREQ && ibw_opcodes[q->opcode].flags & IBW_OPF_PAYLOAD;
}

/* Whether it asks for an answer that did not come. */
static inline bool track_is_missed(const struct track_request *q)
{
	return q->flags & TRACK_PACKET_ACKREQ && !q->answered;
}

/*
 * missing.c: the first request that asked for an answer and has none, if that is long enough ago. What is sent
 * again at @now_ns may still be answered, too late: that is said when it is known.
 */
void track_qp_ack_missing(struct track_qps *s, const struct track_qp *qp, enum track_way way,
			  uint64_t now_ns);
void track_qp_missing_again(struct track_qps *s, struct track_qp *qp, enum track_way way,
			    uint64_t now_ns);
void track_qp_missing_settle(struct track_qps *s, struct track_qp *qp, enum track_way way);

/* missing.c, heard.c: @p answers requests of @way below @psn, of which something went wrong before. */
void track_qp_answered(struct track_qps *s, struct track_qp *qp, enum track_way way,
		       const struct track_packet *p, uint64_t psn);
void track_qp_quiet_ends(struct track_dir *d, uint64_t now_ns);

/* The first DREQ is of who sends the requests of @way. */
static inline bool track_qp_closes(const struct track_qp *qp, enum track_way way)
{
	return qp->agreed && qp->agreed->closed_ns && qp->agreed->closed_way == way;
}

/* Nothing came since @since_ns for so long that it would have been sent again; @s: at the end of the capture, or now. */
bool track_qp_waited(const struct track_qps *s, const struct track_qp *qp, enum track_way way,
		     uint64_t since_ns);

/* message.c: how a new request goes on with what was before it. */
void track_qp_watch_message(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			    uint64_t psn, enum track_psn_class class);

/* note.c: what the packet of @frame is, and which other one it follows; before an ACK is looked at, what that is. */
void track_qp_note(const struct track_qps *s, const struct track_qp *qp, uint64_t frame,
		   enum track_note note, uint64_t other, uint64_t count);
void track_qp_noted(const struct track_qps *s, const struct track_qp *qp,
		    const struct track_filled *f, enum track_note note);
void track_qp_note_ack(const struct track_qps *s, const struct track_qp *qp,
		       const struct track_packet *p, uint64_t psn);

/* chain.c: which message a request is of; before it is noted. */
void track_qp_chain(struct track_qps *s, const struct track_dir *d, const struct track_packet *p,
		    uint64_t psn, enum track_psn_class class);

/* All packets were looked at: whether the capture is a sample of them. */
void track_qps_sampled(struct track_qps *s);

#endif /* IBWIRE_TRACK_QP_IMPL_H */
