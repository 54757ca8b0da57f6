// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* cm.c - a connection to a listener of RDMA CM, set up and torn down. */
#include "vm.h"

#include <string.h>

/* What the listener is told after RDMA CM's own header: it logs it. */
static const uint8_t said[] = { 'i', 'b', 'w', 'i', 'r', 'e' };

static bool build_req(struct vm *vm, const struct ibw_cm_conn *c, uint8_t *mad)
{
	struct ibw_cm_req req = {
		.service_id = ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, VM_PORT),
		.pkey = IBW_PKEY_DEFAULT_FULL,
		.path_mtu = 3, /* 1024 */
		.resp_res = 1,
		.init_depth = 1,
		.remote_resp_timeout = 20,
		.local_resp_timeout = 20,
		.retry_count = 7,
		.rnr_retry_count = 7,
		.max_cm_retries = 15,
		.primary_local_lid = IBW_LID_PERMISSIVE,
		.primary_remote_lid = IBW_LID_PERMISSIVE,
		.primary_packet_rate = 2,
		.primary_hop_limit = 64,
		.primary_subnet_local = 1,
		.primary_ack_timeout = ibw_ack_timeout_code(IBW_ROCE_LIFE, 0),
	};
	struct ibw_cm_mad *m;

	memcpy(req.primary_local_gid, vm->here, IBW_GID_BYTES);
	memcpy(req.primary_remote_gid, vm->there, IBW_GID_BYTES);
	m = ibw_cm_build_req(mad, IBW_MAD_BYTES, c, &req);
	if (!m)
		return vm_fail("no REQ");
	if (ibw_gid_is_ipv4(vm->here))
		ibw_cma_put_ipv4(ibw_cm_req_private(m), ibw_gid_to_ipv4(vm->here),
				 ibw_gid_to_ipv4(vm->there), 40000);
	else
		ibw_cma_put_ipv6(ibw_cm_req_private(m), vm->here, vm->there, 40000);
	memcpy(ibw_cm_req_private(m) + IBW_CMA_BYTES, said, sizeof(said));
	return true;
}

/* A REQ, again and again until rxe has its addresses, then the RTU. */
bool vm_connect(struct vm *vm, struct ibw_cm_conn *c)
{
	uint8_t mad[IBW_MAD_BYTES];
	struct vm_packet p;
	const uint8_t *answer;
	unsigned int tries;

	if (!build_req(vm, c, mad))
		return false;
	for (tries = 1; tries <= 20; tries++) {
		if (!vm_send_mad(vm, mad))
			return false;
		answer = vm_receive_mad(vm, &p, IBW_CLASS_COMM_MGT, vm_msec() + 500);
		if (!answer)
			continue;
		if (!ibw_cm_take_rep(c, answer, IBW_MAD_BYTES))
			return vm_fail("no REP, but attribute 0x%04x, reason %u",
				       ibw_get_be16(answer + 16), ibw_get_be16(answer + 34));
		if (ibw_get_be64(answer + 8) != c->tid)
			return vm_fail("REP of another transaction");
		printf("peer: REP after %u REQs: QP 0x%06x, PSN 0x%06x\n", tries, c->remote.qpn,
		       c->remote.psn);
		return ibw_cm_build_rtu(mad, sizeof(mad), c) && vm_send_mad(vm, mad);
	}
	return vm_fail("no answer to a REQ");
}

bool vm_disconnect(struct vm *vm, struct ibw_cm_conn *c)
{
	uint64_t deadline = vm_msec() + 5000;
	const struct ibw_cm_drep_wire *drep;
	const struct ibw_cm_mad *m;
	uint8_t mad[IBW_MAD_BYTES];
	struct vm_packet p;
	const uint8_t *answer;

	if (!ibw_cm_build_dreq(mad, sizeof(mad), c, c->tid + 1) || !vm_send_mad(vm, mad))
		return false;
	do {
		answer = vm_receive_mad(vm, &p, IBW_CLASS_COMM_MGT, deadline);
		if (!answer)
			return vm_fail("no DREP");
		m = ibw_cm_view(answer, IBW_MAD_BYTES, IBW_ATTR_CM_DREP);
	} while (!m);
	drep = (const struct ibw_cm_drep_wire *)m->data;
	if (ibw_mad_tid(&m->mad) != c->end_tid ||
	    ibw_cm_drep_local_comm_id(drep) != c->remote.comm_id ||
	    ibw_cm_drep_remote_comm_id(drep) != c->local.comm_id)
		return vm_fail("DREP of another connection");
	printf("peer: DREP\n");
	return true;
}
