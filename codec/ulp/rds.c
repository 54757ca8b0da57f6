/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rds.c - RDS: the header of a fragment, and its extension headers; the words of rsockets. */
#include "ulp_walk.h"

#define EXT_BYTES 16u

/* An extension header: its layer, if there is one, and its bytes after the type; 0: it is not known how many. */
static uint32_t ext_of(uint8_t type, uint16_t *layer)
{
	*layer = IBW_LAYER_COUNT;
	switch (type) {
	case IBW_RDS_EXT_VERSION:
		*layer = IBW_LAYER_rds_ext_version;
		return ibw_rds_ext_version_BYTES;
	case IBW_RDS_EXT_RDMA:
		*layer = IBW_LAYER_rds_ext_rdma;
		return ibw_rds_ext_rdma_BYTES;
	case IBW_RDS_EXT_RDMA_DEST:
		*layer = IBW_LAYER_rds_ext_rdma_dest;
		return ibw_rds_ext_rdma_dest_BYTES;
	case IBW_RDS_EXT_NPATHS:
		return 2;
	case IBW_RDS_EXT_GEN_NUM:
		return 4;
	}
	return 0;
}

/* The 16 bytes at @off, which are there. */
static void walk_extensions(struct ulp_walk *w, uint32_t off)
{
	uint32_t at = 0, n;
	uint16_t layer;

	while (at < EXT_BYTES) {
		n = ext_of(w->c.p[off + at], &layer);
		at++;
		if (!n || n > EXT_BYTES - at)
			return;
		if (layer != IBW_LAYER_COUNT)
			ulp_overlay(w, off + at, layer);
		at += n;
	}
}

/* A fragment has the length of the whole message, so what it carries is what is left of it. */
void ibw_ulp_walk_rds(struct ulp_walk *w)
{
	const struct ibw_rds_hdr_wire *rds = ULP_TAKE(w, rds_hdr);

	if (!rds)
		return;
	walk_extensions(w, ibw_rds_hdr_exthdr_AT / 8);
	ulp_rest(w, IBW_LAYER_rds_hdr);
}

const char *ibw_rsocket_op_name(uint32_t word)
{
	return ibw_name_of(ibw_rsocket_op_names, word >> 29);
}
