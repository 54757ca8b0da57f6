/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proof.h - records which rules have a warning or an error on which connection; only those may be reported
 * for it as a whole.
 */
#ifndef PL_PROOF_H
#define PL_PROOF_H

#include <lint/lint.h>

struct pl_proofs;

struct pl_proofs *pl_proofs_new(void);
void pl_proofs_free(struct pl_proofs *proofs); /* NULL is fine */

/* Such a finding. */
void pl_proofs_add(struct pl_proofs *proofs, const struct track *track,
		   const struct lint_finding *finding);

/* Gives findings to connections that became known after they were found. */
void pl_proofs_sort(struct pl_proofs *proofs, const struct track *track);

/* Whether the connection of that serial has one; of a capture with more than can be told apart, whether any connection has. */
bool pl_proofs_has(const struct pl_proofs *proofs, uint64_t serial, enum lint_rule_id rule);

/* Of a message of the CM, or another MAD. */
bool pl_proofs_has_message(const struct pl_proofs *proofs, uint64_t frame, enum lint_rule_id rule);

/* Of exactly that flow; of a capture with more than can be told apart, of any. */
bool pl_proofs_has_flow(const struct pl_proofs *proofs, const struct track_flow *flow,
			enum lint_rule_id rule);

#endif /* PL_PROOF_H */
