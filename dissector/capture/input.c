/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input.c - files, pipes and streams, plain or compressed, as one run of bytes. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input.h"

/* Up to here nothing is too well compressed to be true. */
#define RATIO_FROM ((uint64_t)1 << 30)

#define RAW_SIZE ((size_t)32 << 10)
#define MAGIC_SIZE 6 /* the longest that capture_decoder_find() looks at */

static void fail(struct capture_input *in, enum capture_input_failure failure, const char *format,
		 ...) G_GNUC_PRINTF(3, 4);

static void fail(struct capture_input *in, enum capture_input_failure failure, const char *format,
		 ...)
{
	va_list ap;

	va_start(ap, format);
	in->failure = failure;
	g_vsnprintf(in->why, sizeof(in->why), format, ap);
	va_end(ap);
}

/* Whether the caller wants to wait for more. */
static bool goes_on(struct capture_input *in)
{
	if (in->fd < 0 || !in->options.wait || in->options.wait(in->options.user, in->fd))
		return true;
	fail(in, CAPTURE_INPUT_STOPPED, "interrupted");
	in->raw_end = true;
	return false;
}

/* Up to @n bytes as stored; 0 at the end and after a failure. */
static size_t read_raw(struct capture_input *in, uint8_t *to, size_t n)
{
	ssize_t got;

	if (in->raw_end || !goes_on(in))
		return 0;
	if (in->fd >= 0) {
		do {
			got = read(in->fd, to, n);
		} while (got < 0 && errno == EINTR);
	} else {
		errno = 0;
		got = (ssize_t)fread(to, 1, n, in->stream);
		if (got == 0 && ferror(in->stream))
			got = -1;
	}
	if (got <= 0)
		in->raw_end = true;
	if (got < 0) {
		fail(in, CAPTURE_INPUT_UNREADABLE, "%s", g_strerror(errno ? errno : EIO));
		return 0;
	}
	in->position += (uint64_t)got;
	return (size_t)got;
}

static void refill_raw(struct capture_input *in)
{
	in->rest.p = in->raw;
	in->rest.left = read_raw(in, in->raw, RAW_SIZE);
}

/* The first bytes of the file, as many as there are up to MAGIC_SIZE; a pipe may give them
 * one by one. */
static void peek_raw(struct capture_input *in)
{
	size_t got, n = 0;

	do {
		got = read_raw(in, in->raw + n, RAW_SIZE - n);
		n += got;
	} while (got && n < MAGIC_SIZE);
	in->rest.p = in->raw;
	in->rest.left = n;
}

static size_t copy_plain(struct capture_input *in, uint8_t *to, size_t n)
{
	size_t rest = MIN(in->rest.left, n);

	if (!rest)
		return read_raw(in, to, n);
	memcpy(to, in->rest.p, rest);
	in->rest.p += rest;
	in->rest.left -= rest;
	return rest;
}

/* A small file must not keep us busy for hours. */
static void check_size(struct capture_input *in, size_t more)
{
	const struct capture_options *limit = &in->options;
	const uint64_t stored = in->position - in->rest.left;

	in->decoded += more;
	if (limit->max_size && in->decoded > limit->max_size)
		fail(in, CAPTURE_INPUT_LIMIT,
		     "the %s data is more than %" PRIu64 " bytes decompressed (--max-size)",
		     in->decoder->name, limit->max_size);
	else if (limit->max_ratio && in->decoded > RATIO_FROM &&
		 in->decoded / limit->max_ratio > stored)
		fail(in, CAPTURE_INPUT_LIMIT,
		     "the %s data is %u times as much decompressed (--max-size sets a limit instead)",
		     in->decoder->name, limit->max_ratio);
}

static size_t decode(struct capture_input *in, uint8_t *to, size_t n)
{
	const char *name = in->decoder->name, *why = NULL;
	struct capture_room room = { to, n };

	while (!in->failure) {
		size_t before;
		enum capture_decoded result;

		if (!in->rest.left)
			refill_raw(in);
		if (in->failure || (!in->rest.left && in->boundary))
			break;
		before = in->rest.left;
		result = in->decoder->step(in->decoder_state, &in->rest, &room, &why);
		in->boundary = result == CAPTURE_DECODED_BOUNDARY;
		if (result == CAPTURE_DECODED_ERROR)
			fail(in, CAPTURE_INPUT_DAMAGED,
			     "the %s data is damaged before byte %" PRIu64 ": %s", name,
			     in->position - in->rest.left, why);
		else if (room.left < n)
			break;
		else if (in->raw_end && !in->rest.left && !in->boundary)
			fail(in, CAPTURE_INPUT_CUT,
			     "the %s data is cut: the file ends at byte %" PRIu64, name,
			     in->position);
		else if (before && in->rest.left == before && !in->boundary)
			fail(in, CAPTURE_INPUT_DAMAGED,
			     "the %s decoder makes no progress at byte %" PRIu64, name,
			     in->position - in->rest.left);
	}
	if (!in->failure)
		check_size(in, n - room.left);
	return n - room.left;
}

/* At least one byte of the uncompressed file, or 0: the end, or a failure. */
static size_t read_source(struct capture_input *in, uint8_t *to, size_t n)
{
	if (in->failure)
		return 0;
	return in->decoder ? decode(in, to, n) : copy_plain(in, to, n);
}

/* What is not yet used goes to the beginning of a window: of the same one, unless the caller still needs what was in it. */
static void rewind_window(struct capture_input *in)
{
	uint8_t *to = in->next_window ? in->next_window(in->windows_user) : in->window;

	in->end -= in->start;
	memmove(to, in->window + in->start, in->end);
	in->start = 0;
	in->window = to;
}

size_t capture_input_fill(struct capture_input *in, size_t n)
{
	size_t got;

	g_assert(n <= CAPTURE_INPUT_WINDOW);
	rewind_window(in);
	while (in->end < n) {
		got = read_source(in, in->window + in->end, CAPTURE_INPUT_WINDOW - in->end);
		if (!got)
			break;
		in->end += got;
	}
	return in->end;
}

uint64_t capture_input_skip(struct capture_input *in, uint64_t n)
{
	uint64_t left = n;

	for (;;) {
		size_t here = (size_t)MIN(left, (uint64_t)capture_input_left(in));

		in->start += here;
		left -= here;
		if (!left || !capture_input_fill(in, 1))
			return n - left;
	}
}

static struct capture_input *input_new(const char *name)
{
	struct capture_input *in = g_new0(struct capture_input, 1);

	in->name = g_strdup(name);
	in->fd = -1;
	in->raw = g_malloc(RAW_SIZE);
	in->own = g_malloc(CAPTURE_INPUT_WINDOW);
	in->window = in->own;
	return in;
}

/* Looks at how the file begins. @in is closed if it cannot be read. */
static struct capture_input *start(struct capture_input *in, GError **err)
{
	peek_raw(in);
	if (!in->failure) {
		in->decoder = capture_decoder_find(in->rest.p, in->rest.left);
		if (in->decoder)
			in->decoder_state = in->decoder->open();
		if (in->decoder && !in->decoder_state)
			fail(in, CAPTURE_INPUT_UNREADABLE, "no memory to decode %s",
			     in->decoder->name);
	}
	if (in->failure == CAPTURE_INPUT_STOPPED) {
		g_set_error(err, CAPTURE_ERROR, CAPTURE_ERROR_STOPPED, "%s: %s", in->name, in->why);
		capture_input_close(in);
		return NULL;
	}
	if (in->failure) {
		g_set_error(err, CAPTURE_ERROR, CAPTURE_ERROR_OPEN, "%s: cannot read: %s", in->name,
			    in->why);
		capture_input_close(in);
		return NULL;
	}
	return in;
}

/* Without waiting for whoever writes into a FIFO: that is done where the caller may end it. */
static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0)
		fcntl(fd, F_SETFL, O_RDONLY);
	return fd;
}

struct capture_input *capture_input_open(const char *path, const struct capture_options *options,
					 GError **err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open_file(path);
	struct capture_input *in;
	struct stat st;

	if (fd < 0) {
		g_set_error(err, CAPTURE_ERROR, CAPTURE_ERROR_OPEN, "%s: cannot open: %s", path,
			    g_strerror(errno));
		return NULL;
	}
	in = input_new(is_stdin ? "standard input" : path);
	in->fd = fd;
	if (options)
		in->options = *options;
	in->owns_fd = !is_stdin;
	if (fstat(fd, &st) == 0) {
		if (S_ISDIR(st.st_mode)) {
			g_set_error(err, CAPTURE_ERROR, CAPTURE_ERROR_OPEN,
				    "%s: is a directory, not a capture file", in->name);
			capture_input_close(in);
			return NULL;
		}
		if (S_ISREG(st.st_mode)) {
			in->size = (uint64_t)st.st_size;
			posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
		} else {
			in->live = true;
		}
	}
	return start(in, err);
}

struct capture_input *capture_input_open_stream(FILE *stream, const char *name, GError **err)
{
	struct capture_input *in = input_new(name);

	in->stream = stream;
	return start(in, err);
}

void capture_input_close(struct capture_input *in)
{
	if (!in)
		return;
	if (in->decoder_state)
		in->decoder->close(in->decoder_state);
	if (in->owns_fd)
		close(in->fd);
	g_free(in->own);
	g_free(in->raw);
	g_free(in->name);
	g_free(in);
}
