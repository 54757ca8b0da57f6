/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ip.h - the headers of the Internet protocols that RDMA is carried by, multicast addresses
 * and checksums.
 *
 * IPv4 addresses and ports are host integers, IPv6 addresses and MACs bytes in wire order.
 */
#ifndef IBWIRE_IP_H
#define IBWIRE_IP_H

#include "framing.h"

#define IBW_HDR tcp
#include "expand.h"

/* UDP ports: IANA; RoCE v2: IBTA annex A17 */
#define IBW_UDP_PORT_ROCE 4791
#define IBW_UDP_PORT_VXLAN 4789
#define IBW_UDP_PORT_DHCP_SERVER 67
#define IBW_UDP_PORT_DHCP_CLIENT 68

#define IBW_MAC_BYTES 6

/* Whether it is in 224.0.0.0/4: RFC 1112, 4 */
IBW_INLINE bool ibw_ipv4_is_multicast(uint32_t addr)
{
	return addr >> 28 == 0xe;
}

/* The MAC of an IPv4 multicast address, 01:00:5e and its last 23 bits: RFC 1112, 6.4 */
IBW_INLINE void ibw_ipv4_mcast_mac(uint8_t *mac, uint32_t addr)
{
	ibw_put_be16(mac, 0x0100);
	ibw_put_be32(mac + 2, 0x5e000000u | (addr & 0x7fffff));
}

/*
 * Checksums: RFC 1071. A sum is of big-endian 16-bit words (or 32-bit ones, which is the
 * same once folded), not yet folded; over all that a right checksum covers, itself
 * included, it folds to 0xffff. The sum of anything but zeros never folds to 0.
 */
IBW_INLINE uint16_t ibw_sum_fold(uint64_t sum)
{
	sum = (sum >> 32) + (sum & 0xffffffffu);
	sum = (sum >> 32) + (sum & 0xffffffffu);
	sum = (sum >> 16) + (sum & 0xffff);
	sum = (sum >> 16) + (sum & 0xffff);
	return (uint16_t)sum;
}

/* The sum of an IPv4 header of @bytes: 20 to 60, a multiple of 4. */
IBW_INLINE uint64_t ibw_ipv4_sum(const struct ibw_ipv4_wire *ip, uint32_t bytes)
{
	const uint8_t *p = ip->b;
	uint64_t sum = (uint64_t)ibw_get_be32(p) + ibw_get_be32(p + 4) + ibw_get_be32(p + 8) +
		       ibw_get_be32(p + 12) + ibw_get_be32(p + 16);
	uint32_t i;

	for (i = ibw_ipv4_BYTES; i < bytes; i += 4)
		sum += ibw_get_be32(p + i);
	return sum;
}

/*
 * The same with the bytes of each word swapped, and so is what it folds to: RFC 1071, 2 (B). The
 * cheaper one on most machines.
 */
IBW_INLINE uint64_t ibw_ipv4_sum_swapped(const struct ibw_ipv4_wire *ip, uint32_t bytes)
{
	const uint8_t *p = ip->b;
	uint64_t sum = (uint64_t)ibw_get_le32(p) + ibw_get_le32(p + 4) + ibw_get_le32(p + 8) +
		       ibw_get_le32(p + 12) + ibw_get_le32(p + 16);
	uint32_t i;

	for (i = ibw_ipv4_BYTES; i < bytes; i += 4)
		sum += ibw_get_le32(p + i);
	return sum;
}

/* Whether the checksum of an IPv4 header of @bytes is right: RFC 791, 3.1 */
IBW_INLINE bool ibw_ipv4_checksum_good(const struct ibw_ipv4_wire *ip, uint32_t bytes)
{
	uint64_t sum = ibw_ipv4_sum_swapped(ip, bytes);

	sum = (sum >> 32) + (sum & 0xffffffffu);
	sum = (sum >> 32) + (sum & 0xffffffffu);
	return sum && (uint32_t)sum % 0xffff == 0; /* what folds to 0xffff */
}

/* The checksum an IPv4 header should have, whatever is in its place now. */
IBW_INLINE uint16_t ibw_ipv4_checksum_of(const struct ibw_ipv4_wire *ip, uint32_t bytes)
{
	uint16_t found = ibw_ipv4_checksum(ip);

	return (uint16_t)~ibw_sum_fold(ibw_ipv4_sum(ip, bytes) + (uint16_t)~found);
}

/* What a UDP checksum covers in addition to the datagram of @n bytes: RFC 768; RFC 8200, 8.1 */
IBW_INLINE uint64_t ibw_ipv4_pseudo_sum(const struct ibw_ipv4_wire *ip, uint32_t n)
{
	return (uint64_t)ibw_ipv4_src(ip) + ibw_ipv4_dst(ip) + IBW_IP_PROTO_UDP + n;
}

/* The same of IPv6. */
IBW_INLINE uint64_t ibw_ipv6_pseudo_sum(const struct ibw_ipv6_wire *ip, uint32_t n)
{
	uint64_t sum = (uint64_t)IBW_IP_PROTO_UDP + n;
	uint32_t i;

	for (i = ibw_ipv6_src_AT / 8; i < ibw_ipv6_BYTES; i += 4)
		sum += ibw_get_be32(ip->b + i);
	return sum;
}

/* The sum of @n bytes; RFC 768 fills up an odd number with a zero. */
IBW_INLINE uint64_t ibw_bytes_sum(const void *bytes, uint32_t n)
{
	const uint8_t *p = (const uint8_t *)bytes;
	uint64_t sum = 0;

	for (; n >= 4; n -= 4, p += 4)
		sum += ibw_get_be32(p);
	if (n >= 2) {
		sum += ibw_get_be16(p);
		p += 2;
		n -= 2;
	}
	return n ? sum + ((uint32_t)*p << 8) : sum;
}

/*
 * The checksum that the UDP datagram of @n bytes (8 or more) at @udp should have,
 * whatever is in its place now; never 0, which says "none". @pseudo is of
 * ibw_ipv4_pseudo_sum() or ibw_ipv6_pseudo_sum(). RoCE v2 sends 0.
 */
IBW_INLINE uint16_t ibw_udp_checksum_of(uint64_t pseudo, const void *udp, uint32_t n)
{
	uint16_t found = ibw_udp_checksum((const struct ibw_udp_wire *)udp);
	uint16_t sum = ibw_sum_fold(pseudo + ibw_bytes_sum(udp, n) + (uint16_t)~found);

	return sum == 0xffff ? 0xffff : (uint16_t)~sum;
}

#endif /* IBWIRE_IP_H */
