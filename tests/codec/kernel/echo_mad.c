// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* echo_mad.c - an agent with RMPP that sends back every table. */
#include "echo.h"

#include <linux/crc32.h>
#include <rdma/ib_mad.h>

#define SEGMENT_BYTES (IB_MGMT_MAD_SIZE - IB_MGMT_VENDOR_HDR)

static struct ib_mad_agent *agent;

static void free_send(struct ib_mad_send_buf *out)
{
	rdma_destroy_ah(out->ah, 0);
	ib_free_send_mad(out);
}

static void sent(struct ib_mad_agent *a, struct ib_mad_send_wc *wc)
{
	pr_info("table of %d bytes back: %s, RMPP status %u\n", wc->send_buf->data_len,
		ib_wc_status_msg(wc->status), wc->vendor_err);
	free_send(wc->send_buf);
}

/* The CRC of the segments of a table, which are copied into those of another if there is one. */
static u32 copy(struct ib_mad_send_buf *out, const struct ib_mad_recv_wc *in, int bytes)
{
	const struct list_head *at;
	u32 crc = ~0;
	int seg = 1;

	for (at = in->rmpp_list.next; at != &in->rmpp_list && bytes > 0; at = at->next) {
		struct ib_mad_recv_buf *buf = list_entry(at, struct ib_mad_recv_buf, list);
		const u8 *data = (const u8 *)buf->mad + IB_MGMT_VENDOR_HDR;
		int n = min_t(int, bytes, SEGMENT_BYTES);

		if (out)
			memcpy(ib_get_rmpp_segment(out, seg++), data, n);
		crc = crc32_le(crc, data, n);
		bytes -= n;
	}
	return ~crc;
}

static void send_back(struct ib_mad_agent *a, const struct ib_mad_recv_wc *in)
{
	int bytes = in->mad_len - IB_MGMT_VENDOR_HDR;
	struct ib_mad_send_buf *out;
	struct ib_mad_hdr *hdr;
	struct ib_ah *ah;

	pr_info("table of %d bytes, CRC %08x\n", bytes, copy(NULL, in, bytes));
	/*
	 * Linux 6.1 looks for what an ACK is of by the GIDs in its GRH, where a packet over IPv4
	 * has its IPv4 header: no RMPP transfer of ib_mad's own ends there.
	 */
	if (in->wc->network_hdr_type == RDMA_NETWORK_IPV4)
		return;
	ah = ib_create_ah_from_wc(a->qp->pd, in->wc, in->recv_buf.grh, a->port_num);
	if (IS_ERR(ah)) {
		pr_err("no address: %ld\n", PTR_ERR(ah));
		return;
	}
	out = ib_create_send_mad(a, in->wc->src_qp, in->wc->pkey_index, 1, IB_MGMT_VENDOR_HDR,
				 bytes, GFP_KERNEL, IB_MGMT_BASE_VERSION);
	if (IS_ERR(out)) {
		pr_err("no MAD: %ld\n", PTR_ERR(out));
		rdma_destroy_ah(ah, 0);
		return;
	}
	copy(out, in, bytes);
	hdr = out->mad;
	memcpy(hdr, in->recv_buf.mad, IB_MGMT_MAD_HDR);
	hdr->method |= IB_MGMT_METHOD_RESP;
	memcpy(out->mad + IB_MGMT_RMPP_HDR, (const u8 *)in->recv_buf.mad + IB_MGMT_RMPP_HDR,
	       IB_MGMT_VENDOR_HDR - IB_MGMT_RMPP_HDR);
	out->ah = ah;
	out->retries = 5; /* of ACKs; with a timeout, it would wait for an answer after the last */
	if (ib_post_send_mad(out, NULL)) {
		pr_err("not sent\n");
		free_send(out);
	}
}

static void received(struct ib_mad_agent *a, struct ib_mad_send_buf *out, struct ib_mad_recv_wc *in)
{
	send_back(a, in);
	ib_free_recv_mad(in);
}

int echo_register(struct ib_device *dev)
{
	struct ib_mad_reg_req req = { .mgmt_class = ECHO_CLASS, .mgmt_class_version = 1 };

	req.oui[0] = ECHO_OUI >> 16;
	req.oui[1] = ECHO_OUI >> 8 & 0xff;
	req.oui[2] = ECHO_OUI & 0xff;
	set_bit(IB_MGMT_METHOD_SEND, req.method_mask);
	agent = ib_register_mad_agent(dev, 1, IB_QPT_GSI, &req, IB_MGMT_RMPP_VERSION, sent,
				      received, NULL, 0);
	return PTR_ERR_OR_ZERO(agent);
}

void echo_unregister(void)
{
	if (!IS_ERR_OR_NULL(agent))
		ib_unregister_mad_agent(agent);
	agent = NULL;
}
