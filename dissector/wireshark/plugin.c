/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugin.c - what Wireshark loads. */
#include "exports.h"
#include "iw.h"

int iw_proto = -1;

/* What the packets show. */
static void init_shown(void)
{
	iw_lint_init();
	iw_stream_init();
	iw_conn_init();
	iw_node_init();
	iw_msg_init();
	iw_srt_init();
	iw_analysis_init();
	iw_pass_init();
	iw_rmpp_init();
}

static void cleanup_shown(void)
{
	iw_lint_cleanup();
	iw_rmpp_cleanup();
	iw_stream_cleanup();
	iw_conn_cleanup();
	iw_node_cleanup();
	iw_msg_cleanup();
	iw_analysis_cleanup();
	iw_incident_cleanup();
	iw_pass_cleanup();
}

static void init(void)
{
	iw_prefs_apply();
	iw_takeover_init();
	iw_service_init();
	iw_decode_as_init();
	iw_twice_init();
	init_shown();
	iw_reassemble_init();
}

static void cleanup(void)
{
	cleanup_shown();
	iw_reassemble_cleanup();
	iw_service_cleanup();
	iw_twice_cleanup();
}

void iw_begin_again(void)
{
	cleanup_shown();
	init_shown();
}

static void register_all(void)
{
	expert_module_t *expert;

	iw_proto = proto_register_protocol(IW_NAME, IW_SHORT_NAME, "ibwire");
	iw_hf_register();
	iw_stream_register();
	iw_psn_register();
	iw_links_register();
	iw_column_register();
	iw_cnp_register();
	iw_read_register();
	iw_inflight_register();
	iw_conn_register();
	iw_node_register();
	iw_msg_register();
	iw_whole_register();
	iw_analysis_register();
	iw_incident_register();
	iw_alias_register();
	expert = expert_register_protocol(iw_proto);
	iw_tree_register(expert);
	iw_lint_register(expert);
	iw_analysis_experts(expert);
	iw_prefs_register();
	iw_takeover_register();
	iw_decode_as_register();
	iw_export_register();
	iw_stats_register();
	iw_flows_register();
	iw_incidents_register();
	iw_srt_register();
	iw_follow_register();
	iw_seq_register();
	iw_story_register();
	iw_conv_register();
	register_init_routine(init);
	register_postseq_cleanup_routine(iw_pass_finish);
	register_cleanup_routine(cleanup);
}

static void handoff(void)
{
	iw_takeover_handoff();
	iw_decode_as_handoff();
	iw_augment_register();
	iw_stats_handoff();
}

EXPORTED uint32_t plugin_describe(void)
{
	return WS_PLUGIN_DESC_DISSECTOR;
}

EXPORTED void plugin_register(void)
{
	static proto_plugin plugin = { register_all, handoff };

	proto_register_plugin(&plugin);
}
