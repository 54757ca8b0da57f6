/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * icrc_masks.h - which bits the ICRC takes as ones: IBTA vol 1, 7.8.1; annexes A16, A17.
 *
 * There is one list per kind of packet. ibw_icrc() and ibw_build_icrc() replace these fields by
 * ones; ibw_icrc_explain() checks whether a sender forgot one. F(arg, field, at, bits): the @bits
 * bits at bit @at of the first header named are IBW_ICRC_MASK_@field; @arg is whatever the list was
 * given.
 */
#ifndef IBWIRE_ICRC_MASKS_H
#define IBWIRE_ICRC_MASKS_H

#include "crc.h"
#include "ip.h"
#include "transport.h"

/* BTH byte 4, once reserved as a whole; FECN and BECN are in it now. */
#define IBW_ICRC_MASKS_BTH(F, arg, bth) F(arg, RESV8A, (bth) + ibw_bth_fecn_AT, 8)

/* LRH, BTH */
#define IBW_ICRC_MASKS_LOCAL(F, arg)                                                               \
	F(arg, LRH, ibw_lrh_vl_AT, 4)                                                              \
	IBW_ICRC_MASKS_BTH(F, arg, (int)ibw_lrh_BITS)

/* GRH, BTH */
#define IBW_ICRC_MASKS_GRH(F, arg)                                                                 \
	F(arg, TCLASS, ibw_grh_tclass_AT, 8)                                                       \
	F(arg, FLOW_LABEL, ibw_grh_flow_label_AT, 20)                                              \
	F(arg, HOP_LIMIT, ibw_grh_hop_limit_AT, 8)                                                 \
	IBW_ICRC_MASKS_BTH(F, arg, (int)ibw_grh_BITS)

/* IPv4 without options, UDP, BTH */
#define IBW_ICRC_MASKS_IPV4(F, arg)                                                                \
	F(arg, TCLASS, ibw_ipv4_dscp_AT, 8)                                                        \
	F(arg, HOP_LIMIT, ibw_ipv4_ttl_AT, 8)                                                      \
	F(arg, IP_CHECKSUM, ibw_ipv4_checksum_AT, 16)                                              \
	F(arg, UDP_CHECKSUM, (int)ibw_ipv4_BITS + ibw_udp_checksum_AT, 16)                         \
	IBW_ICRC_MASKS_BTH(F, arg, (int)ibw_ipv4_BITS + ibw_udp_BITS)

/* IPv6, UDP, BTH */
#define IBW_ICRC_MASKS_IPV6(F, arg)                                                                \
	F(arg, TCLASS, ibw_ipv6_dscp_AT, 8)                                                        \
	F(arg, FLOW_LABEL, ibw_ipv6_flow_label_AT, 20)                                             \
	F(arg, HOP_LIMIT, ibw_ipv6_hop_limit_AT, 8)                                                \
	F(arg, UDP_CHECKSUM, (int)ibw_ipv6_BITS + ibw_udp_checksum_AT, 16)                         \
	IBW_ICRC_MASKS_BTH(F, arg, (int)ibw_ipv6_BITS + ibw_udp_BITS)

#endif /* IBWIRE_ICRC_MASKS_H */
