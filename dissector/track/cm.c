/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cm.c - the services of CM conversations and queue pairs: a bounded table. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>

#include "flow.h"
#include "table.h"
#include "cm.h"

enum what { CONVERSATION, QUEUE_PAIR };

/* All members are set, and there are no holes: compared as bytes. */
struct key {
	uint8_t address[16]; /* of the side that chose the number */
	uint32_t number;     /* communication ID, or QPN */
	uint16_t kind;       /* enum track_address */
	uint16_t what;       /* enum what */
};

struct track_cm {
	bool any_ipoib;              /* some conversation is about IPoIB */
	struct track_table *entries; /* struct key -> uint64_t: a service ID */
};

struct track_cm *track_cm_new(void)
{
	struct track_cm *s = g_new0(struct track_cm, 1);

	s->entries = track_table_new(sizeof(struct key), sizeof(uint64_t), TRACK_CM_MAX);
	return s;
}

void track_cm_free(struct track_cm *s)
{
	if (!s)
		return;
	track_table_free(s->entries);
	g_free(s);
}

static struct key key_of(const struct track_flow *flow, const uint8_t address[16], uint32_t number,
			 enum what what)
{
	struct key key = { .number = number, .kind = flow->address, .what = (uint16_t)what };

	memcpy(key.address, address, sizeof(key.address));
	return key;
}

static void remember(struct track_cm *s, struct key key, uint64_t service_id)
{
	uint64_t *v = track_table_get(s->entries, &key);

	if (!v && track_table_full(s->entries))
		track_table_evict(s->entries, track_table_oldest(s->entries));
	if (!v)
		v = track_table_add(s->entries, &key);
	*v = service_id;
}

static uint64_t recall(struct track_cm *s, struct key key)
{
	const uint64_t *v = track_table_get(s->entries, &key);

	return v ? *v : 0;
}

static void feed_req(struct track_cm *s, const struct track_flow *flow,
		     const struct ibw_cm_req_wire *req)
{
	uint64_t service_id = ibw_cm_req_service_id(req);

	s->any_ipoib |= ibw_sid_split(service_id).kind == IBW_SID_IPOIB_CM;
	remember(s, key_of(flow, flow->src, ibw_cm_req_local_comm_id(req), CONVERSATION),
		 service_id);
	remember(s, key_of(flow, flow->src, ibw_cm_req_local_qpn(req), QUEUE_PAIR), service_id);
}

uint64_t track_cm_feed(struct track_cm *s, const struct ibw_packet *pkt, const uint8_t *mad,
		       uint32_t n)
{
	const struct ibw_mad_wire *header = ibw_mad_view(mad, n);
	const void *message = mad + ibw_mad_BYTES;
	struct track_flow flow;
	uint64_t service_id;

	if (!header || n < IBW_MAD_BYTES || ibw_mad_mgmt_class(header) != IBW_CLASS_COMM_MGT ||
	    !track_flow_of(pkt, &flow))
		return 0;
	switch (ibw_mad_attr_id(header)) {
	case IBW_ATTR_CM_REQ:
		feed_req(s, &flow, message);
		return 0;
	case IBW_ATTR_CM_REP:
		service_id = recall(s, key_of(&flow, flow.dst, ibw_cm_rep_remote_comm_id(message),
					      CONVERSATION));
		if (service_id)
			remember(s,
				 key_of(&flow, flow.src, ibw_cm_rep_local_qpn(message), QUEUE_PAIR),
				 service_id);
		return service_id;
	case IBW_ATTR_CM_REJ:
		return recall(s, key_of(&flow, flow.dst, ibw_cm_rej_remote_comm_id(message),
					CONVERSATION));
	default:
		return 0;
	}
}

bool track_cm_any_ipoib(const struct track_cm *s)
{
	return s->any_ipoib;
}

bool track_cm_is_ipoib(struct track_cm *s, const struct ibw_packet *pkt)
{
	struct track_flow flow;

	if ((pkt->opcode != IBW_OP_RC_SEND_ONLY && pkt->opcode != IBW_OP_UC_SEND_ONLY) ||
	    !track_flow_of(pkt, &flow))
		return false;
	return ibw_sid_split(recall(s, key_of(&flow, flow.dst, flow.dqpn, QUEUE_PAIR))).kind ==
	       IBW_SID_IPOIB_CM;
}
