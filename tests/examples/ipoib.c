/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ipoib.c - what IPoIB sends to a neighbor; the group and the MAC of an IPv4 multicast address, and what RoCE
 * makes of a MAC.
 *
 * Prints:
 *	to QP 0x000217: 32 bytes of headers, type 0x0800
 *	239.1.2.3: MGID ff12401bffff0000000000000f010203, MAC 01:00:5e:01:02:03
 *	52:54:00:00:07:01: GID fe80000000000000505400fffe000701, UDP source port 0xc011
 */
#include <stdio.h>

#include <ibwire/ibwire.h>

int main(void)
{
	const struct ibw_ah ah = { .slid = 1, .dlid = 2, .pkey = IBW_PKEY_DEFAULT_FULL };
	const uint8_t port[6] = { 0x52, 0x54, 0, 0, 7, 1 };
	struct ibw_build b = { .payload_len = 0 };
	uint8_t buf[100], gid[IBW_GID_BYTES], mac[6];
	size_t n;

	ibw_build_ipoib(&b, &ah, 0x217, 0x11111111, 0x216, IBW_ETHERTYPE_IPV4, 84);
	n = ibw_build_headers(buf, sizeof(buf), &b);
	printf("to QP 0x%06x: %zu bytes of headers, type 0x%04x\n", b.bth.dqpn, n,
	       ibw_get_be16(buf + n - ibw_ipoib_BYTES));
	ibw_ipoib_mgid_ipv4(gid, 0xef010203, IBW_SCOPE_LINK_LOCAL, IBW_PKEY_DEFAULT_FULL);
	ibw_ipv4_mcast_mac(mac, 0xef010203);
	printf("239.1.2.3: MGID %016llx%016llx, MAC %02x:%02x:%02x:%02x:%02x:%02x\n",
	       (unsigned long long)ibw_get_be64(gid), (unsigned long long)ibw_get_be64(gid + 8),
	       mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
	ibw_mac_to_gid(gid, port, IBW_VLAN_NONE);
	printf("52:54:00:00:07:01: GID %016llx%016llx, UDP source port 0x%04x\n",
	       (unsigned long long)ibw_get_be64(gid), (unsigned long long)ibw_get_be64(gid + 8),
	       ibw_flow_label_to_sport(0x11));
	return 0;
}
