/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plain.h - plain packets that no rule is about. */
#ifndef IBWIRE_LINT_PLAIN_H
#define IBWIRE_LINT_PLAIN_H

#include <stdbool.h>

struct track_plain;

/*
 * Whether no rule about packets has anything to say of a plain one, as far as it alone shows (track/view/plain.h). It
 * asks nothing but the packet: any thread may call it.
 */
bool lint_is_ordinary(const struct track_plain *p);

#endif /* IBWIRE_LINT_PLAIN_H */
