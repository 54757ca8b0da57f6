/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cm.c - CM conversations in a report: their ends, and their order. */
#include <stdlib.h>

#include "cm.h"

/* Of the client or the server; *@seen is the flow between them. */
static const uint8_t *side_of(const struct track_cm_record *r, enum track_cm_side side,
			      struct track_flow *seen)
{
	*seen = r->client;
	track_flow_as_seen(seen);
	return side == TRACK_CM_CLIENT ? seen->src : seen->dst;
}

const char *pl_cm_address(const struct track_cm_record *r, enum track_cm_side side,
			  char buf[TRACK_ADDRESS_TEXT])
{
	struct track_flow seen;
	const uint8_t *address = side_of(r, side, &seen);

	return track_address_text((enum track_address)seen.address, address, buf);
}

const char *pl_cm_node(const struct pl_report *report, const struct track_cm_record *r,
		       enum track_cm_side side, char buf[TRACK_NODE_SHORT])
{
	struct track_flow seen;
	const uint8_t *address = side_of(r, side, &seen);

	return track_address_node(report->track, (enum track_address)seen.address, address, buf);
}

static bool is_bad(const struct track_cm_record *r)
{
	enum track_cm_state state = track_cm_record_state(r);

	return state != TRACK_CM_ESTABLISHED && state != TRACK_CM_DISCONNECTED &&
	       state != TRACK_CM_RESOLVED;
}

static int by_size(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int worse_first(const void *a, const void *b)
{
	const struct track_cm_record *x = *(const struct track_cm_record *const *)a;
	const struct track_cm_record *y = *(const struct track_cm_record *const *)b;
	int order = by_size(is_bad(x), is_bad(y));

	if (!order)
		order = by_size(x->retries, y->retries);
	return order ? order : by_size(y->first_frame, x->first_frame);
}

const struct track_cm_record **pl_cm_sorted(const struct track_cm_list *list,
					    const struct pl_chosen *chosen, unsigned int *n)
{
	GArray *found = g_array_new(FALSE, FALSE, sizeof(void *));
	const struct track_cm_record *r = NULL;

	while ((r = track_cm_list_next(list, r)))
		if (pl_chosen_conversation(chosen, r))
			g_array_append_val(found, r);
	*n = found->len;
	if (*n)
		qsort(found->data, *n, sizeof(void *), worse_first);
	return (const struct track_cm_record **)(void *)g_array_free(found, FALSE);
}
