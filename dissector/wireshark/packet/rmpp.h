/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rmpp.h - records spread over several of them. */
#ifndef IW_RMPP_H
#define IW_RMPP_H

#include "wireshark/base/compat.h"

#include "frame.h"

/* The segments of RMPP transfers, reassembled on the first pass. */
void iw_rmpp_init(void);
void iw_rmpp_cleanup(void);
/* The transfer that the frame completes, if it does. */
void iw_rmpp_keep(const struct iw_frame *frame, uint32_t number);
/* On the last segment all records of the transfer, on the others where those are. */
void iw_rmpp_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);

#endif /* IW_RMPP_H */
