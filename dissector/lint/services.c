/* SPDX-License-Identifier: GPL-2.0-or-later */
/* services.c - the services of CM conversations and queue pairs: a table of fixed size. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>

#include "lint.h"
#include "services.h"

enum what { CONVERSATION = 1, QUEUE_PAIR };

/* All members are set, and there are no holes: compared as bytes. */
struct key {
	uint8_t address[16]; /* of the side that chose the number */
	uint32_t number;     /* communication ID, or QPN */
	uint16_t kind;       /* enum lint_address */
	uint16_t what;       /* enum what; 0: nothing here */
};

struct entry {
	struct key key;
	uint64_t service_id;
};

struct lint_services {
	struct entry entries[LINT_SERVICES_MAX];
};

struct lint_services *lint_services_new(void)
{
	return g_new0(struct lint_services, 1);
}

void lint_services_free(struct lint_services *s)
{
	g_free(s);
}

static struct key key_of(const struct lint_flow *flow, const uint8_t address[16], uint32_t number,
			 enum what what)
{
	struct key key = { .number = number, .kind = flow->address, .what = (uint16_t)what };

	memcpy(key.address, address, sizeof(key.address));
	return key;
}

/* Where it is, or would be. */
static unsigned int place(const struct key *key)
{
	uint64_t hash = ibw_get_be64(key->address) ^ ibw_get_be64(key->address + 8) * 3 ^
			(uint64_t)key->number << 8 ^ key->what;

	return (unsigned int)(hash * 0x9e3779b97f4a7c15u >> 32) % LINT_SERVICES_MAX;
}

static void remember(struct lint_services *s, struct key key, uint64_t service_id)
{
	struct entry *e = &s->entries[place(&key)];

	e->key = key;
	e->service_id = service_id;
}

static uint64_t recall(const struct lint_services *s, struct key key)
{
	const struct entry *e = &s->entries[place(&key)];

	return memcmp(&e->key, &key, sizeof(key)) == 0 ? e->service_id : 0;
}

static void feed_req(struct lint_services *s, const struct lint_flow *flow,
		     const struct ibw_cm_req_wire *req)
{
	uint64_t service_id = ibw_cm_req_service_id(req);

	remember(s, key_of(flow, flow->src, ibw_cm_req_local_comm_id(req), CONVERSATION),
		 service_id);
	remember(s, key_of(flow, flow->src, ibw_cm_req_local_qpn(req), QUEUE_PAIR), service_id);
}

uint64_t lint_services_feed(struct lint_services *s, const struct ibw_packet *pkt,
			    const uint8_t *mad, uint32_t n)
{
	const struct ibw_mad_wire *header = ibw_mad_view(mad, n);
	const void *message = mad + ibw_mad_BYTES;
	struct lint_flow flow;
	uint64_t service_id;

	if (!header || n < IBW_MAD_BYTES || ibw_mad_mgmt_class(header) != IBW_CLASS_COMM_MGT ||
	    !lint_flow_of(pkt, &flow))
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

bool lint_services_ipoib(const struct lint_services *s, const struct ibw_packet *pkt)
{
	struct lint_flow flow;

	if ((pkt->opcode != IBW_OP_RC_SEND_ONLY && pkt->opcode != IBW_OP_UC_SEND_ONLY) ||
	    !lint_flow_of(pkt, &flow))
		return false;
	return ibw_sid_split(recall(s, key_of(&flow, flow.dst, flow.dqpn, QUEUE_PAIR))).kind ==
	       IBW_SID_IPOIB_CM;
}
