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

/*
 * RDS: versions that have nothing in common. Linux writes 1 in the order of its bytes. (One source: Linux.)
 */
static bool is_rds_version(const struct track_mad *m, uint64_t service_id)
{
	const uint32_t at = (uint32_t)(ibw_mad_BYTES + ibw_cm_rej_BYTES);
	const struct ibw_sid sid = ibw_sid_split(service_id);
	const struct ibw_cm_rej_wire *rej = (const void *)(m->p + ibw_mad_BYTES);

	return sid.kind == IBW_SID_RDMA_CM && sid.port_space == IBW_RDMA_PS_TCP &&
	       (sid.port == IBW_CM_PORT_RDS || sid.port == IBW_CM_PORT_RDS_IPV4) &&
	       m->n >= IBW_MAD_BYTES && ibw_cm_rej_reason(rej) == IBW_CM_REJ_CONSUMER &&
	       (ibw_get_be32(m->p + at) == TRACK_REJECTION_RDS_VERSION ||
		ibw_get_le32(m->p + at) == TRACK_REJECTION_RDS_VERSION);
}

struct track_rejection track_rejection_to(const struct track_mad *m, uint64_t service_id)
{
	struct track_mad answer;

	if (!service_id)
		return track_rejection_of(m);
	if (is_rds_version(m, service_id))
		return (struct track_rejection){ TRACK_REJECTION_RDS_VERSION, IBW_LAYER_rds_cm };
	answer = *m;
	track_mad_answer(&answer, service_id);
	return track_rejection_of(&answer);
}

const char *track_rejection_text(const struct track_rejection *r, char buf[TRACK_REJECTION_TEXT])
{
	bool srp = r->layer == IBW_LAYER_srp_login_rej;
	const char *name =
		ibw_name_of(srp ? ibw_srp_rej_reason_names : ibw_nvme_cm_status_names, r->status);
	struct ibw_out o = ibw_out_open(buf, TRACK_REJECTION_TEXT);

	if (r->layer == IBW_LAYER_rds_cm) {
		ibw_out_str(&o, "RDS connection refused: incompatible protocol version");
	} else if (r->layer != IBW_LAYER_COUNT) {
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
