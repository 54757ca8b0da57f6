/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rmpp_send.h - sends a table by RMPP, and builds the answers of a receiver. IBTA vol 1, 13.6
 *
 *	struct ibw_rmpp_sender s;
 *
 *	ibw_sa_build(head, sizeof(head), IBW_METHOD_GET_TABLE | 0x80, attr, tid);
 *	if (!ibw_rmpp_send_start(&s, head, records, bytes, 2 * HZ, 3))
 *		... the class has no RMPP ...
 *	for (;;) {
 *		while (ibw_rmpp_send_next(&s, mad, now))
 *			... send the 256 bytes at mad ...
 *		if (s.state != IBW_RMPP_SENDING)
 *			break;
 *		... wait for a MAD of this transaction, or until s.deadline ...
 *		ibw_rmpp_send_feed(&s, mad, n, now);
 *	}
 *
 * The first segment is sent alone, then as many as the receiver's window allows; if a segment is
 * not acknowledged in time, the sender retransmits from there on. The caller provides the time: in
 * any unit, from any origin, never going backwards. Lengths are bytes, segments are counted from 1.
 *
 * The sender keeps only pointers to the header and the records, which must not change; use a struct
 * in one thread at a time. Reassembly is in rmpp.h.
 */
#ifndef IBWIRE_RMPP_SEND_H
#define IBWIRE_RMPP_SEND_H

#include "mad.h"

enum ibw_rmpp_send_state {
	IBW_RMPP_SENDING,
	IBW_RMPP_SENT,    /* all was acknowledged */
	IBW_RMPP_STOPPED, /* the receiver sent STOP or ABORT: status is its own */
	IBW_RMPP_ABORTED  /* given up here: status says why, and is sent in an ABORT */
};

struct ibw_rmpp_sender {
	const uint8_t *head; /* the caller's: a MAD up to its records, the rest of it is not read */
	const uint8_t *data; /* the caller's */
	uint32_t bytes;
	uint32_t off;       /* where records begin in a MAD */
	uint32_t segments;  /* 1 at least */
	uint32_t sent;      /* the last segment sent since the last timeout */
	uint32_t acked;     /* the last one acknowledged */
	uint32_t window;    /* NewWindowLast: the last one that may be sent */
	uint32_t retries;   /* timeouts in a row that are still allowed */
	uint32_t retry_max; /* as many at first */
	uint64_t timeout;   /* how long an ACK is waited for */
	uint64_t deadline;  /* until when, if anything was sent */
	uint8_t state;      /* enum ibw_rmpp_send_state */
	uint8_t status;     /* IBW_RMPP_STATUS_... of STOPPED and ABORTED */
	bool abort_due;     /* an ABORT is to be sent */
};

/* Bytes in front of the records in a MAD of a class; 0: the class has no RMPP. */
static inline uint32_t ibw_rmpp_off(uint8_t mgmt_class)
{
#define IBW_MAD_CLASS(first, last, name, text, version, layer1, layer2, off, len, attrs)           \
	if (mgmt_class >= (first) && mgmt_class <= (last))                                         \
		return __builtin_strcmp(#layer1, "rmpp") == 0 ? (off) : 0;
#include "list/mad_classes.def"
#undef IBW_MAD_CLASS
	return 0;
}

/* Where the RMPP header of a MAD is. */
IBW_INLINE struct ibw_rmpp_wire *ibw_rmpp_of(void *mad)
{
	return (struct ibw_rmpp_wire *)((uint8_t *)mad + ibw_mad_BYTES);
}

/* The first @off bytes of @from and nothing after them; no function of libc is called. */
static inline void ibw_rmpp_head(uint8_t *mad, const uint8_t *from, uint32_t off)
{
	uint32_t i;

	for (i = 0; i < IBW_MAD_BYTES; i += 8) {
		ibw_put_be64(mad + i, i < off ? ibw_get_be64(from + i) : 0);
		__asm__ volatile("" : : : "memory");
	}
}

/* Writes the RMPP header of a MAD. */
static inline void ibw_rmpp_set(void *mad, uint8_t type, uint8_t flags, uint8_t status,
				uint32_t data1, uint32_t data2)
{
	struct ibw_rmpp_wire *rmpp = ibw_rmpp_of(mad);

	ibw_rmpp_set_version(rmpp, IBW_RMPP_VERSION);
	ibw_rmpp_set_type(rmpp, type);
	ibw_rmpp_set_rresp_time(rmpp, 0x1f); /* not said */
	ibw_rmpp_set_flags(rmpp, (uint8_t)(IBW_RMPP_ACTIVE | flags));
	ibw_rmpp_set_status(rmpp, status);
	ibw_rmpp_set_data1(rmpp, data1);
	ibw_rmpp_set_data2(rmpp, data2);
}

/*
 * Begins to send the @bytes of records at @data in MADs that begin as the one at @head. It waits
 * @timeout for an ACK, and retries at most @retries times in a row. False: the class of @head has
 * no RMPP.
 */
static inline bool ibw_rmpp_send_start(struct ibw_rmpp_sender *s, const void *head,
				       const void *data, uint32_t bytes, uint64_t timeout,
				       uint32_t retries)
{
	uint32_t room;

	s->head = (const uint8_t *)head;
	s->data = (const uint8_t *)data;
	s->bytes = bytes;
	s->off = ibw_rmpp_off(ibw_mad_mgmt_class((const struct ibw_mad_wire *)head));
	s->state = IBW_RMPP_ABORTED;
	s->status = IBW_RMPP_STATUS_NORMAL;
	s->abort_due = false;
	if (!s->off)
		return false;
	room = IBW_MAD_BYTES - s->off;
	s->segments = bytes ? (bytes - 1) / room + 1 : 1;
	s->sent = 0;
	s->acked = 0;
	s->window = 1;
	s->retries = s->retry_max = retries;
	s->timeout = timeout;
	s->deadline = 0;
	s->state = IBW_RMPP_SENDING;
	return true;
}

/* Gives up, and has an ABORT tell the receiver why. */
static inline void ibw_rmpp_send_abort(struct ibw_rmpp_sender *s, uint8_t status)
{
	if (s->state != IBW_RMPP_SENDING)
		return;
	s->state = IBW_RMPP_ABORTED;
	s->status = status;
	s->abort_due = true;
}

/* Segment @seg: PayloadLength is that of all in the first and of itself in the last, 13.6.2.1. */
static inline void ibw_rmpp_segment(const struct ibw_rmpp_sender *s, uint8_t *mad, uint32_t seg)
{
	uint32_t room = IBW_MAD_BYTES - s->off, at = (seg - 1) * room;
	uint32_t class_bytes = s->off - (uint32_t)ibw_mad_BYTES - (uint32_t)ibw_rmpp_BYTES;
	uint32_t n = s->bytes - at < room ? s->bytes - at : room;
	uint32_t payload = 0, flags = 0;

	if (seg == 1) {
		flags = IBW_RMPP_FIRST;
		payload = s->bytes + s->segments * class_bytes;
	}
	if (seg == s->segments) {
		flags |= IBW_RMPP_LAST;
		payload = n + class_bytes;
	}
	ibw_rmpp_head(mad, s->head, s->off);
	ibw_rmpp_set(mad, IBW_RMPP_DATA, (uint8_t)flags, IBW_RMPP_STATUS_NORMAL, seg, payload);
	ibw_copy_bytes(mad + s->off, s->data + at, n);
}

/*
 * Writes the next MAD to send at @now to the 256 bytes at @mad, if there is one. False: nothing
 * is to be sent before an ACK or s->deadline, or, if s->state is not IBW_RMPP_SENDING, at all.
 */
static inline bool ibw_rmpp_send_next(struct ibw_rmpp_sender *s, void *mad, uint64_t now)
{
	if (s->state == IBW_RMPP_SENDING && s->sent > s->acked && now >= s->deadline) {
		s->sent = s->acked;
		if (s->retries-- == 0)
			ibw_rmpp_send_abort(s, IBW_RMPP_STATUS_RETRIES);
	}
	if (s->abort_due) {
		s->abort_due = false;
		ibw_rmpp_head((uint8_t *)mad, s->head, s->off);
		ibw_rmpp_set(mad, IBW_RMPP_ABORT, 0, s->status, 0, 0);
		return true;
	}
	if (s->state != IBW_RMPP_SENDING || s->sent >= s->window || s->sent >= s->segments)
		return false;
	ibw_rmpp_segment(s, (uint8_t *)mad, ++s->sent);
	s->deadline = now + s->timeout;
	return true;
}

/* An ACK up to segment @seg, which opens the window to @window. */
static inline void ibw_rmpp_send_acked(struct ibw_rmpp_sender *s, uint32_t seg, uint32_t window,
				       uint64_t now)
{
	if (window < seg) {
		ibw_rmpp_send_abort(s, IBW_RMPP_STATUS_W2S);
		return;
	}
	if (seg > s->segments || seg > s->window) {
		ibw_rmpp_send_abort(s, IBW_RMPP_STATUS_S2B);
		return;
	}
	if (seg < s->acked || window < s->window)
		return; /* late */
	if (seg > s->acked) {
		s->acked = seg;
		s->retries = s->retry_max;
		s->deadline = now + s->timeout;
	}
	s->window = window;
	if (s->sent < seg)
		s->sent = seg; /* sent before the last timeout */
	if (seg == s->segments)
		s->state = IBW_RMPP_SENT;
}

/* Handles the receiver's STOP or ABORT, and checks its status: 13.6.2.3 */
static inline void ibw_rmpp_send_stopped(struct ibw_rmpp_sender *s, uint8_t type, uint8_t status)
{
	bool known = type == IBW_RMPP_STOP ? status == IBW_RMPP_STATUS_RESOURCES
					   : status >= IBW_RMPP_STATUS_TIMEOUT &&
						     status <= IBW_RMPP_STATUS_UNSPEC;

	if (!known) {
		ibw_rmpp_send_abort(s, IBW_RMPP_STATUS_BAD_STATUS);
		return;
	}
	s->state = IBW_RMPP_STOPPED;
	s->status = status;
}

/*
 * A MAD of the transaction from the receiver, @n bytes at @mad from the common header on, at @now.
 * A packet that is not RMPP, is shorter than a MAD, is DATA (of the other direction) or is late
 * changes nothing; one that breaks the rules ends the transfer with an ABORT. Returns s->state.
 */
static inline enum ibw_rmpp_send_state ibw_rmpp_send_feed(struct ibw_rmpp_sender *s,
							  const void *mad, uint32_t n, uint64_t now)
{
	const struct ibw_rmpp_wire *rmpp;

	if (n < IBW_MAD_BYTES || s->state != IBW_RMPP_SENDING)
		return (enum ibw_rmpp_send_state)s->state;
	rmpp = (const struct ibw_rmpp_wire *)((const uint8_t *)mad + ibw_mad_BYTES);
	if (!(ibw_rmpp_flags(rmpp) & IBW_RMPP_ACTIVE))
		return IBW_RMPP_SENDING;
	if (ibw_rmpp_version(rmpp) != IBW_RMPP_VERSION) {
		ibw_rmpp_send_abort(s, IBW_RMPP_STATUS_VERSION);
		return (enum ibw_rmpp_send_state)s->state;
	}
	switch (ibw_rmpp_type(rmpp)) {
	case IBW_RMPP_DATA:
		break;
	case IBW_RMPP_ACK:
		if (ibw_rmpp_status(rmpp))
			ibw_rmpp_send_abort(s, IBW_RMPP_STATUS_BAD_STATUS);
		else
			ibw_rmpp_send_acked(s, ibw_rmpp_data1(rmpp), ibw_rmpp_data2(rmpp), now);
		break;
	case IBW_RMPP_STOP:
	case IBW_RMPP_ABORT:
		ibw_rmpp_send_stopped(s, ibw_rmpp_type(rmpp), ibw_rmpp_status(rmpp));
		break;
	default:
		ibw_rmpp_send_abort(s, IBW_RMPP_STATUS_BAD_TYPE);
		break;
	}
	return (enum ibw_rmpp_send_state)s->state;
}

/*
 * The receiver's side: an answer in the 256 bytes at @buf to the segment at @data, of 256
 * bytes, with its headers and the R bit of its method inverted. False, and nothing was written: its
 * class has no RMPP. @buf is not @data.
 */
static inline bool ibw_rmpp_answer(void *buf, const void *data, uint8_t type, uint8_t status,
				   uint32_t data1, uint32_t data2)
{
	const struct ibw_mad_wire *mad = (const struct ibw_mad_wire *)data;
	uint32_t off = ibw_rmpp_off(ibw_mad_mgmt_class(mad));

	if (!off)
		return false;
	ibw_rmpp_head((uint8_t *)buf, (const uint8_t *)data, off);
	ibw_mad_set_r((struct ibw_mad_wire *)buf, !ibw_mad_r(mad));
	ibw_rmpp_set(buf, type, 0, status, data1, data2);
	return true;
}

/*
 * Segments up to @seg have arrived, those up to @window may be sent. False as for
 * ibw_rmpp_answer().
 */
static inline bool ibw_rmpp_build_ack(void *buf, const void *data, uint32_t seg, uint32_t window)
{
	return ibw_rmpp_answer(buf, data, IBW_RMPP_ACK, IBW_RMPP_STATUS_NORMAL, seg, window);
}

/* There is no room for more: IBW_RMPP_STATUS_RESOURCES. False as for ibw_rmpp_answer(). */
static inline bool ibw_rmpp_build_stop(void *buf, const void *data)
{
	return ibw_rmpp_answer(buf, data, IBW_RMPP_STOP, IBW_RMPP_STATUS_RESOURCES, 0, 0);
}

/*
 * The transfer breaks a rule, or took too long: IBW_RMPP_STATUS_TIMEOUT to _UNSPEC. False as for
 * ibw_rmpp_answer().
 */
static inline bool ibw_rmpp_build_abort(void *buf, const void *data, uint8_t status)
{
	return ibw_rmpp_answer(buf, data, IBW_RMPP_ABORT, status, 0, 0);
}

#endif /* IBWIRE_RMPP_SEND_H */
