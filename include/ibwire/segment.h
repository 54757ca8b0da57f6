/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * segment.h - the DDP segments of an RDMAP message: header and place of each; and segments to their message.
 *
 *	struct ibw_rdmap_message m = { .opcode = IBW_RDMAP_WRITE, .mulpdu = mulpdu, .bytes = 5000,
 *				       .stag = stag, .to = to };
 *	uint32_t i, offset;
 *
 *	for (i = 0; ibw_message_segment_at(&m, i, &b.segment, &offset); i++)
 *		... ibw_build_fpdu(): b.segment.bytes of the message from offset on are its payload ...
 *
 *	struct ibw_segment_join j = { 0 };
 *
 *	if (ibw_message_segment_take(&j, &s, &offset) == IBW_MESSAGE_COMPLETE)
 *		... j.m is the message; of each segment, offset is where its payload goes ...
 *
 * These functions do for segments what ibw_message_packet_at() and ibw_message_take() (message.h) do for packets. They are
 * separate, because a packet has one path MTU, a PSN of 24 bits, its position in the opcode and a timeout for its ACK, while a
 * segment has any length, carries its offset or address, has its position in a bit, and counts messages in 32 bits.
 */
#ifndef IBWIRE_SEGMENT_H
#define IBWIRE_SEGMENT_H

#include "fpdu.h"
#include "message.h"

/* What to send. */
struct ibw_rdmap_message {
	uint8_t opcode;  /* of RDMAP */
	uint32_t mulpdu; /* ibw_mulpdu() */
	uint32_t bytes;  /* its payload, the header that the opcode has included */
	uint32_t stag;   /* tagged: where it goes */
	uint64_t to;
	uint32_t inval_stag; /* untagged */
	uint32_t msn;        /* the queue follows from the opcode */
};

/*
 * Segment @i of the message, from 0, and where its payload starts. False: there are no more, the opcode is not defined, or nothing
 * fits the MULPDU.
 */
static inline bool ibw_message_segment_at(const struct ibw_rdmap_message *m, uint32_t i,
					  struct ibw_segment *s, uint32_t *offset)
{
	uint32_t flags = ibw_rdmap_flags(m->opcode), room;
	uint64_t at;

	s->tagged = (flags & IBW_RDMAP_TAGGED) != 0;
	if (!flags || m->mulpdu <= ibw_segment_header_bytes(s))
		return false;
	room = (m->mulpdu > 0xffff ? 0xffff : m->mulpdu) - ibw_segment_header_bytes(s);
	at = (uint64_t)i * room;
	if (i && at >= m->bytes)
		return false;
	*offset = (uint32_t)at;
	s->last = m->bytes - *offset <= room;
	s->bytes = s->last ? m->bytes - *offset : room;
	s->dv = s->rv = 1;
	s->opcode = m->opcode;
	s->stag = s->tagged ? m->stag : 0;
	s->to = s->tagged ? m->to + at : 0;
	s->inval_stag = s->tagged ? 0 : m->inval_stag;
	s->qn = s->tagged ? 0 : ibw_rdmap_qn(m->opcode);
	s->msn = s->tagged ? 0 : m->msn;
	s->mo = s->tagged ? 0 : *offset;
	return true;
}

/* A message whose segments come one after the other; all is 0 at first. */
struct ibw_segment_join {
	struct ibw_rdmap_message m; /* so far; its mulpdu is not used */
	uint32_t segments;          /* that came of it */
	bool open;                  /* more are to come */
};

/* Whether it goes on with the open message. */
static inline bool ibw_segment_follows(const struct ibw_segment_join *j,
				       const struct ibw_segment *s)
{
	if (s->opcode != j->m.opcode || s->bytes > 0xffffffffu - j->m.bytes)
		return false;
	if (s->tagged)
		return s->stag == j->m.stag && s->to == j->m.to + j->m.bytes;
	return s->msn == j->m.msn && s->inval_stag == j->m.inval_stag && s->mo == j->m.bytes;
}

/*
 * The next segment of a direction, and where its payload goes in the message. A message may begin with any MSN and
 * at any address. BROKEN, and nothing changed: the opcode is not defined, not of this buffer model or queue, a version is not 1,
 * the segment is not where the open message goes on, a first one that is not at offset 0, over 2^32 - 1 bytes, or
 * a request, a Terminate, an Atomic Response or Immediate Data in several segments, or with a length other than the required one. To
 * drop a message, set open to false.
 */
static inline enum ibw_message_step
ibw_message_segment_take(struct ibw_segment_join *j, const struct ibw_segment *s, uint32_t *offset)
{
	uint32_t flags = ibw_rdmap_flags(s->opcode), header = ibw_rdmap_header_bytes(s->opcode);
	bool first = !j->open;

	if (!flags || s->tagged != ((flags & IBW_RDMAP_TAGGED) != 0) || s->dv != 1 || s->rv != 1 ||
	    (!s->tagged && s->qn != ibw_rdmap_qn(s->opcode)))
		return IBW_MESSAGE_BROKEN;
	if (header && (!s->last ||
		       (s->opcode == IBW_RDMAP_TERMINATE ? s->bytes < header : s->bytes != header)))
		return IBW_MESSAGE_BROKEN;
	if (first ? !s->tagged && s->mo : !ibw_segment_follows(j, s))
		return IBW_MESSAGE_BROKEN;
	if (first) {
		j->m.opcode = s->opcode;
		j->m.bytes = 0;
		j->m.stag = s->stag;
		j->m.to = s->to;
		j->m.inval_stag = s->inval_stag;
		j->m.msn = s->msn;
		j->segments = 0;
	}
	*offset = j->m.bytes;
	j->m.bytes += s->bytes;
	j->segments++;
	j->open = !s->last;
	if (s->last)
		return IBW_MESSAGE_COMPLETE;
	return first ? IBW_MESSAGE_BEGUN : IBW_MESSAGE_GOES_ON;
}

#endif /* IBWIRE_SEGMENT_H */
