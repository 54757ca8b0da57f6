/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis.h - what the trackers found out about a packet. */
#ifndef IW_ANALYSIS_H
#define IW_ANALYSIS_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"
#include "track/track.h"

/* What the trackers' events say of a packet, by analysis.def. */
void iw_analysis_register(void);
void iw_analysis_experts(expert_module_t *module);
void iw_analysis_init(void); /* a file is about to be read */
void iw_analysis_events(const struct track_event *e, unsigned int n);
void iw_analysis_note(const struct track_reply *r);
void iw_analysis_cleanup(void);
/* Of @frame, and maybe of later ones, @n events or replies are not kept. */
void iw_analysis_lose(uint32_t frame, uint64_t n);
/* How many so far, and the first @frame of those they are of. */
uint64_t iw_analysis_lost(uint32_t *frame);
void iw_analysis_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);
void iw_analysis_show(packet_info *pinfo); /* the expert items only, where there is no tree */
/* "Retransmission of 121": each mark that Info has. */
void iw_analysis_each(packet_info *pinfo,
		      void (*tell)(void *user, packet_info *pinfo, const char *text), void *user);
/* "[Retransmission of 121] " before what the Info column says: that may be too long to be seen whole. */
void iw_analysis_info(packet_info *pinfo);

#endif /* IW_ANALYSIS_H */
