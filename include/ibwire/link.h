/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* link.h - the headers of links: capture records, Ethernet and ARP, the InfiniBand link and GRH. */
#ifndef IBWIRE_LINK_H
#define IBWIRE_LINK_H

#include "base.h"

#define IBW_HDR erf
#include "expand.h"
#define IBW_HDR erf_ext
#include "expand.h"
#define IBW_HDR sll
#include "expand.h"
#define IBW_HDR sll2
#include "expand.h"
#define IBW_HDR eth
#include "expand.h"
#define IBW_HDR vlan
#include "expand.h"
#define IBW_HDR llc
#include "expand.h"
#define IBW_HDR pause
#include "expand.h"
#define IBW_HDR pfc
#include "expand.h"
#define IBW_HDR arp
#include "expand.h"
#define IBW_HDR arp_hdr
#include "expand.h"
#define IBW_HDR lrh
#include "expand.h"
#define IBW_HDR grh
#include "expand.h"
#define IBW_HDR rwh
#include "expand.h"
#define IBW_HDR linkpkt
#include "expand.h"

/* The constants of list/values_link.def: IBW_LNH_LOCAL, IBW_ETHERTYPE_ROCE, IBW_AETH_RNR_NAK ... */
/* clang-format off */
#define IBW_VALUES(list) enum ibw_##list {
#define IBW_VALUE(list, name, value, text) IBW_##name = value,
#define IBW_VALUES_END(list) };
/* clang-format on */
#include "list/values_link.def"
#undef IBW_VALUES
#undef IBW_VALUE
#undef IBW_VALUES_END

/* GRH.NxtHdr of an IBA transport packet; IBTA vol 1, 8.3 */
#define IBW_GRH_NXTHDR_IBA 0x1b
#define IBW_GRH_IPVER 6

/* Local identifiers: IBTA vol 1, 4.1.3 */
#define IBW_LID_MULTICAST_FIRST 0xc000
#define IBW_LID_PERMISSIVE 0xffff

/* The lane of subnet management packets: IBTA vol 1, 7.6.9 */
#define IBW_VL_SM 15

/* Bytes behind a packet: ICRC (none behind a raw packet) and, on an IB link, VCRC */
#define IBW_ICRC_BYTES 4
#define IBW_VCRC_BYTES 2

#endif /* IBWIRE_LINK_H */
