/* SPDX-License-Identifier: GPL-2.0-or-later */
/* markup.h - text in HTML and XML. */
#ifndef PL_MARKUP_H
#define PL_MARKUP_H

#include <glib.h>

/*
 * Text of whoever wrote it, in an element or in an attribute in quotes, of XML, too: what is markup as references, what is not
 * seen or turns other text as \u{202e}, a byte that is no UTF-8 as \x{ff}.
 */
void pl_html_text(GString *p, const char *text);

#endif /* PL_MARKUP_H */
