/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * html.c - any bytes as the name of a file, up to the end of the line, and as the capture in it: the page of --format html.
 *
 * What is text stays text, in cells and attributes alone and on the page of the capture: no element is more or less than with
 * another name, none is but for those of the page, nothing leads out of it, style and script are what they are.
 */
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "fuzz.h"
#include "html_syntax.h"
#include "pcap-lint/sinks/html/html.h"

#define NAME_BYTES 200u
#define PAGE_MAX (600u << 10) /* whatever the capture */

/* The parts of a page that take text, each alone. */
static void write_alone(const char *text)
{
	GString *p = g_string_new(NULL);
	unsigned int elements;

	pl_html_cell(p, text);
	pl_html_sorted_cell(p, strlen(text), text);
	g_string_append(p, "<p class=\"");
	pl_html_text(p, text);
	g_string_append(p, "\">");
	pl_html_text(p, text);
	g_string_append(p, "</p>");
	FUZZ_CHECK(g_utf8_validate(p->str, (gssize)p->len, NULL));
	FUZZ_CHECK(html_is_part(p->str, p->len, &elements) && elements == 3);
	g_string_free(p, TRUE);
}

/* Of the capture under this name. */
static unsigned int elements_of(const char *name)
{
	static char directory[] = "/tmp/fuzz-html-XXXXXX";
	static bool made;
	unsigned int elements;
	const char *page;
	char *path;
	size_t n;

	if (!made)
		FUZZ_CHECK(mkdtemp(directory));
	made = true;
	path = g_build_filename(directory, name, NULL);
	FUZZ_CHECK(!symlink(command_name(COMMAND_INPUT), path));
	command_run_words((const char *const[]){ "--config", "none", "--format", "html",
						 "--severity", "note", "-o",
						 command_name(COMMAND_REPORT), "--", path },
			  10);
	unlink(path);
	g_free(path);
	command_check_plain(COMMAND_REPORT);
	command_check_plain(COMMAND_SAID);
	page = (const char *)command_bytes(COMMAND_REPORT, &n);
	FUZZ_CHECK(n <= PAGE_MAX && g_utf8_validate(page, (gssize)n, NULL));
	FUZZ_CHECK(html_is_page(page, n, pl_html_style, pl_html_script, &elements));
	return elements;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *line = size ? memchr(data, '\n', MIN(size, NAME_BYTES)) : NULL;
	char *text = g_strndup((const char *)data, size), *name, *at;

	write_alone(text);
	g_free(text);
	if (!line)
		return 0;
	name = g_strndup((const char *)data, (size_t)(line - data));
	for (at = name; *at; at++)
		if (*at == '/')
			*at = '_';
	line++;
	command_input(line, size - (size_t)(line - data));
	if (*name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
		FUZZ_CHECK(elements_of(name) == elements_of("x"));
	g_free(name);
	return 0;
}
