/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcapng_write.h - the packets of a capture as a pcapng. draft-ietf-opsawg-pcapng */
#ifndef CAPTURE_PCAPNG_WRITE_H
#define CAPTURE_PCAPNG_WRITE_H

#include <stdio.h>

#include <glib.h>

#include "capture.h"

/* To be added to a block; NUL-terminated. */
struct capture_comments {
	const char *const *text;
	unsigned int n;
};

struct capture_pcapng_writer {
	struct capture *capture; /* whose packets these are; the caller's */
	FILE *out;
	GByteArray *block;       /* the one at hand */
	GArray *drops;           /* of each interface: losses written so far, uint64_t */
	unsigned int interfaces; /* described so far */
	bool changed;            /* packets may have grown over the snap length */
	bool swapped;            /* what is written: against the byte order of this machine */
	bool copies;             /* blocks of a pcapng as they are there */
	bool begun;              /* there is a block */
	struct capture_comments
		comments; /* of a section, if none could be copied; kept by the caller */
	int error;        /* of errno: why the output could not be written; 0: it could */
};

/* Writes packets as they are in @capture or @changed to @out, which it takes over. */
void capture_pcapng_write_open(struct capture_pcapng_writer *w, struct capture *capture, FILE *out,
			       bool changed);

/*
 * A packet of the capture, the data and lengths of which may be others; with it interfaces that
 * came since the last one, its FCS length, and the losses the capturing side counted.
 */
void capture_pcapng_write_packet(struct capture_pcapng_writer *w, const struct capture_packet *pkt);

/* The same with comments. */
void capture_pcapng_write_commented(struct capture_pcapng_writer *w,
				    const struct capture_packet *pkt,
				    const struct capture_comments *comments);

/*
 * Writes @capture as it is to @out, which it takes over, but for packets left out and comments added. A pcapng: block
 * by block, capture_pcapng_copy_block(), its section headers, too. A pcap: packet by packet, in its byte order, with
 * @comments in the section header; a pcapng without a
 * section that can be copied gets one with them, too.
 */
void capture_pcapng_copy_open(struct capture_pcapng_writer *w, struct capture *capture, FILE *out,
			      const struct capture_comments *comments);

/*
 * A block with comments, @pkt if it is that of a packet. Options are kept as far as they are well-formed. A simple packet
 * block with comments becomes an enhanced one, which has a time: 0. A block that would become larger than we read gets none.
 */
void capture_pcapng_copy_block(struct capture_pcapng_writer *w, const struct capture_block *block,
			       const struct capture_packet *pkt,
			       const struct capture_comments *comments);

/* A comment of a block, which may have any characters. */
struct capture_comment {
	const char *text; /* NULL: before the first */
	uint16_t len;
};

/* The next comment of the block; false: there is none. */
bool capture_block_comment(const struct capture_block *block, struct capture_comment *comment);

/* The statistics of the interfaces, and the end. False: not all could be written; errno. */
bool capture_pcapng_write_close(struct capture_pcapng_writer *w);

#endif /* CAPTURE_PCAPNG_WRITE_H */
