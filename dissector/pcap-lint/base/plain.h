/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain.h - makes untrusted text (names of files, options, configuration) safe to print: control
 * characters, and characters that reverse or hide other text, become "?".
 */
#ifndef PL_PLAIN_H
#define PL_PLAIN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <glib.h>

/* Bytes of the character at @s, which is not at its end; *@plain: it may be shown as it is. */
size_t pl_plain_char(const char *s, bool *plain);

/* All of a text; freed by the caller. */
char *pl_plain(const char *text);

/* The same of a text to be made; freed by the caller. */
char *pl_plain_format(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* "pcap-lint: ..." on standard error. */
void pl_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* PL_PLAIN_H */
