/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns.c - rows kept until all widths are known. */
#include <string.h>

#include <glib.h>

#include "columns.h"

struct pl_columns {
	struct pl_column *column;
	unsigned int n;
	size_t *widths;   /* 0: no cell has anything */
	GPtrArray *cells; /* row by row */
};

struct pl_columns *pl_columns_new(const struct pl_column *columns, unsigned int n)
{
	struct pl_columns *c = g_new0(struct pl_columns, 1);

	c->column = g_new(struct pl_column, n);
	memcpy(c->column, columns, n * sizeof(*columns));
	c->n = n;
	c->widths = g_new0(size_t, n);
	c->cells = g_ptr_array_new_with_free_func(g_free);
	return c;
}

void pl_columns_free(struct pl_columns *c)
{
	g_ptr_array_unref(c->cells);
	g_free(c->widths);
	g_free(c->column);
	g_free(c);
}

void pl_columns_add(struct pl_columns *c, const char *const cells[])
{
	size_t length;
	unsigned int i;

	for (i = 0; i < c->n; i++) {
		g_ptr_array_add(c->cells, g_strdup(cells[i] ? cells[i] : ""));
		length = cells[i] ? strlen(cells[i]) : 0;
		if (length)
			c->widths[i] = MAX(c->widths[i], MAX(length, strlen(c->column[i].title)));
	}
}

unsigned int pl_columns_count(const struct pl_columns *c)
{
	return c->n;
}

const char *pl_columns_title(const struct pl_columns *c, unsigned int column)
{
	return c->column[column].title;
}

bool pl_columns_is_right(const struct pl_columns *c, unsigned int column)
{
	return c->column[column].right;
}

bool pl_columns_has(const struct pl_columns *c, unsigned int column)
{
	return c->widths[column] != 0;
}

const char *pl_columns_cell(const struct pl_columns *c, unsigned int row, unsigned int column)
{
	const size_t at = (size_t)row * c->n + column;

	return at < c->cells->len ? c->cells->pdata[at] : NULL;
}

static size_t blanks(struct ibw_out *o, size_t n)
{
	for (; n; n--)
		ibw_out_char(o, ' ');
	return 0;
}

/* @row: NULL: the titles. */
static void print_row(const struct pl_columns *c, struct ibw_out *o, gpointer *row)
{
	const char *cell;
	size_t gap = 0, pad;
	unsigned int i;

	for (i = 0; i < c->n; i++) {
		if (!c->widths[i])
			continue;
		cell = row ? row[i] : c->column[i].title;
		pad = c->widths[i] - strlen(cell);
		gap += c->column[i].right ? pad : 0;
		if (*cell)
			gap = blanks(o, gap);
		ibw_out_str(o, cell);
		gap += 2 + (c->column[i].right ? 0 : pad);
	}
	ibw_out_char(o, '\n');
}

void pl_columns_print(const struct pl_columns *c, struct pl_output *output)
{
	unsigned int i;

	pl_output_room(output);
	print_row(c, &output->out, NULL);
	for (i = 0; i < c->cells->len; i += c->n) {
		pl_output_room(output);
		print_row(c, &output->out, c->cells->pdata + i);
	}
}
