/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ends.h - where a packet ends whose lengths may be wrong.
 *
 * Each length field names an end, and so does the frame. The ICRC is the witness: it is right in
 * one place only, either as the packet is (a sender that wrote the lengths wrong and then computed
 * it), or with the lengths it should have (a length changed after it was computed). Rules and
 * --repair ask here, and so cannot differ.
 */
#ifndef IBWIRE_TRACK_ENDS_H
#define IBWIRE_TRACK_ENDS_H

#include <stdbool.h>
#include <stdint.h>

#include <ibwire/packet.h>

#define TRACK_FCS_BYTES 4u

/* All ends are bytes from the start of the data, after the ICRC. */
enum track_end_by {
	TRACK_END_LENGTH,    /* a length field */
	TRACK_END_UNCOUNTED, /* a length field, if it forgot the ICRC */
	TRACK_END_FRAME      /* the frame, without or with the VCRC or FCS that may follow */
};

struct track_end {
	uint32_t end;
	enum track_end_by by;
	unsigned int span; /* of the header that says so; not FRAME */
};

#define TRACK_ENDS_MAX 16

/*
 * The ends of a packet with a BTH that something speaks for, that are possible, and up to which
 * all was captured; those most to be believed first. @fcs_len as its file says; 0: nothing.
 */
unsigned int track_ends(struct track_end ends[TRACK_ENDS_MAX], const struct ibw_packet *pkt,
			uint8_t fcs_len);

/* Whether a packet can end there at all, and was captured up to there. */
bool track_end_is_possible(const struct ibw_packet *pkt, uint32_t end);

/* Whether the ICRC before @end is right, as the packet is. */
bool track_icrc_is_right(const struct ibw_packet *pkt, uint32_t end);

/* Whether the packet is whole, and its ICRC right, if it ends there. */
bool track_ends_at(const struct ibw_packet *pkt, uint32_t end);

/* The same with the lengths it has if it ends there; @copy of the packet is written to. */
bool track_icrc_would_be_right(uint8_t *copy, const struct ibw_packet *pkt, uint32_t end);

/*
 * The end of a packet with a wrong ICRC that the ICRC is the witness of: it would be right, were it
 * not for one length. False: none. A length that forgot the ICRC is not asked.
 */
bool track_end_witnessed(const struct ibw_packet *pkt, struct track_end *end);

/* The first span of the packet itself: what is before is a tunnel. */
unsigned int track_packet_first(const struct ibw_packet *pkt);

/* Where the payload begins. */
uint32_t track_headers_end(const struct ibw_packet *pkt);

/*
 * The headers that have a length: header, field, bytes in one of it, and bytes of the header that it
 * does not count.
 */
/* clang-format off */
#define TRACK_LENGTHS(LENGTH)                                                                      \
	LENGTH(lrh, pktlen, 4, 0)                                                                  \
	LENGTH(grh, paylen, 1, ibw_grh_BYTES)                                                      \
	LENGTH(ipv4, total_len, 1, 0)                                                              \
	LENGTH(ipv6, paylen, 1, ibw_ipv6_BYTES)                                                    \
	LENGTH(udp, length, 1, 0)
/* clang-format on */

/* The end by the header of span @i; 0: it has no length. */
uint32_t track_length_end(const struct ibw_packet *pkt, unsigned int i);

/* What the length of a header says of a packet that has @bytes from its start to its end. */
uint32_t track_length_for(enum ibw_layer layer, uint32_t bytes);

/* Where what was on the wire ends: after it a record of a capture card may be padded. */
uint32_t track_wire_end(const struct ibw_packet *pkt);

/* Where the frame ends that holds the packet, without its FCS. */
uint32_t track_frame_end(const struct ibw_packet *pkt, uint8_t fcs_len);

/* Bytes of FCS that a record has after its packet: by what the file says, or by its type. */
uint32_t track_fcs_bytes(const struct ibw_packet *pkt, uint8_t fcs_len);

/* Whether the packet ends with its headers, where its ICRC should be. */
bool track_icrc_left_out(const struct ibw_packet *pkt);

/* Whether the opcode fills the path MTU, and so many bytes are one: then they are all payload. */
bool track_fills_mtu(const struct ibw_packet *pkt, uint32_t bytes);

/*
 * Whether something tells that all after the headers of a packet is payload: the opcode, a length
 * in the RETH, path MTU sizes, the size of a MAD. If its ICRC is wrong too, it has none.
 */
bool track_icrc_absent(const struct ibw_packet *pkt);

#endif /* IBWIRE_TRACK_ENDS_H */
