/* SPDX-License-Identifier: GPL-2.0-or-later */
/* say.h - durations and counted nouns in messages. */
#ifndef IBWIRE_LINT_SAY_H
#define IBWIRE_LINT_SAY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* "70.61 ms", in the unit that fits; @text, of LINT_DURATION_TEXT bytes. */
#define LINT_DURATION_TEXT 32
const char *lint_duration_text(uint64_t ns, char *text) __attribute__((cold));

/* What is said of one thing as of one: "1 packets" becomes "1 packet". No name of a file may be in @text. */
void lint_as_one(char *text);

/* A message, lint_as_one(). */
void lint_say(char *message, size_t size, const char *format, va_list args)
	__attribute__((cold, format(printf, 3, 0)));

#endif /* IBWIRE_LINT_SAY_H */
