/* SPDX-License-Identifier: GPL-2.0-or-later */
/* impl.h - what the files of this directory share. */
#ifndef IBWIRE_TRACK_IWARP_IMPL_H
#define IBWIRE_TRACK_IWARP_IMPL_H

#include "decode.h"
#include "iwarp.h"
#include "track/base/event.h"
#include "track/measure/series.h"
#include "track/message/message.h"

/* Private data that siw takes at most; a reply is waited for as long. */
#define TRACK_IWARP_WAIT_NS UINT64_C(2000000000)

/* The direction at hand. */
struct track_iwarp_x {
	struct track_iwarp *t;
	struct track_iwarp_conn *c;
	struct track_tcp_ends ends;
	unsigned int side;
	const struct track_at *at;
	uint64_t frame;      /* that the last byte at hand came in */
	const uint8_t *data; /* the packet */
	uint32_t n_data;
	uint32_t wire_len;
	uint64_t run_at; /* the place of the first one that came in it */
	bool all_before; /* all that the other end had received is known */
	bool drop;       /* it is no iWARP */
	bool given_up;   /* bytes before those at hand are missing */
	/* The longest that bytes waited for those at hand, the first of those, and where the hole began. */
	uint64_t held_ns, held_frame, hole_at;
	struct track_upper upper; /* of the message that the segment at hand begins */
};

static inline struct track_iwarp_dir *track_iwarp_dir_of(const struct track_iwarp_x *x)
{
	return &x->c->dir[x->side];
}

static inline struct track_iwarp_dir *track_iwarp_other_of(const struct track_iwarp_x *x)
{
	return &x->c->dir[!x->side];
}

/* The other end acknowledged bytes of the direction that are not in the capture. */
static inline bool track_iwarp_lacks_end(const struct track_iwarp_dir *d)
{
	return d->acked > d->tcp.place; /* without a FIN: track_iwarp_acknowledged() */
}

/* The opcode is one of RDMAP, tagged as its messages are; RFC 5040, 4.1 and figure 3. */
static inline bool track_iwarp_opcode_fits(const struct ibw_segment *s)
{
	uint32_t flags = ibw_rdmap_flags(s->opcode);

	return flags && s->tagged == ((flags & IBW_RDMAP_TAGGED) != 0);
}

/* An untagged one goes to the queue of its opcode. */
static inline bool track_iwarp_queue_fits(const struct ibw_segment *s)
{
	return s->tagged || s->qn == ibw_rdmap_qn(s->opcode);
}

/* say.c: an event of the direction; NULL: nobody wants it. */
struct track_event *track_iwarp_say(const struct track_iwarp_x *x, enum track_event_kind kind);

/* An event that the end of the capture is told of, too. */
void track_iwarp_keep(struct track_iwarp *t, const struct track_event *e);

/* A fault of the direction, each kind once: what is at @place, and what should be there. */
void track_iwarp_fault(const struct track_iwarp_x *x, enum track_iwarp_fault fault, uint64_t place,
		       uint64_t is, uint64_t meant, uint64_t cause);

/* The same, of a frame before the one at hand. */
struct track_event *track_iwarp_say_at(const struct track_iwarp_x *x, enum track_event_kind kind,
				       uint64_t frame, uint64_t ns);

/* How an end closes the connection. */
void track_iwarp_say_close(const struct track_iwarp_x *x, enum track_iwarp_close how);

/* At the end of a connection: a request of the direction has no reply, though there was time for one. */
void track_iwarp_say_unanswered(const struct track_iwarp_x *x, bool over);

/* At the end of a connection: a message of the direction is not whole, though all of it was captured. */
void track_iwarp_say_unfinished(const struct track_iwarp_x *x);

/* At the end of a connection: TCP of the other end has a message of the direction, and the other end is silent. */
void track_iwarp_say_silent(const struct track_iwarp_x *x, bool over);

/* At the end of a connection: what TCP did, what is missing, what is too long. */
void track_iwarp_say_odd(const struct track_iwarp_x *x);

/* An accepting reply to a request that asks for no CRC; at the end of the capture: how many there were. */
void track_iwarp_count_accepted(struct track_iwarp_x *x);
void track_iwarp_say_crc_off(struct track_iwarp *t);

/* count.c: a segment and its bytes. */
void track_iwarp_count(struct track_iwarp_x *x, const struct track_tcp_segment *s,
		       const struct ibw_packet *pkt, enum track_tcp_was was);
void track_iwarp_waited(struct track_iwarp_x *x, const struct track_tcp_run *run);
void track_iwarp_follow_hole(struct track_iwarp_x *x);
void track_iwarp_say_held(const struct track_iwarp_x *x);

/* The other end, whose segment is at hand, has all before its acknowledgement number. */
void track_iwarp_acknowledged(struct track_iwarp_x *x, const struct track_tcp_segment *s);

/* @run is missing; an FPDU does not fit in a segment. */
void track_iwarp_hole(struct track_iwarp_x *x, const struct track_tcp_run *run);
uint32_t track_iwarp_mulpdu(const struct track_iwarp_x *x);
void track_iwarp_long_one(struct track_iwarp_x *x, uint32_t ulpdu_length);

/*
 * octets.c: for pictures: a segment of the direction; the other end has all before the place; octets from the place on are
 * missing, held some up for so long, or are not in the capture; a Terminate of the direction.
 */
void track_iwarp_octets(const struct track_iwarp_x *x, enum track_series_of of, uint64_t place,
			uint32_t bytes, uint32_t wire_len);
void track_iwarp_octets_acked(const struct track_iwarp_x *x, uint64_t place);
void track_iwarp_octets_hole(const struct track_iwarp_x *x);
void track_iwarp_octets_held(const struct track_iwarp_x *x);
void track_iwarp_octets_absent(const struct track_iwarp_x *x, uint64_t place);
void track_iwarp_octets_refused(const struct track_iwarp_x *x);

/* bytes.c: what follows in the direction. */
void track_iwarp_bytes(struct track_iwarp_x *x, const struct track_tcp_run *run);

/* There will be no more of it. */
void track_iwarp_last_bytes(struct track_iwarp_x *x);
void track_iwarp_forget_bytes(struct track_iwarp *t, struct track_iwarp_dir *d);

/* start.c: the MPA frame at @p; bytes of it, 0: more are needed, or there is none. */
uint32_t track_iwarp_start(struct track_iwarp_x *x, const uint8_t *p, uint32_t n);

/* The key of an MPA frame, but for few bytes, and a revision that there is. */
bool track_iwarp_is_nearly_start(const uint8_t *p, uint32_t n);

/* rdmap.c: an FPDU whose CRC is not wrong; something before the next one is lost. */
void track_iwarp_segment(struct track_iwarp_x *x, const struct ibw_fpdu *f);
void track_iwarp_touch(struct track_iwarp_dir *d);

/* upper.c: the direction, as upper layers know it; its MPA frame; a message begins that an upper layer may know, or goes on; a WRITE is complete; a Read Request; the direction closes; is over. */
struct track_flow track_iwarp_flow(const struct track_iwarp_x *x);
void track_iwarp_upper_starts(struct track_iwarp_x *x, const struct ibw_mpa_frame *f);
void track_iwarp_upper_begins(struct track_iwarp_x *x, const struct ibw_fpdu *f,
			      const struct ibw_segment *s);
void track_iwarp_upper_goes_on(struct track_iwarp_x *x, const struct ibw_segment *s);
void track_iwarp_upper_written(struct track_iwarp_x *x, const struct track_iwarp_open *open);
void track_iwarp_upper_reads(struct track_iwarp_x *x, const struct ibw_rdmap_read_req_wire *read);
void track_iwarp_upper_closes(struct track_iwarp_x *x);
void track_iwarp_upper_lacks(struct track_iwarp_x *x);

/* decode.c: the frames that the FPDU at hand came in, as struct track_fpdu has them. */
unsigned int track_iwarp_frames(const struct track_iwarp_x *x, uint64_t frames[TRACK_FPDU_FRAMES]);

/* An FPDU, and the CRC that it should have; a request or reply frame. Only where FPDUs are wanted. */
void track_iwarp_decode(struct track_iwarp_x *x, const struct ibw_fpdu *f, uint8_t crc,
			uint32_t computed);
void track_iwarp_decode_start(struct track_iwarp_x *x, const struct ibw_mpa_frame *f);

/* The last one is a part of a message, as track_iwarp_message() has it. */
void track_iwarp_decode_part(struct track_iwarp_x *x, const struct ibw_fpdu *f,
			     const struct ibw_segment *s, enum track_message_slot slot,
			     bool begins);

/* What upper layer the last one is of, or which command the message that ends with it is for. */
void track_iwarp_decode_upper(struct track_iwarp_x *x, const struct track_upper *upper);

/*
 * messages.c: a segment of a message, where messages are wanted; one of a message whose beginning is lost; @b, of the other end,
 * is refused; the connection is over.
 */
void track_iwarp_message(struct track_iwarp_x *x, const struct ibw_fpdu *f,
			 const struct ibw_segment *s, enum track_message_slot slot, bool begins);
void track_iwarp_message_headless(const struct track_iwarp_x *x);
void track_iwarp_message_refused(const struct track_iwarp_x *x, const struct track_iwarp_begun *b);
void track_iwarp_messages_over(const struct track_iwarp_x *x);

/* terminate.c */
void track_iwarp_terminate(struct track_iwarp_x *x, const uint8_t *p, uint32_t n);

/* Whether the sender of the direction was told to put in markers; CRCs are used; as far as that is known by now. */
void track_iwarp_agree(struct track_iwarp_x *x);

#endif /* IBWIRE_TRACK_IWARP_IMPL_H */
