/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ids.h - what the IPv4 Identifications of a way say about the order in which its packets were sent. */
#ifndef IBWIRE_TRACK_IDS_H
#define IBWIRE_TRACK_IDS_H

#include "qp_impl.h"

/* So many requests that were retransmitted one after the other had the Identification of their first copy. */
#define TRACK_IDS_KEPT 2u

/* The sender makes it of the PSN, or leaves it as it is: two packets that have the same are no copies of one, and it tells no order. */
static inline bool track_ids_are_kept(const struct track_dir *d)
{
	const struct track_watch *w = track_watched(d);

	return w->ids_kept >= TRACK_IDS_KEPT && !w->renumbers;
}

/* Which of two packets of @d was sent first: @p, and one with @ip_id. */
static inline enum track_order track_sent_order(const struct track_dir *d, uint16_t ip_id,
						const struct track_packet *p)
{
	return track_ids_are_kept(d) ? TRACK_SENT_UNKNOWN : track_packet_order(ip_id, p);
}

#endif /* IBWIRE_TRACK_IDS_H */
