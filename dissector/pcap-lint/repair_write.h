/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repair_write.h - the packets of a capture, changed, as a pcapng. */
#ifndef PL_REPAIR_WRITE_H
#define PL_REPAIR_WRITE_H

#include <stdio.h>

#include <glib.h>

#include "capture.h"

struct pl_writer {
	struct pl_capture *capture; /* whose packets these are; the caller's */
	FILE *out;
	GArray *drops;           /* of each interface: losses written so far, uint64_t */
	unsigned int interfaces; /* described so far */
	int error;               /* of errno: why the output could not be written; 0: it could */
};

/* Creates @path. False: it cannot be, errno says why. */
bool pl_write_open(struct pl_writer *w, struct pl_capture *capture, const char *path);

/*
 * A packet as @record says, but with these @bytes; with it interfaces that came since the last
 * one, its FCS length, and the losses the capturing side counted.
 */
void pl_write_packet(struct pl_writer *w, const struct pl_packet *record, const GByteArray *bytes);

/* The statistics of the interfaces, and the end. False: not all could be written; errno. */
bool pl_write_close(struct pl_writer *w);

#endif /* PL_REPAIR_WRITE_H */
