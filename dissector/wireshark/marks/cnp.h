/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cnp.h - which marks a CNP answers. */
#ifndef IW_CNP_H
#define IW_CNP_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"
#include "links.h"

void iw_cnp_register(void);
void iw_cnp_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		 const struct iw_link *link);

#endif /* IW_CNP_H */
