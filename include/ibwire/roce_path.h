/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* roce_path.h - path records of RoCE, which has no subnet administrator to ask for them. */
#ifndef IBWIRE_ROCE_PATH_H
#define IBWIRE_ROCE_PATH_H

#include "roce.h"
#include "sa.h"

/* What a path has in addition to its two ends. */
struct ibw_roce_path {
	uint8_t mtu;  /* code, of ibw_roce_mtu() */
	uint8_t rate; /* IBW_RATE_... */
	uint8_t sl;   /* the priority of the VLAN */
	uint8_t tclass;
	uint8_t hop_limit; /* 1: the two are neighbors */
	uint8_t life;      /* 4.096 us * 2^life; half the local ACK timeout */
	uint16_t pkey;     /* RoCE has the default partition only: IBW_PKEY_DEFAULT_FULL */
	uint32_t flow_label;
};

/* The packet life that Linux uses if no ACK timeout was requested: 268 ms. */
#define IBW_ROCE_LIFE 16

/*
 * The path record between two GIDs, as a subnet administrator would answer. RoCE has none, so each
 * end makes its own record: every value is exact, not a bound, and there are no LIDs.
 */
IBW_INLINE void ibw_roce_path_record(struct ibw_path_rec *rec, const uint8_t *sgid,
				     const uint8_t *dgid, const struct ibw_roce_path *path)
{
	rec->service_id = 0;
	IBW_COPY(rec->dgid, dgid, IBW_GID_BYTES);
	IBW_COPY(rec->sgid, sgid, IBW_GID_BYTES);
	rec->dlid = 0;
	rec->slid = 0;
	rec->raw_traffic = 0;
	rec->flow_label = path->flow_label;
	rec->hop_limit = path->hop_limit;
	rec->tclass = path->tclass;
	rec->reversible = 1;
	rec->numb_path = 0; /* how many were asked for */
	rec->pkey = path->pkey;
	rec->qos_class = 0;
	rec->sl = path->sl;
	rec->mtu_sel = IBW_SELECTOR_EXACTLY;
	rec->mtu = path->mtu;
	rec->rate_sel = IBW_SELECTOR_EXACTLY;
	rec->rate = path->rate;
	rec->life_sel = IBW_SELECTOR_EXACTLY;
	rec->life = path->life;
	rec->preference = 0;
}

#endif /* IBWIRE_ROCE_PATH_H */
