/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tables.h - every built table as rows of cells, for whoever prints or changes them.
 *
 * tables_dump prints them: a line a row, its cells separated by tabs, the first the name of the
 * table; a line that begins with '#' names the cells of the rows that follow. tables_load.c, linked
 * to a test, puts what such a file says in place of the built tables.
 */
#ifndef TESTS_TABLES_H
#define TESTS_TABLES_H

#include <ibwire/tables.h>

enum tables_type {
	TABLES_NAME, /* const char *: what the row is found by; never changed */
	TABLES_TEXT, /* const char *; "-" for NULL */
	TABLES_U8,
	TABLES_U16,
	TABLES_S16,
	TABLES_U32,
	TABLES_HEX,      /* uint16_t */
	TABLES_KIND,     /* uint8_t, enum ibw_kind */
	TABLES_LIST,     /* const struct ibw_name *; "-" for NULL */
	TABLES_LAYER,    /* uint16_t, enum ibw_layer; "-" for IBW_LAYER_COUNT */
	TABLES_ATTRS,    /* uint8_t, enum ibw_mad_attrs */
	TABLES_SEVERITY, /* uint8_t, enum lint_severity */
	TABLES_SCOPE     /* uint8_t, enum lint_scope */
};

struct tables_cell {
	const char *name; /* "label" */
	enum tables_type type;
	const void *at;
	const void *also; /* the same in another table that is made of the same list; or NULL */
};

#define TABLES_CELLS 12
#define TABLES_ROOM 1024 /* for the text of a cell */

struct tables_row {
	const char *table;                     /* "field" */
	struct tables_cell cell[TABLES_CELLS]; /* ends with a NULL name, or with the last */
};

/* Calls @use for every row of every table, always in the same order. */
void tables_each(void (*use)(const struct tables_row *row));

/* The text of a cell. */
void tables_text(const struct tables_cell *cell, char *text, size_t room);

/* What @text stands for in a cell of that type; false: nothing. TABLES_LIST: see tables_list(). */
bool tables_number(enum tables_type type, const char *text, long long *number);

/* The name list of that name; NULL: none. */
const struct ibw_name *tables_list(const char *name);

#endif /* TESTS_TABLES_H */
