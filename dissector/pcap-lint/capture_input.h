/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture_input.h - the bytes of a capture file, decompressed, in order.
 *
 * Either viewed through a window (pl_input_need(), pl_input_advance()), or copied
 * out (pl_input_read()). A failure is remembered and reported once the bytes before it
 * have been handed out.
 */
#ifndef PL_CAPTURE_INPUT_H
#define PL_CAPTURE_INPUT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <glib.h>

/* Bytes that can be seen at once: the most pl_input_need() may be asked for. */
#define PL_INPUT_WINDOW ((size_t)1 << 20)

/* What a decoder's step came to. */
enum pl_decoded {
	PL_DECODED_MORE,     /* within a compressed frame */
	PL_DECODED_BOUNDARY, /* between two frames: the input may end here */
	PL_DECODED_ERROR,
};

struct pl_span {
	const uint8_t *p;
	size_t left;
};

struct pl_room {
	uint8_t *p;
	size_t left;
};

/* One compression format. */
struct pl_decoder {
	const char *name;
	bool (*matches)(const uint8_t *head, size_t n);
	void *(*open)(void); /* NULL: out of memory */
	/* Takes from @in, puts into @out, and moves both on. @why: the reason of an error. */
	enum pl_decoded (*step)(void *state, struct pl_span *in, struct pl_room *out,
				const char **why);
	void (*close)(void *state);
};

/* The decoder for a file that starts with these bytes; NULL: not compressed. */
const struct pl_decoder *pl_decoder_find(const uint8_t *head, size_t n);

enum pl_input_failure {
	PL_INPUT_FINE,
	PL_INPUT_CUT,     /* the compressed data ends within a frame */
	PL_INPUT_DAMAGED, /* the decoder refuses it */
	PL_INPUT_UNREADABLE,
};

struct pl_input {
	char *name;
	int fd;       /* -1: stream */
	FILE *stream; /* the caller's */
	bool owns_fd;
	bool raw_end;
	uint8_t *raw;        /* as stored in the file */
	struct pl_span rest; /* of raw */
	uint64_t position;   /* bytes as stored, taken in */
	uint64_t size;       /* bytes as stored; 0: not known */

	const struct pl_decoder *decoder; /* NULL: plain */
	void *decoder_state;
	bool boundary;

	uint8_t *window;
	size_t start, end; /* of what is in the window and not yet used */

	enum pl_input_failure failure;
	char why[160];
};

struct pl_input *pl_input_open(const char *path, GError **err);
struct pl_input *pl_input_open_stream(FILE *stream, const char *name, GError **err);
void pl_input_close(struct pl_input *in);

/* Reads until the window has @n bytes not yet used up; how many it has then. */
size_t pl_input_fill(struct pl_input *in, size_t n);

/* The next @n bytes, not yet used up; valid until the next call but pl_input_advance(). NULL:
 * there are fewer, namely in->end - in->start. */
static inline const uint8_t *pl_input_need(struct pl_input *in, size_t n)
{
	if (in->end - in->start < n && pl_input_fill(in, n) < n)
		return NULL;
	return in->window + in->start;
}

/* Uses up @n bytes that pl_input_need() has shown. */
static inline void pl_input_advance(struct pl_input *in, size_t n)
{
	in->start += n;
}

/* Passes over @n bytes; how many there were. */
uint64_t pl_input_skip(struct pl_input *in, uint64_t n);

/*
 * A stream of the whole file, where that is an ordinary one, stored as it is; NULL: it is not.
 * The stream is to be closed; nothing else is to be read from the input any more.
 */
FILE *pl_input_plain(struct pl_input *in);

/* Records a failure that whoever reads such a stream has met. */
void pl_input_unreadable(struct pl_input *in, int error);

/* Up to @n bytes, copied out; 0: the end; -1: a failure (in->failure, in->why). */
ssize_t pl_input_read(struct pl_input *in, void *to, size_t n);

#endif /* PL_CAPTURE_INPUT_H */
