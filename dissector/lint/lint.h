/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lint.h - the linter: checks the packets of a capture, and reports findings.
 *
 * The caller hands over each packet as track/ understands it, in file order; the
 * library hands findings to a sink. It knows nothing of files, options
 * or output: pcap-lint and the Wireshark plugin are its users.
 *
 *	struct lint *l = lint_new(&options, &sink);
 *
 *	while (...) {
 *		track_view_packet(&view, ...);
 *		context = track_feed(track, &view, &frame);
 *		lint_packet(l, &frame, &view, context);
 *	}
 *	lint_finish(l);
 *	lint_free(l);
 */
#ifndef IBWIRE_LINT_H
#define IBWIRE_LINT_H

#include <stdbool.h>
#include <stdint.h>

#include <ibwire/packet.h>

#include "base/finding.h"
#include "base/say.h"
#include "events/events.h"
#include "packet/plain.h"
#include "rules/rules.h"
#include "track/track.h"

struct lint;
struct track_plain;

/* A linter for one file. Options and sink are copied; the sink is called from lint_packet() and
 * lint_finish(). Never NULL (memory comes from GLib, which aborts when there is none). */
struct lint *lint_new(const struct lint_options *options, const struct lint_sink *sink);
void lint_free(struct lint *l);

/* All rules about this packet, then what streams and file-wide rules remember of it. */
void lint_packet(struct lint *l, const struct track_frame *frame, struct track_view *view,
		 const struct track_context *context);

/*
 * The same as lint_packet() of a plain packet of which lint_is_ordinary(), and of which trackers say nothing. False: a
 * rule asks for its view, and nothing was done.
 */
bool lint_packet_plain(struct lint *l, const struct track_frame *frame,
		       const struct track_plain *p);

/* What the caller knows of the whole capture (enum track_doubt), as track_doubt(). */
void lint_doubt(struct lint *l, uint16_t doubt);

/* The last packet has been handed over: before the events of track_finish(). */
void lint_last_packet(struct lint *l);

/* The capturing side says that it lost so many packets (more): they explain as many findings. */
void lint_dropped(struct lint *l, uint64_t packets);

/* Findings still held, then the file-wide rules, once the last packet has been handed over. */
void lint_finish(struct lint *l);

/* Packets in a form that nothing is said of (CAP019), so far. */
uint64_t lint_unexamined(const struct lint *l);

#endif /* IBWIRE_LINT_H */
