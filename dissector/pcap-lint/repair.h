/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repair.h - packets with their lengths, checksums, pad and CRCs made right. */
#ifndef PL_REPAIR_H
#define PL_REPAIR_H

#include "options.h"
#include "output.h"
#include "run.h"

/*
 * Writes all packets of @file to options->repair, a pcapng, and says of each that was not
 * right what has changed. What is no RDMA, is cut off or cannot be understood is written
 * as it is.
 */
enum pl_exit pl_repair(struct pl_output *output, const struct pl_options *options,
		       const char *file);

#endif /* PL_REPAIR_H */
