/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packet.h - a packet of a connection, in as few bytes as its trackers need.
 *
 * It points nowhere: it can be kept, queued and fed to the trackers again without the packet.
 * So it is all they see of one.
 */
#ifndef IBWIRE_TRACK_PACKET_H
#define IBWIRE_TRACK_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include <ibwire/packet.h>
#include <ibwire/tables.h>

#include "track/base/event.h"
#include "track/base/flow.h"

/* Bits of a BTH, and what else is yes or no. */
enum track_packet_flags {
	TRACK_PACKET_ACKREQ = 1 << 0,
	TRACK_PACKET_MIGREQ = 1 << 1,
	TRACK_PACKET_FECN = 1 << 2,
	TRACK_PACKET_AETH = 1 << 3, /* it has one: syndrome and msn are known */
	TRACK_PACKET_RETH = 1 << 4, /* or an ATOMICETH: va, rkey and dmalen are known */
	TRACK_PACKET_BAD = 1 << 5,  /* its ICRC is wrong: nothing else in here is sure */
	/* pause_link.h: its priority (without a tag: any) is or just was paused on its link; all are */
	TRACK_PACKET_PAUSED = 1 << 6,
	TRACK_PACKET_ALL_PAUSED = 1 << 7
};

/* Whether a packet's sender has closed the connection since the one before, or set up another one, which may be to the same QP. */
enum track_anew { TRACK_ANEW_NOT, TRACK_ANEW_MAYBE, TRACK_ANEW_CLOSED };

/* Opcodes of vendors: what they do, and of which service, nobody says. */
static inline bool track_is_of_vendor(uint8_t opcode)
{
	return opcode >= IBW_OPCODE_VENDOR_FIRST;
}

/* What is around the BTH. */
enum track_version { TRACK_NATIVE, TRACK_ROCE_V1, TRACK_ROCE_V2_IPV4, TRACK_ROCE_V2_IPV6 };

/* No tag has VLAN 4095. */
#define TRACK_NO_TAG 0xffffu

struct track_packet {
	struct track_at at;
	struct track_flow flow; /* of normalised addresses: track_flow_as_gids() */
	uint64_t va;            /* of a RETH or ATOMICETH; else 0, as rkey and dmalen */
	uint32_t rkey;          /* of an IETH, too */
	uint32_t dmalen;
	uint32_t psn;
	uint32_t port;     /* 0x10000 and the UDP source port; 0: no UDP */
	uint32_t wire_len; /* of the frame */
	uint32_t payload;  /* bytes, without pad; of an ATOMIC WRITE 8 */
	uint32_t msn;      /* of an AETH, as syndrome */
	uint16_t pkey;
	uint8_t opcode; /* of the BTH */
	uint8_t syndrome;
	uint8_t flags;     /* enum track_packet_flags */
	uint8_t tclass;    /* traffic class, IPv4: TOS; without a network header 0, as hop_limit */
	uint8_t hop_limit; /* IPv4: TTL */
	uint8_t way;       /* enum track_way, of a connection: qp.h */
	uint8_t version;   /* enum track_version */
	bool becn;
	bool nearly;     /* only of what is BAD: its flow is another's but for one bit */
	uint8_t anew;    /* enum track_anew, of a request: conn_anew.c */
	bool ends_early; /* the frame, and its lengths say more: a switch trimmed it, or a mirror */
	uint16_t tag;    /* of its VLAN tag, PCP and all; TRACK_NO_TAG: none */
	uint16_t ip_id;  /* the Identification of IPv4; else 0 */
};

_Static_assert(sizeof(struct track_packet) <= 128, "two cache lines a packet");

/* Bits 4:0 of the opcode: what the packet does, the same for every service. */
#define TRACK_OPERATION(opcode) ((opcode) & ~(unsigned int)IBW_SERVICE_MASK)

/* What the opcode says of a packet: IBW_OPF_... */
static inline unsigned int track_packet_opf(const struct track_packet *p)
{
	return ibw_opcodes[p->opcode].flags;
}

/* UD has no connection; the packets of a CNP's own service are about one. */
static inline bool track_packet_is_connected(uint8_t opcode)
{
	return 1u << (opcode >> 5) & (1u << (IBW_SERVICE_RC >> 5) | 1u << (IBW_SERVICE_UC >> 5) |
				      1u << (IBW_SERVICE_RD >> 5) | 1u << (IBW_SERVICE_XRC >> 5) |
				      1u << (IBW_SERVICE_CNP >> 5));
}

/* What the BTH says, and the ICRC; AETH and RETH are not in it. */
static inline uint8_t track_packet_flags(const struct ibw_bth_wire *bth, bool bad_icrc)
{
	return (uint8_t)((ibw_bth_ackreq(bth) ? TRACK_PACKET_ACKREQ : 0) |
			 (ibw_bth_migreq(bth) ? TRACK_PACKET_MIGREQ : 0) |
			 (ibw_bth_fecn(bth) ? TRACK_PACKET_FECN : 0) |
			 (bad_icrc ? TRACK_PACKET_BAD : 0));
}

/* What headers after the BTH say; NULL: not captured. */
static inline void track_packet_aeth(struct track_packet *p, const struct ibw_aeth_wire *aeth)
{
	if (!aeth)
		return;
	p->flags |= TRACK_PACKET_AETH;
	p->syndrome = ibw_aeth_syndrome(aeth);
	p->msn = ibw_aeth_msn(aeth);
}

static inline void track_packet_reth(struct track_packet *p, const struct ibw_reth_wire *reth)
{
	if (!reth)
		return;
	p->flags |= TRACK_PACKET_RETH;
	p->va = ibw_reth_va(reth);
	p->rkey = ibw_reth_rkey(reth);
	p->dmalen = ibw_reth_dmalen(reth);
}

static inline void track_packet_atomiceth(struct track_packet *p,
					  const struct ibw_atomiceth_wire *atomiceth)
{
	if (!atomiceth)
		return;
	p->flags |= TRACK_PACKET_RETH;
	p->va = ibw_atomiceth_va(atomiceth);
	p->rkey = ibw_atomiceth_rkey(atomiceth);
	p->dmalen = 8;
}

/* Bytes of a message, captured or not: those after an ACK or an unknown opcode are of none. */
static inline uint32_t track_packet_payload(const struct ibw_opcode_row *row, uint32_t payload_len)
{
	if (row->eths & IBW_ETH_ATOMICWRITE)
		return (uint32_t)ibw_atomicwrite_BYTES;
	return row->flags & (IBW_OPF_REQUEST | IBW_OPF_PAYLOAD) ? payload_len : 0;
}

/*
 * Fills @p; false: the packet, which has a BTH, is of no connection. A CNP goes to a QP of another
 * service than its own.
 */
uint8_t track_packet_version(const struct ibw_packet *pkt);
bool track_packet_of(struct track_packet *p, const struct ibw_packet *pkt,
		     const struct track_at *at, bool bad_icrc);

/* The same of a packet with an opcode of a vendor, as if it were damaged. */
bool track_packet_of_vendor(struct track_packet *p, const struct ibw_packet *pkt,
			    const struct track_at *at);

/*
 * Which of two packets of a sender was sent first, as far as the Identification of IPv4 says: most senders count it
 * up, some leave it as it is.
 */
enum track_order { TRACK_SENT_UNKNOWN, TRACK_SENT_BEFORE, TRACK_SENT_AFTER };

/* So far it is counted up while packets are on their way. */
#define TRACK_IP_IDS 4096

/* @p, and one with @ip_id. */
static inline enum track_order track_packet_order(uint16_t ip_id, const struct track_packet *p)
{
	int16_t ahead = (int16_t)(p->ip_id - ip_id);

	if (p->version != TRACK_ROCE_V2_IPV4 || ahead == 0 || ahead > TRACK_IP_IDS ||
	    ahead < -TRACK_IP_IDS)
		return TRACK_SENT_UNKNOWN;
	return ahead < 0 ? TRACK_SENT_BEFORE : TRACK_SENT_AFTER;
}

#endif /* IBWIRE_TRACK_PACKET_H */
