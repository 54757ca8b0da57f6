/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plain.h - characters that may be shown wherever they come from: names in a capture, names of files. */
#ifndef IBWIRE_CAPTURE_PLAIN_H
#define IBWIRE_CAPTURE_PLAIN_H

#include <stdbool.h>

#include <glib.h>

/*
 * None of the controls of ASCII and of Latin 1 (U+009B begins an escape sequence as ESC [ does); of the
 * formats, which are those of bidirectional text and what has no width; of the ends of lines and paragraphs.
 */
static inline bool capture_is_plain(gunichar c)
{
	switch (g_unichar_type(c)) {
	case G_UNICODE_CONTROL:
	case G_UNICODE_FORMAT:
	case G_UNICODE_LINE_SEPARATOR:
	case G_UNICODE_PARAGRAPH_SEPARATOR:
		return false;
	default:
		return true;
	}
}

#endif /* IBWIRE_CAPTURE_PLAIN_H */
