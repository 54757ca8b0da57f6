/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stats.h - what -z offers. */
#ifndef IW_STATS_H
#define IW_STATS_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"

void iw_stats_register(void);

void iw_stats_handoff(void);

void iw_stats_packet(packet_info *pinfo, struct iw_frame *frame);

#endif /* IW_STATS_H */
