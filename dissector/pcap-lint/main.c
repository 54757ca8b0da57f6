/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c - pcap-lint: options, then one capture after the other. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pcap/pcap.h>

#include "convert.h"
#include "explain.h"
#include "options.h"
#include "output.h"
#include "repair.h"
#include "run.h"

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

static bool reads_captures(const struct pl_options *options)
{
	switch (options->mode) {
	case PL_LINT:
	case PL_DECODE:
	case PL_REPAIR:
	case PL_CONVERT:
		return true;
	default:
		return false;
	}
}

static bool usage(GError **err, const char *text)
{
	g_set_error_literal(err, PL_OPTIONS_ERROR, 0, text);
	return false;
}

static bool files_fit(const struct pl_options *options, char *const *files, GError **err)
{
	unsigned int i, inputs = 0;

	if (!reads_captures(options))
		return !*files || usage(err, "this option takes no captures");
	if (!*files)
		return usage(err, "no capture given");
	for (i = 0; files[i]; i++)
		inputs += strcmp(files[i], "-") == 0;
	if (inputs > 1)
		return usage(err, "standard input (-) can be read only once");
	if (options->mode == PL_REPAIR && files[1])
		return usage(err, "--repair takes one capture");
	if (options->mode == PL_CONVERT && files[1])
		return usage(err, "--convert takes one capture");
	if (output_is_input(options->output, files) || output_is_input(options->repair, files) ||
	    output_is_input(options->convert, files))
		return usage(err, "the output file is one of the captures");
	return true;
}

static enum pl_exit one_file(struct pl_output *output, const struct pl_options *options,
			     const char *file)
{
	switch (options->mode) {
	case PL_REPAIR:
		return pl_repair(output, options, file);
	case PL_CONVERT:
		return pl_convert(output, options, file);
	default:
		return pl_run(output, options, file);
	}
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
			status = one_file(output, &options, *file);
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
	enum pl_exit status = PL_EXIT_CLEAN;
	struct pl_output output;
	GError *err = NULL;
	char *help;

	if (!pl_output_open(&output, options, &err)) {
		fprintf(stderr, "pcap-lint: %s\n", err->message);
		g_error_free(err);
		return PL_EXIT_ERROR;
	}
	switch (options->mode) {
	case PL_LINT:
	case PL_DECODE:
	case PL_REPAIR:
	case PL_CONVERT:
		status = run_all(&output, line);
		break;
	case PL_EXPLAIN:
		pl_explain(&output, options);
		break;
	case PL_LIST_RULES:
		pl_list_rules(&output);
		break;
	case PL_HELP:
		help = pl_help();
		pl_output_room(&output);
		ibw_out_str(&output.out, help);
		g_free(help);
		break;
	case PL_VERSION_ONLY:
		ibw_out_str(&output.out, "pcap-lint " PL_VERSION ", ");
		ibw_out_str(&output.out, pcap_lib_version());
		ibw_out_char(&output.out, '\n');
		break;
	}
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
