/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tell.h - an event as a sentence: event.def has the sentences, with placeholders.
 *
 * Stories and the evidence of -v use these sentences.
 */
#ifndef PL_TELL_H
#define PL_TELL_H

#include "pcap-lint/base/frames.h"
#include "track/base/event.h"

/* Frames that a sentence names. */
#define PL_TOLD_FRAMES 8

struct pl_told {
	const struct track_event *event;
	const char *file;           /* frames of it go without its name */
	const char *sender, *other; /* how the two ends are called */
	uint64_t n, last_frame;     /* of several events */
	uint64_t more, more_frame; /* packets sent again after the one told, and the last of them */
	bool many;                 /* it is about several, or about one that came before */
	bool missing;              /* a number at hand is 0, or a frame is not known */
	unsigned int n_named;
	uint64_t named[PL_TOLD_FRAMES];
};

/* Whether there is a sentence for it. */
bool pl_is_told(const struct track_event *e);

/* Whether it is of a message of the CM that comes again. */
bool pl_is_told_again(const struct track_event *e);

/* Its sentence; @told->named are the frames in it. */
void pl_tell(struct ibw_out *o, const struct pl_frames *frames, struct pl_told *told);

/* "70.9 ms": three digits, rounded, in the unit that fits. */
void pl_out_took(struct ibw_out *o, uint64_t ns);

#endif /* PL_TELL_H */
