/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input.h - the bytes of a capture file, decompressed, in order.
 *
 * They are viewed through a window: capture_input_need(), capture_input_advance(). A failure is
 * remembered and reported once the bytes before it have been handed out.
 */
#ifndef CAPTURE_INPUT_H
#define CAPTURE_INPUT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <glib.h>

#include "capture.h"

/* Bytes that can be seen at once: the most capture_input_need() may be asked for. */
#define CAPTURE_INPUT_WINDOW CAPTURE_WINDOW

/* What a decoder's step came to. */
enum capture_decoded {
	CAPTURE_DECODED_MORE,     /* within a compressed frame */
	CAPTURE_DECODED_BOUNDARY, /* between two frames: the input may end here */
	CAPTURE_DECODED_ERROR,
};

struct capture_span {
	const uint8_t *p;
	size_t left;
};

struct capture_room {
	uint8_t *p;
	size_t left;
};

/* One compression format. */
struct capture_decoder {
	const char *name;
	bool (*matches)(const uint8_t *head, size_t n);
	void *(*open)(void); /* NULL: out of memory */
	/* Takes from @in, puts into @out, and moves both on. @why: the reason of an error. */
	enum capture_decoded (*step)(void *state, struct capture_span *in, struct capture_room *out,
				     const char **why);
	void (*close)(void *state);
};

/* The decoder for a file that starts with these bytes; NULL: not compressed. */
const struct capture_decoder *capture_decoder_find(const uint8_t *head, size_t n);

enum capture_input_failure {
	CAPTURE_INPUT_FINE,
	CAPTURE_INPUT_CUT,     /* the compressed data ends within a frame */
	CAPTURE_INPUT_DAMAGED, /* the decoder refuses it */
	CAPTURE_INPUT_UNREADABLE,
	CAPTURE_INPUT_LIMIT,   /* more than the options allow */
	CAPTURE_INPUT_STOPPED, /* by the caller: no failure of its own */
};

struct capture_input {
	char *name;
	int fd;       /* -1: stream */
	FILE *stream; /* the caller's */
	bool owns_fd;
	struct capture_options options;
	bool raw_end;
	uint8_t *raw;             /* as stored in the file */
	struct capture_span rest; /* of raw */
	uint64_t position;        /* bytes as stored, taken in */
	uint64_t size;            /* bytes as stored; 0: not known */
	bool live;                /* they come as they are made: no regular file */

	const struct capture_decoder *decoder; /* NULL: plain */
	void *decoder_state;
	bool boundary;
	uint64_t decoded; /* bytes */

	uint8_t *window;
	size_t start, end; /* of what is in the window and not yet used */
	uint8_t *own;      /* the first window; the others are the caller's: capture_windows() */
	uint8_t *(*next_window)(void *user);
	void *windows_user;

	enum capture_input_failure failure;
	char why[160];
};

struct capture_input *capture_input_open(const char *path, const struct capture_options *options,
					 GError **err);
struct capture_input *capture_input_open_stream(FILE *stream, const char *name, GError **err);
void capture_input_close(struct capture_input *in);

/* Reads until the window has @n bytes not yet used up; how many it has then. */
size_t capture_input_fill(struct capture_input *in, size_t n);

/* How many bytes the window has that are not yet used up. */
static inline size_t capture_input_left(const struct capture_input *in)
{
	return in->end - in->start;
}

/* The next @n bytes, not yet used up; valid until the next call but capture_input_advance(). NULL:
 * there are fewer, namely capture_input_left(). */
static inline const uint8_t *capture_input_need(struct capture_input *in, size_t n)
{
	if (capture_input_left(in) < n && capture_input_fill(in, n) < n)
		return NULL;
	return in->window + in->start;
}

/* Uses up @n bytes that capture_input_need() has shown. */
static inline void capture_input_advance(struct capture_input *in, size_t n)
{
	in->start += n;
}

/* Passes over @n bytes; how many there were. */
uint64_t capture_input_skip(struct capture_input *in, uint64_t n);

#endif /* CAPTURE_INPUT_H */
