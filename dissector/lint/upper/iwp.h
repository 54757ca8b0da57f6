/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwp.h - iWARP events in words. */
#ifndef IBWIRE_LINT_IWP_H
#define IBWIRE_LINT_IWP_H

#include "track/base/event.h"

struct ibw_out;

/* "DDP, Tagged Buffer Error, Invalid STag" */
void lint_out_terminate_meaning(struct ibw_out *o, uint8_t layer, uint8_t etype, uint8_t code);
void lint_out_terminate(struct ibw_out *o, const struct track_event *e);

/* "RDMA Write of frame 10, STag 0x98b0200, offset 0x55fe6360b000"; false: the Terminate does not say what it refuses. */
bool lint_out_refused(struct ibw_out *o, const struct track_event *e);

/* What a Terminate says, what it refuses, and how siw's are to be read. */
#define LINT_TERMINATE_TEXT 400
const char *lint_terminate_text(const struct track_event *e, char text[LINT_TERMINATE_TEXT]);

/* Other events of iWARP. */
#define LINT_IWP_TEXT 256
const char *lint_unfinished_text(const struct track_event *e, char text[LINT_IWP_TEXT]);
const char *lint_tcp_text(const struct track_event *e, char text[LINT_IWP_TEXT]);

/* Of 1 % of the segments, or as long as Linux waits at least before it sends again. */
bool lint_is_slow_tcp(const struct track_event *e);

/* "an RDMA Write or a Send without data": bits of enum track_iwarp_rtr. */
#define LINT_RTR_TEXT 96
const char *lint_rtr_text(uint64_t bits, char text[LINT_RTR_TEXT]);

/* "an RDMA Write" */
const char *lint_rdmap_text(uint64_t opcode);

/* "it was closed" */
const char *lint_iwarp_end_text(uint64_t end);

#endif /* IBWIRE_LINT_IWP_H */
