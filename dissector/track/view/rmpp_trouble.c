/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rmpp_trouble.c - what goes wrong in an RMPP transfer, packet by packet. */
#include <glib.h>

#include <ibwire/ibwire.h>

#include "rmpp_trouble.h"

struct seen {
	uint64_t frame, ns;
	uint32_t number;
};

struct track_transfer_now {
	struct track_transfer_trouble is;
	uint32_t from; /* number of the first segment seen */
	GArray *seen;  /* struct seen, of each segment the first one */
};

void track_troubles_free(struct track_transfer_troubles *list)
{
	if (!list)
		return;
	g_free(list->trouble);
	g_free(list);
}

struct track_transfer_now *track_trouble_begin(const struct track_flow *flow, const uint8_t *mad,
					       const struct track_at *at)
{
	const struct ibw_mad_wire *header = (const struct ibw_mad_wire *)mad;
	struct track_transfer_now *now = g_new0(struct track_transfer_now, 1);

	now->seen = g_array_new(FALSE, FALSE, sizeof(struct seen));
	now->is.first_frame = at->frame;
	now->is.last_ns = at->time_ns;
	now->is.flow = *flow;
	now->is.attr_id = ibw_mad_attr_id(header);
	now->is.mgmt_class = ibw_mad_mgmt_class(header);
	now->is.method = ibw_mad_method(header);
	now->is.response = ibw_mad_r(header);
	return now;
}

static bool is_wrong(const struct track_transfer_trouble *is)
{
	return is->shown_frame != 0;
}

/* When a segment came; NULL: it did not. */
static const struct seen *seen_of(const struct track_transfer_now *now, uint32_t number)
{
	unsigned int i;

	for (i = 0; i < now->seen->len; i++)
		if (g_array_index(now->seen, struct seen, i).number == number)
			return &g_array_index(now->seen, struct seen, i);
	return NULL;
}

static uint32_t highest_of(const struct track_transfer_now *now)
{
	uint32_t highest = 0;
	unsigned int i;

	for (i = 0; i < now->seen->len; i++)
		highest = MAX(highest, g_array_index(now->seen, struct seen, i).number);
	return highest;
}

/* From now on something is wrong with it, which is so once: @root is in the way. */
static void show(struct track_transfer_now *now, uint32_t root, const struct track_at *at)
{
	struct track_transfer_trouble *is = &now->is;
	const struct seen *seen;

	if (is_wrong(is))
		return;
	is->shown_frame = at->frame;
	is->shown_ns = at->time_ns;
	is->root = root;
	seen = seen_of(now, root);
	if (!seen)
		return;
	is->root_frame = seen->frame;
	is->root_ns = seen->ns;
	is->copies = 1;
}

/* A segment, the first of its number or not. */
static void segment(struct track_transfer_now *now, uint32_t number, uint32_t highest, bool again,
		    const struct track_at *at)
{
	struct track_transfer_trouble *is = &now->is;
	const struct seen seen = { at->frame, at->time_ns, number };

	if (!now->from)
		now->from = number;
	if (again) {
		is->again++;
		show(now, number, at);
	} else if (highest && number > highest + 1) {
		is->gaps++;
		is->missing += number - highest - 1;
		if (!is->gap_frame)
			is->gap_frame = at->frame;
		show(now, highest + 1, at);
	} else if (number < highest && number > now->from) {
		is->missing--;
	}
	if (!again)
		g_array_append_val(now->seen, seen);
	if (!is_wrong(is) || number != is->root)
		return;
	is->copies++;
	if (!is->root_frame) {
		is->root_frame = at->frame;
		is->root_ns = at->time_ns;
	}
	if (!is->again_frame) {
		is->again_frame = at->frame;
		is->again_ns = at->time_ns;
	}
}

/* The time since the packet before, if nothing went on in it. */
static void hold(struct track_transfer_trouble *is, bool is_held, uint64_t ns)
{
	if (is_held && ns > is->last_ns) {
		is->held_ns += ns - is->last_ns;
		is->held_until_ns = ns;
	}
	is->last_ns = MAX(is->last_ns, ns);
}

void track_trouble_feed(struct track_transfer_now *now, const struct ibw_transfer *t,
			const struct ibw_rmpp_wire *rmpp, uint32_t highest,
			const struct track_at *at)
{
	const bool is_there = t->state == IBW_TRANSFER_RUNNING || t->state == IBW_TRANSFER_COMPLETE;
	const bool is_data = ibw_rmpp_type(rmpp) == IBW_RMPP_DATA && is_there;
	const bool again = is_data && t->flags & IBW_TRANSFER_DUPLICATE;
	const bool stops = t->state == IBW_TRANSFER_STOPPED;
	struct track_transfer_trouble *is = &now->is;

	hold(is, is->missing || again || stops, at->time_ns);
	is->last_frame = at->frame;
	if (is_data)
		segment(now, ibw_rmpp_data1(rmpp), highest, again, at);
	if (stops) {
		show(now, highest, at);
		is->stop = ibw_rmpp_type(rmpp);
		is->status = t->status;
	}
	is->complete = t->state == IBW_TRANSFER_COMPLETE;
	if (stops || is->complete)
		is->end_frame = at->frame;
}

/* Nothing shows it but that the rest did not come. */
static void give_up(struct track_transfer_now *now, uint64_t ns)
{
	struct track_transfer_trouble *is = &now->is;
	const struct track_at last = { .frame = is->last_frame, .time_ns = is->last_ns };

	if (is->end_frame || ns < is->last_ns || ns - is->last_ns <= TRACK_TRANSFER_WAIT_NS ||
	    !seen_of(now, 1))
		return;
	show(now, highest_of(now), &last);
}

void track_trouble_end(struct track_transfer_troubles *list, struct track_transfer_now *now,
		       uint64_t ns)
{
	if (!now)
		return;
	give_up(now, ns);
	if (is_wrong(&now->is) && list->n == TRACK_TROUBLES_MAX) {
		list->more++;
	} else if (is_wrong(&now->is)) {
		if (list->n == list->room) {
			list->room = list->room ? 2 * list->room : 16;
			list->trouble =
				g_renew(struct track_transfer_trouble, list->trouble, list->room);
		}
		list->trouble[list->n++] = now->is;
	}
	g_array_free(now->seen, TRUE);
	g_free(now);
}
