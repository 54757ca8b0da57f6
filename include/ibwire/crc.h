/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * crc.h - the CRCs of RDMA packets: ICRC, VCRC, LPCRC, the MPA CRC and the Ethernet FCS.
 *
 *	ibw_icrc_put(p + n, ibw_icrc(IBW_ICRC_ROCE_V2_IPV4, p, n));	sender
 *
 *	found = ibw_icrc_get(p + n);					receiver
 *	if (found != ibw_icrc(kind, p, n))
 *		why = ibw_icrc_explain(kind, p, n, found);
 *
 * A CRC is a host integer; all of these are stored least significant byte first,
 * which the _get and _put functions do. Printed as the bytes on the wire, an
 * ICRC of 0x2a00fd82 is "82 fd 00 2a".
 *
 * None of these allocates, keeps state or reads a byte outside [p, p + n).
 */
#ifndef IBWIRE_CRC_H
#define IBWIRE_CRC_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * The plain CRCs of @n bytes at @p, continuing from @crc: 0 at first, then the result of the
 * previous call. The CRC of no bytes is 0.
 *
 * crc32	0x04C11DB7 reflected, preset and complemented with ones: ICRC (IBTA
 *		vol 1, 7.8.1), Ethernet FCS (IEEE 802.3, 3.2.9), zlib
 * crc32c	0x1EDC6F41 in the same manner: MPA (RFC 5044, 4.4; RFC 3720, 12.1)
 * crc16	0x100B in the same manner: VCRC (IBTA vol 1, 7.8.2)
 */
uint32_t ibw_crc32(uint32_t crc, const void *p, size_t n);
uint32_t ibw_crc32c(uint32_t crc, const void *p, size_t n);
uint16_t ibw_crc16(uint16_t crc, const void *p, size_t n);

/* ibw_crc32() by tables alone, also where the library was built with ISA-L. */
uint32_t ibw_crc32_slice16(uint32_t crc, const void *p, size_t n);

/*
 * Two messages of one length end in the same @n bytes, and their CRCs have this @difference: returns
 * the difference of the CRCs of the messages without those bytes. A CRC is linear, so it does not
 * depend on the bytes. Taken back over all bytes but the first 4, a difference is that of these 4
 * bytes, the first one lowest.
 */
uint32_t ibw_crc32_back(uint32_t difference, size_t n);

/*
 * What precedes the BTH, and with it which fields the ICRC takes as ones: IBTA vol 1,
 * 7.8.1 and annexes A16 (RoCE), A17 (RoCE v2).
 */
enum ibw_icrc_kind {
	IBW_ICRC_NONE,         /* no ICRC: raw packets, link packets, no IB at all */
	IBW_ICRC_IB_LOCAL,     /* LRH, BTH */
	IBW_ICRC_IB_GLOBAL,    /* LRH, GRH, BTH */
	IBW_ICRC_ROCE_V1,      /* GRH, BTH */
	IBW_ICRC_ROCE_V2_IPV4, /* IPv4, UDP, BTH */
	IBW_ICRC_ROCE_V2_IPV6  /* IPv6, UDP, BTH */
};
#define IBW_ICRC_KINDS (IBW_ICRC_ROCE_V2_IPV6 + 1)

/*
 * The ICRC of the @n bytes from the first header named at its kind up to, not
 * including, the place of the ICRC. Ethernet and VLAN headers are not covered.
 *
 * In pieces: the first holds everything up to the BTH; for the others go on with
 * ibw_crc32(icrc, piece, len).
 *
 * The headers must follow each other without a gap. IPv4 options are skipped by IHL (an IHL below 5
 * counts as 5), IPv6 extension headers are not. If @n ends inside the headers, the value is
 * meaningless, but no byte beyond @n is read. For IBW_ICRC_NONE it is 0.
 */
uint32_t ibw_icrc(enum ibw_icrc_kind kind, const void *p, size_t n);

/* The VCRC of the @n bytes from the LRH up to the place of the VCRC, ICRC included. */
uint16_t ibw_vcrc(const void *p, size_t n);

/*
 * The LPCRC of a link (flow control) packet (IBTA vol 1, 7.9.4), of the 4 bytes at @p.
 * That it is computed like the VCRC comes from a single source, a reading of that paragraph that
 * was not compared with its text; there was no captured link packet to check it with.
 */
uint16_t ibw_lpcrc(const void *p);

/* The frame check sequence of an Ethernet frame of @n bytes, from its first address on. */
uint32_t ibw_eth_fcs(const void *p, size_t n);

/* The ICRC that is stored at @p. */
IBW_INLINE uint32_t ibw_icrc_get(const void *p)
{
	return ibw_get_le32(p);
}

/* Stores an ICRC in the 4 bytes at @p. */
IBW_INLINE void ibw_icrc_put(void *p, uint32_t icrc)
{
	ibw_put_le32(p, icrc);
}

/* VCRC and LPCRC */
IBW_INLINE uint16_t ibw_vcrc_get(const void *p)
{
	return ibw_get_le16(p);
}

/* Stores one in the 2 bytes at @p. */
IBW_INLINE void ibw_vcrc_put(void *p, uint16_t vcrc)
{
	ibw_put_le16(p, vcrc);
}

/* The bytes of a CRC in the order of the wire, as it is printed. */
IBW_INLINE uint32_t ibw_icrc_on_wire(uint32_t icrc)
{
	return __builtin_bswap32(icrc);
}

/* The same for a VCRC or LPCRC. */
IBW_INLINE uint16_t ibw_vcrc_on_wire(uint16_t vcrc)
{
	return __builtin_bswap16(vcrc);
}

/* The fields that the ICRC takes as ones whatever they hold, of all kinds together. */
enum ibw_icrc_mask {
	IBW_ICRC_MASK_LRH =
		1 << 0, /* IB_LOCAL: LRH.VL; IB_GLOBAL: LRH; RoCE: 8 bytes in its place */
	IBW_ICRC_MASK_TCLASS = 1 << 1, /* GRH and IPv6 traffic class, IPv4 TOS */
	IBW_ICRC_MASK_FLOW_LABEL = 1 << 2,
	IBW_ICRC_MASK_HOP_LIMIT = 1 << 3, /* GRH and IPv6 hop limit, IPv4 TTL */
	IBW_ICRC_MASK_IP_CHECKSUM = 1 << 4,
	IBW_ICRC_MASK_UDP_CHECKSUM = 1 << 5,
	IBW_ICRC_MASK_RESV8A = 1 << 6 /* BTH byte 4: FECN, BECN, 6 reserved bits */
};
#define IBW_ICRC_MASKS 7

/* What a sender did to arrive at a wrong ICRC. */
enum ibw_icrc_cause {
	IBW_ICRC_WHY_UNKNOWN,
	IBW_ICRC_WHY_BYTE_SWAPPED,  /* stored most significant byte first */
	IBW_ICRC_WHY_NOT_INVERTED,  /* the final complement is missing */
	IBW_ICRC_WHY_CRC32C,        /* the polynomial is the one of CRC-32C */
	IBW_ICRC_WHY_MASK_MISSING,  /* fields taken as sent: see missing */
	IBW_ICRC_WHY_MASK_ZERO,     /* fields taken as zeros: see zeroed (and missing) */
	IBW_ICRC_WHY_BTH_ONLY,      /* covers the packet from the BTH on */
	IBW_ICRC_WHY_HEADERS_TWICE, /* covers all, then once more from the BTH on */
	IBW_ICRC_WHY_BIT_FLIPPED,   /* right but for one bit: see flipped_* */
	IBW_ICRC_WHY_BIT_ORDER      /* each byte is taken most significant bit first */
};

struct ibw_icrc_why {
	enum ibw_icrc_cause cause;
	uint8_t missing;      /* enum ibw_icrc_mask bits */
	uint8_t zeroed;       /* enum ibw_icrc_mask bits */
	uint8_t flipped_mask; /* the one bit of its byte: 0x80 ... 0x01 */
	size_t flipped_at;    /* which byte from @p; @n and up: of the ICRC itself */
};

/*
 * Why the ICRC of a packet is @found (as ibw_icrc_get() reads it) where ibw_icrc(kind,
 * p, n) is something else; UNKNOWN also if it is not, and for a packet that ends inside
 * its BTH. If several causes fit, the result is the one with the fewest mistakes of the sender.
 *
 * Each cause is an equality in 32 bits with what such a sender would have sent. Of
 * packets with a random ICRC, one in 2^32 / (8 * n) is given a flipped bit and one in
 * 5 million a mask.
 *
 * Takes about 1 us and 2.5 ns a byte: for bad ICRCs only.
 */
struct ibw_icrc_why ibw_icrc_explain(enum ibw_icrc_kind kind, const void *p, size_t n,
				     uint32_t found);

/*
 * Whether @found is the ICRC of a RoCE sender that starts at the Ethernet header: with its @link bytes
 * (VLAN tags included) at @p, then the @n that the ICRC covers; with the 8 bytes of ones or without, with
 * the masks or as sent. False for native IB. Takes 6 CRCs of @link + @n bytes: for bad ICRCs only.
 */
bool ibw_icrc_covers_link(enum ibw_icrc_kind kind, const void *p, size_t link, size_t n,
			  uint32_t found);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* IBWIRE_CRC_H */
