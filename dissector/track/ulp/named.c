/* SPDX-License-Identifier: GPL-2.0-or-later */
/* named.c - connections whose upper layer the user names, and whether their messages agree with it. */
#include <string.h>

#include <ibwire/ibwire.h>

#include "impl.h"

/* Queues without their other way that are looked at for an answer, the newest ones; answers that have to fit where several may. */
#define LOOKED_AT 64u
#define FITS 3u

void track_ulps_name(struct track_ulps *u, const struct track_ulp_name *name, unsigned int n)
{
	unsigned int i;

	u->n_named = MIN(n, TRACK_ULP_NAMES_MAX);
	for (i = 0; i < u->n_named; i++)
		u->named[i].name = name[i];
}

const struct track_ulp_named *track_ulps_named(const struct track_ulps *u, unsigned int *n)
{
	*n = u->n_named;
	return u->named;
}

/* Which packets */

static bool is_at(const struct track_ulp_name *name, const struct track_flow *flow,
		  const uint8_t address[16])
{
	return name->anywhere || (name->lid == (flow->address == TRACK_ADDRESS_LID) &&
				  memcmp(name->address, address, 16) == 0);
}

static bool is_to_service(const struct track_cm_said *said, uint32_t port)
{
	const struct ibw_sid sid = ibw_sid_split(said->service_id);

	return sid.kind == IBW_SID_RDMA_CM && sid.port == port;
}

static bool is_called(const struct track_ulp_x *x, const struct track_ulp_name *name)
{
	const struct track_flow *flow = x->flow;
	const struct track_cm_said *said;

	if (x->sent)
		return name->is_port && (flow->dqpn == name->number || flow->sport == name->number);
	if (!name->is_port && flow->dqpn == name->number && is_at(name, flow, flow->dst))
		return true;
	said = track_cm_ask(x->u->cm, flow);
	if (!said)
		return false;
	if (name->is_port)
		return is_to_service(said, name->number);
	return said->sure_sqpn == name->number && is_at(name, flow, flow->src);
}

/* What a message may be */

/* Of capsules that go through RDMA the data are described by an SGL; two commands may be fused. NVMe base 2.0, 3.3.3.1 */
#define NVME_PSDT 0xc0
#define NVME_SGL 0x40
#define NVME_FUSED 0x02
#define NVME_SGL_TYPE_AT 39u

static bool is_capsule(const struct track_ulp_x *x)
{
	uint8_t type;

	if (x->n < IBW_NVME_CAPSULE_BYTES || (x->p[1] & NVME_PSDT) != NVME_SGL ||
	    (x->p[1] & ~NVME_PSDT) > NVME_FUSED)
		return false;
	type = x->p[NVME_SGL_TYPE_AT];
	return type == 0 || type == 0x01 || type == 0x30 || type == 0x40 || type == 0x4f;
}

bool track_ulp_nvme_is_command(const struct track_ulp_x *x)
{
	const uint8_t fctype = x->n > 4 ? x->p[4] : 0;

	return is_capsule(x) && (ibw_nvme_opcode_name(true, x->p[0], fctype) ||
				 ibw_nvme_opcode_name(false, x->p[0], fctype));
}

static bool is_completion(const struct track_ulp_x *x)
{
	return x->n == ibw_nvme_completion_BYTES && x->len == ibw_nvme_completion_BYTES;
}

/* Whole headers, that fit the message. */
static bool fits_walk(const struct track_ulp_x *x, enum ibw_ulp ulp, enum track_ulp_side side)
{
	const struct track_ulp_walk *w = track_ulp_walk(x, ulp, side);

	return w->walked.n_spans && (w->walked.outcome != IBW_MALFORMED || !track_ulp_is_whole(x));
}

/* Of iSCSI those of a target have this bit, of SRP this one. */
#define ISCSI_OF_TARGET 0x20
#define SRP_OF_TARGET 0x80

static bool is_iser_pdu(const struct track_ulp_x *x, enum track_ulp_side side)
{
	const struct ibw_iser_ctrl_wire *iser = (const void *)x->p;
	const uint32_t at = ibw_iser_ctrl_BYTES;
	uint8_t opcode;

	if (x->n < at + ibw_iscsi_scsi_req_BYTES || x->p[0] >> 4 != IBW_ISER_CONTROL ||
	    ibw_iser_ctrl_rsvd_set(iser))
		return false;
	opcode = x->p[at] & 0x3f;
	return ibw_iscsi_opcode_name(opcode) &&
	       !(opcode & ISCSI_OF_TARGET) == (side == TRACK_ULP_ASKS) &&
	       fits_walk(x, IBW_ULP_ISER, side);
}

static bool is_srp_iu(const struct track_ulp_x *x, enum track_ulp_side side)
{
	return x->n && ibw_srp_opcode_name(x->p[0]) &&
	       !(x->p[0] & SRP_OF_TARGET) == (side == TRACK_ULP_ASKS) &&
	       fits_walk(x, IBW_ULP_SRP, side);
}

/* Either end may call. */
static bool is_rpc(const struct track_ulp_x *x)
{
	const struct ibw_rpcrdma_hdr_wire *h = (const void *)x->p;

	return x->n >= ibw_rpcrdma_hdr_BYTES && ibw_rpcrdma_hdr_vers(h) == 1 &&
	       ibw_rpcrdma_hdr_credit(h) &&
	       ibw_name_of(ibw_rpcrdma_type_names, ibw_rpcrdma_hdr_type(h)) &&
	       fits_walk(x, IBW_ULP_RPCRDMA, TRACK_ULP_ASKS);
}

static bool is_smb_direct(const struct track_ulp_x *x, enum track_ulp_side side)
{
	return fits_walk(x, IBW_ULP_SMB_DIRECT, side);
}

static bool may_come(const struct track_ulp_x *x, enum ibw_ulp ulp, enum track_ulp_side side)
{
	switch (ulp) {
	case IBW_ULP_NVME:
		return side == TRACK_ULP_ASKS ? is_capsule(x) : is_completion(x);
	case IBW_ULP_ISER:
		return is_iser_pdu(x, side);
	case IBW_ULP_SRP:
		return is_srp_iu(x, side);
	case IBW_ULP_RPCRDMA:
		return is_rpc(x);
	default:
		return is_smb_direct(x, side);
	}
}

/* Whether a message of SMB Direct has a request of SMB2. MS-SMB2, 2.2.1.2 */
static bool has_smb2_request(const struct track_ulp_x *x)
{
	const struct track_ulp_walk *w = track_ulp_walk(x, IBW_ULP_SMB_DIRECT, TRACK_ULP_ASKS);
	const struct ibw_smb2_hdr_wire *smb2 = track_ulp_find(x, w, IBW_LAYER_smb2_hdr);

	return smb2 && !(ibw_get_le32(ibw_smb2_hdr_flags(smb2)) & 1);
}

/* A command, by which it is known who asks. */
static bool asks(const struct track_ulp_x *x, enum ibw_ulp ulp)
{
	switch (ulp) {
	case IBW_ULP_NVME:
		return track_ulp_nvme_is_command(x);
	case IBW_ULP_SRP:
		return is_srp_iu(x, TRACK_ULP_ASKS) && x->p[0] == IBW_SRP_CMD;
	case IBW_ULP_RPCRDMA:
		return is_rpc(x) && track_ulp_rpc_begins(x);
	case IBW_ULP_SMB_DIRECT:
		return is_smb_direct(x, TRACK_ULP_ASKS) && has_smb2_request(x);
	default:
		return may_come(x, ulp, TRACK_ULP_ASKS);
	}
}

/* What becomes of a name */

static void refute(struct track_ulp_named *n, const struct track_ulp_x *x, enum ibw_ulp ulp)
{
	if (n->wrong_frame)
		return;
	n->wrong_frame = x->at->frame;
	n->wrong_ulp = (uint8_t)ulp;
}

/* Whether a queue of the flow was given up that had this name. */
static bool was_given_up(const struct track_ulp_x *x, unsigned int i)
{
	const struct track_ulp_way *way = track_table_get(x->u->ways, x->flow);
	const struct track_ulp_queue *q = way ? x->u->queues->pdata[way->queue - 1] : NULL;

	return q && q->given_up && q->by_name == i;
}

enum ibw_ulp track_ulp_named_begins(struct track_ulp_x *x)
{
	struct track_ulp_named *n;
	enum ibw_ulp ulp;
	unsigned int i;

	for (i = 0; x->message == TRACK_ULP_SEND && i < x->u->n_named; i++) {
		n = &x->u->named[i];
		if (!is_called(x, &n->name) || was_given_up(x, i))
			continue;
		ulp = (enum ibw_ulp)n->name.ulp;
		n->messages++;
		if (asks(x, ulp)) {
			n->queues++;
			x->by_name = (uint8_t)(i + 1);
			return ulp;
		}
		if (!x->cut && !may_come(x, ulp, TRACK_ULP_ASKS) &&
		    !may_come(x, ulp, TRACK_ULP_ANSWERS))
			refute(n, x, IBW_ULP_NONE);
	}
	return IBW_ULP_NONE;
}

void track_ulp_named_shown(struct track_ulp_x *x, enum ibw_ulp ulp)
{
	struct track_ulp_named *n;
	unsigned int i;

	for (i = 0; i < x->u->n_named; i++) {
		n = &x->u->named[i];
		if (!is_called(x, &n->name))
			continue;
		n->messages++;
		if (n->name.ulp == ulp)
			n->queues++;
		else
			refute(n, x, ulp);
	}
}

bool track_ulp_named_holds(struct track_ulp_x *x)
{
	struct track_ulp_queue *q = x->q;
	struct track_ulp_named *n = &x->u->named[q->by_name];

	if (q->confirmed || x->cut || x->message != TRACK_ULP_SEND ||
	    may_come(x, (enum ibw_ulp)q->ulp, x->side))
		return true;
	q->given_up = true;
	n->queues--;
	refute(n, x, IBW_ULP_NONE);
	return false;
}

/* Whose answers are known */

static struct track_ulp_candidate *candidate_of(struct track_ulp_queue *q, uint32_t qpn)
{
	unsigned int i;

	for (i = 0; i < TRACK_ULP_CANDIDATES; i++) {
		if (!q->candidate[i].seen)
			q->candidate[i] = (struct track_ulp_candidate){ .qpn = qpn, .seen = true };
		if (q->candidate[i].qpn == qpn)
			return &q->candidate[i];
	}
	return NULL;
}

static bool is_from_other_end(const struct track_ulp_queue *q, const struct track_flow *flow)
{
	struct track_flow back = q->flow;

	track_flow_turn(&back);
	back.dqpn = flow->dqpn;
	return track_flow_equal(&back, flow);
}

static bool is_open(const struct track_ulp_queue *q)
{
	return q->named && !q->given_up && q->back_qpn == TRACK_CM_NO_QPN;
}

/* Whether it is an answer to an open command, or moves data of one. */
static bool is_for(const struct track_ulp_x *x)
{
	return x->message == TRACK_ULP_SEND ? track_ulp_fits(x) : track_ulp_is_offered(x);
}

/* The only queue that has an open command which the packet is for; NULL: none, or several. */
static struct track_ulp_queue *only_one(struct track_ulp_x *x)
{
	unsigned int i = x->u->queues->len, left = LOOKED_AT, n = 0;
	struct track_ulp_queue *q, *found = NULL;

	for (; i && left; i--, left--) {
		q = x->u->queues->pdata[i - 1];
		if (!is_open(q) || !is_from_other_end(q, x->flow))
			continue;
		candidate_of(q, x->flow->dqpn);
		x->q = q;
		if (is_for(x)) {
			found = q;
			n++;
		}
	}
	x->q = NULL;
	return n == 1 ? found : NULL;
}

struct track_ulp_queue *track_ulp_named_pair(struct track_ulp_x *x)
{
	struct track_ulp_queue *q = only_one(x);
	struct track_ulp_candidate *c = q ? candidate_of(q, x->flow->dqpn) : NULL;

	if (!c || (++c->fits < FITS && q->candidate[1].seen))
		return NULL;
	x->q = q;
	x->u->unpaired_named--;
	track_ulp_pair(x->u, q, x->flow->dqpn, x->at);
	return q;
}
