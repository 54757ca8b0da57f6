/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mads.c - MAD clients in a report: their names, and their order. */
#include <stdlib.h>
#include <string.h>

#include <ibwire/mad_walk.h>

#include "mads.h"

const char *pl_mad_client(const struct track_mad_counts *c, char buf[TRACK_ADDRESS_TEXT])
{
	struct track_flow flow = { .address = c->kind };

	memcpy(flow.src, c->address, sizeof(flow.src));
	memcpy(flow.dst, c->address, sizeof(flow.dst));
	track_flow_as_seen(&flow);
	return track_address_text((enum track_address)flow.address, flow.src, buf);
}

const char *pl_mad_client_node(const struct pl_report *report, const struct track_mad_counts *c,
			       char buf[TRACK_NODE_SHORT])
{
	if (c->agent != TRACK_MAD_NO_AGENT)
		return track_asker_node(report->track, c->agent, buf);
	return track_address_node(report->track, (enum track_address)c->kind, c->address, buf);
}

const char *pl_mad_class(const struct track_mad_counts *c)
{
	const struct ibw_mad_class_row *row = ibw_mad_class_of(c->mgmt_class);

	return row ? row->text : NULL;
}

const char *pl_mad_attribute(const struct track_mad_counts *c)
{
	const struct ibw_mad_class_row *row = ibw_mad_class_of(c->mgmt_class);
	const struct ibw_mad_attr_row *attr = row ? ibw_mad_attr_of(row, c->attr_id) : NULL;

	return attr ? attr->text : NULL;
}

static int by_size(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int worse_first(const void *a, const void *b)
{
	const struct track_mad_counts *x = *(const struct track_mad_counts *const *)a;
	const struct track_mad_counts *y = *(const struct track_mad_counts *const *)b;
	bool attribute = x->kind == TRACK_ADDRESS_NONE;
	int order = attribute ? by_size(x->mgmt_class == IBW_CLASS_SUBN_ADM,
					y->mgmt_class == IBW_CLASS_SUBN_ADM)
			      : 0;

	if (!order)
		order = by_size(track_mad_figure(x, TRACK_MAD_FIGURE_unanswered),
				track_mad_figure(y, TRACK_MAD_FIGURE_unanswered));
	if (!order)
		order = by_size(track_mad_figure(x, TRACK_MAD_FIGURE_requests),
				track_mad_figure(y, TRACK_MAD_FIGURE_requests));
	if (!order)
		order = by_size(y->first_frame, x->first_frame);
	if (!order)
		order = by_size(y->attr_id, x->attr_id);
	return order ? order : by_size(y->mgmt_class, x->mgmt_class);
}

const struct track_mad_counts **pl_mads_sorted(const struct track_transact *mads, bool clients,
					       unsigned int *n)
{
	const struct track_mad_counts *c = NULL;
	GArray *found = g_array_new(FALSE, FALSE, sizeof(void *));

	while ((c = clients ? track_transact_client(mads, c) : track_transact_attribute(mads, c)))
		g_array_append_val(found, c);
	*n = found->len;
	if (*n)
		qsort(found->data, *n, sizeof(void *), worse_first);
	return (const struct track_mad_counts **)(void *)g_array_free(found, FALSE);
}
