/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unresponsive.c - finds routes that get no answer, sweep after sweep. */
#include <string.h>

#include <glib.h>

#include <ibwire/out.h>

#include "fabric_impl.h"

/* Sweeps are not closer to each other: what comes sooner is asked for again. */
#define SWEEP_LEAST_NS UINT64_C(1000000000)

/*
 * " by route 0,1,9,5, at port 5 of leaf 2 (GUID ...),": where the cable is, whatever answered there before. Of a long
 * route, what answered there is not named if there is no room for all of it.
 */
static void say_route(struct track_fabric *t, const struct track_route_asked *asked, char *about)
{
	const struct track_object *o = asked->object;
	const struct track_spot *last = NULL;
	char text[TRACK_NODE_TEXT];
	struct ibw_out out;

	track_fabric_object_text(t, o, about);
	if (o->kind == TRACK_OBJECT_ROUTE && !o->by_lid && o->n && o->n <= TRACK_OBJECT_HOPS)
		last = track_nodes_route(t->nodes, o->b, o->n - 1u, asked->agent);
	if (!last)
		return;
	track_nodes_text(t->nodes, last->guid, 0, text);
	if (strlen(about) + sizeof(", at port 255 of ,") + strlen(text) > TRACK_ABOUT_TEXT)
		track_object_text(o, "", NULL, about);
	out = ibw_out_open(about + strlen(about), TRACK_ABOUT_TEXT - strlen(about));
	ibw_out_str(&out, ", at port ");
	ibw_out_dec(&out, o->b[o->n - 1]);
	ibw_out_str(&out, " of ");
	ibw_out_str(&out, text);
	ibw_out_char(&out, ',');
	ibw_out_close(&out);
}

static void tell(struct track_fabric *t, const struct track_route_asked *asked,
		 struct fabric_asked *a, unsigned int missed)
{
	struct track_event *e;

	a->told = true;
	e = track_fabric_event(t, TRACK_EVENT_UNRESPONSIVE, asked->last, asked->flow);
	if (!e)
		return;
	track_event_cause(e, a->frame);
	e->number[TRACK_UNRESPONSIVE_missed] = missed;
	e->number[TRACK_UNRESPONSIVE_asked] = a->asked;
	e->number[TRACK_UNRESPONSIVE_ns] = a->time_ns[a->asked - 1] - a->time_ns[0];
	say_route(t, asked, track_event_about(t->events, e));
}

static bool is_same_sweep(uint64_t a_ns, uint64_t b_ns)
{
	return (a_ns > b_ns ? a_ns - b_ns : b_ns - a_ns) < SWEEP_LEAST_NS;
}

/* That there is no answer is known some time after it was asked for, and later sweeps have been answered since. */
static bool insert(struct fabric_asked *a, uint64_t sweeps, uint64_t time_ns, bool missed)
{
	unsigned int i = a->asked;

	while (i && a->time_ns[i - 1] > time_ns)
		i--;
	if ((i && is_same_sweep(a->time_ns[i - 1], time_ns)) ||
	    (i < a->asked && is_same_sweep(a->time_ns[i], time_ns)))
		return false;
	if (a->asked == sweeps) {
		if (!i)
			return false;
		i--;
		memmove(a->time_ns, a->time_ns + 1, i * sizeof(a->time_ns[0]));
		memmove(a->missed, a->missed + 1, i * sizeof(a->missed[0]));
	} else {
		memmove(a->time_ns + i + 1, a->time_ns + i, (a->asked - i) * sizeof(a->time_ns[0]));
		memmove(a->missed + i + 1, a->missed + i, (a->asked - i) * sizeof(a->missed[0]));
		a->asked++;
	}
	a->time_ns[i] = time_ns;
	a->missed[i] = missed;
	return true;
}

void track_fabric_asked(struct track_fabric *t, const struct track_route_asked *asked)
{
	const struct fabric_asked_key key = { asked->way, asked->agent, 0 };
	struct fabric_asked *a = track_table_need(t->asked, &key);
	unsigned int i, missed = 0;

	if (!insert(a, FABRIC_THRESHOLD(t, sweeps), asked->last->time_ns, !asked->answered) ||
	    asked->answered)
		return;
	if (!a->frame)
		a->frame = asked->frame;
	for (i = 0; i < a->asked; i++)
		missed += a->missed[i];
	if (!a->told && missed >= FABRIC_THRESHOLD(t, missed_sweeps))
		tell(t, asked, a, missed);
}
