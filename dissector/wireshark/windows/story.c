/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * story.c - Tools > RDMA Story: what pcap-lint --story tells of the connection of the selected packet, in a window of text.
 *
 * pcap-lint is looked for in PATH and runs without a shell. Its arguments are fixed words, the ports of the preference
 * ibwire.roce_ports, whether copies are told from other packets, the number of the connection and the absolute path of the file: no text of the capture.
 *
 * It runs on its own: Wireshark's loop of events reads what it prints, and the window has the text when it has ended. It
 * is killed when its window is closed, when the file is closed or read again, and when it prints more than TEXT_MAX.
 */
#include "story.h"
#include "wireshark/marks/pass.h"
#include "wireshark/base/prefs.h"
#include "wireshark/marks/stream.h"
#include "wireshark/marks/twice.h"
#include "lint/lint.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <epan/funnel.h>
#include <epan/plugin_if.h>
#include <glib-unix.h>

#define PROGRAM "pcap-lint"
#define ARGS_MAX 10u
#define TEXT_MAX ((size_t)4 << 20) /* bytes of one story */
#define RUNS_MAX 4u                /* stories at a time */
#define PIECE_MAX 16384u           /* bytes read at a time: the window is served in between */

/* What is read of it. */
enum output { OUT, ERR, OUTPUTS };

/* One that runs. */
struct run {
	struct run *next;
	funnel_text_window_t *window;
	uint32_t stream;
	GPid pid; /* 0: it has ended, and nobody may kill this number */
	int fd[OUTPUTS];
	unsigned int source[OUTPUTS]; /* 0: it is at its end */
	GString *text[OUTPUTS];
	bool cut; /* it printed more than TEXT_MAX */
};

static struct run *runs;
static unsigned int n_runs;

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

static void set_text(const struct run *run, const char *text)
{
	funnel_get_funnel_ops()->set_text(run->window, text);
}

/* From here on nobody calls back for @run. */
static void stop(struct run *run)
{
	struct run **at = &runs;
	unsigned int i;

	if (run->pid)
		kill(run->pid, SIGKILL);
	for (i = 0; i < OUTPUTS; i++) {
		if (run->source[i])
			g_source_remove(run->source[i]);
		close(run->fd[i]);
		g_string_free(run->text[i], TRUE);
	}
	while (*at != run)
		at = &(*at)->next;
	*at = run->next;
	n_runs--;
	g_free(run);
}

/* The window is gone with what is called for it. */
static void window_closed(void *data)
{
	stop(data);
}

/* What the window may show: valid UTF-8, and no control characters but those that end lines and cells. */
static char *shown(const GString *text)
{
	char *valid = g_utf8_make_valid(text->str, (gssize)text->len), *p;

	for (p = valid; *p; p++)
		if (g_ascii_iscntrl(*p) && *p != '\n' && *p != '\t')
			*p = '?';
	return valid;
}

/* What it printed; where that is nothing, what it complains of. */
static void tell(struct run *run)
{
	const GString *out = run->text[OUT];
	char *text = shown(out->len ? out : run->text[ERR]);
	GString *all = g_string_new(NULL);

	if (!out->len)
		g_string_printf(all, "%s --story %u tells nothing:\n", PROGRAM,
				(unsigned int)run->stream);
	g_string_append(all, text);
	if (run->cut)
		g_string_append(all, "\n(more than 4 MiB: the rest is left out)\n");
	set_text(run, all->str);
	g_string_free(all, TRUE);
	g_free(text);
}

static bool is_at_end(const struct run *run)
{
	return !run->pid && !run->source[OUT] && !run->source[ERR];
}

static void end_if_done(struct run *run)
{
	if (!is_at_end(run))
		return;
	tell(run);
	funnel_get_funnel_ops()->set_close_cb(run->window, NULL, NULL);
	stop(run);
}

/* Whether there may be more. */
static bool take(struct run *run, enum output which)
{
	char piece[PIECE_MAX];
	ssize_t n = read(run->fd[which], piece, sizeof(piece));
	GString *text = run->text[which];

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if ((size_t)n > TEXT_MAX - text->len) {
		n = (ssize_t)(TEXT_MAX - text->len);
		run->cut = true;
	}
	g_string_append_len(text, piece, n);
	return n > 0 && !run->cut;
}

static gboolean readable(struct run *run, enum output which)
{
	if (take(run, which))
		return G_SOURCE_CONTINUE;
	run->source[which] = 0;
	if (run->cut && run->pid)
		kill(run->pid, SIGKILL);
	end_if_done(run);
	return G_SOURCE_REMOVE;
}

static gboolean out_readable(int fd, GIOCondition condition, void *data)
{
	(void)fd;
	(void)condition;
	return readable(data, OUT);
}

static gboolean err_readable(int fd, GIOCondition condition, void *data)
{
	(void)fd;
	(void)condition;
	return readable(data, ERR);
}

/* Of a run that was stopped, too: somebody has to wait for each process. */
static void ended(GPid pid, int status, void *data)
{
	struct run *run = runs;

	(void)status;
	(void)data;
	g_spawn_close_pid(pid);
	while (run && run->pid != pid)
		run = run->next;
	if (!run)
		return;
	run->pid = 0;
	end_if_done(run);
}

static void watch(struct run *run)
{
	static const GUnixFDSourceFunc readers[OUTPUTS] = { out_readable, err_readable };
	unsigned int i;

	for (i = 0; i < OUTPUTS; i++) {
		g_unix_set_fd_nonblocking(run->fd[i], TRUE, NULL);
		run->source[i] =
			g_unix_fd_add(run->fd[i], G_IO_IN | G_IO_HUP | G_IO_ERR, readers[i], run);
		run->text[i] = g_string_new(NULL);
	}
	g_child_watch_add(run->pid, ended, NULL);
	funnel_get_funnel_ops()->set_close_cb(run->window, window_closed, run);
}

/* NULL: it does not run, and the window says so. */
static struct run *start(funnel_text_window_t *window, char **argv, uint32_t stream)
{
	struct run *run = g_new0(struct run, 1);
	GError *error = NULL;
	char *text;

	run->window = window;
	run->stream = stream;
	if (!g_spawn_async_with_pipes(NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
				      &run->pid, NULL, &run->fd[OUT], &run->fd[ERR], &error)) {
		text = g_strdup_printf("%s does not run: %s\n", argv[0], error->message);
		set_text(run, text);
		g_free(text);
		g_error_free(error);
		g_free(run);
		return NULL;
	}
	watch(run);
	run->next = runs;
	runs = run;
	n_runs++;
	return run;
}

/* The story of @stream, once there is a loop of events that reads it. */
static struct run *run_program(funnel_text_window_t *window, const char *program, const char *file,
			       uint32_t stream)
{
	char *path = g_canonicalize_filename(file, NULL), *ports = ports_text();
	char *number = g_strdup_printf("%" G_GUINT32_FORMAT, stream);
	char *argv[ARGS_MAX] = { (char *)program };
	unsigned int n = 1;
	struct run *run;

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
	run = start(window, argv, stream);
	g_free(number);
	g_free(ports);
	g_free(path);
	return run;
}

/* Why there is no story; NULL: there may be one, of @stream. */
static char *refusal(const ws_info_t *info, uint32_t *stream)
{
	if (!info || !info->cf_filename || !info->cf_framenr)
		return g_strdup("No packet is selected.\n");
	if (g_file_test(info->cf_filename, G_FILE_TEST_EXISTS) &&
	    !g_file_test(info->cf_filename, G_FILE_TEST_IS_REGULAR))
		return g_strdup("The capture is not a file: " PROGRAM " would wait for it.\n");
	if (!iw_pass_is_finished())
		return g_strdup(
			"The capture is still being read: its connections have no numbers yet.\n");
	if (!iw_stream_number(info->cf_framenr, stream))
		return g_strdup_printf("Frame %u is not of a connection (RC, UC or XRC).\n",
				       (unsigned int)info->cf_framenr);
	if (n_runs >= RUNS_MAX)
		return g_strdup_printf("%u stories are being told: wait for one, or close its "
				       "window.\n",
				       RUNS_MAX);
	return NULL;
}

static bool is_running(const struct run *wanted)
{
	const struct run *run = runs;

	while (run && run != wanted)
		run = run->next;
	return run != NULL;
}

/*
 * The loop of events that calls us is GLib's, as Qt has it on Linux. Where it is another one, nobody would read what
 * the program prints: the window has to wait.
 */
static void wait_if_alone(const struct run *run)
{
	if (g_main_context_is_owner(g_main_context_default()))
		return;
	while (is_running(run))
		g_main_context_iteration(NULL, TRUE);
}

static void tell_of(funnel_text_window_t *window, const char *file, uint32_t stream)
{
	char *program = g_find_program_in_path(PROGRAM), *text;
	const funnel_ops_t *ops = funnel_get_funnel_ops();
	struct run *run = NULL;

	if (program) {
		text = g_strdup_printf("%s reads the capture. The story of stream %u will be "
				       "here; close this window to stop it.\n",
				       PROGRAM, (unsigned int)stream);
		ops->set_text(window, text);
		run = run_program(window, program, file, stream);
	} else {
		text = g_strdup_printf(
			"%s is not installed: it is in no directory of PATH. Of stream %u "
			"it would tell with:\n\n%s --story %u FILE\n",
			PROGRAM, (unsigned int)stream, PROGRAM, (unsigned int)stream);
		ops->set_text(window, text);
	}
	g_free(text);
	g_free(program);
	if (run)
		wait_if_alone(run);
}

static void show(void *data)
{
	const funnel_ops_t *ops = funnel_get_funnel_ops();
	funnel_text_window_t *window;
	ws_info_t *info = NULL;
	uint32_t stream = 0;
	char *why;

	(void)data;
	if (!ops || !ops->new_text_window || !ops->set_text || !ops->set_close_cb)
		return;
	plugin_if_get_ws_info(&info);
	why = refusal(info, &stream);
	window = ops->new_text_window(ops->ops_id, "RDMA Story");
	if (why)
		ops->set_text(window, why);
	else
		tell_of(window, info->cf_filename, stream);
	g_free(why);
}

void iw_story_cleanup(void)
{
	struct run *run = runs, *next;

	for (; run; run = next) {
		next = run->next;
		funnel_get_funnel_ops()->set_close_cb(run->window, NULL, NULL);
		set_text(run, "The file was closed, or read again, before the story was told.\n");
		stop(run);
	}
}

void iw_story_register(void)
{
	funnel_register_menu("RDMA Story", REGISTER_TOOLS_GROUP_UNSORTED, show, NULL, NULL, FALSE);
}
