/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mpa.c - iWARP: a step of the MPA CRC, and what a Terminate says in words. */
#include <ibwire/crc.h>
#include <ibwire/fpdu.h>
#include <ibwire/tables.h>

uint32_t ibw_crc32c_step(uint32_t crc, const unsigned char *p, size_t n)
{
	return ~ibw_crc32c(~crc, p, n);
}

static const char *rdmap_code(uint8_t etype, uint8_t code)
{
	/* The list is of both types: a protection error is of a key, an operation error is not. */
	bool of_protection = code <= IBW_TERMINATE_RDMAP_WRAP;
	bool of_both = code == IBW_TERMINATE_RDMAP_NO_INVALIDATE ||
		       code == IBW_TERMINATE_RDMAP_UNSPECIFIED;

	if (!of_both && of_protection != (etype == IBW_TERMINATE_RDMAP_PROTECTION))
		return NULL;
	return ibw_name_of(ibw_terminate_rdmap_code_names, code);
}

static void rdmap_text(struct ibw_terminate_words *words, uint8_t etype, uint8_t code)
{
	words->etype = ibw_name_of(ibw_terminate_rdmap_etype_names, etype);
	if (etype == IBW_TERMINATE_RDMAP_LOCAL) /* whatever the code */
		words->code = words->etype;
	else if (words->etype)
		words->code = rdmap_code(etype, code);
}

static void ddp_text(struct ibw_terminate_words *words, uint8_t etype, uint8_t code)
{
	words->etype = ibw_name_of(ibw_terminate_ddp_etype_names, etype);
	if (etype == IBW_TERMINATE_DDP_TAGGED)
		words->code = ibw_name_of(ibw_terminate_ddp_tagged_code_names, code);
	else if (etype == IBW_TERMINATE_DDP_UNTAGGED)
		words->code = ibw_name_of(ibw_terminate_ddp_untagged_code_names, code);
	else if (etype == IBW_TERMINATE_DDP_LLP || code == 0)
		words->code = words->etype;
}

void ibw_terminate_text(struct ibw_terminate_words *words, uint8_t layer, uint8_t etype,
			uint8_t code)
{
	words->layer = ibw_name_of(ibw_terminate_layer_names, layer);
	words->etype = words->code = NULL;
	if (layer == IBW_TERMINATE_RDMAP) {
		rdmap_text(words, etype, code);
	} else if (layer == IBW_TERMINATE_DDP) {
		ddp_text(words, etype, code);
	} else if (layer == IBW_TERMINATE_LLP) {
		words->etype = ibw_name_of(ibw_terminate_llp_etype_names, etype);
		if (words->etype)
			words->code = ibw_name_of(ibw_terminate_llp_code_names, code);
	}
}
