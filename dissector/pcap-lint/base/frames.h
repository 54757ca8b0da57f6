/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames.h - frame numbers of several files that are one capture: --join.
 *
 * Trackers and rules count frames over all files. A reader of the report needs the file of a frame,
 * and its number in that file.
 */
#ifndef PL_FRAMES_H
#define PL_FRAMES_H

#include <stdint.h>

#include <glib.h>

#include <ibwire/out.h>

struct pl_frames {
	GArray *files;     /* of struct pl_frames_file; the first is the only one without --join */
	const char *about; /* what is said of no frame is about this file, the ... */
	unsigned int about_index;
};

struct pl_place {
	const char *file;
	uint64_t frame;     /* in it */
	unsigned int index; /* of pl_frames_name() */
};

void pl_frames_open(struct pl_frames *frames);
void pl_frames_close(struct pl_frames *frames);

/* The frames after number @before are of @file, which is kept by the caller. */
void pl_frames_file(struct pl_frames *frames, const char *file, uint64_t before);

/* How many files there are so far, and their names. */
unsigned int pl_frames_count(const struct pl_frames *frames);
const char *pl_frames_name(const struct pl_frames *frames, unsigned int i);

/* All files have been read: what is said now is about the capture, called as its first file. */
void pl_frames_end(struct pl_frames *frames);

/* The file of a frame and its number there; of frame 0, which is none, the file read at the time. */
struct pl_place pl_frames_place(const struct pl_frames *frames, uint64_t number);

/* "7", or where that is not in the file a reader has at hand "FILE:7". */
void pl_out_frame(struct ibw_out *o, const struct pl_frames *frames, uint64_t number,
		  const char *file);

/* "a.pcap", "a.pcap and 2 more": the capture. */
void pl_out_files(struct ibw_out *o, const struct pl_frames *frames);

/* What to write for the number of a frame. */
typedef void pl_frames_number(struct ibw_out *o, uint64_t number, void *user);

/* A message of the linter, with each number of a frame in it ("frame 7", "frames 7, 9 and 12") as @number has it. */
void pl_frames_each(struct ibw_out *o, const char *message, pl_frames_number *number, void *user);

/*
 * A message of the linter, with what it says of frames ("frame 7", "frames 7, 9 and 12") as the reader
 * of @file finds them. @buf is used if they are not the numbers that are there.
 */
#define PL_FRAMES_MESSAGE 2048
const char *pl_frames_message(const struct pl_frames *frames, const char *message, const char *file,
			      char buf[PL_FRAMES_MESSAGE]);

#endif /* PL_FRAMES_H */
