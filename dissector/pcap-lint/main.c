/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c - pcap-lint: options, then one capture after the other. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mode.h"

static const struct mode {
	const char *option;
	enum { NONE, ONE, MANY } captures;
	pl_mode_do *run;
} modes[] = {
#define PL_MODE(mode, setter, option, captures, function)                                          \
	[PL_MODE_##mode] = { option, captures, function },
#include "modes.def"
};

/* -o must not destroy what is to be read. Standard input may come from that file as well. */
static bool output_is_input(const char *output, char *const *files)
{
	struct stat out, in;

	if (!output || stat(output, &out) || !S_ISREG(out.st_mode))
		return false;
	for (; *files; files++)
		if ((strcmp(*files, "-") == 0 ? fstat(STDIN_FILENO, &in) : stat(*files, &in)) ==
			    0 &&
		    in.st_dev == out.st_dev && in.st_ino == out.st_ino)
			return true;
	return false;
}

static bool usage(GError **err, const char *format, ...) G_GNUC_PRINTF(2, 3);

static bool usage(GError **err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	*err = g_error_new_valist(PL_OPTIONS_ERROR, 0, format, args);
	va_end(args);
	return false;
}

static bool files_fit(const struct pl_options *options, char *const *files, GError **err)
{
	const struct mode *mode = &modes[options->mode];
	unsigned int i, inputs = 0;

	if (mode->captures == NONE)
		return !*files || usage(err, "this option takes no captures");
	if (!*files)
		return usage(err, "no capture given");
	for (i = 0; files[i]; i++)
		inputs += strcmp(files[i], "-") == 0;
	if (inputs > 1)
		return usage(err, "standard input (-) can be read only once");
	if (mode->captures == ONE && files[1])
		return usage(err, "--%s takes one capture", mode->option);
	if (options->join && options->mode != PL_MODE_LINT)
		return usage(err, "--join is for checking, not for --%s", mode->option);
	if (options->mode == PL_MODE_CONVERT && !options->convert)
		return usage(err, "no file to write: --convert FORMAT -o FILE");
	if (output_is_input(options->output, files) || output_is_input(options->repair, files) ||
	    output_is_input(options->convert, files))
		return usage(err, "the output file is one of the captures");
	return true;
}

/* Each capture with the options its own config file makes; the worst exit status counts. */
static enum pl_exit run_all(struct pl_output *output, struct pl_command_line *line)
{
	enum pl_exit status, worst = PL_EXIT_CLEAN;
	struct pl_options options;
	GError *err = NULL;
	char **file;

	for (file = line->files; *file; file++) {
		if (pl_options_for(&options, line, *file, &err)) {
			status = modes[options.mode].run(output, &options, *file);
		} else {
			pl_error(output, "%s", err->message);
			g_clear_error(&err);
			status = PL_EXIT_ERROR;
		}
		worst = MAX(worst, status);
	}
	return worst;
}

static enum pl_exit run(struct pl_command_line *line, const struct pl_options *options)
{
	struct pl_output output;
	enum pl_exit status;
	GError *err = NULL;

	if (!pl_output_open(&output, options, &err)) {
		fprintf(stderr, "pcap-lint: %s\n", err->message);
		g_error_free(err);
		return PL_EXIT_ERROR;
	}
	if (modes[options->mode].captures == NONE)
		status = modes[options->mode].run(&output, options, NULL);
	else if (options->join)
		status = pl_check_joined(&output, options, (const char *const *)line->files);
	else
		status = run_all(&output, line);
	if (!pl_output_close(&output, &err)) {
		fprintf(stderr, "pcap-lint: %s\n", err->message);
		g_error_free(err);
		status = PL_EXIT_ERROR;
	}
	return status;
}

int main(int argc, char **argv)
{
	enum pl_exit status = PL_EXIT_ERROR;
	struct pl_command_line line;
	struct pl_options options;
	GError *err = NULL;

	(void)argc; /* argv ends with NULL */
	if (pl_command_line_parse(&line, argv, &err) &&
	    pl_options_for(&options, &line, line.files[0], &err) &&
	    files_fit(&options, line.files, &err)) {
		status = run(&line, &options);
	} else {
		fprintf(stderr, "pcap-lint: %s (see pcap-lint --help)\n", err->message);
		g_error_free(err);
	}
	pl_command_line_free(&line);
	return (int)status;
}
