/* SPDX-License-Identifier: GPL-2.0-or-later */
/* left_out.h - RDMA packets that a filter removed from the capture, by pair of hosts. */
#ifndef IBWIRE_TRACK_LEFT_OUT_H
#define IBWIRE_TRACK_LEFT_OUT_H

#include "track/base/flow.h"

/* Pairs of hosts that are told apart; of more all may lack something. */
#define TRACK_LEFT_OUT_MAX 65536

struct track_left_out;

struct track_left_out *track_left_out_new(void);
void track_left_out_free(struct track_left_out *t); /* NULL is fine */

void track_left_out_feed(struct track_left_out *t, const struct ibw_packet *pkt);

/* How many from the sender of @flow to its receiver. @t NULL: none. */
uint64_t track_left_out_of(struct track_left_out *t, const struct track_flow *flow);

#endif /* IBWIRE_TRACK_LEFT_OUT_H */
