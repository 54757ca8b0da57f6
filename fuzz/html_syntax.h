/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* html_syntax.h - whether bytes are a page as pcap-lint writes it, asked of nothing that writes it. */
#ifndef FUZZ_HTML_SYNTAX_H
#define FUZZ_HTML_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Elements are of a list, closed in order, their attributes are of a list and in quotes, none is a style or a handler, links lead
 * into the page; what is text has no character of markup that is not a reference. *@elements: how many.
 */
bool html_is_part(const char *text, size_t n, unsigned int *elements);

/* The same of a whole one, with its policy first, and @style and @script once each as they are here. */
bool html_is_page(const char *text, size_t n, const char *style, const char *script,
		  unsigned int *elements);

#endif /* FUZZ_HTML_SYNTAX_H */
