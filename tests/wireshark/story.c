/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * story.c - preloaded to tshark, in the place of what the window is to a plugin: takes the menu item that the plugin adds, calls it when
 * the packet STORY_FRAME is given to tables (0: the first one), in the second pass if STORY_VISITED is 1, as if that were selected in the file STORY_FILE, and writes what the window
 * of text would have to STORY_SAID: its title, a line, and the text.
 */
#include "wireshark/base/compat.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <epan/funnel.h>
#include <epan/plugin_if.h>

static funnel_menu_callback item;
static void *item_data;

void funnel_register_menu(const char *name, register_stat_group_t group,
			  funnel_menu_callback callback, void *data,
			  funnel_menu_callback_data_free data_free, iw_bool retap)
{
	(void)data_free;
	if (strcmp(name, "RDMA Story") != 0)
		return;
	if (group != REGISTER_TOOLS_GROUP_UNSORTED || retap)
		abort();
	item = callback;
	item_data = data;
}

static const char *setting(const char *name)
{
	const char *value = getenv(name);

	if (!value)
		abort();
	return value;
}

static unsigned long number(const char *name)
{
	return strtoul(setting(name), NULL, 10);
}

static void say(const char *text)
{
	FILE *out = fopen(setting("STORY_SAID"), "a");

	if (!out)
		abort();
	fputs(text, out);
	fclose(out);
}

static funnel_text_window_t *new_text_window(funnel_ops_id_t *id, const char *title)
{
	(void)id;
	say(title);
	say("\n");
	return NULL;
}

static void set_text(funnel_text_window_t *window, const char *text)
{
	(void)window;
	say(text);
}

const funnel_ops_t *funnel_get_funnel_ops(void)
{
	static funnel_ops_t ops;

	ops.new_text_window = new_text_window;
	ops.set_text = set_text;
	return &ops;
}

static unsigned int selected(void)
{
	return (unsigned int)number("STORY_FRAME");
}

void plugin_if_get_ws_info(ws_info_t **info)
{
	static ws_info_t window;

	window.cf_filename = getenv("STORY_FILE");
	window.cf_framenr = selected();
	*info = &window;
}

/* Where the plugin hands a packet to its tables, which it is known by. */
void tap_queue_packet(int tap, packet_info *pinfo, const void *data)
{
	void (*real)(int, packet_info *, const void *);

	*(void **)&real = dlsym(RTLD_NEXT, "tap_queue_packet");
	real(tap, pinfo, data);
	if (item && pinfo->fd->visited == (number("STORY_VISITED") != 0) &&
	    (!selected() || pinfo->num == selected())) {
		item(item_data);
		item = NULL;
	}
}
