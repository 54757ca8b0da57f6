/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * story.c - Tools > RDMA Story: what pcap-lint --story tells of the connection of the selected packet, in a window of text.
 *
 * pcap-lint is looked for in PATH and runs without a shell. Its arguments are fixed words, the ports of the preference
 * ibwire.roce_ports, whether copies are told from other packets, the number of the connection and the absolute path of the file: no text of the capture.
 */
#include "story.h"
#include "wireshark/marks/pass.h"
#include "wireshark/base/prefs.h"
#include "wireshark/marks/stream.h"
#include "wireshark/marks/twice.h"
#include "lint/lint.h"

#include <epan/funnel.h>
#include <epan/plugin_if.h>

#define PROGRAM "pcap-lint"
#define ARGS_MAX 10u

/* "4792,4793"; NULL: 4791 alone. */
static char *ports_text(void)
{
	const struct lint_options *lint = &iw_prefs.lint;
	GString *text = g_string_new(NULL);
	unsigned int i;

	for (i = 0; i < lint->n_roce_ports; i++)
		g_string_append_printf(text, "%s%u", i ? "," : "", lint->roce_ports[i]);
	return g_string_free(text, !lint->n_roce_ports);
}

/* What it prints; where that is nothing, what it complains of. */
static char *told(const char *program, const char *file, uint32_t stream)
{
	char *path = g_canonicalize_filename(file, NULL), *ports = ports_text();
	char *number = g_strdup_printf("%" G_GUINT32_FORMAT, stream);
	char *argv[ARGS_MAX] = { (char *)program };
	unsigned int n = 1;
	char *out = NULL, *err = NULL;
	GError *error = NULL;

	if (ports) {
		argv[n++] = "--roce-port";
		argv[n++] = ports;
	}
	if (!iw_twice()) { /* then copies are of connections, and those have other numbers */
		argv[n++] = "--ignore";
		argv[n++] = "CAP008";
	}
	argv[n++] = "--story";
	argv[n++] = number;
	argv[n] = path;
	if (!g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, &err, NULL,
			  &error)) {
		out = g_strdup_printf("%s does not run: %s\n", program, error->message);
		g_error_free(error);
	} else if (!*out) {
		g_free(out);
		out = g_strdup_printf("%s --story %s tells nothing:\n%s", PROGRAM, number, err);
	}
	g_free(err);
	g_free(number);
	g_free(ports);
	g_free(path);
	return out;
}

static char *story_of(const ws_info_t *window)
{
	char *program, *text;
	uint32_t stream;

	if (!window || !window->cf_filename || !window->cf_framenr)
		return g_strdup("No packet is selected.\n");
	if (g_file_test(window->cf_filename, G_FILE_TEST_EXISTS) &&
	    !g_file_test(window->cf_filename, G_FILE_TEST_IS_REGULAR))
		return g_strdup("The capture is not a file: " PROGRAM " would wait for it.\n");
	if (!iw_pass_is_finished())
		return g_strdup(
			"The capture is still being read: its connections have no numbers yet.\n");
	if (!iw_stream_number(window->cf_framenr, &stream))
		return g_strdup_printf("Frame %u is not of a connection (RC, UC or XRC).\n",
				       (unsigned int)window->cf_framenr);
	program = g_find_program_in_path(PROGRAM);
	if (!program)
		return g_strdup_printf(
			"%s is not installed: it is in no directory of PATH. Of stream %u "
			"it would tell with:\n\n%s --story %u FILE\n",
			PROGRAM, (unsigned int)stream, PROGRAM, (unsigned int)stream);
	text = told(program, window->cf_filename, stream);
	g_free(program);
	return text;
}

static void show(void *data)
{
	const funnel_ops_t *window = funnel_get_funnel_ops();
	ws_info_t *info = NULL;
	char *text;

	(void)data;
	if (!window || !window->new_text_window || !window->set_text)
		return;
	plugin_if_get_ws_info(&info);
	text = story_of(info);
	window->set_text(window->new_text_window(window->ops_id, "RDMA Story"), text);
	g_free(text);
}

void iw_story_register(void)
{
	funnel_register_menu("RDMA Story", REGISTER_TOOLS_GROUP_UNSORTED, show, NULL, NULL, FALSE);
}
