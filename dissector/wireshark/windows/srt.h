/* SPDX-License-Identifier: GPL-2.0-or-later */
/* srt.h - -z ibwire,srt: how long it took. */
#ifndef IW_SRT_H
#define IW_SRT_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"

/* -z ibwire,srt */
void iw_srt_register(void);
void iw_srt_packet(packet_info *pinfo, struct iw_frame *frame);

#endif /* IW_SRT_H */
