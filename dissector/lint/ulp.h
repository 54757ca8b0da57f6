/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ulp.h - what is said of the commands of upper layers, in words. */
#ifndef IBWIRE_LINT_ULP_H
#define IBWIRE_LINT_ULP_H

#include "iwp.h"
#include "track/base/event.h"

/* Of an ULP_FAILED: whether data or the path suffered, the command was aborted, or a connection is refused. */
bool lint_command_suffers(const struct track_event *e) __attribute__((cold));

/* "Invalid Field in Command"; returns @text. */
const char *lint_command_status(const struct track_event *e, char text[LINT_TERMINATE_TEXT])
	__attribute__((cold));

/* Of an ULP_FAULT: "cid 12", "tag 0x3f"; returns @text. */
const char *lint_command_id(const struct track_event *e, char text[LINT_TERMINATE_TEXT])
	__attribute__((cold));

/* Of an ULP_FAULT about task management: "Abort Task", "LOGICAL UNIT RESET"; "Abort" of NVMe. */
const char *lint_command_task(const struct track_event *e) __attribute__((cold));

#endif /* IBWIRE_LINT_ULP_H */
