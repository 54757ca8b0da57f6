/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c - pcap-lint: options, then one capture after the other. */
#include <string.h>
#include <unistd.h>

#include "pcap-lint/base/file.h"
#include "pcap-lint/base/interrupt.h"
#include "pcap-lint/base/mode.h"
#include "pcap-lint/base/plain.h"
#include "pcap-lint/report/report.h"
#include "sandbox.h"
#include "pcap-lint/report/sink.h"

static const struct mode {
	const char *option;
	enum { NONE, ONE, MANY } captures;
	pl_mode_do *run;
} modes[] = {
#define PL_MODE(mode, setter, option, captures, function)                                          \
	[PL_MODE_##mode] = { option, captures, function },
#include "pcap-lint/options/modes.def"
};

static const char *const formats[] = {
#define PL_SINK(name) #name,
#include "pcap-lint/options/sinks.def"
};

static bool usage(GError **err, const char *format, ...) G_GNUC_PRINTF(2, 3);

static bool usage(GError **err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	*err = g_error_new_valist(PL_OPTIONS_ERROR, 0, format, args);
	va_end(args);
	return false;
}

static bool is_config(const char *output, const char *config)
{
	return config && pl_file_is_input(output, config);
}

/* No output may destroy what is to be read. */
static bool output_fits(const char *output, const char *config, char *const *files, GError **err)
{
	char *nearby;
	bool clash;

	if (is_config(output, config))
		return usage(err, "the output file %s is the config file", output);
	for (; *files; files++) {
		if (pl_file_is_input(output, *files))
			return usage(err, "the output file %s is one of the captures", output);
		nearby = pl_config_path(*files);
		clash = is_config(output, nearby);
		g_free(nearby);
		if (clash)
			return usage(err, "the output file %s is the config file of %s", output,
				     *files);
	}
	return true;
}

/* The report is one output, packets may be another. */
static bool outputs_fit(const struct pl_options *options, const char *config, char *const *files,
			GError **err)
{
	const char *packets = pl_packets_file(options);
	const char *report = options->output ? options->output : "-";
	bool is_report_aside = !options->output && packets && pl_file_is_stdout(packets);

	if (packets && !output_fits(packets, config, files, err))
		return false;
	if (!is_report_aside && !output_fits(report, config, files, err))
		return false;
	return !packets || is_report_aside ||
	       !(pl_file_same(packets, report) ||
		 (pl_file_is_stdout(packets) && pl_file_is_stdout(report))) ||
	       usage(err, "two outputs onto one file: %s and %s", packets, report);
}

static bool files_fit(const struct pl_options *options, const char *config, char *const *files,
		      GError **err)
{
	const struct mode *mode = &modes[options->mode];
	unsigned int i, inputs = 0;

	if (options->messages && options->mode != PL_MODE_DECODE)
		return usage(err, "--messages is for --decode");
	if (options->thresholds.value[TRACK_THRESHOLD_missed_sweeps] >
	    options->thresholds.value[TRACK_THRESHOLD_sweeps])
		return usage(err,
			     "--threshold missed-sweeps (%" G_GUINT64_FORMAT
			     ") is more than sweeps (%" G_GUINT64_FORMAT ")",
			     (guint64)options->thresholds.value[TRACK_THRESHOLD_missed_sweeps],
			     (guint64)options->thresholds.value[TRACK_THRESHOLD_sweeps]);
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
	if (options->count_rules && options->format != PL_FORMAT_text)
		return usage(err, "--count-rules is text; summaries of JSON have the counts");
	if (options->mode != PL_MODE_LINT && options->format != PL_FORMAT_text &&
	    options->format != PL_FORMAT_json)
		return usage(err, "--format %s is for checking, not for --%s",
			     formats[options->format], mode->option);
	if (options->write && options->mode != PL_MODE_LINT)
		return usage(err, "-w is for checking, not for --%s", mode->option);
	if (options->write && (files[1] || options->join))
		return usage(err,
			     "-w takes one capture: the frames of several have one number twice");
	if (!options->write && (options->write_all || options->context))
		return usage(err, "--%s is for -w", options->write_all ? "all" : "context");
	if (options->mode == PL_MODE_CONVERT && !options->convert)
		return usage(err, "no file to write: --convert FORMAT -o FILE");
	return outputs_fit(options, config, files, err);
}

/* What config files that were found change, each once. */
static void tell_config(struct pl_output *output, struct pl_command_line *line)
{
	unsigned int i;

	for (i = 0; i < line->notes->len; i++) {
		char *note = g_ptr_array_index(line->notes, i);

		if (g_hash_table_add(line->told, g_strdup(note)))
			pl_error(output, "%s", note);
	}
	g_ptr_array_set_size(line->notes, 0);
}

/* Each capture with the options its own config file makes; the worst exit status counts. */
static enum pl_exit run_all(struct pl_output *output, struct pl_command_line *line)
{
	enum pl_exit status, worst = PL_EXIT_CLEAN;
	struct pl_options options;
	GError *err = NULL;
	char **file;

	for (file = line->files; *file && !pl_interrupted(); file++) {
		if (pl_options_for(&options, line, *file, &err)) {
			tell_config(output, line);
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

static enum pl_exit joined(struct pl_output *output, const struct pl_options *options,
			   struct pl_command_line *line)
{
	tell_config(output, line);
	return pl_check_joined(output, options, (const char *const *)line->files);
}

static enum pl_exit run(struct pl_command_line *line, const struct pl_options *options)
{
	struct pl_totals all = { .packets = 0 };
	struct pl_output output;
	enum pl_exit status;
	GError *err = NULL;

	if (!pl_output_open(&output, options, &err)) {
		pl_say("%s", err->message);
		g_error_free(err);
		return PL_EXIT_ERROR;
	}
	output.all = &all;
	if (options->mode == PL_MODE_LINT)
		pl_report_begin(&output, pl_sink_of(options->format));
	if (modes[options->mode].captures == NONE)
		status = modes[options->mode].run(&output, options, NULL);
	else if (options->join)
		status = joined(&output, options, line);
	else
		status = run_all(&output, line);
	if (options->mode == PL_MODE_LINT)
		pl_report_total(&output, options, pl_sink_of(options->format), &all,
				options->join ? 1 : g_strv_length(line->files));
	if (!pl_output_close(&output, status != PL_EXIT_ERROR, &err)) {
		pl_say("%s", err->message);
		g_error_free(err);
		status = PL_EXIT_ERROR;
	}
	return status;
}

/* A config file of a capture that is not the first may have a filter: it is read later. */
static void enter_sandbox(const struct pl_command_line *line, const struct pl_options *options)
{
	struct pl_sandbox sandbox;
	char *const *file;
	char *config;

	pl_sandbox_open(&sandbox);
	sandbox.names = options->filter != NULL;
	pl_sandbox_reads(&sandbox, options->config);
	for (file = line->files; *file; file++) {
		pl_sandbox_reads(&sandbox, *file);
		config = pl_config_path(*file);
		sandbox.names |= file != line->files && access(config, F_OK) == 0;
		pl_sandbox_reads(&sandbox, config);
		g_free(config);
	}
	config = pl_config_path(NULL);
	sandbox.names |= line->files[0] && line->files[1] && access(config, F_OK) == 0;
	pl_sandbox_reads(&sandbox, config);
	g_free(config);
	pl_sandbox_writes(&sandbox, options->output);
	pl_sandbox_writes(&sandbox, options->repair);
	pl_sandbox_writes(&sandbox, options->convert);
	pl_sandbox_writes(&sandbox, options->write);
	pl_sandbox_enter(&sandbox);
}

int main(int argc, char **argv)
{
	enum pl_exit status = PL_EXIT_ERROR;
	struct pl_command_line line;
	struct pl_options options;
	GError *err = NULL;

	(void)argc; /* argv ends with NULL */
	pl_file_occupy_standard();
	if (pl_command_line_parse(&line, argv, &err) &&
	    pl_options_for(&options, &line, line.files[0], &err) &&
	    files_fit(&options, line.config_path, line.files, &err)) {
		enter_sandbox(&line, &options);
		pl_interrupt_catch();
		status = run(&line, &options);
	} else {
		pl_say("%s (see pcap-lint --help)", err->message);
		g_error_free(err);
	}
	pl_command_line_free(&line);
	if (pl_interrupted())
		pl_interrupt_end();
	return (int)status;
}
