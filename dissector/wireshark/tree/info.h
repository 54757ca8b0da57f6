/* SPDX-License-Identifier: GPL-2.0-or-later */
/* info.h - a packet in one line. */
#ifndef IW_INFO_H
#define IW_INFO_H

#include "wireshark/base/compat.h"

#include <ibwire/out.h>
#include <ibwire/packet.h>

#include "wireshark/packet/frame.h"
#include "track/track.h"

/* The packet in one line; and after the name of the protocol in the tree. */
void iw_info(struct ibw_out *o, struct iw_frame *frame);
/* " (NAK, PSN sequence error)" */
void iw_info_syndrome(struct ibw_out *o, const struct ibw_aeth_wire *aeth);
/* With the R bit. */
uint8_t iw_info_method(const struct track_mad *mad);
/* "SA GetTable PathRecord": what kind of MAD it is; @method has the R bit. */
void iw_info_mad(struct ibw_out *o, const struct track_mad *mad, uint8_t method);
/* "Len=1024", where the Info column has what the built-in dissector says of the transport, and no more. */
void iw_info_len(packet_info *pinfo, const struct iw_frame *frame);
/* "RDMA, stream 0, RC RDMA WRITE First, PSN 0x000015, Len 2048" */
void iw_title(proto_item *item, packet_info *pinfo, struct iw_frame *frame);

#endif /* IW_INFO_H */
