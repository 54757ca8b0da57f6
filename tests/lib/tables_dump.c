/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* tables_dump.c - prints every built table; see tables.h. */
#include "tables.h"

#include <stdio.h>
#include <string.h>

static void print_row(const struct tables_row *row)
{
	static const char *table = "";
	const struct tables_cell *cell, *end = row->cell + TABLES_CELLS;
	char text[TABLES_ROOM];

	if (strcmp(table, row->table) != 0) {
		table = row->table;
		printf("# %s", table);
		for (cell = row->cell; cell < end && cell->name; cell++)
			printf("\t%s", cell->name);
		printf("\n");
	}
	printf("%s", table);
	for (cell = row->cell; cell < end && cell->name; cell++) {
		tables_text(cell, text, sizeof(text));
		printf("\t%s", text);
	}
	printf("\n");
}

int main(void)
{
	tables_each(print_row);
	return fflush(stdout) || ferror(stdout) ? 2 : 0;
}
