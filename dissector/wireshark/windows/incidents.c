/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incidents.c - what went wrong, a line an incident: -z ibwire,incidents, and in the window Statistics >
 * RDMA Incidents. They are those of pcap-lint --format json.
 *
 * The table is made when all packets were seen, from those that are seen again: which of them a filter leaves are the
 * incidents that it has. A single pass leaves it empty.
 */
#include <string.h>

#include "incidents.h"
#include "wireshark/marks/incident.h"
#include "wireshark/base/rows.h"
#include "track/incident/incident.h"
#include "track/track.h"
#include "track/way/qp_state.h"

#include <epan/tap.h>

/*
 * A number has 32 bits, or is a float: milliseconds with six decimals are nanoseconds. One that may not be there is text, of
 * equal lengths, so that it sorts as a number does: messages of managers have no PSN, and may have no stream.
 */
static stat_tap_table_item fields[] = {
	{ TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "incident", "%u" },
	{ TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "stream", "%s" },
	{ TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "kind", "%s" },
	{ TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "root PSN", "%s" },
	{ TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "frame", "%u" },
	{ TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "lost ms", "%.6f" },
	{ TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "resent", "%u" },
};

enum { NUMBER, STREAM, KIND, PSN, FRAME, LOST, RESENT };

/* Of the incidents that a packet seen again has shown. */
static bool *has_row;
static unsigned int n_has;

static struct iw_rows rows = { array_length(fields), 0 };

static void free_item(stat_tap_table *table, unsigned int row, unsigned int column,
		      stat_tap_table_item_type *item)
{
	(void)table;
	(void)row;
	if (column == STREAM || column == PSN)
		g_free((char *)item->value.string_value);
}

static void free_texts(stat_tap_table *table)
{
	unsigned int i;

	for (i = 0; i < table->num_elements; i++) {
		free_item(table, i, STREAM, &table->elements[i][STREAM]);
		free_item(table, i, PSN, &table->elements[i][PSN]);
	}
}

static void forget(void)
{
	g_free(has_row);
	has_row = NULL;
	n_has = 0;
}

static void reset_table(stat_tap_table *table)
{
	free_texts(table);
	iw_rows_clear(&rows, table);
	forget();
}

static void begin_table(stat_tap_table_ui *ui)
{
	stat_tap_table *table = iw_rows_begin(&rows, ui, "Incidents");

	forget();
	if (table)
		reset_table(table);
}

static void fill_row(stat_tap_table_item_type *items, const struct iw_incident *incident)
{
	const struct track_incident *i = incident->incident;
	unsigned int column;

	items[NUMBER].value.uint_value = incident->number;
	items[STREAM].value.string_value =
		incident->has_stream ? g_strdup_printf("%10" G_GUINT32_FORMAT, incident->stream)
				     : g_strdup("");
	items[KIND].value.string_value = track_incident_rows[i->kind].name;
	items[PSN].value.string_value =
		track_incident_is_managed(i) ? g_strdup("") : g_strdup_printf("0x%06x", i->psn);
	items[FRAME].value.uint_value = (unsigned int)i->frame;
	items[LOST].value.float_value = (double)i->ns / 1e6;
	items[RESENT].value.uint_value = i->resent_packets;
	for (column = 0; column < array_length(fields); column++)
		items[column].type = fields[column].type;
}

static tap_packet_status table_packet(void *data, packet_info *pinfo, epan_dissect_t *edt,
				      const void *frame, tap_flags_t flags)
{
	const stat_data_t *stat = data;
	stat_tap_table *table = g_array_index(stat->stat_tap_data->tables, stat_tap_table *, 0);
	const struct iw_incident_place *place;
	const struct iw_incident *all;
	unsigned int count, n, added = 0;

	(void)edt;
	(void)frame;
	(void)flags;
	all = iw_incidents(&count);
	if (!count)
		return TAP_PACKET_DONT_REDRAW;
	if (!has_row) {
		has_row = g_new0(bool, count);
		n_has = count;
	}
	for (place = iw_incident_places(pinfo->num, &n); n; place++, n--) {
		if (place->incident >= n_has || has_row[place->incident])
			continue;
		has_row[place->incident] = true;
		fill_row(iw_rows_add(&rows, table), &all[place->incident]);
		added++;
	}
	return added ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW;
}

void iw_incidents_register(void)
{
	static stat_tap_table_ui ui = {
		.title = "RDMA Incidents",
		.cli_string = "ibwire,incidents",
		.stat_tap_init_cb = begin_table,
		.packet_func = table_packet,
		.stat_tap_reset_table_cb = reset_table,
		.stat_tap_free_table_item_cb = free_item,
		.nfields = array_length(fields),
		.fields = fields,
	};

	iw_rows_register(&ui);
}
