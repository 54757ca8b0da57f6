/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_picture.h - what pictures of a page have in common: SVG with whole numbers and one decimal, an axis of time,
 * a legend, and a sentence that describes the picture for readers who cannot see it.
 */
#ifndef PL_HTML_PICTURE_H
#define PL_HTML_PICTURE_H

#include "html.h"

/* Of all pictures; pixels are those of the viewBox. */
#define PL_SVG_WIDTH 1000u

/* Where times are, in pixels. Times begin at @zero_ns for the reader. */
struct pl_axis {
	uint64_t begin_ns, end_ns, zero_ns;
	unsigned int left, right;
	const char *more; /* attributes of the picture; NULL: none */
};

/* "12.3" of 123 */
void pl_svg_tenths(GString *p, int64_t tenths);

/* @v of @all, as a part of @to; @all is not 0. */
uint64_t pl_svg_part(uint64_t v, uint64_t all, uint64_t to);

/* The smallest of 1, 2 and 5, ten, a hundred times ..., of which no more than @most are in @all. */
uint64_t pl_svg_step(uint64_t all, unsigned int most);

/* In tenths of pixels; what is outside of the axis is at its end. */
int64_t pl_axis_x(const struct pl_axis *axis, uint64_t time_ns);

/* "<svg ...>" with the sentence, which is text; the script shows the time at the pointer. */
void pl_svg_begin(GString *p, unsigned int height, const char *sentence,
		  const struct pl_axis *axis);
void pl_svg_end(GString *p);

/* A box, of tenths, as a part of a path. */
void pl_svg_box(GString *p, int64_t x, int64_t y, int64_t width, int64_t height);

/* Text at whole pixels; @anchor: "start", "middle", "end"; @what is text. */
void pl_svg_text(GString *p, unsigned int x, unsigned int y, const char *kind, const char *anchor,
		 const char *what);

/* Lines at round times from @top to @bottom, their times below. */
void pl_svg_times(GString *p, const struct pl_axis *axis, unsigned int top, unsigned int bottom);

/* An entry of a legend; @mark: what it looks like, "" for a box in the colour of its kind. */
void pl_svg_key(GString *p, const char *kind, const char *mark, const char *what);

#endif /* PL_HTML_PICTURE_H */
