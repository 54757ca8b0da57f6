/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* picture.c - the fields of a header as RFCs draw them. */
#include <ibwire/print.h>

#define ROW 32 /* bits */

/* The bits of a header that are marked. */
struct mark {
	unsigned int at, end;
};

/* The numbers of the bits, or a line between rows: two characters a bit. */
static void print_rule(struct ibw_out *o, const char *indent, unsigned int bits)
{
	ibw_out_str(o, indent);
	ibw_out_char(o, '+');
	while (bits--)
		ibw_out_str(o, "-+");
	ibw_out_char(o, '\n');
}

static void print_chars(struct ibw_out *o, char c, unsigned int n)
{
	while (n--)
		ibw_out_char(o, c);
}

/* One row: the fields' parts between bits @from and @to, which is a word's end. */
static void print_row(struct ibw_out *o, const struct ibw_header *h, const char *indent,
		      unsigned int from, unsigned int to)
{
	const struct ibw_field *f;

	ibw_out_str(o, indent);
	ibw_out_char(o, '|');
	for (f = h->fields; f->name; f++) {
		unsigned int end = f->at + (unsigned int)f->bits * f->count;
		unsigned int a = f->at > from ? f->at : from, b = end < to ? end : to;
		const char *text = f->flags & IBW_FIELD_RSVD || f->at < from ? "" : f->name;
		unsigned int width, len = 0;

		if (a >= b)
			continue;
		width = 2 * (b - a) - 1;
		while (len < width && text[len])
			len++;
		print_chars(o, ' ', (width - len) / 2);
		ibw_out_mem(o, text, len);
		print_chars(o, ' ', width - len - (width - len) / 2);
		ibw_out_char(o, '|');
	}
	ibw_out_char(o, '\n');
}

static bool marked(const struct mark *mark, unsigned int from, unsigned int to)
{
	return mark->at < to && mark->end > from;
}

/* "^" under the bits of the row that are marked. */
static void print_mark(struct ibw_out *o, const char *indent, const struct mark *mark,
		       unsigned int from, unsigned int to)
{
	unsigned int a = mark->at > from ? mark->at : from, b = mark->end < to ? mark->end : to;

	if (!marked(mark, from, to))
		return;
	ibw_out_str(o, indent);
	print_chars(o, ' ', 2 * (a - from) + 1);
	print_chars(o, '^', 2 * (b - a) - 1);
	ibw_out_char(o, '\n');
}

/* Inside one long field rows are left out. */
static bool is_inside(const struct ibw_header *h, unsigned int at)
{
	const struct ibw_field *f;

	for (f = h->fields; f->name; f++)
		if (f->at + ROW <= at && at + 2 * ROW <= f->at + (unsigned int)f->bits * f->count)
			return true;
	return false;
}

void ibw_print_picture(struct ibw_out *o, const struct ibw_header *h, const char *indent,
		       unsigned int at, unsigned int bits)
{
	const struct mark mark = { at, at + bits };
	unsigned int size = h->bytes * 8u, from, to;
	bool all = !bits || size <= 6 * ROW, skipped = false;

	ibw_out_str(o, indent);
	ibw_out_str(o, " 0                   1                   2                   3\n");
	ibw_out_str(o, indent);
	ibw_out_str(o, " 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1\n");
	for (from = 0; from < size; from += ROW) {
		to = from + ROW < size ? from + ROW : size;
		if ((!all || is_inside(h, from)) && !marked(&mark, from, to)) {
			if (!skipped) {
				if (!all && from)
					print_rule(o, indent, ROW);
				ibw_out_str(o, indent);
				ibw_out_str(o, "...\n");
			}
			skipped = true;
			continue;
		}
		skipped = false;
		print_rule(o, indent, to - from);
		print_row(o, h, indent, from, to);
		print_mark(o, indent, &mark, from, to);
	}
	if (!skipped)
		print_rule(o, indent, (size - 1) % ROW + 1);
}
