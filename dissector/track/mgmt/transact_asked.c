/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transact_asked.c - notes requests with a fault while they are known. */
#include "transact_impl.h"
#include "track/stream/qps.h"

/* Of @asked: there was no room for it. */
#define NO_ROOM UINT32_MAX

static bool is_wanted(const struct track_transact *t)
{
	return t->conn && track_qps_incidents(track_conn_streams(t->conn));
}

static struct track_mad_asked *begin(struct track_transact *t, struct transaction *x)
{
	const struct key *key = track_table_key(t->transactions, x);
	struct track_mad_asked *a = track_mads_asked_add(t->asked);

	x->asked = a ? t->asked->n : NO_ROOM;
	if (!a)
		return NULL;
	*a = (struct track_mad_asked){ .first_frame = x->frame,
				       .first_ns = x->time_ns,
				       .path = key->path,
				       .flow = x->flow,
				       .object = x->object,
				       .agent = track_mad_agent(key),
				       .attr_id = x->attr_id,
				       .mgmt_class = key->mgmt_class,
				       .method = x->method };
	return a;
}

/* NULL: nothing is wrong with it, or there was no room. */
static struct track_mad_asked *known(const struct track_transact *t, const struct transaction *x)
{
	return x->asked && x->asked != NO_ROOM ? &t->asked->asked[x->asked - 1] : NULL;
}

/* NULL: nobody asked, or there is no room. */
static struct track_mad_asked *asked_of(struct track_transact *t, struct transaction *x)
{
	struct track_mad_asked *a;

	if (!is_wanted(t))
		return NULL;
	a = x->asked ? known(t, x) : begin(t, x);
	if (!a)
		return NULL;
	a->copies = x->copies;
	a->last_frame = x->last.frame;
	a->last_ns = x->last.time_ns;
	return a;
}

void track_mad_asked_again(struct track_transact *t, struct transaction *x)
{
	struct track_mad_asked *a = asked_of(t, x);

	if (!a || a->again_frame)
		return;
	a->again_frame = x->last.frame;
	a->again_ns = x->last.time_ns;
}

void track_mad_asked_given_up(struct track_transact *t, struct transaction *x)
{
	struct track_mad_asked *a = asked_of(t, x);

	if (a)
		a->given_up_frame = x->last.frame;
}

void track_mad_asked_answered(struct track_transact *t, const struct mad *m, struct transaction *x,
			      bool late, bool stopped)
{
	struct track_mad_asked *a = x->asked || late ? asked_of(t, x) : NULL;

	if (!a)
		return;
	a->answer_frame = m->at->frame;
	a->answer_ns = m->at->time_ns;
	a->late = late;
	a->stopped = stopped;
}

void track_mad_asked_until(struct track_transact *t, const struct transaction *x, uint64_t frame)
{
	struct track_mad_asked *a = known(t, x);

	if (a && !a->answer_frame)
		a->until_frame = frame;
}
