/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_impl.h - what the files of a report share: report.c chooses findings, report_end.c writes the end. */
#ifndef PL_REPORT_IMPL_H
#define PL_REPORT_IMPL_H

#include "pcap-lint/incidents/incident.h"
#include "pcap-lint/report/report.h"

/* Findings have their lines at the end, after the incidents that they may be part of. */
bool pl_report_folds(const struct pl_report *report);

/* Whether there is room for another finding; else it is counted. */
bool pl_report_has_place(struct pl_report *report);

/* A finding as it is, if there is room. */
void pl_report_write(struct pl_report *report, const struct lint_finding *finding);

/* Of findings that waited it is known by now whether they are asked for. */
void pl_report_decide(struct pl_report *report);

/* What the traffic classes come to. */
void pl_report_congestion(struct pl_report *report);

/* Whether it was told before the end: live. */
bool pl_report_is_told_live(const struct pl_report *report, const struct pl_incident *incident);

/* What the findings of refusals say goes to their incidents. */
void pl_report_set_refusals(const struct pl_report *report, struct pl_incident *list,
			    unsigned int n);

/* What is true of one capture, too. */
void pl_totals_add(struct pl_totals *all, const struct pl_totals *totals);

#endif /* PL_REPORT_IMPL_H */
