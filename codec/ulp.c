/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ulp.c - one message of an upper layer: what it is walked by, and what its upper layer is called. */
#include "ulp_walk.h"

const char *const ibw_ulp_names[IBW_ULP_COUNT] = { NULL,    "NVMe",       "iSER", "SRP",
						   "RPC",   "SMB Direct", "RDS",  "rsocket",
						   "SMC-R", "SDP",        "RTRS", "Ceph" };

const char *ibw_ulp_text(unsigned int ulp)
{
	return ulp < IBW_ULP_COUNT ? ibw_ulp_names[ulp] : NULL;
}

enum ibw_outcome ibw_ulp_walk(struct ibw_ulp_walked *u, enum ibw_ulp ulp, unsigned int flags,
			      const uint8_t *p, uint32_t n, uint32_t len, struct ibw_span *span,
			      uint32_t cap)
{
	struct ulp_walk w = ulp_walk_of(u, flags, p, n, len < n ? n : len, span, cap);

	u->ulp = (uint8_t)ulp;
	switch (ulp) {
	case IBW_ULP_NVME:
		ibw_ulp_walk_nvme(&w);
		break;
	case IBW_ULP_ISER:
		ibw_ulp_walk_iser(&w);
		break;
	case IBW_ULP_RPCRDMA:
		ibw_ulp_walk_rpcrdma(&w);
		break;
	case IBW_ULP_SMB_DIRECT:
		ibw_ulp_walk_smb_direct(&w);
		break;
	case IBW_ULP_RDS:
		ibw_ulp_walk_rds(&w);
		break;
	case IBW_ULP_SRP:
		ibw_ulp_walk_srp(&w);
		break;
	default:
		w.c.outcome = IBW_OTHER;
		break;
	}
	return ulp_walk_done(&w);
}
