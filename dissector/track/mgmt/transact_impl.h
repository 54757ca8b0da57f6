/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transact_impl.h - what the parts of the tracker of MAD transactions share. */
#ifndef IBWIRE_TRACK_TRANSACT_IMPL_H
#define IBWIRE_TRACK_TRANSACT_IMPL_H

#include "mad_asked.h"
#include "transact.h"
#include "track/base/table.h"
#include "track/conn/conn.h"
#include "track/fabric/fabric.h"
#include "track/view/object.h"

/* Nobody waits longer for an answer; RMPP and the SM tools wait less. One that comes later than that is late ... */
#define TRACK_MAD_WAIT_NS UINT64_C(2000000000)

/* ... and after this time none is looked for. */
#define TRACK_MAD_GONE_NS UINT64_C(30000000000)

/* All members are set, and there are no holes: hashed and compared as bytes. So are the keys below. */
struct key {
	uint8_t client[16]; /* of a directed route: 0 */
	uint64_t tid;
	uint64_t path; /* of a directed route: what its way is */
	uint32_t qpn;  /* of the client */
	uint8_t mgmt_class;
	uint8_t zero[3];
};

struct counts_key {
	uint8_t address[16];
	uint32_t agent; /* of a client by directed routes; TRACK_MAD_NO_AGENT: of no such one */
	uint16_t attr_id;
	uint8_t kind, mgmt_class;
};

enum state {
	WAITING,
	GIVEN_UP, /* an answer may still come */
	BEGUN,    /* the first segment of the answer is there */
	ANSWERED,
	STOPPED
};

struct transaction {
	uint64_t frame, time_ns; /* of the first copy */
	struct track_at last;    /* the last copy */
	uint64_t bytes;          /* what tells it from others */
	struct track_flow flow;  /* of the request */
	uint32_t before, after;  /* of those that wait, by the last copy */
	struct track_object object;
	uint64_t mkey; /* of an SMP */
	uint32_t copies;
	uint32_t
		asked; /* 1 and its number among those with which something is wrong; 0: it is none */
	uint16_t attr_id;
	uint8_t method;
	uint8_t state;
	uint8_t hop; /* of a directed route: where it was seen first */
};

struct server {
	uint64_t frame;         /* of the last busy response */
	struct track_flow flow; /* of that */
	uint64_t time_ns;
	uint32_t responses, busy;
};

struct track_transact {
	struct track_events *events;
	struct track_replies *replies;    /* NULL: not wanted */
	struct track_table *transactions; /* struct key -> struct transaction */
	struct track_table *clients;      /* struct counts_key -> struct track_mad_counts */
	struct track_table *attributes;   /* likewise */
	struct track_mad_counts *client, *attribute; /* of the MAD before; NULL: not known */
	struct track_table *servers;                 /* address -> struct server */
	struct track_mads_asked *asked;
	uint64_t begin_ns;       /* of the first MAD; 0: none yet */
	uint32_t oldest, newest; /* of those that wait */
	uint32_t finished_servers;
	uint32_t agents;               /* of directed routes that are clients by themselves */
	const struct track_conn *conn; /* NULL: nobody to ask */
	struct track_fabric *fabric;   /* likewise */
	bool two_way;                  /* an answer was seen */
	bool missing; /* a request that waited was evicted: answers may seem to have none */
};

/* Of the MAD at hand. */
struct mad {
	const struct track_mad *mad;
	const struct track_at *at;
	struct track_flow flow; /* of the request */
	struct key key;
	struct transaction *of; /* NULL: none is known */
	uint32_t hash;          /* of its key, then */
	struct track_mad_counts *client, *attribute;
};

/* What a MAD is to its transaction. */
enum role { NOTHING, REQUEST, SEGMENT, RESPONSE, STOP, TRAP, REPRESS, CONTROL };

/* transact_role.c: what it is; whose it is, by the way of the request. False: nobody's. */
enum role track_mad_role(const struct track_mad *m);
bool track_mad_key(struct mad *m, const struct ibw_packet *pkt, bool back);

/* Of a directed route: who asks. */
static inline uint32_t track_mad_agent(const struct key *key)
{
	return key->mgmt_class == IBW_CLASS_SUBN_DR ? track_mad_tid_agent(key->tid)
						    : TRACK_MAD_NO_AGENT;
}

/* All that stays the same in a copy. */
uint64_t track_mad_bytes(const struct track_mad *m);

/* The segment of several that the MAD is; 0: it is a MAD by itself, or unsent. */
uint32_t track_mad_segment(const struct track_mad *m);

/* transact_event.c: a request for NodeInfo by a route is answered, or is not. */
void track_tell_asked(struct track_transact *t, const struct transaction *x, bool answered);

/* transact_counts.c: where @m counts, and one more there; the time that @x took. */
void track_mad_find_counts(struct track_transact *t, struct mad *m, bool back);
void track_mad_count(const struct mad *m, enum track_mad_figure figure);
void track_mad_count_time(const struct mad *m, const struct transaction *x);
void track_mad_free_counts(struct track_table *table);

/*
 * transact_asked.c: something is wrong with @x, if somebody wants to know: it came once more, and was counted; was given up; is
 * answered, or stopped, late or not; is looked for no longer.
 */
void track_mad_asked_again(struct track_transact *t, struct transaction *x);
void track_mad_asked_given_up(struct track_transact *t, struct transaction *x);
void track_mad_asked_answered(struct track_transact *t, const struct mad *m, struct transaction *x,
			      bool late, bool stopped);
void track_mad_asked_until(struct track_transact *t, const struct transaction *x, uint64_t frame);

/* transact_event.c: what is told. */
void track_tell_unanswered(struct track_transact *t, const struct transaction *x);
void track_tell_why_unanswered(struct track_transact *t, const struct transaction *x);
void track_tell_late(struct track_transact *t, const struct mad *m, const struct transaction *x);
void track_tell_reused(struct track_transact *t, const struct mad *m, const struct transaction *x);
void track_tell_unasked(struct track_transact *t, const struct mad *m);
void track_tell_beheaded(struct track_transact *t, const struct mad *m, uint32_t segment);
void track_tell_busy(struct track_transact *t, const struct server *s, const struct track_at *at);

#endif /* IBWIRE_TRACK_TRANSACT_IMPL_H */
