/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fact_rows.h - the rows of a file in tests/facts: columns by commas, the last one takes what is
 * left. Lines that start with "# one source: " own up to what fewer than two independent sources
 * say; a test asks for exactly those. Other lines that start with # are for the reader.
 */
#ifndef TESTS_FACT_ROWS_H
#define TESTS_FACT_ROWS_H

#include "check.h"

#include <stdlib.h>

#define FACT_COLUMNS 12
#define FACT_SAYS "one source: "
#define FACT_MARK "# " FACT_SAYS
#define FACT_MARKS_MAX 160
#define FACT_FAMILIES_MAX 16

static struct {
	char text[160];
	bool used;
} fact_marks[FACT_MARKS_MAX];
static size_t n_fact_marks;

static char fact_families[FACT_FAMILIES_MAX][24];

static inline void fact_mark_load(const char *text)
{
	size_t n = strlen(text);

	if (CHECK(n_fact_marks < FACT_MARKS_MAX && n < sizeof(fact_marks[0].text)))
		memcpy(fact_marks[n_fact_marks++].text, text, n + 1);
}

/* Calls @use with the columns of every row. */
static inline void fact_rows(const char *path, size_t columns, void (*use)(char **column))
{
	char line[512], *column[FACT_COLUMNS], *at;
	unsigned int number;
	FILE *in = CHECK_OPEN(path);
	size_t i;

	for (number = 1; in && fgets(line, sizeof(line), in); number++) {
		check_case("%s:%u", path, number);
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, FACT_MARK, sizeof(FACT_MARK) - 1) == 0)
			fact_mark_load(line + sizeof(FACT_MARK) - 1);
		if (!*line || *line == '#')
			continue;
		for (i = 0, at = line; i < columns && at; i++) {
			column[i] = at;
			at = i + 1 < columns ? strchr(at, ',') : NULL;
			if (at)
				*at++ = '\0';
		}
		if (CHECK_EQ(i, columns))
			use(column);
	}
	if (in)
		fclose(in);
}

/* "-" is where a source does not say. */
static inline bool fact_said(const char *column)
{
	return strcmp(column, "-") != 0;
}

static inline unsigned int fact_number(const char *column)
{
	char *end;
	unsigned long number = strtoul(column, &end, 0);

	CHECK(end != column && *end == '\0');
	return (unsigned int)number;
}

/* The bit of the code base a source belongs to: linux-6.1 and linux-6.12 are one. */
static inline unsigned int fact_family(const char *source)
{
	size_t n = strcspn(source, "-");
	unsigned int i;

	for (i = 0; i < FACT_FAMILIES_MAX && *fact_families[i]; i++)
		if (strlen(fact_families[i]) == n && strncmp(fact_families[i], source, n) == 0)
			return 1u << i;
	if (!CHECK(i < FACT_FAMILIES_MAX))
		return 0;
	snprintf(fact_families[i], sizeof(fact_families[0]), "%.*s", (int)n, source);
	return 1u << i;
}

/* NULL: two families or more say so; else which one, or "none". */
static inline const char *fact_weak(unsigned int families)
{
	unsigned int i;

	if (families & (families - 1))
		return NULL;
	for (i = 0; i < FACT_FAMILIES_MAX; i++)
		if (families == 1u << i)
			return fact_families[i];
	return "none";
}

/* @text is weak: it is printed and has to be in the file as "# one source: @text". */
static inline void fact_mark_use(const char *text)
{
	size_t i;

	printf("%s%s\n", FACT_SAYS, text);
	for (i = 0; i < n_fact_marks; i++)
		if (strcmp(fact_marks[i].text, text) == 0)
			break;
	check_case("the facts do not say \"%s%s\"", FACT_MARK, text);
	if (CHECK(i < n_fact_marks))
		fact_marks[i].used = true;
}

static inline void fact_marks_end(void)
{
	size_t i;

	for (i = 0; i < n_fact_marks; i++) {
		check_case("has two sources by now: %s%s", FACT_MARK, fact_marks[i].text);
		CHECK(fact_marks[i].used);
	}
}

#endif /* TESTS_FACT_ROWS_H */
