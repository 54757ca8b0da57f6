/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commented.h - writes packets that have a finding to a pcapng, with comments: pcap-lint -w.
 *
 * A file is read again once all findings are known, so that each is at its frame: once to learn the numbers of frames in
 * the new file, and once to write. Input that can be read only once (standard input, a FIFO) is written as it is read: a
 * finding about a packet that was already written becomes a comment of the packet that shows it.
 */
#ifndef PL_COMMENTED_H
#define PL_COMMENTED_H

#include "capture/capture.h"
#include "lint/lint.h"
#include "pcap-lint/base/output.h"

struct pl_commented;

/* For the capture @file. NULL: *err says why the output cannot be written. */
struct pl_commented *pl_commented_open(struct pl_output *output, const struct pl_options *options,
				       const char *file, GError **err);

/* Whether it is written while the capture is read, which then has to show its blocks: pl_commented_packet(), _block(). */
bool pl_commented_is_once(const struct pl_commented *c);

/* The capture was opened. */
void pl_commented_begin(struct pl_commented *c, struct capture *capture);

/* The next packet, before what is found of it; a block of CAPTURE_BLOCK, or of a fault. */
void pl_commented_packet(struct pl_commented *c, const struct capture_packet *pkt);
void pl_commented_block(struct pl_commented *c);

/* A finding, and @n that no packet is known of. */
void pl_commented_finding(struct pl_commented *c, const struct lint_finding *finding);
void pl_commented_more(struct pl_commented *c, uint64_t n);

/* An incident, after all findings: a comment of each of its packets. */
struct pl_incident;
struct pl_report;
void pl_commented_incident(struct pl_commented *c, const struct pl_report *report,
			   const struct pl_incident *incident);

/*
 * All is known, up to frame @last: writes what has to be, but nothing of a capture without a packet that could not be
 * read (@failed). False: *err says why that cannot be; what was there stays.
 */
bool pl_commented_close(struct pl_commented *c, uint64_t last, bool failed, GError **err);

/* There is no capture, or what was done could not be: what was there stays. Frees it; NULL is fine. */
void pl_commented_free(struct pl_commented *c);

#endif /* PL_COMMENTED_H */
