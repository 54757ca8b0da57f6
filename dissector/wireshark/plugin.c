/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugin.c - what Wireshark loads: its parts are in parts.def. */
#include "exports.h"
#include "wireshark/base/proto.h"
#include "parts.def"

/* What the packets show. */
static void init_shown(void)
{
#define SHOWN(begin) begin;
#include "parts.def"
}

static void cleanup_shown(void)
{
#define GONE(end) end;
#include "parts.def"
}

static void init(void)
{
#define INIT(call) call;
#include "parts.def"
	init_shown();
}

static void cleanup(void)
{
	cleanup_shown();
#define CLEANUP(call) call;
#include "parts.def"
}

static void begin_again(void)
{
	cleanup_shown();
	init_shown();
}

static void register_all(void)
{
	expert_module_t *expert;

	iw_begin_again = begin_again;
	iw_proto = proto_register_protocol(IW_NAME, IW_SHORT_NAME, "ibwire");
	expert = expert_register_protocol(iw_proto);
#define REGISTER(call) call;
#include "parts.def"
	register_init_routine(init);
	register_postseq_cleanup_routine(iw_pass_finish);
	register_cleanup_routine(cleanup);
}

static void handoff(void)
{
#define HANDOFF(call) call;
#include "parts.def"
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
