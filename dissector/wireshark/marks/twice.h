/* SPDX-License-Identifier: GPL-2.0-or-later */
/* twice.h - which packets were captured twice. */
#ifndef IW_TWICE_H
#define IW_TWICE_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"
#include "track/track.h"

void iw_twice_init(void); /* a file is about to be read */
void iw_twice_cleanup(void);
const struct track_twice *iw_twice(void); /* NULL: rule CAP008 is off */
/* On the first pass, each packet: whether it is a copy. */
bool iw_twice_packet(struct iw_frame *frame, const struct track_frame *at);
/* The frame that @frame is a copy of, as far as it is known by now; 0: it is none. */
uint32_t iw_twice_of(uint32_t frame);
/* Before a packet: whether all before it have to be seen once more. */
bool iw_twice_is_due(void);
bool iw_twice_is_due_at_end(void);
/* The next one of those, valid until the call after. False: there is no more. */
bool iw_twice_next(struct iw_frame *frame, struct track_frame *at, bool *is_copy);
void iw_twice_finish(void); /* every frame has been seen */

#endif /* IW_TWICE_H */
