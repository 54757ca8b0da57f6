/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cm.c - a connection set up and torn down, both ends in one program.
 *
 * Prints:
 *	REQ: service 0x0000000001061f90, RDMA CM over IPv4
 *	active: sends to QP 0x000022, from PSN 0x000444 on
 *	passive: sends to QP 0x000011, from PSN 0x000333 on
 *	RTU: ids 0x00000101 0x00000202, transaction 0x7
 *	DREP: ids 0x00000202 0x00000101, transaction 0x8
 */
#include <stdio.h>

#include <ibwire/ibwire.h>

int main(void)
{
	struct ibw_cm_conn a = { .local = { 0x101, 0x11, 0x333 }, .tid = 7 };
	struct ibw_cm_conn p = { .local = { 0x202, 0x22, 0x444 } };
	struct ibw_cm_req req = { .service_id = ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, 8080),
				  .pkey = IBW_PKEY_DEFAULT_FULL,
				  .path_mtu = 3,
				  .primary_ack_timeout = ibw_ack_timeout_code(IBW_ROCE_LIFE, 0) };
	struct ibw_cm_rep rep = { .rnr_retry_count = 7 };
	uint8_t buf[IBW_MAD_BYTES];
	struct ibw_cm_mad *m = ibw_cm_build_req(buf, sizeof(buf), &a, &req);

	if (!m)
		return 1;
	ibw_cma_put_ipv4(ibw_cm_req_private(m), 0xc0000201, 0xc0000202, 40000);
	printf("REQ: service 0x%016llx, RDMA CM over IPv%u\n", (unsigned long long)req.service_id,
	       ibw_cma_ip_version(ibw_cm_req_private(m), IBW_CM_REQ_PRIVATE));
	if (!ibw_cm_take_req(&p, buf, sizeof(buf)) ||
	    !ibw_cm_build_rep(buf, sizeof(buf), &p, &rep) || !ibw_cm_take_rep(&a, buf, sizeof(buf)))
		return 1;
	printf("active: sends to QP 0x%06x, from PSN 0x%06x on\n", a.remote.qpn, a.remote.psn);
	printf("passive: sends to QP 0x%06x, from PSN 0x%06x on\n", p.remote.qpn, p.remote.psn);
	m = ibw_cm_build_rtu(buf, sizeof(buf), &a);
	printf("RTU: ids 0x%08x 0x%08x, transaction 0x%llx\n", ibw_get_be32(m->data),
	       ibw_get_be32(m->data + 4), (unsigned long long)ibw_mad_tid(&m->mad));
	ibw_cm_build_dreq(buf, sizeof(buf), &a, 8);
	if (!ibw_cm_take_dreq(&p, buf, sizeof(buf)))
		return 1;
	m = ibw_cm_build_drep(buf, sizeof(buf), &p);
	printf("DREP: ids 0x%08x 0x%08x, transaction 0x%llx\n", ibw_get_be32(m->data),
	       ibw_get_be32(m->data + 4), (unsigned long long)ibw_mad_tid(&m->mad));
	return 0;
}
