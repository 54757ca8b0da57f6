/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proof.c - pairs of a flow and a rule, then of a connection and a rule. */
#include <glib.h>

#include "incident.h"
#include "proof.h"
#include "track/base/table.h"

/* No holes: compared as bytes. */
struct key {
	struct track_flow flow;
	uint64_t rule;
};

#define PAIRS_MAX 65536u

/* A message of the CM, or another MAD. */
struct message {
	uint64_t frame, rule;
};

struct pl_proofs {
	struct track_table *flows;    /* uint64_t: the latest frame with such a finding */
	struct track_table *messages; /* struct message */
	GHashTable *connections;      /* of connection and rule */
	bool any[LINT_RULE_COUNT];
	bool more, more_messages; /* than there is room for */
};

struct pl_proofs *pl_proofs_new(void)
{
	struct pl_proofs *proofs = g_new0(struct pl_proofs, 1);

	proofs->flows = track_table_new(sizeof(struct key), sizeof(uint64_t), PAIRS_MAX);
	proofs->messages = track_table_new(sizeof(struct message), 1, PAIRS_MAX);
	proofs->connections = g_hash_table_new(NULL, NULL);
	return proofs;
}

void pl_proofs_free(struct pl_proofs *proofs)
{
	if (!proofs)
		return;
	track_table_free(proofs->flows);
	track_table_free(proofs->messages);
	g_hash_table_unref(proofs->connections);
	g_free(proofs);
}

static void *pair_of(uint64_t serial, uint64_t rule)
{
	return GSIZE_TO_POINTER((gsize)serial * LINT_RULE_COUNT + (gsize)rule + 1);
}

static void note(struct pl_proofs *proofs, const struct track *track, const struct key *key)
{
	uint64_t serial;

	if (track && track_connection_serial(track, &key->flow, &serial))
		g_hash_table_add(proofs->connections, pair_of(serial, key->rule));
}

static void add_message(struct pl_proofs *proofs, const struct lint_finding *finding)
{
	const struct message key = { finding->frame, finding->rule };

	if (track_table_get(proofs->messages, &key))
		return;
	if (track_table_full(proofs->messages))
		proofs->more_messages = true;
	else
		track_table_add(proofs->messages, &key);
}

void pl_proofs_add(struct pl_proofs *proofs, const struct track *track,
		   const struct lint_finding *finding)
{
	struct key key = { .rule = finding->rule };
	uint64_t *latest;

	if (!finding->flow)
		return;
	proofs->any[finding->rule] = true;
	if (pl_is_managed_trace(finding->rule))
		add_message(proofs, finding);
	key.flow = *finding->flow;
	latest = track_table_get(proofs->flows, &key);
	if (!latest && track_table_full(proofs->flows)) {
		proofs->more = true;
		return;
	}
	if (!latest) {
		latest = track_table_add(proofs->flows, &key);
		note(proofs, track, &key); /* later the queue pair may be of another one */
	}
	*latest = MAX(*latest, finding->frame);
}

/* Whether the connection that has the queue pair now had begun by @frame: a later one did not cause that finding. */
static bool had_begun(const struct track *track, const struct track_flow *flow, uint64_t frame)
{
	return track && track_connection_number(track, flow) <= frame;
}

void pl_proofs_sort(struct pl_proofs *proofs, const struct track *track)
{
	const uint64_t *latest = NULL;

	while ((latest = track_table_next(proofs->flows, latest))) {
		const struct key *key = track_table_key(proofs->flows, latest);

		if (had_begun(track, &key->flow, *latest))
			note(proofs, track, key);
	}
}

bool pl_proofs_has_message(const struct pl_proofs *proofs, uint64_t frame, enum lint_rule_id rule)
{
	const struct message key = { frame, rule };

	return proofs->more_messages ? proofs->any[rule]
				     : track_table_get(proofs->messages, &key) != NULL;
}

bool pl_proofs_has(const struct pl_proofs *proofs, uint64_t serial, enum lint_rule_id rule)
{
	return proofs->more ? proofs->any[rule]
			    : g_hash_table_contains(proofs->connections, pair_of(serial, rule));
}

bool pl_proofs_has_flow(const struct pl_proofs *proofs, const struct track_flow *flow,
			enum lint_rule_id rule)
{
	struct key key = { .rule = rule };

	key.flow = *flow;
	return proofs->more ? proofs->any[rule] : track_table_get(proofs->flows, &key) != NULL;
}
