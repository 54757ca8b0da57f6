/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pass.h - the first pass: trackers, linter, and what later passes need of them. */
#ifndef IW_PASS_H
#define IW_PASS_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"
#include "track/stream/qps.h"
#include "track/track.h"

/* Of the first pass: a file is about to be read, it is closed. */
void iw_pass_init(void);
void iw_pass_finish(void); /* every frame has been seen */
void iw_pass_cleanup(void);
/* Connections take times and rates, too: from here on, and in the file at hand if none of it was read. */
void iw_pass_want_measures(void);
bool iw_pass_is_finished(void); /* every frame has been seen */
/* On the first pass: the queue pair that sends, as far as the packets of its connection show it by now. */
bool iw_pass_sender(const struct iw_frame *frame, uint32_t *sqpn);
const struct track *iw_pass_trackers(void);
struct track_qps *iw_pass_streams(void); /* NULL: no file was read */
/*
 * iw_frame_open(), _walk() and _walk_grh() of a packet, which every tracker sees if this is the first pass, and the linter if it
 * is the frame as a whole; on later ones what they said of it then.
 */
struct iw_frame *iw_pass_open(tvbuff_t *tvb, packet_info *pinfo);
struct iw_frame *iw_pass_walk(tvbuff_t *tvb, packet_info *pinfo, uint32_t linktype, int base,
			      uint16_t roce_port);
struct iw_frame *iw_pass_walk_grh(tvbuff_t *tvb, packet_info *pinfo, int base);

#endif /* IW_PASS_H */
