/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rmpp.h - the RMPP transfers of a capture: which MAD belongs to which.
 *
 * A transfer is known by the sender and receiver of its data, its management class
 * and its transaction id. Memory is bounded: so many transfers at a time, the one
 * longest without a segment making room for a new one.
 *
 * Events say what became of each. A transfer is given up after 40 seconds without a MAD,
 * the time Linux gives a whole transfer (start_rmpp() in drivers/infiniband/core/mad_rmpp.c);
 * what comes later still counts.
 */
#ifndef IBWIRE_TRACK_RMPP_H
#define IBWIRE_TRACK_RMPP_H

#include <stdbool.h>
#include <stdint.h>

#include <ibwire/mad_walk.h>
#include <ibwire/packet.h>
#include <ibwire/rmpp.h>

#include "track/base/event.h"
#include "track/view/rmpp_trouble.h"

/* Transfers remembered at a time, and the bytes of records each may have. */
#define TRACK_TRANSFERS_MAX 32
enum { TRACK_TRANSFER_BYTES = IBW_TRANSFER_SEGMENTS_MAX * 200 };

struct track_transfer {
	struct ibw_transfer rmpp;
	const struct ibw_mad_attr_row *attr; /* NULL: not known */
	uint32_t attr_mod;
	uint32_t record_stride; /* bytes from record to record; 0: one record, or not SA */
	uint64_t *frames;       /* of its segments, in the order they came */
	unsigned int n_frames;
};

struct track_rmpp;

struct track_rmpp *track_rmpp_new(void);
void track_rmpp_free(struct track_rmpp *ts);

/* Where events go; NULL: nowhere. */
void track_rmpp_events(struct track_rmpp *ts, struct track_events *events);

/* From now on those in which something goes wrong are kept. */
void track_rmpp_want_troubles(struct track_rmpp *ts);

/* Those of transfers that are over, and once the capture has ended, of those that still go on, too. NULL: they are not wanted. */
const struct track_transfer_troubles *track_rmpp_troubles(const struct track_rmpp *ts);
const struct track_transfer_troubles *track_rmpp_finish_troubles(struct track_rmpp *ts);

/*
 * A MAD of @n bytes at @mad, the payload of @pkt. Returns the transfer it
 * belongs to, with the MAD fed to it, or NULL if it is no part of a transfer of several
 * segments. Valid until the next call. A transfer that is no longer RUNNING is
 * forgotten by the call after the one that returned it.
 */
const struct track_transfer *track_rmpp_feed(struct track_rmpp *ts, const struct ibw_packet *pkt,
					     const uint8_t *mad, uint32_t n,
					     const struct track_at *at);

/* Gives up what has waited too long. */
void track_rmpp_tick(struct track_rmpp *ts, const struct track_at *now);

/* The capture ended: whatever still waits. False: there was no room for all events, call again. */
bool track_rmpp_finish(struct track_rmpp *ts, const struct track_at *at);

/* Transfers given up to make room for others, and those in which something went wrong that there was no room for. */
uint64_t track_rmpp_evicted(const struct track_rmpp *ts);

#endif /* IBWIRE_TRACK_RMPP_H */
