// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* echo_cm.c - a listener of RDMA CM; each connection sends back what it receives. */
#include "echo.h"

#include <linux/slab.h>
#include <rdma/rdma_cm.h>

#define BUFFERS 8
#define BUFFER_BYTES 4096

struct echo_conn {
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct echo_buffer {
		struct ib_cqe received, sent;
		struct echo_conn *conn;
		u64 addr;
		u8 data[BUFFER_BYTES];
	} buffer[BUFFERS];
};

static struct rdma_cm_id *listener;

static void post_recv(struct echo_buffer *b)
{
	struct ib_sge sge = { b->addr, BUFFER_BYTES, b->conn->pd->local_dma_lkey };
	struct ib_recv_wr wr = { .wr_cqe = &b->received, .sg_list = &sge, .num_sge = 1 };

	if (ib_post_recv(b->conn->qp, &wr, NULL))
		pr_err("no receive\n");
}

static void sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct echo_buffer *b = container_of(wc->wr_cqe, struct echo_buffer, sent);

	if (wc->status == IB_WC_SUCCESS)
		post_recv(b);
	else if (wc->status != IB_WC_WR_FLUSH_ERR)
		pr_err("send: %s\n", ib_wc_status_msg(wc->status));
}

static void received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct echo_buffer *b = container_of(wc->wr_cqe, struct echo_buffer, received);
	struct ib_sge sge = { b->addr, wc->byte_len, b->conn->pd->local_dma_lkey };
	struct ib_send_wr wr = { .wr_cqe = &b->sent,
				 .sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IB_WR_SEND,
				 .send_flags = IB_SEND_SIGNALED };

	if (wc->status == IB_WC_SUCCESS && ib_post_send(b->conn->qp, &wr, NULL))
		pr_err("no send\n");
	else if (wc->status != IB_WC_SUCCESS && wc->status != IB_WC_WR_FLUSH_ERR)
		pr_err("receive: %s\n", ib_wc_status_msg(wc->status));
}

static void conn_free(struct echo_conn *c)
{
	if (!IS_ERR_OR_NULL(c->cq))
		ib_free_cq(c->cq);
	if (!IS_ERR_OR_NULL(c->pd))
		ib_dealloc_pd(c->pd);
	kfree(c);
}

static int accept(struct rdma_cm_id *id, struct rdma_conn_param *req)
{
	struct rdma_conn_param param = { .rnr_retry_count = 7 };
	struct ib_qp_init_attr attr = { .qp_type = IB_QPT_RC, .sq_sig_type = IB_SIGNAL_REQ_WR };
	struct echo_conn *c = kzalloc(sizeof(*c), GFP_KERNEL);
	int i, err = -ENOMEM;

	pr_info("REQ from QP 0x%06x, private data %*ph\n", req->qp_num, 6, req->private_data);
	if (!c)
		return err;
	c->pd = ib_alloc_pd(id->device, 0);
	c->cq = ib_alloc_cq(id->device, c, 4 * BUFFERS, 0, IB_POLL_WORKQUEUE);
	if (IS_ERR(c->pd) || IS_ERR(c->cq))
		goto out;
	attr.send_cq = c->cq;
	attr.recv_cq = c->cq;
	attr.cap.max_send_wr = BUFFERS;
	attr.cap.max_recv_wr = BUFFERS;
	attr.cap.max_send_sge = 1;
	attr.cap.max_recv_sge = 1;
	err = rdma_create_qp(id, c->pd, &attr);
	if (err)
		goto out;
	c->qp = id->qp;
	id->context = c;
	for (i = 0; i < BUFFERS; i++) {
		struct echo_buffer *b = &c->buffer[i];

		b->conn = c;
		b->received.done = received;
		b->sent.done = sent;
		b->addr = ib_dma_map_single(id->device, b->data, BUFFER_BYTES, DMA_BIDIRECTIONAL);
		post_recv(b);
	}
	param.responder_resources = req->responder_resources;
	param.initiator_depth = req->initiator_depth;
	err = rdma_accept(id, &param);
	if (!err)
		return 0;
	rdma_destroy_qp(id);
out:
	id->context = NULL;
	conn_free(c);
	return err;
}

/* Other than 0: the id is destroyed. */
static int echo_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct echo_conn *c = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return accept(id, &event->param.conn);
	case RDMA_CM_EVENT_ESTABLISHED:
		pr_info("ESTABLISHED\n");
		return 0;
	case RDMA_CM_EVENT_DISCONNECTED:
		pr_info("DISCONNECTED\n");
		rdma_disconnect(id);
		ib_drain_qp(c->qp);
		rdma_destroy_qp(id);
		conn_free(c);
		id->context = NULL;
		return 1;
	default:
		pr_info("%s, status %d\n", rdma_event_msg(event->event), event->status);
		return 0;
	}
}

int echo_listen(void)
{
	struct sockaddr_in6 any = { .sin6_family = AF_INET6, .sin6_port = htons(ECHO_PORT) };
	int err;

	listener = rdma_create_id(&init_net, echo_event, NULL, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(listener))
		return PTR_ERR(listener);
	err = rdma_bind_addr(listener, (struct sockaddr *)&any);
	if (!err)
		err = rdma_listen(listener, 1);
	if (err)
		rdma_destroy_id(listener);
	return err;
}

void echo_hang_up(void)
{
	rdma_destroy_id(listener);
}
