/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict.c - chooses the sentences of a verdict. */
#include <stdlib.h>
#include <string.h>

#include "pcap-lint/options/chosen.h"
#include "pcap-lint/report/flow.h"
#include "pcap-lint/incidents/spans.h"
#include "verdict.h"
#include "track/stream/qps.h"

const char *const pl_state_names[PL_STATE_COUNT] = {
#define PL_STATE(id, name) name,
#define PL_STATE_OF_RULES(id, name, words, in) name,
#include "pcap-lint/incidents/verdict.def"
	"none"
};

static enum pl_state state_of(enum track_incident_kind kind)
{
	static const uint8_t states[TRACK_INCIDENT_COUNT] = {
#define PL_INCIDENT(kind, rule, state) [TRACK_INCIDENT_##kind] = PL_STATE_##state,
#include "pcap-lint/incidents/verdict.def"
	};

	return (enum pl_state)states[kind];
}

/* Sides */

struct side_key {
	const struct track_qp *qp;
	uint64_t way;
};

static guint side_hash(gconstpointer p)
{
	const struct side_key *key = p;

	return g_direct_hash(key->qp) ^ (guint)key->way;
}

static gboolean side_equal(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, sizeof(struct side_key)) == 0;
}

static void side_free(void *value)
{
	struct pl_side *side = value;
	unsigned int state;

	for (state = 0; state < PL_STATE_COUNT; state++)
		pl_spans_free(side->spans[state]);
	g_free(side);
}

static struct pl_side *side_of(GHashTable *sides, const struct pl_incident *i)
{
	struct side_key key = { i->qp, i->incident->way }, *copy;
	struct pl_side *side = g_hash_table_lookup(sides, &key);

	if (side)
		return side;
	copy = g_new(struct side_key, 1);
	*copy = key;
	side = g_new0(struct pl_side, 1);
	side->qp = i->qp;
	side->way = (enum track_way)i->incident->way;
	g_hash_table_insert(sides, copy, side);
	return side;
}

static void add_incident(struct pl_side *side, const struct pl_incident *incident)
{
	const struct track_incident *i = incident->incident;
	const struct track_incident **first = &side->first[i->kind];
	enum pl_state state = state_of((enum track_incident_kind)i->kind);

	if (!*first || i->ns > (*first)->ns)
		*first = i;
	if (pl_incident_is_unasked(incident)) {
		side->unasked[i->kind == TRACK_INCIDENT_NO_ANSWER] += pl_incident_count(incident);
		state = PL_STATE_SLOW;
	} else {
		side->count[i->kind] += pl_incident_count(incident);
	}
	pl_spans_add(&side->spans[state], i->end_ns, i->ns);
	if (state == PL_STATE_SLOW) /* where something is lost it is said with that */
		pl_spans_add(&side->spans[PL_STATE_LOST], i->end_ns, i->ns);
	side->resent[state] += i->resent_packets + incident->rest.resent_packets;
	side->rest_ns[state] += incident->rest.ns;
	if (state == PL_STATE_NOT_READY)
		side->rnr += i->rnr;
	if (state == PL_STATE_LOST && i->naks && i->resent_frame)
		side->waited_ns += i->resent_ns;
}

/* All of its incidents are there. What is slow where something is lost is said with that. */
static void sum_up(gpointer key, gpointer value, gpointer user)
{
	struct pl_side *side = value;
	unsigned int state;

	(void)key;
	(void)user;
	for (state = 0; state < PL_STATE_COUNT; state++)
		side->ns[state] = pl_spans_ns(side->spans[state]) + side->rest_ns[state];
	side->ns[PL_STATE_LOST] += side->rest_ns[PL_STATE_SLOW];
	side->resent[PL_STATE_LOST] += side->resent[PL_STATE_SLOW];
}

static GHashTable *all_sides(const struct pl_incident *incidents, unsigned int n)
{
	GHashTable *sides = g_hash_table_new_full(side_hash, side_equal, g_free, side_free);
	unsigned int i;

	for (i = 0; i < n; i++)
		if (incidents[i].proved && incidents[i].qp)
			add_incident(side_of(sides, &incidents[i]), &incidents[i]);
	g_hash_table_foreach(sides, sum_up, NULL);
	return sides;
}

static bool has(const struct pl_side *side, enum pl_state state)
{
	unsigned int kind;

	for (kind = 0; kind < TRACK_INCIDENT_COUNT; kind++)
		if (side->count[kind] && state_of((enum track_incident_kind)kind) == state)
			return true;
	return state == PL_STATE_SLOW && (side->unasked[0] || side->unasked[1]);
}

static bool is_in(const struct pl_side *side, enum pl_state state)
{
	return has(side, state) && !(state == PL_STATE_SLOW && has(side, PL_STATE_LOST));
}

/* The costliest first. */
static int costly_first(const void *a, const void *b)
{
	const struct pl_side *one = *(struct pl_side *const *)a,
			     *other = *(struct pl_side *const *)b;

	if (one->sort_ns != other->sort_ns)
		return one->sort_ns > other->sort_ns ? -1 : 1;
	if (one->qp->number != other->qp->number)
		return one->qp->number < other->qp->number ? -1 : 1;
	return (int)one->way - (int)other->way;
}

bool pl_verdict_same_hosts(const struct track_flow *a, const struct track_flow *b)
{
	return a->address == b->address && memcmp(a->src, b->src, sizeof(a->src)) == 0 &&
	       memcmp(a->dst, b->dst, sizeof(a->dst)) == 0;
}

static bool same_hosts(const struct pl_side *a, const struct pl_side *b)
{
	char of_a[2][TRACK_ADDRESS_TEXT], of_b[2][TRACK_ADDRESS_TEXT];

	return strcmp(pl_flow_address(a->qp, a->way, of_a[0]),
		      pl_flow_address(b->qp, b->way, of_b[0])) == 0 &&
	       strcmp(pl_flow_address(a->qp, (enum track_way) !a->way, of_a[1]),
		      pl_flow_address(b->qp, (enum track_way) !b->way, of_b[1])) == 0;
}

/* A sentence of the sides in @state: of the costliest, and those between the same hosts. */
static bool say_state(struct pl_report *report, struct pl_verdict *verdict, GHashTable *sides,
		      enum pl_state state)
{
	struct pl_side **in = g_new(struct pl_side *, g_hash_table_size(sides) + 1);
	struct pl_sentence *s = &verdict->sentence[verdict->n];
	unsigned int n = 0, of_hosts = 0, i;
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, sides);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		if (is_in(value, state)) {
			in[n] = value;
			in[n]->sort_ns = in[n]->ns[state];
			n++;
		}
	qsort(in, n, sizeof(void *), costly_first);
	for (i = 0; i < n; i++)
		if (same_hosts(in[i], in[0]))
			in[of_hosts++] = in[i];
	if (n) {
		verdict->n++;
		*s = (struct pl_sentence){ .state = state, .all_connections = n };
		pl_verdict_say(report, s, (const struct pl_side *const *)in, of_hosts);
	}
	g_free(in);
	return n != 0;
}

/* Rules */

/* The sentences that tell what a rule finds; 0: none does. */
static unsigned int told_by(enum lint_rule_id rule)
{
#define PL_IN(state) (1u << PL_STATE_##state)
	static const unsigned int states[PL_TRACE_COUNT] = {
#define PL_TRACE(rule, states) [PL_TRACE_##rule] = (states),
#include "pcap-lint/incidents/verdict.def"
	};
	const enum pl_trace trace = pl_trace_of(rule);

	return trace == PL_TRACE_COUNT ? 0 : states[trace];
}

static enum pl_state state_of_rule(enum lint_rule_id number)
{
	const struct lint_rule *rule = &lint_rules[number];
	const char *id = rule->id;

#define PL_STATE_OF_RULES(state, name, words, in)                                                  \
	if (in)                                                                                    \
		return PL_STATE_##state;
#include "pcap-lint/incidents/verdict.def"
	return PL_STATE_NONE;
}

/* What a REJ refuses is told with the REJ; a login or a negotiation that is refused, with the commands. */
static enum pl_state state_in(const struct pl_report *report, enum lint_rule_id rule)
{
	return rule == LINT_ULP025 && report->totals.firm[LINT_CMS005] ? PL_STATE_CM
								       : state_of_rule(rule);
}

static const char *words_of(enum pl_state state)
{
	static const char *const words[PL_STATE_COUNT] = {
#define PL_STATE_OF_RULES(id, name, words, in) [PL_STATE_##id] = words,
#include "pcap-lint/incidents/verdict.def"
	};

	return words[state];
}

/* Of the rules in @state that nothing tells yet the worst one, with most findings. */
static enum lint_rule_id next_rule(const struct pl_report *report, enum pl_state state,
				   unsigned int told, const bool *said)
{
	enum lint_rule_id most = LINT_RULE_COUNT;
	unsigned int i;

	for (i = 0; i < LINT_RULE_COUNT; i++) {
		enum lint_rule_id rule = (enum lint_rule_id)i;

		if (!report->totals.firm[i] || said[i] || state_in(report, rule) != state ||
		    (told_by(rule) & told))
			continue;
		if (most == LINT_RULE_COUNT || lint_rules[i].severity < lint_rules[most].severity ||
		    (lint_rules[i].severity == lint_rules[most].severity &&
		     report->totals.firm[i] > report->totals.firm[most]))
			most = rule;
	}
	return most;
}

#define RULES_NAMED 3u

/* What a sentence begins with; the first one needs no "also found". */
static const char *beginning_of(const struct pl_verdict *verdict, enum pl_state state)
{
	return state == PL_STATE_OTHER && !verdict->n ? "" : words_of(state);
}

/* "CRC001 icrc-bad (12)"; in words, for readers who do not know the rule by heart: "the ICRC is wrong (CRC001 icrc-bad, 12)". */
static void say_rule(struct ibw_out *o, enum lint_rule_id rule, uint64_t findings, bool in_words)
{
	if (in_words) {
		ibw_out_str(o, lint_rules[rule].text);
		ibw_out_str(o, " (");
	}
	ibw_out_str(o, lint_rules[rule].id);
	ibw_out_char(o, ' ');
	ibw_out_str(o, lint_rules[rule].name);
	ibw_out_str(o, in_words ? ", " : " (");
	ibw_out_dec(o, findings);
	ibw_out_char(o, ')');
}

/* "malformed packets: the ICRC is wrong (CRC001 icrc-bad, 12), BTH004 bth-pad (3) and 2 of other rules" */
static void say_rules(const struct pl_report *report, struct pl_verdict *verdict,
		      enum pl_state state, unsigned int told, const struct pl_incident *incidents,
		      unsigned int n_incidents)
{
	struct pl_sentence *s = &verdict->sentence[verdict->n];
	struct ibw_out o = ibw_out_open(s->text, sizeof(s->text));
	bool said[LINT_RULE_COUNT] = { false };
	enum lint_rule_id rule = next_rule(report, state, told, said);
	const char *beginning = beginning_of(verdict, state);
	bool is_told; /* in words of its own: the rules follow after a semicolon */
	uint64_t more = 0;
	unsigned int n = 0;

	if (rule == LINT_RULE_COUNT)
		return;
	*s = (struct pl_sentence){ .state = state };
	is_told = pl_verdict_say_iwarp(report, state, &o);
	if (!is_told)
		ibw_out_str(&o, beginning);
	if (state == PL_STATE_CM)
		pl_verdict_say_cm(report, s, &o);
	if (state == PL_STATE_COMMANDS)
		pl_verdict_say_upper(report, s, &o);
	if (state == PL_STATE_MAD)
		pl_verdict_say_mad(report, s, &o, incidents, n_incidents);
	if (state == PL_STATE_CONGESTED)
		is_told |= pl_verdict_say_cc(s, &o, incidents, n_incidents);
	is_told |= s->cm_all || s->commands || s->incidents;
	for (; rule < LINT_RULE_COUNT; rule = next_rule(report, state, told, said)) {
		said[rule] = true;
		s->findings += report->totals.firm[rule];
		if (n++ >= RULES_NAMED) {
			more += report->totals.firm[rule];
			continue;
		}
		ibw_out_str(&o, n > 1 ? ", " : is_told ? "; " : *beginning ? ": " : "");
		say_rule(&o, rule, report->totals.firm[rule], n == 1 && !is_told);
	}
	if (more) {
		ibw_out_str(&o, " and ");
		ibw_out_dec(&o, more);
		ibw_out_str(&o, " of other rules");
	}
	ibw_out_close(&o);
	verdict->n++;
}

/* Those that are listed, and those that there was no room for. */
static void count_kinds(const struct pl_report *report, const struct pl_incident *incidents,
			unsigned int n, struct pl_verdict *verdict)
{
	const struct track_incidents *list = pl_incidents_all(report);
	unsigned int i;

	for (i = 0; i < n; i++)
		verdict->kinds[incidents[i].incident->kind]++;
	if (!list || list->count == list->n || pl_chosen_any(&report->options->chosen))
		return;
	for (i = 0; i < TRACK_INCIDENT_COUNT; i++)
		verdict->kinds[i] += list->of_kind[i];
	for (i = 0; i < list->n; i++)
		verdict->kinds[list->kept[i].kind]--;
	for (i = 0; i < TRACK_INCIDENT_COUNT; i++)
		verdict->kinds[i] -= list->costliest[i].frame != 0;
}

void pl_verdict(struct pl_report *report, const struct pl_incident *incidents, unsigned int n,
		struct pl_verdict *verdict)
{
	GHashTable *sides = all_sides(incidents, n);
	unsigned int state, told = 0;

	*verdict = (struct pl_verdict){ 0 };
	count_kinds(report, incidents, n, verdict);
	for (state = 0; state < PL_STATE_NONE && verdict->n < PL_SENTENCES; state++) {
		if (words_of((enum pl_state)state))
			say_rules(report, verdict, (enum pl_state)state, told, incidents, n);
		else if (say_state(report, verdict, sides, (enum pl_state)state))
			told |= 1u << state;
	}
	g_hash_table_unref(sides);
}
