/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h - the rows of a table in a window, which are made anew each time that packets are seen again.
 */
#ifndef IW_ROWS_H
#define IW_ROWS_H

#include <string.h>

#include "compat.h"

#include <epan/stat_tap_ui.h>

#define IW_FIELDS_MAX 32u

struct iw_rows {
	unsigned int n_fields; /* at most IW_FIELDS_MAX */
	/* That the table has. One that is not needed now stays: another window of it may sort by its own. */
	unsigned int n;
};

/* The table of that title, if there is one already; else a new one, and NULL. */
static inline stat_tap_table *iw_rows_begin(struct iw_rows *rows, stat_tap_table_ui *ui,
					    const char *title)
{
	stat_tap_table *table = stat_tap_find_table(ui, title);

	if (table)
		return table;
	rows->n = 0;
	stat_tap_add_table(ui, stat_tap_init_table(title, (int)rows->n_fields, 0, NULL));
	return NULL;
}

static inline void iw_rows_clear(const struct iw_rows *rows, stat_tap_table *table)
{
	unsigned int i;

	for (i = 0; i < table->num_elements; i++)
		memset(table->elements[i], 0, rows->n_fields * sizeof(table->elements[i][0]));
	table->num_elements = 0;
}

/* The items of one more, to be filled. */
static inline stat_tap_table_item_type *iw_rows_add(struct iw_rows *rows, stat_tap_table *table)
{
	static const stat_tap_table_item_type none[IW_FIELDS_MAX];

	if (table->num_elements < rows->n)
		table->num_elements++;
	else
		stat_tap_init_table_row(table, rows->n++, rows->n_fields, none);
	return table->elements[table->num_elements - 1];
}

/* Registers the table of a window: @ui has its title and fields, and how it is filled. */
static inline void iw_rows_register(stat_tap_table_ui *ui)
{
	static tap_param params[] = { { PARAM_FILTER, "filter", "Filter", NULL, TRUE } };

	ui->group = REGISTER_PACKET_STAT_GROUP_UNSORTED;
	ui->tap_name = "ibwire";
	ui->nparams = array_length(params);
	ui->params = params;
	register_stat_tap_table_ui(ui);
}

#endif /* IW_ROWS_H */
