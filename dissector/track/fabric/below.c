/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * below.c - finds links that are narrower or slower than both of their ends support, at the end of the
 * capture.
 */
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "fabric_impl.h"

/* What both ends can; NULL: the link is at that. */
struct below {
	const char *width, *speed;
};

/* What an end can is what it supports and has enabled. */
static uint8_t both(const struct track_lanes *a, const struct track_lanes *b)
{
	return a->supported & a->enabled & b->supported & b->enabled;
}

/* Whether this end by itself could do more: else the link is at the most of one of its ends. */
static bool can_be_below(const struct fabric_port *p)
{
	const struct track_lanes *w = &p->width, *s = &p->speed;

	return track_width_greatest(w->active) < track_width_greatest(w->supported & w->enabled) ||
	       track_speed_greatest(s->active) < track_speed_greatest(s->supported & s->enabled);
}

static bool look(struct below *b, const struct fabric_port *p, const struct fabric_port *q)
{
	const uint8_t width = both(&p->width, &q->width), speed = both(&p->speed, &q->speed);
	bool narrow = p->width.active &&
		      track_width_greatest(p->width.active) < track_width_greatest(width);
	bool slow = p->speed.active &&
		    track_speed_greatest(p->speed.active) < track_speed_greatest(speed);

	b->width = narrow ? track_width_name(width) : NULL;
	b->speed = slow ? track_speed_name(speed) : NULL;
	return narrow || slow;
}

static void put_names(struct ibw_out *out, const char *width, const char *speed)
{
	ibw_out_char(out, ' ');
	if (width)
		ibw_out_str(out, width);
	if (width && speed)
		ibw_out_char(out, ' ');
	if (speed)
		ibw_out_str(out, speed);
}

/* "spine 1 port 3 to node 5 port 1: 1x, both can do 4x" */
static void say(struct track_fabric *t, const struct fabric_port_key *key,
		const struct fabric_port_key *to, const struct fabric_port *p,
		const struct below *b, char *about)
{
	struct ibw_out out = ibw_out_open(about, TRACK_ABOUT_TEXT);
	char text[TRACK_NODE_TEXT];

	ibw_out_str(&out, track_nodes_text(t->nodes, key->guid, (unsigned int)key->port, text));
	ibw_out_str(&out, " to ");
	ibw_out_str(&out, track_nodes_text(t->nodes, to->guid, (unsigned int)to->port, text));
	ibw_out_str(&out, ":");
	put_names(&out, b->width ? track_width_name(p->width.active) : NULL,
		  b->speed ? track_speed_name(p->speed.active) : NULL);
	ibw_out_str(&out, ", both can do");
	put_names(&out, b->width, b->speed);
	ibw_out_close(&out);
}

static void tell(struct track_fabric *t, const struct fabric_port_key *key,
		 const struct fabric_port *p)
{
	const struct track_at at = { p->frame, p->frame_time_ns, 0 };
	const struct fabric_cable *cable;
	const struct fabric_port *q;
	struct track_event *e;
	struct below b;

	if (p->state != IBW_PORT_ACTIVE || !can_be_below(p))
		return;
	cable = track_fabric_cable(t, key);
	q = cable ? track_table_get(t->ports, &cable->to) : NULL;
	if (!q || memcmp(key, &cable->to, sizeof(*key)) > 0 || q->state != IBW_PORT_ACTIVE ||
	    p->width.active != q->width.active || p->speed.active != q->speed.active ||
	    !look(&b, p, q))
		return;
	e = track_event_add(t->events, TRACK_EVENT_LINK_BELOW, &at);
	if (!e)
		return;
	track_event_cause(e, q->frame);
	e->number[TRACK_LINK_BELOW_guid] = key->guid;
	e->number[TRACK_LINK_BELOW_port] = key->port;
	e->number[TRACK_LINK_BELOW_other] = cable->to.guid;
	e->number[TRACK_LINK_BELOW_other_port] = cable->to.port;
	say(t, key, &cable->to, p, &b, track_event_about(t->events, e));
}

bool track_fabric_finish_below(struct track_fabric *t)
{
	for (; t->finished_links < track_table_count(t->ports); t->finished_links++) {
		const struct fabric_port *p = track_table_at(t->ports, t->finished_links);

		if (!track_events_room(t->events))
			return false;
		tell(t, track_table_key(t->ports, p), p);
	}
	return true;
}
