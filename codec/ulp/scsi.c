/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* scsi.c - SCSI as iSER and SRP carry it: command descriptor blocks, sense data, and what they are called. */
#include "ulp_walk.h"

/* The layout of a command: that of READ and WRITE of the same length, or none. */
static uint16_t cdb_layer(uint8_t opcode)
{
	switch (opcode) {
	case IBW_SCSI_READ_6:
	case IBW_SCSI_WRITE_6:
		return IBW_LAYER_scsi_rw_6;
	case IBW_SCSI_READ_10:
	case IBW_SCSI_WRITE_10:
	case IBW_SCSI_WRITE_VERIFY_10:
	case IBW_SCSI_VERIFY_10:
	case IBW_SCSI_PRE_FETCH_10:
	case IBW_SCSI_SYNCHRONIZE_CACHE_10:
	case IBW_SCSI_WRITE_SAME_10:
		return IBW_LAYER_scsi_rw_10;
	case IBW_SCSI_READ_12:
	case IBW_SCSI_WRITE_12:
	case IBW_SCSI_WRITE_VERIFY_12:
	case IBW_SCSI_VERIFY_12:
		return IBW_LAYER_scsi_rw_12;
	case IBW_SCSI_READ_16:
	case IBW_SCSI_WRITE_16:
	case IBW_SCSI_ORWRITE_16:
	case IBW_SCSI_WRITE_VERIFY_16:
	case IBW_SCSI_VERIFY_16:
	case IBW_SCSI_PRE_FETCH_16:
	case IBW_SCSI_SYNCHRONIZE_CACHE_16:
	case IBW_SCSI_WRITE_SAME_16:
	case IBW_SCSI_WRITE_ATOMIC_16:
		return IBW_LAYER_scsi_rw_16;
	}
	return IBW_LAYER_scsi_cdb;
}

void ibw_ulp_over_cdb(struct ulp_walk *w, uint32_t off)
{
	ulp_overlay(w, off, cdb_layer(w->c.p[off]));
}

/* Of a response code that is not known nothing is said. */
void ibw_ulp_walk_sense(struct ulp_walk *w, uint32_t n)
{
	uint32_t end = w->c.off + n;

	if (n && ulp_left(w)) {
		switch (w->c.p[w->c.off] & 0x7f) {
		case 0x70:
		case 0x71:
			if (n >= ibw_scsi_sense_BYTES)
				ULP_TAKE(w, scsi_sense);
			break;
		case 0x72:
		case 0x73:
			if (n >= ibw_scsi_sense_desc_BYTES)
				ULP_TAKE(w, scsi_sense_desc);
			break;
		}
	}
	w->c.off = end;
}

const char *ibw_scsi_opcode_name(uint8_t opcode)
{
	return ibw_name_of(ibw_scsi_opcode_names, opcode);
}

const char *ibw_scsi_status_name(uint8_t status)
{
	return ibw_name_of(ibw_scsi_status_names, status);
}

const char *ibw_scsi_sense_key_name(uint8_t key)
{
	return ibw_name_of(ibw_scsi_sense_key_names, key);
}
