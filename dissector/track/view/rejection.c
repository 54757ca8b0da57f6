/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rejection.c - what an upper layer says in the private data of a REJ. */
#include <ibwire/cm.h>
#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "rejection.h"

struct track_rejection track_rejection_of(const struct track_mad *m)
{
	struct track_rejection r = { .layer = IBW_LAYER_COUNT };
	uint32_t i;

	for (i = 0; i < m->walked.n_spans; i++) {
		const void *at = m->p + m->span[i].off;

		if (m->span[i].layer == IBW_LAYER_srp_login_rej)
			r = (struct track_rejection){ ibw_srp_login_rej_reason(at),
						      IBW_LAYER_srp_login_rej };
		else if (m->span[i].layer == IBW_LAYER_nvme_cm_rej)
			r = (struct track_rejection){
				ibw_nvme_cm_rej_sts(at) | (uint32_t)ibw_nvme_cm_rej_sts_h(at) << 8,
				IBW_LAYER_nvme_cm_rej
			};
	}
	return r;
}

const char *track_rejection_text(const struct track_rejection *r, char buf[TRACK_REJECTION_TEXT])
{
	bool srp = r->layer == IBW_LAYER_srp_login_rej;
	const char *name =
		ibw_name_of(srp ? ibw_srp_rej_reason_names : ibw_nvme_cm_status_names, r->status);
	struct ibw_out o = ibw_out_open(buf, TRACK_REJECTION_TEXT);

	if (r->layer != IBW_LAYER_COUNT) {
		ibw_out_str(&o, srp ? "SRP login refused: " : "NVMe connection refused: ");
		if (name) {
			ibw_out_str(&o, name);
		} else {
			ibw_out_str(&o, srp ? "reason " : "status ");
			ibw_out_hex(&o, r->status, srp ? 8 : 4);
		}
	}
	ibw_out_close(&o);
	return buf;
}
