/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nvme.c - NVMe over Fabrics: command capsules, response capsules, and what a Connect command says. */
#include <string.h>

#include <ibwire/ibwire.h>

#include "impl.h"

/* A response capsule has nothing else. */
#define CQE_BYTES (uint32_t) ibw_nvme_completion_BYTES

/* Where the descriptor and dwords 10 to 15 of a command are. */
#define SGL_AT 24u
#define CDW10_AT 40u

/* The data of a Connect command is 1,024 bytes: NVMe base 2.0, 6.3 */
#define CONNECT_BYTES (uint32_t) ibw_nvmf_connect_data_BYTES

static const struct ibw_nvme_command_wire *command_at(const uint8_t *p)
{
	return (const void *)p;
}

static const struct ibw_nvme_sgl_keyed_wire *sgl_at(const uint8_t *p)
{
	return (const void *)(p + SGL_AT);
}

static uint32_t sgl_bytes(const uint8_t *p)
{
	const uint8_t *length = ibw_nvme_sgl_keyed_length(sgl_at(p));

	return length[0] | (uint32_t)length[1] << 8 | (uint32_t)length[2] << 16;
}

static struct track_ulp_code code_of(const uint8_t *p)
{
	const struct ibw_nvmf_command_wire *fabrics = (const void *)p;
	struct track_ulp_code code = { .opcode = ibw_nvme_command_opcode(command_at(p)) };

	if (code.opcode == IBW_NVME_ADMIN_FABRICS)
		code.type = ibw_nvmf_command_fctype(fabrics);
	return code;
}

/* No other message has all of this: a Connect command, record format 0, whose data are as long as they have to be. */
bool track_ulp_nvme_begins(const struct track_ulp_x *x)
{
	const struct ibw_nvmf_connect_wire *connect;

	if (x->n < IBW_NVME_CAPSULE_BYTES || x->p[0] != IBW_NVME_ADMIN_FABRICS)
		return false;
	connect = (const void *)(x->p + CDW10_AT);
	return code_of(x->p).type == IBW_NVMF_CONNECT &&
	       ibw_get_le16(ibw_nvmf_connect_recfmt(connect)) == 0 &&
	       ibw_get_le16(ibw_nvmf_connect_sqsize(connect)) > 0 &&
	       sgl_bytes(x->p) == CONNECT_BYTES;
}

/* A command, where the host's REQ or MPA request lets expect a Connect. NVMe over Fabrics 1.1, 3.3 */
static void not_connect(struct track_ulp_x *x, const struct track_ulp_agreed *agreed)
{
	struct track_ulp_command c =
		track_ulp_command_of(x, ibw_get_le16(ibw_nvme_command_cid(command_at(x->p))));

	c.code = code_of(x->p);
	x->q->id = agreed->qid;
	if (c.code.opcode != IBW_NVME_ADMIN_FABRICS || c.code.type != IBW_NVMF_CONNECT)
		track_ulp_say(x, TRACK_ULP_NOT_CONNECT, &c, c.code.opcode, 0, 0);
}

void track_ulp_nvme_first(struct track_ulp_x *x)
{
	const struct ibw_nvmf_connect_wire *connect = (const void *)(x->p + CDW10_AT);
	struct track_ulp_place place;
	const struct track_ulp_agreed *agreed = track_ulp_agreed_of(x, &place);

	if (agreed && (agreed->ulp != IBW_ULP_NVME || !x->q->from_start))
		agreed = NULL;
	if (!track_ulp_nvme_begins(x)) {
		if (agreed)
			not_connect(x, agreed);
		return;
	}
	x->q->id = ibw_get_le16(ibw_nvmf_connect_qid(connect));
	x->q->depth = ibw_get_le16(ibw_nvmf_connect_sqsize(connect)) + 1u;
	if (!x->q->id)
		x->q->kato = ibw_get_le32(ibw_nvmf_connect_kato(connect));
	if (agreed && agreed->qid != x->q->id)
		track_ulp_wrong(x, TRACK_ULP_CONNECT_QID, x->q->id, agreed->qid);
}

/* A name from the wire, as far as it is text. */
static void take_name(struct track_ulp_queue *q, const uint8_t *p, uint32_t n)
{
	uint32_t i = 0;

	while (i < n && i < TRACK_ULP_NAME - 1 && p[i] > ' ' && p[i] < 0x7f)
		i++;
	if (i && !q->name)
		q->name = g_strndup((const char *)p, i);
}

/* The subsystem that a Connect command names in its data, if they are in the capsule or in one packet. */
static void connect_data(struct track_ulp_queue *q, const uint8_t *p, uint32_t n)
{
	const uint32_t at = ibw_nvmf_connect_data_subnqn_AT / 8;

	if (n >= at + TRACK_ULP_NAME)
		take_name(q, p + at, n - at);
}

/* Memory that the capsule offers. */
static void offer(struct track_ulp_x *x, struct track_ulp_command *c)
{
	struct track_ulp_memory memory = { .address = ibw_get_le64(
						   ibw_nvme_sgl_keyed_addr(sgl_at(x->p))) };

	c->bytes = sgl_bytes(x->p);
	c->key = ibw_get_le32(ibw_nvme_sgl_keyed_key(sgl_at(x->p)));
	memory.length = c->bytes;
	track_ulp_ask(x, c);
	track_ulp_offer(x, c, c->key, &memory);
}

/* Data that is in the capsule. */
static void take_data(struct track_ulp_x *x, struct track_ulp_command *c)
{
	const struct ibw_nvme_sgl_wire *sgl = (const void *)sgl_at(x->p);

	c->bytes = ibw_get_le32(ibw_nvme_sgl_length(sgl));
	if (c->code.opcode == IBW_NVME_ADMIN_FABRICS && c->code.type == IBW_NVMF_CONNECT)
		connect_data(x->q, x->p + IBW_NVME_CAPSULE_BYTES, x->n - IBW_NVME_CAPSULE_BYTES);
	track_ulp_ask(x, c);
}

/* Of a command of this queue it is known when it was sent. NVMe base 2.0, 5.1 */
static void abort_command(struct track_ulp_x *x, const struct track_ulp_command *c)
{
	uint32_t cdw10 = ibw_get_le32(x->p + CDW10_AT);
	uint64_t id = cdw10 >> 16;

	track_ulp_task(x, c, 0, (cdw10 & 0xffff) == x->q->id ? &id : NULL);
}

/* Where Identify says which data structure is wanted, and Set Features which feature: NVMe base 2.0, 5.17 and 5.27 */
#define CNS_CONTROLLER 0x01u
#define FEATURE_KEEP_ALIVE 0x0fu

/* What an admin command changes or asks for: with another timeout it is not known which one holds when. */
static void note_admin(struct track_ulp_x *x, struct track_ulp_command *c)
{
	uint8_t which = x->p[CDW10_AT];

	c->identifies = c->code.opcode == IBW_NVME_ADMIN_IDENTIFY && which == CNS_CONTROLLER;
	if (c->code.opcode == IBW_NVME_ADMIN_SET_FEATURES && which == FEATURE_KEEP_ALIVE)
		x->q->kato = 0;
}

void track_ulp_nvme_request(struct track_ulp_x *x)
{
	struct track_ulp_command c;

	if (x->n < IBW_NVME_CAPSULE_BYTES)
		return;
	c = track_ulp_command_of(x, ibw_get_le16(ibw_nvme_command_cid(command_at(x->p))));
	c.code = code_of(x->p);
	if (x->q->id == 0 && !x->q->id_unknown)
		note_admin(x, &c);
	if (x->q->id == 0 && !x->q->id_unknown && c.code.opcode == IBW_NVME_ADMIN_ABORT)
		abort_command(x, &c);
	switch (ibw_nvme_sgl_keyed_type(sgl_at(x->p))) {
	case IBW_NVME_SGL_KEYED:
		offer(x, &c);
		break;
	case IBW_NVME_SGL_DATA_BLOCK:
		take_data(x, &c);
		break;
	default:
		track_ulp_ask(x, &c);
	}
}

static const struct ibw_nvme_completion_wire *completion_at(const uint8_t *p)
{
	return (const void *)p;
}

unsigned int track_ulp_nvme_replies(const struct track_ulp_x *x,
				    struct track_ulp_reply reply[TRACK_ULP_REPLIES_MAX])
{
	const struct ibw_nvme_completion_wire *cqe = completion_at(x->p);

	if (x->n != CQE_BYTES || x->len != CQE_BYTES)
		return 0;
	*reply = (struct track_ulp_reply){ .id = ibw_get_le16(ibw_nvme_completion_cid(cqe)),
					   .status = ibw_nvme_completion_status(cqe),
					   .queue = ibw_get_le16(ibw_nvme_completion_sqid(cqe)) };
	return 1;
}

void track_ulp_nvme_names(struct track_ulp_x *x)
{
	if (x->side != TRACK_ULP_ASKS || !x->q->name_asked ||
	    (!x->sent && x->psn != x->q->name_psn))
		return;
	connect_data(x->q, x->p, x->n);
	x->q->name_asked = false;
}

/* Types of an SGL descriptor, and where that is in it; NVMe base 2.0, 4.1.2 */
#define SGL_TYPE_AT 15u
#define SGL_OFFSET 0x01    /* data in the capsule */
#define SGL_SEGMENT 0x30   /* the last segment */
#define SGL_KEYED 0x40     /* memory of the host */
#define SGL_KEYED_INV 0x4f /* the same, which the answer invalidates */

static void check_command(struct track_ulp_x *x)
{
	const struct ibw_nvme_sgl_wire *sgl = (const void *)(x->p + SGL_AT);
	uint64_t bytes = x->len - IBW_NVME_CAPSULE_BYTES, end;
	uint8_t type;

	if (x->n < IBW_NVME_CAPSULE_BYTES)
		return;
	type = x->p[SGL_AT + SGL_TYPE_AT];
	end = (uint64_t)ibw_get_le32(ibw_nvme_sgl_length(sgl));
	if (type != SGL_OFFSET && type != SGL_SEGMENT && type != SGL_KEYED &&
	    type != SGL_KEYED_INV && (type || end))
		track_ulp_wrong(x, TRACK_ULP_SGL_TYPE, type, 0);
	if (type != SGL_OFFSET || x->len == TRACK_ULP_LONG)
		return;
	if (ibw_get_le64(x->p + SGL_AT) > bytes || end > bytes - ibw_get_le64(x->p + SGL_AT))
		track_ulp_wrong(x, TRACK_ULP_SGL_BEYOND, end, bytes);
}

/* I/O Queue Command Capsule Supported Size, in units of 16 bytes: NVMe base 2.0, 5.17.2.1 */
#define IOCCSZ_AT 1792u
#define IOCCSZ_UNIT 16u

void track_ulp_nvme_written(struct track_ulp_x *x, const struct track_ulp_command *c)
{
	struct track_ulp_queue *q = x->u->queues->pdata[c->queue];
	uint32_t units;

	if (x->n < IOCCSZ_AT + 4)
		return;
	units = ibw_get_le32(x->p + IOCCSZ_AT);
	q->capsule = units < UINT16_MAX ? units * IOCCSZ_UNIT : 0;
}

/* Queues that are looked at for the admin queue of an I/O queue, the newest ones. */
#define LOOKED_AT 64u

static bool is_admin_of(const struct track_ulp_queue *admin, const struct track_ulp_queue *q)
{
	return admin->ulp == IBW_ULP_NVME && !admin->id && admin->controller_known &&
	       admin->controller == q->controller && admin->flow.address == q->flow.address &&
	       !memcmp(admin->flow.src, q->flow.src, sizeof(q->flow.src)) &&
	       !memcmp(admin->flow.dst, q->flow.dst, sizeof(q->flow.dst)) && admin->name &&
	       q->name && !strcmp(admin->name, q->name);
}

/* What the controller said to its admin queue of the capsules of its I/O queues. */
static void take_capsule(const struct track_ulps *u, struct track_ulp_queue *q)
{
	unsigned int i = u->queues->len, left = LOOKED_AT;
	const struct track_ulp_queue *admin;

	for (; i && left; i--, left--) {
		admin = u->queues->pdata[i - 1];
		if (!is_admin_of(admin, q))
			continue;
		q->longest[TRACK_ULP_ASKS] = admin->closed_frame ? 0 : admin->capsule;
		return;
	}
}

/* The answer to a Connect command has the ID of the controller. NVMe over Fabrics 1.1, 3.3 */
static void note_controller(struct track_ulp_x *x)
{
	const struct ibw_nvme_completion_wire *cqe = completion_at(x->p);
	const struct track_ulp_command *c;

	if (x->n != CQE_BYTES)
		return;
	c = track_ulp_asked(x, ibw_get_le16(ibw_nvme_completion_cid(cqe)));
	if (!c || c->code.opcode != IBW_NVME_ADMIN_FABRICS || c->code.type != IBW_NVMF_CONNECT ||
	    ibw_nvme_completion_status(cqe))
		return;
	x->q->controller = ibw_get_le16(x->p);
	x->q->controller_known = true;
	if (x->q->id) {
		take_capsule(x->u, x->q);
		track_ulp_look_at(x->u, IBW_ULP_NVME, x->q->longest[TRACK_ULP_ASKS]);
	}
}

static void check_answer(struct track_ulp_x *x)
{
	note_controller(x);
	if (x->len != CQE_BYTES)
		track_ulp_wrong(x, TRACK_ULP_CQE_BYTES, x->len == TRACK_ULP_LONG ? x->n : x->len,
				CQE_BYTES);
}

void track_ulp_nvme_check(struct track_ulp_x *x)
{
	if (x->side == TRACK_ULP_ASKS)
		check_command(x);
	else
		check_answer(x);
}
