/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.c - writes the report through one large buffer, and messages and progress to standard
 * error.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "interrupt.h"
#include "output.h"
#include "plain.h"
#include "wrap.h"

#define BUFFER_BYTES (4 * PL_PIECE_MAX)

/* Microseconds after which output is written that a reader may wait for. */
#define HELD_BACK_US 1000000

/* Milliseconds after which it is looked again at what can be said by now, though nothing came. */
#define IDLE_MS 500

/* Of a progress line: a terminal has 80 columns. */
#define PROGRESS_BYTES ((size_t)79)

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
	const char *packets = pl_packets_file(options);

	memset(output, 0, sizeof(*output));
	output->file.fd = -1;
	if (options->output && !pl_file_is_stdout(options->output)) {
		if (!pl_file_open(&output->file, options->output, err))
			return false;
		output->name = options->output;
		output->fd = output->file.fd;
	} else if (packets && pl_file_is_stdout(packets)) {
		output->name = "standard error";
		output->fd = STDERR_FILENO;
	} else {
		output->name = "standard output";
		output->fd = STDOUT_FILENO;
	}
	output->buffer = g_malloc(BUFFER_BYTES);
	output->out = ibw_out_open(output->buffer, BUFFER_BYTES);
	output->flushed_at = g_get_monotonic_time();
	output->terminal = isatty(output->fd);
	output->columns = pl_wrap_columns(output->fd);
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
	output->written |= output->out.p > output->buffer;
	write_all(output, output->buffer, (size_t)(output->out.p - output->buffer));
	output->out = ibw_out_open(output->buffer, BUFFER_BYTES);
	output->flushed_at = g_get_monotonic_time();
}

void pl_output_tick(struct pl_output *output)
{
	if (output->out.p > output->buffer &&
	    g_get_monotonic_time() - output->flushed_at >= HELD_BACK_US)
		pl_output_flush(output);
}

static bool has_input(int fd)
{
	struct pollfd input = { .fd = fd, .events = POLLIN };

	return poll(&input, 1, 0) != 0;
}

bool pl_output_wait(void *user, int fd)
{
	struct pl_output *output = user;

	pl_output_tick(output);
	while (!pl_interrupted() && !has_input(fd)) {
		if (output->idle)
			output->idle(output->idle_user);
		pl_output_flush(output);
		pl_interrupt_wait(fd, output->idle ? IDLE_MS : -1);
	}
	return !pl_interrupted() || pl_interrupt_rest(fd);
}

void pl_output_room(struct pl_output *output)
{
	if (output->out.left < PL_PIECE_MAX)
		pl_output_flush(output);
}

void pl_output_mem(struct pl_output *output, const char *text, size_t n)
{
	size_t at, piece;

	for (at = 0; at < n; at += piece) {
		piece = MIN(n - at, PL_PIECE_MAX);
		pl_output_room(output);
		ibw_out_mem(&output->out, text + at, piece);
	}
}

void pl_output_text(struct pl_output *output, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	pl_output_mem(output, text, strlen(text));
	g_free(text);
}

void pl_output_line(struct pl_output *output)
{
	if (output->terminal)
		pl_output_flush(output);
}

bool pl_output_close(struct pl_output *output, bool whole, GError **err)
{
	pl_progress(output, "%s", "");
	pl_output_flush(output);
	g_free(output->buffer);
	if (output->file.fd >= 0 && !output->error && (whole || output->written))
		return pl_file_close(&output->file, err);
	if (output->file.fd >= 0)
		pl_file_drop(&output->file);
	if (output->error)
		g_set_error(err, G_FILE_ERROR, (int)g_file_error_from_errno(output->error),
			    "%s: %s", output->name, g_strerror(output->error));
	return !output->error;
}

void pl_error(struct pl_output *output, const char *format, ...)
{
	va_list args;
	char *text;

	pl_output_flush(output);
	pl_progress(output, "%s", "");
	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	pl_say("%s", text);
	g_free(text);
}

/* How many of the first @most bytes are whole characters. */
static int whole_bytes(const char *text, size_t most)
{
	size_t n = 0, next = 0;
	bool plain;

	while (text[n] && next <= most) {
		n = next;
		next += text[n] ? pl_plain_char(text + n, &plain) : most;
	}
	return (int)n;
}

void pl_progress(struct pl_output *output, const char *format, ...)
{
	va_list args;
	char *shown;

	va_start(args, format);
	shown = pl_plain_format(format, args);
	va_end(args);
	/* To the line's start, the text, and away with what was after it. */
	if (*shown || output->showing)
		fprintf(stderr, "\r%.*s\033[K", whole_bytes(shown, PROGRESS_BYTES), shown);
	output->showing = *shown != '\0';
	g_free(shown);
}

void pl_out_name(struct ibw_out *o, const char *name)
{
	bool plain;
	size_t n;

	for (; *name; name += n) {
		n = pl_plain_char(name, &plain);
		ibw_out_mem(o, plain ? name : "?", plain ? n : 1);
	}
}

/* "copy", "query" have "copies", "queries"; "day" has "days". */
static bool has_ies(const char *what, size_t len)
{
	return len > 1 && what[len - 1] == 'y' && !strchr("aeiou", what[len - 2]);
}

void pl_out_counted_mem(struct ibw_out *o, uint64_t n, const char *what, size_t len)
{
	ibw_out_dec(o, n);
	ibw_out_char(o, ' ');
	if (n != 1 && has_ies(what, len)) {
		ibw_out_mem(o, what, len - 1);
		ibw_out_str(o, "ies");
		return;
	}
	ibw_out_mem(o, what, len);
	if (n != 1)
		ibw_out_str(o, len && strchr("sxh", what[len - 1]) ? "es" : "s");
}

void pl_out_counted(struct ibw_out *o, uint64_t n, const char *what)
{
	pl_out_counted_mem(o, n, what, strlen(what));
}

void pl_out_interrupted(struct ibw_out *o, uint64_t packets)
{
	ibw_out_str(o, "interrupted after ");
	pl_out_counted(o, packets, "packet");
}

void pl_say_interrupted(struct pl_output *output, const char *file, uint64_t packets)
{
	char text[64];
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	pl_out_interrupted(&o, packets);
	ibw_out_close(&o);
	pl_error(output, "%s: %s", file, text);
}

void pl_out_time(struct ibw_out *o, uint64_t time_ns)
{
	uint64_t digit = 100000000;

	ibw_out_dec(o, time_ns / 1000000000);
	ibw_out_char(o, '.');
	for (time_ns %= 1000000000; digit; digit /= 10)
		ibw_out_char(o, (char)('0' + time_ns / digit % 10));
}

void pl_out_utc(struct ibw_out *o, uint64_t time_ns)
{
	const time_t seconds = (time_t)(time_ns / 1000000000);
	char text[64];
	struct tm tm;
	size_t n;

	gmtime_r(&seconds, &tm);
	n = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	g_snprintf(text + n, sizeof(text) - n, ".%06uZ",
		   (unsigned int)(time_ns % 1000000000 / 1000));
	ibw_out_str(o, text);
}
