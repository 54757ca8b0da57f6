/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* man_roff.c - a page of section 3, and text in it, as groff and mandoc want them. */
#include <stdarg.h>
#include <stdlib.h>

#include "man_roff.h"

#define COLUMNS 80

const char *man_version, *man_date, *man_out;

void man_fail(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	fputs("ibwire-man: ", stderr);
	vfprintf(stderr, format, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(1);
}

static FILE *open_file(const char *name)
{
	char path[1024];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s.3", man_out, name);
	out = fopen(path, "wb");
	if (!out)
		man_fail("%s cannot be written", path);
	return out;
}

FILE *man_open(const char *page)
{
	FILE *out = open_file(page);
	const char *p;

	fputs(".TH ", out);
	for (p = page; *p; p++)
		fputc(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p, out);
	fprintf(out, " 3 \"%s\" \"ibwire %s\" \"ibwire\"\n.SH NAME\n", man_date, man_version);
	return out;
}

void man_close(FILE *out)
{
	bool bad = ferror(out);

	if (fclose(out) || bad)
		man_fail("a page cannot be written");
}

void man_link(const char *name, const char *page)
{
	FILE *out = open_file(name);

	fprintf(out, ".so man3/%s.3\n", page);
	man_close(out);
}

size_t man_character(char *to, char c)
{
	static const struct {
		char c;
		const char *roff;
	} special[] = {
		{ '\\', "\\e" },  { '-', "\\-" },   { '\'', "\\(aq" },
		{ '`', "\\(ga" }, { '^', "\\(ha" }, { '~', "\\(ti" },
	};
	size_t i;

	for (i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (special[i].c == c) {
			memcpy(to, special[i].roff, strlen(special[i].roff));
			return strlen(special[i].roff);
		}
	*to = c;
	return 1;
}

void man_verbatim(FILE *out, const char *p, size_t n)
{
	unsigned int column = 0;
	char text[4] = "";

	if (n && *p == '.')
		fputs("\\&", out);
	for (; n; n--, p++) {
		if (*p == '\t') {
			do
				fputc(' ', out);
			while (++column % 8);
			continue;
		}
		fwrite(text, 1, man_character(text, *p), out);
		column++;
	}
	fputc('\n', out);
}

/* A word of running text; the column after it. */
static size_t put_word(FILE *out, size_t column, const char *p, size_t n)
{
	char text[1024];
	size_t len = 0;

	if (n > sizeof(text) / 5)
		man_fail("a word is too long");
	for (; n; n--) {
		if (*p == '@' && n > 1 && man_is_word(p[1])) {
			len += (size_t)snprintf(text + len, 4, "\\fI");
			for (p++, n--; n && man_is_word(*p); n--)
				text[len++] = *p++;
			len += (size_t)snprintf(text + len, 4, "\\fR");
			if (!n)
				break;
		}
		len += man_character(text + len, *p++);
	}
	if (column && column + 1 + len > COLUMNS) {
		fputc('\n', out);
		column = 0;
	}
	if (column)
		column += (size_t)fprintf(out, " ");
	else if (text[0] == '.')
		column += (size_t)fprintf(out, "\\&");
	return column + fwrite(text, 1, len, out);
}

void man_running(FILE *out, const char *p, size_t n)
{
	size_t column = 0, word;

	for (; n; p += word, n -= word) {
		for (word = 0; word < n && p[word] != ' '; word++)
			;
		if (word)
			column = put_word(out, column, p, word);
		else
			word = 1; /* the blank */
	}
	fputc('\n', out);
}

void man_begin_verbatim(FILE *out)
{
	fputs(".RS 4\n.EX\n", out);
}

void man_end_verbatim(FILE *out)
{
	fputs(".EE\n.RE\n", out);
}
