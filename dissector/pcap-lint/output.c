/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.c - where the report goes, through one large buffer; messages and progress beside it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output.h"

#define BUFFER_BYTES (4 * PL_PIECE_MAX)

static bool want_color(const struct pl_options *options, int fd)
{
	const char *term = g_getenv("TERM"), *no_color = g_getenv("NO_COLOR");

	if (options->format != PL_FORMAT_text || options->color == PL_NEVER)
		return false;
	return options->color == PL_ALWAYS ||
	       (isatty(fd) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0);
}

bool pl_output_open(struct pl_output *output, const struct pl_options *options, GError **err)
{
	memset(output, 0, sizeof(*output));
	output->fd = STDOUT_FILENO;
	output->name = "standard output";
	if (options->output) {
		output->name = options->output;
		output->fd = open(options->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (output->fd < 0) {
			g_set_error(err, G_FILE_ERROR, (int)g_file_error_from_errno(errno),
				    "%s: %s", options->output, g_strerror(errno));
			return false;
		}
	}
	output->buffer = g_malloc(BUFFER_BYTES);
	output->out = ibw_out_open(output->buffer, BUFFER_BYTES);
	output->terminal = isatty(output->fd);
	output->color = want_color(options, output->fd);
	output->progress = options->progress == PL_AUTO && !options->quiet && isatty(STDERR_FILENO);
	return true;
}

static void write_all(struct pl_output *output, const char *p, size_t n)
{
	ssize_t done;

	while (n && !output->error) {
		done = write(output->fd, p, n);
		if (done < 0 && errno != EINTR)
			output->error = errno;
		if (done > 0) {
			p += done;
			n -= (size_t)done;
		}
	}
}

void pl_output_flush(struct pl_output *output)
{
	if (output->terminal)
		pl_progress(output, "%s", "");
	if (output->out.cut && !output->error)
		output->error =
			EMSGSIZE; /* a piece above PL_PIECE_MAX: never pass it off as whole */
	write_all(output, output->buffer, (size_t)(output->out.p - output->buffer));
	output->out = ibw_out_open(output->buffer, BUFFER_BYTES);
}

void pl_output_room(struct pl_output *output)
{
	if (output->out.left < PL_PIECE_MAX)
		pl_output_flush(output);
}

void pl_output_line(struct pl_output *output)
{
	if (output->terminal)
		pl_output_flush(output);
}

bool pl_output_close(struct pl_output *output, GError **err)
{
	pl_progress(output, "%s", "");
	pl_output_flush(output);
	g_free(output->buffer);
	if (output->fd != STDOUT_FILENO && close(output->fd) && !output->error)
		output->error = errno;
	if (output->error)
		g_set_error(err, G_FILE_ERROR, (int)g_file_error_from_errno(output->error),
			    "%s: %s", output->name, g_strerror(output->error));
	return !output->error;
}

void pl_error(struct pl_output *output, const char *format, ...)
{
	va_list args;
	char *text, *p;

	pl_output_flush(output);
	pl_progress(output, "%s", "");
	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	for (p = text; *p; p++)
		if (g_ascii_iscntrl(*p))
			*p = '?';
	fprintf(stderr, "pcap-lint: %s\n", text);
	g_free(text);
}

void pl_progress(struct pl_output *output, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	/* To the line's start, the text, and away with what stood behind it. */
	if (*text || output->showing)
		fprintf(stderr, "\r%.79s\033[K", text);
	output->showing = *text != '\0';
	g_free(text);
}

void pl_out_name(struct ibw_out *o, const char *name)
{
	for (; *name; name++)
		if (g_ascii_iscntrl(*name))
			ibw_out_char(o, '?');
		else
			ibw_out_char(o, *name);
}

void pl_out_time(struct ibw_out *o, uint64_t time_ns)
{
	uint64_t digit = 100000000;

	ibw_out_dec(o, time_ns / 1000000000);
	ibw_out_char(o, '.');
	for (time_ns %= 1000000000; digit; digit /= 10)
		ibw_out_char(o, (char)('0' + time_ns / digit % 10));
}
