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

/* Why one of the names came to nothing, its frames counted from @before on; false: it did not. */
struct ibw_out;
bool pl_upper_named_why(struct ibw_out *o, const struct track_ulp_named *named, uint64_t before);

#endif /* PL_UPPER_NAMED_H */
