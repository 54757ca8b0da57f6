/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mode.h - the modes of pcap-lint, and their outcomes. */
#ifndef PL_MODE_H
#define PL_MODE_H

#include "pcap-lint/options/options.h"
#include "output.h"

enum pl_exit { PL_EXIT_CLEAN = 0, PL_EXIT_FINDINGS = 1, PL_EXIT_ERROR = 2 };

/*
 * A mode with the capture @file, or with NULL if it takes none. What cannot be read or written
 * is said on standard error.
 */
typedef enum pl_exit pl_mode_do(struct pl_output *output, const struct pl_options *options,
				const char *file);

#define PL_MODE(mode, setter, option, captures, function) pl_mode_do function;
#include "pcap-lint/options/modes.def"

/* The files, in the order given, are one capture: --join. */
enum pl_exit pl_check_joined(struct pl_output *output, const struct pl_options *options,
			     const char *const *files);

#endif /* PL_MODE_H */
