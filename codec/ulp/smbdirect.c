/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* smbdirect.c - SMB Direct: negotiation, data transfers, and the SMB2 headers that begin in them. */
#include "ulp_walk.h"

#define VERSION 0x0100u
#define SMB2_PROTOCOL 0xfe534d42u

/* Whether the message is the first one of its end; a data transfer has reserved bytes, flags or an offset where this has a number. */
static bool is_negotiate(const struct ulp_walk *w)
{
	bool client = w->flags & IBW_ULP_FROM_INITIATOR;
	uint32_t bytes = client ? ibw_smb_direct_req_BYTES : ibw_smb_direct_resp_BYTES;

	if (w->c.end != bytes || ulp_left(w) < 8 || ibw_get_le16(w->c.p) != VERSION ||
	    ibw_get_le16(w->c.p + 2) != VERSION)
		return false;
	return client ? ibw_get_le16(w->c.p + 6) != 0 : ibw_get_le16(w->c.p + 4) == VERSION;
}

/* SMB2 headers, each with the offset of the next one: it moves on, so they end. */
static void walk_smb2(struct ulp_walk *w)
{
	const struct ibw_smb2_hdr_wire *smb2;
	uint32_t off = w->c.off, next;

	while (ulp_left(w) >= ibw_smb2_hdr_BYTES && ibw_get_be32(w->c.p + off) == SMB2_PROTOCOL) {
		smb2 = ULP_TAKE(w, smb2_hdr);
		next = ibw_get_le32(ibw_smb2_hdr_next(smb2));
		w->c.off = off;
		if (!next)
			return;
		if (next < ibw_smb2_hdr_BYTES || next > w->c.end - off) {
			/* Fragments that follow may have it. */
			return;
		}
		off += next;
		w->c.off = off;
	}
}

static void walk_transfer(struct ulp_walk *w)
{
	const struct ibw_smb_direct_data_wire *data = ULP_TAKE(w, smb_direct_data);
	uint32_t off, n;

	if (!data)
		return;
	off = ibw_get_le32(ibw_smb_direct_data_data_offset(data));
	n = ibw_get_le32(ibw_smb_direct_data_data_length(data));
	if (!n)
		return;
	if (off < ibw_smb_direct_data_BYTES || off > w->c.end) {
		ulp_wrong(w, 0, IBW_LAYER_smb_direct_data, "data_offset", 24, off);
		return;
	}
	w->c.off = off;
	if (!ulp_fits(w, 0, IBW_LAYER_smb_direct_data, "data_length", n))
		return;
	cursor_end(&w->c, off + n, IBW_LAYER_smb_direct_data);
	walk_smb2(w);
	w->c.off = off;
	ulp_rest(w, IBW_LAYER_smb_direct_data);
}

void ibw_ulp_walk_smb_direct(struct ulp_walk *w)
{
	if (!is_negotiate(w))
		walk_transfer(w);
	else if (w->flags & IBW_ULP_FROM_INITIATOR)
		ULP_TAKE(w, smb_direct_req);
	else
		ULP_TAKE(w, smb_direct_resp);
}

const char *ibw_smb2_command_name(uint16_t command)
{
	return ibw_name_of(ibw_smb2_command_names, command);
}
