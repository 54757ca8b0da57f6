/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subnet_text.c - what is known of a subnet as tables, by track/objects.def: a line a row, a column a key,
 * those of which no row has anything left out.
 */
#include <string.h>

#include <ibwire/rate.h>

#include "flow.h"
#include "subnet.h"

/* Rows shown unless all are asked for. */
#define SHOWN 100u

/* With the name of a file, of which the beginning goes if it is too long. */
#define CELL 320
#define NAME ((size_t)CELL - 24)
#define COLUMNS 16

struct row {
	const struct pl_report *report;
	const struct track_subnet *s;
	unsigned int n; /* cells so far */
	char cell[COLUMNS][CELL];
};

const char *pl_subnet_address(const uint8_t address[16], char buf[TRACK_ADDRESS_TEXT])
{
	static const uint8_t mapped[12] = { [10] = 0xff, 0xff };
	bool ipv4 = memcmp(address, mapped, sizeof(mapped)) == 0;

	return track_address_text(ipv4 ? TRACK_ADDRESS_IPV4 : TRACK_ADDRESS_GID, address, buf);
}

const char *pl_mac_text(uint64_t mac, char buf[PL_MAC_TEXT])
{
	struct ibw_out o = ibw_out_open(buf, PL_MAC_TEXT);
	uint8_t bytes[8];

	ibw_put_be64(bytes, mac);
	ibw_out_mac(&o, bytes + 2);
	ibw_out_close(&o);
	return buf;
}

/* The next cell, empty; NULL: the key has no column. */
static char *next(struct row *row, const char *title)
{
	char *cell;

	if (!title || row->n == COLUMNS)
		return NULL;
	cell = row->cell[row->n++];
	*cell = '\0';
	return cell;
}

static void cell_TEXT(struct row *row, const char *title, const char *text, bool known)
{
	char *cell = next(row, title);

	if (cell && known && text)
		g_strlcpy(cell, text, CELL);
}

static void cell_NUMBER(struct row *row, const char *title, uint64_t n, bool known)
{
	char *cell = next(row, title);

	if (cell && known)
		g_snprintf(cell, CELL, "%" G_GUINT64_FORMAT, (guint64)n);
}

static void cell_COUNT(struct row *row, const char *title, uint64_t n, bool known)
{
	cell_NUMBER(row, title, n, known && n);
}

static void cell_TIME(struct row *row, const char *title, uint64_t ns, bool known)
{
	char *cell = next(row, title);

	if (cell && known)
		pl_time_text(cell, CELL, ns);
}

static void cell_HEX(struct row *row, const char *title, uint64_t n, bool known)
{
	char *cell = next(row, title);

	if (cell && known)
		g_snprintf(cell, CELL, "0x%" G_GINT64_MODIFIER "x", (guint64)n);
}

static void cell_GUID(struct row *row, const char *title, uint64_t guid, bool known)
{
	char *cell = next(row, title);

	if (cell && known)
		g_snprintf(cell, CELL, "0x%016" G_GINT64_MODIFIER "x", (guint64)guid);
}

static void cell_MAC(struct row *row, const char *title, uint64_t mac, bool known)
{
	char text[PL_MAC_TEXT];

	cell_TEXT(row, title, pl_mac_text(mac, text), known);
}

static void cell_ADDRESS(struct row *row, const char *title, const uint8_t address[16], bool known)
{
	char text[TRACK_ADDRESS_TEXT];

	cell_TEXT(row, title, pl_subnet_address(address, text), known);
}

static void cell_FRAME(struct row *row, const char *title, uint64_t frame, bool known)
{
	const struct pl_place place = pl_frames_place(&row->report->frames, frame);
	struct ibw_out o;
	char *cell;
	size_t n;

	if (!known || place.file == row->report->frames.about) {
		cell_NUMBER(row, title, place.frame, known);
		return;
	}
	cell = next(row, title);
	if (!cell)
		return;
	n = strlen(place.file);
	o = ibw_out_open(cell, CELL);
	pl_out_name(&o, place.file + (n > NAME ? n - NAME : 0));
	ibw_out_char(&o, ':');
	ibw_out_dec(&o, place.frame);
	ibw_out_close(&o);
}

/* How many are in it: its own table has them. */
#define cell_LIST(row, title, of, known) cell_COUNT(row, title, known, true)

static void fill_group(struct row *row, unsigned int i)
{
	const struct track_group *r = &g_array_index(row->s->groups, struct track_group, i);

#define TRACK_GROUP_KEY(name, kind, value, known, title, definition)                               \
	cell_##kind(row, title, value, known);
#include "track/objects.def"
}

static void fill_member(struct row *row, unsigned int i)
{
	const struct track_member *r = &g_array_index(row->s->members, struct track_member, i);

#define TRACK_MEMBER_KEY(name, kind, value, known, title, definition)                              \
	cell_##kind(row, title, value, known);
#include "track/objects.def"
}

static void fill_neighbour(struct row *row, unsigned int i)
{
	const struct track_neighbour *r =
		&g_array_index(row->s->neighbours, struct track_neighbour, i);

#define TRACK_NEIGHBOUR_KEY(name, kind, value, known, title, definition)                           \
	cell_##kind(row, title, value, known);
#include "track/objects.def"
}

static void fill_sm(struct row *row, unsigned int i)
{
	const struct track_subnet *s = row->s;
	const struct track_sm *r = &s->sm;

	(void)i;
#define TRACK_SM_KEY(name, kind, value, known, title, definition)                                  \
	cell_##kind(row, title, value, known);
#include "track/objects.def"
}

static void fill_manager(struct row *row, unsigned int i)
{
	const struct track_manager *r = &g_array_index(row->s->managers, struct track_manager, i);

#define TRACK_MANAGER_KEY(name, kind, value, known, title, definition)                             \
	cell_##kind(row, title, value, known);
#include "track/objects.def"
}

static void fill_link(struct row *row, unsigned int i)
{
	const struct track_link *r = &g_array_index(row->s->links, struct track_link, i);

#define TRACK_LINK_KEY(name, kind, value, known, title, definition)                                \
	cell_##kind(row, title, value, known);
#include "track/objects.def"
}

static void fill_sa(struct row *row, unsigned int i)
{
	const struct track_sa *r = &row->s->sa;

	(void)i;
#define TRACK_SA_KEY(name, kind, value, known, title, definition)                                  \
	cell_##kind(row, title, value, known);
#include "track/objects.def"
}

static void fill_pause(struct row *row, unsigned int i)
{
	const struct track_pauser *r = &g_array_index(row->s->pausers, struct track_pauser, i);

#define TRACK_PAUSE_KEY(name, kind, value, known, title, definition)                               \
	cell_##kind(row, title, value, known);
#include "track/objects.def"
}

static void fill_ports(struct row *row, unsigned int i)
{
	const struct track_port_use *r = &g_array_index(row->s->ports, struct track_port_use, i);

#define TRACK_PORTS_KEY(name, kind, value, known, title, definition)                               \
	cell_##kind(row, title, value, known);
#include "track/objects.def"
}

enum object {
#define TRACK_OBJECT(name, title, definition) OBJECT_##name,
#include "track/objects.def"
	OBJECTS
};

static const struct {
	const char *title;
	void (*fill)(struct row *row, unsigned int i);
} objects[OBJECTS] = {
#define TRACK_OBJECT(name, title, definition) [OBJECT_##name] = { title, fill_##name },
#include "track/objects.def"
};

/* Titles of the columns: those without one are no columns. */
#define TITLE(title) title,
static const char *const titles[OBJECTS][COLUMNS + 1] = {
	[OBJECT_group] = {
#define TRACK_GROUP_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/objects.def"
	},
	[OBJECT_member] = {
#define TRACK_MEMBER_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/objects.def"
	},
	[OBJECT_neighbour] = {
#define TRACK_NEIGHBOUR_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/objects.def"
	},
	[OBJECT_sm] = {
#define TRACK_SM_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/objects.def"
	},
	[OBJECT_manager] = {
#define TRACK_MANAGER_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/objects.def"
	},
	[OBJECT_link] = {
#define TRACK_LINK_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/objects.def"
	},
	[OBJECT_sa] = {
#define TRACK_SA_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/objects.def"
	},
	[OBJECT_pause] = {
#define TRACK_PAUSE_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/objects.def"
	},
	[OBJECT_ports] = {
#define TRACK_PORTS_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/objects.def"
	},
};

static void print_row(struct ibw_out *o, const char (*cell)[CELL], const size_t widths[COLUMNS],
		      unsigned int n)
{
	size_t blanks = 0, length;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!widths[i])
			continue;
		length = strlen(cell[i]);
		for (; length && blanks; blanks--)
			ibw_out_char(o, ' ');
		ibw_out_str(o, cell[i]);
		blanks += widths[i] - length + 2;
	}
	ibw_out_char(o, '\n');
}

static void print_titles(struct ibw_out *o, enum object object, const size_t widths[COLUMNS],
			 unsigned int n)
{
	char cell[COLUMNS][CELL];
	unsigned int i, key = 0;

	for (i = 0; i < n; i++, key++) {
		while (!titles[object][key])
			key++;
		g_strlcpy(cell[i], titles[object][key], CELL);
	}
	print_row(o, (const char(*)[CELL])cell, widths, n);
}

/* A column is as wide as what is in it, with its title; one without anything is left out. */
static unsigned int widen(size_t widths[COLUMNS], struct row *row, enum object object,
			  unsigned int rows)
{
	unsigned int i, column, key;
	size_t length;

	for (i = 0; i < rows; i++) {
		row->n = 0;
		objects[object].fill(row, i);
		for (column = 0; column < row->n; column++)
			widths[column] = MAX(widths[column], strlen(row->cell[column]));
	}
	for (column = key = 0; column < row->n; column++, key++) {
		while (!titles[object][key])
			key++;
		length = strlen(titles[object][key]);
		if (widths[column])
			widths[column] = MAX(widths[column], length);
	}
	return row->n;
}

static void table(struct pl_report *report, const struct track_subnet *s, enum object object,
		  unsigned int rows)
{
	unsigned int shown = report->options->max_per_rule ? MIN(rows, SHOWN) : rows, i, n;
	struct row row = { .report = report, .s = s };
	struct ibw_out *o = &report->output->out;
	size_t widths[COLUMNS] = { 0 };

	if (!rows)
		return;
	n = widen(widths, &row, object, shown);
	pl_output_room(report->output);
	pl_out_files(o, &report->frames);
	ibw_out_str(o, ": ");
	ibw_out_str(o, objects[object].title);
	ibw_out_char(o, '\n');
	print_titles(o, object, widths, n);
	for (i = 0; i < shown; i++) {
		row.n = 0;
		objects[object].fill(&row, i);
		pl_output_room(report->output);
		print_row(o, (const char(*)[CELL])row.cell, widths, n);
	}
	if (shown == rows)
		return;
	ibw_out_dec(o, rows - shown);
	ibw_out_str(o, " more (--max-per-rule 0 shows all)\n");
}

void pl_text_subnet(struct pl_report *report, const struct track_subnet *s)
{
	table(report, s, OBJECT_group, s->groups->len);
	if (report->options->verbose)
		table(report, s, OBJECT_member, s->members->len);
	table(report, s, OBJECT_neighbour, s->neighbours->len);
	table(report, s, OBJECT_sm, track_subnet_managed(s));
	table(report, s, OBJECT_manager, s->managers->len);
	table(report, s, OBJECT_link, s->links->len);
	table(report, s, OBJECT_sa, s->sa.path_queries > 0);
	table(report, s, OBJECT_pause, s->pausers->len);
	table(report, s, OBJECT_ports, s->ports->len);
}
