/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wants.h - tells the trackers what the report needs: they keep nothing else. */
#ifndef PL_WANTS_H
#define PL_WANTS_H

#include <lint/lint.h>

#include "pcap-lint/options/options.h"
#include "pcap-lint/report/report.h"

/* Before the linter is made, which asks for streams itself. */
void pl_want_shown(struct track *track, const struct pl_options *options,
		   const struct pl_report *report);

/* What takes events, with those that @lint reads; false: nobody reads any. */
bool pl_want_events(struct track *track, const struct pl_options *options,
		    const struct pl_report *report, const struct lint *lint);

#endif /* PL_WANTS_H */
