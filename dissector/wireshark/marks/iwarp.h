/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp.h - what the first pass shows of iWARP: connections, the FPDUs of each frame, the messages they are of. */
#ifndef IW_IWARP_H
#define IW_IWARP_H

#include "wireshark/base/compat.h"

#include "track/iwarp/decode.h"
#include "track/message/message.h"
#include "track/stream/qps.h"
#include "track/tcp/segment.h"
#include "track/track.h"

struct iw_ulp;

/* A message: of a Read or an Atomic Request with what answers it, of the direction of the request. */
struct iw_iwarp_message {
	uint64_t va; /* that it names */
	uint64_t first_ns, last_ns;
	uint32_t number; /* in its direction, from 1 */
	uint32_t first,
		last; /* frames: with its first FPDU, and the last one, of what is answered of the answers */
	uint32_t fpdus;   /* of it, or of its answers */
	uint32_t len;     /* bytes that it asks for, or that came so far */
	uint32_t brought; /* by its answers */
	uint32_t id;      /* of an Atomic Request */
	uint32_t stag;    /* of the memory that it names */
	uint8_t *data;    /* n_data bytes; NULL: it is in one FPDU, where that lies in one piece */
	uint32_t n_data, room;
	bool lacks;   /* there was no room for all of it */
	uint8_t verb; /* enum track_verb */
	bool asks;    /* len is known from its beginning on */
	bool names;   /* memory of the other end */
	bool ended;
	bool headless;            /* an answer whose request is not known */
	const struct iw_ulp *ulp; /* what it begins with; NULL: nothing is known */
};

struct iw_iwarp_dir;

struct iw_iwarp_conn {
	uint64_t number; /* the tracker's */
	uint32_t first_frame;
	uint32_t request, reply; /* frames of its MPA frames; 0: not known by now */
	struct track_tcp_ends ends;
	uint8_t a;  /* the side that sends the request, or else the first segment */
	bool opens; /* that is known */
	bool rejected;
	bool is_iwarp; /* an MPA frame or an FPDU was found */
	struct iw_iwarp_dir *dir[2];
};

/* An FPDU, or an MPA frame, of the frame that it is shown with. */
struct iw_fpdu {
	struct iw_fpdu *next; /* of the frame */
	struct iw_iwarp_conn *conn;
	struct iw_iwarp_message *message; /* NULL: none, or it is not known */
	uint64_t place;                   /* in the stream */
	uint32_t bytes, data;
	uint32_t off;         /* in the packet, of what is here */
	uint32_t message_off; /* of its data in the message */
	uint32_t found, computed;
	uint32_t frames[TRACK_FPDU_FRAMES];
	uint32_t refused; /* the frame of what a Terminate refuses; 0: not known */
	uint8_t n_frames, n_spans, n_head;
	uint8_t crc; /* enum track_fpdu_crc */
	uint8_t opcode;
	uint8_t n_header; /* of DDP */
	bool here;
	bool ends;             /* its message, too */
	bool in_one_piece;     /* all of its message is here, without markers */
	struct ibw_span *span; /* n_spans, in head */
	uint32_t *at;          /* where each is, from the first byte of the FPDU */
	uint8_t *head;
	uint8_t *
		octets; /* its data, kept for Follow; NULL: they lie in the packet, or their message has them */
	const struct iw_ulp *
		ulp; /* of a message that begins with it, of a READ, of a WRITE that it ends; NULL: nothing is known */
};

void iw_iwarp_init(void);
void iw_iwarp_cleanup(void);

/* On the first pass, after the trackers have seen the packet of a frame, and when there are events. */
void iw_iwarp_packet(const struct track *trackers, const struct track_frame *at);
void iw_iwarp_events(const struct track_event *e, unsigned int n);
/* Every frame has been seen: connections that are known to be of iWARP only then. */
void iw_iwarp_finish(const struct track *trackers);

/* The connection that the frame's segment is of; NULL: none of iWARP by now. */
const struct iw_iwarp_conn *iw_iwarp_conn(uint32_t frame, enum track_way *way);
/* The port of the end that was asked for the connection; 0: it is not known which end that is. */
static inline uint16_t iw_iwarp_port(const struct iw_iwarp_conn *c)
{
	return c->opens ? c->ends.port[!c->a] : 0;
}

/* Its number, after those of queue pairs. */
uint32_t iw_iwarp_number(const struct iw_iwarp_conn *c);
/* The FPDUs that the frame is the first to have all of; NULL: there is none. */
const struct iw_fpdu *iw_iwarp_fpdus(uint32_t frame);

/* Connections so far. */
uint32_t iw_iwarp_count(void);

/* Where its data are; NULL: in the packet, at *@off, if that is not 0. */
const uint8_t *iw_iwarp_carried(const struct iw_fpdu *f, uint32_t *off);

/* The Read or Atomic Request whose last answer it is; NULL: it is none. */
const struct iw_iwarp_message *iw_iwarp_completes(const struct iw_fpdu *f);

#endif /* IW_IWARP_H */
