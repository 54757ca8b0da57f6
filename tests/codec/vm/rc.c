// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* rc.c - an RC queue pair without a NIC: SENDs, which the other end sends back. */
#include "vm.h"

#include <string.h>

#define MTU 1024
#define BYTES_MAX 3000

/* What came back of one message, and what is still to come. */
struct exchange {
	const uint8_t *sent;
	uint32_t bytes;
	uint32_t last_psn; /* of the SEND */
	bool acked, back;
	uint8_t room[BYTES_MAX];
	uint32_t have;
};

/* Both queues of the queue pair. */
struct qp {
	struct vm *vm;
	const struct ibw_cm_conn *c;
	uint32_t psn;      /* the next to send */
	uint32_t expected; /* the next to come */
	uint32_t msn;
};

static bool send_message(struct qp *qp, const uint8_t *data, uint32_t bytes, bool spoiled)
{
	const struct ibw_message m = { .service = IBW_SERVICE_RC,
				       .operation = IBW_OPERATION_SEND,
				       .ackreq = true,
				       .mtu = MTU,
				       .bytes = bytes,
				       .psn = qp->psn };
	struct ibw_message_packet p;
	uint32_t i;

	for (i = 0; ibw_message_packet_at(&m, i, &p); i++) {
		struct ibw_build b = { 0 };
		bool ok;

		b.bth.dqpn = qp->c->remote.qpn;
		ibw_message_fill(&b, &p);
		ok = spoiled ? vm_send_spoiled(qp->vm, &b, data + p.offset)
			     : vm_send(qp->vm, &b, data + p.offset);
		if (!ok)
			return false;
	}
	return true;
}

static bool send_ack(struct qp *qp, uint32_t psn)
{
	struct ibw_build b = { 0 };

	b.bth.opcode = IBW_OP_RC_ACKNOWLEDGE;
	b.bth.dqpn = qp->c->remote.qpn;
	b.bth.psn = psn;
	b.aeth.syndrome = ibw_aeth_ack(IBW_CREDIT_NONE);
	b.aeth.msn = qp->msn;
	return vm_send(qp->vm, &b, NULL);
}

static bool take_ack(struct exchange *x, const struct ibw_transport *t)
{
	uint8_t syndrome = ibw_aeth_syndrome(t->aeth);

	if (IBW_AETH_TYPE(syndrome) != IBW_AETH_TYPE_ACK)
		return vm_fail("syndrome 0x%02x", syndrome);
	if (ibw_bth_psn(t->bth) == x->last_psn)
		x->acked = true;
	return true;
}

/* A packet of the message that comes back. */
static bool take_send(struct qp *qp, struct exchange *x, const struct ibw_transport *t)
{
	struct ibw_opcode_parts parts;
	uint32_t psn = ibw_bth_psn(t->bth);

	if (ibw_psn_is_before(psn, qp->expected))
		return send_ack(qp, ibw_psn_sub(qp->expected, 1));
	if (psn != qp->expected || !ibw_opcode_split(&parts, ibw_bth_opcode(t->bth)) ||
	    parts.operation != IBW_OPERATION_SEND)
		return vm_fail("opcode 0x%02x, PSN 0x%06x", ibw_bth_opcode(t->bth), psn);
	if (t->payload_len > BYTES_MAX - x->have)
		return vm_fail("more comes back than was sent");
	memcpy(x->room + x->have, t->payload, t->payload_len);
	x->have += t->payload_len;
	qp->expected = ibw_psn_add(psn, 1);
	if (parts.position == IBW_OPF_LAST || parts.position == IBW_OPF_ONLY) {
		x->back = true;
		qp->msn = ibw_psn_add(qp->msn, 1);
	}
	return !ibw_bth_ackreq(t->bth) || send_ack(qp, psn);
}

/* A SEND, its ACK, and the SEND that comes back. */
static bool exchange(struct qp *qp, const uint8_t *data, uint32_t bytes)
{
	struct exchange x = { .sent = data, .bytes = bytes };
	uint64_t deadline = vm_msec() + 5000;
	struct vm_packet p;

	x.last_psn = ibw_psn_add(qp->psn, ibw_psns(bytes, MTU) - 1);
	/* If this were taken, the PSN would have been used. */
	if (!send_message(qp, data, bytes, true) || !send_message(qp, data, bytes, false))
		return false;
	qp->psn = ibw_psn_add(x.last_psn, 1);
	while (!x.acked || !x.back) {
		if (!vm_receive(qp->vm, &p, deadline))
			return vm_fail("SEND of %u bytes: acknowledged %d, back %d", bytes, x.acked,
				       x.back);
		if (ibw_bth_dqpn(p.t.bth) != qp->c->local.qpn)
			continue;
		if (!(p.t.aeth ? take_ack(&x, &p.t) : take_send(qp, &x, &p.t)))
			return false;
	}
	return (x.have == bytes && memcmp(x.room, data, bytes) == 0) ||
	       vm_fail("SEND of %u bytes: %u bytes came back, or others", bytes, x.have);
}

bool vm_messages(struct vm *vm, const struct ibw_cm_conn *c)
{
	static const uint32_t lengths[] = { 0,    1,    2,    3,    4,    5,    255,      1023,
					    1024, 1025, 1026, 2047, 2048, 2049, BYTES_MAX };
	struct qp qp = { .vm = vm, .c = c, .psn = c->remote.psn, .expected = c->local.psn };
	uint8_t data[BYTES_MAX];
	uint32_t i;

	for (i = 0; i < BYTES_MAX; i++)
		data[i] = (uint8_t)vm_random(vm, 256);
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		if (!exchange(&qp, data, lengths[i]))
			return false;
	printf("peer: %u SENDs acknowledged and back, none with a wrong ICRC\n", i);
	return true;
}
