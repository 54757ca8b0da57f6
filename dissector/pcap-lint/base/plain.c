/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plain.c - makes untrusted text safe to print. */
#include <stdio.h>

#include "capture/plain.h"
#include "plain.h"

/* A byte that is no UTF-8 is of an older encoding: all of them have controls at 0x80 to 0x9f. */
size_t pl_plain_char(const char *s, bool *plain)
{
	const gunichar c = g_utf8_get_char_validated(s, -1);

	if (c == (gunichar)-1 || c == (gunichar)-2) {
		*plain = (unsigned char)*s >= 0xa0;
		return 1;
	}
	*plain = capture_is_plain(c);
	return (size_t)(g_utf8_next_char(s) - s);
}

char *pl_plain(const char *text)
{
	GString *shown = g_string_new(NULL);
	bool plain;
	size_t n;

	for (; *text; text += n) {
		n = pl_plain_char(text, &plain);
		g_string_append_len(shown, plain ? text : "?", plain ? (gssize)n : 1);
	}
	return g_string_free(shown, FALSE);
}

char *pl_plain_format(const char *format, va_list args)
{
	char *text = g_strdup_vprintf(format, args), *shown = pl_plain(text);

	g_free(text);
	return shown;
}

void pl_say(const char *format, ...)
{
	va_list args;
	char *shown;

	va_start(args, format);
	shown = pl_plain_format(format, args);
	va_end(args);
	fprintf(stderr, "pcap-lint: %s\n", shown);
	g_free(shown);
}
