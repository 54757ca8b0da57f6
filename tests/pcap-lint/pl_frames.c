/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Frames of three files that are one capture: 10 of "a", 5 of "b", the rest of "c". Numbers and texts by
 * hand.
 */
#include <string.h>

#include "check.h"
#include <pcap-lint/base/frames.h>

static void place(const struct pl_frames *frames, uint64_t number, const char *file, uint64_t frame)
{
	struct pl_place got = pl_frames_place(frames, number);

	check_case("frame %u", (unsigned int)number);
	CHECK_STR(got.file, file);
	CHECK_EQ(got.frame, frame);
	check_case("%s", "");
}

static void message(const struct pl_frames *frames, const char *text, const char *want)
{
	const char *file = pl_frames_place(frames, 12).file;
	char buf[PL_FRAMES_MESSAGE];

	CHECK_STR(pl_frames_message(frames, text, file, buf), want);
}

static void called(const struct pl_frames *frames, const char *want)
{
	char name[32];
	struct ibw_out o = ibw_out_open(name, sizeof(name));

	pl_out_files(&o, frames);
	ibw_out_close(&o);
	CHECK_STR(name, want);
}

static void one_file(void)
{
	static const char text[] = "as frame 7, and frames 8 and 9";
	struct pl_frames frames;
	char buf[PL_FRAMES_MESSAGE];

	pl_frames_open(&frames);
	pl_frames_file(&frames, "a", 0);
	called(&frames, "a");
	place(&frames, 0, "a", 0);
	place(&frames, 1, "a", 1);
	place(&frames, UINT64_MAX, "a", UINT64_MAX);
	CHECK(pl_frames_message(&frames, text, "a", buf) == text);
	pl_frames_close(&frames);
}

static void three_files(void)
{
	struct pl_frames frames;

	pl_frames_open(&frames);
	pl_frames_file(&frames, "a", 0);
	place(&frames, 10, "a", 10);
	pl_frames_file(&frames, "b", 10);
	place(&frames, 0, "b", 0); /* what is being read */
	pl_frames_file(&frames, "c", 15);
	pl_frames_end(&frames);
	called(&frames, "a and 2 more");
	place(&frames, 0, "a", 0);
	place(&frames, 1, "a", 1);
	place(&frames, 10, "a", 10);
	place(&frames, 11, "b", 1);
	place(&frames, 15, "b", 5);
	place(&frames, 16, "c", 1);
	place(&frames, 1000, "c", 985);

	/* Said in file b. */
	message(&frames, "as frame 12 was", "as frame 2 was");
	message(&frames, "as frame 3 was", "as frame a:3 was");
	message(&frames, "frames 10, 11 and 16", "frames a:10, 1 and c:1");
	message(&frames, "frames 9-12, 15 to 17 or 18: x", "frames a:9-2, 5 to c:2 or c:3: x");
	message(&frames, "frame 12, 30 times (frame 16)", "frame 2, 30 times (frame c:1)");
	/* No frame is named. */
	message(&frames, "12 frames of 16 bytes, subframe 12",
		"12 frames of 16 bytes, subframe 12");
	message(&frames, "frame", "frame");
	message(&frames, "frames of frame a", "frames of frame a");
	message(&frames, "", "");
	pl_frames_close(&frames);
}

/* What does not fit is left out, never written past. */
static void too_long(void)
{
	static char text[2 * PL_FRAMES_MESSAGE];
	char guarded[PL_FRAMES_MESSAGE + 1];
	struct pl_frames frames;

	memset(text, 'x', sizeof(text) - 1);
	pl_frames_open(&frames);
	pl_frames_file(&frames, "a", 0);
	pl_frames_file(&frames, "b", 1);
	guarded[PL_FRAMES_MESSAGE] = '!';
	CHECK_EQ(strlen(pl_frames_message(&frames, text, "a", guarded)), PL_FRAMES_MESSAGE - 1);
	CHECK_EQ(guarded[PL_FRAMES_MESSAGE], '!');
	pl_frames_close(&frames);
}

int main(void)
{
	one_file();
	three_files();
	too_long();
	return check_end();
}
