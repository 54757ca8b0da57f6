/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agreed.h - what REQ and REP agreed on, and when the CM began and ended the connection.
 *
 * Only for connections with a captured CM message. agreed.c reports packets that contradict it.
 */
#ifndef IBWIRE_TRACK_AGREED_H
#define IBWIRE_TRACK_AGREED_H

#include <stdbool.h>
#include <stdint.h>

#include "watch.h"

/* Of the requests of one way. */
struct track_agreed_way {
	struct track_mark nak; /* asks for one before the first that was captured */
	uint64_t first_frame, first_ns;
	uint32_t start;       /* PSN of the first one */
	uint32_t first_psn;   /* of the first one that was captured */
	uint16_t depth;       /* READs and atomics that may be outstanding */
	uint16_t outstanding; /* at most so many are */
	uint8_t rnr_retries;  /* after RNR NAKs */
	bool start_known, depth_known, rnr_known;
	bool depth_said, mtu_said;
};

struct track_agreed {
	uint64_t cm_frame; /* of the message that began the connection */
	uint64_t service_id;
	uint64_t closed_ns, closed_frame; /* of the first DREQ; 0: none was captured */
	struct track_agreed_way way[2];   /* enum track_way */
	uint64_t early_frame, early_ns;   /* the first request without RTU; 0: none */
	uint32_t early_psn;
	uint8_t early_way;
	uint8_t closed_way;  /* enum track_way of who sent it */
	uint8_t retries;     /* of both ways */
	uint8_t ack_timeout; /* 4.096 us << it; known as retries are */
	bool retries_known;
	bool rtu, after_drep;
	uint64_t drep_frame, drep_ns; /* 0: none yet */
};

#endif /* IBWIRE_TRACK_AGREED_H */
