/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode_as.h - to whom, as the user says. */
#ifndef IW_DECODE_AS_H
#define IW_DECODE_AS_H

#include "wireshark/base/compat.h"

/* Decode As: the tables ibwire.qp and ibwire.service_id. */
void iw_decode_as_register(void);
void iw_decode_as_handoff(void);
void iw_decode_as_init(void); /* a file is about to be read */
bool iw_decode_as_any(void);  /* something was chosen */
/* The filter name of the upper layer that the user chose for the packet, whose queue pairs are its ports. */
const char *iw_decode_as(packet_info *pinfo);

/* Conversations are of the service that @port is of, as long as the upper layer sees the packet. */
#define IW_TOLD                                                                                    \
	3 /* of what is sent to the receiver, between the two, and of what is sent to the sender */
struct iw_told {
	uint64_t *id[IW_TOLD];
	uint64_t before[IW_TOLD];
};

struct infinibandinfo;
void iw_decode_as_begin(struct iw_told *told, packet_info *pinfo, tvbuff_t *tvb,
			const struct infinibandinfo *info, uint16_t port);
void iw_decode_as_end(const struct iw_told *told);

#endif /* IW_DECODE_AS_H */
