/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * expert.c - the linter, and its findings as expert items.
 *
 * Each frame is handed over once, when Wireshark sees it first, in file order. What
 * is found is kept by frame number, whichever frame it was found on, and shown
 * whenever that frame is dissected.
 */
#include <ctype.h>
#include <string.h>

#include "iw.h"

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

/* One a rule; and one for findings that are a step less sure than their rule. */
static expert_field ei_rule[LINT_RULE_COUNT];
static expert_field ei_doubt[LINT_RULE_COUNT];

static int group_of(const struct lint_rule *rule)
{
	static const struct {
		char prefix[4];
		int group;
	} groups[] = {
		{ "CRC", PI_CHECKSUM },   { "QPS", PI_SEQUENCE },   { "CMS", PI_SEQUENCE },
		{ "RMP", PI_REASSEMBLE }, { "CAP", PI_ASSUMPTION },
	};
	unsigned int i;

	for (i = 0; i < array_length(groups); i++)
		if (strncmp(rule->id, groups[i].prefix, 3) == 0)
			return groups[i].group;
	return PI_PROTOCOL;
}

static int severity_of(unsigned int severity)
{
	static const int severities[] = { PI_ERROR, PI_WARN, PI_NOTE, PI_CHAT };

	return severities[MIN(severity, LINT_PERF)];
}

static void register_rule(expert_module_t *module, unsigned int rule, expert_field *ei,
			  unsigned int severity, const char *suffix)
{
	const struct lint_rule *row = &lint_rules[rule];
	ei_register_info *info = wmem_new0(wmem_epan_scope(), ei_register_info);
	char *id = iw_word_of(row->id);

	ei->ei = EI_INIT_EI;
	ei->hf = EI_INIT_HF;
	info->ids = ei;
	info->eiinfo.name = wmem_strdup_printf(wmem_epan_scope(), "ibwire.lint.%s%s", id, suffix);
	info->eiinfo.group = group_of(row);
	info->eiinfo.severity = severity_of(severity);
	info->eiinfo.summary = row->text;
	expert_register_field_array(module, info, 1);
}

void iw_lint_register(expert_module_t *module)
{
	unsigned int i;

	for (i = 0; i < LINT_RULE_COUNT; i++) {
		register_rule(module, i, &ei_rule[i], lint_rules[i].severity, "");
		register_rule(module, i, &ei_doubt[i], lint_rules[i].severity + 1u, ".doubt");
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
	findings = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
	memset(counts, 0, sizeof(counts));
	linter = lint_new(&iw_prefs.lint, &(struct lint_sink){ count, keep, more, NULL });
}

bool iw_lint_wants_events(void)
{
	return linter && lint_wants_events(linter);
}

void iw_lint_events(struct track *trackers)
{
	unsigned int n;
	const struct track_event *e = track_events(trackers, &n);

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

bool iw_lint_has(packet_info *pinfo)
{
	return findings_of(pinfo) != NULL;
}

static void show(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		 const struct finding *f)
{
	const struct lint_rule *rule = &lint_rules[f->rule];
	expert_field *ei = f->severity == (enum lint_severity)rule->severity ? &ei_rule[f->rule]
									     : &ei_doubt[f->rule];
	proto_item *item, *child;
	unsigned int length = 0;
	tvbuff_t *tvb;
	int at;

	tvb = iw_frame_tvb(frame, f->offset, &at);
	if ((unsigned int)at <= tvb_captured_length(tvb))
		length = MIN(f->length, tvb_captured_length(tvb) - (unsigned int)at);
	else
		at = 0;
	item = proto_tree_add_expert_format(tree, pinfo, ei, tvb, at, (int)length, "%s %s: %s",
					    rule->id, rule->name, f->message);
	tree = proto_item_add_subtree(item, iw_ett_bits);
	child = proto_tree_add_string(tree, iw_hf[IW_LINT_RULE], tvb, 0, 0, rule->id);
	proto_item_set_generated(child);
	child = proto_tree_add_string(tree, iw_hf[IW_LINT_NAME], tvb, 0, 0, rule->name);
	proto_item_set_generated(child);
	child = proto_tree_add_uint(tree, iw_hf[IW_LINT_SEVERITY], tvb, 0, 0, f->severity);
	proto_item_set_generated(child);
	child = proto_tree_add_string(tree, iw_hf[IW_LINT_MESSAGE], tvb, 0, 0, f->message);
	proto_item_set_generated(child);
}

void iw_lint_show(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	const struct finding *f;

	for (f = findings_of(pinfo); f; f = f->next)
		if (f->severity <= iw_prefs.severity)
			show(tree, pinfo, frame, f);
}
