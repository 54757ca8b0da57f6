/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ulp.h - upper layers: what the first pass keeps of their messages, and which packets belong to one command. */
#ifndef IW_ULP_H
#define IW_ULP_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"
#include "track/ulp/ulp.h"

/* Frames with data of a command that are listed. */
#define IW_ULP_MOVED_LISTED 64u

struct iw_ulp_moved {
	struct iw_ulp_moved *next;
	uint32_t frame;
};

struct iw_ulp_command {
	struct iw_ulp_command *next; /* that is sent in the same frame */
	const struct track_ulp_queue *queue;
	struct iw_ulp_moved *moved, **end;
	uint64_t id, ns;
	uint64_t bytes; /* by its READs and WRITEs */
	struct track_ulp_code code;
	uint32_t asked;             /* bytes of data, as it says */
	uint32_t request, response; /* 0: not answered by now */
	uint32_t n_moved, status;
};

struct iw_ulp_about {
	struct iw_ulp_command *command;
	uint8_t does; /* enum track_ulp_does */
};

struct iw_ulp {
	uint8_t ulp, flags; /* what ibw_ulp_walk() has to be told; IBW_ULP_NONE: data of commands */
	uint8_t n;
	struct iw_ulp_about about[];
};

void iw_ulp_init(void); /* a file is about to be read */
void iw_ulp_cleanup(void);

/* On the first pass: what the trackers say of the packet. */
void iw_ulp_keep(const struct iw_frame *frame, uint32_t number);
/* The same of an FPDU that is shown in frame @number; NULL: they say nothing. */
struct iw_ulp *iw_ulp_make(uint8_t ulp, uint8_t flags, const struct track_ulp_of *of,
			   unsigned int n, uint32_t number);

/* On any pass: of the packet of a frame; NULL: nothing is known. */
const struct iw_ulp *iw_ulp_kept(uint32_t number);
/* Whether it is of a message with headers; NULL is fine. */
bool iw_ulp_has_message(const struct iw_ulp *u);

#endif /* IW_ULP_H */
