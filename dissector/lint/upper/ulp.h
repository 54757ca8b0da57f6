/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ulp.h - commands of upper layers in words. */
#ifndef IBWIRE_LINT_ULP_H
#define IBWIRE_LINT_ULP_H

#include "iwp.h"
#include "track/base/event.h"

/* Of an ULP_FAILED: whether data or the path suffered, the command was aborted, or a connection is refused. */
bool lint_command_suffers(const struct track_event *e) __attribute__((cold));

/* Of an ULP_FAILED: another rule says it, of a login that is refused, or of an error of RPC over RDMA; whether it is such an error. */
bool lint_command_refused(const struct track_event *e) __attribute__((cold));
bool lint_command_is_rdma_error(const struct track_event *e) __attribute__((cold));

/* Of an ULP_REFUSED: "; allow the initiator's name on the target", what to change; "": that is not known. */
const char *lint_refused_remedy(const struct track_event *e) __attribute__((cold));

/* Why SMC-R is declined: "different subnets", "no name". */
const char *lint_smc_diagnosis(uint64_t diagnosis) __attribute__((cold));

/* "Invalid Field in Command"; returns @text. */
const char *lint_command_status(const struct track_event *e, char text[LINT_TERMINATE_TEXT])
	__attribute__((cold));

/* Of an ULP_FAULT: "cid 12", "tag 0x3f"; returns @text. */
const char *lint_command_id(const struct track_event *e, char text[LINT_TERMINATE_TEXT])
	__attribute__((cold));

/* Of an ULP_FAULT about task management: "Abort Task", "LOGICAL UNIT RESET"; "Abort" of NVMe. */
const char *lint_command_task(const struct track_event *e) __attribute__((cold));

#endif /* IBWIRE_LINT_ULP_H */
