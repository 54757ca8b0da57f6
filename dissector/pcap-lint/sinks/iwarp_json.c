/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iwarp_json.c - a connection of iWARP as an object of JSON: the keys of other connections, null where one has no meaning,
 * and keys of its own after them.
 */
#include "pcap-lint/report/iwarp.h"
#include "pcap-lint/base/json_write.h"

static void end_of(struct ibw_out *o, const struct pl_iwarp *c, unsigned int side, const char *key)
{
	const struct track_tcp_ends *ends = &c->record->ends;
	char address[TRACK_ADDRESS_TEXT];

	pl_json_key(o, key);
	ibw_out_str(o, "{\"address\":");
	pl_json_string(o, track_address_text(ends->v6 ? TRACK_ADDRESS_IPV6 : TRACK_ADDRESS_IPV4,
					     ends->address[side], address));
	pl_json_number_or_null(o, "qpn", 0, false);
	pl_json_number(o, "port", ends->port[side]);
	ibw_out_char(o, '}');
}

static void figure(struct ibw_out *o, const struct track_iwarp_dir *d, enum track_figure number)
{
	uint64_t n = 0;
	bool known = track_iwarp_figure(d, number, &n);

	pl_json_figure(o, number, known, n);
}

static void measure(struct pl_output *output, const struct track_iwarp_dir *d,
		    enum track_measure_figure number, const char *name)
{
	uint64_t n = 0;
	bool known = track_iwarp_measure(d, number, &n);

	pl_output_room(output);
	pl_json_number_or_null(&output->out, name, n, known);
}

static void no_meaning(struct pl_output *output, const char *name)
{
	pl_output_room(output);
	pl_json_text(&output->out, name, NULL);
}

static void direction(struct pl_report *report, const char *key, const struct track_iwarp_dir *d)
{
	struct pl_output *output = report->output;
	struct ibw_out *o = &output->out;

	pl_json_key(o, key);
	ibw_out_char(o, '{');
#define TRACK_FIGURE(name, value, title, counter) figure(o, d, TRACK_FIGURE_##name);
#define TRACK_VERB(id, name, title)                                                                \
	pl_json_messages(o, TRACK_VERB_##id, track_iwarp_messages(d, TRACK_VERB_##id));
#define TRACK_TIMES(id, name, title) no_meaning(output, #name);
#define TRACK_MEASURE(name, unit, value, title, counter, definition)                               \
	measure(output, d, TRACK_MEASURE_##name, #name);
#define TRACK_NAMED(name, value, title, definition) no_meaning(output, #name);
#define TRACK_FRAME(name, value, title, definition) no_meaning(output, #name);
#define TRACK_SAMPLES(id, name, unit, title, definition) no_meaning(output, #name);
#include "track/way/figures.def"
	pl_output_room(output);
	pl_json_number(o, "fpdus", d->counts.fpdus);
	pl_json_number(o, "crc_bad", d->counts.crc_bad);
	pl_json_number(o, "segments_crossed", d->counts.crossed);
	pl_json_number(o, "stall", d->counts.stall_ns);
	ibw_out_char(o, '}');
}

void pl_json_iwarp(struct pl_report *report, const struct pl_iwarp *c,
		   const struct pl_standing *standing)
{
	const struct track_iwarp_conn *conn = &c->record->conn;
	const char *file = pl_frames_place(&report->frames, conn->first_frame).file;
	unsigned int a = track_iwarp_opener(conn), mss = track_iwarp_mss(conn);
	struct ibw_out *o = &report->output->out;

	pl_json_begin(o, "flow");
	pl_json_number(o, "schema", PL_JSON_SCHEMA);
	pl_json_text(o, "file", file);
	pl_json_number(o, "connection", c->number);
	pl_json_text(o, "service", "iWARP");
	pl_json_text(o, "upper", NULL);
	pl_json_number_or_null(o, "mtu", 0, false);
	pl_json_text(o, "setup", track_iwarp_has_start(conn) ? "mpa" : "none");
	pl_json_text(o, "state", pl_iwarp_state(c));
	pl_json_text(o, "history", NULL);
	end_of(o, c, a, "a");
	end_of(o, c, !a, "b");
	pl_json_key(o, "first_frame");
	pl_json_frame(o, &report->frames, conn->first_frame, file);
	pl_json_key(o, "last_frame");
	pl_json_frame(o, &report->frames, conn->last_frame, file);
	pl_json_doubts(o, report->doubt | track_iwarp_doubt(conn));
	direction(report, "a_to_b", pl_iwarp_dir(c, TRACK_A_TO_B));
	direction(report, "b_to_a", pl_iwarp_dir(c, TRACK_B_TO_A));
	pl_json_text(o, "waited", NULL);
	pl_json_number_or_null(o, "mss", mss, mss != 0);
	pl_json_standing(report, standing);
	pl_json_text(o, "negotiated", NULL);
	pl_json_end(o);
}
