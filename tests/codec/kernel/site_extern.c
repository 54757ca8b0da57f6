// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* site_extern.c - the sites as a driver has them that minds its size: one builder for all. */
#define IBW_BUILD_EXTERN
#define IBW_BUILD_BODY
#include "site.h"

#define site_mlx4 site_mlx4_extern
#include "site_mlx4.c"
#define site_bnxt_re(q, s) site_bnxt_re_extern(q, s) /* not the structure */
#include "site_bnxt_re.c"
#define site_qedr(p, s) site_qedr_extern(p, s)
#include "site_qedr.c"
