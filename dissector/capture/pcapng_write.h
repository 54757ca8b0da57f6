/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcapng_write.h - the packets of a capture as a pcapng. draft-ietf-opsawg-pcapng */
#ifndef CAPTURE_PCAPNG_WRITE_H
#define CAPTURE_PCAPNG_WRITE_H

#include <stdio.h>

#include <glib.h>

#include "capture.h"

struct capture_pcapng_writer {
	struct capture *capture; /* whose packets these are; the caller's */
	FILE *out;
	GByteArray *block;       /* the one at hand */
	GArray *drops;           /* of each interface: losses written so far, uint64_t */
	unsigned int interfaces; /* described so far */
	bool changed;            /* packets may have grown over the snap length */
	int error;               /* of errno: why the output could not be written; 0: it could */
};

/* Writes packets as they are in @capture or @changed to @out, which it takes over. */
void capture_pcapng_write_open(struct capture_pcapng_writer *w, struct capture *capture, FILE *out,
			       bool changed);

/*
 * A packet of the capture, the data and lengths of which may be others; with it interfaces that
 * came since the last one, its FCS length, and the losses the capturing side counted.
 */
void capture_pcapng_write_packet(struct capture_pcapng_writer *w, const struct capture_packet *pkt);

/* The statistics of the interfaces, and the end. False: not all could be written; errno. */
bool capture_pcapng_write_close(struct capture_pcapng_writer *w);

#endif /* CAPTURE_PCAPNG_WRITE_H */
