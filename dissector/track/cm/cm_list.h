/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cm_list.h - the conversations of the CM as a report shows them: who, for which service, what was sent how often,
 * how long set-up took, how it ended.
 *
 * A conversation begins with its REQ; if that was not captured, with its REP; by SIDR with its SIDR_REQ. Messages with
 * a wrong ICRC are not counted. Memory is bounded: the least recently seen conversation is evicted, and counted.
 */
#ifndef IBWIRE_TRACK_CM_LIST_H
#define IBWIRE_TRACK_CM_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "cm.h"
#include "track/base/event.h"

enum track_cm_figure {
#define TRACK_CM_FIGURE(name, title, definition) TRACK_CM_FIGURE_##name,
#include "cm_figures.def"
	TRACK_CM_FIGURE_COUNT
};

extern const char *const track_cm_figure_names[TRACK_CM_FIGURE_COUNT];
extern const char *const track_cm_figure_titles[TRACK_CM_FIGURE_COUNT];

/* "REQ" */
const char *track_cm_message_name(enum track_cm_message message);

/* The steps of a conversation that take time: from the first message of one kind to the first of the next. */
enum track_cm_step { TRACK_CM_STEP_REP, TRACK_CM_STEP_RTU, TRACK_CM_STEP_DREP, TRACK_CM_STEPS };

extern const char *const track_cm_step_names[TRACK_CM_STEPS];

struct track_cm_record {
	uint64_t first_frame, last_frame, last_ns;
	uint64_t service_id; /* 0: its REQ was not captured */
	uint64_t first_ns[TRACK_CM_MESSAGES];
	uint32_t sent[TRACK_CM_SIDES][TRACK_CM_MESSAGES];
	uint32_t retries;
	uint32_t qpn[TRACK_CM_SIDES];     /* TRACK_CM_NO_QPN: not known */
	uint32_t comm_id[TRACK_CM_SIDES]; /* 0: not known */
	uint32_t reason;                  /* of a REJ; the status of a SIDR_REP */
	struct track_rejection rejection; /* of a REJ, by the upper layer */
	struct track_flow client;         /* from the client; no QP */
	uint8_t service;                  /* enum ibw_service */
	/* The first of TRACK_CM_REJ, TRACK_CM_DREQ and a TRACK_CM_SIDR_REP without a QPN that came; 0: none. */
	uint8_t end;
	uint8_t ended_by; /* enum track_cm_side, of that */
	uint8_t n_kept;   /* messages */
	/* Bits of enum track_cm_message, of each side: of those that waited too long for their answers */
	uint16_t given_up[TRACK_CM_SIDES];
	uint32_t first_kept, last_kept;
};

/* One of its messages. */
struct track_cm_sent {
	uint64_t frame, time_ns;
	uint8_t message; /* enum track_cm_message */
	uint8_t side;    /* enum track_cm_side, of who sent it */
};

/* So many of a conversation are kept, the first ones; of all TRACK_CM_SENT_ALL. */
#define TRACK_CM_SENT_MAX 32u
#define TRACK_CM_SENT_ALL 65536u

struct track_cm_list;

struct track_cm_list *track_cm_list_new(uint32_t max);
void track_cm_list_free(struct track_cm_list *l); /* NULL is fine */

/* What a message was to the CM tracker. */
void track_cm_list_feed(struct track_cm_list *l, const struct track_cm_news *news,
			const struct track_at *at);

/* A message of the conversation that began at that frame waited for an answer as long as its retries took. */
void track_cm_list_give_up(struct track_cm_list *l, uint64_t first_frame, enum track_cm_side side,
			   enum track_cm_message message);

/* In the order they came, as long as none made room: for (r = NULL; (r = track_cm_list_next(l, r));) */
const struct track_cm_record *track_cm_list_next(const struct track_cm_list *l,
						 const struct track_cm_record *before);

/* The conversation that began at that frame; NULL: none is remembered. */
const struct track_cm_record *track_cm_list_get(const struct track_cm_list *l,
						uint64_t first_frame);

/* Its first messages, in the order they came; how many of them there are. */
unsigned int track_cm_list_sent(const struct track_cm_list *l, const struct track_cm_record *r,
				struct track_cm_sent sent[TRACK_CM_SENT_MAX]);

uint64_t track_cm_list_evicted(const struct track_cm_list *l);

/* Of both sides. */
uint64_t track_cm_figure(const struct track_cm_record *r, enum track_cm_figure figure);

/* False: one of its two messages is missing, or the clock went back. */
bool track_cm_step_ns(const struct track_cm_record *r, enum track_cm_step step, uint64_t *ns);

/* Where it is, by its messages: enum track_cm_state. */
enum track_cm_state track_cm_record_state(const struct track_cm_record *r);

/* "NVMe-oF 4420", "IPoIB connected mode", "TCP 7471"; NULL: the service ID says nothing. */
#define TRACK_CM_SERVICE_TEXT 48
const char *track_cm_service_text(uint64_t service_id, char buf[TRACK_CM_SERVICE_TEXT]);

/* "closed by A", "rejected: 28 consumer defined"; A is the client. */
#define TRACK_CM_END_TEXT 96
const char *track_cm_end_text(const struct track_cm_record *r, char buf[TRACK_CM_END_TEXT]);

#endif /* IBWIRE_TRACK_CM_LIST_H */
