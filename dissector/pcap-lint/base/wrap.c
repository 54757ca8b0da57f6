/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wrap.c - breaks lines of text to the width of the terminal. */
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <glib.h>

#include "wrap.h"

#define COLUMNS 80u /* of a terminal that does not say */
#define INDENT 4u
/* "    because  ": below it the words go on. */
#define INDENT_CONTEXT 13u

unsigned int pl_wrap_columns(int fd)
{
	struct winsize size = { 0 };

	if (!isatty(fd))
		return 0;
	if (ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col)
		return COLUMNS;
	return CLAMP(size.ws_col, PL_WRAP_MIN, PL_WRAP_MAX);
}

/* Characters that take a column: not those of a colour, nor the later bytes of one of UTF-8. */
static unsigned int width_of(const char *p, size_t n)
{
	unsigned int width = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (p[i] == '\033') {
			while (i + 1 < n && p[i] != 'm')
				i++;
			continue;
		}
		width += ((unsigned char)p[i] & 0xc0) != 0x80;
	}
	return width;
}

static void out_indent(struct ibw_out *o, unsigned int n)
{
	while (n--)
		ibw_out_char(o, ' ');
}

/* The blanks before a word stay, unless the line is broken there. */
static void wrap_line(struct ibw_out *o, const char *p, size_t n, unsigned int columns)
{
	const unsigned int indent = n && *p == ' ' ? INDENT_CONTEXT : INDENT;
	unsigned int at = 0, width;
	size_t blanks, word;

	for (; n; p += blanks + word, n -= blanks + word) {
		for (blanks = 0; blanks < n && p[blanks] == ' '; blanks++)
			;
		for (word = 0; blanks + word < n && p[blanks + word] != ' '; word++)
			;
		width = width_of(p + blanks, word);
		if (at > indent && width && at + blanks + width > columns) {
			ibw_out_char(o, '\n');
			out_indent(o, indent);
			at = indent;
		} else {
			out_indent(o, (unsigned int)blanks);
			at += (unsigned int)blanks;
		}
		ibw_out_mem(o, p + blanks, word);
		at += width;
	}
	ibw_out_char(o, '\n');
}

void pl_wrap(struct pl_output *output, const char *from)
{
	struct ibw_out *o = &output->out;
	size_t n = (size_t)(o->p - from), line;
	const char *p, *end;
	char *copy;

	if (!output->columns || o->cut)
		return;
	copy = g_memdup2(from, n);
	o->p -= n;
	o->left += n;
	for (p = copy; n; p += line + 1, n -= line + 1) {
		end = memchr(p, '\n', n);
		g_assert(end);
		line = (size_t)(end - p);
		wrap_line(o, p, line, output->columns);
	}
	g_free(copy);
}
