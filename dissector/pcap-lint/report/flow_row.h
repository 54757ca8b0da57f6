/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flow_row.h - a row of the table of connections, by its columns. */
#ifndef PL_FLOW_ROW_H
#define PL_FLOW_ROW_H

#include "track/way/history.h"

#define PL_FLOW_CELL TRACK_HISTORY_TEXT

enum pl_flow_column {
	PL_FLOW_CONNECTION,
	PL_FLOW_SERVICE,
	PL_FLOW_STATE,
	PL_FLOW_PACKETS,
	PL_FLOW_BYTES,
	PL_FLOW_MESSAGES,
	PL_FLOW_RESENT,
	PL_FLOW_NAKS,
	PL_FLOW_RNR,
	PL_FLOW_TIMEOUTS,
	PL_FLOW_ACK_TIME,
	PL_FLOW_CE,
	PL_FLOW_CNP,
	PL_FLOW_FPDUS,
	PL_FLOW_CRC_BAD,
	PL_FLOW_STALL,
	PL_FLOW_HISTORY,
	PL_FLOW_COLUMNS
};

struct pl_flow_row {
	char cell[PL_FLOW_COLUMNS][PL_FLOW_CELL];
};

/* What has no meaning for a connection. */
#define PL_FLOW_NO_MEANING "-"

/* "12", "117  10 %": cells of what is not 0. */
void pl_flow_number(char cell[PL_FLOW_CELL], uint64_t n);
void pl_flow_resent_of(char cell[PL_FLOW_CELL], uint64_t n, uint64_t all);

/* "117 SEND, 4 READ": what is not 0. */
struct ibw_out;
const char *pl_out_some_of(struct ibw_out *o, const char *before, uint64_t n, const char *what);

#endif /* PL_FLOW_ROW_H */
