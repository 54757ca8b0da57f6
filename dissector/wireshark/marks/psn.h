/* SPDX-License-Identifier: GPL-2.0-or-later */
/* psn.h - relative PSNs, and the next one. */
#ifndef IW_PSN_H
#define IW_PSN_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"

/* The first PSN of the direction that a packet's PSN counts in, and the path MTU. */
struct iw_psn_base {
	uint32_t first;
	bool known;
	uint32_t mtu; /* 0: not known */
};

void iw_psn_register(void);
void iw_psn_tree(proto_tree *tree, const struct iw_frame *frame, const struct iw_psn_base *base);

#endif /* IW_PSN_H */
