/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * nvme.c - a Write of 8 blocks over NVMe over Fabrics, and what came of it, with the library.
 *
 * Prints:
 *	nvme_command at 0, nvme_sgl_keyed at 24, nvme_rw at 40
 *	Write, command 0x0026, blocks 2048 to 2055, 4096 bytes from key 0x0000447a
 *	command 0x0026: LBA Out of Range, do not retry
 */
#include <inttypes.h>
#include <stdio.h>

#include <ibwire/print.h>
#include <ibwire/ulp.h>

/* As they are received: the payload of a SEND each. */
static const uint8_t capsule[64] = { 0x01, 0x40, 0x26, 0x00, 0x01, 0x00, 0x00, 0x00, [24] = 0xd0,
				     0xfe, 0x07, 0x00, 0x00, 0x11, 0xff, 0x00, 0x00, 0x10,
				     0x00, 0x7a, 0x44, 0x00, 0x00, 0x4f, 0x00, 0x08, [48] = 0x07 };
static const uint8_t answer[16] = { [8] = 0x05, [12] = 0x26, 0x00, 0x00, 0x81 };

static void print_command(const uint8_t *p, uint32_t n)
{
	struct ibw_span span[8];
	struct ibw_ulp_walked u;
	uint32_t i;

	if (ibw_ulp_walk(&u, IBW_ULP_NVME, IBW_ULP_FROM_INITIATOR | IBW_ULP_NVME_IO, p, n, n, span,
			 8) != IBW_OK)
		return;
	for (i = 0; i < u.n_spans; i++)
		printf("%s%s at %" PRIu32, i ? ", " : "", ibw_header_at(span[i].layer)->name,
		       span[i].off);
	printf("\n");
}

int main(void)
{
	const struct ibw_nvme_command_wire *c = ibw_nvme_command_view(capsule, sizeof(capsule));
	const struct ibw_nvme_sgl_keyed_wire *sgl =
		ibw_nvme_sgl_keyed_view(capsule + 24, sizeof(capsule) - 24);
	const struct ibw_nvme_rw_wire *rw = ibw_nvme_rw_view(capsule + 40, sizeof(capsule) - 40);
	const struct ibw_nvme_completion_wire *done =
		ibw_nvme_completion_view(answer, sizeof(answer));
	uint64_t slba = ibw_get_le(ibw_nvme_rw_slba(rw), 8);

	print_command(capsule, sizeof(capsule));
	printf("%s, command 0x%04x, blocks %" PRIu64 " to %" PRIu64
	       ", %u bytes from key 0x%08" PRIx32 "\n",
	       ibw_nvme_opcode_name(false, ibw_nvme_command_opcode(c), 0),
	       ibw_get_le16(ibw_nvme_command_cid(c)), slba,
	       slba + ibw_get_le16(ibw_nvme_rw_nlb(rw)),
	       (unsigned int)ibw_get_le(ibw_nvme_sgl_keyed_length(sgl), 3),
	       ibw_get_le32(ibw_nvme_sgl_keyed_key(sgl)));
	printf("command 0x%04x: %s%s\n", ibw_get_le16(ibw_nvme_completion_cid(done)),
	       ibw_nvme_status_name(ibw_nvme_completion_status(done), false),
	       ibw_nvme_completion_dnr(done) ? ", do not retry" : "");
	return 0;
}
