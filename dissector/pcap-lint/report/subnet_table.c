/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subnet_table.c - what is known of a subnet as tables, by track/base/objects.def: one line per object, one
 * column per key, without empty columns.
 */
#include <string.h>

#include <ibwire/rate.h>

#include "flow.h"
#include "subnet.h"
#include "track/fabric/nodes.h"

/* All counters of a port with their names; or the name of a file, of which the beginning goes if it is too long. */
#define CELL 640
#define NAME ((size_t)CELL - 24)
#define COLUMNS 20

/* LIDs of a node that are shown: it may have many ports. */
#define LIDS 8u

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

/* "0x9 (spine 1)" */
static void cell_named(struct row *row, const char *title, const char *text, const char *name,
		       bool known)
{
	char *cell = next(row, title);

	if (cell && known)
		g_snprintf(cell, CELL, *name ? "%s (%s)" : "%s", text, name);
}

static void cell_LID(struct row *row, const char *title, uint16_t lid, bool known)
{
	char text[8], name[TRACK_NODE_SHORT];

	g_snprintf(text, sizeof(text), "0x%x", lid);
	cell_named(row, title, text, track_lid_node(row->report->track, lid, name), known);
}

static void cell_PORT_GUID(struct row *row, const char *title, uint64_t guid, bool known)
{
	char text[24], name[TRACK_NODE_SHORT];

	g_snprintf(text, sizeof(text), "0x%016" G_GINT64_MODIFIER "x", (guint64)guid);
	cell_named(row, title, text, track_guid_node(row->report->track, guid, name), known);
}

static void cell_GID(struct row *row, const char *title, const uint8_t address[16], bool known)
{
	char text[TRACK_ADDRESS_TEXT], name[TRACK_NODE_SHORT];

	cell_named(row, title, pl_subnet_address(address, text),
		   track_address_node(row->report->track, TRACK_ADDRESS_GID, address, name), known);
}

/* The cell of what is named has them. */
#define cell_NODE_OF_LID(row, title, lid, known) cell_NUMBER(row, title, lid, known)
#define cell_NODE_OF_GUID cell_NODE_OF_LID
#define cell_NODE_OF_GID(row, title, gid, known) cell_ADDRESS(row, title, gid, known)

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

static void cell_WHEN(struct row *row, const char *title, uint64_t ns, bool known)
{
	char *cell = next(row, title);
	struct ibw_out o;

	if (!cell || !known)
		return;
	o = ibw_out_open(cell, CELL);
	pl_out_time(&o, ns);
	ibw_out_close(&o);
}

static void cell_NODE(struct row *row, const char *title, const struct track_node *node, bool known)
{
	char text[TRACK_NODE_NAME];

	cell_TEXT(row, title, known ? track_node_name(node, text) : NULL, known);
}

/* The first of them, if there are many. */
static void cell_LIDS(struct row *row, const char *title, const struct track_node_row *node,
		      bool known)
{
	char *cell = next(row, title);
	struct ibw_out o;
	unsigned int i;

	if (!cell || !known)
		return;
	o = ibw_out_open(cell, CELL);
	for (i = 0; i < node->n_lids && i < LIDS; i++) {
		if (i)
			ibw_out_str(&o, ", ");
		ibw_out_hex(&o, g_array_index(row->s->lids, uint16_t, node->first_lid + i), 4);
	}
	if (i < node->n_lids)
		ibw_out_str(&o, ", ...");
	ibw_out_close(&o);
}

/* How many are in it: its own table has them. */
#define cell_LIST(row, title, of, known) list_##of(row, title, known, r)
#define list_member(row, title, known, r) cell_COUNT(row, title, known, true)
#define list_manager list_member
#define list_change list_member
#define list_in_partition list_member

/* The one port; else how many. */
static void list_cable(struct row *row, const char *title, uint64_t n,
		       const struct track_node_row *node)
{
	const struct track_cabled *peer;
	char text[TRACK_NODE_NAME];
	struct ibw_out o;
	char *cell;

	if (n != 1) {
		cell_COUNT(row, title, n, true);
		return;
	}
	cell = next(row, title);
	peer = &g_array_index(row->s->peers, struct track_cabled, node->first_peer);
	o = ibw_out_open(cell, CELL);
	if (*peer->node->desc) {
		ibw_out_str(&o, track_node_name(peer->node, text));
	} else {
		ibw_out_str(&o, "0x");
		g_snprintf(text, sizeof(text), "%016" G_GINT64_MODIFIER "x",
			   (guint64)peer->peer_guid);
		ibw_out_str(&o, text);
	}
	ibw_out_str(&o, " port ");
	ibw_out_dec(&o, peer->peer_port);
	ibw_out_close(&o);
}

/* "SymbolErrorCounter 12 (+3), LinkDownedCounter 1" */
static void list_counted(struct row *row, const char *title, uint64_t n,
			 const struct track_counter_row *of)
{
	const struct track_counter *c;
	char *cell = next(row, title);
	struct ibw_out o;
	unsigned int i;

	if (!cell)
		return;
	o = ibw_out_open(cell, CELL);
	for (i = 0; i < n; i++) {
		c = &g_array_index(row->s->counted, struct track_counter, of->first_counter + i);
		if (i)
			ibw_out_str(&o, ", ");
		ibw_out_str(&o, c->name);
		ibw_out_char(&o, ' ');
		ibw_out_dec(&o, c->value);
		if (!c->grown)
			continue;
		ibw_out_str(&o, " (+");
		ibw_out_dec(&o, c->grown);
		ibw_out_char(&o, ')');
	}
	ibw_out_close(&o);
}

static void fill_group(struct row *row, unsigned int i)
{
	const struct track_group *r = &g_array_index(row->s->groups, struct track_group, i);

#define TRACK_GROUP_KEY(name, kind, value, known, title, definition)                               \
	cell_##kind(row, title, value, known);
#include "track/base/objects.def"
}

static void fill_member(struct row *row, unsigned int i)
{
	const struct track_member *r = &g_array_index(row->s->members, struct track_member, i);

#define TRACK_MEMBER_KEY(name, kind, value, known, title, definition)                              \
	cell_##kind(row, title, value, known);
#include "track/base/objects.def"
}

static void fill_neighbour(struct row *row, unsigned int i)
{
	const struct track_neighbour *r =
		&g_array_index(row->s->neighbours, struct track_neighbour, i);

#define TRACK_NEIGHBOUR_KEY(name, kind, value, known, title, definition)                           \
	cell_##kind(row, title, value, known);
#include "track/base/objects.def"
}

static void fill_sm(struct row *row, unsigned int i)
{
	const struct track_subnet *s = row->s;
	const struct track_sm *r = &s->sm;

	(void)i;
#define TRACK_SM_KEY(name, kind, value, known, title, definition)                                  \
	cell_##kind(row, title, value, known);
#include "track/base/objects.def"
}

static void fill_manager(struct row *row, unsigned int i)
{
	const struct track_manager *r = &g_array_index(row->s->managers, struct track_manager, i);

#define TRACK_MANAGER_KEY(name, kind, value, known, title, definition)                             \
	cell_##kind(row, title, value, known);
#include "track/base/objects.def"
}

static void fill_link(struct row *row, unsigned int i)
{
	const struct track_link *r = &g_array_index(row->s->links, struct track_link, i);

#define TRACK_LINK_KEY(name, kind, value, known, title, definition)                                \
	cell_##kind(row, title, value, known);
#include "track/base/objects.def"
}

static void fill_node(struct row *row, unsigned int i)
{
	const struct track_node_row *r = &g_array_index(row->s->nodes, struct track_node_row, i);

#define TRACK_NODE_KEY(name, kind, value, known, title, definition)                                \
	cell_##kind(row, title, value, known);
#include "track/base/objects.def"
}

static void fill_trap(struct row *row, unsigned int i)
{
	const struct track_trap_row *r = &g_array_index(row->s->traps, struct track_trap_row, i);

#define TRACK_TRAP_KEY(name, kind, value, known, title, definition)                                \
	cell_##kind(row, title, value, known);
#include "track/base/objects.def"
}

static void fill_counter(struct row *row, unsigned int i)
{
	const struct track_counter_row *r =
		&g_array_index(row->s->counters, struct track_counter_row, i);

#define TRACK_COUNTER_KEY(name, kind, value, known, title, definition)                             \
	cell_##kind(row, title, value, known);
#include "track/base/objects.def"
}

static void fill_partition(struct row *row, unsigned int i)
{
	const struct track_partition *r =
		&g_array_index(row->s->partitions, struct track_partition, i);

#define TRACK_PARTITION_KEY(name, kind, value, known, title, definition)                           \
	cell_##kind(row, title, value, known);
#include "track/base/objects.def"
}

static void fill_in_partition(struct row *row, unsigned int i)
{
	const struct track_partition_member *r =
		&g_array_index(row->s->partition_members, struct track_partition_member, i);

#define TRACK_IN_PARTITION_KEY(name, kind, value, known, title, definition)                        \
	cell_##kind(row, title, value, known);
#include "track/base/objects.def"
}

static void fill_sa(struct row *row, unsigned int i)
{
	const struct track_sa *r = &row->s->sa;

	(void)i;
#define TRACK_SA_KEY(name, kind, value, known, title, definition)                                  \
	cell_##kind(row, title, value, known);
#include "track/base/objects.def"
}

static void fill_pause(struct row *row, unsigned int i)
{
	const struct track_pauser *r = &g_array_index(row->s->pausers, struct track_pauser, i);

#define TRACK_PAUSE_KEY(name, kind, value, known, title, definition)                               \
	cell_##kind(row, title, value, known);
#include "track/base/objects.def"
}

static void fill_ports(struct row *row, unsigned int i)
{
	const struct track_port_use *r = &g_array_index(row->s->ports, struct track_port_use, i);

#define TRACK_PORTS_KEY(name, kind, value, known, title, definition)                               \
	cell_##kind(row, title, value, known);
#include "track/base/objects.def"
}

/* Elements of lists that have no table of their own. */
#define fill_change NULL
#define fill_cable NULL
#define fill_counted NULL

enum object {
#define TRACK_OBJECT(name, title, definition) OBJECT_##name,
#include "track/base/objects.def"
	OBJECTS
};

static const struct {
	const char *title;
	void (*fill)(struct row *row, unsigned int i);
} objects[OBJECTS] = {
#define TRACK_OBJECT(name, title, definition) [OBJECT_##name] = { title, fill_##name },
#include "track/base/objects.def"
};

/* Titles of the columns: those without one are no columns. */
#define TITLE(title) title,
static const char *const titles[OBJECTS][COLUMNS + 1] = {
	[OBJECT_group] = {
#define TRACK_GROUP_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/base/objects.def"
	},
	[OBJECT_member] = {
#define TRACK_MEMBER_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/base/objects.def"
	},
	[OBJECT_neighbour] = {
#define TRACK_NEIGHBOUR_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/base/objects.def"
	},
	[OBJECT_sm] = {
#define TRACK_SM_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/base/objects.def"
	},
	[OBJECT_manager] = {
#define TRACK_MANAGER_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/base/objects.def"
	},
	[OBJECT_link] = {
#define TRACK_LINK_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/base/objects.def"
	},
	[OBJECT_node] = {
#define TRACK_NODE_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/base/objects.def"
	},
	[OBJECT_trap] = {
#define TRACK_TRAP_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/base/objects.def"
	},
	[OBJECT_counter] = {
#define TRACK_COUNTER_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/base/objects.def"
	},
	[OBJECT_partition] = {
#define TRACK_PARTITION_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/base/objects.def"
	},
	[OBJECT_in_partition] = {
#define TRACK_IN_PARTITION_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/base/objects.def"
	},
	[OBJECT_sa] = {
#define TRACK_SA_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/base/objects.def"
	},
	[OBJECT_pause] = {
#define TRACK_PAUSE_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/base/objects.def"
	},
	[OBJECT_ports] = {
#define TRACK_PORTS_KEY(name, kind, value, known, title, definition) TITLE(title)
#include "track/base/objects.def"
	},
};

/* The columns of an object: a title each. */
static struct pl_columns *new_columns(enum object object)
{
	struct pl_column columns[COLUMNS];
	unsigned int key, n = 0;

	for (key = 0; key < G_N_ELEMENTS(titles[object]) && n < COLUMNS; key++)
		if (titles[object][key])
			columns[n++] = (struct pl_column){ titles[object][key], false };
	return pl_columns_new(columns, n);
}

static struct pl_columns *columns_of(const struct pl_report *report, const struct track_subnet *s,
				     enum object object, unsigned int rows)
{
	struct row row = { .report = report, .s = s };
	struct pl_columns *c = new_columns(object);
	const char *cells[COLUMNS];
	unsigned int i, column;

	for (i = 0; i < rows; i++) {
		row.n = 0;
		objects[object].fill(&row, i);
		for (column = 0; column < row.n; column++)
			cells[column] = row.cell[column];
		pl_columns_add(c, cells);
	}
	return c;
}

static unsigned int rows_of(const struct track_subnet *s, enum object object)
{
	switch (object) {
	case OBJECT_group:
		return s->groups->len;
	case OBJECT_member:
		return s->members->len;
	case OBJECT_neighbour:
		return s->neighbours->len;
	case OBJECT_sm:
		return track_subnet_managed(s);
	case OBJECT_manager:
		return s->managers->len;
	case OBJECT_link:
		return s->links->len;
	case OBJECT_node:
		return s->nodes->len;
	case OBJECT_trap:
		return s->traps->len;
	case OBJECT_counter:
		return s->counters->len;
	case OBJECT_partition:
		return s->partitions->len;
	case OBJECT_in_partition:
		return s->partition_members->len;
	case OBJECT_sa:
		return s->sa.path_queries > 0;
	case OBJECT_pause:
		return s->pausers->len;
	case OBJECT_ports:
		return s->ports->len;
	case OBJECT_change:
	case OBJECT_cable:
	case OBJECT_counted:
	case OBJECTS:
		break;
	}
	return 0;
}

void pl_subnet_each(const struct pl_report *report, const struct track_subnet *s, bool members,
		    unsigned int most, pl_columns_take *table, void *user)
{
	struct pl_columns *c;
	unsigned int i, rows;

	for (i = 0; i < OBJECTS; i++) {
		rows = rows_of(s, (enum object)i);
		if (!rows || ((i == OBJECT_member || i == OBJECT_in_partition) && !members))
			continue;
		c = columns_of(report, s, (enum object)i, MIN(rows, most));
		table(user, objects[i].title, c, rows - MIN(rows, most));
		pl_columns_free(c);
	}
}
