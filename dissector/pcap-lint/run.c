/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.c - one capture, from its first packet to the summary. */
#include <pcap/pcap.h>

#include "commented.h"
#include "chunks.h"
#include "decode.h"
#include "file.h"
#include "front.h"
#include "group.h"
#include "html.h"
#include "in_order.h"
#include "interfaces.h"
#include "interrupt.h"
#include "iwarp.h"
#include "messages.h"
#include "mode.h"
#include "owner.h"
#include "records.h"
#include "report.h"
#include "story.h"
#include "wants.h"
#include "capture/ahead.h"
#include "capture/capture.h"
#include "track/base/memory.h"
#include "track/base/table.h"
#include "track/incident/incident.h"
#include "track/link/twice.h"
#include "track/measure/measure.h"
#include "track/measure/series.h"
#include "track/measure/timeline.h"
#include "track/stream/qps.h"
#include "track/ulp/ulp.h"
#include "track/way/qp_state.h"

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

/* Link types a file can have packets of that are named in a finding each. */
#define UNKNOWN_MAX 16

/* Files that were read to their end at most, before what was kept of them is checked. */
#define WAITING_MAX 8

/* One that was read to its end, while some of its packets are kept. */
struct waiting {
	const char *file;
	unsigned int nth;
	uint64_t before;
	struct capture *capture;
	const struct pl_chunk *chunk; /* NULL: none of it is being taken */
};

struct run {
	const struct pl_options *options;
	struct pl_output *output;
	const char *file; /* that is being read, or whose packets are checked */
	unsigned int nth; /* file, from 1 */
	uint64_t before;  /* frames of the files before it: --join */
	uint64_t last;    /* the number of the last frame */
	struct capture *capture;
	struct pl_chunks *chunks;     /* NULL: it is read packet by packet */
	const struct pl_chunk *chunk; /* then, the one that is taken */
	const struct pl_item *item;   /* and of that */
	struct ibw_walk_options walk;
	struct track *track;
	struct track_twice *twice;   /* NULL: packets captured twice are not told from others */
	struct capture_ahead *ahead; /* until it is known which ones are */
	struct waiting waiting[WAITING_MAX]; /* their files, but for the one that is being read */
	unsigned int n_waiting;
	struct pl_owners *owners;     /* connections, of a first reading; NULL: there was none */
	struct pl_messages *messages; /* NULL: packets are decoded */
	struct track_view view;       /* of the packet at hand */
	struct lint *lint;            /* NULL: decoding */
	bool events;                  /* the linter wants them */
	struct pl_report report;
	struct pl_commented *commented; /* -w; NULL: nobody wants it */
	uint64_t packets;
	uint32_t linktype; /* one that is known: of the packet before */
	uint32_t unknown[UNKNOWN_MAX];
	unsigned int n_unknown;
	bool stopped;        /* by a signal, before the end of the input */
	uint64_t ticked_ns;  /* when it was last thought of what live packets show by now */
	int64_t progress_at; /* g_get_monotonic_time() when it is due again */
	bool unread;         /* the last file could not be opened */
	enum pl_exit status;
};

/* The number of a frame of the file being read. */
static uint64_t number(struct run *run, uint64_t frame)
{
	run->last = MAX(run->last, run->before + frame);
	return run->before + frame;
}

/* A problem with the file itself: a finding if its rule is on, else a message. */
static void file_error(struct run *run, enum lint_rule_id rule, const struct track_frame *frame,
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

static void fault(struct run *run)
{
	const struct capture_fault *f =
		run->chunk ? &run->chunk->fault : capture_fault(run->capture);
	const struct track_frame frame = { .number = number(run, f->frame) };

	file_error(run, rule_of(f->kind), &frame, f->text);
}

static void unknown_linktype(struct run *run, const struct capture_packet *record)
{
	const struct track_frame frame = { .number = number(run, record->frame),
					   .time_ns = record->time_ns };
	const char *name = pcap_datalink_val_to_name((int)record->linktype);
	unsigned int i;
	char *text;

	for (i = 0; i < run->n_unknown; i++)
		if (run->unknown[i] == record->linktype)
			return;
	if (run->n_unknown == UNKNOWN_MAX)
		return;
	run->unknown[run->n_unknown++] = record->linktype;
	text = g_strdup_printf("packets of link type %" G_GUINT32_FORMAT "%s%s%s cannot be checked",
			       record->linktype, name ? " (" : "", name ? name : "",
			       name ? ")" : "");
	file_error(run, LINT_CAP006, &frame, text);
	g_free(text);
}

static void progress(struct run *run)
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

/* What the trackers found out since the last call. */
static void pass_events(struct run *run)
{
	unsigned int n;
	const struct track_event *e = track_events(run->track, &n);

	lint_events(run->lint, e, n);
	if (run->report.stories)
		pl_stories_events(run->report.stories, e, n);
}

/* What the user says of the link goes before what the file does. */
static uint64_t link_speed(const struct run *run, uint32_t iface)
{
	const struct capture_interface *interface;

	if (run->options->link_speed)
		return run->options->link_speed;
	if (run->chunk)
		return run->chunk->speeds[iface];
	interface = capture_interface(run->capture, iface);
	return interface ? interface->speed : 0;
}

/* Decoding: whether a packet is of what is asked for. */
static bool is_decoded(const struct run *run, const struct ibw_packet *pkt, uint64_t frame)
{
	const struct pl_chosen *chosen = &run->options->chosen;
	struct track_flow flow;

	if (!pl_chosen_any(chosen))
		return true;
	if (!track_flow_of(pkt, &flow))
		return false;
	return run->owners ? pl_owners_choose(run->owners, chosen, &flow, frame)
			   : pl_chosen_flow(chosen, NULL, &flow) == PL_CHOSEN_YES;
}

/* Whether packets are written as they are read. */
static bool is_copied(const struct run *run)
{
	return run->commented && pl_commented_is_once(run->commented);
}

/* Where the record of the packet that was just read is; false: not known. */
static bool record_of(const struct run *run, uint64_t *offset, uint64_t *bytes)
{
	if (!run->item)
		return capture_record(run->capture, offset, bytes);
	*offset = run->item->offset;
	*bytes = run->item->bytes;
	return run->item->has_record;
}

/* The same, or that of one that was read ahead. */
static void keep_place(struct run *run, uint64_t frame, const struct capture_kept *kept)
{
	uint64_t offset, bytes;

	if (kept ? kept->has_record : record_of(run, &offset, &bytes))
		pl_records_add(run->report.records, frame, kept ? kept->offset : offset,
			       kept ? kept->size : bytes);
}

/* Of a compressed file the place of nothing is known. */
static void keep_size(struct run *run)
{
	uint64_t offset, bytes;

	if (run->report.records)
		pl_records_file(run->report.records, capture_record(run->capture, &offset, &bytes)
							     ? capture_size(run->capture)
							     : 0);
}

static inline void view_packet(struct run *run, const struct capture_packet *record)
{
	track_view_packet(&run->view, record->data, record->caplen, record->len,
			  pl_linktype(run->options, record->linktype), &run->walk);
}

/* The view of a packet whose front was read. */
static inline void view_front(struct run *run, const struct capture_packet *record,
			      const struct pl_front *front)
{
	view_packet(run, record);
	if (front->plain.icrc.status == IBW_CRC_ABSENT)
		return;
	run->view.has_icrc = true;
	run->view.icrc = front->plain.icrc;
}

static struct track_frame frame_of(struct run *run, const struct capture_packet *record)
{
	return (struct track_frame){ number(run, record->frame), record->time_ns, record->iface };
}

/* One that the packet before did not have. */
__attribute__((noinline, cold)) static void other_linktype(struct run *run,
							   const struct capture_packet *record)
{
	const uint32_t linktype = pl_linktype(run->options, record->linktype);

	if (ibw_linktype_known(linktype))
		run->linktype = linktype;
	else
		unknown_linktype(run, record);
}

static inline void know_linktype(struct run *run, const struct capture_packet *record)
{
	if (pl_linktype(run->options, record->linktype) != run->linktype)
		other_linktype(run, record);
}

static void decode(struct run *run, const struct capture_packet *record)
{
	const struct track_frame frame = frame_of(run, record);
	const struct track_context *context;

	know_linktype(run, record);
	view_packet(run, record);
	context = track_feed(run->track, &run->view, &frame);
	if (run->messages)
		pl_messages_packet(run->messages, run->file, record, &run->view, context, &frame,
				   is_decoded(run, &run->view.pkt, frame.number));
	else if (is_decoded(run, &run->view.pkt, frame.number))
		pl_decode(run->output, run->options, run->file, record, &run->view, context);
}

/* Where a packet that was fed to the trackers is, as far as reports ask for it. */
static inline void keep_packet(struct run *run, const struct capture_packet *record, uint64_t frame,
			       const struct capture_kept *kept)
{
	if (run->report.records)
		keep_place(run, frame, kept);
	if (run->report.interfaces)
		pl_interfaces_packet(run->report.interfaces, record->iface);
}

static inline void events(struct run *run)
{
	if (run->events && track_events_waiting(run->track))
		pass_events(run);
}

/* The packet of run->view; @kept: as it was read ahead, NULL: it was just read. */
static inline __attribute__((always_inline)) void
check(struct run *run, const struct capture_packet *record, const struct capture_kept *kept)
{
	const struct track_frame frame = frame_of(run, record);
	const struct track_context *context;
	struct track_view *view = &run->view;

	if (is_copied(run))
		pl_commented_packet(run->commented, record);
	if (view->pkt.proto == IBW_PROTO_PAUSE)
		track_link_speed(run->track, link_speed(run, record->iface));
	context = track_feed(run->track, view, &frame);
	keep_packet(run, record, frame.number, kept);
	lint_packet(run->lint, &frame, view, context);
	events(run);
	pl_report_packet(&run->report, record, &view->pkt);
}

/* A plain packet that the trackers were fed; rules may ask for its view. */
static inline void check_plain(struct run *run, const struct capture_packet *record,
			       const struct pl_front *front, const struct track_frame *frame)
{
	keep_packet(run, record, frame->number, NULL);
	if (!front->is_ordinary || !lint_packet_plain(run->lint, frame, &front->plain)) {
		view_front(run, record, front);
		lint_packet(run->lint, frame, &run->view, track_context_none());
	}
	events(run);
	pl_report_plain(&run->report, record, &front->plain);
}

/* The same, of what is not as most are. */
__attribute__((noinline, cold)) static void
check_rare(struct run *run, const struct capture_packet *record, const struct capture_kept *kept)
{
	check(run, record, kept);
}

/* Of the packet of run->view there is one already, from another point of the capture. */
__attribute__((noinline, cold)) static void skip_copy(struct run *run,
						      const struct capture_packet *record)
{
	if (is_copied(run))
		pl_commented_packet(run->commented, record);
	number(run, record->frame);
	track_copy(run->track, &run->view.pkt);
	run->report.totals.copies++;
}

/* Of the whole capture. */
static void doubt(struct run *run, uint16_t bits)
{
	track_doubt(run->track, bits);
	lint_doubt(run->lint, bits);
	run->report.doubt |= bits;
}

static void dropped(struct run *run, uint64_t packets)
{
	doubt(run, TRACK_DOUBT_DROPPED);
	lint_dropped(run->lint, packets);
}

/* What the capturing host says it lost: CAP007. Interfaces of different kinds: CAP009. */
static void about_interfaces(struct run *run)
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

/* What its end says of a file whose packets are all checked. */
static void end_file(struct run *run)
{
	about_interfaces(run);
	if (run->report.interfaces)
		pl_interfaces_file(run->report.interfaces, run->capture);
	if (run->report.html)
		pl_html_add_file(run->report.html, run->file, run->capture);
}

static struct waiting put_file(struct run *run, const struct waiting *file)
{
	const struct waiting was = { run->file, run->nth, run->before, run->capture, run->chunk };

	run->file = file->file;
	run->nth = file->nth;
	run->before = file->before;
	run->capture = file->capture;
	run->chunk = file->chunk;
	return was;
}

/* The packets kept of the file of @run. */
static void check_kept(struct run *run)
{
	const struct capture_kept *kept;

	while ((kept = capture_ahead_next(run->ahead, run->nth))) {
		view_packet(run, &kept->packet);
		if (track_twice_is_copy(run->twice, kept->ticket))
			skip_copy(run, &kept->packet);
		else
			check_rare(run, &kept->packet, kept);
	}
}

/* All that was read ahead, once it is known what are copies. */
static void check_ahead(struct run *run)
{
	struct waiting *file = run->waiting, read;

	if (!run->ahead)
		return;
	track_twice_decide(run->twice);
	for (; file < run->waiting + run->n_waiting; file++) {
		read = put_file(run, file);
		check_kept(run);
		end_file(run);
		capture_close(run->capture);
		put_file(run, &read);
	}
	run->n_waiting = 0;
	check_kept(run);
	capture_ahead_clear(run->ahead);
}

/* The file was read to its end: with packets kept of it, or of one before, it waits for what the next file shows. With -w there is none. */
static void end_or_wait(struct run *run)
{
	if (run->commented || !run->ahead || !capture_ahead_count(run->ahead) ||
	    run->n_waiting == WAITING_MAX) {
		check_ahead(run);
		end_file(run);
		return;
	}
	run->waiting[run->n_waiting++] =
		(struct waiting){ run->file, run->nth, run->before, run->capture, NULL };
	run->capture = NULL;
}

__attribute__((noinline, cold)) static void
keep(struct run *run, const struct capture_packet *record, uint32_t ticket)
{
	struct capture_kept kept = { .packet = *record, .nth = run->nth, .ticket = ticket };

	if (!run->ahead)
		run->ahead = capture_ahead_new();
	number(run, record->frame);
	kept.has_record = record_of(run, &kept.offset, &kept.size);
	capture_ahead_add(run->ahead, &kept);
	if (track_twice_is_due(run->twice, capture_ahead_count(run->ahead),
			       capture_ahead_bytes(run->ahead)))
		check_ahead(run);
}

/* A packet that is not plain, or may be a copy. */
static void read_viewed(struct run *run, const struct capture_packet *record)
{
	const struct track_at at = { .frame = run->before + record->frame,
				     .time_ns = record->time_ns };
	uint32_t ticket;

	if (!run->twice) {
		check(run, record, NULL);
		return;
	}
	switch (track_twice_feed(run->twice, &run->view, &at, record->iface, &ticket)) {
	case TRACK_TWICE_NEW:
		check(run, record, NULL);
		break;
	case TRACK_TWICE_COPY:
		skip_copy(run, record);
		break;
	case TRACK_TWICE_OPEN:
		if (!is_copied(run))
			keep(run, record, ticket);
		else if (track_twice_is_copy(run->twice, ticket))
			skip_copy(run, record);
		else /* it is written before the next one is read */
			check_rare(run, record, NULL);
		break;
	}
}

/* Plain packets are nearly all; false: this one is to be looked at as any other. */
static inline bool read_plain(struct run *run, const struct capture_packet *record,
			      const struct pl_front *front)
{
	const struct track_frame frame = { run->before + record->frame, record->time_ns,
					   record->iface };
	const struct track_at at = { .frame = frame.number, .time_ns = frame.time_ns };

	if (!front->is_plain || is_copied(run))
		return false;
	if (run->twice && !track_twice_feed_plain(run->twice, &front->plain, &at, frame.iface))
		return false;
	if (track_feed_plain(run->track, &front->plain, &frame)) {
		number(run, record->frame);
		check_plain(run, record, front, &frame);
	} else {
		view_front(run, record, front);
		check(run, record, NULL);
	}
	return true;
}

/* A packet to be checked. */
static inline void read_front(struct run *run, const struct capture_packet *record,
			      const struct pl_front *front)
{
	know_linktype(run, record);
	if (read_plain(run, record, front))
		return;
	view_front(run, record, front);
	read_viewed(run, record);
}

static void read_packet(struct run *run, const struct capture_packet *record)
{
	struct pl_front front;

	if (!run->lint) {
		decode(run, record);
		return;
	}
	pl_front_read(&front, record, pl_linktype(run->options, record->linktype));
	read_front(run, record, &front);
}

/* Whether there is no more to be read, however much there is. */
static bool is_enough(const struct run *run)
{
	return run->output->error || run->stopped ||
	       (run->options->count && run->packets == run->options->count);
}

/* A signal ends the input; of a pipe only once what its writer still had for us was read. */
static void look_at_signal(struct run *run)
{
	run->stopped |= pl_interrupted() && pl_interrupt_ends(capture_is_live(run->capture));
}

/* What can be said by now is, if packets come as they are captured. */
static void look_at_clock(struct run *run, bool idle)
{
	uint64_t now_ns;

	if (!run->lint || !run->report.live || !pl_is_now(run->report.totals.last_ns))
		return;
	now_ns = (uint64_t)g_get_real_time() * 1000;
	if (idle || now_ns > run->ticked_ns + TICK_NS) {
		check_ahead(run);
		track_tick(run->track, now_ns);
		if (run->events)
			pass_events(run);
		lint_tick(run->lint, now_ns);
		run->ticked_ns = now_ns;
	}
	pl_report_tick(&run->report, idle);
}

/* Nothing is to be read: struct pl_output. */
static void idle(void *run)
{
	look_at_clock(run, true);
}

static void tick(struct run *run)
{
	look_at_clock(run, false);
	_Static_assert(PROGRESS_PACKETS % TICK_PACKETS == 0, "a tick of each");
	pl_output_tick(run->output);
	if (run->packets % PROGRESS_PACKETS == 0 && run->output->progress)
		progress(run);
}

/* Of connections of these hosts something is missing now. */
static void left_out(struct run *run, const struct capture_packet *record)
{
	view_packet(run, record);
	if (run->view.pkt.bth != IBW_NO_SPAN)
		track_left_out(run->track, &run->view.pkt);
}

static void count_packet(struct run *run)
{
	run->packets++;
	if (run->packets % TICK_PACKETS == 0)
		tick(run);
}

__attribute__((hot)) static void all_packets(struct run *run)
{
	struct capture_packet record;
	enum capture_result result;

	while (!is_enough(run) && (result = capture_next(run->capture, &record)) != CAPTURE_END) {
		if (is_copied(run) && (result == CAPTURE_FAULT || result == CAPTURE_BLOCK))
			pl_commented_block(run->commented);
		if (result == CAPTURE_BLOCK)
			continue;
		if (result == CAPTURE_FAULT) {
			fault(run);
			continue;
		}
		if (result == CAPTURE_LEFT_OUT) {
			left_out(run, &record);
			continue;
		}
		read_packet(run, &record);
		count_packet(run);
		look_at_signal(run);
	}
}

/* The same by several threads: what a packet shows by itself is found out ahead of its turn. */

static bool read_chunk(void *user, unsigned int place)
{
	const struct run *run = user;

	return pl_chunks_read(run->chunks, place);
}

static void prepare_chunk(void *user, unsigned int place)
{
	const struct run *run = user;
	struct pl_chunk *chunk = pl_chunks_at(run->chunks, place);
	struct pl_item *item;

	for (item = chunk->item; item < chunk->item + chunk->n; item++)
		if (item->result == CAPTURE_PACKET)
			pl_front_read_all(&item->front, &item->packet,
					  pl_linktype(run->options, item->packet.linktype),
					  &run->walk);
}

static void take_item(struct run *run, const struct pl_item *item)
{
	run->item = item;
	if (item->result == CAPTURE_FAULT) {
		fault(run);
	} else if (item->result == CAPTURE_LEFT_OUT) {
		left_out(run, &item->packet);
	} else {
		read_front(run, &item->packet, &item->front);
		count_packet(run);
	}
}

__attribute__((hot)) static bool take_chunk(void *user, unsigned int place)
{
	struct run *run = user;
	unsigned int i;

	run->chunk = pl_chunks_at(run->chunks, place);
	for (i = 0; i < run->chunk->n && !is_enough(run); i++) {
		take_item(run, &run->chunk->item[i]);
		look_at_signal(run);
	}
	pl_chunks_done(run->chunks, place);
	return !is_enough(run);
}

static void all_packets_by(struct run *run, unsigned int threads)
{
	const struct pl_in_order work = { threads, read_chunk, prepare_chunk, take_chunk, run };

	run->chunks = pl_chunks_new(run->capture, PL_PLACES(threads));
	pl_in_order(&work);
	look_at_signal(run); /* it may have ended reading */
	run->chunk = NULL;
	run->item = NULL;
	pl_chunks_free(run->chunks);
	run->chunks = NULL;
}

/*
 * Threads for the file. Live packets come one by one, blocks are written as they are read, nothing after the last packet that
 * is wanted may be read, and a small file is read at once.
 */
static unsigned int threads_for(const struct run *run)
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

/* What still waits at the end of the capture is given up: the queue may have room for some only. */
static void last_events(struct run *run)
{
	bool more;

	do {
		more = track_finish(run->track);
		if (run->events)
			pass_events(run);
	} while (more);
}

/*
 * Of a part that was chosen by its findings, nothing can be said that takes several packets: what lay between them is
 * gone. That was said of the whole capture, and is in the comments.
 */
static void switch_off_absent(struct run *run, bool rules[LINT_RULE_COUNT])
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

static void check_begin(struct run *run)
{
	struct lint_options lint = { .roce_ports = run->options->roce_ports,
				     .n_roce_ports = run->options->n_roce_ports,
				     .track = run->track,
				     .names = run->track };
	const struct lint_sink sink = pl_report_sink(&run->report);

	memcpy(lint.rules, run->options->rules, sizeof(lint.rules));
	if (capture_is_part(run->capture))
		switch_off_absent(run, lint.rules);
	pl_report_open(&run->report, run->options, run->output, run->track,
		       capture_is_live(run->capture));
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

static void check_file(struct run *run)
{
	unsigned int threads;

	if (!run->lint)
		check_begin(run);
	if (capture_is_live(run->capture)) {
		run->output->idle = idle;
		run->output->idle_user = run;
	}
	pl_frames_file(&run->report.frames, run->file, run->before);
	keep_size(run);
	if (run->commented)
		pl_commented_begin(run->commented, run->capture);
	capture_show_left_out(run->capture);
	if (capture_is_part(run->capture))
		doubt(run, TRACK_DOUBT_SAMPLED);
	threads = threads_for(run);
	if (threads > 1)
		all_packets_by(run, threads);
	else
		all_packets(run);
	end_or_wait(run);
}

/* Those of iWARP, which are among all of them. */
static void count_iwarp(struct run *run)
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
static void count_connections(struct run *run, const struct track_qp *const *qps, unsigned int n)
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

static void close_report(struct run *run)
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

static void say_limit(struct run *run, const char *what, uint64_t n, const char *did)
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

static void say_room(struct run *run, const struct track_room *room)
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
static void about_room(struct run *run)
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
static void about_names(struct run *run)
{
	const struct track_ulps *ulps = track_commands(run->track);

	if (ulps && !run->options->quiet)
		pl_upper_named_say(run->output, run->file, run->before, ulps);
}

/* The capture ended. */
static void check_end(struct run *run)
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
	struct run *run = user;

	if (pl_output_wait(run->output, fd))
		return true;
	run->stopped = true;
	return false;
}

/* Does @what with the packets of a file. */
static void with_file(struct run *run, const char *file, void (*what)(struct run *run))
{
	const struct capture_options how = { .wait = wait,
					     .user = run,
					     .max_size = run->options->max_size,
					     .max_ratio = run->options->max_ratio,
					     .blocks = is_copied(run) };
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

static void begin(struct run *run, struct pl_output *output, const struct pl_options *options)
{
	track_tables_limit(options->max_memory / TRACK_MEMORY_TABLES); /* before there are any */
	*run = (struct run){ .options = options,
			     .output = output,
			     .walk = { options->roce_ports, options->n_roce_ports },
			     .track = track_new() };
}

/* One for people to read. */
static bool has_summary(const struct run *run)
{
	return run->lint && !run->options->quiet && run->options->format == PL_FORMAT_text;
}

static void about_messages(struct run *run)
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

static enum pl_exit end(struct run *run)
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
	struct run run;

	begin(&run, output, options);
	for (; *files && !is_enough(&run); files++)
		with_file(&run, *files, check_file);
	check_ahead(&run);
	if (run.lint)
		check_end(&run);
	return end(&run);
}

static void say_error(struct run *run, GError *err)
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
	struct run run;

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

/* Reads the packets for their connections alone. */
static void learn(struct run *run)
{
	struct capture_packet record;
	enum capture_result result;

	track_want_connections(run->track);
	track_want_streams(run->track);
	if (run->options->messages) {
		track_want_fpdus(run->track);
		track_iwarp_want_records(track_iwarp_connections(run->track));
	}
	while (!is_enough(run) && (result = capture_next(run->capture, &record)) != CAPTURE_END) {
		struct track_frame frame;

		if (result != CAPTURE_PACKET)
			continue;
		frame = frame_of(run, &record);
		view_packet(run, &record);
		track_feed(run->track, &run->view, &frame);
		run->packets++;
		look_at_signal(run);
	}
	while (track_finish(run->track))
		;
}

/* All packets, and what is incomplete at the end. */
static void all_messages(struct run *run)
{
	all_packets(run);
	pl_messages_finish(run->messages, run->file);
}

static void want_messages(struct run *run, struct track *known)
{
	struct track_iwarp *iwarp = track_iwarp_connections(run->track);

	track_iwarp_want_commands(iwarp, track_commands(run->track));
	run->messages = pl_messages_new(run->output, run->options, run->owners, known, iwarp);
}

enum pl_exit pl_decode_capture(struct pl_output *output, const struct pl_options *options,
			       const char *file)
{
	struct run known = { .track = NULL }, run;
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
		if (known.unread)
			return end(&known);
	}
	begin(&run, output, options);
	run.owners = known.track ? pl_owners_new(known.track) : NULL;
	track_want_commands(run.track);
	track_ulps_want_commands_of_packets(track_commands(run.track));
	track_ulps_name(track_commands(run.track), options->ulps.name, options->ulps.n);
	track_want_fpdus(run.track);
	if (options->messages)
		want_messages(&run, known.track);
	with_file(&run, file, options->messages ? all_messages : all_packets);
	status = end(&run);
	pl_messages_free(run.messages);
	pl_owners_free(run.owners);
	if (known.track)
		track_free(known.track);
	return status;
}
