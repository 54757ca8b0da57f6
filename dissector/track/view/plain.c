/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plain.c - a plain packet of a connection, read in one step. */
#include <string.h>

#include <ibwire/ibwire.h>

#include "plain.h"

/* The shortest one: an ACK has an AETH more. */
#define PLAIN_MIN (TRACK_PLAIN_BTH + (uint32_t)ibw_bth_BYTES + IBW_ICRC_BYTES)

/* Headers after the BTH that are read here: the first of a packet with several says what it is. */
#define PLAIN_ETHS                                                                                 \
	(IBW_ETH_RETH | IBW_ETH_ATOMICETH | IBW_ETH_AETH | IBW_ETH_ATOMICACKETH | IBW_ETH_IMMDT |  \
	 IBW_ETH_IETH | IBW_ETH_CNP)

/* Version and IHL; the word from MF on without DF, TTL: no fragment, UDP. */
#define PLAIN_IP_BYTE0 (4 << 4 | ibw_ipv4_BYTES / 4)
#define PLAIN_IP_WORD (ibw_ipv4_mf_AT / 8)
#define PLAIN_IP_MASK 0x3fff00ffu

static inline bool is_plain(const uint8_t *p, uint32_t len)
{
	const uint8_t *ip = p + TRACK_PLAIN_IP, *udp = p + TRACK_PLAIN_UDP;

	return ibw_get_be32(p + TRACK_PLAIN_IP - 2) >> 8 ==
		       (IBW_ETHERTYPE_IPV4 << 8 | PLAIN_IP_BYTE0) &&
	       ibw_get_be16(ip + ibw_ipv4_total_len_AT / 8) == len - TRACK_PLAIN_IP &&
	       (ibw_get_be32(ip + PLAIN_IP_WORD) & PLAIN_IP_MASK) == IBW_IP_PROTO_UDP &&
	       ibw_get_be32(udp + ibw_udp_dport_AT / 8) ==
		       ((uint32_t)IBW_UDP_PORT_ROCE << 16 | (len - TRACK_PLAIN_UDP));
}

/* What it has from the first header after the BTH. */
static inline void read_eth(struct track_packet *p, const void *eth, uint32_t eths)
{
	if (eths & IBW_ETH_AETH)
		track_packet_aeth(p, eth);
	else if (eths & IBW_ETH_RETH)
		track_packet_reth(p, eth);
	else if (eths & IBW_ETH_ATOMICETH)
		track_packet_atomiceth(p, eth);
	else if (eths & IBW_ETH_IETH)
		p->rkey = ibw_ieth_rkey(eth);
}

/* The frame is plain, and its opcode has only headers that are read here. */
static inline void summary(struct track_packet *p, const uint8_t *data, uint32_t len,
			   uint32_t payload_len)
{
	static const struct track_packet plain = {
		.flow = { .src = { [10] = 0xff, 0xff },
			  .dst = { [10] = 0xff, 0xff },
			  .address = TRACK_ADDRESS_GID },
		.anew = TRACK_ANEW_NOT,
		.version = TRACK_ROCE_V2_IPV4,
		.tag = TRACK_NO_TAG,
	};
	const uint8_t *ip = data + TRACK_PLAIN_IP;
	const struct ibw_bth_wire *bth = (const void *)(data + TRACK_PLAIN_BTH);
	const uint8_t opcode = bth->b[0];
	const struct ibw_opcode_row *row = &ibw_opcodes[opcode];

	*p = plain;
	memcpy(p->flow.src + 12, ip + ibw_ipv4_src_AT / 8, 4);
	memcpy(p->flow.dst + 12, ip + ibw_ipv4_dst_AT / 8, 4);
	p->flow.dqpn = ibw_bth_dqpn(bth);
	p->flow.service = opcode & IBW_SERVICE_MASK;
	p->psn = ibw_bth_psn(bth);
	p->port = 0x10000u | ibw_get_be16(data + TRACK_PLAIN_UDP);
	p->wire_len = len;
	p->payload = track_packet_payload(row, payload_len);
	p->pkey = ibw_bth_pkey(bth);
	p->opcode = opcode;
	p->flags = track_packet_flags(bth, false);
	p->becn = ibw_bth_becn(bth);
	p->tclass = ip[ibw_ipv4_dscp_AT / 8];
	p->hop_limit = ip[ibw_ipv4_ttl_AT / 8];
	p->ip_id = ibw_get_be16(ip + ibw_ipv4_id_AT / 8);
	read_eth(p, data + TRACK_PLAIN_BTH + ibw_bth_BYTES, row->eths);
}

bool track_packet_of_plain(struct track_packet *p, const struct ibw_packet *pkt,
			   const struct track_at *at, bool bad_icrc)
{
	if (pkt->eths & ~(uint32_t)PLAIN_ETHS)
		return track_packet_of(p, pkt, at, bad_icrc);
	if (!track_packet_is_connected(pkt->opcode))
		return false;
	summary(p, pkt->data, pkt->len, pkt->payload_len);
	p->at = *at;
	if (bad_icrc)
		p->flags |= TRACK_PACKET_BAD;
	return true;
}

bool track_plain_read(struct track_plain *p, const uint8_t *data, uint32_t caplen, uint32_t len,
		      uint32_t linktype)
{
	const struct ibw_opcode_row *row;
	uint32_t pad, headers, covered;

	p->icrc.status = IBW_CRC_ABSENT;
	if (linktype != IBW_LINKTYPE_ETHERNET || caplen != len || len < PLAIN_MIN ||
	    !is_plain(data, len))
		return false;
	row = &ibw_opcodes[data[TRACK_PLAIN_BTH]];
	pad = ibw_bth_padcnt((const void *)(data + TRACK_PLAIN_BTH));
	headers = TRACK_PLAIN_BTH + (uint32_t)ibw_bth_BYTES + row->eths_bytes;
	if (!row->text || row->eths & ~PLAIN_ETHS || headers + pad + IBW_ICRC_BYTES > len ||
	    !track_packet_is_connected(data[TRACK_PLAIN_BTH]))
		return false;
	covered = len - TRACK_PLAIN_IP - IBW_ICRC_BYTES;
	p->icrc.found = ibw_get_le32(data + len - IBW_ICRC_BYTES);
	p->icrc.computed = ibw_icrc(IBW_ICRC_ROCE_V2_IPV4, data + TRACK_PLAIN_IP, covered);
	if (p->icrc.computed != p->icrc.found) {
		p->icrc.status = IBW_CRC_BAD;
		return false;
	}
	p->icrc.status = IBW_CRC_GOOD;
	p->data = data;
	p->payload_len = len - IBW_ICRC_BYTES - pad - headers;
	summary(&p->packet, data, len, p->payload_len);
	return true;
}
