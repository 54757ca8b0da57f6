/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * roce.h - addresses of RDMA over Ethernet: GIDs, MACs, UDP source ports, the path MTU.
 *
 * A GID is 16 bytes and a MAC 6, in wire order. IPv4 addresses, VLAN ids, ports and
 * flow labels are host integers. Nothing here fails: a separate function says whether a GID holds
 * the value.
 */
#ifndef IBWIRE_ROCE_H
#define IBWIRE_ROCE_H

#include "ip.h"
#include "transport.h"

#define IBW_GID_BYTES 16

/*
 * Bytes 11 and 12 of a link-local GID made of a MAC: ff:fe, as in every modified EUI-64
 * (RFC 4291, appendix A), or, as RoCE v1 used to make them, the id of the VLAN. So the
 * EUI-64 is the form of "no VLAN".
 */
#define IBW_VLAN_NONE 0xfffe
#define IBW_VLAN_IDS 0x1000

/* Whether it is link-local, fe80::/64: good inside one Ethernet network only. RFC 4291, 2.5.6 */
IBW_INLINE bool ibw_gid_is_link_local(const uint8_t *gid)
{
	return ibw_get_be64(gid) == 0xfe80000000000000ull;
}

/* Whether it is a multicast GID: RFC 4291, 2.7; IBTA vol 1, 4.1.1 */
IBW_INLINE bool ibw_gid_is_multicast(const uint8_t *gid)
{
	return gid[0] == 0xff;
}

/* Whether all 16 bytes are 0. */
IBW_INLINE bool ibw_gid_is_zero(const uint8_t *gid)
{
	return (ibw_get_be64(gid) | ibw_get_be64(gid + 8)) == 0;
}

/* Whether it is ::ffff:a.b.c.d, the GID of a port with an IPv4 address. RFC 4291, 2.5.5.2 */
IBW_INLINE bool ibw_gid_is_ipv4(const uint8_t *gid)
{
	return ibw_get_be64(gid) == 0 && ibw_get_be32(gid + 8) == 0xffff;
}

/* The address of a GID that ibw_gid_is_ipv4(). */
IBW_INLINE uint32_t ibw_gid_to_ipv4(const uint8_t *gid)
{
	return ibw_get_be32(gid + 12);
}

/* The GID ::ffff:a.b.c.d of an IPv4 address. */
IBW_INLINE void ibw_ipv4_to_gid(uint8_t *gid, uint32_t addr)
{
	ibw_put_be64(gid, 0);
	ibw_put_be32(gid + 8, 0xffff);
	ibw_put_be32(gid + 12, addr);
}

/* The link-local GID of a port: bytes 11 and 12 are @vlan, IBW_VLAN_NONE for a plain EUI-64. */
IBW_INLINE void ibw_mac_to_gid(uint8_t *gid, const uint8_t *mac, uint16_t vlan)
{
	ibw_put_be64(gid, 0xfe80000000000000ull);
	gid[8] = mac[0] ^ 0x02;
	gid[9] = mac[1];
	gid[10] = mac[2];
	ibw_put_be16(gid + 11, vlan);
	gid[13] = mac[3];
	gid[14] = mac[4];
	gid[15] = mac[5];
}

/* The MAC a link-local GID was made of, if it was made of one. */
IBW_INLINE void ibw_gid_to_mac(uint8_t *mac, const uint8_t *gid)
{
	mac[0] = gid[8] ^ 0x02;
	mac[1] = gid[9];
	mac[2] = gid[10];
	mac[3] = gid[13];
	mac[4] = gid[14];
	mac[5] = gid[15];
}

/* Whether a link-local GID has the form of an EUI-64 made of a MAC. */
IBW_INLINE bool ibw_gid_is_eui64(const uint8_t *gid)
{
	return ibw_get_be16(gid + 11) == IBW_VLAN_NONE;
}

/*
 * The VLAN that a link-local GID names, IBW_VLAN_NONE if none; a random interface id may look as if
 * it named one.
 */
IBW_INLINE uint16_t ibw_gid_vlan(const uint8_t *gid)
{
	uint16_t vlan = ibw_get_be16(gid + 11);

	return vlan < IBW_VLAN_IDS ? vlan : IBW_VLAN_NONE;
}

/* Whether two MACs are equal. */
IBW_INLINE bool ibw_mac_equal(const uint8_t *a, const uint8_t *b)
{
	return ibw_get_be32(a) == ibw_get_be32(b) && ibw_get_be16(a + 4) == ibw_get_be16(b + 4);
}

/* The MAC of an IPv6 multicast address or multicast GID, 33:33 and its last 32 bits: RFC 2464, 7 */
IBW_INLINE void ibw_mcast_gid_to_mac(uint8_t *mac, const uint8_t *gid)
{
	ibw_put_be16(mac, 0x3333);
	IBW_COPY(mac + 2, gid + 12, 4);
}

/* The MGID of an IPv4 group in RoCE v1, ff0e::ffff:a.b.c.d; in RoCE v2 it is ibw_ipv4_to_gid(). */
IBW_INLINE void ibw_ipv4_mcast_gid_v1(uint8_t *gid, uint32_t addr)
{
	ibw_ipv4_to_gid(gid, addr);
	ibw_put_be16(gid, 0xff0e);
}

/*
 * UDP source ports of RoCE v2: annex A17 lets the sender choose one per flow, so that routers
 * spread flows over equal paths. By convention it is in the dynamic range.
 */
#define IBW_ROCE_SPORT_FIRST 0xc000

/* The port of a 20-bit flow label. */
IBW_INLINE uint16_t ibw_flow_label_to_sport(uint32_t flow_label)
{
	return (uint16_t)(((flow_label & 0x3fff) ^ (flow_label >> 14 & 0x3f)) |
			  IBW_ROCE_SPORT_FIRST);
}

/* A flow label for a pair of QPs where the application chose none; 20 bits. */
IBW_INLINE uint32_t ibw_qpns_to_flow_label(uint32_t local_qpn, uint32_t remote_qpn)
{
	uint64_t v = (uint64_t)local_qpn * remote_qpn;

	v ^= v >> 20;
	v ^= v >> 40;
	return (uint32_t)v & 0xfffff;
}

/*
 * The flow label that Linux's RDMA CM uses for a connection whose application chose none; 20 bits.
 */
IBW_INLINE uint32_t ibw_ports_to_flow_label(uint16_t src_port, uint16_t dst_port)
{
	return (src_port * 31u + dst_port) & 0xfffff;
}

/* The largest overhead around a path MTU: GRH or IP, UDP, BTH, XRCETH, AtomicETH, ICRC. */
#define IBW_ROCE_OVERHEAD                                                                          \
	((uint32_t)ibw_grh_BYTES + ibw_udp_BYTES + ibw_bth_BYTES + ibw_xrceth_BYTES +              \
	 ibw_atomiceth_BYTES + IBW_ICRC_BYTES)

/* The code of the largest path MTU that fits a network with @mtu bytes a frame; 0: none does. */
IBW_INLINE uint8_t ibw_roce_mtu(uint32_t mtu)
{
	uint8_t code = IBW_MTU_CODE_MAX;

	while (code && ibw_mtu_bytes(code) + IBW_ROCE_OVERHEAD > mtu)
		code--;
	return code;
}

#endif /* IBWIRE_ROCE_H */
