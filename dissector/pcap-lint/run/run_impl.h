/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_impl.h - what the files of a run share: the run itself, and what each file does for the others. */
#ifndef PL_RUN_IMPL_H
#define PL_RUN_IMPL_H

#include "chunks.h"
#include "pcap-lint/rewrite/commented.h"
#include "pcap-lint/decode/copies.h"
#include "pcap-lint/decode/messages.h"
#include "pcap-lint/base/mode.h"
#include "pcap-lint/decode/owner.h"
#include "pcap-lint/report/report.h"
#include "capture/ahead.h"
#include "track/link/twice.h"

/* Link types a file can have packets of that are named in a finding each. */
#define PL_RUN_UNKNOWN_MAX 16

/* Files that were read to their end at most, before what was kept of them is checked. */
#define PL_RUN_WAITING_MAX 8

/* One that was read to its end, while some of its packets are kept. */
struct pl_waiting {
	const char *file;
	unsigned int nth;
	uint64_t before;
	struct capture *capture;
	const struct pl_chunk *chunk; /* NULL: none of it is being taken */
};

struct pl_run {
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
	struct pl_waiting
		waiting[PL_RUN_WAITING_MAX]; /* their files, but for the one that is being read */
	unsigned int n_waiting;
	struct pl_owners *owners;     /* connections, of a first reading; NULL: there was none */
	struct pl_messages *messages; /* NULL: packets are decoded */
	struct pl_copies *copies;     /* that a first reading found; NULL: nobody asked */
	struct track_view view;       /* of the packet at hand */
	struct lint *lint;            /* NULL: decoding */
	bool events;                  /* the linter wants them */
	struct pl_report report;
	struct pl_commented *commented; /* -w; NULL: nobody wants it */
	uint64_t packets;
	uint32_t linktype; /* one that is known: of the packet before */
	uint32_t unknown[PL_RUN_UNKNOWN_MAX];
	unsigned int n_unknown;
	bool stopped;        /* by a signal, before the end of the input */
	uint64_t ticked_ns;  /* when it was last thought of what live packets show by now */
	int64_t progress_at; /* g_get_monotonic_time() when it is due again */
	bool unread;         /* the last file could not be opened */
	enum pl_exit status;
};

/* The number of a frame of the file being read. */
static inline uint64_t pl_run_number(struct pl_run *run, uint64_t frame)
{
	run->last = MAX(run->last, run->before + frame);
	return run->before + frame;
}

/* The place of a packet of that file. */
static inline struct track_frame pl_run_frame(struct pl_run *run,
					      const struct capture_packet *record)
{
	return (struct track_frame){ pl_run_number(run, record->frame), record->time_ns,
				     record->iface };
}

/* Whether packets are written as they are read. */
static inline bool pl_run_is_copied(const struct pl_run *run)
{
	return run->commented && pl_commented_is_once(run->commented);
}

/* run->view is of that packet from now on. */
static inline void pl_run_view(struct pl_run *run, const struct capture_packet *record)
{
	track_view_packet(&run->view, record->data, record->caplen, record->len,
			  pl_linktype(run->options, record->linktype), &run->walk);
}

/* Whether there is no more to be read, however much there is. */
static inline bool pl_run_is_enough(const struct pl_run *run)
{
	return run->output->error || run->stopped ||
	       (run->options->count && run->packets == run->options->count);
}

/* run_packet.c */

/* The packet of run->view is checked; @kept: as it was read ahead, NULL: it was just read. */
__attribute__((noinline, cold)) void pl_run_check(struct pl_run *run,
						  const struct capture_packet *record,
						  const struct capture_kept *kept);

/* A packet that was just read: it is checked or decoded. */
void pl_run_packet(struct pl_run *run, const struct capture_packet *record);

/* The same of one to be checked whose front is known. */
void pl_run_front(struct pl_run *run, const struct capture_packet *record,
		  const struct pl_front *front);

/* A packet that the filter left out. */
void pl_run_left_out(struct pl_run *run, const struct capture_packet *record);

/* What the trackers found out since the last call. */
void pl_run_pass_events(struct pl_run *run);

/* Where the record of the packet that was just read is; false: not known. */
bool pl_run_record(const struct pl_run *run, uint64_t *offset, uint64_t *bytes);

/* run_ahead.c */

/* Keeps the packet of @record until it is known whether it is a copy: @ticket of track_twice_feed(). */
__attribute__((noinline, cold)) void
pl_run_keep(struct pl_run *run, const struct capture_packet *record, uint32_t ticket);

/* The packet of run->view is a copy: it is only counted. */
__attribute__((noinline, cold)) void pl_run_skip_copy(struct pl_run *run,
						      const struct capture_packet *record);

/* Checks all that is kept, once it is known what are copies: by what was read so far. */
void pl_run_check_ahead(struct pl_run *run);

/* The file was read to its end, which is checked now or when the packets kept are. */
void pl_run_end_or_wait(struct pl_run *run);

/* run_read.c */

/* All packets of the file on one thread, or on as many as suit it. */
__attribute__((hot)) void pl_run_read(struct pl_run *run);
void pl_run_read_by_threads(struct pl_run *run);

/* A signal ends the input; of a pipe only once what its writer still had for us was read. */
void pl_run_look_at_signal(struct pl_run *run);

/* Nothing is to be read: struct pl_output. */
void pl_run_idle(void *run);

/* The link type of @record is not that of the packet before: it is noted, or reported as unknown. */
__attribute__((noinline, cold)) void pl_run_other_linktype(struct pl_run *run,
							   const struct capture_packet *record);

/* run.c */

/* What its end says of a file whose packets are all checked. */
void pl_run_end_file(struct pl_run *run);

#endif /* PL_RUN_IMPL_H */
