/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.c - checks or decodes captures: opens each file, and ends with the summary and the exit status. */
#include "pcap-lint/base/file.h"
#include "pcap-lint/sinks/html/html.h"
#include "pcap-lint/report/interfaces.h"
#include "pcap-lint/base/interrupt.h"
#include "pcap-lint/report/iwarp.h"
#include "pcap-lint/base/records.h"
#include "run_impl.h"
#include "pcap-lint/report/sink.h"
#include "pcap-lint/story/story.h"
#include "wants.h"
#include "track/base/memory.h"
#include "track/base/table.h"
#include "track/stream/qps.h"
#include "track/ulp/ulp.h"
#include "track/way/qp_state.h"

/* Of a compressed file the place of nothing is known. */
static void keep_size(struct pl_run *run)
{
	uint64_t offset, bytes;

	if (run->report.records)
		pl_records_file(run->report.records, capture_record(run->capture, &offset, &bytes)
							     ? capture_size(run->capture)
							     : 0);
}

/* Of the whole capture. */
static void doubt(struct pl_run *run, uint16_t bits)
{
	track_doubt(run->track, bits);
	lint_doubt(run->lint, bits);
	run->report.doubt |= bits;
}

static void dropped(struct pl_run *run, uint64_t packets)
{
	doubt(run, TRACK_DOUBT_DROPPED);
	lint_dropped(run->lint, packets);
}

/* What the capturing host says it lost: CAP007. Interfaces of different kinds: CAP009. */
static void about_interfaces(struct pl_run *run)
{
	unsigned int i, n = capture_interface_count(run->capture);
	const struct capture_interface *first = capture_interface(run->capture, 0), *interface;
	bool several = false;

	for (i = 0; i < n; i++) {
		interface = capture_interface(run->capture, i);
		several |= interface->linktype != first->linktype;
		if (!interface->if_drops && !interface->os_drops && !interface->packet_drops)
			continue;
		dropped(run,
			MAX(interface->if_drops + interface->os_drops, interface->packet_drops));
		lint_file_finding(run->lint, LINT_CAP007, NULL,
				  "interface %u%s%s: the capturing host lost packets: "
				  "%" G_GUINT64_FORMAT " in the interface, "
				  "%" G_GUINT64_FORMAT " in the operating system, "
				  "%" G_GUINT64_FORMAT " between captured packets",
				  i, *interface->name ? " " : "", interface->name,
				  (guint64)interface->if_drops, (guint64)interface->os_drops,
				  (guint64)interface->packet_drops);
	}
	if (several)
		lint_file_finding(run->lint, LINT_CAP009, NULL,
				  "%u interfaces with more than one link type", n);
}

void pl_run_end_file(struct pl_run *run)
{
	about_interfaces(run);
	if (run->report.interfaces)
		pl_interfaces_file(run->report.interfaces, run->capture);
	if (run->report.html)
		pl_html_add_file(run->report.html, run->file, run->capture);
}

/* What still waits at the end of the capture is given up: the queue may have room for some only. */
static void last_events(struct pl_run *run)
{
	bool more;

	do {
		more = track_finish(run->track);
		if (run->events)
			pl_run_pass_events(run);
	} while (more);
}

/*
 * Of a part that was chosen by its findings, nothing can be said that takes several packets: what lay between them is
 * gone. That was said of the whole capture, and is in the comments.
 */
static void switch_off_absent(struct pl_run *run, bool rules[LINT_RULE_COUNT])
{
	static const enum lint_rule_id absent[] = { LINT_CAP008, LINT_CAP010, LINT_CAP014,
						    LINT_CAP018, LINT_CAP020 };
	unsigned int i;

	for (i = 0; i < LINT_RULE_COUNT; i++)
		rules[i] &= lint_rules[i].scope != LINT_STREAM;
	for (i = 0; i < G_N_ELEMENTS(absent); i++)
		rules[absent[i]] = false;
	if (!run->options->quiet)
		pl_error(
			run->output,
			"%s: the packets that pcap-lint -w chose of a capture: what takes several of "
			"them is not checked again; their comments say what there was",
			run->file);
}

static void check_begin(struct pl_run *run)
{
	struct lint_options lint = { .roce_ports = run->options->roce_ports,
				     .n_roce_ports = run->options->n_roce_ports,
				     .track = run->track,
				     .names = run->track };
	const struct lint_sink sink = pl_report_sink(&run->report);

	memcpy(lint.rules, run->options->rules, sizeof(lint.rules));
	if (capture_is_part(run->capture))
		switch_off_absent(run, lint.rules);
	pl_report_open(&run->report, run->options, run->output, pl_sink_of(run->options->format),
		       run->track, capture_is_live(run->capture));
	run->report.commented = run->commented;
	lint.held = pl_report_held(&run->report);
	track_memory(run->track, run->options->max_memory);
	track_want_connections(run->track);
	if (run->options->rules[LINT_CAP008] && !capture_is_part(run->capture))
		run->twice = track_twice_new();
	pl_want_shown(run->track, run->options, &run->report);
	lint.twice = run->twice;
	run->lint = lint_new(&lint, &sink);
	run->events = pl_want_events(run->track, run->options, &run->report, run->lint);
}

static void check_file(struct pl_run *run)
{
	if (!run->lint)
		check_begin(run);
	if (capture_is_live(run->capture)) {
		run->output->idle = pl_run_idle;
		run->output->idle_user = run;
	}
	pl_frames_file(&run->report.frames, run->file, run->before);
	keep_size(run);
	if (run->commented)
		pl_commented_begin(run->commented, run->capture);
	capture_show_left_out(run->capture);
	if (capture_is_part(run->capture))
		doubt(run, TRACK_DOUBT_SAMPLED);
	pl_run_read_by_threads(run);
	pl_run_end_or_wait(run);
}

/* Those of iWARP, which are among all of them. */
static void count_iwarp(struct pl_run *run)
{
	const struct track_iwarp *iwarp = track_iwarp_connections(run->track);
	struct pl_totals *totals = &run->report.totals;

	if (!iwarp)
		return;
	totals->iwarp = iwarp->n;
	totals->fpdus = iwarp->fpdus;
	totals->connections += iwarp->n;
	totals->refused += iwarp->rejected;
	totals->more_connections |= iwarp->evicted > 0;
}

/* Those that --stats lists; where nobody follows them, as many as there are pairs of halves, and halves without one. */
static void count_connections(struct pl_run *run, const struct track_qp *const *qps, unsigned int n)
{
	struct pl_totals *totals = &run->report.totals;
	unsigned int i;

	totals->more_connections = track_conn_evicted(track_connections(run->track)) > 0;
	if (!qps) {
		totals->connections = track_conn_count(track_connections(run->track));
		return;
	}
	totals->connections = n;
	totals->more_connections |= track_qps_evicted(track_streams(run->track)) > 0 ||
				    track_qps_unfollowed(track_streams(run->track)) > 0;
	for (i = 0; i < n; i++) {
		if (track_qp_state(qps[i]) == TRACK_QP_REJECTED)
			totals->refused++;
		else if (!qps[i]->dir[TRACK_A_TO_B].packets && !qps[i]->dir[TRACK_B_TO_A].packets)
			totals->empty++;
	}
}

static void close_report(struct pl_run *run)
{
	struct track_qps *streams = track_streams(run->track);
	const struct track_iwarp *iwarp = track_iwarp_connections(run->track);
	struct pl_iwarp *listed = NULL;
	struct track_qp **qps = NULL;
	unsigned int n = 0;

	if (streams)
		qps = track_qps_sorted(streams, &n);
	count_connections(run, (const struct track_qp *const *)qps, n);
	count_iwarp(run);
	run->report.first_iwarp = n;
	if (iwarp)
		listed = pl_iwarp_listed(iwarp, &run->options->chosen, n, &run->report.n_iwarp);
	run->report.iwarp = listed;
	if (qps)
		n = pl_chosen_qps(&run->options->chosen, qps, n);
	pl_report_close(&run->report, (const struct track_qp *const *)qps, n);
	g_free(qps);
	g_free(listed);
}

static void say_limit(struct pl_run *run, const char *what, uint64_t n, const char *did)
{
	if (!n)
		return;
	if (run->lint)
		lint_file_finding(run->lint, LINT_CAP021, NULL,
				  "limit for %s reached: %" G_GUINT64_FORMAT " %s", what,
				  (guint64)n, did);
	else
		pl_error(run->output, "%s: limit for %s reached: %" G_GUINT64_FORMAT " %s",
			 run->file, what, (guint64)n, did);
}

static void say_room(struct pl_run *run, const struct track_room *room)
{
	static const char *const became[] = {
		[TRACK_ROOM_EVICTED] = "evicted",
		[TRACK_ROOM_IDLE] = "evicted, idle and closed ones first",
		[TRACK_ROOM_UNFOLLOWED] = "not followed",
		[TRACK_ROOM_UNLISTED] = "not listed",
	};

	if (room->became == TRACK_ROOM_EVICTED)
		run->report.totals.forgotten += room->n;
	say_limit(run, room->what, room->n, became[room->became]);
}

/*
 * Without their REQ, packets show less: no layers in private data, no IPoIB, no connection.
 * Without its first segments, a table has no records.
 */
static void about_room(struct pl_run *run)
{
	struct track_room room[TRACK_ROOMS],
		stories = { "events of stories", TRACK_ROOM_EVICTED, 0 };
	const unsigned int n = track_rooms(run->track, room);
	const struct track_qps *streams = track_streams(run->track);
	unsigned int i;

	if (streams) {
		run->report.totals.evicted = track_qps_evicted(streams);
		run->report.totals.unfollowed = track_qps_unfollowed(streams);
	}
	for (i = 0; i < n; i++)
		say_room(run, &room[i]);
	if (run->report.stories)
		stories.n = pl_stories_forgotten(run->report.stories);
	say_room(run, &stories);
}

/* What --ulp said of connections, and they did not. */
static void about_names(struct pl_run *run)
{
	const struct track_ulps *ulps = track_commands(run->track);
	const struct track_ulp_named *named;
	char text[256];
	struct ibw_out o;
	unsigned int i, n;

	if (!ulps || run->options->quiet)
		return;
	named = track_ulps_named(ulps, &n);
	for (i = 0; i < n; i++) {
		o = ibw_out_open(text, sizeof(text));
		if (!pl_upper_named_why(&o, &named[i], run->before))
			continue;
		ibw_out_close(&o);
		pl_error(run->output, "%s: --ulp: %s", run->file, text);
	}
}

/* The capture ended. */
static void check_end(struct pl_run *run)
{
	pl_frames_end(&run->report.frames);
	lint_last_packet(run->lint);
	last_events(run);
	about_room(run);
	about_names(run);
	run->report.totals.unexamined = lint_unexamined(run->lint);
	lint_finish(run->lint);

	run->report.interrupted = run->stopped;
	run->report.broken = run->status == PL_EXIT_ERROR;
	close_report(run);
	lint_free(run->lint);
	if (run->status == PL_EXIT_CLEAN && pl_report_failed(&run->report))
		run->status = PL_EXIT_FINDINGS;
}

/* Before each read: struct capture_options. */
static bool wait(void *user, int fd)
{
	struct pl_run *run = user;

	if (pl_output_wait(run->output, fd))
		return true;
	run->stopped = true;
	return false;
}

/* Does @what with the packets of a file. */
static void with_file(struct pl_run *run, const char *file, void (*what)(struct pl_run *run))
{
	const struct capture_options how = { .wait = wait,
					     .user = run,
					     .max_size = run->options->max_size,
					     .max_ratio = run->options->max_ratio,
					     .blocks = pl_run_is_copied(run) };
	GError *err = NULL;

	run->file = file;
	run->nth++;
	run->before = run->last;
	run->linktype = UINT32_MAX;
	run->capture = capture_open(file, &how, &err);
	if (run->capture &&
	    (!run->options->filter || capture_filter(run->capture, run->options->filter, &err))) {
		what(run);
		run->output->idle = NULL;
		if (run->commented) /* has it now */
			return;
	} else {
		run->status = PL_EXIT_ERROR;
		pl_error(run->output, "%s", err->message);
		g_error_free(err);
		run->unread = true;
	}
	capture_close(run->capture);
}

static void begin(struct pl_run *run, struct pl_output *output, const struct pl_options *options)
{
	track_tables_limit(options->max_memory / TRACK_MEMORY_TABLES); /* before there are any */
	*run = (struct pl_run){ .options = options,
				.output = output,
				.walk = { options->roce_ports, options->n_roce_ports },
				.track = track_new() };
}

/* One for people to read. */
static bool has_summary(const struct pl_run *run)
{
	return run->lint && !run->options->quiet && run->options->format == PL_FORMAT_text;
}

static void about_messages(struct pl_run *run)
{
	const struct track_messages *read;

	if (!run->messages)
		return;
	read = pl_messages_done(run->messages);
	say_limit(run, "messages", track_messages_evicted(read), "printed unfinished");
	say_limit(run, "messages", track_messages_unanswered(read), "printed before their answer");
	if (track_messages_headless(read) && !run->options->quiet)
		pl_error(run->output,
			 "%s: packets or segments not shown, as earlier parts of their messages "
			 "are missing: %" G_GUINT64_FORMAT,
			 run->file, (guint64)track_messages_headless(read));
}

static enum pl_exit end(struct pl_run *run)
{
	if (!run->lint)
		about_room(run);
	about_messages(run);
	if (run->stopped && !run->unread && !has_summary(run))
		pl_say_interrupted(run->output, run->file, run->packets);
	capture_ahead_free(run->ahead);
	track_twice_free(run->twice);
	track_free(run->track);
	pl_output_flush(run->output);
	return run->status;
}

enum pl_exit pl_check_joined(struct pl_output *output, const struct pl_options *options,
			     const char *const *files)
{
	struct pl_run run;

	begin(&run, output, options);
	for (; *files && !pl_run_is_enough(&run); files++)
		with_file(&run, *files, check_file);
	pl_run_check_ahead(&run);
	if (run.lint)
		check_end(&run);
	return end(&run);
}

static void say_error(struct pl_run *run, GError *err)
{
	run->status = PL_EXIT_ERROR;
	pl_error(run->output, "%s", err->message);
	g_error_free(err);
}

/* One capture that is written with comments, too. */
static enum pl_exit check_and_write(struct pl_output *output, const struct pl_options *options,
				    const char *file)
{
	GError *err = NULL;
	struct pl_run run;

	begin(&run, output, options);
	run.commented = pl_commented_open(output, options, file, &err);
	run.file = file;
	if (!run.commented) {
		say_error(&run, err);
		return end(&run);
	}
	with_file(&run, file, check_file);
	if (run.lint) {
		check_end(&run);
		if (!pl_commented_close(run.commented, run.last, run.status == PL_EXIT_ERROR, &err))
			say_error(&run, err);
	}
	pl_commented_free(run.commented);
	return end(&run);
}

enum pl_exit pl_check(struct pl_output *output, const struct pl_options *options, const char *file)
{
	const char *const files[] = { file, NULL };

	if (options->write)
		return check_and_write(output, options, file);
	return pl_check_joined(output, options, files);
}

static void learn_packet(struct pl_run *run, const struct track_frame *frame)
{
	const struct track_at at = { .frame = frame->number, .time_ns = frame->time_ns };

	if (run->copies)
		pl_copies_packet(run->copies, &run->view, &at, frame->iface);
	if (!pl_copies_has(run->copies, frame->number))
		track_feed(run->track, &run->view, frame);
}

/* Reads the packets for their connections alone, and for which of them are copies. */
static void learn(struct pl_run *run)
{
	struct capture_packet record;
	enum capture_result result;

	track_want_connections(run->track);
	track_want_streams(run->track);
	if (run->options->messages) {
		track_want_fpdus(run->track);
		track_iwarp_want_records(track_iwarp_connections(run->track));
		run->copies = run->options->rules[LINT_CAP008] ? pl_copies_new() : NULL;
	}
	while (!pl_run_is_enough(run) &&
	       (result = capture_next(run->capture, &record)) != CAPTURE_END) {
		struct track_frame frame;

		if (result != CAPTURE_PACKET)
			continue;
		frame = pl_run_frame(run, &record);
		pl_run_view(run, &record);
		learn_packet(run, &frame);
		run->packets++;
		pl_run_look_at_signal(run);
	}
	if (run->copies)
		pl_copies_end(run->copies);
	while (track_finish(run->track))
		;
}

/* All packets, and what is incomplete at the end. */
static void all_messages(struct pl_run *run)
{
	pl_run_read(run);
	pl_messages_finish(run->messages, run->file);
}

static void want_messages(struct pl_run *run, struct track *known)
{
	struct track_iwarp *iwarp = track_iwarp_connections(run->track);

	run->messages = pl_messages_new(run->output, run->options, run->owners, known, iwarp);
}

enum pl_exit pl_decode_capture(struct pl_output *output, const struct pl_options *options,
			       const char *file)
{
	struct pl_run known = { .track = NULL }, run;
	enum pl_exit status;

	if (options->chosen.n_qps || options->messages) {
		if (!pl_file_reads_twice(file)) {
			pl_error(output,
				 "%s: with --decode %s a capture is read twice: it must be a "
				 "regular file",
				 file, options->messages ? "--messages" : "--qp");
			return PL_EXIT_ERROR;
		}
		begin(&known, output, options);
		track_memory(known.track, options->max_memory);
		with_file(&known, file, learn);
		if (known.unread) {
			pl_copies_free(known.copies);
			return end(&known);
		}
	}
	begin(&run, output, options);
	run.owners = known.track ? pl_owners_new(known.track) : NULL;
	run.copies = known.copies;
	track_want_commands(run.track);
	track_ulps_want_commands_of_packets(track_commands(run.track));
	track_ulps_name(track_commands(run.track), options->ulps.name, options->ulps.n);
	track_want_fpdus(run.track);
	track_iwarp_want_commands(track_iwarp_connections(run.track), track_commands(run.track));
	if (options->messages)
		want_messages(&run, known.track);
	else
		track_iwarp_want_octets(track_iwarp_connections(run.track));
	with_file(&run, file, options->messages ? all_messages : pl_run_read);
	status = end(&run);
	pl_messages_free(run.messages);
	pl_owners_free(run.owners);
	pl_copies_free(run.copies);
	if (known.track)
		track_free(known.track);
	return status;
}
