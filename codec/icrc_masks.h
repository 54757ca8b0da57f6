/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * icrc_masks.h - which bits the ICRC takes as ones: IBTA vol 1, 7.8.1; annexes A16, A17.
 *
 * Private to codec/. One list a kind of packet; ibw_icrc() makes its bytes of ones
 * from it, ibw_icrc_explain() what a sender forgets. F(arg, field, at, bits): the
 * @bits bits at bit @at of the first header named are IBW_ICRC_MASK_@field; @arg is
 * whatever the list was given.
 */
#ifndef IBWIRE_CODEC_ICRC_MASKS_H
#define IBWIRE_CODEC_ICRC_MASKS_H

#include <ibwire/crc.h>
#include <ibwire/link.h>
#include <ibwire/transport.h>

/* BTH byte 4, once reserved as a whole; FECN and BECN are in it now. */
#define ICRC_MASKS_BTH(F, arg, bth) F(arg, RESV8A, (bth) + ibw_bth_fecn_AT, 8)

/* LRH, BTH */
#define ICRC_MASKS_LOCAL(F, arg)                                                                   \
	F(arg, LRH, ibw_lrh_vl_AT, 4)                                                              \
	ICRC_MASKS_BTH(F, arg, ibw_lrh_BITS)

/* GRH, BTH */
#define ICRC_MASKS_GRH(F, arg)                                                                     \
	F(arg, TCLASS, ibw_grh_tclass_AT, 8)                                                       \
	F(arg, FLOW_LABEL, ibw_grh_flow_label_AT, 20)                                              \
	F(arg, HOP_LIMIT, ibw_grh_hop_limit_AT, 8)                                                 \
	ICRC_MASKS_BTH(F, arg, ibw_grh_BITS)

/* IPv4 without options, UDP, BTH */
#define ICRC_MASKS_IPV4(F, arg)                                                                    \
	F(arg, TCLASS, ibw_ipv4_dscp_AT, 8)                                                        \
	F(arg, HOP_LIMIT, ibw_ipv4_ttl_AT, 8)                                                      \
	F(arg, IP_CHECKSUM, ibw_ipv4_checksum_AT, 16)                                              \
	F(arg, UDP_CHECKSUM, ibw_ipv4_BITS + ibw_udp_checksum_AT, 16)                              \
	ICRC_MASKS_BTH(F, arg, ibw_ipv4_BITS + ibw_udp_BITS)

/* IPv6, UDP, BTH */
#define ICRC_MASKS_IPV6(F, arg)                                                                    \
	F(arg, TCLASS, ibw_ipv6_dscp_AT, 8)                                                        \
	F(arg, FLOW_LABEL, ibw_ipv6_flow_label_AT, 20)                                             \
	F(arg, HOP_LIMIT, ibw_ipv6_hop_limit_AT, 8)                                                \
	F(arg, UDP_CHECKSUM, ibw_ipv6_BITS + ibw_udp_checksum_AT, 16)                              \
	ICRC_MASKS_BTH(F, arg, ibw_ipv6_BITS + ibw_udp_BITS)

/* The bytes of IPv4 options in front of the UDP header; an IHL below 5 counts as 5. */
static inline size_t icrc_ipv4_options(const uint8_t *p)
{
	unsigned int words = p[0] & 0xf;

	return words > ibw_ipv4_BYTES / 4 ? words * 4 - ibw_ipv4_BYTES : 0;
}
#define ICRC_IPV4_OPTIONS_MAX 40

#endif /* IBWIRE_CODEC_ICRC_MASKS_H */
