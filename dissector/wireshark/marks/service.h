/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service.h - to whom, as the CM exchange says. */
#ifndef IW_SERVICE_H
#define IW_SERVICE_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"

/* No upper layer has a shorter header, and one of them reads this far before it looks. */
#define IW_SEND_BYTES_MIN 16

struct infinibandinfo;

void iw_service_init(void); /* a file is about to be read */
void iw_service_cleanup(void);
/* The service of the connection that the CM answer in this frame accepts. */
void iw_service_keep(uint32_t frame, uint64_t service_id);
bool iw_service_known(const struct iw_frame *frame, packet_info *pinfo);
/*
 * Whether it counts the packets of messages like @opcode, so that one packet of all of it would be too few,
 * and takes the pad for its own.
 */
bool iw_service_counts(const struct iw_frame *frame, packet_info *pinfo, uint8_t opcode);
/*
 * As dissector_try_heuristic(), but of a known service only its own upper layer, and of @part of a SEND
 * none that reads whole ones only.
 */
bool iw_service_try(const struct iw_frame *frame, heur_dissector_list_t list, tvbuff_t *tvb,
		    packet_info *pinfo, proto_tree *tree, void *info, bool part);

/* Hands one that was exported to that service. */
bool iw_service_exported(uint16_t port, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
			 struct infinibandinfo *info);

/* @port, if messages of its service are taken by their upper layer; else 0. */
uint16_t iw_service_of_port(uint16_t port);

/* The port by which the packet's service is known; 0: none, or nobody takes its messages. */
uint16_t iw_service_port(const struct iw_frame *frame, packet_info *pinfo);

#endif /* IW_SERVICE_H */
