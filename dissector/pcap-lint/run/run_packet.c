/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_packet.c - one packet of a capture: what the trackers, the rules and the report do with it. */
#include "pcap-lint/decode/decode.h"
#include "pcap-lint/report/interfaces.h"
#include "pcap-lint/base/records.h"
#include "run_impl.h"
#include "pcap-lint/story/story.h"

void pl_run_pass_events(struct pl_run *run)
{
	unsigned int n;
	const struct track_event *e = track_events(run->track, &n);

	lint_events(run->lint, e, n);
	if (run->report.stories)
		pl_stories_events(run->report.stories, e, n);
}

/* What the user says of the link goes before what the file does. */
static uint64_t link_speed(const struct pl_run *run, uint32_t iface)
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
static bool is_decoded(const struct pl_run *run, const struct ibw_packet *pkt, uint64_t frame)
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

bool pl_run_record(const struct pl_run *run, uint64_t *offset, uint64_t *bytes)
{
	if (!run->item)
		return capture_record(run->capture, offset, bytes);
	*offset = run->item->offset;
	*bytes = run->item->bytes;
	return run->item->has_record;
}

/* The same, or that of one that was read ahead. */
static void keep_place(struct pl_run *run, uint64_t frame, const struct capture_kept *kept)
{
	uint64_t offset, bytes;

	if (kept ? kept->has_record : pl_run_record(run, &offset, &bytes))
		pl_records_add(run->report.records, frame, kept ? kept->offset : offset,
			       kept ? kept->size : bytes);
}

/* The view of a packet whose front was read. */
static inline void view_front(struct pl_run *run, const struct capture_packet *record,
			      const struct pl_front *front)
{
	pl_run_view(run, record);
	if (front->plain.icrc.status == IBW_CRC_ABSENT)
		return;
	run->view.has_icrc = true;
	run->view.icrc = front->plain.icrc;
}

static inline void know_linktype(struct pl_run *run, const struct capture_packet *record)
{
	if (pl_linktype(run->options, record->linktype) != run->linktype)
		pl_run_other_linktype(run, record);
}

static void decode(struct pl_run *run, const struct capture_packet *record)
{
	const struct track_frame frame = pl_run_frame(run, record);
	const struct track_context *context;

	if (pl_copies_has(run->copies, frame.number))
		return;
	know_linktype(run, record);
	pl_run_view(run, record);
	context = track_feed(run->track, &run->view, &frame);
	if (run->messages)
		pl_messages_packet(run->messages, run->file, record, &run->view, context, &frame,
				   is_decoded(run, &run->view.pkt, frame.number));
	else if (is_decoded(run, &run->view.pkt, frame.number))
		pl_decode(run->output, run->options, run->file, record, &run->view, context,
			  track_iwarp_connections(run->track));
}

/* Where a packet that was fed to the trackers is, as far as reports ask for it. */
static inline void keep_packet(struct pl_run *run, const struct capture_packet *record,
			       uint64_t frame, const struct capture_kept *kept)
{
	if (run->report.records)
		keep_place(run, frame, kept);
	if (run->report.interfaces)
		pl_interfaces_packet(run->report.interfaces, record->iface);
}

static inline void events(struct pl_run *run)
{
	if (run->events && track_events_waiting(run->track))
		pl_run_pass_events(run);
}

/* The packet of run->view; @kept: as it was read ahead, NULL: it was just read. */
static inline __attribute__((always_inline)) void
check(struct pl_run *run, const struct capture_packet *record, const struct capture_kept *kept)
{
	const struct track_frame frame = pl_run_frame(run, record);
	const struct track_context *context;
	struct track_view *view = &run->view;

	if (pl_run_is_copied(run))
		pl_commented_packet(run->commented, record);
	if (view->pkt.proto == IBW_PROTO_PAUSE)
		track_link_speed(run->track, link_speed(run, record->iface));
	context = track_feed(run->track, view, &frame);
	keep_packet(run, record, frame.number, kept);
	lint_packet(run->lint, &frame, view, context);
	events(run);
	pl_report_packet(&run->report, record, &view->pkt);
}

void pl_run_check(struct pl_run *run, const struct capture_packet *record,
		  const struct capture_kept *kept)
{
	check(run, record, kept);
}

/* A plain packet that the trackers were fed; rules may ask for its view. */
static inline void check_plain(struct pl_run *run, const struct capture_packet *record,
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

/* A packet that is not plain, or may be a copy. */
static void read_viewed(struct pl_run *run, const struct capture_packet *record)
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
		pl_run_skip_copy(run, record);
		break;
	case TRACK_TWICE_OPEN:
		if (!pl_run_is_copied(run))
			pl_run_keep(run, record, ticket);
		else if (track_twice_is_copy(run->twice, ticket))
			pl_run_skip_copy(run, record);
		else /* it is written before the next one is read */
			pl_run_check(run, record, NULL);
		break;
	}
}

/* Plain packets are nearly all; false: this one is to be looked at as any other. */
static inline bool read_plain(struct pl_run *run, const struct capture_packet *record,
			      const struct pl_front *front)
{
	const struct track_frame frame = { run->before + record->frame, record->time_ns,
					   record->iface };
	const struct track_at at = { .frame = frame.number, .time_ns = frame.time_ns };

	if (!front->is_plain || pl_run_is_copied(run))
		return false;
	if (run->twice && !track_twice_feed_plain(run->twice, &front->plain, &at, frame.iface))
		return false;
	if (track_feed_plain(run->track, &front->plain, &frame)) {
		pl_run_number(run, record->frame);
		check_plain(run, record, front, &frame);
	} else {
		view_front(run, record, front);
		check(run, record, NULL);
	}
	return true;
}

/* A packet to be checked. */
static inline void check_front(struct pl_run *run, const struct capture_packet *record,
			       const struct pl_front *front)
{
	know_linktype(run, record);
	if (read_plain(run, record, front))
		return;
	view_front(run, record, front);
	read_viewed(run, record);
}

void pl_run_front(struct pl_run *run, const struct capture_packet *record,
		  const struct pl_front *front)
{
	check_front(run, record, front);
}

void pl_run_packet(struct pl_run *run, const struct capture_packet *record)
{
	struct pl_front front;

	if (!run->lint) {
		decode(run, record);
		return;
	}
	pl_front_read(&front, record, pl_linktype(run->options, record->linktype));
	check_front(run, record, &front);
}

/* Of connections of these hosts something is missing now. */
void pl_run_left_out(struct pl_run *run, const struct capture_packet *record)
{
	pl_run_view(run, record);
	if (run->view.pkt.bth != IBW_NO_SPAN)
		track_left_out(run->track, &run->view.pkt);
}
