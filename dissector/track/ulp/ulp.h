/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ulp.h - commands of upper layers: their clients, their answers, and their transfers.
 *
 *	if (track_ulps_looks_at(opcodes, pkt->opcode))
 *		track_ulps_packet(u, pkt, &at);
 *
 * A connection is chosen by the content of a message, whatever its port is: of NVMe over Fabrics a Connect command, of iSER a
 * login, of SRP a command, of RPC over RDMA a call, of SMB Direct its negotiation. If that is not in the capture, the caller
 * may name it (track_ulps_name()). Every header that is read here is in the first packet of its message, so nothing is
 * reassembled.
 *
 * A queue is one connection. Its commands are kept while they are open; finished commands are records. A fault is reported at
 * the end of the capture, when it is known what the capture lacks of its connection.
 */
#ifndef IBWIRE_TRACK_ULP_H
#define IBWIRE_TRACK_ULP_H

#include <glib.h>

#include <ibwire/out.h>
#include <ibwire/ulp.h>

#include "track/base/event.h"
#include "track/base/histogram.h"
#include "track/cm/cm.h"
#include "track/conn/conn.h"
#include "track/way/upper.h"

/* Queues, of about 850 bytes; their open commands, of 120; what those offer to the other end by a key, of 200. */
#define TRACK_ULP_QUEUES_MAX 16384u
#define TRACK_ULP_OPEN_MAX 65536u
#define TRACK_ULP_OFFERS_MAX 131072u

/* Commands that are over and can be listed; the oldest make room. */
#define TRACK_ULP_RECORDS_MAX 65536u

/* Operations of a queue, and of all; those of further kinds are counted together. */
#define TRACK_ULP_OPERATIONS_MAX 32u
#define TRACK_ULP_OPERATIONS_ALL 65536u

/* Faults of commands that wait for the end. */
#define TRACK_ULP_FAULTS_MAX 4096u

/* SENDs of a way, of which a retransmitted one is known. */
#define TRACK_ULP_RECENT 32u

/* Connections that are named, and queue pairs that answers to one of them may come from. */
#define TRACK_ULP_NAMES_MAX 32u
#define TRACK_ULP_CANDIDATES 4u

/* A name from the wire: an NQN has at most 223 bytes. NVMe over Fabrics 1.1, 3.3 */
#define TRACK_ULP_NAME 224u

/*
 * Which operation. NVMe: the opcode, and the type of a Fabrics command. SCSI: the opcode of the CDB, or, with type 1, that of
 * the PDU or information unit. RPC: program, version and procedure; of a COMPOUND the operation (TRACK_ULP_NFS4_OP);
 * no program: the call is in a chunk. SMB2: the command.
 */
struct track_ulp_code {
	uint32_t program;
	uint16_t type, opcode;
};

#define TRACK_ULP_OF_PDU 1u
#define TRACK_ULP_NFS4_OP 0x8000u

/* What is counted together for want of room. */
extern const struct track_ulp_code track_ulp_others;

/* How a command ended. */
enum track_ulp_end {
	TRACK_ULP_OPEN,    /* not, by the end of the capture */
	TRACK_ULP_DONE,    /* answered */
	TRACK_ULP_CLOSED,  /* the connection was closed before */
	TRACK_ULP_REPLACED /* another command took its id */
};

struct track_ulp_command {
	uint64_t
		id; /* NVMe: the Command Identifier; SRP: the tag; iSCSI: the ITT; RPC: the XID; SMB2: the message ID */
	uint64_t frame, time_ns;
	uint64_t end_frame, ns; /* of its answer, and the time until then */
	uint64_t transfers
		[2]; /* frames of the first RDMA WRITE or READ for it, and of the last one */
	uint64_t transferred; /* bytes asked for by those */
	uint64_t data_ns;     /* the time until the last one of them */
	uint32_t queue;       /* track_ulps_queue() */
	uint32_t key;         /* the first one that it offers, or that a transfer has */
	uint32_t bytes;       /* of data, as it says */
	uint32_t status;      /* of the answer, as words.c reads it; 0: success */
	struct track_ulp_code code;
	uint8_t end;     /* enum track_ulp_end */
	bool fetched;    /* its last transfer is a READ */
	bool heard;      /* RPC: the status is that of a reply which was written */
	bool identifies; /* NVMe: it asks for the Identify Controller data structure */
};

struct track_ulp_operation {
	struct track_ulp_code code;
	uint32_t count, errors, open, open_max;
	uint64_t bytes;
	uint64_t slowest_frame; /* of the command that took longest */
	struct track_histogram times;
};

/*
 * What somebody says that connections are, whose beginning is not in the capture: those to a port (over TCP, or as the CM's REQ
 * has it), or with packets to a queue pair. It is taken until a message contradicts it.
 */
struct track_ulp_name {
	uint8_t address[16]; /* of the queue pair: normalised, as in a struct track_flow */
	uint32_t number;     /* the port, or the queue pair */
	uint8_t ulp;         /* enum ibw_ulp: one whose commands are followed */
	bool is_port, anywhere, lid;
};

struct track_ulp_named {
	struct track_ulp_name name;
	uint64_t messages;    /* SENDs of such connections, as long as the name was in question */
	uint32_t queues;      /* that were taken for it */
	uint64_t wrong_frame; /* the first message that is not of it; 0: none */
	uint8_t wrong_ulp;    /* what that is, by its content; IBW_ULP_NONE: it is not known */
};

/* A queue pair that answers may come from, and how many of them fitted. */
struct track_ulp_candidate {
	uint32_t qpn, fits;
	bool seen;
};

/* PSNs of the messages that began last in a way; of the SEND that is not complete its bytes so far, and the PSN where it goes on. */
struct track_ulp_sent {
	uint32_t psn[TRACK_ULP_RECENT];
	uint32_t next_psn, bytes;
	bool counting;
	uint32_t high;
	uint32_t n; /* so far */
	bool any;   /* high is one */
};

/* RDS: the last SEND of an end, the sequence number of its last message, and how many parts of a congestion map came last. */
struct track_ulp_datagrams {
	uint64_t seq;
	uint32_t psn;
	uint32_t maps;
	bool any, maps_unknown;
};

/* rsocket: the first packet of the last RDMA Write of several. */
struct track_ulp_written {
	uint32_t psn, bytes, mtu;
	bool any;
};

struct track_ulp_queue {
	struct track_flow
		flow; /* from who asks, of normalised addresses, service 0; dqpn: of who answers */
	uint32_t back_qpn; /* of who asks; TRACK_CM_NO_QPN: not known */
	uint32_t number;   /* how many began before it */
	uint64_t first_frame;
	uint64_t closed_frame,
		closed_ns; /* its DREQ, or the next queue on its queue pair; 0: not closed */
	uint64_t answers;  /* so far */
	uint16_t
		id; /* NVMe: queue ID; 0 is the admin queue, and other upper layers have no other */
	uint32_t depth; /* commands that may be open; 0: not known */
	uint32_t open;  /* commands */
	/* Of those the ones that failed so that data or the path suffered, and that were open when it was closed; NULL: none */
	uint32_t failed, unanswered;
	struct track_ulp_command *first_failed, *first_unanswered;
	uint32_t n_operations;
	uint8_t ulp;                           /* enum ibw_ulp */
	uint16_t doubt;                        /* iWARP: what the capture lacks of it */
	uint64_t connection, connection_frame; /* iWARP: its number, and its first frame */
	bool from_start;                       /* its first message has the PSN that the CM says */
	bool id_unknown;                       /* NVMe: no answer has said it */
	bool named;                            /* by somebody, not by its content, and: */
	bool confirmed;                        /* an answer fitted a command */
	bool given_up;                         /* a message was not of this upper layer */
	uint8_t by_name;                       /* which of the names said so */
	uint64_t paired_frame;                 /* answers are known from then on */
	struct track_ulp_candidate candidate[TRACK_ULP_CANDIDATES];
	bool too_many_said;  /* more were open than may be */
	bool late_said;      /* NVMe: no Keep Alive came in time */
	uint32_t longest[2]; /* SEND of either side that the other one has room for; 0: not known */
	uint32_t kato;       /* NVMe: Keep Alive Timeout (ms); 0: none, or not known */
	uint32_t counted;    /* NVMe: open commands that are counted for both hosts */
	uint32_t capsule;    /* NVMe, of the admin queue: longest one of I/O queues; 0: not known */
	uint16_t controller; /* NVMe: its ID, which the answer to the Connect command has; */
	bool controller_known; /* which came */
	uint64_t rep_frame;    /* of what the CM says of it; 0: nothing */
	struct track_ulp_datagrams datagrams[2];
	struct track_ulp_written written[2];
	uint32_t name_psn; /* NVMe: of the READ that fetches the names; */
	bool name_asked;   /* which was sent */
	char *name;        /* NVMe: subsystem NQN; iSER: target; printable; NULL: not known */
	struct track_ulp_operation *operation;
	struct track_ulp_sent sent[2]; /* [0]: by who asks */
};

struct track_ulps;

/* What the packet at hand does for a command. */
enum track_ulp_does {
	TRACK_ULP_DOES_ANSWER,
	TRACK_ULP_DOES_MOVE, /* the RDMA READ or WRITE is for its data */
	TRACK_ULP_DOES_ASK   /* it is the command */
};

/* A command that the packet at hand is about. */
struct track_ulp_of {
	struct track_ulp_command command;
	const struct track_ulp_queue *queue;
	uint8_t header; /* SMB2: which of the headers in the message */
	uint8_t does;   /* enum track_ulp_does */
};

struct track_ulps *track_ulps_new(struct track_events *events, struct track_cm *cm);
void track_ulps_free(struct track_ulps *u); /* NULL is fine */

/* Before the first packet: at most TRACK_ULP_NAMES_MAX. What became of them. */
void track_ulps_name(struct track_ulps *u, const struct track_ulp_name *name, unsigned int n);
const struct track_ulp_named *track_ulps_named(const struct track_ulps *u, unsigned int *n);

/* Whether commands of an upper layer are followed. */
bool track_ulp_is_followed(unsigned int ulp);

/* Opcodes of RC that matter now, by their bits: those of messages that begin. */
const uint32_t *track_ulps_opcodes(const struct track_ulps *u);

static inline bool track_ulps_looks_at(const uint32_t *opcodes, uint8_t opcode)
{
	return (opcode & IBW_SERVICE_MASK) == IBW_SERVICE_RC &&
	       *opcodes >> TRACK_OPERATION(opcode) & 1;
}

/* Whether a packet of so many bytes of payload is of no upper layer: no queue is known or announced, and it is too short to begin one. */
bool track_ulps_begins_nothing(const struct track_ulps *u, uint32_t payload_len);

/* Of which upper layer the message is that the packet begins. */
struct track_upper track_ulps_packet(struct track_ulps *u, const struct ibw_packet *pkt,
				     const struct track_at *at);

/* What a packet begins; of iWARP a WRITE is known when it is complete, and begins before that. */
enum track_ulp_message {
	TRACK_ULP_SEND,
	TRACK_ULP_WRITE,
	TRACK_ULP_WRITE_BEGINS,
	TRACK_ULP_READ,
	TRACK_ULP_READ_ANSWER,
	TRACK_ULP_SEND_GOES_ON, /* a further packet of a SEND */
	TRACK_ULP_WRITE_ENDS    /* the last packet of a WRITE of several, with immediate data */
};

struct track_ulp_sent_message {
	struct track_flow
		flow; /* of normalised addresses and TRACK_SERVICE_IWARP, with both ports */
	uint64_t va;
	uint64_t
		connection; /* number and first frame of the connection, by which a report finds it */
	uint64_t first_frame;
	const uint8_t *p; /* its first bytes */
	uint32_t n;
	uint32_t msn;   /* of a SEND */
	uint32_t key;   /* of a READ or WRITE; that a SEND invalidates */
	uint32_t bytes; /* of a READ or WRITE; of a SEND in the segment at hand */
	bool whole;     /* those at @p are all */
	bool last;      /* of a SEND: no segment follows */
	bool invalidates;
	enum track_ulp_message message;
};

/* A message of iWARP: each comes once, in the order it was sent. Of which upper layer it is. */
struct track_upper track_ulps_message(struct track_ulps *u, const struct track_ulp_sent_message *m,
				      const struct track_at *at);

/* An MPA frame, by which a connection of iWARP begins or is rejected. */
struct track_ulp_start {
	struct track_flow flow; /* as in a message, from its sender */
	const uint8_t *p;       /* private data, all @n bytes */
	uint32_t n;
	bool reply, rejects;
};

/* What it says in the private data of an upper layer: as REQ, REP and REJ do. */
void track_ulps_start(struct track_ulps *u, const struct track_ulp_start *s,
		      const struct track_at *at);

/* Its connection is closed, from who sent what closes it; or over, and the capture lacks @doubt of it. */
void track_ulps_close(struct track_ulps *u, const struct track_flow *flow,
		      const struct track_at *at);
void track_ulps_lack(struct track_ulps *u, const struct track_flow *flow, uint16_t doubt);

/* A DREQ closes a connection; what REQ, REP and REJ say of one, in their private data. */
void track_ulps_cm(struct track_ulps *u, const struct track_cm_news *news,
		   const struct track_mad *m, const struct track_at *at);

/* The capture ended, and connections are finished. False: there are more events than there is room for; to be called again. */
bool track_ulps_finish(struct track_ulps *u, struct track_conn *conn, const struct track_at *last);

/* Records are wanted; what each packet answers or moves data for; which packets are commands, too: before the first packet. */
void track_ulps_want_records(struct track_ulps *u);
void track_ulps_want_commands_of_packets(struct track_ulps *u);
void track_ulps_want_requests_of_packets(struct track_ulps *u);

/* After track_ulps_finish(): the queues in the order they began; commands that are over, in the order of their ends. */
const struct track_ulp_queue *track_ulps_queue(const struct track_ulps *u, unsigned int number);
unsigned int track_ulps_count(const struct track_ulps *u);
const struct track_ulp_command *track_ulps_records(const struct track_ulps *u, unsigned int *n);

/* Records, and open commands, queues and offers, that made room for others. */
uint64_t track_ulps_unlisted(const struct track_ulps *u);
uint64_t track_ulps_evicted(const struct track_ulps *u);

/* Whether the command is to stay open until something happens; whether one that is open could have been answered in the capture. */
bool track_ulp_waits(const struct track_ulp_queue *q, struct track_ulp_code code);
bool track_ulp_is_missed(const struct track_ulp_queue *q, const struct track_ulp_command *c);

/* words.c */

/* Whether an answer with this status says that the command failed; whether then data or the path suffered, or a connection is refused. */
bool track_ulp_is_error(enum ibw_ulp ulp, struct track_ulp_code code, uint32_t status);
bool track_ulp_suffers(enum ibw_ulp ulp, struct track_ulp_code code, uint32_t status);

/* Whether it is a login of iSCSI, which opens the connection; whether the status is an RDMA_ERROR of RPC over RDMA. */
bool track_ulp_is_login(enum ibw_ulp ulp, struct track_ulp_code code);
bool track_ulp_is_rdma_error(uint32_t status);

/* A status of SMB Direct: MS-SMBD, 3.1.5.2; its number: MS-ERREF */
#define TRACK_ULP_SMB_NOT_SUPPORTED 0xc00000bbu

/* "Write", "READ(10)", "NFS4 OPEN"; what has no name as a number; returns @buf. */
#define TRACK_ULP_TEXT 48
const char *track_ulp_operation_text(const struct track_ulp_queue *q, struct track_ulp_code code,
				     char buf[TRACK_ULP_TEXT]);

/* "Invalid Field in Command", of the answer to a command; a status without a name by its numbers; returns @buf. */
#define TRACK_ULP_STATUS_TEXT 96
const char *track_ulp_status_words(enum ibw_ulp ulp, struct track_ulp_code code, uint32_t status,
				   char *buf, size_t room);

/* "cid", "tag" ...: what the upper layer calls the id of a command. */
const char *track_ulp_id_word(enum ibw_ulp ulp);

/* The id: those that are 16 bits, or counted, in decimal, the others in hexadecimal. */
void track_ulp_out_id(struct ibw_out *o, enum ibw_ulp ulp, uint64_t id);

/* say.c: "READ(10), tag 0x12", "Write, cid 12, queue 3" */
void track_ulp_out_command(struct ibw_out *o, const struct track_ulp_queue *q,
			   struct track_ulp_code code, uint64_t id);

#endif /* IBWIRE_TRACK_ULP_H */
