/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lines.h - reads the lines of files of test data and says which of them cannot be used.
 */
#ifndef TESTS_LINES_H
#define TESTS_LINES_H

#include "check.h"

#include <glob.h>

#define LINE_ROOM 2048

static const char *line_file;
static unsigned int line_number;

static inline void line_wrong(const char *what, const char *which)
{
	check_case("%s:%u: %s %s", line_file, line_number, what, which);
	CHECK_STR("a line that can be used", what);
}

/* A copy of @text that stays, for what points into lines that are read. */
static inline char *line_kept(const char *text)
{
	static char *kept[16384];
	static size_t n;

	if (n == sizeof(kept) / sizeof(kept[0])) {
		line_wrong("one line too many to be kept:", text);
		n = 0;
	}
	kept[n] = strdup(text);
	return kept[n++];
}

/* Whether a line of a map is a row of fields/: a new header's may be with its map, in one file. */
static inline bool line_is_row(const char *line)
{
	return line[strcspn(line, ", \t")] == ',';
}

/* Every line of every file that matches, without empty ones and # comments. */
static inline void each_line(const char *pattern, void (*use)(char *line))
{
	char line[LINE_ROOM];
	glob_t found;
	size_t i;
	FILE *in;

	check_case("%s", pattern);
	if (!CHECK_EQ(glob(pattern, 0, NULL, &found), 0))
		return;
	for (i = 0; i < found.gl_pathc; i++) {
		line_file = found.gl_pathv[i];
		in = fopen(line_file, "r");
		for (line_number = 1; in && fgets(line, sizeof(line), in); line_number++) {
			line[strcspn(line, "\r\n")] = '\0';
			if (*line && *line != '#')
				use(line);
		}
		CHECK(in && !fclose(in));
	}
	globfree(&found);
}

#endif /* TESTS_LINES_H */
