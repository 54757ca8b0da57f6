/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notes.h - findings and incidents as comments of packets: pcap-lint -w.
 *
 * A spot is a frame of the capture that a finding is about, or that one names, with its number in the new file. A note
 * is a finding that becomes a comment as late as possible: when the numbers of the frames that it names are known.
 *
 * Memory is bounded: the numbers of frames, of notes per frame and the size of their text are limited, and what is
 * left out is counted.
 */
#ifndef PL_NOTES_H
#define PL_NOTES_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include <lint/lint.h>

#include "capture/pcapng_write.h"

/* Comments of a packet, those that it had included; the last of them says how many there are more. */
#define PL_NOTES_OF_PACKET 32u

/* Frames that are kept in mind: about 130 bytes each. */
#define PL_NOTES_FRAMES (1u << 20)

/* Bytes of all notes. */
#define PL_NOTES_BYTES ((size_t)64 << 20)

struct pl_spot {
	uint64_t frame;
	uint64_t now;     /* its number in the new file; 0: it is not there, or not yet */
	GPtrArray *notes; /* NULL: none */
	uint32_t more;    /* findings without a note */
	bool chosen;      /* it is to be in the new file */
	void *held;       /* the caller's, as long as it has the packet; NULL: it does not */
};

struct pl_notes;

struct pl_notes *pl_notes_new(void);
void pl_notes_free(struct pl_notes *notes); /* NULL is fine */

/* The spot of a frame; NULL: there is none, for pl_notes_make() that there is no room. */
struct pl_spot *pl_notes_spot(const struct pl_notes *notes, uint64_t frame);
struct pl_spot *pl_notes_make(struct pl_notes *notes, uint64_t frame);
void pl_notes_forget(struct pl_notes *notes, struct pl_spot *spot);

/* Its notes are of no use any more. */
void pl_notes_done(struct pl_notes *notes, struct pl_spot *spot);

/* A finding, at @spot, which may be that of another frame; NULL: it is counted as one for which there was no room. */
void pl_notes_add(struct pl_notes *notes, struct pl_spot *spot, const struct lint_finding *finding);

/* The frame that shows an incident first, and what another one of its frames is: "the NAK". */
struct pl_note_incident {
	unsigned int number;
	uint64_t frame;
	const char *text;
	const uint64_t *others;
	unsigned int n_others;
};

/* An incident, at @spot, which is of that frame (@what is NULL) or one of the others. */
void pl_notes_add_incident(struct pl_notes *notes, struct pl_spot *spot,
			   const struct pl_note_incident *incident, const char *what);

/* @n findings more that no packet is known of. */
void pl_notes_lost(struct pl_notes *notes, uint64_t n);
uint64_t pl_notes_all_lost(const struct pl_notes *notes);

/* Frames that the words of @message name: a spot for each, so that its number is kept. */
void pl_notes_named(struct pl_notes *notes, const char *message);

/*
 * The comments of a spot, as far as @block (NULL: none) does not have them; freed by pl_notes_comments_free(). What has a
 * comment of a rule, or of an incident, gets no other of it: the capture may be one that was written before.
 */
struct capture_comments pl_notes_comments(const struct pl_notes *notes, const struct pl_spot *spot,
					  const struct capture_block *block);
void pl_notes_comments_free(struct capture_comments *comments);

#endif /* PL_NOTES_H */
