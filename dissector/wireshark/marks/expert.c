/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * expert.c - the linter, and its findings as expert items.
 *
 * Each frame is handed over once, when Wireshark sees it first, in file order. What
 * is found is kept by frame number, whichever frame it was found on, and shown
 * whenever that frame is dissected.
 */
#include <string.h>

#include "expert.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/hf.h"
#include "pass.h"
#include "wireshark/base/prefs.h"
#include "twice.h"
#include "lint/lint.h"
#include "track/track.h"

struct finding {
	struct finding *next;
	struct finding *last; /* of the frame; in its first one only */
	char *message;
	uint32_t offset, length;
	enum lint_rule_id rule;
	enum lint_severity severity;
};

static struct lint *linter;
static wmem_map_t *findings; /* frame number -> the first finding of the frame */

/* How Wireshark groups expert items. */
struct group {
	const char *prefix[5]; /* of its rules' ids; NULL: no more */
	int group;
};

/* The first that a rule fits counts. */
static const struct group groups[] = {
	/* A NAK, an RNR NAK, a REJ, the status of a MAD: what the other end says of a request. */
	{ { "QPS008", "QPS012", "QPS014", "CMS005", "MAD011" }, PI_RESPONSE_CODE },
	{ { "CRC" }, PI_CHECKSUM },
	{ { "QPS", "CMS" }, PI_SEQUENCE },
	{ { "RMP" }, PI_REASSEMBLE },
	{ { "CAP" }, PI_ASSUMPTION },
	{ { "" }, PI_PROTOCOL },
};

/*
 * An expert item a rule: the window Expert Information has a line for each, and makes filters of them. A finding
 * may be a step less severe than its rule, and Wireshark has the severity of an item from its registration.
 */
enum step { AS_RULE, LESSER, STEPS };

static expert_field ei_rules[LINT_RULE_COUNT][STEPS];

static bool is_of(const struct lint_rule *rule, const struct group *group)
{
	unsigned int i;

	for (i = 0; i < array_length(group->prefix) && group->prefix[i]; i++)
		if (g_str_has_prefix(rule->id, group->prefix[i]))
			return true;
	return false;
}

static int group_of(const struct lint_rule *rule)
{
	unsigned int i = 0;

	while (!is_of(rule, &groups[i]))
		i++;
	return groups[i].group;
}

static void add_row(wmem_array_t *rows, enum lint_rule_id id, enum step step)
{
	static const int severities[] = { PI_ERROR, PI_WARN, PI_NOTE, PI_CHAT };
	const struct lint_rule *rule = &lint_rules[id];
	unsigned int severity =
		step == LESSER ? lint_severity_of(id, LINT_DOUBT_LESSER) : rule->severity;
	ei_register_info row = { &ei_rules[id][step],
				 { wmem_strdup_printf(wmem_epan_scope(), "ibwire.expert.rule.%s%s",
						      iw_word_of(rule->id),
						      step == LESSER ? ".lesser" : ""),
				   group_of(rule), severities[severity],
				   wmem_strdup_printf(wmem_epan_scope(), "%s %s: %s", rule->id,
						      rule->name, rule->text),
				   EXPFILL } };

	if (step == LESSER && severity == rule->severity)
		return;
	*row.ids = (expert_field)EI_INIT;
	wmem_array_append_one(rows, row);
}

void iw_lint_register(expert_module_t *module)
{
	wmem_array_t *rows = wmem_array_new(wmem_epan_scope(), sizeof(ei_register_info));
	unsigned int i;

	for (i = 0; i < LINT_RULE_COUNT; i++) {
		add_row(rows, (enum lint_rule_id)i, AS_RULE);
		add_row(rows, (enum lint_rule_id)i, LESSER);
	}
	expert_register_field_array(module, wmem_array_get_raw(rows),
				    (int)wmem_array_get_count(rows));
	for (i = 0; i < LINT_RULE_COUNT; i++) {
		iw_expert_blurb(&ei_rules[i][AS_RULE], lint_rules[i].why);
		if (ei_rules[i][LESSER].hf > 0)
			iw_expert_blurb(&ei_rules[i][LESSER], "Where the capture leaves a doubt");
	}
}

static uint64_t counts[LINT_RULE_COUNT];

const uint64_t *iw_lint_counts(void)
{
	return counts;
}

static bool count(void *user, const struct lint_finding *found)
{
	(void)user;
	return counts[found->rule]++ < iw_prefs.max_findings || !iw_prefs.max_findings;
}

/* These are counted only, as if there were no room for more of the rule. */
static void more(void *user, const struct lint_finding *first, uint64_t n, uint64_t last_frame)
{
	(void)user;
	(void)last_frame;
	counts[first->rule] += n;
}

static void keep(void *user, const struct lint_finding *found)
{
	void *key = GUINT_TO_POINTER((unsigned int)found->frame);
	struct finding *f, *first;

	(void)user;
	f = wmem_new0(wmem_file_scope(), struct finding);
	f->message = wmem_strdup(wmem_file_scope(), found->message);
	f->offset = found->offset;
	f->length = found->length;
	f->rule = found->rule;
	f->severity = found->severity;
	first = wmem_map_lookup(findings, key);
	if (!first) {
		first = f;
		wmem_map_insert(findings, key, f);
	} else {
		first->last->next = f;
	}
	first->last = f;
}

void iw_lint_init(void)
{
	struct lint_options options = iw_prefs.lint;

	options.names = iw_pass_trackers();
	options.twice = iw_twice();
	findings = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
	memset(counts, 0, sizeof(counts));
	linter = lint_new(&options, &(struct lint_sink){ count, keep, more, NULL });
}

void iw_lint_events(const struct track_event *e, unsigned int n)
{
	if (linter)
		lint_events(linter, e, n);
}

void iw_lint_last_packet(void)
{
	if (linter)
		lint_last_packet(linter);
}

void iw_lint_finish(void)
{
	if (linter)
		lint_finish(linter);
	lint_free(linter);
	linter = NULL;
}

void iw_lint_cleanup(void)
{
	lint_free(linter);
	linter = NULL;
	findings = NULL;
}

void iw_lint_frame(const struct track_frame *at, struct iw_frame *frame)
{
	if (linter)
		lint_packet(linter, at, &frame->view, &frame->context);
}

static struct finding *findings_of(packet_info *pinfo)
{
	return findings ? wmem_map_lookup(findings, GUINT_TO_POINTER(pinfo->num)) : NULL;
}

/* The next finding from @f on that is severe enough. */
static const struct finding *shown(const struct finding *f)
{
	while (f && f->severity > iw_prefs.severity)
		f = f->next;
	return f;
}

bool iw_lint_has(packet_info *pinfo)
{
	return shown(findings_of(pinfo)) != NULL;
}

static bool is_about(enum lint_rule_id rule, enum track_event_kind kind)
{
	static const struct {
		enum lint_rule_id rule;
		enum track_event_kind kind;
	} rows[] = {
#define ROW(id, event) { LINT_##id, TRACK_EVENT_##event },
#define LINT_ON_EVENT(id, event, when, ...) ROW(id, event)
#define LINT_ON_EVENT_LESSER(id, event, when, ...) ROW(id, event)
#define LINT_ON_EVENT_HELD(id, event, when, ...) ROW(id, event)
#include "lint/rules/rules.def"
#undef ROW
	};
	unsigned int i;

	for (i = 0; i < array_length(rows); i++)
		if (rows[i].rule == rule && rows[i].kind == kind)
			return true;
	return false;
}

bool iw_lint_says(packet_info *pinfo, enum track_event_kind kind)
{
	const struct finding *f;

	for (f = shown(findings_of(pinfo)); f; f = shown(f->next))
		if (is_about(f->rule, kind))
			return true;
	return false;
}

static void add_part(proto_tree *tree, tvbuff_t *tvb, enum iw_item hf, const char *text)
{
	proto_item_set_generated(proto_tree_add_string(tree, iw_hf[hf], tvb, 0, 0, text));
}

static void show(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		 const struct finding *f)
{
	const struct lint_rule *rule = &lint_rules[f->rule];
	proto_item *item, *child;
	unsigned int length = 0;
	tvbuff_t *tvb;
	char *text;
	int at;

	tvb = iw_frame_tvb(frame, f->offset, &at);
	if ((unsigned int)at <= tvb_captured_length(tvb))
		length = MIN(f->length, tvb_captured_length(tvb) - (unsigned int)at);
	else
		at = 0;
	text = wmem_strdup_printf(pinfo->pool, "%s %s: %s", rule->id, rule->name, f->message);
	item = proto_tree_add_string_format(tree, iw_hf[IW_LINT], tvb, at, (int)length, text, "%s",
					    text);
	expert_add_info(pinfo, item,
			&ei_rules[f->rule][f->severity == rule->severity ? AS_RULE : LESSER]);
	tree = proto_item_add_subtree(item, iw_ett_bits);
	add_part(tree, tvb, IW_LINT_RULE, rule->id);
	add_part(tree, tvb, IW_LINT_NAME, rule->name);
	child = proto_tree_add_uint(tree, iw_hf[IW_LINT_SEVERITY], tvb, 0, 0, f->severity);
	proto_item_set_generated(child);
	/* For filters and columns: the item above shows it. */
	child = proto_tree_add_string(tree, iw_hf[IW_LINT_MESSAGE], tvb, 0, 0, f->message);
	proto_item_set_hidden(child);
}

void iw_lint_show(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	const struct finding *f;

	for (f = shown(findings_of(pinfo)); f; f = shown(f->next))
		show(tree, pinfo, frame, f);
}

void iw_lint_each(uint32_t frame,
		  void (*tell)(void *user, const struct lint_rule *rule,
			       enum lint_severity severity, const char *message),
		  void *user)
{
	const struct finding *f;

	if (!findings)
		return;
	for (f = shown(wmem_map_lookup(findings, GUINT_TO_POINTER(frame))); f; f = shown(f->next))
		tell(user, &lint_rules[f->rule], f->severity, f->message);
}

bool iw_lint_done(void)
{
	return !linter;
}
