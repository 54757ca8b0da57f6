/* SPDX-License-Identifier: GPL-2.0-or-later */
/* impl.h - what the files of this directory share. */
#ifndef IBWIRE_TRACK_ULP_IMPL_H
#define IBWIRE_TRACK_ULP_IMPL_H

#include "ulp.h"

#include "track/table.h"

/* Who sends: the end that asks, or the one that answers. */
enum track_ulp_side { TRACK_ULP_ASKS, TRACK_ULP_ANSWERS };

/* What the packets of a flow are to a queue. */
struct track_ulp_way {
	uint32_t queue;
	uint32_t side; /* enum track_ulp_side */
};

/* Memory of who asks, for the other end to read or write. */
struct track_ulp_offer {
	uint64_t address, length;
	uint64_t id;    /* of the command */
	uint64_t frame; /* of the command; 0: it is over */
};

/* What is told at the end, once the doubts of its connection are known. */
struct track_ulp_fault {
	uint64_t number[4]; /* as ULP_FAULT has them */
	struct track_ulp_command command;
	struct track_at at;
	uint8_t fault; /* enum track_ulp_fault_kind */
	uint8_t side;  /* whose packet it is */
};

struct track_ulps {
	struct track_events *events;
	struct track_cm *cm;
	struct track_table *ways;   /* struct track_flow -> struct track_ulp_way */
	struct track_table *open;   /* struct track_ulp_key -> struct track_ulp_command */
	struct track_table *offers; /* struct track_ulp_key -> struct track_ulp_offer */
	GPtrArray *queues;          /* struct track_ulp_queue */
	GArray *records; /* struct track_ulp_command, of which the first one is next_record */
	GArray *faults;  /* struct track_ulp_fault */
	unsigned int next_record;
	bool records_wanted;
	uint32_t opcodes;
	uint32_t unpaired; /* the last queue whose other way is not known; UINT32_MAX: none */
	uint64_t unlisted, unfollowed;
	uint32_t operations; /* of all queues */
	unsigned int told;   /* faults */
	bool drained;        /* open commands are faults, or records */
};

/* No holes: compared as bytes. */
struct track_ulp_key {
	uint64_t queue, id;
};

/* The packet at hand. */
struct track_ulp_x {
	struct track_ulps *u;
	struct track_ulp_queue *q;
	const struct ibw_packet *pkt;
	const struct track_flow *flow; /* service 0 */
	const struct track_at *at;
	const uint8_t *p; /* its payload */
	uint32_t n;       /* captured bytes of that */
	uint32_t psn;
	enum track_ulp_side side;
};

/* queue.c: a new one, whose first message the packet is; NULL: there is no room. */
struct track_ulp_queue *track_ulp_begin(struct track_ulp_x *x, uint8_t ulp);

/* command.c: one begins, whose data are at @address; the open one of @id, NULL: there is none; its answer, with a status. */
void track_ulp_ask(struct track_ulp_x *x, const struct track_ulp_command *c, uint64_t address);
struct track_ulp_command *track_ulp_asked(const struct track_ulp_x *x, uint64_t id);
void track_ulp_answer(struct track_ulp_x *x, uint64_t id, uint16_t status);

/* An RDMA WRITE or READ of the end that answers; @again: it was sent before. */
void track_ulp_transfer(struct track_ulp_x *x, bool again);

/* Nothing more comes of the commands that are open: they are listed, and what is wrong with them is a fault. */
void track_ulp_drain(struct track_ulps *u, const struct track_at *last);

void track_ulp_fault(struct track_ulps *u, uint8_t fault, enum track_ulp_side side,
		     const struct track_ulp_command *c, const struct track_at *at,
		     const uint64_t number[4]);

/* nvme.c: whether a message is the first one of a queue; a message of the queue. */
bool track_ulp_nvme_begins(const uint8_t *p, uint32_t n);
void track_ulp_nvme_begin(struct track_ulp_x *x);
void track_ulp_nvme_request(struct track_ulp_x *x);
void track_ulp_nvme_answer(struct track_ulp_x *x);

/* Whether it is an answer that one of the open commands of @q waits for; the names of its first command have come. */
bool track_ulp_nvme_fits(const struct track_ulp_x *x);
void track_ulp_nvme_names(struct track_ulp_x *x);

/* Whether the command is to stay open until something happens. */
bool track_ulp_nvme_waits(struct track_ulp_code code, uint16_t queue);

/* say.c: the command failed; a fault, with what is known of its connection by now. */
void track_ulp_say_failed(struct track_ulps *u, const struct track_ulp_queue *q,
			  const struct track_ulp_command *c, const struct track_at *at);
void track_ulp_say_fault(struct track_ulps *u, const struct track_ulp_fault *f,
			 struct track_conn *conn);

#endif /* IBWIRE_TRACK_ULP_IMPL_H */
