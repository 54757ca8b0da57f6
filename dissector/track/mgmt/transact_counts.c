/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transact_counts.c - counts MADs by client and by attribute. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "transact_impl.h"

const char *const track_mad_figure_names[TRACK_MAD_FIGURE_COUNT] = {
#define TRACK_MAD_FIGURE(name, title, definition) [TRACK_MAD_FIGURE_##name] = #name,
#include "mad_figures.def"
};

const char *const track_mad_figure_titles[TRACK_MAD_FIGURE_COUNT] = {
#define TRACK_MAD_FIGURE(name, title, definition) [TRACK_MAD_FIGURE_##name] = (title),
#include "mad_figures.def"
};

const struct track_mad_counts *track_transact_client(const struct track_transact *t,
						     const struct track_mad_counts *before)
{
	return track_table_next(t->clients, before);
}

const struct track_mad_counts *track_transact_attribute(const struct track_transact *t,
							const struct track_mad_counts *before)
{
	return track_table_next(t->attributes, before);
}

uint64_t track_mad_figure(const struct track_mad_counts *c, enum track_mad_figure figure)
{
	const uint64_t *f = c->figure;

	if (figure != TRACK_MAD_FIGURE_unanswered)
		return f[figure];
	/* What was begun before this was forgotten may end after it. */
	if (f[TRACK_MAD_FIGURE_requests] <
	    f[TRACK_MAD_FIGURE_answered] + f[TRACK_MAD_FIGURE_stopped])
		return 0;
	return f[TRACK_MAD_FIGURE_requests] - f[TRACK_MAD_FIGURE_answered] -
	       f[TRACK_MAD_FIGURE_stopped];
}

static void evict(struct track_transact *t, struct track_table *table)
{
	struct track_mad_counts *c = track_table_oldest(table);

	if (table == t->clients && c->agent != TRACK_MAD_NO_AGENT)
		t->agents--;
	track_histogram_clear(&c->times);
	track_table_evict(table, c);
}

static struct track_mad_counts *add_counts(struct track_transact *t, struct track_table *table,
					   const struct counts_key *key, const struct track_at *at)
{
	struct track_mad_counts *c;

	if (track_table_full(table))
		evict(t, table);
	t->client = t->attribute = NULL; /* they may move */
	c = track_table_add(table, key);
	memcpy(c->address, key->address, sizeof(c->address));
	c->agent = key->agent;
	c->kind = key->kind;
	c->mgmt_class = key->mgmt_class;
	c->attr_id = key->attr_id;
	c->first_frame = at->frame;
	return c;
}

void track_mad_count(const struct mad *m, enum track_mad_figure figure)
{
	m->client->figure[figure]++;
	m->attribute->figure[figure]++;
}

void track_mad_count_time(const struct mad *m, const struct transaction *x)
{
	if (m->at->time_ns < x->time_ns)
		return;
	track_histogram_add(&m->client->times, m->at->time_ns - x->time_ns);
	track_histogram_add(&m->attribute->times, m->at->time_ns - x->time_ns);
}

/* Who asks by a directed route has no LID. Of more than there is room for the further ones are one client. */
static struct track_mad_counts *client_of(struct track_transact *t, struct counts_key *key,
					  const struct track_at *at)
{
	struct track_mad_counts *c = track_table_get(t->clients, key);

	if (!c && key->agent != TRACK_MAD_NO_AGENT) {
		if (t->agents < TRACK_MAD_AGENTS_MAX) {
			t->agents++;
		} else {
			key->agent = TRACK_MAD_NO_AGENT;
			c = track_table_get(t->clients, key);
		}
	}
	return c ? c : add_counts(t, t->clients, key, at);
}

static struct track_mad_counts *attribute_of(struct track_transact *t, const struct mad *m,
					     uint16_t attr_id)
{
	const struct counts_key key = { .mgmt_class = m->key.mgmt_class, .attr_id = attr_id };
	struct track_mad_counts *c = track_table_get(t->attributes, &key);

	return c ? c : add_counts(t, t->attributes, &key, m->at);
}

static bool is_client(const struct track_mad_counts *c, const struct track_flow *flow,
		      uint32_t agent, uint8_t mgmt_class)
{
	return c && c->agent == agent && c->mgmt_class == mgmt_class && c->kind == flow->address &&
	       !memcmp(c->address, flow->src, sizeof(c->address));
}

/* What comes back counts where the request does: the answer to a MultiPathRecord is a PathRecord. */
void track_mad_find_counts(struct track_transact *t, struct mad *m, bool back)
{
	const struct transaction *x = back ? m->of : NULL;
	const struct track_flow *flow = x ? &x->flow : &m->flow;
	const uint16_t attr_id = x ? x->attr_id : ibw_mad_attr_id(m->mad->mad);
	const uint32_t agent = track_mad_agent(&m->key);
	const uint8_t mgmt_class = m->key.mgmt_class;

	if (!is_client(t->client, flow, agent, mgmt_class)) {
		struct counts_key key = { .agent = agent,
					  .kind = flow->address,
					  .mgmt_class = mgmt_class };

		memcpy(key.address, flow->src, sizeof(key.address));
		t->client = client_of(t, &key, m->at);
	}
	m->client = t->client;
	m->client->last_frame = m->at->frame;
	if (!t->attribute || t->attribute->attr_id != attr_id ||
	    t->attribute->mgmt_class != mgmt_class)
		t->attribute = attribute_of(t, m, attr_id);
	m->attribute = t->attribute;
	m->attribute->last_frame = m->at->frame;
}

void track_mad_free_counts(struct track_table *table)
{
	struct track_mad_counts *c = NULL;

	while ((c = track_table_next(table, c)))
		track_histogram_clear(&c->times);
	track_table_free(table);
}
