/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kheader_picture.c - the comment above a printed header: its fields as RFCs draw them. */
#include <stdio.h>
#include <string.h>

#include "kheader.h"

/* One row of the picture: the fields' parts between bits @from and @to, which is a word's end. */
static void print_row(const struct ibw_header *h, unsigned int from, unsigned int to)
{
	const struct ibw_field *f;

	printf(" * |");
	for (f = h->fields; f->name; f++) {
		unsigned int end = f->at + (unsigned int)f->bits * f->count;
		unsigned int a = f->at > from ? f->at : from, b = end < to ? end : to;
		unsigned int width, len;
		const char *text = kh_is_rsvd(f) ? "" : f->name;

		if (a >= b)
			continue;
		width = 2 * (b - a) - 1;
		len = (unsigned int)strlen(f->at < from ? "" : text);
		len = len > width ? width : len;
		printf("%*s%.*s%*s|", (int)((width - len) / 2), "", (int)len, text,
		       (int)(width - len - (width - len) / 2), "");
	}
	printf("\n");
}

static void print_rule(unsigned int bits)
{
	printf(" * +");
	while (bits--)
		printf("-+");
	printf("\n");
}

/* Rows inside one long field are told, not drawn. */
static bool is_inside(const struct ibw_header *h, unsigned int at)
{
	const struct ibw_field *f;

	for (f = h->fields; f->name; f++)
		if (f->at + 32 <= at && at + 64 <= f->at + (unsigned int)f->bits * f->count)
			return true;
	return false;
}

void kh_picture(const struct ibw_header *h)
{
	unsigned int bits = h->bytes * 8u, at, end;
	bool skipped = false;

	printf("/*\n * %s: %u bytes\n *\n", h->title, (unsigned int)h->bytes);
	printf(" *  0                   1                   2                   3\n"
	       " *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1\n");
	for (at = 0; at < bits; at += 32) {
		end = at + 32 < bits ? at + 32 : bits;
		if (is_inside(h, at)) {
			if (!skipped)
				printf(" * ...\n");
			skipped = true;
			continue;
		}
		skipped = false;
		print_rule(end - at);
		print_row(h, at, end);
	}
	print_rule((bits - 1) % 32 + 1);
	printf(" */\n");
}
