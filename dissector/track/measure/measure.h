/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure.h - figures of one way of a connection that only reports need: times, data in flight,
 * messages.
 *
 * No rule reads them. They are kept and computed only on request: track_qps_want_measures().
 * figures.def defines each figure.
 */
#ifndef IBWIRE_TRACK_MEASURE_H
#define IBWIRE_TRACK_MEASURE_H

#include "track/view/gid_kind.h"
#include "track/way/qp.h"

struct track_series;

enum track_measure_figure {
#define TRACK_MEASURE(name, unit, value, title, counter, definition) TRACK_MEASURE_##name,
#include "track/way/figures.def"
	TRACK_MEASURE_COUNT
};

enum track_frame_figure {
#define TRACK_FRAME(name, value, title, definition) TRACK_FRAME_##name,
#include "track/way/figures.def"
	TRACK_FRAME_COUNT
};

enum track_named_figure {
#define TRACK_NAMED(name, value, title, definition) TRACK_NAMED_##name,
#include "track/way/figures.def"
	TRACK_NAMED_COUNT
};

enum track_samples {
#define TRACK_SAMPLES(id, name, unit, title, definition) TRACK_SAMPLES_##id,
#include "track/way/figures.def"
	TRACK_SAMPLES_COUNT
};

/* Why a packet was retransmitted: enum track_resend. */
#define TRACK_RESENDS (TRACK_RESEND_UNKNOWN + 1)

enum track_unit { TRACK_UNIT_NS, TRACK_UNIT_BYTES, TRACK_UNIT_COUNT };

/* A SEND or WRITE, as far as its packets are done. */
struct track_message {
	uint64_t next; /* PSN it goes on with; 0: there is none */
	uint64_t bytes;
	uint64_t first_frame, first_ns;
	uint8_t verb; /* enum track_verb */
};

/* Marks of a direction, and the CNPs about it, which go the other way. */
struct track_congestion {
	uint64_t first_ns, first_bytes, last_ns, last_bytes; /* of CNPs: time, bytes on the wire */
	uint32_t cnps, bare;                                 /* all, and those no mark waited for */
};

/* How packets of a direction travel: no CNPs. No holes: compared as bytes. */
struct track_road {
	uint32_t sport; /* as in struct track_packet */
	uint16_t tag;
	uint8_t dscp, hop_limit;
	uint32_t version;
};

/* Since the PSNs last restarted, as in struct track_dir. */
struct track_measure_since {
	uint64_t repeat_next; /* PSN after the last request packet, if that was repeated; else 0 */
	struct track_mark nak, rnr; /* what they asked for has not arrived yet */
	struct track_message message;
	bool nak_paused; /* what filled the gap that a NAK asked for came paused */
};

/* A figure that the capture does not show: null in JSON. */
#define TRACK_UNKNOWN UINT64_MAX

struct track_measure {
	/* Packets */
	uint64_t first_ns, last_ns; /* the earliest and the latest time */
	uint64_t before_ns;         /* of the last packet */
	uint64_t begin_frame,
		begin_ns; /* of the first packet, which need not have the earliest time */
	uint64_t idle_max_ns;
	uint32_t longest; /* packet, in bytes on the wire */
	uint32_t sport_changes, dscp_changes, hop_limit_changes, tag_changes, version_changes;
	struct track_road road, first_road;  /* of the last packet, and the first */
	enum track_gid_kind gid_kind;        /* of the first packet's sender */
	uint32_t fecn, becn;                 /* packets with that bit */
	uint64_t ce_frame, cnp_frame;        /* the first mark, the first CNP about it; 0: none */
	struct track_congestion *congestion; /* NULL: no CNP */
	bool begins;                         /* a packet was seen */
	bool has_path;                       /* and one that is no CNP */
	bool is_repeat;                      /* the last that was not the expected one */
	bool is_early;                       /* it is before the first that was captured */
	struct track_measure_since since;
	/* Requests */
	uint64_t filled_bytes, gap_max, fill_distance_max;
	uint32_t begun, immediate, invalidate, answered, ackreq;
	uint32_t repeated_answered, episodes, copies_max;
	uint32_t resent[TRACK_RESENDS], resent_paused[TRACK_RESENDS];
	uint32_t timeouts_paused;
	uint32_t retransmitted, reordered, timeouts; /* before the last not expected */
	/* Answers */
	uint64_t ambiguous;
	uint32_t ack_pure, ack_repeated, ack_unsolicited, credits_none, credits_zero;
	/* Times in which something is open: flight.h */
	uint64_t either_ns; /* of the last packet of either way; UINT64_MAX: none yet */
	uint64_t busy_ns, stall_max_ns;
	/* Messages */
	uint64_t slowest_ns, slowest_first, slowest_last;
	struct track_histogram *samples[TRACK_SAMPLES_COUNT]; /* NULL: none yet */
	struct track_series *series; /* series.h; NULL: not wanted, or no request yet */
};

/* From here on. */
void track_qps_want_measures(struct track_qps *s);

/* Bits a second; 0 without a duration. */
uint64_t track_measure_rate(uint64_t bytes, uint64_t since_ns, uint64_t now_ns);

uint64_t track_measure_figure(const struct track_dir *d, enum track_measure_figure figure);
uint64_t track_frame_figure(const struct track_dir *d, enum track_frame_figure figure);
const char *track_named_figure(const struct track_dir *d, enum track_named_figure figure);

/* Those of a list of @d; without any, an empty one. */
const struct track_histogram *track_dir_samples(const struct track_dir *d,
						enum track_samples samples);

#endif /* IBWIRE_TRACK_MEASURE_H */
