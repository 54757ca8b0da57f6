/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cm_list.c - conversations of the CM, message by message. */
#include <string.h>

#include <glib.h>

#include <ibwire/cm.h>

#include "cm_list.h"
#include "track/base/table.h"

/* A message that is kept, in the list of its conversation or in that of free ones. */
struct kept {
	struct track_cm_sent sent;
	uint32_t next; /* NONE: it is the last one */
};

#define NONE UINT32_MAX

/* Kept under the first frame of its conversation. */
struct track_cm_list {
	struct track_table *records; /* uint64_t -> struct track_cm_record */
	GArray *kept;                /* of struct kept */
	uint32_t free;               /* first of those in no list */
};

const char *const track_cm_figure_names[TRACK_CM_FIGURE_COUNT] = {
#define TRACK_CM_FIGURE(name, title, definition) [TRACK_CM_FIGURE_##name] = #name,
#include "cm_figures.def"
};

const char *const track_cm_figure_titles[TRACK_CM_FIGURE_COUNT] = {
#define TRACK_CM_FIGURE(name, title, definition) [TRACK_CM_FIGURE_##name] = (title),
#include "cm_figures.def"
};

const char *const track_cm_step_names[TRACK_CM_STEPS] = { "req_to_rep", "rep_to_rtu",
							  "dreq_to_drep" };

struct track_cm_list *track_cm_list_new(uint32_t max)
{
	struct track_cm_list *l = g_new0(struct track_cm_list, 1);

	l->records = track_table_new(sizeof(uint64_t), sizeof(struct track_cm_record), max);
	l->kept = g_array_new(FALSE, FALSE, sizeof(struct kept));
	l->free = NONE;
	return l;
}

void track_cm_list_free(struct track_cm_list *l)
{
	if (!l)
		return;
	track_table_free(l->records);
	g_array_unref(l->kept);
	g_free(l);
}

static struct kept *kept_at(const struct track_cm_list *l, uint32_t i)
{
	return &g_array_index(l->kept, struct kept, i);
}

/* A place for one more; NONE: there is none. */
static uint32_t place(struct track_cm_list *l)
{
	uint32_t i = l->free;

	if (i != NONE)
		l->free = kept_at(l, i)->next;
	else if (l->kept->len < TRACK_CM_SENT_ALL)
		g_array_set_size(l->kept, (i = l->kept->len) + 1);
	return i;
}

static void keep(struct track_cm_list *l, struct track_cm_record *r,
		 const struct track_cm_news *news, const struct track_at *at)
{
	uint32_t i = r->n_kept < TRACK_CM_SENT_MAX ? place(l) : NONE;

	if (i == NONE)
		return;
	*kept_at(l, i) =
		(struct kept){ { at->frame, at->time_ns, news->message, news->side }, NONE };
	if (r->n_kept++)
		kept_at(l, r->last_kept)->next = i;
	else
		r->first_kept = i;
	r->last_kept = i;
}

/* Its messages are free for others. */
static void let_go(struct track_cm_list *l, const struct track_cm_record *r)
{
	if (!r->n_kept)
		return;
	kept_at(l, r->last_kept)->next = l->free;
	l->free = r->first_kept;
}

unsigned int track_cm_list_sent(const struct track_cm_list *l, const struct track_cm_record *r,
				struct track_cm_sent sent[TRACK_CM_SENT_MAX])
{
	uint32_t at = r->first_kept;
	unsigned int i;

	for (i = 0; i < r->n_kept; i++, at = kept_at(l, at)->next)
		sent[i] = kept_at(l, at)->sent;
	return r->n_kept;
}

static struct track_cm_record *new_record(struct track_cm_list *l, const struct track_cm_news *news)
{
	struct track_cm_record *r;

	if (track_table_full(l->records)) {
		let_go(l, track_table_oldest(l->records));
		track_table_evict(l->records, track_table_oldest(l->records));
	}
	r = track_table_add(l->records, &news->first_frame);
	r->first_frame = news->first_frame;
	r->client = news->client;
	return r;
}

static bool is_asked_again(uint8_t message)
{
	return message == TRACK_CM_REQ || message == TRACK_CM_REP || message == TRACK_CM_LAP ||
	       message == TRACK_CM_DREQ || message == TRACK_CM_SIDR_REQ;
}

static void count(struct track_cm_record *r, const struct track_cm_news *news,
		  const struct track_at *at)
{
	uint32_t *sent = &r->sent[news->side][news->message];

	if (!r->sent[!news->side][news->message] && !*sent)
		r->first_ns[news->message] = at->time_ns;
	if (*sent && is_asked_again(news->message))
		r->retries++;
	(*sent)++;
}

static void name(struct track_cm_record *r, const struct track_cm_news *news)
{
	uint8_t other = !news->side;

	r->service_id = news->service_id;
	r->service = news->service;
	memcpy(r->qpn, news->qpn, sizeof(r->qpn));
	r->comm_id[news->side] = news->local_id;
	if (news->remote_id)
		r->comm_id[other] = news->remote_id;
}

/* A SIDR_REP with a QPN ends nothing. */
static bool is_end(const struct track_cm_news *news)
{
	return news->message == TRACK_CM_REJ || news->message == TRACK_CM_DREQ ||
	       (news->message == TRACK_CM_SIDR_REP && news->detail != IBW_CM_SIDR_QPN_VALID);
}

void track_cm_list_feed(struct track_cm_list *l, const struct track_cm_news *news,
			const struct track_at *at)
{
	struct track_cm_record *r;

	if (news->message == TRACK_CM_OTHER || !news->first_frame || news->doubt)
		return;
	r = track_table_get(l->records, &news->first_frame);
	if (!r)
		r = new_record(l, news);
	r->last_frame = at->frame;
	r->last_ns = at->time_ns;
	count(r, news, at);
	keep(l, r, news, at);
	name(r, news);
	if (r->end || !is_end(news))
		return;
	r->end = news->message;
	r->ended_by = news->side;
	r->reason = news->message == TRACK_CM_DREQ ? 0 : news->detail;
	r->rejection = news->rejection;
}

void track_cm_list_give_up(struct track_cm_list *l, uint64_t first_frame, enum track_cm_side side,
			   enum track_cm_message message)
{
	struct track_cm_record *r = track_table_get(l->records, &first_frame);

	if (r)
		r->given_up[side] |= (uint16_t)(1u << message);
}

const struct track_cm_record *track_cm_list_next(const struct track_cm_list *l,
						 const struct track_cm_record *before)
{
	return track_table_next(l->records, before);
}

const struct track_cm_record *track_cm_list_get(const struct track_cm_list *l, uint64_t first_frame)
{
	return track_table_get(l->records, &first_frame);
}

uint64_t track_cm_list_evicted(const struct track_cm_list *l)
{
	return track_table_evicted(l->records);
}

static uint32_t sent(const struct track_cm_record *r, enum track_cm_message message)
{
	return r->sent[TRACK_CM_CLIENT][message] + r->sent[TRACK_CM_SERVER][message];
}

const char *track_cm_message_name(enum track_cm_message message)
{
	return track_cm_figure_titles[TRACK_CM_FIGURE_req + (int)message - TRACK_CM_REQ];
}

uint64_t track_cm_figure(const struct track_cm_record *r, enum track_cm_figure figure)
{
	if (figure == TRACK_CM_FIGURE_retries)
		return r->retries;
	return sent(r, (enum track_cm_message)(TRACK_CM_REQ + (int)figure - TRACK_CM_FIGURE_req));
}

bool track_cm_step_ns(const struct track_cm_record *r, enum track_cm_step step, uint64_t *ns)
{
	static const uint8_t ends[TRACK_CM_STEPS][2] = {
		[TRACK_CM_STEP_REP] = { TRACK_CM_REQ, TRACK_CM_REP },
		[TRACK_CM_STEP_RTU] = { TRACK_CM_REP, TRACK_CM_RTU },
		[TRACK_CM_STEP_DREP] = { TRACK_CM_DREQ, TRACK_CM_DREP },
	};
	uint8_t from = ends[step][0], to = ends[step][1];

	if (step == TRACK_CM_STEP_REP && sent(r, TRACK_CM_SIDR_REQ)) {
		from = TRACK_CM_SIDR_REQ;
		to = TRACK_CM_SIDR_REP;
	}
	if (!sent(r, from) || !sent(r, to) || r->first_ns[to] < r->first_ns[from])
		return false;
	*ns = r->first_ns[to] - r->first_ns[from];
	return true;
}

enum track_cm_state track_cm_record_state(const struct track_cm_record *r)
{
	if (r->end == TRACK_CM_REJ || r->end == TRACK_CM_SIDR_REP)
		return TRACK_CM_REJECTED;
	if (sent(r, TRACK_CM_SIDR_REQ))
		return sent(r, TRACK_CM_SIDR_REP) ? TRACK_CM_RESOLVED : TRACK_CM_SIDR_SENT;
	if (r->end)
		return sent(r, TRACK_CM_DREP) ? TRACK_CM_DISCONNECTED : TRACK_CM_DREQ_SENT;
	if (sent(r, TRACK_CM_RTU))
		return TRACK_CM_ESTABLISHED;
	return sent(r, TRACK_CM_REP) ? TRACK_CM_REP_SENT : TRACK_CM_REQ_SENT;
}
