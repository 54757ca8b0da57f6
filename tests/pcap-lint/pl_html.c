/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text of a page: nothing in it is markup, not seen, or no UTF-8, whatever it was made of. By hand; every character there
 * is; and bytes as they come.
 */
#include <string.h>

#include "check.h"
#include <pcap-lint/sinks/html/html_write.h>

static void text(const char *of, const char *want)
{
	GString *p = g_string_new("x");

	pl_html_text(p, of);
	CHECK_STR(p->str + 1, want);
	g_string_free(p, TRUE);
}

/* A reference, of those that are written. */
static size_t reference(const char *s)
{
	static const char *const all[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(all); i++)
		if (g_str_has_prefix(s, all[i]))
			return strlen(all[i]);
	return 0;
}

static bool is_text(const char *s)
{
	gunichar c;
	size_t n;

	if (!g_utf8_validate(s, -1, NULL))
		return false;
	for (; *s; s += n) {
		n = *s == '&' ? reference(s) : (size_t)(g_utf8_next_char(s) - s);
		c = g_utf8_get_char(s);
		if (!n || strchr("<>\"'", *s) || c < 0x20 || (c >= 0x7f && c < 0xa0) ||
		    (c & 0xfffe) == 0xfffe || (c >= 0x200b && c <= 0x200f) ||
		    (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff)
			return false;
	}
	return true;
}

static void each_character(void)
{
	GString *p = g_string_new(NULL);
	char utf8[7] = { 0 };
	gunichar c;

	for (c = 1; c < 0x110000; c++) {
		if (c >= 0xd800 && c < 0xe000)
			continue;
		utf8[g_unichar_to_utf8(c, utf8)] = '\0';
		g_string_truncate(p, 0);
		pl_html_text(p, utf8);
		check_case("U+%04x", c);
		CHECK(p->len && is_text(p->str));
	}
	check_case("%s", "");
	g_string_free(p, TRUE);
}

static void random_bytes(void)
{
	GString *p = g_string_new(NULL);
	uint32_t state = 1, i, n;
	char bytes[32];

	for (n = 0; n < 100000; n++) {
		for (i = 0; i < sizeof(bytes) - 1; i++) {
			state = state * 1664525u + 1013904223u;
			bytes[i] = (char)(state >> 24);
		}
		bytes[sizeof(bytes) - 1] = '\0';
		g_string_truncate(p, 0);
		pl_html_text(p, bytes);
		check_case("round %u", n);
		CHECK(is_text(p->str));
	}
	check_case("%s", "");
	g_string_free(p, TRUE);
}

int main(void)
{
	text("10.7.0.1 qp 21", "10.7.0.1 qp 21");
	text("<b a=\"1\" c='2'>&amp;", "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;");
	text("a\u202eb\xc2\x85"
	     "c\td\n",
	     "a\\u{202e}b\\u{85}c\\u{9}d\\u{a}");
	text("\xff\xc3z", "\\x{ff}\\x{c3}z");
	text("gr\u00fc\u00df", "gr\u00fc\u00df");
	text("", "");
	each_character();
	random_bytes();
	return check_end();
}
