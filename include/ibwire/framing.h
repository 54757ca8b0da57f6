/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * framing.h - the headers of a packet that are not transport headers: Ethernet, VLAN, IPv4, IPv6, UDP, LRH,
 * GRH, and the encapsulation of IPoIB. These are the headers that build.h needs; link.h, ip.h and ipoib.h
 * have the rest of their families.
 */
#ifndef IBWIRE_FRAMING_H
#define IBWIRE_FRAMING_H

#include "base.h"

#define IBW_HDR eth
#include "expand.h"
#define IBW_HDR vlan
#include "expand.h"
#define IBW_HDR ipv4
#include "expand.h"
#define IBW_HDR ipv6
#include "expand.h"
#define IBW_HDR udp
#include "expand.h"
#define IBW_HDR lrh
#include "expand.h"
#define IBW_HDR grh
#include "expand.h"
#define IBW_HDR ipoib
#include "expand.h"

/* The constants of list/values_link.def: IBW_LNH_LOCAL, IBW_ETHERTYPE_ROCE, IBW_AETH_RNR_NAK ... */
#define IBW_VALUES_FILE "list/values_link.def"
#include "expand_values.h"

/* GRH.NxtHdr of an IBA transport packet; IBTA vol 1, 8.3 */
#define IBW_GRH_NXTHDR_IBA 0x1b
#define IBW_GRH_IPVER 6

/* Local identifiers: IBTA vol 1, 4.1.3 */
#define IBW_LID_MULTICAST_FIRST 0xc000
#define IBW_LID_PERMISSIVE 0xffff

/* The lane of subnet management packets: IBTA vol 1, 7.6.9 */
#define IBW_VL_SM 15

/* Bytes after a packet: ICRC (none after a raw packet) and, on an IB link, VCRC */
#define IBW_ICRC_BYTES 4
#define IBW_VCRC_BYTES 2

#endif /* IBWIRE_FRAMING_H */
