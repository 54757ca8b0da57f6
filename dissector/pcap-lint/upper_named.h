/* SPDX-License-Identifier: GPL-2.0-or-later */
/* upper_named.h - upper layers of connections that the user names: --ulp. */
#ifndef PL_UPPER_NAMED_H
#define PL_UPPER_NAMED_H

#include <stdbool.h>

#include <glib.h>

#include "track/ulp/ulp.h"

/* What --help and errors say can be named. */
#define PL_UPPER_NAMES "nvme, iser, srp, rpc, smb"

struct pl_upper_names {
	struct track_ulp_name name[TRACK_ULP_NAMES_MAX];
	unsigned int n;
};

/* "4420=nvme,0x22=iser,10.1.0.1:0x23=srp". False: *err says what is wrong with it. */
bool pl_upper_names_add(struct pl_upper_names *names, const char *text, GError **err);

struct pl_output;

/* The names that came to nothing, and why; of the capture @file, whose frames count from @before on. */
void pl_upper_named_say(struct pl_output *output, const char *file, uint64_t before,
			const struct track_ulps *ulps);

#endif /* PL_UPPER_NAMED_H */
