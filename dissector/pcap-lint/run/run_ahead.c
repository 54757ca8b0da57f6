/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_ahead.c - packets that are kept until it is known which of them are copies, and files that wait for that. */
#include "run_impl.h"

/* The run is at @file from now on; returns the one before. */
static struct pl_waiting put_file(struct pl_run *run, const struct pl_waiting *file)
{
	const struct pl_waiting was = { run->file, run->nth, run->before, run->capture,
					run->chunk };

	run->file = file->file;
	run->nth = file->nth;
	run->before = file->before;
	run->capture = file->capture;
	run->chunk = file->chunk;
	return was;
}

/* The packets kept of the file of @run. */
static void check_kept(struct pl_run *run)
{
	const struct capture_kept *kept;

	while ((kept = capture_ahead_next(run->ahead, run->nth))) {
		pl_run_view(run, &kept->packet);
		if (track_twice_is_copy(run->twice, kept->ticket))
			pl_run_skip_copy(run, &kept->packet);
		else
			pl_run_check(run, &kept->packet, kept);
	}
}

void pl_run_check_ahead(struct pl_run *run)
{
	struct pl_waiting *file = run->waiting, read;

	if (!run->ahead)
		return;
	track_twice_decide(run->twice);
	for (; file < run->waiting + run->n_waiting; file++) {
		read = put_file(run, file);
		check_kept(run);
		pl_run_end_file(run);
		capture_close(run->capture);
		put_file(run, &read);
	}
	run->n_waiting = 0;
	check_kept(run);
	capture_ahead_clear(run->ahead);
}

/* With packets kept of it, or of one before, it waits for what the next file shows. With -w there is none. */
void pl_run_end_or_wait(struct pl_run *run)
{
	if (run->commented || !run->ahead || !capture_ahead_count(run->ahead) ||
	    run->n_waiting == PL_RUN_WAITING_MAX) {
		pl_run_check_ahead(run);
		pl_run_end_file(run);
		return;
	}
	run->waiting[run->n_waiting++] =
		(struct pl_waiting){ run->file, run->nth, run->before, run->capture, NULL };
	run->capture = NULL;
}

void pl_run_keep(struct pl_run *run, const struct capture_packet *record, uint32_t ticket)
{
	struct capture_kept kept = { .packet = *record, .nth = run->nth, .ticket = ticket };

	if (!run->ahead)
		run->ahead = capture_ahead_new();
	pl_run_number(run, record->frame);
	kept.has_record = pl_run_record(run, &kept.offset, &kept.size);
	capture_ahead_add(run->ahead, &kept);
	if (track_twice_is_due(run->twice, capture_ahead_count(run->ahead),
			       capture_ahead_bytes(run->ahead)))
		pl_run_check_ahead(run);
}

void pl_run_skip_copy(struct pl_run *run, const struct capture_packet *record)
{
	if (pl_run_is_copied(run))
		pl_commented_packet(run->commented, record);
	pl_run_number(run, record->frame);
	track_copy(run->track, &run->view.pkt);
	run->report.totals.copies++;
}
