/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * srt.c - -z ibwire,srt and, in the window, Statistics > Service Response Time: how long it took.
 *
 * Three tables: messages to their completion, packets to their ACK, MADs to their answer; the times are those of
 * ibwire.msg.latency, ibwire.ack.ack_rtt and ibwire.mad.time. On the first pass a SEND or WRITE counts when its
 * ACK comes, on later ones in its first packet, which has its time by then; and a READ only if all of it came,
 * as what is missing may be asked for again. Of iWARP, only READs and atomics are timed: answers complete them.
 */
#include <stdio.h>
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "srt.h"
#include "wireshark/packet/frame.h"
#include "wireshark/tree/info.h"
#include "wireshark/marks/iwarp.h"
#include "wireshark/marks/links.h"
#include "wireshark/packet/mad.h"
#include "wireshark/marks/msg.h"
#include "wireshark/base/proto.h"
#include "track/track.h"
#include "track/way/qp.h"

#include <epan/srt_table.h>
#include <epan/stat_tap_ui.h>
#include <epan/tap.h>

enum table { MESSAGES, ACKS, MADS, TABLES };

struct timed {
	uint64_t ns;
	uint32_t row;
	enum table table;
};

struct times {
	unsigned int n;
	struct timed time[];
};

static int tap = -1;

/*
 * Kinds of MADs, by their row: what comes in the captures of a session, not all there could be. No row is ever
 * another's, as a table in the window outlives a file.
 */
#define KINDS_MAX 256u /* the last is for all others */
static struct kind {
	uint32_t key; /* class, method, attribute */
	char *text;
} kinds[KINDS_MAX];
static unsigned int n_kinds;

static uint32_t add_kind(uint32_t key, const struct track_mad *mad, uint8_t method)
{
	char text[128];
	struct ibw_out out = ibw_out_open(text, sizeof(text));

	if (n_kinds == KINDS_MAX - 1)
		ibw_out_str(&out, "others");
	else
		iw_info_mad(&out, mad, method);
	ibw_out_close(&out);
	kinds[n_kinds] = (struct kind){ key, g_strdup(text) };
	return n_kinds++;
}

static uint32_t kind_of(const struct track_mad *mad, uint8_t method)
{
	const struct ibw_mad_wire *wire = (const struct ibw_mad_wire *)mad->p;
	uint32_t key = (uint32_t)ibw_mad_mgmt_class(wire) << 24 | (uint32_t)method << 16 |
		       ibw_mad_attr_id(wire);
	unsigned int i;

	for (i = 0; i < n_kinds; i++)
		if (kinds[i].key == key || i == KINDS_MAX - 1)
			return i;
	return add_kind(key, mad, method);
}

/* What the packets show */

static void add(struct times *t, enum table table, uint32_t row, uint64_t ns)
{
	t->time[t->n++] = (struct timed){ ns, row, table };
}

static void add_message(struct times *t, uint32_t frame)
{
	uint32_t verb;
	uint64_t ns;

	if (iw_msg_latency(frame, &verb, &ns))
		add(t, MESSAGES, verb, ns);
}

static unsigned int count_iwarp(const struct iw_fpdu *f)
{
	unsigned int n = 0;

	for (; f; f = f->next)
		n += iw_iwarp_completes(f) != NULL;
	return n;
}

/* READs and atomics, in the frame with the last byte of their answers. */
static void add_iwarp(struct times *t, const struct iw_fpdu *f)
{
	const struct iw_iwarp_message *m;

	for (; f; f = f->next) {
		m = iw_iwarp_completes(f);
		if (m && m->last_ns >= m->first_ns)
			add(t, MESSAGES, m->verb, m->last_ns - m->first_ns);
	}
}

static void add_ack(struct times *t, uint32_t number, const struct iw_frame *frame)
{
	uint32_t request, verb;
	uint64_t ns;

	if (iw_links_ack(frame, number, &request, &ns) && iw_msg_verb(request, &verb))
		add(t, ACKS, verb, ns);
}

/* One answer, however many segments it has. */
static void add_mad(struct times *t, uint32_t number, struct iw_frame *frame)
{
	const struct track_mad *mad = iw_mad_of(frame);
	uint8_t method;
	uint64_t ns;

	if (!mad || !iw_links_mad(frame, number, &method, &ns))
		return;
	if (mad->rmpp && mad->walked.flags & IBW_MAD_SEGMENT &&
	    !(ibw_rmpp_flags(mad->rmpp) & IBW_RMPP_LAST))
		return;
	add(t, MADS, kind_of(mad, method), ns);
}

void iw_srt_packet(packet_info *pinfo, struct iw_frame *frame)
{
	GArray *completed = iw_msg_completed();
	const struct iw_fpdu *fpdus;
	struct times *t;
	unsigned int i, n;

	if (!have_tap_listener(tap))
		return;
	/* What the end of the first pass completed counts with its own packet, which comes again now. */
	if (pinfo->fd->visited)
		g_array_set_size(completed, 0);
	fpdus = iw_iwarp_fpdus(pinfo->num);
	n = completed->len + TABLES + count_iwarp(fpdus);
	t = wmem_alloc(pinfo->pool, sizeof(*t) + n * sizeof(t->time[0]));
	t->n = 0;
	for (i = 0; i < completed->len; i++)
		add_message(t, g_array_index(completed, uint32_t, i));
	g_array_set_size(completed, 0);
	if (pinfo->fd->visited || iw_msg_is_whole(pinfo->num))
		add_message(t, pinfo->num);
	add_iwarp(t, fpdus);
	add_ack(t, pinfo->num, frame);
	add_mad(t, pinfo->num, frame);
	if (t->n)
		tap_queue_packet(tap, pinfo, t);
}

/* Tables */

static void add_kinds(srt_stat_table *table, uint32_t row)
{
	unsigned int i;

	for (i = (unsigned int)table->num_procs; i <= row; i++)
		init_srt_table_row(table, (int)i, kinds[i].text);
}

static void count(srt_stat_table *table, const struct timed *time, packet_info *pinfo)
{
	nstime_t began = { (time_t)(time->ns / 1000000000u), (int)(time->ns % 1000000000u) };

	if (time->table == MADS)
		add_kinds(table, time->row);
	nstime_delta(&began, &pinfo->abs_ts, &began);
	add_srt_table_data(table, (int)time->row, &began, pinfo);
}

static tap_packet_status packet(void *data, packet_info *pinfo, epan_dissect_t *edt,
				const void *times, tap_flags_t flags)
{
	const srt_data_t *srt = data;
	const struct times *t = times;
	unsigned int i;

	(void)edt;
	(void)flags;
	for (i = 0; i < t->n; i++)
		count(g_array_index(srt->srt_array, srt_stat_table *, t->time[i].table),
		      &t->time[i], pinfo);
	return TAP_PACKET_REDRAW;
}

static void add_verbs(srt_stat_table *table)
{
	int verb;

	for (verb = 0; verb < TRACK_VERB_COUNT; verb++)
		init_srt_table_row(table, verb, track_verbs[verb].title);
}

static void init(struct register_srt *srt, GArray *tables)
{
	(void)srt;
	add_verbs(init_srt_table("Messages, to their completion", "Messages", tables,
				 TRACK_VERB_COUNT, "Message, to the end", "ibwire.msg.op", NULL));
	add_verbs(init_srt_table("Packets, to their ACK", "ACKs", tables, TRACK_VERB_COUNT,
				 "Packet, to its ACK", NULL, NULL));
	init_srt_table("MADs, to their answer", "MADs", tables, 0, "MAD, to its answer", NULL,
		       NULL);
}

/* -z srt,ibwire: as -z ibwire,srt, which is what Wireshark makes of the name. */
static iw_listen_result listen(const char *arg, void *data)
{
	static const char ours[] = "srt,ibwire";
	char *theirs = g_strconcat("ibwire,srt", arg + strlen(ours), NULL);
	bool known = process_stat_cmd_arg(theirs);

	(void)data;
	if (!known)
		fprintf(stderr, "%s: not here\n", theirs);
	g_free(theirs);
	return IW_LISTENS(known);
}

void iw_srt_register(void)
{
	static stat_tap_ui ui = {
		REGISTER_STAT_GROUP_GENERIC, NULL, "srt,ibwire", listen, 0, NULL
	};

	tap = register_tap("ibwire_srt");
	iw_msg_tell(tap);
	register_srt_table(iw_proto, "ibwire_srt", TABLES, packet, init, NULL);
	register_stat_tap_ui(&ui, NULL);
}
