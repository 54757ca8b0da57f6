/* SPDX-License-Identifier: GPL-2.0-or-later */
/* convert.h - the packets of a capture in another framing. */
#ifndef PL_CONVERT_H
#define PL_CONVERT_H

#include "options.h"
#include "output.h"
#include "run.h"

/*
 * Writes the packets of @file to options->convert as options->convert_to says. Those that
 * cannot be are left out, each with a message, and the exit status is that of an error.
 */
enum pl_exit pl_convert(struct pl_output *output, const struct pl_options *options,
			const char *file);

#endif /* PL_CONVERT_H */
