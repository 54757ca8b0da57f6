/* SPDX-License-Identifier: GPL-2.0-or-later */
/* markup.c - text in HTML and XML: the only function that escapes. */
#include "capture/plain.h"
#include "markup.h"

/* The reference of what is markup; NULL: it is none. */
static const char *reference(gunichar c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* Of what a page may not have: noncharacters, in whatever form (HTML, 13.2.3.5); and what is of no use to a reader. */
static bool is_shown(gunichar c)
{
	return capture_is_plain(c) && (c & 0xfffe) != 0xfffe && !(c >= 0xfdd0 && c <= 0xfdef);
}

void pl_html_text(GString *p, const char *text)
{
	const char *next, *as;
	gunichar c;

	for (; *text; text = next) {
		c = g_utf8_get_char_validated(text, -1);
		if (c == (gunichar)-1 || c == (gunichar)-2) {
			g_string_append_printf(p, "\\x{%02x}", (unsigned char)*text);
			next = text + 1;
			continue;
		}
		next = g_utf8_next_char(text);
		as = reference(c);
		if (as)
			g_string_append(p, as);
		else if (is_shown(c))
			g_string_append_len(p, text, (gssize)(next - text));
		else
			g_string_append_printf(p, "\\u{%x}", c);
	}
}
