/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns.h - a table of text: as wide as its cells, a column without any left out, no blanks at the end of a line. */
#ifndef PL_COLUMNS_H
#define PL_COLUMNS_H

#include <stdbool.h>

#include "output.h"

struct pl_column {
	const char *title;
	bool right; /* numbers end where those above and below do */
};

struct pl_columns;

struct pl_columns *pl_columns_new(const struct pl_column *columns, unsigned int n);
void pl_columns_free(struct pl_columns *c);

/* A row: a cell of each column, copied. NULL or "": an empty one. */
void pl_columns_add(struct pl_columns *c, const char *const cells[]);

/* How many columns; what is in them. A column has something if a row does. */
unsigned int pl_columns_count(const struct pl_columns *c);
const char *pl_columns_title(const struct pl_columns *c, unsigned int column);
bool pl_columns_is_right(const struct pl_columns *c, unsigned int column);
bool pl_columns_has(const struct pl_columns *c, unsigned int column);

/* NULL: there is no such row. */
const char *pl_columns_cell(const struct pl_columns *c, unsigned int row, unsigned int column);

/* Takes a table under a title, and how many rows of it are not shown. */
typedef void pl_columns_take(void *user, const char *title, const struct pl_columns *columns,
			     unsigned int more);

/* The titles and the rows. */
void pl_columns_print(const struct pl_columns *c, struct pl_output *output);

#endif /* PL_COLUMNS_H */
