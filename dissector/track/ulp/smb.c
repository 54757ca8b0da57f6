/* SPDX-License-Identifier: GPL-2.0-or-later */
/* smb.c - SMB Direct: the SMB2 requests and responses that begin in its messages. MS-SMBD, MS-SMB2 */
#include <ibwire/ibwire.h>

#include "impl.h"

#define VERSION 0x0100u

/* MS-SMB2, 2.2.1.2; the end will come later: MS-ERREF */
#define OF_SERVER 1u
#define STATUS_PENDING 0x103u

/* What breaks an oplock or a lease answers nobody: MS-SMB2, 2.2.23.1 */
#define UNASKED UINT64_MAX

static const struct ibw_smb_direct_req_wire *negotiate_at(const uint8_t *p)
{
	return (const void *)p;
}

bool track_ulp_smb_begins(const struct track_ulp_x *x)
{
	const struct ibw_smb_direct_req_wire *req = negotiate_at(x->p);

	return x->n == ibw_smb_direct_req_BYTES && x->len == ibw_smb_direct_req_BYTES &&
	       ibw_get_le16(ibw_smb_direct_req_min_version(req)) == VERSION &&
	       ibw_get_le16(ibw_smb_direct_req_max_version(req)) == VERSION &&
	       !ibw_smb_direct_req_rsvd_set(req) &&
	       ibw_get_le16(ibw_smb_direct_req_credits_requested(req)) > 0;
}

/* The headers of SMB2 in a message; how many there are. */
static unsigned int headers(const struct track_ulp_x *x, enum track_ulp_side side,
			    const struct ibw_smb2_hdr_wire *header[TRACK_ULP_REPLIES_MAX])
{
	const struct track_ulp_walk *w = track_ulp_walk(x, IBW_ULP_SMB_DIRECT, side);
	unsigned int i, n = 0;

	for (i = 0; i < w->walked.n_spans && n < TRACK_ULP_REPLIES_MAX; i++)
		if (w->span[i].layer == IBW_LAYER_smb2_hdr)
			header[n++] = (const void *)(x->p + w->span[i].off);
	return n;
}

static bool is_response(const struct ibw_smb2_hdr_wire *h)
{
	return ibw_get_le32(ibw_smb2_hdr_flags(h)) & OF_SERVER;
}

void track_ulp_smb_request(struct track_ulp_x *x)
{
	const struct ibw_smb2_hdr_wire *header[TRACK_ULP_REPLIES_MAX];
	unsigned int i, n = headers(x, TRACK_ULP_ASKS, header);
	struct track_ulp_command c;

	for (i = 0; i < n; i++) {
		c = track_ulp_command_of(x, ibw_get_le64(ibw_smb2_hdr_message_id(header[i])));
		c.code.opcode = ibw_get_le16(ibw_smb2_hdr_command(header[i]));
		if (!is_response(header[i]) && c.code.opcode != IBW_SMB2_CANCEL)
			track_ulp_ask(x, &c);
	}
}

unsigned int track_ulp_smb_replies(const struct track_ulp_x *x,
				   struct track_ulp_reply reply[TRACK_ULP_REPLIES_MAX])
{
	const struct ibw_smb2_hdr_wire *header[TRACK_ULP_REPLIES_MAX];
	unsigned int i, n = headers(x, TRACK_ULP_ANSWERS, header), answers = 0;
	uint32_t status;
	uint64_t id;

	for (i = 0; i < n; i++) {
		id = ibw_get_le64(ibw_smb2_hdr_message_id(header[i]));
		status = ibw_get_le32(ibw_smb2_hdr_status(header[i]));
		if (is_response(header[i]) && id != UNASKED && status != STATUS_PENDING)
			reply[answers++] = (struct track_ulp_reply){ .id = id,
								     .status = status,
								     .header = (uint8_t)i };
	}
	return answers;
}

/* MS-SMBD, 2.2.3: data begin after the header, at a multiple of 8. */
#define SMB_ALIGN 8u
#define SMB_DATA_AT 24u

/* MS-SMBD, 2.2.1 and 2.2.2: either end says how long the messages may be that it receives, and the answer has a status. */
static void check_negotiation(struct track_ulp_x *x, const struct track_ulp_walk *w)
{
	const struct ibw_smb_direct_resp_wire *resp =
		track_ulp_find(x, w, IBW_LAYER_smb_direct_resp);
	const struct track_ulp_code none = { 0 };
	const struct ibw_smb_direct_req_wire *req = track_ulp_find(x, w, IBW_LAYER_smb_direct_req);
	uint32_t status = resp ? ibw_get_le32(ibw_smb_direct_resp_status(resp)) : 0;

	if (status)
		track_ulp_refused(x, "negotiation", none, status, x->q->first_frame);
	else if (resp)
		x->q->longest[TRACK_ULP_ASKS] = ibw_get_le32(ibw_smb_direct_resp_max_receive(resp));
	if (req)
		x->q->longest[TRACK_ULP_ANSWERS] =
			ibw_get_le32(ibw_smb_direct_req_max_receive(req));
	if (resp || req)
		track_ulp_look_at(x->u, IBW_ULP_SMB_DIRECT, true);
}

void track_ulp_smb_check(struct track_ulp_x *x)
{
	const struct ibw_smb_direct_data_wire *data = (const void *)x->p;
	const struct track_ulp_walk *w = track_ulp_walk(x, IBW_ULP_SMB_DIRECT, x->side);
	uint32_t off, n;

	check_negotiation(x, w);
	if (!w->walked.n_spans || w->span[0].layer != IBW_LAYER_smb_direct_data)
		return;
	off = ibw_get_le32(ibw_smb_direct_data_data_offset(data));
	n = ibw_get_le32(ibw_smb_direct_data_data_length(data));
	if (!ibw_get_le16(ibw_smb_direct_data_credits_requested(data)))
		track_ulp_wrong(x, TRACK_ULP_SMB_CREDITS, 0, 0);
	if (!n)
		return;
	if (off < SMB_DATA_AT || off % SMB_ALIGN)
		track_ulp_wrong(x, TRACK_ULP_SMB_OFFSET, off, SMB_DATA_AT);
	else if (x->len != TRACK_ULP_LONG && (off > x->len || n > x->len - off))
		track_ulp_wrong(x, TRACK_ULP_SMB_LENGTH, (uint64_t)off + n, x->len);
}
