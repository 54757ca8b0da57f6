/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* html_syntax.c - whether bytes are a page as pcap-lint writes it, asked of nothing that writes it. */
#include <ctype.h>
#include <string.h>

#include "html_syntax.h"

#define DEPTH_MAX 24
#define NAME_MAX_HERE 16

static const char *const elements_known[] = {
	"a",    "b",     "body",       "caption", "code",  "dd",    "details", "div",
	"dl",   "dt",    "figcaption", "figure",  "g",     "h1",    "h2",      "h3",
	"head", "html",  "i",          "li",      "main",  "p",     "script",  "section",
	"span", "style", "summary",    "svg",     "table", "tbody", "td",      "text",
	"th",   "thead", "title",      "tr",      "ul",
};

/* Never closed, or at once. */
static const char *const voids[] = { "br", "input", "meta" };
static const char *const shapes[] = { "circle", "line", "path", "polyline", "rect" };

static const char *const attributes[] = {
	"aria-label", "charset", "class",  "colspan",    "content",     "cx",      "cy",
	"d",          "data-f",  "data-i", "data-ns",    "data-t",      "data-v",  "data-x",
	"data-y",     "height",  "href",   "http-equiv", "id",          "lang",    "name",
	"open",       "points",  "r",      "role",       "text-anchor", "viewBox", "width",
	"x",          "x1",      "x2",     "y",          "y1",          "y2",
};

static const char *const references[] = { "&#39;", "&amp;", "&gt;", "&lt;", "&quot;" };

struct page {
	const char *p, *end;
	const char *style, *script; /* not there yet; NULL: it was */
	char open[DEPTH_MAX][NAME_MAX_HERE];
	unsigned int depth, elements;
};

static bool is_of(const char *const *list, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return false;
}

#define IS_OF(list, name) is_of(list, sizeof(list) / sizeof((list)[0]), name)

static bool take(struct page *page, const char *what)
{
	const size_t n = strlen(what);

	if ((size_t)(page->end - page->p) < n || memcmp(page->p, what, n) != 0)
		return false;
	page->p += n;
	return true;
}

static bool take_name(struct page *page, char name[NAME_MAX_HERE])
{
	size_t n = 0;

	while (page->p < page->end && (isalnum((unsigned char)*page->p) || *page->p == '-')) {
		if (n == NAME_MAX_HERE - 1)
			return false;
		name[n++] = *page->p++;
	}
	name[n] = '\0';
	return n;
}

/* One character, or what is one. */
static bool take_text(struct page *page, const char *never)
{
	size_t i;

	if (*page->p == '&') {
		for (i = 0; i < sizeof(references) / sizeof(references[0]); i++)
			if (take(page, references[i]))
				return true;
		return false;
	}
	if (!*page->p || strchr(never, *page->p))
		return false;
	page->p++;
	return true;
}

static bool attribute(struct page *page)
{
	char name[NAME_MAX_HERE];
	const char *value;

	if (!take_name(page, name) || !IS_OF(attributes, name))
		return false;
	if (!take(page, "=\""))
		return strcmp(name, "open") == 0;
	value = page->p;
	while (page->p < page->end && *page->p != '"')
		if (!take_text(page, "<>\""))
			return false;
	if (strcmp(name, "href") == 0 && *value != '#')
		return false;
	return take(page, "\"");
}

static bool raw(struct page *page, const char **text)
{
	if (!*text || !take(page, *text))
		return false;
	*text = NULL;
	return true;
}

static bool open_element(struct page *page)
{
	char name[NAME_MAX_HERE];
	bool is_shape;

	if (!take_name(page, name))
		return false;
	while (take(page, " "))
		if (!attribute(page))
			return false;
	page->elements++;
	is_shape = IS_OF(shapes, name);
	if (is_shape && take(page, "/>"))
		return true;
	if (!take(page, ">"))
		return false;
	if (IS_OF(voids, name))
		return true;
	if ((!is_shape && !IS_OF(elements_known, name)) || page->depth == DEPTH_MAX)
		return false;
	memcpy(page->open[page->depth++], name, sizeof(name));
	if (strcmp(name, "style") == 0)
		return raw(page, &page->style);
	return strcmp(name, "script") != 0 || raw(page, &page->script);
}

static bool close_element(struct page *page)
{
	char name[NAME_MAX_HERE];

	if (!take_name(page, name) || !page->depth ||
	    strcmp(page->open[page->depth - 1], name) != 0)
		return false;
	page->depth--;
	return take(page, ">");
}

static bool is_whole(struct page *page)
{
	while (page->p < page->end) {
		if (take(page, "</")  ? !close_element(page)
		    : take(page, "<") ? !open_element(page)
				      : !take_text(page, "<>"))
			return false;
	}
	return !page->depth && !page->style && !page->script;
}

bool html_is_part(const char *text, size_t n, unsigned int *elements)
{
	struct page page = { .p = text, .end = text + n };
	const bool ok = is_whole(&page);

	*elements = page.elements;
	return ok;
}

bool html_is_page(const char *text, size_t n, const char *style, const char *script,
		  unsigned int *elements)
{
	struct page page = { .p = text, .end = text + n, .style = style, .script = script };
	const bool ok = take(&page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
				    "<meta charset=\"utf-8\">\n"
				    "<meta http-equiv=\"Content-Security-Policy\" "
				    "content=\"default-src 'none'; ");

	page.p = text + (ok ? strlen("<!DOCTYPE html>\n") : 0);
	*elements = 0;
	if (!ok || !is_whole(&page))
		return false;
	*elements = page.elements;
	return true;
}
