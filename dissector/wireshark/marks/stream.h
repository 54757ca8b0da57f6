/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stream.h - which connection a packet is of, and which of its packets. */
#ifndef IW_STREAM_H
#define IW_STREAM_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"
#include "links.h"
#include "track/stream/qps.h"
#include "track/track.h"

/* Streams: connections by their numbers, which are final when every frame has been seen. */
void iw_stream_register(void);
void iw_stream_init(void); /* a file is about to be read */
void iw_stream_packet(const struct track *trackers, const struct iw_frame *frame,
		      const struct track_frame *at);
void iw_stream_events(const struct track *trackers, const struct track_event *e, unsigned int n);
void iw_stream_finish(const struct track *trackers);
void iw_stream_cleanup(void);
void iw_stream_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);
void iw_stream_psns(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);
/* "[NFS 20049]" in the Info column, and "[stream 3]", if that is wanted. */
void iw_stream_info(packet_info *pinfo);

/* NULL: no file is being read. */
struct iw_link *iw_stream_make_link(uint32_t frame);
const struct iw_link *iw_stream_link(uint32_t frame); /* NULL: no packet of a connection */

/* The first CM message of the connection that the frame's packet is of, as far as known by now; 0: none. */
uint32_t iw_stream_cm(uint32_t frame);
/* track_qp_depth() of the direction of the frame's packet, as far as known by now. */
uint32_t iw_stream_depth(uint32_t frame);
/* The queue pair a packet comes from, as its connection's answers show it: once all frames were seen. */
bool iw_stream_sender(uint32_t frame, uint32_t *sqpn);

/*
 * On the first pass: who sends the frame's packet, by the CM. False: it is of no connection, or what was said of those
 * before it is something else; then it is not kept. Later that is there again.
 */
bool iw_stream_keep_sender(uint32_t frame, const struct track_sender *from);
void iw_stream_recall_sender(uint32_t frame, struct track_sender *from);

/* The message of the frame's packet, by msg.c's number of it; 0: none. */
uint32_t iw_stream_message(uint32_t frame);
void iw_stream_set_message(uint32_t frame, uint32_t message);
/* The packet was of that message before. */
void iw_stream_set_repeated(uint32_t frame);
bool iw_stream_repeated(uint32_t frame);
/* Of the frame's packet: the number of its connection, as it is known by now; the end that sends. */
bool iw_stream_number(uint32_t frame, uint32_t *number);
bool iw_stream_way(uint32_t frame, enum track_way *way);
/* The PSN, counted from the first request of its direction. */
bool iw_stream_psn(const struct iw_frame *frame, uint32_t number, uint32_t *psn);
uint32_t iw_stream_count(void);  /* of numbers, once the file was read */
uint32_t iw_stream_so_far(void); /* then, too; before, as it is known by now */

/* What the tree says of a connection that is none of queue pairs. */
struct iw_stream_said {
	uint32_t number;
	enum track_way way;
	uint64_t service_id; /* 0: not known */
};

void iw_stream_add(proto_tree *tree, tvbuff_t *tvb, const struct iw_stream_said *said);
/* iw_stream_info() of it. */
void iw_stream_add_info(packet_info *pinfo, const struct iw_stream_said *said);
/* The half of the frame's packet, by its first frame; 0: it is of none. */
uint32_t iw_stream_half(uint32_t frame);
/* On the first pass: the frame's packet answers a request that was sent so long before. */
void iw_stream_took(uint32_t frame, uint64_t ns);
/* A direction of a connection, once the file was read. */
struct iw_way {
	uint64_t first_ns, last_ns; /* the earliest and the latest time; last_ns 0: no packet */
	uint64_t rtt_ns;            /* of its first request whose answer says how long it took */
	uint32_t rtt_frame;         /* 0: none does */
};

/* Of the connection of the frame's packet, by enum track_way; NULL: it is of none. */
const struct iw_way *iw_stream_ways(uint32_t frame);
/* The service ID of its connection; 0: not known. */
uint64_t iw_stream_service(uint32_t frame);
/* One more begins in the direction of the frame's packet: its number there; 0: it is of no connection. */
uint32_t iw_stream_next_message(uint32_t frame);

#endif /* IW_STREAM_H */
