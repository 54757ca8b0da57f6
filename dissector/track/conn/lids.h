/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lids.h - requests that continue at another LID of the same port.
 *
 * A port has 2^LMC LIDs in a row, up to 128 (PortInfo.LMC has 3 bits), and packets without a GRH
 * show only the one they were sent to. Each is a half of its own, so a PSN that is missing in one
 * may be in another. No header says that two LIDs are one port; a request to the same QPN, from the
 * same LID, with just the PSN that is expected at the other does.
 */
#ifndef IBWIRE_TRACK_LIDS_H
#define IBWIRE_TRACK_LIDS_H

#include "track/base/flow.h"
#include "track/base/table.h"

/* The largest number kept. */
#define TRACK_LIDS_MAX 65536u

/* Freed by track_table_free(). */
struct track_table *track_lids_new(void);

/*
 * A half begins with @flow, which has LIDs. @before: the last one to the same QPN at a LID of the same
 * 128, which may be gone since. False: there was none.
 */
bool track_lids_begin(struct track_table *lids, const struct track_flow *flow,
		      struct track_flow *before);

#endif /* IBWIRE_TRACK_LIDS_H */
