/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - writes the report through one large buffer, and messages and progress to standard
 * error.
 */
#ifndef PL_OUTPUT_H
#define PL_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include <ibwire/out.h>

#include "file.h"
#include "pcap-lint/options/options.h"

/* The longest piece written without a pl_output_room() before it. */
#define PL_PIECE_MAX ((size_t)65536)

struct pl_html_book;
struct pl_totals;

struct pl_output {
	struct ibw_out out; /* write here, within what pl_output_room() gave */
	char *buffer;
	const char *name;    /* for messages */
	struct pl_file file; /* of -o; its fd -1: there is none */
	int fd;
	int64_t flushed_at;       /* g_get_monotonic_time() */
	bool written;             /* anything */
	bool color;               /* severities in color */
	bool terminal;            /* someone is reading along */
	unsigned int columns;     /* of lines there: wrap.h; 0: they are not broken */
	bool progress;            /* a progress line may be shown on standard error */
	bool showing;             /* one is there now */
	void (*idle)(void *user); /* called while there is nothing to be read; NULL: nobody asks */
	void *idle_user;
	unsigned int captures;     /* whose report was begun */
	struct pl_html_book *book; /* what --format html holds; else NULL */
	struct pl_totals *all;     /* of all captures so far; NULL: nobody asks */
	int error; /* errno of the first write that failed; nothing is written after it */
};

/*
 * options->output, or standard output; standard error if that is for packets. False: *err says why it
 * cannot be written.
 */
bool pl_output_open(struct pl_output *output, const struct pl_options *options, GError **err);

/*
 * Writes what is left, and the file of -o is there; but if !@whole nothing was written into it, it stays
 * as it was. False: some of the output could not be written, which leaves it, too; *err says why.
 */
bool pl_output_close(struct pl_output *output, bool whole, GError **err);

/* Makes room for PL_PIECE_MAX characters. */
void pl_output_room(struct pl_output *output);

/* Text of any length. */
void pl_output_mem(struct pl_output *output, const char *text, size_t n);
void pl_output_text(struct pl_output *output, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A point at which a reader should see all that was written: after a line, on a terminal. */
void pl_output_line(struct pl_output *output);
void pl_output_flush(struct pl_output *output);

/* Now and then: what is a second old is written. */
void pl_output_tick(struct pl_output *output);

/* Before each read of an input (struct capture_options): nothing is held back while it waits. */
bool pl_output_wait(void *output, int fd);

/* "pcap-lint: ..." on standard error, in order with the output. */
void pl_error(struct pl_output *output, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Replaces the progress line; "" takes it away. */
void pl_progress(struct pl_output *output, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* A file name or another text of the user's in a line of its own, as plain.h has it. */
void pl_out_name(struct ibw_out *o, const char *name);

/* "1 packet", "12 packets", "2 copies": the only place that knows of plurals. @what has no NUL in the second. */
void pl_out_counted(struct ibw_out *o, uint64_t n, const char *what);
void pl_out_counted_mem(struct ibw_out *o, uint64_t n, const char *what, size_t len);

/* "interrupted after 4711 packets" */
void pl_out_interrupted(struct ibw_out *o, uint64_t packets);

/* The same on standard error, where no summary will say it. */
void pl_say_interrupted(struct pl_output *output, const char *file, uint64_t packets);

/* "1763715012.000123456" */
void pl_out_time(struct ibw_out *o, uint64_t time_ns);

/* "2025-11-20T10:11:12.123456Z" */
void pl_out_utc(struct ibw_out *o, uint64_t time_ns);

#endif /* PL_OUTPUT_H */
