/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwp.h - what is said of iWARP, in words. */
#ifndef IBWIRE_LINT_IWP_H
#define IBWIRE_LINT_IWP_H

#include "track/base/event.h"

/* What a Terminate says, what it refuses, and how siw's are to be read. */
#define LINT_TERMINATE_TEXT 400
const char *lint_terminate_text(const struct track_event *e, char text[LINT_TERMINATE_TEXT]);

/* "it was closed" */
const char *lint_iwarp_end_text(uint64_t end);

#endif /* IBWIRE_LINT_IWP_H */
