/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conv_fields.c - preloaded to tshark, in the place of two functions of Wireshark's: writes which field the
 * plugin's tables have for each filter the window makes of a row, "conversation dst_address ibwire.conv.dst",
 * and what the plugin is called in the window of preferences, "preferences title RDMA"; which filter the window would
 * make of the packet's conversation, "packet 9 ibwire.stream==0".
 */
#include "wireshark/base/compat.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <epan/conversation_filter.h>
#include <epan/conversation_table.h>
#include <epan/prefs-int.h>
#include <epan/tap.h>

static const char *const filters[] = {
	[CONV_FT_SRC_ADDRESS] = "src_address", [CONV_FT_DST_ADDRESS] = "dst_address",
	[CONV_FT_ANY_ADDRESS] = "any_address", [CONV_FT_SRC_PORT] = "src_port",
	[CONV_FT_DST_PORT] = "dst_port",       [CONV_FT_ANY_PORT] = "any_port",
};

static void say(const char *table, const char *what, const char *name)
{
	FILE *out = fopen(getenv("CONV_FIELDS"), "a");

	if (!out)
		abort();
	fprintf(out, "%s %s %s\n", table, what, name);
	fclose(out);
}

void add_conversation_table_data(conv_hash_t *ch, const address *src, const address *dst,
				 uint32_t src_port, uint32_t dst_port, int num_frames,
				 int num_bytes, nstime_t *ts, nstime_t *abs_ts,
				 ct_dissector_info_t *info, conversation_type type)
{
	unsigned int i;

	(void)ch, (void)src, (void)dst, (void)src_port, (void)dst_port, (void)num_frames;
	(void)num_bytes, (void)ts, (void)abs_ts, (void)type;
	for (i = 0; i < array_length(filters); i++)
		say("conversation", filters[i], info->get_filter_type(NULL, (conv_filter_type_e)i));
}

void add_endpoint_table_data(conv_hash_t *ch, const address *addr, uint32_t port, iw_bool sender,
			     int num_frames, int num_bytes, et_dissector_info_t *info,
			     endpoint_type type)
{
	unsigned int i;

	(void)ch, (void)addr, (void)port, (void)sender, (void)num_frames, (void)num_bytes;
	(void)type;
	say("preferences", "title", prefs_find_module("ibwire")->title);
	for (i = 0; i < array_length(filters); i++)
		say("endpoint", filters[i], info->get_filter_type(NULL, (conv_filter_type_e)i));
}

static is_filter_valid_func is_valid;
static build_filter_string_func build;

void register_conversation_filter(const char *proto_name, const char *display_name,
				  is_filter_valid_func is_filter_valid,
				  build_filter_string_func build_filter_string IW_FILTER_USER)
{
	IW_FILTER_UNUSED;
	if (strcmp(proto_name, "ibwire") != 0 || strcmp(display_name, "RDMA") != 0)
		return;
	is_valid = is_filter_valid;
	build = build_filter_string;
}

/* Where the plugin hands a packet to its tables, which it is known by. */
void tap_queue_packet(int tap, packet_info *pinfo, const void *data)
{
	void (*real)(int, packet_info *, const void *);
	char *text, number[16];

	*(void **)&real = dlsym(RTLD_NEXT, "tap_queue_packet");
	real(tap, pinfo, data);
	if (!is_valid || !is_valid(pinfo IW_FILTER_NO_USER))
		return;
	text = build(pinfo IW_FILTER_NO_USER);
	snprintf(number, sizeof(number), "%u", pinfo->num);
	say("packet", number, text);
	g_free(text);
}
