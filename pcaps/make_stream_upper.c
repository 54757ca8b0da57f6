/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_stream_upper.c - messages of upper layers, as the bytes of a SEND: NVMe over Fabrics, NVMe base 2.0, 3.3.3 and 6. */
#include <string.h>

#include <ibwire/nvme.h>

#include "make_stream.h"

/* Where in a capsule the SGL descriptor and command dword 10 are. */
#define SGL_AT 24
#define CDW10_AT 40

static const struct {
	const char *verb;
	uint32_t bytes;
} uppers[] = {
	[MK_UPPER_NVME_CONNECT] = { "NVME_CONNECT", IBW_NVME_CAPSULE_BYTES },
	[MK_UPPER_NVME_COMMAND] = { "NVME_COMMAND", IBW_NVME_CAPSULE_BYTES },
	[MK_UPPER_NVME_CQE] = { "NVME_CQE", (uint32_t)ibw_nvme_completion_BYTES },
};

enum mk_upper mk_stream_upper_of(const char *verb)
{
	unsigned int i;

	for (i = MK_UPPER_NONE + 1; i < MK_UPPER_COUNT; i++)
		if (!strcmp(uppers[i].verb, verb))
			return (enum mk_upper)i;
	return MK_UPPER_NONE;
}

uint32_t mk_stream_upper_bytes(const struct mk_line *line)
{
	return uppers[line->upper].bytes;
}

/* Memory of the host, by key; none, where the line has no length. */
static void put_sgl(uint8_t *sgl, const struct mk_line *line, uint64_t length)
{
	uint32_t bytes = (uint32_t)MK_VALUE(line, dma, length);

	if (!bytes)
		return;
	ibw_put_le64(sgl + ibw_nvme_sgl_keyed_addr_AT / 8, MK_VALUE(line, va, 0x100000));
	ibw_put_le32(sgl + ibw_nvme_sgl_keyed_length_AT / 8, bytes & 0xffffff);
	ibw_put_le32(sgl + ibw_nvme_sgl_keyed_key_AT / 8, (uint32_t)MK_VALUE(line, rkey, 0x77));
	sgl[15] = IBW_NVME_SGL_KEYED << 4;
}

static void put_connect(uint8_t *p, const struct mk_line *line)
{
	uint8_t *connect = p + CDW10_AT;

	p[0] = IBW_NVME_ADMIN_FABRICS;
	p[4] = IBW_NVMF_CONNECT;
	ibw_put_le16(connect + ibw_nvmf_connect_qid_AT / 8, (uint16_t)MK_VALUE(line, qid, 0));
	ibw_put_le16(connect + ibw_nvmf_connect_sqsize_AT / 8,
		     (uint16_t)MK_VALUE(line, sqsize, 31));
	ibw_put_le32(connect + ibw_nvmf_connect_kato_AT / 8, (uint32_t)MK_VALUE(line, kato, 0));
	put_sgl(p + SGL_AT, line, ibw_nvmf_connect_data_BYTES);
}

static void put_cqe(uint8_t *p, const struct mk_line *line)
{
	ibw_put_le16(p + ibw_nvme_completion_sqid_AT / 8, (uint16_t)MK_VALUE(line, qid, 0));
	ibw_put_le16(p + ibw_nvme_completion_cid_AT / 8, (uint16_t)MK_VALUE(line, cid, 0));
	/* Bit 0 is the phase, which Fabrics does not use. */
	ibw_put_le16(p + 14, (uint16_t)(MK_VALUE(line, status, 0) << 1));
}

const uint8_t *mk_stream_upper(const struct mk_line *line, uint8_t p[IBW_NVME_CAPSULE_BYTES])
{
	memset(p, 0, IBW_NVME_CAPSULE_BYTES);
	if (line->upper == MK_UPPER_NVME_CQE) {
		put_cqe(p, line);
		return p;
	}
	if (line->upper == MK_UPPER_NVME_CONNECT) {
		put_connect(p, line);
	} else {
		p[0] = (uint8_t)MK_VALUE(line, op, 2);
		p[4] = (uint8_t)MK_VALUE(line, fctype, p[0] == IBW_NVME_ADMIN_FABRICS ? 0 : 1);
		put_sgl(p + SGL_AT, line, 0);
	}
	p[1] = 1 << 6; /* an SGL, not PRPs */
	ibw_put_le16(p + 2, (uint16_t)MK_VALUE(line, cid, 0));
	return p;
}
