/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stats.c - -z ibwire,lint: findings by rule; and the tree of opcodes, MAD classes and CRCs. */
#include <inttypes.h>
#include <stdio.h>

#include <ibwire/ibwire.h>

#include "listen.h"
#include "stats.h"
#include "wireshark/marks/analysis.h"
#include "wireshark/marks/expert.h"
#include "wireshark/packet/frame.h"
#include "wireshark/packet/mad.h"
#include "wireshark/marks/pass.h"
#include "lint/lint.h"
#include "track/track.h"

/* These rely on what packet.h has included before them. */
#include <epan/stat_tap_ui.h>
#include <epan/stats_tree.h>
#include <epan/tap.h>

static int tap = -1;

void iw_stats_packet(packet_info *pinfo, struct iw_frame *frame)
{
	if (have_tap_listener(tap))
		tap_queue_packet(tap, pinfo, frame);
}

/* One that is about no frame, but about the file. */
static void print_finding(void *user, const struct lint_rule *rule, enum lint_severity severity,
			  const char *message)
{
	(void)user;
	printf("%s: %s %s: %s\n", lint_severity_names[severity], rule->id, rule->name, message);
}

/* The counts are the linter's own, which are right whatever filter the tap has. */
static void draw_lint(void *data)
{
	const uint64_t *count = data;
	uint64_t lost;
	uint32_t frame;
	unsigned int i;

	iw_pass_finish(); /* a single pass has no other end */
	printf("\n=== Findings by rule ===\n");
	for (i = 0; i < LINT_RULE_COUNT; i++)
		if (count[i])
			printf("%-8s %-8s %10" PRIu64 "  %s\n", lint_rules[i].id,
			       lint_severity_names[lint_rules[i].severity], count[i],
			       lint_rules[i].name);
	iw_lint_each(0, print_finding, NULL);
	lost = iw_analysis_lost(&frame);
	if (lost)
		printf("The analysis is incomplete from frame %" PRIu32 " on: no room for %" PRIu64
		       " events and replies\n",
		       frame, lost);
}

static iw_listen_result listen_lint(const char *arg, void *data)
{
	(void)arg;
	(void)data;
	if (!iw_listen("ibwire,lint", iw_lint_counts(), draw_lint))
		return IW_LISTENS(false);
	return IW_LISTENS(true);
}

static int node_opcodes, node_mads, node_icrcs;

static void stats_start(stats_tree *st)
{
	node_opcodes = stats_tree_create_node(st, "Opcodes", 0, STAT_DT_INT, TRUE);
	node_mads = stats_tree_create_node(st, "MAD classes", 0, STAT_DT_INT, TRUE);
	node_icrcs = stats_tree_create_node(st, "ICRC", 0, STAT_DT_INT, TRUE);
}

static void count(stats_tree *st, const char *under, int node, const char *what)
{
	tick_stat_node(st, under, 0, TRUE);
	tick_stat_node(st, what, node, FALSE);
}

static tap_packet_status stats_packet(stats_tree *st, packet_info *pinfo, epan_dissect_t *edt,
				      const void *p, tap_flags_t flags)
{
	struct iw_frame *frame = (struct iw_frame *)p;
	const struct ibw_packet *pkt = &frame->view.pkt;
	const struct track_mad *mad = iw_mad_of(frame);
	const char *text;

	(void)pinfo;
	(void)edt;
	(void)flags;
	if (pkt->bth == IBW_NO_SPAN)
		return TAP_PACKET_DONT_REDRAW;
	text = ibw_packet_opcode_text(pkt);
	count(st, "Opcodes", node_opcodes, text ? text : "unknown");
	if (mad)
		count(st, "MAD classes", node_mads,
		      mad->walked.class_row ? mad->walked.class_row->text : "unknown");
	count(st, "ICRC", node_icrcs, ibw_crc_status_names[track_view_icrc(&frame->view).status]);
	return TAP_PACKET_REDRAW;
}

static int node_findings, node_file;
static GHashTable *file_told; /* trees that have the findings about the file */

static void findings_start(stats_tree *st)
{
	node_findings = stats_tree_create_node(st, "Of packets", 0, STAT_DT_INT, TRUE);
	node_file = stats_tree_create_node(st, "Of the file", 0, STAT_DT_INT, TRUE);
	if (!file_told)
		file_told = g_hash_table_new(NULL, NULL);
	g_hash_table_remove(file_told, st);
}

static void findings_end(stats_tree *st)
{
	g_hash_table_remove(file_told, st);
}

static void count_finding(void *user, const struct lint_rule *rule, enum lint_severity severity,
			  const char *message)
{
	char *text = g_strdup_printf("%s %s (%s): %s", rule->id, rule->name,
				     lint_severity_names[severity], rule->text);

	(void)message;
	count(user, "Of packets", node_findings, text);
	g_free(text);
}

static void count_of_file(void *user, const struct lint_rule *rule, enum lint_severity severity,
			  const char *message)
{
	char *text = g_strdup_printf("%s %s (%s): %s", rule->id, rule->name,
				     lint_severity_names[severity], message);

	count(user, "Of the file", node_file, text);
	g_free(text);
}

/* What is about the file, all of it shows: then the packets are seen again. */
static tap_packet_status findings_packet(stats_tree *st, packet_info *pinfo, epan_dissect_t *edt,
					 const void *p, tap_flags_t flags)
{
	(void)edt;
	(void)p;
	(void)flags;
	iw_lint_each(pinfo->num, count_finding, st);
	if (iw_lint_done() && g_hash_table_add(file_told, st))
		iw_lint_each(0, count_of_file, st);
	return TAP_PACKET_REDRAW;
}

void iw_stats_register(void)
{
	static stat_tap_ui ui = {
		REGISTER_STAT_GROUP_GENERIC, NULL, "ibwire,lint", listen_lint, 0, NULL
	};

	tap = register_tap("ibwire");
	register_stat_tap_ui(&ui, NULL);
}

void iw_stats_handoff(void)
{
	stats_tree_register_plugin("ibwire", "ibwire", "RDMA/Opcodes, MADs and CRCs", 0,
				   stats_packet, stats_start, NULL);
	stats_tree_register_plugin("ibwire", "ibwire_findings", "RDMA/Findings", 0, findings_packet,
				   findings_start, findings_end);
}
