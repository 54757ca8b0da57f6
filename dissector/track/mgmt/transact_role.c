/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transact_role.c - determines the transaction of a MAD, and the MAD's role in it. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "transact_impl.h"
#include "track/base/fnv.h"

/*
 * All that stays the same in a copy: of a directed route neither hop pointer nor return path. Who makes two requests alike on purpose
 * has them taken for copies.
 */
uint64_t track_mad_bytes(const struct track_mad *m)
{
	uint64_t h = track_fnv(TRACK_FNV_BEGIN, m->p, 4);
	uint32_t from = ibw_mad_tid_AT / 8, to = m->n;

	if (m->dr_status)
		to = MIN(to, IBW_MAD_BYTES - 64);
	return to > from ? track_fnv_long(h, m->p + from, to - from) : h;
}

static uint64_t path_of(const struct track_mad *m)
{
	uint32_t hops = MIN(ibw_smp_dr_status_hop_cnt(m->dr_status), IBW_SMP_HOPS_MAX);
	uint64_t h = hops + 1u;

	return m->dr_path ? track_fnv(h, m->dr_path->b + 1, hops) : h;
}

uint32_t track_mad_segment(const struct track_mad *m)
{
	const struct ibw_rmpp_wire *rmpp = m->rmpp;

	return rmpp && ibw_rmpp_flags(rmpp) & IBW_RMPP_ACTIVE &&
			       ibw_rmpp_type(rmpp) == IBW_RMPP_DATA
		       ? ibw_rmpp_data1(rmpp)
		       : 0;
}

static bool is_answered(uint8_t method)
{
	switch (method) {
	case IBW_METHOD_GET:
	case IBW_METHOD_SET:
	case IBW_METHOD_REPORT:
	case IBW_METHOD_GET_TABLE:
	case IBW_METHOD_GET_TRACE_TABLE:
	case IBW_METHOD_GET_MULTI:
	case IBW_METHOD_DELETE:
		return true;
	default:
		return false;
	}
}

enum role track_mad_role(const struct track_mad *m)
{
	uint8_t method = ibw_mad_method(m->mad);

	if (m->rmpp && ibw_rmpp_flags(m->rmpp) & IBW_RMPP_ACTIVE &&
	    ibw_rmpp_type(m->rmpp) > IBW_RMPP_DATA)
		return ibw_rmpp_type(m->rmpp) == IBW_RMPP_STOP ||
				       ibw_rmpp_type(m->rmpp) == IBW_RMPP_ABORT
			       ? STOP
			       : CONTROL;
	if (ibw_mad_r(m->mad))
		return is_answered(method) ? RESPONSE : NOTHING;
	if (method == IBW_METHOD_TRAP)
		return TRAP;
	if (method == IBW_METHOD_TRAP_REPRESS)
		return REPRESS;
	if (!is_answered(method))
		return NOTHING;
	return track_mad_segment(m) > 1 ? SEGMENT : REQUEST;
}

/* By the request's way; false: there is none. */
bool track_mad_key(struct mad *m, const struct ibw_packet *pkt, bool back)
{
	const struct ibw_deth_wire *deth = IBW_AT(pkt, deth);
	struct key *key = &m->key;

	if (!deth || !track_flow_gids_of(pkt, &m->flow))
		return false;
	memset(key, 0, sizeof(*key));
	key->qpn = back ? m->flow.dqpn : ibw_deth_sqpn(deth);
	if (back) {
		track_flow_turn(&m->flow);
		m->flow.dqpn = ibw_deth_sqpn(deth);
	}
	key->mgmt_class = ibw_mad_mgmt_class(m->mad->mad);
	key->tid = ibw_mad_tid(m->mad->mad);
	if (m->mad->dr_status)
		key->path = path_of(m->mad);
	else
		memcpy(key->client, m->flow.src, sizeof(key->client));
	return true;
}
