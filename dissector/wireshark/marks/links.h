/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links.h - which packet answers which. */
#ifndef IW_LINKS_H
#define IW_LINKS_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"
#include "track/track.h"

/* Of a frame's packet: which one it answers, or which ones answer it. */
struct iw_link {
	uint32_t frame; /* the other one, of responses to it the last; 0: none is known */
	union {
		/* Of an answer, or a CNP */
		struct {
			uint32_t ns_low;
			uint32_t ns_high : 12; /* all ones: not known */
			uint32_t acked : 20;   /* requests, marked packets */
		};
		/* Of a request: what is in flight with it (inflight.c) */
		struct {
			union {
				uint32_t bytes;
				uint32_t first; /* of a READ: its first response, if it has one */
			};
			uint32_t has_first : 1;
			uint32_t reads : 11;
			uint32_t packets : 20;
		};
	};
};

#define IW_LINK_ACKED_MAX ((1u << 20) - 1)

void iw_link_set_ns(struct iw_link *link, uint64_t ns);
/* False: it is not known. */
bool iw_link_ns(const struct iw_link *link, uint64_t *ns);
/* An item @hf of it, if it is known. */
void iw_link_add_ns(proto_tree *tree, tvbuff_t *tvb, int hf, const struct iw_link *link);

void iw_links_register(void);
void iw_links_add(const struct track_reply *l);
/* Of the frame's packet, which is an ACK: the last request that it acknowledges, and the time since. */
bool iw_links_ack(const struct iw_frame *frame, uint32_t number, uint32_t *request, uint64_t *ns);
/* Of the frame's MAD, which answers another: the method of that, and the time since. */
bool iw_links_mad(const struct iw_frame *frame, uint32_t number, uint8_t *method, uint64_t *ns);
/* The messages of the CM that began and ended its connection, or are of the same conversation. */
void iw_links_conn(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);
void iw_links_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);

/* Of the frame's packet, which answers another: the time since; false: that was sent more than once, or it is none. */
bool iw_links_took(const struct iw_frame *frame, uint32_t number, uint64_t *ns);

#endif /* IW_LINKS_H */
