/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fold.h - which findings are part of an incident: those of its connection, between its first packet and its last, of
 * rules that tell traces of incidents. They are counted, and have no line of their own.
 */
#ifndef PL_FOLD_H
#define PL_FOLD_H

#include "incident.h"

struct pl_folds;

/* Of the incidents that are told, which have to stay. */
struct pl_folds *pl_folds_new(const struct pl_report *report, struct pl_incident *incidents,
			      unsigned int n);
void pl_folds_free(struct pl_folds *folds); /* NULL is fine */

/* Whether incidents of a connection are told. */
bool pl_folds_has(const struct pl_folds *folds, const struct track_qp *qp);

/* Of a refusal the finding says what was asked for: it becomes the incident's message. Kept by the caller. */
void pl_fold_refusal(struct pl_folds *folds, const struct lint_finding *finding);

/* The incident that a finding is part of; NULL: it is of none. */
const struct pl_incident *pl_fold_of(const struct pl_folds *folds, const struct track *track,
				     const struct lint_finding *finding);

#endif /* PL_FOLD_H */
