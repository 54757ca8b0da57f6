/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* nvme.c - NVMe over Fabrics: command capsules, their data, completions, and what they are called. */
#include "ulp_walk.h"

/* What a descriptor in the capsule says of where in the capsule the data is. */
struct range {
	uint32_t off, len; /* bytes from the start of the capsule */
	bool listed;       /* more descriptors are there, not data */
};

static bool is_offset(uint8_t type, uint8_t subtype)
{
	return subtype == IBW_NVME_SGL_OFFSET && type != IBW_NVME_SGL_KEYED;
}

/*
 * Whether the range that the descriptor at @off says is in the message, which alone says how long it is. An offset counts
 * from the end of the 64 bytes of the command.
 */
static bool range_of(struct ulp_walk *w, uint32_t off, const struct ibw_nvme_sgl_wire *sgl,
		     struct range *r)
{
	uint64_t addr = ibw_get_le64(ibw_nvme_sgl_addr(sgl));
	uint32_t len = ibw_get_le32(ibw_nvme_sgl_length(sgl));
	uint32_t room = w->c.end - IBW_NVME_CAPSULE_BYTES;

	if (addr > room || len > room - (uint32_t)addr) {
		ulp_wrong(w, off, IBW_LAYER_nvme_sgl, addr > room ? "addr" : "length",
			  addr > room ? room : room - (uint32_t)addr,
			  addr > room ? (uint32_t)addr : len);
		return false;
	}
	r->off = IBW_NVME_CAPSULE_BYTES + (uint32_t)addr;
	r->len = len;
	r->listed = ibw_nvme_sgl_type(sgl) == IBW_NVME_SGL_SEGMENT ||
		    ibw_nvme_sgl_type(sgl) == IBW_NVME_SGL_LAST_SEGMENT;
	return true;
}

/* One descriptor, by its type; true: it says that there is something in the capsule, @r. */
static bool take_sgl(struct ulp_walk *w, struct range *r)
{
	uint32_t off = w->c.off;
	const struct ibw_nvme_sgl_wire *sgl;
	bool keyed;

	if (ibw_nvme_sgl_BYTES > ulp_left(w)) {
		cursor_short(&w->c, off, IBW_LAYER_nvme_sgl, ibw_nvme_sgl_BYTES);
		return false;
	}
	sgl = (const struct ibw_nvme_sgl_wire *)(w->c.p + off);
	keyed = ibw_nvme_sgl_type(sgl) == IBW_NVME_SGL_KEYED;
	cursor_span(&w->c, keyed ? IBW_LAYER_nvme_sgl_keyed : IBW_LAYER_nvme_sgl,
		    ibw_nvme_sgl_BYTES);
	return is_offset(ibw_nvme_sgl_type(sgl), ibw_nvme_sgl_subtype(sgl)) &&
	       range_of(w, off, sgl, r);
}

/* The descriptors of a segment that is in the capsule; those of another segment are not looked for. */
static void walk_segment(struct ulp_walk *w, const struct range *r)
{
	uint32_t end = r->off + r->len;
	struct range nested;

	w->c.off = r->off;
	while (w->c.outcome == IBW_OK && w->c.off + ibw_nvme_sgl_BYTES <= end)
		take_sgl(w, &nested);
}

/* What follows the 64 bytes of the command: nothing, data, or descriptors and maybe data. */
static void walk_data(struct ulp_walk *w, const struct range *r, bool connect)
{
	if (r && r->listed) {
		walk_segment(w, r);
	} else if (r) {
		w->c.off = r->off;
		cursor_end(&w->c, r->off + r->len, IBW_LAYER_nvme_sgl);
		if (connect && ULP_TAKE(w, nvmf_connect_data))
			return;
	}
	if (w->c.outcome == IBW_OK)
		ulp_rest(w, IBW_LAYER_nvme_command);
}

static bool is_rw(uint8_t opcode)
{
	switch (opcode) {
	case IBW_NVME_IO_WRITE:
	case IBW_NVME_IO_READ:
	case IBW_NVME_IO_WRITE_UNCORRECTABLE:
	case IBW_NVME_IO_COMPARE:
	case IBW_NVME_IO_WRITE_ZEROES:
	case IBW_NVME_IO_VERIFY:
	case IBW_NVME_IO_ZONE_APPEND:
		return true;
	}
	return false;
}

static void walk_fabrics(struct ulp_walk *w)
{
	const struct ibw_nvmf_command_wire *cmd = ULP_TAKE(w, nvmf_command);
	struct range r, *in_capsule;

	if (!cmd)
		return;
	switch (ibw_nvmf_command_fctype(cmd)) {
	case IBW_NVMF_PROPERTY_GET:
		ULP_TAKE(w, nvmf_property_get);
		return;
	case IBW_NVMF_PROPERTY_SET:
		ULP_TAKE(w, nvmf_property_set);
		return;
	}
	in_capsule = take_sgl(w, &r) ? &r : NULL;
	switch (ibw_nvmf_command_fctype(cmd)) {
	case IBW_NVMF_CONNECT:
		ULP_TAKE(w, nvmf_connect);
		break;
	case IBW_NVMF_AUTH_SEND:
	case IBW_NVMF_AUTH_RECEIVE:
		ULP_TAKE(w, nvmf_auth);
		break;
	default:
		ULP_TAKE(w, nvme_cdw);
	}
	walk_data(w, in_capsule, ibw_nvmf_command_fctype(cmd) == IBW_NVMF_CONNECT);
}

static void walk_command(struct ulp_walk *w)
{
	const struct ibw_nvme_command_wire *cmd = ULP_TAKE(w, nvme_command);
	struct range r, *in_capsule;

	if (!cmd)
		return;
	in_capsule = take_sgl(w, &r) ? &r : NULL;
	if (w->flags & IBW_ULP_NVME_IO && is_rw(ibw_nvme_command_opcode(cmd)))
		ULP_TAKE(w, nvme_rw);
	else
		ULP_TAKE(w, nvme_cdw);
	walk_data(w, in_capsule, false);
}

void ibw_ulp_walk_nvme(struct ulp_walk *w)
{
	if (!(w->flags & IBW_ULP_FROM_INITIATOR)) {
		if (ULP_TAKE(w, nvme_completion))
			ulp_rest(w, IBW_LAYER_nvme_completion);
		return;
	}
	if (w->c.end < IBW_NVME_CAPSULE_BYTES) {
		cursor_short(&w->c, 0, IBW_LAYER_nvme_command, IBW_NVME_CAPSULE_BYTES);
		return;
	}
	if (w->c.limit && w->c.p[0] == IBW_NVME_IO_FABRICS)
		walk_fabrics(w);
	else
		walk_command(w);
}

const char *ibw_nvme_opcode_name(bool admin_queue, uint8_t opcode, uint8_t fctype)
{
	if (opcode == IBW_NVME_IO_FABRICS)
		return ibw_name_of(ibw_nvmf_fctype_names, fctype);
	return ibw_name_of(admin_queue ? ibw_nvme_admin_opcode_names : ibw_nvme_io_opcode_names,
			   opcode);
}

const char *ibw_nvme_status_name(uint16_t status, bool fabrics)
{
	uint8_t code = (uint8_t)status;

	switch (status >> 8 & 7) {
	case IBW_NVME_SCT_GENERIC:
		return ibw_name_of(ibw_nvme_sc_generic_names, code);
	case IBW_NVME_SCT_SPECIFIC:
		return ibw_name_of(fabrics && code >= 0x80 ? ibw_nvmf_sc_specific_names
							   : ibw_nvme_sc_specific_names,
				   code);
	case IBW_NVME_SCT_MEDIA:
		return ibw_name_of(ibw_nvme_sc_media_names, code);
	case IBW_NVME_SCT_PATH:
		return ibw_name_of(ibw_nvme_sc_path_names, code);
	}
	return NULL;
}
