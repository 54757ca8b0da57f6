/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prefs.h - the preferences. */
#ifndef IW_PREFS_H
#define IW_PREFS_H

#include "compat.h"

#include "lint/lint.h"
#include "track/base/thresholds.h"

enum iw_mode { IW_AUGMENT, IW_TAKE_OVER, IW_OFF };

/* The names a field has in a tree that shows; whatever is asked for by name is there besides. */
enum iw_names { IW_NAMES_BOTH, IW_NAMES_IBWIRE, IW_NAMES_INFINIBAND };

#define IW_ROCE_PORTS_MAX 16

struct iw_prefs {
	enum iw_mode mode;
	bool verify_icrc;
	enum iw_names names;         /* take-over mode */
	bool all_fields;             /* augment mode: also those the built-in dissector has right */
	enum lint_severity severity; /* the lowest that is shown */
	uint64_t max_findings;       /* of a rule that are shown; 0: all */
	uint64_t rmpp_bytes;         /* of records that are reassembled */
	uint64_t reassemble_bytes;   /* of messages of several packets; 0: none is reassembled */
	bool relative_psns;
	bool stream_in_info;
	struct lint_options lint;
	struct track_thresholds thresholds;
};

extern struct iw_prefs iw_prefs;

void iw_prefs_register(void);
/* Takes them over as they are when a file is about to be read: every change has it read again. */
void iw_prefs_apply(void);

#endif /* IW_PREFS_H */
