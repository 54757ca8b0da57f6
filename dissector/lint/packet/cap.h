/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cap.h - what group CAP remembers of a file. */
#ifndef IBWIRE_LINT_CAP_H
#define IBWIRE_LINT_CAP_H

#include "lint/base/rule.h"

/* There is RDMA in the file, though in no packet that the walk takes for it. */
void lint_cap_rdma_elsewhere(struct lint_cap_state *cap);

/* cap_twice.c: CAP008, once the capture has ended. */
void lint_cap_twice(struct lint *l);

/* Counts a packet that is not decoded; how many were not, for the same reason, before it. */
uint64_t lint_cap_unseen(struct lint_cap_state *cap, const struct ibw_packet *pkt);

/* How many packets nothing is said of: CAP019. */
uint64_t lint_cap_unexamined(const struct lint_cap_state *cap);

/* How many packets the loss counters of the capture count. */
uint64_t lint_cap_lost(const struct lint_cap_state *cap);

/* Remembers what a plain packet that is ordinary shows. */
void lint_cap_plain(struct lint_cap_state *cap, const struct track_frame *frame);

#endif /* IBWIRE_LINT_CAP_H */
