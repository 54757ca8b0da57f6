/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * message.h - the packets of a message: opcode, PSN, offset, length, AckReq and SE of each; and packets to
 * their message.
 *
 *	struct ibw_message m = { .service = IBW_SERVICE_RC, .operation = IBW_OPERATION_WRITE,
 *				 .mtu = 1024, .bytes = 3000, .psn = 0xffffff, .ackreq = true };
 *	struct ibw_message_packet p;
 *	uint32_t i;
 *
 *	for (i = 0; ibw_message_packet_at(&m, i, &p); i++) {
 *		ibw_message_fill(&b, &p);	... the message at p.offset is the payload ...
 *		n = ibw_build_headers(buf, cap, &b);
 *	}
 *
 * Packets can be requested in any order: after a NAK of @psn, retransmit packet ibw_psn_diff(psn, m.psn)
 * and those after it. READ responses are a message of the responder. The reverse takes packets in the
 * order in which they arrive:
 *
 *	struct ibw_message_join j = { .m.mtu = 1024 };
 *
 *	p.opcode = ibw_bth_opcode(bth);	... psn, ackreq, se; p.bytes: the payload without its pad
 *	if (ibw_message_take(&j, &p, dmalen) == IBW_MESSAGE_COMPLETE)
 *		... j.m is the message; of each packet, p.offset is where its payload goes ...
 *
 * Lengths are bytes, PSNs host integers. All state is the caller's, and only the result is written: any
 * thread may call these, but only one at a time with the same join.
 */
#ifndef IBWIRE_MESSAGE_H
#define IBWIRE_MESSAGE_H

#include "build.h"
#include "opcode.h"

/* What to send. */
struct ibw_message {
	uint8_t service;   /* enum ibw_service */
	uint8_t operation; /* enum ibw_operation: SEND, WRITE, READ_RESPONSE and all of one packet */
	uint8_t with;      /* enum ibw_with: what the last packet has */
	bool se;     /* solicited event; only the last of a SEND, or of a WRITE with immediate */
	bool ackreq; /* the last packet of a request asks for an ACK; RC, RD, XRC */
	uint32_t ack_every; /* so does every so many-th; 0: only the last */
	uint32_t mtu;       /* of the path: ibw_mtu_bytes() */
	uint32_t bytes;     /* READ_REQUEST: of the data that is read */
	uint32_t psn;       /* of the first packet */
};

/* One packet of it. */
struct ibw_message_packet {
	uint8_t opcode;
	bool ackreq, se;
	uint32_t psn;
	uint32_t offset; /* in the message, of the payload */
	uint32_t bytes;  /* payload, without the pad */
	uint32_t
		eths; /* IBW_ETH_... of the headers after the BTH: which packet has RETH, AETH ... */
};

/* Why a message cannot be sent. */
enum ibw_message_error {
	IBW_MESSAGE_OK,
	IBW_MESSAGE_OPCODE, /* the service has no such operation, or not with what it is to have */
	IBW_MESSAGE_MTU,    /* mtu is none: 256, 512, 1024, 2048, 4096 */
	IBW_MESSAGE_LONG    /* over 2^31 bytes; UD: over one packet; without a payload: over 0 */
};

/* Whether the bytes of the message are sent in its packets. */
IBW_INLINE bool ibw_message_has_payload(const struct ibw_message *m)
{
	return m->operation == IBW_OPERATION_SEND || m->operation == IBW_OPERATION_WRITE ||
	       m->operation == IBW_OPERATION_READ_RESPONSE;
}

/* The number of packets of a message that passes ibw_message_check(): 1 at least. */
IBW_INLINE uint32_t ibw_message_packets(const struct ibw_message *m)
{
	return ibw_message_has_payload(m) ? ibw_psns(m->bytes, m->mtu) : 1;
}

/*
 * The number of PSNs of the requester that it takes: for a READ Request, as many as its responses
 * have.
 */
IBW_INLINE uint32_t ibw_message_psns(const struct ibw_message *m)
{
	return m->operation == IBW_OPERATION_READ_REQUEST ? ibw_psns(m->bytes, m->mtu)
							  : ibw_message_packets(m);
}

/* The opcode of packet @i of @n; false: there is none. */
static inline bool ibw_message_opcode(const struct ibw_message *m, uint32_t i, uint32_t n,
				      uint8_t *opcode)
{
	struct ibw_opcode_parts parts;

	parts.service = m->service;
	parts.operation = m->operation;
	parts.with = i + 1 == n ? m->with : (uint8_t)IBW_WITH_NOTHING;
	parts.position = IBW_OPF_MIDDLE;
	if (n == 1)
		parts.position = IBW_OPF_ONLY;
	else if (i == 0)
		parts.position = IBW_OPF_FIRST;
	else if (i + 1 == n)
		parts.position = IBW_OPF_LAST;
	return ibw_opcode_make(opcode, &parts);
}

/* Whether the message can be sent, and why not. */
static inline enum ibw_message_error ibw_message_check(const struct ibw_message *m)
{
	uint8_t opcode;
	uint32_t n;

	if (!ibw_mtu_is(m->mtu))
		return IBW_MESSAGE_MTU;
	n = ibw_message_packets(m);
	if (!ibw_message_opcode(m, 0, 1, &opcode))
		return IBW_MESSAGE_OPCODE;
	if (m->bytes > IBW_MESSAGE_MAX || (n > 1 && m->service == IBW_SERVICE_UD) ||
	    (m->bytes && !ibw_message_has_payload(m) && m->operation != IBW_OPERATION_READ_REQUEST))
		return IBW_MESSAGE_LONG;
	return ibw_message_opcode(m, n - 1, n, &opcode) ? IBW_MESSAGE_OK : IBW_MESSAGE_OPCODE;
}

/* Whether packet @i of @n has AckReq, which is of requests that are acknowledged: IBTA vol 1, 9.2 */
static inline bool ibw_message_asks_ack(const struct ibw_message *m, uint32_t i, uint32_t n,
					uint32_t chain)
{
	if (!(chain >> 16 & IBW_OPF_REQUEST) || m->service == IBW_SERVICE_UC ||
	    m->service == IBW_SERVICE_UD)
		return false;
	if (m->ack_every && (i + 1) % m->ack_every == 0)
		return true;
	return m->ackreq && i + 1 == n;
}

/* Whether its last packet has SE, which is of what takes a receive: IBTA vol 1, 9.2.3 */
static inline bool ibw_message_solicits(const struct ibw_message *m)
{
	return m->se && (m->operation == IBW_OPERATION_SEND ||
			 (m->operation == IBW_OPERATION_WRITE && m->with == IBW_WITH_IMMEDIATE));
}

/* Packet @i of the message, from 0. False: there are no more, or ibw_message_check() says why. */
static inline bool ibw_message_packet_at(const struct ibw_message *m, uint32_t i,
					 struct ibw_message_packet *p)
{
	uint32_t n, chain;

	if (ibw_message_check(m))
		return false;
	n = ibw_message_packets(m);
	if (i >= n || !ibw_message_opcode(m, i, n, &p->opcode))
		return false;
	chain = ibw_opcode_chain(p->opcode);
	p->eths = chain & 0xffff;
	p->psn = ibw_psn_add(m->psn, i);
	p->offset = i * m->mtu;
	p->bytes = 0;
	if (ibw_message_has_payload(m))
		p->bytes = i + 1 < n ? m->mtu : m->bytes - p->offset;
	p->ackreq = ibw_message_asks_ack(m, i, n, chain);
	p->se = i + 1 == n && ibw_message_solicits(m);
	return true;
}

/* Sets in @b what a packet takes from its message: opcode, PSN, AckReq, SE, payload_len. */
static inline void ibw_message_fill(struct ibw_build *b, const struct ibw_message_packet *p)
{
	b->bth.opcode = p->opcode;
	b->bth.psn = p->psn;
	b->bth.ackreq = p->ackreq;
	b->bth.se = p->se;
	b->payload_len = p->bytes;
}

/* The role of a packet in its message. */
enum ibw_message_step {
	IBW_MESSAGE_BEGUN, /* the first of several */
	IBW_MESSAGE_GOES_ON,
	IBW_MESSAGE_COMPLETE, /* the last, or the only one: the join's m is the message */
	IBW_MESSAGE_BROKEN    /* it does not go on with what was taken: nothing changed */
};

/* A message whose packets come one after the other; m.mtu is set by the caller, all else is 0 at first. */
struct ibw_message_join {
	struct ibw_message m; /* so far; ackreq, se and with are its last packet's */
	uint32_t packets;     /* that came of it */
	uint32_t dmalen;      /* of its RETH */
	bool open;            /* more are to come */
};

/* Whether a packet of this many bytes can be at its place. */
static inline bool ibw_message_fits(const struct ibw_message_join *j, uint32_t chain,
				    uint32_t bytes)
{
	uint32_t flags = chain >> 16;

	if (!(flags & IBW_OPF_PAYLOAD))
		return !bytes;
	if (flags & (IBW_OPF_FIRST | IBW_OPF_MIDDLE))
		return bytes == j->m.mtu;
	return bytes <= j->m.mtu && (bytes || flags & IBW_OPF_ONLY);
}

/* Whether it begins a message where none is open, or goes on with the open one. */
static inline bool ibw_message_follows(const struct ibw_message_join *j,
				       const struct ibw_opcode_parts *parts, uint32_t psn)
{
	if (parts->position == IBW_OPF_FIRST || parts->position == IBW_OPF_ONLY)
		return !j->open;
	return j->open && parts->service == j->m.service && parts->operation == j->m.operation &&
	       psn == ibw_psn_add(j->m.psn, j->packets);
}

/*
 * The next packet, of which opcode, psn, bytes, ackreq and se are set; offset and eths are written.
 * @dmalen: of the RETH of a READ Request, or of the first packet of a WRITE. A message may begin with any PSN.
 * BROKEN: a PSN or opcode that does not continue the message, a length that is not possible there, a WRITE
 * whose payloads do not add up to its DMALen, or over 2^31 bytes; the expected packet can still be taken
 * afterwards. To drop a message, set open to false.
 */
static inline enum ibw_message_step ibw_message_take(struct ibw_message_join *j,
						     struct ibw_message_packet *p, uint32_t dmalen)
{
	uint32_t chain = ibw_opcode_chain(p->opcode), before = j->open ? j->m.bytes : 0, bytes;
	struct ibw_opcode_parts parts;
	bool ends;

	if (!ibw_mtu_is(j->m.mtu) || !ibw_opcode_split(&parts, p->opcode) ||
	    !ibw_message_follows(j, &parts, p->psn) || !ibw_message_fits(j, chain, p->bytes))
		return IBW_MESSAGE_BROKEN;
	ends = parts.position == IBW_OPF_LAST || parts.position == IBW_OPF_ONLY;
	if (j->open)
		dmalen = j->dmalen;
	bytes = parts.operation == IBW_OPERATION_READ_REQUEST ? dmalen : before + p->bytes;
	if (bytes > IBW_MESSAGE_MAX || (parts.operation == IBW_OPERATION_WRITE &&
					(bytes > dmalen || (ends && bytes != dmalen))))
		return IBW_MESSAGE_BROKEN;
	if (!j->open) {
		j->packets = 0;
		j->dmalen = dmalen;
		j->m.service = parts.service;
		j->m.operation = parts.operation;
		j->m.psn = p->psn;
	}
	p->offset = before;
	p->eths = chain & 0xffff;
	j->packets++;
	j->m.bytes = bytes;
	j->m.with = parts.with;
	j->m.ackreq = p->ackreq;
	j->m.se = p->se;
	j->open = !ends;
	if (ends)
		return IBW_MESSAGE_COMPLETE;
	return parts.position == IBW_OPF_FIRST ? IBW_MESSAGE_BEGUN : IBW_MESSAGE_GOES_ON;
}

#endif /* IBWIRE_MESSAGE_H */
