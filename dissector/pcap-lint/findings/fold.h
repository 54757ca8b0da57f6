/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fold.h - decides which findings are part of an incident: those of its connection, between its first and last
 * packet, of rules that report traces of incidents; those of the CM and of other MADs by frames. They are counted,
 * and have no line of their own.
 */
#ifndef PL_FOLD_H
#define PL_FOLD_H

#include "pcap-lint/incidents/incident.h"
#include "later.h"

struct pl_folds;

/* Of the incidents that are told, or of all; those have to stay. */
struct pl_folds *pl_folds_new(const struct pl_report *report, struct pl_incident *incidents,
			      unsigned int n, bool all);
void pl_folds_free(struct pl_folds *folds); /* NULL is fine */

/* Whether incidents of a connection are told. */
bool pl_folds_has(const struct pl_folds *folds, const struct track_qp *qp);

/*
 * The incident that a finding, or the one of several at @frame, is part of, of the way that it is about if that has one;
 * NULL: it is of none.
 */
struct pl_incident *pl_fold_of(const struct pl_folds *folds, const struct pl_waiting *waiting,
			       uint64_t frame);

#endif /* PL_FOLD_H */
