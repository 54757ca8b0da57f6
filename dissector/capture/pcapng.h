/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcapng.h - the numbers of a pcapng that its reader and its writer need. draft-ietf-opsawg-pcapng */
#ifndef CAPTURE_PCAPNG_H
#define CAPTURE_PCAPNG_H

#include "input.h"

enum capture_pcapng_block {
	BLOCK_IDB = 1,              /* interface description */
	BLOCK_PB = 2,               /* packet, obsolete */
	BLOCK_SPB = 3,              /* simple packet */
	BLOCK_ISB = 5,              /* interface statistics */
	BLOCK_EPB = 6,              /* enhanced packet */
	BLOCK_NO_COPY = 0x40000bad, /* custom, and not to be copied to another file */
	BLOCK_SHB = 0x0a0d0d0a,     /* section header; the same in either byte order */
};

enum capture_pcapng_option {
	OPTION_END = 0,
	OPTION_COMMENT = 1,
	EPB_FLAGS = 2,
	EPB_DROPCOUNT = 4,
	IF_NAME = 2,
	IF_SPEED = 8,
	IF_TSRESOL = 9,
	IF_FCSLEN = 13,
	IF_TSOFFSET = 14,
	ISB_IFRECV = 4,
	ISB_IFDROP = 5,
	ISB_OSDROP = 7,
};

/* In the flags: the length of the FCS in bytes, 0 for not said. */
#define EPB_FLAGS_FCS_SHIFT 5
#define EPB_FLAGS_FCS_MAX 15u

/* A block we look into is held as a whole; CAPTURE_CAPLEN_MAX and options fit in easily. */
#define BLOCK_MAX ((uint32_t)CAPTURE_INPUT_WINDOW)

#define BYTE_ORDER_MAGIC 0x1a2b3c4du

#endif /* CAPTURE_PCAPNG_H */
