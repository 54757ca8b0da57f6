/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lids.c - the last half to each queue pair of a row of LIDs. */
#include "lids.h"

#define LMC_MASK 0x7f

/* No holes: compared as bytes. */
struct key {
	uint8_t slid[2], dlid[2]; /* dlid: without what LMC may vary */
	uint32_t dqpn;
	uint32_t service;
};

struct track_table *track_lids_new(void)
{
	return track_table_new(sizeof(struct key), sizeof(struct track_flow), TRACK_LIDS_MAX);
}

bool track_lids_begin(struct track_table *lids, const struct track_flow *flow,
		      struct track_flow *before)
{
	const struct key key = {
		.slid = { flow->src[14], flow->src[15] },
		.dlid = { flow->dst[14], (uint8_t)(flow->dst[15] & ~LMC_MASK) },
		.dqpn = flow->dqpn,
		.service = flow->service,
	};
	struct track_flow *last = track_table_get(lids, &key);
	bool found = last != NULL;

	if (found) {
		*before = *last;
	} else {
		if (track_table_full(lids))
			track_table_evict(lids, track_table_oldest(lids));
		last = track_table_add(lids, &key);
	}
	*last = *flow;
	return found;
}
