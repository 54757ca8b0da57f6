/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * private.c - an NVMe host connects queue 1, and the controller, which reads what the host says, refuses.
 *
 * Prints:
 *	REQ: NVMe at byte 200, 56 bytes of room
 *	queue 1: receives 128, sends 128
 *	REJ: reason 28, NVMe status 6
 */
#include <stdio.h>

#include <ibwire/ibwire.h>

int main(void)
{
	struct ibw_cm_conn host = { .local = { 0x101, 0x11, 0x333 }, .tid = 7 };
	struct ibw_cm_conn controller = { .local = { 0x202, 0x22, 0x444 } };
	struct ibw_cm_req req = { .service_id = ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, IBW_CM_PORT_NVME),
				  .pkey = IBW_PKEY_DEFAULT_FULL };
	struct ibw_nvme_connect c = { .qid = 1, .hrqsize = 128, .hsqsize = 127 };
	uint8_t buf[IBW_MAD_BYTES];
	struct ibw_cm_mad *m = ibw_cm_build_req(buf, sizeof(buf), &host, &req);
	uint16_t status;
	uint32_t at, n;

	if (!m)
		return 1;
	ibw_cma_put_ipv4(ibw_cm_req_private(m), 0xc0000201, 0xc0000202, 40000);
	at = ibw_cm_consumer(m, &n); /* after RDMA CM's header */
	printf("REQ: NVMe at byte %u, %u bytes of room\n", at, n);
	if (!ibw_nvme_put_req(buf + at, n, &c))
		return 1;

	/* The controller: the bytes come from the network. */
	if (!ibw_cm_take_req(&controller, buf, sizeof(buf)) || !ibw_nvme_take_req(&c, buf + at, n))
		return 1;
	printf("queue %u: receives %u, sends %u\n", c.qid, c.hrqsize, c.hsqsize + 1);
	m = ibw_cm_build_rej(buf, sizeof(buf), &controller, 0, IBW_CM_REJ_CONSUMER);
	at = ibw_cm_consumer(m, &n);
	if (!ibw_nvme_put_rej(buf + at, n, IBW_NVME_CM_NO_RESOURCES) ||
	    !ibw_nvme_take_rej(&status, buf + at, n))
		return 1;
	printf("REJ: reason %u, NVMe status %u\n",
	       ibw_cm_rej_reason((const struct ibw_cm_rej_wire *)m->data), status);
	return 0;
}
