/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * transact.h - MAD transactions: which response answers which request, and requests that are never
 * answered.
 *
 * A transaction is identified by its client (address and QP), its class and its transaction id; a
 * directed-route SMP by its path instead of an address, because its LIDs are all 0xffff. The response
 * has to come from the server that was asked (LIDs of one LMC range count as one port). The CM has a
 * tracker of its own: by the R bit, its messages are not requests.
 *
 * Memory is bounded: the numbers of transactions, clients and attributes are limited. Finished
 * transactions are evicted first and are not missed; a request that was still waiting is counted as
 * evicted.
 */
#ifndef IBWIRE_TRACK_TRANSACT_H
#define IBWIRE_TRACK_TRANSACT_H

#include <stdbool.h>
#include <stdint.h>

#include "track/base/event.h"
#include "track/base/histogram.h"
#include "track/view/mad.h"
#include "track/view/reply.h"

#define TRACK_TRANSACTIONS_MAX 65536
#define TRACK_TRANSACTIONS_KEPT 32768 /* when they are over */
#define TRACK_MAD_CLIENTS_MAX 4096
#define TRACK_MAD_AGENTS_MAX                                                                       \
	64 /* of directed routes, of which each is a client: others may have an ID of their own for each request */
#define TRACK_MAD_ATTRIBUTES_MAX 1024
#define TRACK_MAD_SERVERS_MAX 4096

enum track_mad_figure {
#define TRACK_MAD_FIGURE(name, title, definition) TRACK_MAD_FIGURE_##name,
#include "mad_figures.def"
	TRACK_MAD_FIGURE_COUNT
};

extern const char *const track_mad_figure_names[TRACK_MAD_FIGURE_COUNT];
extern const char *const track_mad_figure_titles[TRACK_MAD_FIGURE_COUNT];

/* The upper half of no transaction ID that asks; one that has it has no row of its own. */
#define TRACK_MAD_NO_AGENT UINT32_MAX

/* Of a client and class, or of a class and attribute. */
struct track_mad_counts {
	uint64_t first_frame, last_frame;
	uint64_t figure[TRACK_MAD_FIGURE_COUNT];
	struct track_histogram times; /* from the first copy to the last segment of the answer */
	uint8_t address[16];          /* of the client */
	uint32_t
		agent; /* of a directed route; TRACK_MAD_NO_AGENT: it is none, or of those without a row */
	uint16_t attr_id;
	uint8_t kind; /* enum track_address of the client; NONE: it is about an attribute */
	uint8_t mgmt_class;
};

struct track_transact;

struct track_transact *track_transact_new(struct track_events *events);

/* From here on they go to @replies. */
void track_transact_want_replies(struct track_transact *t, struct track_replies *replies);
void track_transact_free(struct track_transact *t); /* NULL is fine */

/* Who knows whether other packets of a server were captured; NULL: nobody. */
struct track_conn;
/* Who knows M_Keys and masters. */
struct track_fabric;
void track_transact_fabric(struct track_transact *t, struct track_fabric *fabric);

void track_transact_conn(struct track_transact *t, const struct track_conn *conn);

/* A MAD whose ICRC is not wrong; @transfer: the one it is of, NULL: none of several segments. */
void track_transact_feed(struct track_transact *t, const struct ibw_packet *pkt,
			 const struct track_mad *mad, const struct track_transfer *transfer,
			 const struct track_at *at);

/* Gives up what has waited too long. */
void track_transact_tick(struct track_transact *t, const struct track_at *now);

/* The capture ended. False: there was no room for all events, call again. */
bool track_transact_finish(struct track_transact *t, const struct track_at *at);

/* Requests with which something is wrong: none, unless incidents are wanted. */
struct track_mads_asked;
struct track_mads_asked *track_transact_asked(const struct track_transact *t);

/* Requests that still waited, clients and attributes that made room for others, and what there was no room for. */
uint64_t track_transact_evicted(const struct track_transact *t);

/*
 * The clients, each class by itself, and the attributes of classes, in the order they came:
 * for (c = NULL; (c = track_transact_client(t, c));)
 */
const struct track_mad_counts *track_transact_client(const struct track_transact *t,
						     const struct track_mad_counts *before);
const struct track_mad_counts *track_transact_attribute(const struct track_transact *t,
							const struct track_mad_counts *before);

/* One figure: unanswered is worked out. */
uint64_t track_mad_figure(const struct track_mad_counts *c, enum track_mad_figure figure);

#endif /* IBWIRE_TRACK_TRANSACT_H */
