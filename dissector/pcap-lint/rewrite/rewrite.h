/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rewrite.h - what the modes share that write the packets of a capture to another file. */
#ifndef PL_REWRITE_H
#define PL_REWRITE_H

#include "capture/capture.h"
#include "pcap-lint/base/output.h"

/* What to do with a packet; false: that was enough. */
typedef bool pl_rewrite(void *user, const struct capture_packet *pkt);

/* Opens @file with the filter of the options. NULL: *err says why not. */
struct capture *pl_rewrite_open(struct pl_output *output, const struct pl_options *options,
				const char *file, GError **err);

/*
 * Does @what with each packet of the capture called @file until that is enough or they end.
 * Faults of the file are said, and the rest goes on; so is a signal that ends it. False: there was a fault.
 */
bool pl_rewrite_each(struct pl_output *output, const char *file, struct capture *capture,
		     pl_rewrite *what, void *user);

/*
 * Ends the output, into which @written packets of @file went, and all but those that @failed. One without a
 * packet replaces no file, and where that is because they failed there is none. False: *err says why.
 */
bool pl_rewrite_close(struct pl_file *out, const char *file, uint64_t written, bool failed,
		      GError **err);

#endif /* PL_REWRITE_H */
