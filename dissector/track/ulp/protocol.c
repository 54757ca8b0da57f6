/* SPDX-License-Identifier: GPL-2.0-or-later */
/* protocol.c - chooses the upper layer that reads a message. */
#include "impl.h"

const struct track_ulp_walk *track_ulp_walk(const struct track_ulp_x *x, enum ibw_ulp ulp,
					    enum track_ulp_side side)
{
	struct track_ulp_walk *w = x->walk;

	if (w->ulp == ulp && w->side == side)
		return w;
	w->ulp = (uint8_t)ulp;
	w->side = (uint8_t)side;
	ibw_ulp_walk(&w->walked, ulp, side == TRACK_ULP_ASKS ? IBW_ULP_FROM_INITIATOR : 0, x->p,
		     x->n, x->len, w->span, TRACK_ULP_SPANS);
	return w;
}

const void *track_ulp_find(const struct track_ulp_x *x, const struct track_ulp_walk *w,
			   uint16_t layer)
{
	uint32_t i;

	for (i = 0; i < w->walked.n_spans; i++)
		if (w->span[i].layer == layer)
			return x->p + w->span[i].off;
	return NULL;
}

enum ibw_ulp track_ulp_begins(const struct track_ulp_x *x)
{
#define TRACK_ULP_PROTOCOL(ulp, name)                                                              \
	if (track_ulp_##name##_begins(x))                                                          \
		return IBW_ULP_##ulp;
#include "protocols.def"
#undef TRACK_ULP_PROTOCOL
	return IBW_ULP_NONE;
}

void track_ulp_first(struct track_ulp_x *x)
{
	if (x->q->ulp == IBW_ULP_NVME)
		track_ulp_nvme_first(x);
}

void track_ulp_request(struct track_ulp_x *x)
{
	switch (x->q->ulp) {
#define TRACK_ULP_PROTOCOL(ulp, name)                                                              \
	case IBW_ULP_##ulp:                                                                        \
		track_ulp_##name##_request(x);                                                     \
		break;
#include "protocols.def"
#undef TRACK_ULP_PROTOCOL
	}
}

unsigned int track_ulp_replies(const struct track_ulp_x *x,
			       struct track_ulp_reply reply[TRACK_ULP_REPLIES_MAX])
{
	switch (x->q->ulp) {
#define TRACK_ULP_PROTOCOL(ulp, name)                                                              \
	case IBW_ULP_##ulp:                                                                        \
		return track_ulp_##name##_replies(x, reply);
#include "protocols.def"
#undef TRACK_ULP_PROTOCOL
	}
	return 0;
}

void track_ulp_check(struct track_ulp_x *x)
{
	switch (x->q->ulp) {
#define TRACK_ULP_PROTOCOL(ulp, name)                                                              \
	case IBW_ULP_##ulp:                                                                        \
		track_ulp_##name##_check(x);                                                       \
		break;
#include "protocols.def"
#undef TRACK_ULP_PROTOCOL
	case IBW_ULP_RDS:
		track_ulp_rds_check(x);
		break;
	case IBW_ULP_RSOCKET: /* only over iWARP a word is a SEND */
		if (x->sent)
			track_ulp_rsocket_word(x);
		break;
	}
}

bool track_ulp_is_followed(unsigned int ulp)
{
	switch (ulp) {
#define TRACK_ULP_PROTOCOL(ulp, name) case IBW_ULP_##ulp:
#include "protocols.def"
#undef TRACK_ULP_PROTOCOL
		return true;
	}
	return false;
}

bool track_ulp_waits(const struct track_ulp_queue *q, struct track_ulp_code code)
{
	if (q->ulp == IBW_ULP_NVME)
		return q->id == 0 && !q->id_unknown && code.opcode == IBW_NVME_ADMIN_ASYNC_EVENT;
	return q->ulp == IBW_ULP_SMB_DIRECT && code.opcode == IBW_SMB2_NOTIFY;
}

/* Those of SMB2 are in requests that may be encrypted; of other upper layers than these no offer is read. */
bool track_ulp_offers(const struct track_ulp_queue *q)
{
	return track_ulp_is_followed(q->ulp) && q->ulp != IBW_ULP_SMB_DIRECT;
}
