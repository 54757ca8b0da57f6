/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_read.c - reads the packets of a file, on one thread or several, to its end, a signal, or the last one that is wanted.
 *
 * Faults of the file and the progress are reported here.
 */
#include <pcap/pcap.h>

#include "chunks.h"
#include "in_order.h"
#include "pcap-lint/base/interrupt.h"
#include "run_impl.h"

/* How often progress is thought of, in packets, and shown, in microseconds. */
#define PROGRESS_PACKETS 16384
#define PROGRESS_US 200000

/* Threads for a file, unless --jobs asks for more. */
#define JOBS_MAX 8u

/* From so many bytes of a file on, unless --jobs is given, threads are worth their start. */
#define THREADS_FROM (4u << 20)

/* How often it is thought of whether output waits. */
#define TICK_PACKETS 256

/* How often it is thought of what live packets show by now. */
#define TICK_NS 500000000u

/* A problem with the file itself: a finding if its rule is on, else a message. */
static void file_error(struct pl_run *run, enum lint_rule_id rule, const struct track_frame *frame,
		       const char *text)
{
	run->status = PL_EXIT_ERROR;
	if (run->lint && rule < LINT_RULE_COUNT && run->options->rules[rule])
		lint_file_finding(run->lint, rule, frame, "%s", text);
	else
		pl_error(run->output, "%s:%" G_GUINT64_FORMAT ": %s", run->file,
			 (guint64)(frame->number - run->before), text);
}

/* The rule about a fault; LINT_RULE_COUNT: none, it is a message only. */
static enum lint_rule_id rule_of(enum capture_fault_kind kind)
{
	switch (kind) {
	case CAPTURE_FAULT_TRUNCATED:
		return LINT_CAP001;
	case CAPTURE_FAULT_LENGTH:
	case CAPTURE_FAULT_BLOCK:
		return LINT_CAP002;
	default:
		return LINT_RULE_COUNT;
	}
}

static void fault(struct pl_run *run)
{
	const struct capture_fault *f =
		run->chunk ? &run->chunk->fault : capture_fault(run->capture);
	const struct track_frame frame = { .number = pl_run_number(run, f->frame) };

	file_error(run, rule_of(f->kind), &frame, f->text);
}

static void unknown_linktype(struct pl_run *run, const struct capture_packet *record)
{
	const struct track_frame frame = { .number = pl_run_number(run, record->frame),
					   .time_ns = record->time_ns };
	const char *name = pcap_datalink_val_to_name((int)record->linktype);
	unsigned int i;
	char *text;

	for (i = 0; i < run->n_unknown; i++)
		if (run->unknown[i] == record->linktype)
			return;
	if (run->n_unknown == PL_RUN_UNKNOWN_MAX)
		return;
	run->unknown[run->n_unknown++] = record->linktype;
	text = g_strdup_printf("packets of link type %" G_GUINT32_FORMAT "%s%s%s cannot be checked",
			       record->linktype, name ? " (" : "", name ? name : "",
			       name ? ")" : "");
	file_error(run, LINT_CAP006, &frame, text);
	g_free(text);
}

/* One that the packet before did not have. */
void pl_run_other_linktype(struct pl_run *run, const struct capture_packet *record)
{
	const uint32_t linktype = pl_linktype(run->options, record->linktype);

	if (ibw_linktype_known(linktype))
		run->linktype = linktype;
	else
		unknown_linktype(run, record);
}

static void progress(struct pl_run *run)
{
	uint64_t size = capture_size(run->capture);
	uint64_t at = run->chunk ? run->chunk->position : capture_position(run->capture);
	int64_t now = g_get_monotonic_time();
	char packets[48];
	struct ibw_out o = ibw_out_open(packets, sizeof(packets));

	if (now < run->progress_at)
		return;
	run->progress_at = now + PROGRESS_US;
	pl_out_counted(&o, run->packets, "packet");
	ibw_out_close(&o);
	if (size)
		pl_progress(run->output, "%3u %% %s %s", (unsigned int)(at * 100 / size), packets,
			    run->file);
	else
		pl_progress(run->output, "%s %s", packets, run->file);
}

void pl_run_look_at_signal(struct pl_run *run)
{
	run->stopped |= pl_interrupted() && pl_interrupt_ends(capture_is_live(run->capture));
}

/* What can be said by now is, if packets come as they are captured. */
static void look_at_clock(struct pl_run *run, bool idle)
{
	uint64_t now_ns;

	if (!run->lint || !run->report.live || !pl_is_now(run->report.totals.last_ns))
		return;
	now_ns = (uint64_t)g_get_real_time() * 1000;
	if (idle || now_ns > run->ticked_ns + TICK_NS) {
		pl_run_check_ahead(run);
		track_tick(run->track, now_ns);
		if (run->events)
			pl_run_pass_events(run);
		lint_tick(run->lint, now_ns);
		run->ticked_ns = now_ns;
	}
	pl_report_tick(&run->report, idle);
}

void pl_run_idle(void *run)
{
	look_at_clock(run, true);
}

static void tick(struct pl_run *run)
{
	look_at_clock(run, false);
	_Static_assert(PROGRESS_PACKETS % TICK_PACKETS == 0, "a tick of each");
	pl_output_tick(run->output);
	if (run->packets % PROGRESS_PACKETS == 0 && run->output->progress)
		progress(run);
}

static void count_packet(struct pl_run *run)
{
	run->packets++;
	if (run->packets % TICK_PACKETS == 0)
		tick(run);
}

void pl_run_read(struct pl_run *run)
{
	struct capture_packet record;
	enum capture_result result;

	while (!pl_run_is_enough(run) &&
	       (result = capture_next(run->capture, &record)) != CAPTURE_END) {
		if (pl_run_is_copied(run) && (result == CAPTURE_FAULT || result == CAPTURE_BLOCK))
			pl_commented_block(run->commented);
		if (result == CAPTURE_BLOCK)
			continue;
		if (result == CAPTURE_FAULT) {
			fault(run);
			continue;
		}
		if (result == CAPTURE_LEFT_OUT) {
			pl_run_left_out(run, &record);
			continue;
		}
		pl_run_packet(run, &record);
		count_packet(run);
		pl_run_look_at_signal(run);
	}
}

/* The same by several threads: what a packet shows by itself is found out ahead of its turn. */

static bool read_chunk(void *user, unsigned int place)
{
	const struct pl_run *run = user;

	return pl_chunks_read(run->chunks, place);
}

static void prepare_chunk(void *user, unsigned int place)
{
	const struct pl_run *run = user;
	struct pl_chunk *chunk = pl_chunks_at(run->chunks, place);
	struct pl_item *item;

	for (item = chunk->item; item < chunk->item + chunk->n; item++)
		if (item->result == CAPTURE_PACKET)
			pl_front_read_all(&item->front, &item->packet,
					  pl_linktype(run->options, item->packet.linktype),
					  &run->walk);
}

static void take_item(struct pl_run *run, const struct pl_item *item)
{
	run->item = item;
	if (item->result == CAPTURE_FAULT) {
		fault(run);
	} else if (item->result == CAPTURE_LEFT_OUT) {
		pl_run_left_out(run, &item->packet);
	} else {
		pl_run_front(run, &item->packet, &item->front);
		count_packet(run);
	}
}

__attribute__((hot)) static bool take_chunk(void *user, unsigned int place)
{
	struct pl_run *run = user;
	unsigned int i;

	run->chunk = pl_chunks_at(run->chunks, place);
	for (i = 0; i < run->chunk->n && !pl_run_is_enough(run); i++) {
		take_item(run, &run->chunk->item[i]);
		pl_run_look_at_signal(run);
	}
	pl_chunks_done(run->chunks, place);
	return !pl_run_is_enough(run);
}

static void all_packets_by(struct pl_run *run, unsigned int threads)
{
	const struct pl_in_order work = { threads, read_chunk, prepare_chunk, take_chunk, run };

	run->chunks = pl_chunks_new(run->capture, PL_PLACES(threads));
	pl_in_order(&work);
	pl_run_look_at_signal(run); /* it may have ended reading */
	run->chunk = NULL;
	run->item = NULL;
	pl_chunks_free(run->chunks);
	run->chunks = NULL;
}

/*
 * Threads for the file. Live packets come one by one, blocks are written as they are read, nothing after the last packet that
 * is wanted may be read, and a small file is read at once.
 */
static unsigned int threads_for(const struct pl_run *run)
{
	if (capture_is_live(run->capture) || run->commented || run->options->count)
		return 1;
	if (run->options->jobs)
		return run->options->jobs;
	if (capture_size(run->capture) <
	    (capture_compression(run->capture) ? THREADS_FROM / 8 : THREADS_FROM))
		return 1;
	return MIN(g_get_num_processors(), JOBS_MAX);
}

void pl_run_read_by_threads(struct pl_run *run)
{
	const unsigned int threads = threads_for(run);

	if (threads > 1)
		all_packets_by(run, threads);
	else
		pl_run_read(run);
}
