/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_picture.c - what pictures of a page have in common. */
#include <inttypes.h>

#include "html_picture.h"

/* Marks on an axis of time, at most. */
#define TICKS 7u

/* A product of that and of what pictures are wide fits. */
#define LARGE ((uint64_t)1 << 40)

/* Thousands of these are in a page: no format is read for them. */
void pl_svg_tenths(GString *p, int64_t tenths)
{
	uint64_t n = tenths < 0 ? (uint64_t)-tenths : (uint64_t)tenths;
	char text[24], *at = text + sizeof(text);

	if (n % 10) {
		*--at = (char)('0' + n % 10);
		*--at = '.';
	}
	n /= 10;
	do {
		*--at = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	if (tenths < 0)
		*--at = '-';
	g_string_append_len(p, at, text + sizeof(text) - at);
}

uint64_t pl_svg_part(uint64_t v, uint64_t all, uint64_t to)
{
	while (all > LARGE) {
		all /= 2;
		v /= 2;
	}
	return v >= all ? to : v * to / all;
}

int64_t pl_axis_x(const struct pl_axis *axis, uint64_t time_ns)
{
	uint64_t width = (uint64_t)(axis->right - axis->left) * 10;

	if (time_ns <= axis->begin_ns)
		return (int64_t)axis->left * 10;
	return (int64_t)(axis->left * (uint64_t)10 + pl_svg_part(time_ns - axis->begin_ns,
								 axis->end_ns - axis->begin_ns,
								 width));
}

/* Nanoseconds since the zero of the axis, which may be after it. */
static int64_t since(const struct pl_axis *axis, uint64_t time_ns)
{
	return (int64_t)(time_ns - axis->zero_ns);
}

void pl_svg_begin(GString *p, unsigned int height, const char *sentence, const struct pl_axis *axis)
{
	g_string_append_printf(p, "<svg viewBox=\"0 0 %u %u\" role=\"img\"", PL_SVG_WIDTH, height);
	if (axis)
		g_string_append_printf(p, " data-x=\"%u %u\" data-ns=\"%" PRId64 " %" PRId64 "\"%s",
				       axis->left, axis->right, since(axis, axis->begin_ns),
				       since(axis, axis->end_ns), axis->more ? axis->more : "");
	g_string_append(p, " aria-label=\"");
	pl_html_text(p, sentence);
	g_string_append(p, "\">\n");
}

void pl_svg_end(GString *p)
{
	g_string_append(p, "</svg>\n");
}

void pl_svg_box(GString *p, int64_t x, int64_t y, int64_t width, int64_t height)
{
	g_string_append_c(p, 'M');
	pl_svg_tenths(p, x);
	g_string_append_c(p, ' ');
	pl_svg_tenths(p, y);
	g_string_append_c(p, 'h');
	pl_svg_tenths(p, width);
	g_string_append_c(p, 'v');
	pl_svg_tenths(p, height);
	g_string_append_c(p, 'h');
	pl_svg_tenths(p, -width);
	g_string_append_c(p, 'z');
}

void pl_svg_text(GString *p, unsigned int x, unsigned int y, const char *kind, const char *anchor,
		 const char *what)
{
	g_string_append_printf(p, "<text x=\"%u\" y=\"%u\" class=\"%s\" text-anchor=\"%s\">", x, y,
			       kind, anchor);
	pl_html_text(p, what);
	g_string_append(p, "</text>\n");
}

uint64_t pl_svg_step(uint64_t all, unsigned int most)
{
	static const unsigned int factors[] = { 2, 5, 10 };
	uint64_t unit, step = 1;
	unsigned int i;

	for (unit = 1;; unit *= 10) {
		if (all / step <= most)
			return step;
		for (i = 0; i < G_N_ELEMENTS(factors); i++) {
			step = unit * factors[i];
			if (all / step <= most)
				return step;
		}
	}
}

/* "1500 ms": exact, in the largest unit that is not above the step. */
static void tick_text(char text[32], int64_t ns, uint64_t step)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	int64_t unit = 1;
	unsigned int i;

	for (i = 0; i + 1 < G_N_ELEMENTS(units) && step >= (uint64_t)unit * 1000; i++)
		unit *= 1000;
	g_snprintf(text, 32, "%" PRId64 "%s%s", ns / unit, ns ? " " : "", ns ? units[i] : "");
}

void pl_svg_times(GString *p, const struct pl_axis *axis, unsigned int top, unsigned int bottom)
{
	uint64_t step = pl_svg_step(axis->end_ns - axis->begin_ns, TICKS);
	int64_t at = since(axis, axis->begin_ns), end = since(axis, axis->end_ns), x;
	char text[32];

	at -= at % (int64_t)step;
	g_string_append(p, "<g class=\"grid\">");
	for (; at <= end; at += (int64_t)step) {
		if (at < since(axis, axis->begin_ns))
			continue;
		x = pl_axis_x(axis, axis->zero_ns + (uint64_t)at);
		g_string_append(p, "<line x1=\"");
		pl_svg_tenths(p, x);
		g_string_append_printf(p, "\" y1=\"%u\" x2=\"", top);
		pl_svg_tenths(p, x);
		g_string_append_printf(p, "\" y2=\"%u\"/>", bottom);
		tick_text(text, at, step);
		pl_svg_text(p, (unsigned int)(x / 10), bottom + 13, "t", "middle", text);
	}
	g_string_append(p, "</g>\n");
}

void pl_svg_key(GString *p, const char *kind, const char *mark, const char *what)
{
	g_string_append_printf(p, "<li>");
	if (*mark)
		g_string_append_printf(p, "<b class=\"k-%s\">%s</b> ", kind, mark);
	else
		g_string_append_printf(p, "<i class=\"k-%s\"></i>", kind);
	g_string_append_printf(p, "%s</li>", what);
}
