/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kheader_tags.c - ibwire-kheader --tags: the names that expand.h makes of the schema, which no editor finds, as
 * ctags(1) has names: each with the file and the line it is made of.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kheader.h"

/* A field of a header and where it is. */
struct line {
	const char *field;
	unsigned int line;
};

#define IBW_EXPAND_ALSO "kheader_lines.h"
#include <ibwire/ibwire.h>
#undef IBW_EXPAND_ALSO

static const struct {
	const char *name;
	const struct line *lines;
} headers[] = {
#define IBW_HEADER(name, title) { #name, ibw_##name##_lines },
#include <ibwire/list/headers.def>
#undef IBW_HEADER
};

/* A tag; its file is that of @header. */
struct tag {
	char name[104];
	const char *header;
	unsigned int line;
	char kind; /* as ctags has it for C: f, e, s */
};

/* What is made of each header, whose first line is the licence and whose second says what it is. */
static const struct {
	const char *suffix;
	char kind;
} of_header[] = { { "", 's' },          { "_wire", 's' },   { "_view", 'f' },
		  { "_view_mut", 'f' }, { "_unpack", 'f' }, { "_pack", 'f' },
		  { "_rsvd_set", 'f' }, { "_BITS", 'e' },   { "_BYTES", 'e' } };
#define TITLE_LINE 2

#define TAGS_MAX 8192
static struct tag tags[TAGS_MAX];
static size_t n_tags;

static void add(const char *header, const char *between, const char *field, const char *suffix,
		unsigned int line, char kind)
{
	struct tag *t = &tags[n_tags];

	if (n_tags == TAGS_MAX)
		return;
	n_tags++;
	snprintf(t->name, sizeof(t->name), "ibw_%s%s%s%s", header, between, field, suffix);
	t->header = header;
	t->line = line;
	t->kind = kind;
}

static int compare(const void *a, const void *b)
{
	const struct tag *one = a, *other = b;

	int order = strcmp(one->name, other->name);

	return order != 0 ? order : strcmp(one->header, other->header);
}

bool kh_tags(const char *dir)
{
	const struct line *l;
	size_t i, j;

	for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		for (j = 0; j < sizeof(of_header) / sizeof(of_header[0]); j++)
			add(headers[i].name, "", "", of_header[j].suffix, TITLE_LINE,
			    of_header[j].kind);
		for (l = headers[i].lines; l->field; l++) {
			add(headers[i].name, "_", l->field, "", l->line, 'f');
			add(headers[i].name, "_set_", l->field, "", l->line, 'f');
			add(headers[i].name, "_", l->field, "_AT", l->line, 'e');
		}
	}
	if (n_tags == TAGS_MAX)
		return false;
	qsort(tags, n_tags, sizeof(tags[0]), compare);
	printf("!_TAG_FILE_FORMAT\t2\t/extended format/\n"
	       "!_TAG_FILE_SORTED\t1\t/by byte/\n");
	for (i = 0; i < n_tags; i++)
		printf("%s\t%s/%s.def\t%u;\"\t%c\n", tags[i].name, dir, tags[i].header,
		       tags[i].line, tags[i].kind);
	return true;
}
