/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream.h - the path of a packet through its connection: qps.c keeps the connections, qp_wait.c
 * the packets that wait, qp.c reads a packet, request.c and answer.c follow its PSN.
 */
#ifndef IBWIRE_TRACK_STREAM_H
#define IBWIRE_TRACK_STREAM_H

#include "cc.h"
#include "qps.h"
#include "track/way/qp_impl.h"

/* qp.c: a packet of way p->way; @n: PSNs it takes, if it is a request. */
void track_qp_packet(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		     uint32_t n);

/* PSNs that a READ Request takes, or any other request; 0: that depends on the path MTU. */
uint32_t track_qp_psns(const struct track_qp *qp, const struct track_packet *p);

/* Gaps of a way that show while packets of that priority are paused. */
struct track_paused_gaps {
	struct track_mark first; /* the packet after it */
	uint32_t gaps;
	uint16_t tag; /* of that packet */
	bool global;  /* all priorities were paused */
};

/* Such a gap, by @p, that comes after it; NULL: there is none. */
void track_qps_paused_gap(struct track_qps *s, const struct track_qp *qp,
			  const struct track_packet *p);
const struct track_paused_gaps *track_qps_paused_gaps(const struct track_qps *s,
						      const struct track_qp *qp, unsigned int way);

struct track_hosts;

/* The path MTUs of all, to @hosts. */
void track_qps_mtus(const struct track_qps *s, struct track_hosts *hosts);

/* resend.c: a request by its PSN and what it is by that, before it is noted; then all that waits. */
void track_qp_watch_request(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			    uint64_t psn, uint32_t n, enum track_psn_class class);

/* Whether the requester sent nothing for as long as it does when it waits for an answer. */
bool track_qp_is_timeout(const struct track_qp *qp, enum track_way way, uint64_t psn,
			 uint64_t now_ns);

/* It sends @p again after it; @q: what that repeats, or NULL. To @a, which is to be said. */
void track_qp_timeout(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		      const struct track_request *q, struct track_again *a);

/* damaged.c: a request with a wrong ICRC, or a packet with an opcode that says nothing. */
void track_qp_damaged(struct track_qps *s, struct track_qp *qp, const struct track_packet *p);

/* A request without comes, of @n PSNs from @psn on. */
void track_damaged_came(struct track_dir *d, uint64_t psn, uint32_t n);

/* What answers all from @low up to, but not including, @high comes in @frame. */
void track_damaged_answered(struct track_watch *w, uint64_t low, uint64_t high, uint64_t frame);

/* The last damaged copy of the request @psn, if none without came later; 0: there is none. */
uint64_t track_damaged_frame(const struct track_watch *w, uint64_t psn);

/* Of a hole: the PSNs that damaged packets take, and the first of those; frame 0: there is none. */
struct track_damage {
	uint64_t psns;
	uint64_t strange; /* packets with an opcode that says nothing */
	uint64_t psn, frame;
	uint64_t last_frame; /* of all damaged copies of them */
};
struct track_damage track_damaged_in(const struct track_watch *w, uint64_t low, uint64_t high);

/* No more requests come that these PSNs are near to: what is missing stays so. */
void track_damaged_end(struct track_dir *d);

/* An answer to what was not sent, if by @now_ns it should have been captured. */
void track_qp_unsent(struct track_qps *s, struct track_qp *qp, enum track_way way, uint64_t now_ns);

/* request.c: the connection of that way ended, or the queue pair of the other end begins another one. */
void track_qp_over(struct track_qp *qp, enum track_way way);

/* gave_up.c: whether its retries are used up, and nothing more came by @now_ns. */
void track_qp_gave_up(struct track_qps *s, struct track_qp *qp, enum track_way way,
		      uint64_t now_ns);

/* spray.c: at the end of a connection; and of the capture. False: there was no room for all events, call again. */
void track_qp_several_paths(struct track_qps *s, const struct track_qp *qp, enum track_way way);
bool track_qps_sprayed(struct track_qps *s);

/* unreached.c: all packets were looked at; which hosts nothing comes from. And that is said, once of two hosts. */
void track_qps_unreached(struct track_qps *s);
void track_qp_unreached(struct track_qps *s, const struct track_qp *qp, enum track_way way);

/* gap.c: holes, and what becomes of them. */
void track_qp_gap_filled(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			 uint64_t psn, uint32_t n);
void track_qp_gap_resent(struct track_qps *s, struct track_qp *qp, enum track_way way,
			 const struct track_hole *hole, uint64_t frame, uint64_t time_ns);
/*
 * What came into a hole, late or sent again: what comes next is no more of it; it repeats what comes after the hole; the
 * original of @psn comes late; nothing more of it comes.
 */
void track_qp_gap_late(struct track_qps *s, struct track_qp *qp, enum track_way way);
void track_qp_gap_repeated(struct track_qps *s, struct track_qp *qp, enum track_way way);
void track_qp_gap_original(struct track_dir *d, uint64_t psn);
void track_qp_gap_settle(struct track_qps *s, struct track_qp *qp, enum track_way way);
void track_qp_gap_answered(struct track_qp *qp, enum track_way way);
void track_qp_gap_open(struct track_qps *s, struct track_qp *qp, enum track_way way,
		       const struct track_hole *hole);

/*
 * response.c: a READ response that was waited for, and is not the next; one that was not, for its PSN came before,
 * or is no READ's; @q: the request that takes @psn, or NULL.
 */
void track_qp_response_late(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			    uint64_t psn, const struct track_read *was);
void track_qp_response_again(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			     uint64_t psn, const struct track_request *q);

/* A READ Request asks for PSNs that were asked for before. */
void track_qp_read_again(struct track_qp *qp, const struct track_packet *p, uint64_t psn,
			 uint32_t n);

/* @p answers a later request than @q, a READ or another one of @way that has its own response and did not get it. */
void track_qp_unread(struct track_qps *s, struct track_qp *qp, enum track_way way,
		     const struct track_request *q, const struct track_packet *p);

/* The requester sends what begins at @psn again. */
void track_qp_unread_again(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			   uint64_t psn);

/* Nothing more comes of these PSNs. */
void track_qp_reads_open(struct track_qps *s, struct track_qp *qp, enum track_way way);

/* nak.c */
void track_qp_watch_ack(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			uint64_t psn);
void track_qp_watch_response(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			     uint64_t psn, const struct track_request *q);
void track_qp_watch_accepted(struct track_dir *d, const struct track_request *q);

/*
 * The sequence NAK to requests of @way has no answer by @now_ns, or only one too late to be because
 * of it, which is @frame; 0: none.
 */
void track_qp_nak_unanswered(struct track_qps *s, const struct track_qp *qp, enum track_way way,
			     uint64_t now_ns, uint64_t frame);

/* What a sequence NAK asked for came in @resent_frame; 0: it will not. */
void track_qp_nak_settled(struct track_qps *s, struct track_qp *qp, enum track_way way,
			  uint64_t resent_frame, uint64_t resent_ns);

/* What came first after a NAK asked for it is noted: its original, or sent again. */
void track_qp_nak_noted(struct track_qps *s, const struct track_qp *qp, enum track_way way,
			enum track_note note);

/* Requests are sent again for @cause, up to @next so far; @p is the last of them; NULL: it is not known any more. */
void track_qp_resent(struct track_watch *w, enum track_resend cause, uint64_t next,
		     const struct track_packet *p);

/* @p comes, for which a sequence NAK may have asked. */
void track_qp_nak_met(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		      uint64_t psn);

/* nak_where.c: a request of @n PSNs from @psn on was sent again, or filled a hole so. Before its cause is noted. */
void track_qp_run(struct track_dir *d, const struct track_packet *p, uint64_t psn, uint32_t n);

/* A sequence NAK for @psn comes: where it was lost; to @frame that of a copy which is not whole, or 0. */
enum track_loss track_qp_where(const struct track_dir *d, uint64_t psn, uint64_t now_ns,
			       uint64_t *frame);

/* Nobody asks for @psn, which is not answered: discarded, or its resend lost, where a NAK asked for an earlier one since; else UNKNOWN. */
enum track_loss track_qp_where_unasked(const struct track_dir *d, uint64_t psn);

/* What the last sequence NAK asks for is answered, and did not come again: whether it was lost at all. */
enum track_loss track_qp_where_answered(const struct track_dir *d);

/* agreed.c: the CM, new requests, packets that show the MTU, sequence NAKs, the end. */
void track_qp_agreed_cm(struct track_qps *s, struct track_qp *qp, const struct track_cm_news *news,
			const struct track_at *at);
void track_qp_agreed_request(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			     enum track_psn_class class);
void track_qp_agreed_mtu(struct track_qps *s, struct track_qp *qp, const struct track_packet *p);
void track_qp_agreed_nak(struct track_qp *qp, enum track_way way, const struct track_packet *p,
			 uint64_t psn);
void track_qp_agreed_finish(struct track_qps *s, const struct track_qp *qp, enum track_way way);

/* finish.c: nothing more comes of this connection. */
void track_qp_finish(struct track_qps *s, struct track_qp *qp);

/* What a filter took out of the capture, before the first of them is finished. */
void track_qps_left_out(struct track_qps *s, struct track_left_out *left_out);

/* request.c, answer.c */
void track_qp_request(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		      uint32_t n);
void track_qp_answer(struct track_qps *s, struct track_qp *qp, const struct track_packet *p);

/* A sample of a list of times: from @since to now, if the clock did not go back. */
void track_qp_time(struct track_qp *qp, struct track_dir *d, enum track_times times,
		   uint64_t since_ns, uint64_t now_ns);

/* qp_wait.c: a packet, at once or later. */
void track_qp_feed(struct track_qps *s, struct track_qp *qp, const struct track_packet *p);

/* The same of a request with a wrong ICRC, for its turn. */
void track_qp_feed_damaged(struct track_qps *s, struct track_qp *qp, const struct track_packet *p);

/* Whether there is no room for the next packet to wait until its two ways are known. */
bool track_qp_waits_in_vain(const struct track_qps *s, const struct track_qp *qp);

/* Its two ways are known. */
void track_qp_paired(struct track_qps *s, struct track_qp *qp);

/* Nothing is waited for any more. */
void track_qp_drain(struct track_qps *s, struct track_qp *qp);

/* The packets of @from, which wait, wait in @qp from now on, as of @way. */
void track_qp_wait_together(struct track_qps *s, struct track_qp *qp, struct track_qp *from,
			    enum track_way way);

void track_dir_clear(struct track_dir *d);

/*
 * qps.c. A half is a way of a connection: the one that the CM says, or one of its own. NULL: there
 * is no room for one more.
 */
struct track_qps *track_qps_new(uint64_t max_bytes);

/* What there is room for now, without what remembers their halves. */
void track_qps_room(struct track_qps *s, uint64_t max_bytes);
void track_qps_free(struct track_qps *s); /* NULL is fine */
struct track_qp *track_qps_half(struct track_qps *s, const struct track_packet *p,
				enum track_way *way);

/* What the CM says of a half that was there before: it may be of another connection now. */
struct track_qp *track_qps_cm_half(struct track_qps *s, const struct track_flow *flow,
				   enum track_way *way);

/* Two connections of one way each are one: @from goes; its half is of way @way of @qp. */
void track_qps_join(struct track_qps *s, struct track_qp *qp, struct track_qp *from,
		    enum track_way way);

/* A half of it is forgotten. */
void track_qps_leave(struct track_qps *s, struct track_qp *qp);

/* A message of the CM. */
void track_qps_cm(struct track_qps *s, const struct track_cm_news *news, const struct track_at *at);

/* The end of the capture. False: there are more events than the queue holds; to be called again. */
bool track_qps_finish(struct track_qps *s, const struct track_at *last);

#endif /* IBWIRE_TRACK_STREAM_H */
