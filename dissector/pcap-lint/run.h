/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.h - one capture, from its first packet to the summary. */
#ifndef PL_RUN_H
#define PL_RUN_H

#include "options.h"
#include "output.h"

enum pl_exit { PL_EXIT_CLEAN = 0, PL_EXIT_FINDINGS = 1, PL_EXIT_ERROR = 2 };

/* Checks or decodes the capture @file; what cannot be read is said on standard error. */
enum pl_exit pl_run(struct pl_output *output, const struct pl_options *options, const char *file);

#endif /* PL_RUN_H */
