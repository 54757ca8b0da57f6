/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lists.h - the lists of --stats, but for connections, as text and as JSON. */
#ifndef PL_LISTS_H
#define PL_LISTS_H

#include "pcap-lint/report/report.h"
#include "track/base/subnet.h"
#include "track/cm/cm_list.h"
#include "track/mgmt/transact.h"
#include "track/ulp/ulp.h"

/* Tables: conversations of the CM, MAD clients and attributes, commands, each kind of what is known of the subnet. */
void pl_text_cm(struct pl_report *report, const struct track_cm_list *list);
void pl_text_mads(struct pl_report *report, const struct track_transact *mads);
void pl_text_upper(struct pl_report *report, const struct track_ulps *ulps);
void pl_text_subnet(struct pl_report *report, const struct track_subnet *s); /* members with -v */

/* One line per object. */
void pl_json_cm(struct pl_report *report, const struct track_cm_list *list);
void pl_json_mads(struct pl_report *report, const struct track_transact *mads);
void pl_json_upper(struct pl_report *report, const struct track_ulps *ulps);
void pl_json_subnet(struct pl_report *report, const struct track_subnet *s);
void pl_json_pairs(struct pl_report *report);

#endif /* PL_LISTS_H */
