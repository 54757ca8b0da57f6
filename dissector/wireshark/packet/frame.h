/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frame.h - the view of the frame Wireshark is dissecting. */
#ifndef IW_FRAME_H
#define IW_FRAME_H

#include "wireshark/base/compat.h"

#include <ibwire/packet.h>

#include "track/track.h"
#include "track/view/icmp.h"

/*
 * The view of a frame. It counts from the first byte of the file's record; Wireshark keeps an
 * ERF header apart, so that it is not in the frame's tvb.
 */
struct iw_frame {
	struct track_view view;
	struct track_context context;
	tvbuff_t *tvb;      /* the frame */
	tvbuff_t *head_tvb; /* what is before it: offsets below head; or NULL */
	unsigned int head;
	unsigned int base;  /* where in tvb byte head of the view is */
	bool shown;         /* its layers are in the tree */
	bool whole;         /* the frame as Wireshark has it: findings are about it */
	bool told;          /* its findings are in the tree */
	bool lacking;       /* only what the built-in dissector, which has seen it, has not */
	tvbuff_t *message;  /* that its packet completes; NULL: not asked for yet */
	uint32_t linktype;  /* as it was walked; */
	uint16_t roce_port; /* the UDP port of RoCE v2, 0: those of the preferences are */
};

/* The view of the frame being dissected, made once a dissection: then it @is_new. NULL: nothing we know. */
struct iw_frame *iw_frame_open(tvbuff_t *tvb, packet_info *pinfo, bool *is_new);

/*
 * A view of @tvb from byte @base on, as if a frame of @linktype began there. @roce_port is the
 * UDP port of RoCE v2 in addition to 4791; 0: those of the preferences are.
 */
struct iw_frame *iw_frame_walk(tvbuff_t *tvb, packet_info *pinfo, uint32_t linktype, int base,
			       uint16_t roce_port);

/* A view of @tvb from the GRH of RoCE v1 at byte @base on, whatever ethertype is before it. */
struct iw_frame *iw_frame_walk_grh(tvbuff_t *tvb, packet_info *pinfo, int base);

/* A view of what the error @icmp in @frame quotes. */
struct iw_frame *iw_frame_quoted(const struct iw_frame *frame, packet_info *pinfo,
				 const struct track_icmp *icmp);

/*
 * Of the packets of a frame the one that figures by frame are about: the frame as a whole, or what
 * is within one that is no RDMA.
 */
bool iw_frame_is_main(const struct iw_frame *frame, packet_info *pinfo);

/* The tvb that holds byte @off of the view; *@at is where. */
tvbuff_t *iw_frame_tvb(const struct iw_frame *frame, uint32_t off, int *at);

/* What the payload holds as IPoIB, NULL if it does not; nor does a packet that is IPoIB itself. */
static inline const struct ibw_packet *iw_body_of(struct iw_frame *frame)
{
	const struct ibw_packet *ip = track_view_ipoib(&frame->view);

	return ip == &frame->view.pkt ? NULL : ip;
}

/* Whether there is anything of RDMA in it, and from which span on. */
bool iw_frame_is_rdma(const struct iw_frame *frame, unsigned int *first);

#endif /* IW_FRAME_H */
