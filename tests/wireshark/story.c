/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * story.c - preloaded to tshark, in the place of what the window is to a plugin: takes the menu item that the plugin adds, calls it when
 * the packet STORY_FRAME is given to tables (0: the first one), in the second pass if STORY_VISITED is 1, as if that were selected in the file STORY_FILE, and writes what the window
 * of text would have to STORY_SAID: its title, a line, and the text. With several windows those of the last one.
 *
 * STORY_LOOP says who runs GLib's loop of events meanwhile, as Wireshark does:
 *
 *	nobody	the item has to
 *	us	until the window has another text; that of the moment when the item returned is in STORY_SAID.returned
 *	close	then the window is closed
 *	file	then the file is
 *	many	the item is called as often as there may be stories, and once more
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

static char title_of[64];
static unsigned int n_texts;
static text_win_close_cb_t close_cb;
static void *close_data;

/* The file STORY_SAID@more has the title and @text. */
static void say(const char *more, const char *text)
{
	char *path = g_strconcat(setting("STORY_SAID"), more, NULL);
	FILE *out = fopen(path, "w");

	if (!out)
		abort();
	fprintf(out, "%s\n%s", title_of, text);
	fclose(out);
	g_free(path);
}

static funnel_text_window_t *new_text_window(funnel_ops_id_t *id, const char *title)
{
	static char window;

	(void)id;
	g_strlcpy(title_of, title, sizeof(title_of));
	return (funnel_text_window_t *)&window;
}

static char *last_text;

static void set_text(funnel_text_window_t *window, const char *text)
{
	(void)window;
	g_free(last_text);
	last_text = g_strdup(text);
	n_texts++;
	say("", text);
}

static void set_close_cb(funnel_text_window_t *window, text_win_close_cb_t cb, void *data)
{
	(void)window;
	close_cb = cb;
	close_data = data;
}

const funnel_ops_t *funnel_get_funnel_ops(void)
{
	static funnel_ops_t ops;

	ops.new_text_window = new_text_window;
	ops.set_text = set_text;
	ops.set_close_cb = set_close_cb;
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

#define MANY 5u
#define LONGEST_S 60

static gboolean too_long(void *data)
{
	(void)data;
	abort();
}

static gboolean enough(void *data)
{
	*(bool *)data = true;
	return G_SOURCE_REMOVE;
}

/* For a while, in which nothing may change. */
static void run_loop_for(unsigned int ms)
{
	bool over = false;

	g_timeout_add(ms, enough, &over);
	while (!over)
		g_main_context_iteration(NULL, TRUE);
}

static void run_loop_until_told(void)
{
	unsigned int n = n_texts, source = g_timeout_add_seconds(LONGEST_S, too_long, NULL);

	while (n_texts == n)
		g_main_context_iteration(NULL, TRUE);
	g_source_remove(source);
}

static void call_item(void)
{
	const char *loop = setting("STORY_LOOP");
	unsigned int i;

	if (!strcmp(loop, "nobody")) {
		item(item_data);
		return;
	}
	if (!g_main_context_acquire(NULL))
		abort();
	for (i = 0; i < (strcmp(loop, "many") ? 1u : MANY); i++)
		item(item_data);
	say(".returned", last_text);
	if (!strcmp(loop, "us") && close_cb)
		run_loop_until_told();
	if (!strcmp(loop, "close")) {
		run_loop_for(200);
		close_cb(close_data);
		run_loop_for(200);
	}
	g_main_context_release(NULL);
}

/* Where the plugin hands a packet to its tables, which it is known by. */
void tap_queue_packet(int tap, packet_info *pinfo, const void *data)
{
	void (*real)(int, packet_info *, const void *);

	*(void **)&real = dlsym(RTLD_NEXT, "tap_queue_packet");
	real(tap, pinfo, data);
	if (item && pinfo->fd->visited == (number("STORY_VISITED") != 0) &&
	    (!selected() || pinfo->num == selected())) {
		call_item();
		item = NULL;
	}
}
