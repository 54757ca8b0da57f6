/* SPDX-License-Identifier: GPL-2.0-or-later */
/* impl.h - what the files of this directory share. */
#ifndef IBWIRE_TRACK_ULP_IMPL_H
#define IBWIRE_TRACK_ULP_IMPL_H

#include "ulp.h"

#include "track/base/table.h"

/* Who sends: the end that asks, or the one that answers. */
enum track_ulp_side { TRACK_ULP_ASKS, TRACK_ULP_ANSWERS };

/* What REQ and REP, or the two MPA frames, say of the messages of a connection, in the private data of its upper layer. */
struct track_ulp_agreed {
	uint64_t req_frame;
	uint64_t rep_frame;  /* of iWARP; 0: there is none yet */
	uint32_t longest[2]; /* SEND of either side; 0: not known */
	uint32_t qpn[2];     /* of iWARP the ports */
	uint16_t qid;        /* NVMe */
	uint8_t ulp;         /* enum ibw_ulp; IBW_ULP_NONE: they do not say */
	bool any_fragment;   /* RDS: an end may send fragments of another size */
	bool net[2];         /* rsockets: the end of either side has network byte order */
};

/* Where the message at hand is in its connection, of which something is agreed. */
struct track_ulp_place {
	uint64_t rep_frame;
	bool first; /* it has the place of the first one of who asks */
};

/* Private data of rsockets. */
#define TRACK_ULP_RSOCKET_VERSION 1u

/* A SEND of RDS: the header, and a fragment. */
#define TRACK_ULP_RDS_LONGEST (48u + 4096u)

/* A host and a controller: when the last command was sent or answered, and the commands that are open. */
struct track_ulp_hosts {
	uint64_t busy_ns, busy_frame;
	uint32_t open;
	uint32_t admin; /* the last admin queue with a timeout, and one more; 0: none */
};

/* What the packets of a flow are to a queue. */
struct track_ulp_way {
	uint32_t queue;
	uint32_t side; /* enum track_ulp_side */
};

/* Memory of who asks, for the other end to read or write, while its command is open. */
struct track_ulp_memory {
	uint64_t address, length;
	uint64_t id, frame; /* of the command */
	bool reply;         /* RPC: the reply is written to it */
};

/* What is offered by one key. Most keys are of one piece; whose a transfer with another one is, the key does not say. */
#define TRACK_ULP_PIECES 4u
struct track_ulp_offer {
	struct track_ulp_memory piece[TRACK_ULP_PIECES];
	uint8_t n;
	bool more; /* once there were more at a time: nothing is said of the key from then on */
};

/* What is told at the end, once the doubts of its connection are known. */
struct track_ulp_fault {
	uint64_t number[4]; /* as ULP_FAULT has them */
	struct track_ulp_command command;
	struct track_at at;
	uint8_t fault; /* enum track_ulp_fault_kind */
	uint8_t side;  /* whose packet it is */
};

/* Answers in one message: of SMB2 there may be several. */
#define TRACK_ULP_REPLIES_MAX 16u

struct track_ulps {
	struct track_events *events;
	struct track_cm *cm;
	struct track_table *ways;   /* struct track_flow -> struct track_ulp_way */
	struct track_table *open;   /* struct track_ulp_key -> struct track_ulp_command */
	struct track_table *offers; /* struct track_ulp_key -> struct track_ulp_offer */
	struct track_table *agreed; /* struct track_flow -> struct track_ulp_agreed */
	struct track_table *hosts;  /* struct track_flow, of no QP -> struct track_ulp_hosts */
	bool any_agreed;
	GPtrArray *queues; /* struct track_ulp_queue */
	GArray *records;   /* struct track_ulp_command, of which the first one is next_record */
	GArray *faults;    /* struct track_ulp_fault */
	struct track_ulp_named named[TRACK_ULP_NAMES_MAX];
	unsigned int n_named;
	unsigned int unpaired_named; /* queues that were named, and whose other way is not known */
	unsigned int next_record;
	bool records_wanted;
	uint32_t opcodes;
	uint32_t unpaired; /* the last queue whose other way is not known; UINT32_MAX: none */
	uint64_t unlisted, unfollowed;
	uint32_t operations; /* of all queues */
	unsigned int told;   /* faults */
	bool drained;        /* open commands are faults, or records */
	bool of_wanted, asks_wanted;
	unsigned int n_of; /* commands of the packet at hand */
	struct track_ulp_of of[TRACK_ULP_REPLIES_MAX];
};

/* No holes: compared as bytes. */
struct track_ulp_key {
	uint64_t queue, id;
};

/* Headers of a message that are looked at: those of 250 chunks, or of a table of 255 descriptors. */
#define TRACK_ULP_SPANS 264

/* A message taken apart, once. */
struct track_ulp_walk {
	struct ibw_ulp_walked walked;
	struct ibw_span span[TRACK_ULP_SPANS];
	uint8_t ulp;  /* enum ibw_ulp; IBW_ULP_NONE: not yet */
	uint8_t side; /* enum track_ulp_side, of who sent it */
};

/* The packet at hand. */
struct track_ulp_x {
	struct track_ulps *u;
	struct track_ulp_queue *q;
	const struct track_flow *flow; /* service 0 */
	const struct track_at *at;
	enum track_ulp_message message;
	const uint8_t *p; /* its payload */
	uint32_t n;       /* captured bytes of that */
	uint32_t len;     /* of the message, if it is whole in one packet; else TRACK_ULP_LONG */
	uint32_t psn;
	uint32_t key, bytes; /* of a READ or WRITE; the key of a SEND with Invalidate */
	uint64_t va;
	uint32_t carried; /* bytes of the message that are in the packet */
	uint32_t imm;
	bool invalidates;
	bool has_imm, ends; /* it has immediate data; it ends its message */
	bool cut;           /* n is less than the packet had */
	uint8_t by_name;    /* the name of track_ulp_named_begins(), and one more; 0: none */
	enum track_ulp_side side;
	const struct track_ulp_sent_message *sent; /* of iWARP; NULL: a packet */
	struct track_ulp_walk *walk;               /* ask track_ulp_walk() */
};

/* An answer. */
struct track_ulp_reply {
	uint64_t id;
	uint32_t status;
	uint16_t queue; /* NVMe: that it names; else 0 */
	uint8_t header; /* SMB2: which of the headers in the message; else 0 */
};

static inline bool track_ulp_is_iwarp(const struct track_ulp_queue *q)
{
	return q->flow.service == TRACK_SERVICE_IWARP;
}

/* queue.c: the other way of a connection of iWARP; the flow of who answers, with the back QPN, if that is known. */
struct track_flow track_ulp_turned(const struct track_flow *flow);
struct track_flow track_ulp_back_of(const struct track_ulp_queue *q);

/* A new one, whose first message the packet is; NULL: there is no room. */
struct track_ulp_queue *track_ulp_begin(struct track_ulp_x *x, uint8_t ulp);

/* Answers to it come from @back_qpn. */
void track_ulp_pair(struct track_ulps *u, struct track_ulp_queue *q, uint32_t back_qpn,
		    const struct track_at *at);

/* Whether an open command of the queue at hand waits for one of the answers in the packet. */
bool track_ulp_fits(const struct track_ulp_x *x);

/* named.c: what the packet begins, as somebody named it; x->by_name is set. What a message of content shows of the names. */
enum ibw_ulp track_ulp_named_begins(struct track_ulp_x *x);
void track_ulp_named_shown(struct track_ulp_x *x, enum ibw_ulp ulp);

/* Whether the message at hand can be one of the queue that was named; if not, it is given up. */
bool track_ulp_named_holds(struct track_ulp_x *x);

/* The queue that was named and that the packet answers; NULL: it is not known. */
struct track_ulp_queue *track_ulp_named_pair(struct track_ulp_x *x);

/* protocol.c: the message as one of @ulp from @side; the first header of @layer in it, NULL: there is none. */
const struct track_ulp_walk *track_ulp_walk(const struct track_ulp_x *x, enum ibw_ulp ulp,
					    enum track_ulp_side side);
const void *track_ulp_find(const struct track_ulp_x *x, const struct track_ulp_walk *w,
			   uint16_t layer);

/* The upper layer whose first message of a connection the packet may be. */
enum ibw_ulp track_ulp_begins(const struct track_ulp_x *x);

/*
 * agreed.c: what a message of the CM says is kept; what was said of the message at hand, NULL: nothing; the upper layer that begins
 * with it; the queue at hand has it from there; whether that still holds for the packet.
 */
void track_ulp_agree(struct track_ulps *u, const struct track_cm_news *news,
		     const struct track_mad *m, const struct track_at *at);
const struct track_ulp_agreed *track_ulp_agreed_of(const struct track_ulp_x *x,
						   struct track_ulp_place *place);
enum ibw_ulp track_ulp_agreed_begins(const struct track_ulp_x *x);
void track_ulp_as_agreed(struct track_ulp_x *x);
bool track_ulp_is_of_agreed(const struct track_ulp_x *x);

/* queue.c: packets that a queue of @ulp needs, of which the length of SENDs is known or not; whether the message came before. */
void track_ulp_look_at(struct track_ulps *u, enum ibw_ulp ulp, bool lengths);
bool track_ulp_is_again(struct track_ulp_x *x);

/* alive.c: a command of @q is sent; it is answered, or another one takes its id; the queue is closed; the capture ends. */
void track_ulp_alive_asked(struct track_ulps *u, struct track_ulp_queue *q,
			   struct track_ulp_code code, const struct track_at *at);
void track_ulp_alive_over(struct track_ulps *u, struct track_ulp_queue *q,
			  struct track_ulp_code code, const struct track_at *at);
void track_ulp_alive_closed(struct track_ulps *u, struct track_ulp_queue *q,
			    const struct track_at *at);
void track_ulp_alive_ends(struct track_ulps *u, const struct track_at *last);

/*
 * rds.c: a message; a packet of one. rsocket.c: a WRITE, or its end; over iWARP the SEND of a word; what private data have as their
 * version, 0: they are of nobody.
 */
void track_ulp_rds_check(struct track_ulp_x *x);
void track_ulp_rds_sent(struct track_ulp_x *x);
void track_ulp_rsocket_write(struct track_ulp_x *x);
void track_ulp_rsocket_word(struct track_ulp_x *x);
uint32_t track_ulp_rsocket_version(const struct track_mad *m, bool req);
uint32_t track_ulp_rsocket_version_at(const uint8_t *p, uint32_t bytes);
bool track_ulp_rsocket_is_net(const uint8_t *p);
void track_ulp_rsocket_refused_by_mpa(struct track_ulps *u, const struct track_ulp_start *s,
				      uint64_t cause, const struct track_at *at);
void track_ulp_rsocket_refused(struct track_ulps *u, const struct track_cm_news *news,
			       const struct track_mad *m, const struct track_at *at);

/* What a message says of its queue; its commands; its answers, which are counted. */
void track_ulp_first(struct track_ulp_x *x);
void track_ulp_request(struct track_ulp_x *x);
unsigned int track_ulp_replies(const struct track_ulp_x *x,
			       struct track_ulp_reply reply[TRACK_ULP_REPLIES_MAX]);

/* READs and WRITEs go to memory that commands offer. */
bool track_ulp_offers(const struct track_ulp_queue *q);

/* command.c: one begins; memory that it offers; the open one of @id, NULL: there is none; its answer, with a status. */
void track_ulp_ask(struct track_ulp_x *x, const struct track_ulp_command *c);
void track_ulp_offer(struct track_ulp_x *x, const struct track_ulp_command *c, uint32_t key,
		     const struct track_ulp_memory *memory);
struct track_ulp_command *track_ulp_asked(const struct track_ulp_x *x, uint64_t id);
void track_ulp_answer(struct track_ulp_x *x, const struct track_ulp_reply *reply);

/* A command of the packet at hand. */
struct track_ulp_command track_ulp_command_of(const struct track_ulp_x *x, uint64_t id);

/* An RDMA WRITE or READ of the end that answers; @again: it was sent before. */
void track_ulp_transfer(struct track_ulp_x *x, bool again);

/* Whether an open command of the queue at hand offers the memory of the READ or WRITE. */
bool track_ulp_is_offered(const struct track_ulp_x *x);

/* Nothing more comes of the commands that are open: they are listed, and what is wrong with them is a fault. */
void track_ulp_drain(struct track_ulps *u, const struct track_at *last);

void track_ulp_fault(struct track_ulps *u, uint8_t fault, enum track_ulp_side side,
		     const struct track_ulp_command *c, const struct track_at *at,
		     const uint64_t number[4]);

/* What is wrong with a message by itself, as its upper layer has it. */
void track_ulp_check(struct track_ulp_x *x);

/* command.c: a fault of the message alone, with what it is and should be. */
void track_ulp_wrong(struct track_ulp_x *x, uint8_t what, uint64_t is, uint64_t meant);

/* All of a message is at hand: then its lengths can be judged. */
static inline bool track_ulp_is_whole(const struct track_ulp_x *x)
{
	return x->n == x->len;
}

/* A fault of the packet at hand that is about @c, with what it is and should be, and the frame that it contradicts. */
void track_ulp_say(struct track_ulp_x *x, uint8_t what, const struct track_ulp_command *c,
		   uint64_t is, uint64_t meant, uint64_t cause);

/* Memory that @c offers by @key, which the table has until that is used again; NULL: none. */
const struct track_ulp_memory *track_ulp_memory_of(const struct track_ulp_x *x,
						   const struct track_ulp_command *c, uint32_t key);

/* A request to give up the command @id, of which @function says how; no id: more than one. */
void track_ulp_task(struct track_ulp_x *x, const struct track_ulp_command *c, uint8_t function,
		    const uint64_t *id);

/*
 * NAME.c of protocols.def: whether a message can only be the first one of its connection; its commands; its answers, which are counted;
 * what is wrong with it by itself.
 */
#define TRACK_ULP_PROTOCOL(ulp, name)                                                              \
	bool track_ulp_##name##_begins(const struct track_ulp_x *x);                               \
	void track_ulp_##name##_request(struct track_ulp_x *x);                                    \
	unsigned int track_ulp_##name##_replies(                                                   \
		const struct track_ulp_x *x, struct track_ulp_reply reply[TRACK_ULP_REPLIES_MAX]); \
	void track_ulp_##name##_check(struct track_ulp_x *x);
#include "protocols.def"
#undef TRACK_ULP_PROTOCOL

/* nvme.c: the names of its first command have come; data of a command are written. named.c: a capsule with a command. */
bool track_ulp_nvme_is_command(const struct track_ulp_x *x);
void track_ulp_nvme_written(struct track_ulp_x *x, const struct track_ulp_command *c);
void track_ulp_nvme_first(struct track_ulp_x *x);
void track_ulp_nvme_names(struct track_ulp_x *x);

/* rpc.c: a WRITE to the memory that the command offers for its reply. */
void track_ulp_rpc_written(const struct track_ulp_x *x, struct track_ulp_command *c);

/* A SCSI status with its sense data, of which @sense is where they begin; NULL: there are none. */
uint32_t track_ulp_scsi_status(uint8_t status, const uint8_t *sense, uint32_t n);

/* How a status of SCSI, RPC and NFS is made up; words.c takes it apart. */
#define TRACK_ULP_SCSI_SENSE 0x1000u
#define TRACK_ULP_ISCSI_RESPONSE 0x2000u /* with the response from bit 16 on */
#define TRACK_ULP_RPC_DENIED (UINT32_C(1) << 31)
#define TRACK_ULP_RPC_NOT_ACCEPTED (UINT32_C(1) << 30) /* with the accept state */
#define TRACK_ULP_RPC_IN_CHUNK (UINT32_C(1) << 28)     /* the reply was not captured */
#define TRACK_ULP_RPC_ERROR (UINT32_C(1) << 29) /* with the code of RDMA_ERROR, and versions */

/* refused.c: a REJ, or an MPA frame, says what an upper layer refuses; the message at hand refuses @what, which was asked for in frame @cause. */
void track_ulp_refused_by_cm(struct track_ulps *u, const struct track_cm_news *news,
			     const struct track_at *at);
void track_ulp_refused_by_mpa(struct track_ulps *u, const struct track_ulp_start *s, uint64_t cause,
			      const struct track_at *at);
void track_ulp_refused(struct track_ulp_x *x, const char *what, struct track_ulp_code code,
		       uint32_t status, uint64_t cause);

/* say.c: whose packet an event is; the command failed; a fault, with what is known of its connection by now. */
void track_ulp_set_flow(struct track_event *e, const struct track_ulp_queue *q,
			enum track_ulp_side side);
void track_ulp_set_cm_flow(struct track_event *e, const struct track_cm_news *news);
void track_ulp_say_failed(struct track_ulps *u, const struct track_ulp_queue *q,
			  const struct track_ulp_command *c, const struct track_at *at);
/* Whether the sniffer lost packets of the other end than that of @f: any of them may have asked for it. */
bool track_ulp_asks_missing(const struct track_ulps *u, const struct track_ulp_fault *f,
			    struct track_conn *conn);
void track_ulp_say_fault(struct track_ulps *u, const struct track_ulp_fault *f,
			 struct track_conn *conn);

#endif /* IBWIRE_TRACK_ULP_IMPL_H */
