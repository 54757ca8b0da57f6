/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frames.c - translates frame numbers of several files that are one capture. */
#include <stdbool.h>
#include <string.h>

#include "frames.h"
#include "output.h"

struct pl_frames_file {
	const char *name;
	uint64_t before; /* frames of the files before it */
};

void pl_frames_open(struct pl_frames *frames)
{
	frames->files = g_array_new(FALSE, FALSE, sizeof(struct pl_frames_file));
}

void pl_frames_close(struct pl_frames *frames)
{
	g_array_unref(frames->files);
}

void pl_frames_file(struct pl_frames *frames, const char *file, uint64_t before)
{
	const struct pl_frames_file f = { file, before };

	g_array_append_val(frames->files, f);
	frames->about = file;
	frames->about_index = frames->files->len - 1;
}

static const struct pl_frames_file *file_at(const struct pl_frames *frames, unsigned int i)
{
	return &g_array_index(frames->files, struct pl_frames_file, i);
}

unsigned int pl_frames_count(const struct pl_frames *frames)
{
	return frames->files->len;
}

const char *pl_frames_name(const struct pl_frames *frames, unsigned int i)
{
	return file_at(frames, i)->name;
}

void pl_frames_end(struct pl_frames *frames)
{
	frames->about = file_at(frames, 0)->name;
	frames->about_index = 0;
}

struct pl_place pl_frames_place(const struct pl_frames *frames, uint64_t number)
{
	unsigned int low = 0, high = frames->files->len, middle;

	if (!number)
		return (struct pl_place){ frames->about, 0, frames->about_index };
	while (high - low > 1) { /* the file is one of [low, high) */
		middle = low + (high - low) / 2;
		if (file_at(frames, middle)->before < number)
			low = middle;
		else
			high = middle;
	}
	return (struct pl_place){ file_at(frames, low)->name, number - file_at(frames, low)->before,
				  low };
}

void pl_out_frame(struct ibw_out *o, const struct pl_frames *frames, uint64_t number,
		  const char *file)
{
	struct pl_place place = pl_frames_place(frames, number);

	if (place.file != file) {
		pl_out_name(o, place.file);
		ibw_out_char(o, ':');
	}
	ibw_out_dec(o, place.frame);
}

void pl_out_files(struct ibw_out *o, const struct pl_frames *frames)
{
	pl_out_name(o, file_at(frames, 0)->name);
	if (frames->files->len < 2)
		return;
	ibw_out_str(o, " and ");
	ibw_out_dec(o, frames->files->len - 1);
	ibw_out_str(o, " more");
}

/* How long "frame " or "frames " is, if a number comes after it; 0: there is no such thing. */
static size_t word_at(const char *message, const char *p)
{
	size_t n = strlen("frame");

	if ((p > message && g_ascii_isalpha(p[-1])) || strncmp(p, "frame", n) != 0)
		return 0;
	n += p[n] == 's';
	return p[n] == ' ' && g_ascii_isdigit(p[n + 1]) ? n + 1 : 0;
}

/* How long what is between two numbers of a list is; 0: the list has ended. */
static size_t between(const char *p)
{
	static const char *const separators[] = { ", ", " and ", " to ", "-", " or " };
	unsigned int i;
	size_t n;

	for (i = 0; i < G_N_ELEMENTS(separators); i++) {
		n = strlen(separators[i]);
		if (strncmp(p, separators[i], n) == 0 && g_ascii_isdigit(p[n]))
			return n;
	}
	return 0;
}

/* The number at @p, or a @list of them; returns where they end. */
static const char *numbers(struct ibw_out *o, const char *p, bool list, pl_frames_number *number,
			   void *user)
{
	char *end;
	size_t n;

	for (;; p = end + n) {
		number(o, g_ascii_strtoull(p, &end, 10), user);
		n = list ? between(end) : 0;
		if (!n)
			return end;
		ibw_out_mem(o, end, n);
	}
}

void pl_frames_each(struct ibw_out *o, const char *message, pl_frames_number *number, void *user)
{
	const char *p = message;
	size_t n;

	while (*p) {
		n = word_at(message, p);
		if (n) {
			ibw_out_mem(o, p, n);
			p = numbers(o, p + n, p[n - 2] == 's', number, user);
		} else {
			ibw_out_char(o, *p++);
		}
	}
}

struct reader {
	const struct pl_frames *frames;
	const char *file;
};

static void out_number(struct ibw_out *o, uint64_t number, void *user)
{
	const struct reader *reader = user;

	pl_out_frame(o, reader->frames, number, reader->file);
}

const char *pl_frames_message(const struct pl_frames *frames, const char *message, const char *file,
			      char buf[PL_FRAMES_MESSAGE])
{
	struct ibw_out o = ibw_out_open(buf, PL_FRAMES_MESSAGE);
	struct reader reader = { frames, file };

	if (frames->files->len < 2)
		return message;
	pl_frames_each(&o, message, out_number, &reader);
	ibw_out_close(&o);
	return buf;
}
