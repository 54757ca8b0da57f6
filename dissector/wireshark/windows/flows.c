/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flows.c - what each connection did, a line a direction: -z ibwire,flows, and in the window Statistics >
 * RDMA Connections. The figures are those of pcap-lint --stats.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "flows.h"
#include "listen.h"
#include "wireshark/base/hf.h"
#include "wireshark/marks/iwarp.h"
#include "wireshark/marks/pass.h"
#include "wireshark/base/rows.h"
#include "wireshark/marks/stream.h"
#include "track/iwarp/figure.h"
#include "track/measure/measure.h"
#include "track/stream/qps.h"
#include "track/track.h"
#include "track/way/qp_state.h"

#include <epan/tap.h>

static uint64_t ack_time(const struct track_dir *d, unsigned int thousandths)
{
	const struct track_histogram *h = track_dir_times(d, TRACK_TIMES_ACK);

	return MIN(track_histogram_percentile(h, thousandths), h->max);
}

static uint64_t naks(const struct track_dir *d)
{
	return track_figure(d, TRACK_FIGURE_nak_sequence) +
	       track_figure(d, TRACK_FIGURE_nak_invalid_request) +
	       track_figure(d, TRACK_FIGURE_nak_remote_access) +
	       track_figure(d, TRACK_FIGURE_nak_remote_operational);
}

static uint64_t messages(const struct track_dir *d)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < TRACK_VERB_COUNT; i++)
		n += d->messages[i];
	return n;
}

/* 0: it has no meaning there. */
static uint64_t of_iwarp(const struct track_iwarp_dir *d, enum track_figure figure)
{
	uint64_t n;

	return track_iwarp_figure(d, figure, &n) ? n : 0;
}

static uint64_t measured_of_iwarp(const struct track_iwarp_dir *d, enum track_measure_figure number)
{
	uint64_t n = 0;

	return track_iwarp_measure(d, number, &n) ? n : 0;
}

static uint64_t messages_of_iwarp(const struct track_iwarp_dir *d)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < TRACK_VERB_COUNT; i++)
		n += track_iwarp_messages(d, (enum track_verb)i);
	return n;
}

/*
 * Numbers of a line, 0 a dash: of queue pairs, and of iWARP. In the window a number has 32 bits, or is a float with
 * six decimals: bytes are MB there.
 */
#define FIGURE(COLUMN, title, width, name)                                                         \
	COLUMN(title, width, 1, track_figure(d, TRACK_FIGURE_##name),                              \
	       of_iwarp(w, TRACK_FIGURE_##name))

#define PACKETS(COLUMN) FIGURE(COLUMN, "packets", 9, packets)

#define BYTES(COLUMN) FIGURE(COLUMN, "bytes", 12, wire_bytes)

#define COUNTS(COLUMN)                                                                             \
	FIGURE(COLUMN, "missing", 8, psn_missing)                                                  \
	FIGURE(COLUMN, "resent", 8, retransmitted_packets)                                         \
	COLUMN("NAK", 6, 1, naks(d), 0)                                                            \
	FIGURE(COLUMN, "RNR", 6, rnr_nak)                                                          \
	FIGURE(COLUMN, "timeouts", 8, timeouts)                                                    \
	FIGURE(COLUMN, "CE", 8, ce_packets)

/* Only where somebody asked for times. */
#define MEASURED(COLUMN)                                                                           \
	COLUMN("CE %", 8, 1000, track_measure_figure(d, TRACK_MEASURE_ce_per_million) / 10, 0)     \
	COLUMN("CNP", 6, 1, track_measure_figure(d, TRACK_MEASURE_cnp_about), 0)                   \
	COLUMN("RTT p50 us", 11, 1000, ack_time(d, 500), 0)                                        \
	COLUMN("RTT p99 us", 11, 1000, ack_time(d, 990), 0)                                        \
	COLUMN("kbit/s", 12, 1000, track_measure_figure(d, TRACK_MEASURE_wire_rate),               \
	       measured_of_iwarp(w, TRACK_MEASURE_wire_rate))                                      \
	COLUMN("good kbit/s", 12, 1000, track_measure_figure(d, TRACK_MEASURE_goodput),            \
	       measured_of_iwarp(w, TRACK_MEASURE_goodput))

/* Only where there are connections of iWARP. */
#define WITH_IWARP(COLUMN)                                                                         \
	COLUMN("messages", 9, 1, messages(d), messages_of_iwarp(w))                                \
	FIGURE(COLUMN, "payload", 12, payload_bytes)                                               \
	FIGURE(COLUMN, "late", 8, reordered_packets)                                               \
	FIGURE(COLUMN, "doubled", 8, duplicated_packets)                                           \
	COLUMN("FPDUs", 9, 1, 0, w->counts.fpdus)                                                  \
	COLUMN("bad FPDUs", 9, 1, 0, w->counts.crc_bad)                                            \
	COLUMN("stall us", 11, 1000, 0, w->counts.stall_ns)

#define COLUMNS(COLUMN) PACKETS(COLUMN) BYTES(COLUMN) COUNTS(COLUMN) MEASURED(COLUMN)

static void print_number(int width, uint64_t n, unsigned int unit)
{
	char text[32];

	if (!n)
		snprintf(text, sizeof(text), "-");
	else if (unit == 1)
		snprintf(text, sizeof(text), "%" PRIu64, n);
	else
		snprintf(text, sizeof(text), "%" PRIu64 ".%03" PRIu64, n / unit, n % unit);
	printf(" %*s", width, text);
}

static int service_width(bool with_iwarp)
{
	return with_iwarp ? 5 : 4;
}

static void print_titles(bool with_iwarp)
{
	printf("%6s   %-48s %-*s %-10s", "stream", "sender", service_width(with_iwarp), "",
	       "state");
#define TITLE(title, width, unit, value, iwarp) printf(" %*s", width, title);
	COLUMNS(TITLE)
	if (with_iwarp) {
		WITH_IWARP(TITLE)
	}
#undef TITLE
	printf("\n");
}

/* "10.7.0.1 qp 0x11": the end that sends @way. */
static void end_of(char *text, size_t size, const struct track_qp *qp, enum track_way way)
{
	struct ibw_out out = ibw_out_open(text, size);
	struct track_flow flow = qp->flow;
	uint32_t qpn = track_qp_sqpn(qp, way);
	char address[TRACK_ADDRESS_TEXT];

	track_flow_as_seen(&flow);
	ibw_out_str(&out, track_address_text((enum track_address)flow.address,
					     way == TRACK_A_TO_B ? flow.src : flow.dst, address));
	ibw_out_str(&out, " qp ");
	if (qpn == TRACK_CM_NO_QPN)
		ibw_out_char(&out, '?');
	else
		ibw_out_hex(&out, qpn, 1);
	ibw_out_close(&out);
}

/* "10.7.0.1 port 7471" */
static void iwarp_end_of(char *text, size_t size, const struct track_iwarp_record *r,
			 enum track_way way)
{
	struct ibw_out out = ibw_out_open(text, size);
	const struct track_tcp_ends *ends = &r->ends;
	unsigned int a = track_iwarp_opener(&r->conn), side = way == TRACK_A_TO_B ? a : !a;
	char address[TRACK_ADDRESS_TEXT];

	ibw_out_str(&out, track_address_text(ends->v6 ? TRACK_ADDRESS_IPV6 : TRACK_ADDRESS_IPV4,
					     ends->address[side], address));
	ibw_out_str(&out, " port ");
	ibw_out_dec(&out, ends->port[side]);
	ibw_out_close(&out);
}

static void print_head(uint32_t number, enum track_way way, const char *end)
{
	printf("%6" PRIu32 " %c %-48s", number, way == TRACK_A_TO_B ? 'a' : 'b', end);
}

static void print_way(const struct track_qp *qp, enum track_way way, bool with_iwarp)
{
	const struct track_dir *d = &qp->dir[way];
	char end[TRACK_ADDRESS_TEXT + 16];

	end_of(end, sizeof(end), qp, way);
	print_head(qp->number, way, end);
	printf(" %-*s %-10s", service_width(with_iwarp), track_service_text(qp->service),
	       track_qp_state_names[track_qp_state(qp)]);
#define NUMBER(title, width, unit, value, iwarp) print_number(width, value, unit);
	COLUMNS(NUMBER)
	if (with_iwarp) {
		WITH_IWARP(NUMBER)
	}
#undef NUMBER
	printf("\n");
}

static void print_iwarp_way(uint32_t number, const struct track_iwarp_record *r, enum track_way way)
{
	const struct track_iwarp_dir *w = track_iwarp_dir_that(&r->conn, way);
	char end[TRACK_ADDRESS_TEXT + 16];

	iwarp_end_of(end, sizeof(end), r, way);
	print_head(number, way, end);
	printf(" iWARP %-10s", track_iwarp_state_name(&r->conn));
#define NUMBER(title, width, unit, value, iwarp) print_number(width, iwarp, unit);
	COLUMNS(NUMBER)
	WITH_IWARP(NUMBER)
#undef NUMBER
	printf("\n");
}

/* All packets count, whatever filter the tap has. Connections of iWARP have the numbers after those of queue pairs. */
static void draw(void *data)
{
	const struct track_iwarp_record **iwarp = NULL;
	struct track_qp **all = NULL;
	const struct track *trackers;
	unsigned int n = 0, n_iwarp = 0, i;

	(void)data;
	iw_pass_finish(); /* a single pass has no other end */
	trackers = iw_pass_trackers();
	if (trackers) {
		all = track_qps_sorted(iw_pass_streams(), &n);
		iwarp = track_iwarp_sorted(track_iwarp_connections(trackers), &n_iwarp);
	}
	printf("\n=== RDMA connections ===\n");
	print_titles(n_iwarp > 0);
	for (i = 0; i < n; i++) {
		print_way(all[i], TRACK_A_TO_B, n_iwarp > 0);
		print_way(all[i], TRACK_B_TO_A, n_iwarp > 0);
	}
	for (i = 0; i < n_iwarp; i++) {
		print_iwarp_way(n + i, iwarp[i], TRACK_A_TO_B);
		print_iwarp_way(n + i, iwarp[i], TRACK_B_TO_A);
	}
	g_free(all);
	g_free(iwarp);
}

static iw_listen_result listen(const char *arg, void *data)
{
	static const char listener;

	(void)arg;
	(void)data;
	if (!iw_listen("ibwire,flows", &listener, draw))
		return IW_LISTENS(false);
	iw_pass_want_measures();
	return IW_LISTENS(true);
}

/*
 * The table in the window. It is made when all packets were seen, from those that are seen again: which of them a
 * filter leaves are the connections that it has: none that only the CM speaks of. A single pass leaves it empty.
 * Nobody has asked for histograms then: of times it has what packets have, too; of iWARP, when it began.
 */

#define FIELD(title, width, unit, value, iwarp) { TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, title, "%u" },
static stat_tap_table_item fields[] = {
	{ TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "stream", "%u" },
	{ TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "sender", "%s" },
	{ TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "peer", "%s" },
	{ TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "service", "%s" },
	{ TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "state", "%s" },
	PACKETS(FIELD){ TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "MB", "%.6f" },
	COUNTS(FIELD){ TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "first s", "%.6f" },
	{ TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "RTT us", "%.3f" },
	{ TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Mbit/s", "%.3f" },
	{ TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "good Mbit/s", "%.3f" }
};
#undef FIELD

enum { STREAM, SENDER, PEER, SERVICE, STATE, NUMBERS };

_Static_assert(array_length(fields) <= IW_FIELDS_MAX, "they fit");

#define ROWS_MAX 50000u /* no more connections of a file are in it */

/* Of the packets seen again. */
static struct track_qp **sorted;
static unsigned int n_sorted;
static bool *has_rows; /* by the number of the connection */
static GHashTable
	*iwarp_left; /* the tracker's number -> const struct track_iwarp_record: it has no rows */

static struct iw_rows rows = { array_length(fields), 0 };

static void forget(void)
{
	g_free(sorted);
	g_free(has_rows);
	if (iwarp_left)
		g_hash_table_destroy(iwarp_left);
	sorted = NULL;
	has_rows = NULL;
	iwarp_left = NULL;
	n_sorted = 0;
}

static void remember(const struct track *trackers)
{
	const struct track_iwarp_record *r;
	unsigned int n, i;

	sorted = track_qps_sorted(iw_pass_streams(), &n_sorted);
	has_rows = g_new0(bool, n_sorted);
	iwarp_left = g_hash_table_new(g_int64_hash, g_int64_equal);
	r = track_iwarp_records(track_iwarp_connections(trackers), &n);
	for (i = 0; i < n; i++)
		g_hash_table_insert(iwarp_left, (void *)&r[i].conn.number, (void *)&r[i]);
}

static void free_item(stat_tap_table *table, unsigned int row, unsigned int column,
		      stat_tap_table_item_type *item)
{
	(void)table;
	(void)row;
	if (column == SENDER || column == PEER)
		g_free((char *)item->value.string_value);
}

static void reset_table(stat_tap_table *table)
{
	unsigned int i;

	for (i = 0; i < table->num_elements; i++) {
		free_item(table, i, SENDER, &table->elements[i][SENDER]);
		free_item(table, i, PEER, &table->elements[i][PEER]);
	}
	iw_rows_clear(&rows, table);
	forget();
}

static void begin_table(stat_tap_table_ui *ui)
{
	stat_tap_table *table = iw_rows_begin(&rows, ui, "Connections");

	forget();
	if (table)
		reset_table(table);
}

static void fill_ends(stat_tap_table_item_type *items, const char *sender, const char *peer)
{
	items[SENDER].value.string_value = g_strdup(sender);
	items[PEER].value.string_value = g_strdup(peer);
}

/* As pcap-lint has it; 0 without a duration. */
static double mbits(uint64_t bytes, const struct iw_way *w)
{
	return w->last_ns > w->first_ns ? (double)bytes * 8e3 / (double)(w->last_ns - w->first_ns)
					: 0;
}

static double since_began(uint64_t ns, uint64_t began_ns)
{
	return (double)(int64_t)(ns - began_ns) / 1e9;
}

/* @began_ns: of the capture. */
static void fill_times(stat_tap_table_item_type *items, const struct track_dir *d,
		       const struct iw_way *w, uint64_t began_ns)
{
	uint64_t repeated = track_figure(d, TRACK_FIGURE_repeated_bytes);

	items[0].value.float_value = w->last_ns ? since_began(w->first_ns, began_ns) : 0;
	items[1].value.float_value = w->rtt_frame ? (double)w->rtt_ns / 1e3 : 0;
	items[2].value.float_value = mbits(track_figure(d, TRACK_FIGURE_wire_bytes), w);
	items[3].value.float_value =
		mbits(track_figure(d, TRACK_FIGURE_payload_bytes) - repeated, w);
}

/* The numbers of a row, from its state on; @i is where the times are. */
#define FILL(items, i, ITEM, bytes)                                                                \
	PACKETS(ITEM)                                                                              \
	(items)[(i)++].value.float_value = (double)(bytes) / 1e6;                                  \
	COUNTS(ITEM)

static void set_types(stat_tap_table_item_type *items)
{
	unsigned int i;

	for (i = 0; i < array_length(fields); i++)
		items[i].type = fields[i].type;
}

static void fill_row(stat_tap_table_item_type *items, const struct track_qp *qp, enum track_way way,
		     const struct iw_way *w, uint64_t began_ns)
{
	const struct track_dir *d = &qp->dir[way];
	char sender[TRACK_ADDRESS_TEXT + 16], peer[TRACK_ADDRESS_TEXT + 16];
	unsigned int i = NUMBERS;

	end_of(sender, sizeof(sender), qp, way);
	end_of(peer, sizeof(peer), qp, (enum track_way) !way);
	fill_ends(items, sender, peer);
	items[STREAM].value.uint_value = qp->number;
	items[SERVICE].value.string_value = track_service_text(qp->service);
	items[STATE].value.string_value = track_qp_state_names[track_qp_state(qp)];
#define ITEM(title, width, unit, v, iwarp)                                                         \
	items[i++].value.uint_value = (unsigned int)MIN(v, UINT_MAX);
	FILL(items, i, ITEM, track_figure(d, TRACK_FIGURE_wire_bytes))
#undef ITEM
	fill_times(items + i, d, w, began_ns);
	set_types(items);
}

static void fill_iwarp_row(stat_tap_table_item_type *items, uint32_t number,
			   const struct track_iwarp_record *r, enum track_way way,
			   uint64_t began_ns)
{
	const struct track_iwarp_dir *w = track_iwarp_dir_that(&r->conn, way);
	char sender[TRACK_ADDRESS_TEXT + 16], peer[TRACK_ADDRESS_TEXT + 16];
	unsigned int i = NUMBERS;

	iwarp_end_of(sender, sizeof(sender), r, way);
	iwarp_end_of(peer, sizeof(peer), r, (enum track_way) !way);
	fill_ends(items, sender, peer);
	items[STREAM].value.uint_value = number;
	items[SERVICE].value.string_value = "iWARP";
	items[STATE].value.string_value = track_iwarp_state_name(&r->conn);
#define ITEM(title, width, unit, v, iwarp)                                                         \
	items[i++].value.uint_value = (unsigned int)MIN((uint64_t)(iwarp), UINT_MAX);
	FILL(items, i, ITEM, of_iwarp(w, TRACK_FIGURE_wire_bytes))
#undef ITEM
	items[i].value.float_value = since_began(r->conn.first_ns, began_ns);
	items[i + 1].value.float_value = 0; /* RTT */
	items[i + 2].value.float_value =
		(double)measured_of_iwarp(w, TRACK_MEASURE_wire_rate) / 1e6;
	items[i + 3].value.float_value = (double)measured_of_iwarp(w, TRACK_MEASURE_goodput) / 1e6;
	set_types(items);
}

/* The time of the first frame. */
static uint64_t began_ns(const packet_info *pinfo)
{
	return iw_ns(&pinfo->abs_ts) - iw_ns(&pinfo->rel_ts);
}

static bool add_rows(stat_tap_table *table, uint32_t frame, const struct iw_way *ways,
		     uint64_t began)
{
	uint32_t number;
	unsigned int way;

	if (!iw_stream_number(frame, &number) || number >= n_sorted || has_rows[number])
		return false;
	has_rows[number] = true;
	for (way = 0; way < TRACK_WAYS; way++)
		fill_row(iw_rows_add(&rows, table), sorted[number], (enum track_way)way, &ways[way],
			 began);
	return true;
}

static bool add_iwarp_rows(stat_tap_table *table, uint32_t frame, uint64_t began)
{
	const struct track_iwarp_record *r;
	const struct iw_iwarp_conn *conn;
	enum track_way way;

	conn = iw_iwarp_conn(frame, &way);
	r = conn ? g_hash_table_lookup(iwarp_left, &conn->number) : NULL;
	if (!r)
		return false;
	g_hash_table_remove(iwarp_left, &conn->number);
	for (way = TRACK_A_TO_B; way < TRACK_WAYS; way++)
		fill_iwarp_row(iw_rows_add(&rows, table), iw_iwarp_number(conn), r, way, began);
	return true;
}

static tap_packet_status table_packet(void *data, packet_info *pinfo, epan_dissect_t *edt,
				      const void *frame, tap_flags_t flags)
{
	const stat_data_t *stat = data;
	stat_tap_table *table = g_array_index(stat->stat_tap_data->tables, stat_tap_table *, 0);
	const struct track *trackers = iw_pass_trackers();
	const struct iw_way *ways = iw_stream_ways(pinfo->num);
	bool added;

	(void)edt;
	(void)frame;
	(void)flags;
	if (!iw_pass_is_finished() || !trackers || table->num_elements >= 2 * ROWS_MAX)
		return TAP_PACKET_DONT_REDRAW;
	if (!iwarp_left)
		remember(trackers);
	added = ways ? add_rows(table, pinfo->num, ways, began_ns(pinfo))
		     : add_iwarp_rows(table, pinfo->num, began_ns(pinfo));
	return added ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW;
}

static void register_table(void)
{
	static stat_tap_table_ui ui = {
		.title = "RDMA Connections",
		.cli_string = "ibwire,connections",
		.stat_tap_init_cb = begin_table,
		.packet_func = table_packet,
		.stat_tap_reset_table_cb = reset_table,
		.stat_tap_free_table_item_cb = free_item,
		.nfields = array_length(fields),
		.fields = fields,
	};

	iw_rows_register(&ui);
}

void iw_flows_register(void)
{
	static stat_tap_ui ui = {
		REGISTER_STAT_GROUP_GENERIC, NULL, "ibwire,flows", listen, 0, NULL
	};

	register_stat_tap_ui(&ui, NULL);
	register_table();
}
