/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sarif.h - parts of a SARIF log: sink_sarif.c. */
#ifndef PL_SARIF_H
#define PL_SARIF_H

#include "pcap-lint/incidents/incident.h"
#include "pcap-lint/report/sink.h"

/* An object's first key, which has no comma before it. */
void pl_sarif_first(struct ibw_out *o, const char *key, const char *text);

/* {"text":"...."}: a message, which ends like a sentence; with a key before it. */
void pl_sarif_message(struct ibw_out *o, const char *text);
void pl_sarif_key_message(struct ibw_out *o, const char *key, const char *text);

/* SARIF has no level of its own for what is only slow. */
const char *pl_sarif_level(enum lint_severity severity);

/* Where a frame is, or the file if there is none: the members of a location. */
void pl_sarif_location(struct pl_report *report, uint64_t frame, const struct track_flow *flow);

/* A file with its length and its digest. */
void pl_sarif_artifact(struct ibw_out *o, const char *file);

/* Results. */
void pl_sarif_finding(struct pl_report *report, const struct lint_finding *finding);
void pl_sarif_sum(struct pl_report *report, const struct pl_limited *limited);
void pl_sarif_incident(struct pl_report *report, const struct pl_incident *incident);

#endif /* PL_SARIF_H */
