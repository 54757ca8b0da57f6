/* SPDX-License-Identifier: GPL-2.0-or-later */
/* column.h - what columns and graphs of a profile show. */
#ifndef IW_COLUMN_H
#define IW_COLUMN_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"

void iw_column_register(void);
void iw_column_tree(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame);

#endif /* IW_COLUMN_H */
