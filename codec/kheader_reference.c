/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kheader_reference.c - ibwire-kheader --reference: headers for readers, in Markdown: where each comes from, its picture
 * and its fields, and what their kinds mean. What is in no table is the comment of the file that has the rest.
 */
#include <stdio.h>
#include <string.h>

#include <ibwire/print.h>

#include "kheader.h"

#define FILE_MAX 65536

static char text[FILE_MAX];

/* The file @dir/@sub/@name.def in text; false: it cannot be read. */
static bool read_def(const char *dir, const char *sub, const char *name)
{
	char path[1024];
	size_t n = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s/%s.def", dir, sub, name);
	in = fopen(path, "rb");
	if (in) {
		n = fread(text, 1, sizeof(text) - 1, in);
		fclose(in);
	}
	text[n] = '\0';
	return n > 0;
}

/* The comment at @p, without what makes it one, on one line. */
static void print_comment(const char *p)
{
	const char *end = strstr(p, "*/");
	bool blank = false, any = false;

	for (p += 2; end && p < end; p++) {
		if (*p == '\n' || *p == '\t' || *p == ' ') {
			blank = true;
			p += *p == '\n' && p[1] == ' ' && p[2] == '*' && p[3] != '/' ? 2 : 0;
			continue;
		}
		if (blank && any)
			putchar(' ');
		blank = false;
		any = true;
		putchar(*p);
	}
}

/* What a header is by, which is the first comment of its file after the licence. */
static bool print_source(const char *dir, const char *name)
{
	const char *p;

	if (!read_def(dir, "schema", name))
		return false;
	p = strchr(text, '\n');
	p = p ? strstr(p, "/*") : NULL;
	if (!p)
		return false;
	print_comment(p);
	printf("\n\n");
	return true;
}

static const char *kind_name(unsigned int kind)
{
	static const char *const names[] = {
#define IBW_KIND(name, bits) #name,
#include <ibwire/list/kinds.def>
#undef IBW_KIND
	};

	return names[kind];
}

static void print_field(const struct ibw_header *h, const struct ibw_field *f)
{
	const char *meaning = ibw_field_meaning(h, f);
	unsigned int end = (unsigned int)f->at + (unsigned int)f->bits * f->count - 1;

	printf("| %s | %u to %u | ", kh_is_rsvd(f) ? "(reserved)" : f->name, (unsigned int)f->at,
	       end);
	if (f->count > 1 && !(f->flags & IBW_FIELD_BYTES))
		printf("%u of %u bits, ", (unsigned int)f->count, (unsigned int)f->bits);
	printf("%s | %s%s%s | ", kh_is_rsvd(f) ? "sent as 0" : kind_name(f->kind),
	       kh_is_rsvd(f) ? "" : f->label, meaning ? ": " : "", meaning ? meaning : "");
	if (f->comp >= 0)
		printf("%d", (int)f->comp);
	printf(" |\n");
}

static bool print_header(const char *dir, const struct ibw_header *h)
{
	const struct ibw_field *f;

	printf("\n## %s\n\n", h->name);
	if (!print_source(dir, h->name))
		return false;
	printf("```c\n");
	kh_picture(h);
	printf("```\n\n| field | bits | kind | meaning | component |\n| --- | --- | --- | --- | --- |\n");
	for (f = h->fields; f->name; f++)
		print_field(h, f);
	return true;
}

/* What the kinds of fields mean, their units with them. */
static bool print_kinds(const char *dir)
{
	const char *p;

	if (!read_def(dir, "list", "kinds"))
		return false;
	printf("\n## Kinds\n\n| kind | meaning |\n| --- | --- |\n");
	for (p = text; (p = strstr(p, "\nIBW_KIND(")) != NULL; p++) {
		printf("| %.*s | ", (int)strcspn(p + 10, ","), p + 10);
		p = strstr(p, "/*");
		if (!p)
			return false;
		print_comment(p);
		printf(" |\n");
	}
	return true;
}

bool kh_reference(const char *dir, const bool layers[IBW_LAYER_COUNT])
{
	unsigned int i;

	printf("<!-- SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause -->\n# ibwire: headers\n\n"
	       "Bit 0 is the most significant bit of byte 0. A component is a bit of the SA's component mask. For "
	       "the field psn of bth there are ibw_bth_psn() and ibw_bth_set_psn().\n");
	for (i = 0; i < IBW_LAYER_COUNT; i++)
		if (layers[i] && !print_header(dir, &ibw_headers[i]))
			return false;
	return print_kinds(dir);
}
