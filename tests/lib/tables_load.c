/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tables_load.c - linked to a program, has it work with other tables than the built ones.
 *
 * The environment variable IBW_TABLES names a file as tables_dump prints it, with the same rows;
 * where a cell of it is another than the built one, it is written over it before main() begins.
 */
#include "tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static FILE *in;
static unsigned int changed;

static void fail(const char *why, const char *what)
{
	fprintf(stderr, "IBW_TABLES: %s: %s\n", why, what);
	_exit(3);
}

/* What is to be written to is constant, and so on pages that cannot be. */
static void put(const void *at, const void *from, size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), in_page = (uintptr_t)at % page;
	char *to = (char *)at;

	if (mprotect(to - in_page, in_page + n, PROT_READ | PROT_WRITE))
		fail("mprotect", "a page cannot be written to");
	memcpy(to, from, n);
}

static void put_text(const struct tables_cell *cell, const char *text)
{
	char *copy = strdup(text);

	put(cell->at, &copy, sizeof(copy));
	if (cell->also)
		put(cell->also, &copy, sizeof(copy));
}

static void put_number(const struct tables_cell *cell, const char *text)
{
	long long number;
	uint32_t u32;
	uint16_t u16;
	uint8_t u8;

	if (!tables_number(cell->type, text, &number))
		fail(cell->name, text);
	u32 = (uint32_t)number;
	u16 = (uint16_t)number;
	u8 = (uint8_t)number;
	switch (cell->type) {
	case TABLES_U32:
		put(cell->at, &u32, sizeof(u32));
		break;
	case TABLES_U16:
	case TABLES_S16:
	case TABLES_HEX:
	case TABLES_LAYER:
		put(cell->at, &u16, sizeof(u16));
		break;
	default:
		put(cell->at, &u8, sizeof(u8));
		break;
	}
}

static void load_cell(const struct tables_cell *cell, const char *text)
{
	const struct ibw_name *list;
	char built[TABLES_ROOM];

	tables_text(cell, built, sizeof(built));
	if (strcmp(built, text) == 0)
		return;
	changed++;
	switch (cell->type) {
	case TABLES_NAME:
		fail("not the row that was to come here", text);
		break;
	case TABLES_TEXT:
		put_text(cell, text);
		break;
	case TABLES_LIST:
		list = tables_list(text);
		put(cell->at, &list, sizeof(void *));
		break;
	default:
		put_number(cell, text);
	}
}

static void load_row(const struct tables_row *row)
{
	char line[TABLES_CELLS * TABLES_ROOM], *at = line;
	const struct tables_cell *cell = row->cell;

	do {
		if (!fgets(line, sizeof(line), in))
			fail("too few rows", row->table);
	} while (*line == '#');
	line[strcspn(line, "\n")] = '\0';
	if (strcmp(strsep(&at, "\t"), row->table) != 0)
		fail("not a row of the table that was to come here", line);
	for (; cell < row->cell + TABLES_CELLS && cell->name; cell++) {
		if (!at)
			fail("too few cells", row->table);
		load_cell(cell, strsep(&at, "\t"));
	}
}

__attribute__((constructor)) static void load(void)
{
	const char *path = getenv("IBW_TABLES");

	if (!path)
		return;
	in = fopen(path, "r");
	if (!in)
		fail("cannot be opened", path);
	tables_each(load_row);
	fclose(in);
	fprintf(stderr, "IBW_TABLES: %u cells changed\n", changed);
}
