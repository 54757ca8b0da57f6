/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cm_asked.c - finds the messages of a CM conversation that wait for answers, from the messages that are kept
 * of it.
 */
#include "cm_asked.h"

/* What answers each, from the other side; 0: it waits for nothing. */
static const uint16_t answers[TRACK_CM_MESSAGES] = {
	[TRACK_CM_REQ] = 1 << TRACK_CM_REP | 1 << TRACK_CM_REJ,
	[TRACK_CM_REP] = 1 << TRACK_CM_RTU | 1 << TRACK_CM_REJ | 1 << TRACK_CM_DREQ,
	[TRACK_CM_LAP] = 1 << TRACK_CM_APR | 1 << TRACK_CM_REJ,
	[TRACK_CM_DREQ] = 1 << TRACK_CM_DREP | 1 << TRACK_CM_DREQ,
	[TRACK_CM_SIDR_REQ] = 1 << TRACK_CM_SIDR_REP,
};

static void note_copy(struct track_cm_asked *asked, unsigned int *n, const struct track_cm_sent *m)
{
	struct track_cm_asked *a = asked;

	while (a < asked + *n && (a->message != m->message || a->side != m->side))
		a++;
	if (a == asked + TRACK_CM_ASKED_MAX)
		return;
	if (a == asked + *n) {
		*a = (struct track_cm_asked){ .first_frame = m->frame,
					      .first_ns = m->time_ns,
					      .message = m->message,
					      .side = m->side };
		(*n)++;
	} else if (!a->again_frame) {
		a->again_frame = m->frame;
		a->again_ns = m->time_ns;
	}
	a->last_frame = m->frame;
}

static void note_answer(struct track_cm_asked *a, const struct track_cm_sent *m)
{
	if (a->side == m->side || !(answers[a->message] & 1u << m->message) ||
	    a->answer_frame > a->last_frame)
		return;
	a->answer = m->message;
	a->answer_frame = m->frame;
	a->answer_ns = m->time_ns;
}

static unsigned int count(const struct track_cm_sent *sent, unsigned int n, unsigned int side,
			  unsigned int message)
{
	unsigned int i, found = 0;

	for (i = 0; i < n; i++)
		found += sent[i].side == side && sent[i].message == message;
	return found;
}

/* An answer that came after the @n messages that are kept: when is known if it is the first of its kind. */
static void look_further(struct track_cm_asked *a, const struct track_cm_record *r,
			 const struct track_cm_sent *sent, unsigned int n)
{
	unsigned int other = a->side == TRACK_CM_CLIENT ? TRACK_CM_SERVER : TRACK_CM_CLIENT;
	unsigned int kind, kept;

	for (kind = TRACK_CM_REQ; kind < TRACK_CM_MESSAGES && !a->answer; kind++) {
		if (!(answers[a->message] & 1u << kind))
			continue;
		kept = count(sent, n, other, kind);
		if (r->sent[other][kind] <= kept)
			continue;
		a->answer = (uint8_t)kind;
		a->answer_ns = kept || r->sent[a->side][kind] ? r->last_ns : r->first_ns[kind];
	}
}

unsigned int track_cm_list_asked(const struct track_cm_list *l, const struct track_cm_record *r,
				 struct track_cm_asked asked[TRACK_CM_ASKED_MAX])
{
	struct track_cm_sent sent[TRACK_CM_SENT_MAX];
	unsigned int i, j, n = 0, left = 0, n_sent = track_cm_list_sent(l, r, sent);

	for (i = 0; i < n_sent; i++) {
		for (j = 0; j < n; j++)
			note_answer(&asked[j], &sent[i]);
		if (answers[sent[i].message])
			note_copy(asked, &n, &sent[i]);
	}
	for (i = 0; i < n; i++) {
		look_further(&asked[i], r, sent, n_sent);
		asked[i].copies = r->sent[asked[i].side][asked[i].message];
		if (asked[i].copies > 1 || r->given_up[asked[i].side] & 1u << asked[i].message)
			asked[left++] = asked[i];
	}
	return left;
}
