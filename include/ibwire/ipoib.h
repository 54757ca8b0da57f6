/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ipoib.h - IP over InfiniBand: encapsulation, hardware address, and the protocols that
 * carry it: ARP, neighbor discovery, DHCP. RFC 4390, RFC 4391, RFC 4755.
 */
#ifndef IBWIRE_IPOIB_H
#define IBWIRE_IPOIB_H

#include "framing.h"

#define IBW_HDR ipoib_hwaddr
#include "expand.h"
#define IBW_HDR ipoib_area
#include "expand.h"
#define IBW_HDR arp_ipoib
#include "expand.h"
#define IBW_HDR icmpv6
#include "expand.h"
#define IBW_HDR nd_router
#include "expand.h"
#define IBW_HDR nd_neighbor
#include "expand.h"
#define IBW_HDR nd_redirect
#include "expand.h"
#define IBW_HDR reserved_4
#include "expand.h"
#define IBW_HDR nd_option
#include "expand.h"
#define IBW_HDR nd_lladdr
#include "expand.h"
#define IBW_HDR dhcp
#include "expand.h"
#define IBW_HDR dhcp_option
#include "expand.h"
#define IBW_HDR dhcp_type
#include "expand.h"
#define IBW_HDR dhcp_client_id
#include "expand.h"

/* The largest IPoIB packet of the datagram mode on an IB link of @mtu bytes: RFC 4391, 7 */
#define IBW_IPOIB_MTU(mtu) ((mtu)-4u)
/* The largest of the connected mode in Linux; RFC 4755, 7 leaves it to the ends. */
#define IBW_IPOIB_CM_MTU 65520u

/*
 * MGIDs are 16 bytes, IPv4 addresses host integers, IPv6 addresses 16 bytes. @scope is a
 * IBW_SCOPE_...: that of the broadcast group of the interface. RFC 4391, 4
 */
IBW_INLINE void ibw_ipoib_mgid_start(uint8_t *mgid, uint8_t scope, uint16_t signature,
				     uint16_t pkey)
{
	mgid[0] = 0xff;
	mgid[1] = (uint8_t)(0x10 | (scope & 0xf));
	ibw_put_be16(mgid + 2, signature);
	ibw_put_be16(mgid + 4, pkey);
	ibw_put_be16(mgid + 6, 0);
	ibw_put_be64(mgid + 8, 0);
}

/* The group of an IPv4 multicast address: its low 28 bits. */
IBW_INLINE void ibw_ipoib_mgid_ipv4(uint8_t *mgid, uint32_t addr, uint8_t scope, uint16_t pkey)
{
	ibw_ipoib_mgid_start(mgid, scope, IBW_MGID_IPOIB_IPV4, pkey);
	ibw_put_be32(mgid + 12, addr & 0x0fffffffu);
}

/* The group of all hosts of an IPv4 subnet, 255.255.255.255: all 32 bits. RFC 4391, 5 */
IBW_INLINE void ibw_ipoib_mgid_broadcast(uint8_t *mgid, uint8_t scope, uint16_t pkey)
{
	ibw_ipoib_mgid_start(mgid, scope, IBW_MGID_IPOIB_IPV4, pkey);
	ibw_put_be32(mgid + 12, 0xffffffffu);
}

/* The group of an IPv6 multicast address: its low 80 bits. */
IBW_INLINE void ibw_ipoib_mgid_ipv6(uint8_t *mgid, const uint8_t *addr, uint8_t scope,
				    uint16_t pkey)
{
	ibw_ipoib_mgid_start(mgid, scope, IBW_MGID_IPOIB_IPV6, pkey);
	IBW_COPY(mgid + 6, addr + 6, 10);
}

/* The same group as RDMA CM's UDP port space names it. */
IBW_INLINE void ibw_ipoib_mgid_to_udp(uint8_t *mgid)
{
	mgid[3] = 0x01;
}

/* What an MGID is of: IBW_MGID_IPOIB_... */
IBW_INLINE uint16_t ibw_mgid_signature(const uint8_t *mgid)
{
	return ibw_get_be16(mgid + 2);
}

/* The partition that an MGID of IPoIB names. */
IBW_INLINE uint16_t ibw_mgid_pkey(const uint8_t *mgid)
{
	return ibw_get_be16(mgid + 4);
}

/* Whether the MGID is of an IPv4 or IPv6 group of IPoIB. */
IBW_INLINE bool ibw_mgid_is_ipoib(const uint8_t *mgid)
{
	return mgid[0] == 0xff && mgid[1] >> 4 == 1 &&
	       (ibw_mgid_signature(mgid) == IBW_MGID_IPOIB_IPV4 ||
		ibw_mgid_signature(mgid) == IBW_MGID_IPOIB_IPV6);
}

/* The IPv4 group of an MGID with the signature IBW_MGID_IPOIB_IPV4. */
IBW_INLINE uint32_t ibw_ipoib_mgid_to_ipv4(const uint8_t *mgid)
{
	return 0xe0000000u | ibw_get_be32(mgid + 12);
}

#endif /* IBWIRE_IPOIB_H */
