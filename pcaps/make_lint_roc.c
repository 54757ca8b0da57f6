/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_roc.c - the cases of group ROC. */
#include <string.h>

#include "make_case.h"

/* ---- UDP ---- */

STATED(dport_1021, ROCE_V2_IPV4, RC_SEND_ONLY, 64, p->udp.dport = 1021)
STATED(dport_4792_ipv6, ROCE_V2_IPV6, UD_SEND_ONLY, 64, p->udp.dport = 4792)
STATED(dport_in_vxlan, VXLAN_IPV4, RC_SEND_ONLY, 64, p->udp.dport = 1021)
BROKEN(dport_bad_icrc, ROCE_V2_IPV4, RC_SEND_ONLY, 64, ibw_udp_set_dport(MK_AT(p, udp), 1021))
STATED(dport_4791, ROCE_V2_IPV4, RC_SEND_ONLY, 64, (void)p)

STATED(sport_4791, ROCE_V2_IPV4, RC_SEND_ONLY, 64, p->udp.sport = 4791)
STATED(sport_bfff, ROCE_V2_IPV6, UC_SEND_ONLY, 64, p->udp.sport = 0xbfff)
STATED(sport_c000, ROCE_V2_IPV4, RC_SEND_ONLY, 64, p->udp.sport = 0xc000)
STATED(sport_0_of_cnp, ROCE_V2_IPV4, CNP, 0, p->udp.sport = 0)

static void sport_of_cm(struct mk_packet *p)
{
	mk_start_gsi(p, MK_ROCE_V2_IPV4);
	p->udp.sport = 0x8cd1;
	mk_build(p);
}

#define UDP_LENGTH(delta)                                                                          \
	ibw_udp_set_length(MK_AT(p, udp), (uint16_t)(ibw_udp_length(MK_AT(p, udp)) + (delta)))
EDITED(length_without_udp, ROCE_V2_IPV4, RC_SEND_ONLY, 64, UDP_LENGTH(-8))
EDITED(length_over, ROCE_V2_IPV6, RC_SEND_ONLY, 64, UDP_LENGTH(1))
EDITED(length_0, ROCE_V2_IPV4, RC_SEND_ONLY, 64, ibw_udp_set_length(MK_AT(p, udp), 0))
STATED(length_24, ROCE_V2_IPV4, UC_SEND_ONLY, 0, (void)p)
BROKEN(length_cut, ROCE_V2_IPV4, RC_SEND_ONLY, 256, mk_cut(p, 128))

/* IP and UDP agree, but the end of the frame is missing. */
static void length_beyond_frame(struct mk_packet *p)
{
	mk_plain(p, MK_ROCE_V2_IPV4, IBW_OP_RC_SEND_ONLY, 64);
	p->len -= 8;
	p->caplen = p->len;
}

/* Four bytes too few for a BTH and an ICRC, all lengths alike. */
static void length_20(struct mk_packet *p)
{
	mk_plain(p, MK_ROCE_V2_IPV4, IBW_OP_UC_SEND_ONLY, 0);
	mk_remove(p, p->icrc_off, 4);
	mk_fix_lengths(p);
	mk_fix_ip_checksum(p);
}

static void length_fragment(struct mk_packet *p)
{
	mk_start(p, MK_ROCE_V2_IPV4, IBW_OP_RC_SEND_ONLY, 1024);
	p->ipv4.mf = 1;
	mk_build(p);
	UDP_LENGTH(1024);
}

/* The least UDP can carry, but the opcode asks for more: that is the BTH's fault. */
static void length_24_of_write(struct mk_packet *p)
{
	mk_start(p, MK_ROCE_V2_IPV4, IBW_OP_RC_RDMA_WRITE_ONLY, 0);
	p->eths = 0;
	mk_build(p);
}

/* So short a first fragment that the BTH is not whole; UDP has the length of all of it. */
static void length_short_fragment(struct mk_packet *p)
{
	mk_start(p, MK_ROCE_V2_IPV4, IBW_OP_RC_SEND_ONLY, 1024);
	p->ipv4.mf = 1;
	mk_build(p);
	p->len = p->caplen = p->off[IBW_LAYER_bth] + 8;
	ibw_ipv4_set_total_len(MK_AT(p, ipv4), ibw_ipv4_BYTES + ibw_udp_BYTES + 8);
	mk_fix_ip_checksum(p);
}

/* What a sender leaves to its adapter: the pseudo header alone, and not complemented. */
static void checksum_offloaded(struct mk_packet *p)
{
	struct ibw_udp_wire *udp;

	mk_plain(p, MK_ROCE_V2_IPV4, IBW_OP_RC_SEND_ONLY, 64);
	udp = MK_AT(p, udp);
	ibw_udp_set_checksum(
		udp, ibw_sum_fold(ibw_ipv4_pseudo_sum(MK_AT(p, ipv4), ibw_udp_length(udp))));
}

static void checksum(struct mk_packet *p, enum mk_framing framing, uint32_t payload, uint16_t off)
{
	struct ibw_udp_wire *udp;

	mk_plain(p, framing, IBW_OP_RC_SEND_ONLY, payload);
	mk_fix_udp_checksum(p);
	udp = MK_AT(p, udp);
	ibw_udp_set_checksum(udp, (uint16_t)(ibw_udp_checksum(udp) + off));
}

static void checksum_good_ipv4(struct mk_packet *p)
{
	checksum(p, MK_ROCE_V2_IPV4, 61, 0);
}

static void checksum_good_ipv6(struct mk_packet *p)
{
	checksum(p, MK_ROCE_V2_IPV6_VLAN, 1024, 0);
}

static void checksum_bad_ipv4(struct mk_packet *p)
{
	checksum(p, MK_ROCE_V2_IPV4, 64, 1);
}

static void checksum_bad_ipv6(struct mk_packet *p)
{
	checksum(p, MK_ROCE_V2_IPV6, 64, 0x8000);
}

/* ---- IP ---- */

/* @n bytes of IPv4 options, none of which means anything. */
static void options(struct mk_packet *p, uint32_t n)
{
	uint32_t at;

	mk_plain(p, MK_ROCE_V2_IPV4, IBW_OP_RC_SEND_ONLY, 64);
	at = p->off[IBW_LAYER_udp];
	mk_insert(p, at, n);
	memset(p->b + at, 1, n);
	ibw_ipv4_set_ihl(MK_AT(p, ipv4), (uint8_t)(5 + n / 4));
	mk_fix(p);
}

static void options_4(struct mk_packet *p)
{
	options(p, 4);
}

static void options_40(struct mk_packet *p)
{
	options(p, 40);
}

/* A hop-by-hop header, the header of a first fragment, or that of one that is all there is. */
static void extension(struct mk_packet *p, uint8_t type, uint8_t more)
{
	uint32_t at;

	mk_plain(p, MK_ROCE_V2_IPV6, IBW_OP_RC_SEND_ONLY, 64);
	at = p->off[IBW_LAYER_udp];
	mk_insert(p, at, 8);
	p->b[at] = IBW_IP_PROTO_UDP;
	p->b[at + 3] = more;
	ibw_ipv6_set_nxthdr(MK_AT(p, ipv6), type);
	mk_fix_lengths(p);
}

static void extension_hop_by_hop(struct mk_packet *p)
{
	extension(p, IBW_IP_PROTO_HOPOPT, 0);
}

static void extension_fragment(struct mk_packet *p)
{
	extension(p, IBW_IP_PROTO_FRAGMENT, 1);
}

static void extension_atomic_fragment(struct mk_packet *p)
{
	extension(p, IBW_IP_PROTO_FRAGMENT, 0);
}

/* Options of the tunnel's header: the adapter sees the packet without the tunnel. */
static void options_outside(struct mk_packet *p)
{
	struct ibw_ipv4_wire *ip;

	mk_plain(p, MK_VXLAN_IPV4, IBW_OP_RC_SEND_ONLY, 64);
	mk_insert(p, p->outer_off + ibw_ipv4_BYTES, 4);
	ip = ibw_ipv4_view_mut(p->b + p->outer_off, ibw_ipv4_BYTES);
	ibw_ipv4_set_ihl(ip, 6);
	ibw_ipv4_set_total_len(ip, (uint16_t)(ibw_ipv4_total_len(ip) + 4));
	mk_fix_ip_checksum(p);
}

STATED(no_df, ROCE_V2_IPV4, RC_SEND_ONLY, 64, p->ipv4.df = 0)
STATED(df_id, ROCE_V2_IPV4, RC_SEND_ONLY, 64, p->ipv4.id = 0xbfff)

#define IP_CHECKSUM(delta)                                                                         \
	ibw_ipv4_set_checksum(MK_AT(p, ipv4),                                                      \
			      (uint16_t)(ibw_ipv4_checksum(MK_AT(p, ipv4)) + (delta)))
BROKEN(ip_checksum_off, ROCE_V2_IPV4, RC_SEND_ONLY, 64, IP_CHECKSUM(1))
BROKEN(ip_checksum_0, ROCE_V2_IPV4_VLAN, RC_SEND_ONLY, 64, ibw_ipv4_set_checksum(MK_AT(p, ipv4), 0))
BROKEN(ip_ttl_without_checksum, ROCE_V2_IPV4, RC_SEND_ONLY, 64,
       ibw_ipv4_set_ttl(MK_AT(p, ipv4), 63))

static void ttl_1_routed(struct mk_packet *p)
{
	mk_start(p, MK_ROCE_V2_IPV4, IBW_OP_RC_SEND_ONLY, 64);
	p->ipv4.ttl = 1;
	p->ipv4.dst ^= 0x100;
	mk_build(p);
}

static void ttl_2_routed(struct mk_packet *p)
{
	mk_start(p, MK_ROCE_V2_IPV4, IBW_OP_RC_SEND_ONLY, 64);
	p->ipv4.ttl = 2;
	p->ipv4.dst ^= 0x100;
	mk_build(p);
}

STATED(ttl_1_local, ROCE_V2_IPV4, RC_SEND_ONLY, 64, p->ipv4.ttl = 1; p->ipv4.dst ^= 0xf0)
STATED(hop_0_routed, ROCE_V2_IPV6, RC_SEND_ONLY, 64, p->ipv6.hop_limit = 0; p->ipv6.dst[7] ^= 1)
STATED(hop_1_routed, ROCE_V2_IPV6, RC_SEND_ONLY, 64, p->ipv6.hop_limit = 1; p->ipv6.dst[7] ^= 1)
STATED(hop_2_routed, ROCE_V2_IPV6, RC_SEND_ONLY, 64, p->ipv6.hop_limit = 2; p->ipv6.dst[7] ^= 1)
STATED(ttl_0_routed, ROCE_V2_IPV4, RC_SEND_ONLY, 64, p->ipv4.ttl = 0; p->ipv4.dst ^= 0x100)
STATED(hop_1_local, ROCE_V2_IPV6, RC_SEND_ONLY, 64, p->ipv6.hop_limit = 1; p->ipv6.dst[8] ^= 1)

/* ---- Addresses ---- */

/* The default GIDs of both ports, of their MACs. */
static void link_local(struct mk_packet *p)
{
	mk_start(p, MK_ROCE_V2_IPV6, IBW_OP_RC_SEND_ONLY, 64);
	p->eth.src[4] = p->eth.dst[4] = 1; /* hosts that do not use RoCE v1 */
	ibw_mac_to_gid(p->ipv6.src, p->eth.src, IBW_VLAN_NONE);
	ibw_mac_to_gid(p->ipv6.dst, p->eth.dst, IBW_VLAN_NONE);
}

static void gid_of_mac(struct mk_packet *p)
{
	link_local(p);
	mk_build(p);
}

static void gid_of_other_src(struct mk_packet *p)
{
	link_local(p);
	p->ipv6.src[15] ^= 1;
	mk_build(p);
}

static void gid_of_other_dst(struct mk_packet *p)
{
	link_local(p);
	p->eth.dst[0] ^= 0x04;
	mk_build(p);
}

static void gid_not_of_a_mac(struct mk_packet *p)
{
	link_local(p);
	ibw_put_be64(p->ipv6.src + 8, 1); /* fe80::1, bytes 11 and 12 like VLAN 0 */
	ibw_put_be64(p->ipv6.dst + 8, UINT64_C(0x9f3c21a0054d7781));
	mk_build(p);
}

/* Default GIDs with VLAN 5 in them, whatever the frame is in. */
static void gids_of_vlan_5(struct mk_packet *p)
{
	ibw_mac_to_gid(p->ipv6.src, p->eth.src, 5);
	ibw_mac_to_gid(p->ipv6.dst, p->eth.dst, 5);
}

/* The frame around a tunnel is in VLAN @outer, the one in it in VLAN @inner, 0: in none. */
static void tagged_tunnel(struct mk_packet *p, uint16_t outer, uint16_t inner)
{
	mk_start(p, MK_VXLAN_IPV6, IBW_OP_RC_SEND_ONLY, 64);
	gids_of_vlan_5(p);
	p->n_vlans = inner != 0;
	p->vlan[0].vid = inner;
	mk_build(p);
	mk_insert(p, 12, ibw_vlan_BYTES);
	ibw_put_be16(p->b + 12, IBW_ETHERTYPE_VLAN);
	ibw_put_be16(p->b + 14, outer);
}

static void gid_tunnel_other_vlan(struct mk_packet *p)
{
	tagged_tunnel(p, 5, 4);
}

static void gid_tunnel_same_vlan(struct mk_packet *p)
{
	tagged_tunnel(p, 4, 5);
}

static void gid_tunnel_untagged(struct mk_packet *p)
{
	tagged_tunnel(p, 4, 0);
}

STATED(gid_v1_vlan, ROCE_V1_VLAN, RC_SEND_ONLY, 64, (void)p)
STATED(gid_v1_other_mac, ROCE_V1, RC_SEND_ONLY, 64, p->eth.src[5] ^= 0x10)
STATED(gid_v1_vlan_other_mac, ROCE_V1_VLAN, RC_SEND_ONLY, 64, p->eth.src[5] ^= 0x10)
STATED(gid_v1_vlan_other_vlan, ROCE_V1_VLAN, RC_SEND_ONLY, 64, p->vlan[0].vid ^= 1)
STATED(gid_v1_vlan_other_both, ROCE_V1_VLAN, RC_SEND_ONLY, 64, p->vlan[0].vid ^= 1;
       p->eth.src[5] ^= 0x10; p->eth.dst[5] ^= 0x10)
STATED(gid_v1_vlan_untagged, ROCE_V1, RC_SEND_ONLY, 64, ibw_put_be16(p->grh.sgid + 11, 5))
STATED(gid_v2_vlan_other_vlan, ROCE_V2_IPV6_VLAN, RC_SEND_ONLY, 64, gids_of_vlan_5(p);
       p->vlan[0].vid = 4)
STATED(gid_v1_sll, SLL_V1, RC_SEND_ONLY, 64, p->grh.sgid[15] ^= 1)
STATED(vlan_0, ROCE_V1_VLAN, RC_SEND_ONLY, 64, p->vlan[0].vid = 0;
       ibw_put_be16(p->grh.sgid + 11, IBW_VLAN_NONE); ibw_put_be16(p->grh.dgid + 11, IBW_VLAN_NONE))
STATED(vlan_0_of_v2, ROCE_V2_IPV4_VLAN, RC_SEND_ONLY, 64, p->vlan[0].vid = 0)

/* To a group, with a MAC of these bytes. */
static void group_ipv4(struct mk_packet *p, uint32_t addr, uint64_t mac)
{
	mk_start(p, MK_ROCE_V2_IPV4, IBW_OP_UD_SEND_ONLY, 64);
	p->bth.dqpn = IBW_QPN_MULTICAST;
	p->ipv4.dst = addr;
	p->ipv4.ttl = 1;
	ibw_put_be16(p->eth.dst, (uint16_t)(mac >> 32));
	ibw_put_be32(p->eth.dst + 2, (uint32_t)mac);
	mk_build(p);
}

static void group_ipv4_good(struct mk_packet *p)
{
	group_ipv4(p, 0xef810203, UINT64_C(0x01005e010203));
}

static void group_ipv4_24_bits(struct mk_packet *p)
{
	group_ipv4(p, 0xef810203, UINT64_C(0x01005e810203));
}

static void group_ipv4_as_ipv6(struct mk_packet *p)
{
	group_ipv4(p, 0xef010203, UINT64_C(0x3333ef010203));
}

static void group_ipv4_unicast(struct mk_packet *p)
{
	group_ipv4(p, 0xef010203, UINT64_C(0x020000000002));
}

static void group_gid(struct mk_packet *p, enum mk_framing framing, uint8_t last)
{
	static const uint8_t group[16] = { 0xff, 0x0e, [10] = 0xff, 0xff, 0xef, 1, 2, 3 };

	mk_start(p, framing, IBW_OP_UD_SEND_ONLY, 64);
	p->bth.dqpn = IBW_QPN_MULTICAST;
	memcpy(p->grh.dgid, group, 16);
	memcpy(p->ipv6.dst, group, 16);
	ibw_mcast_gid_to_mac(p->eth.dst, group);
	p->eth.dst[5] = last;
	mk_build(p);
}

static void group_v1_good(struct mk_packet *p)
{
	group_gid(p, MK_ROCE_V1, 3);
}

static void group_v1_other(struct mk_packet *p)
{
	group_gid(p, MK_ROCE_V1, 4);
}

static void group_ipv6_other(struct mk_packet *p)
{
	group_gid(p, MK_ROCE_V2_IPV6, 4);
}

static const struct mk_case cases[] = {
	{ "ROC001", MK_FIRES, dport_1021, "udp.dport", NULL, "UDP port 1021, good ICRC" },
	{ "ROC001", MK_FIRES, dport_4792_ipv6, "udp.dport", NULL,
	  "UDP port 4792 over IPv6, good ICRC" },
	{ "ROC001", MK_FIRES, dport_in_vxlan, "udp.dport", NULL, "UDP port 1021 inside VXLAN" },
	{ "ROC001", MK_MISSES, dport_bad_icrc, "udp", NULL, "UDP port changed on the way" },
	{ "ROC001", MK_MISSES, dport_4791, NULL, NULL, "UDP port 4791" },
	{ "ROC002", MK_FIRES, sport_4791, "udp.sport", NULL, "source port 4791" },
	{ "ROC002", MK_FIRES, sport_bfff, "udp.sport", NULL, "source port 0xbfff" },
	{ "ROC002", MK_MISSES, sport_c000, NULL, NULL, "source port 0xc000" },
	{ "ROC002", MK_MISSES, sport_0_of_cnp, NULL, NULL, "a CNP from port 0" },
	{ "ROC002", MK_MISSES, sport_of_cm, NULL, NULL, "a MAD to QP 1 from port 0x8cd1" },
	{ "ROC005", MK_FIRES, length_without_udp, "udp.length", NULL,
	  "UDP length without its header" },
	{ "ROC005", MK_FIRES, length_over, "udp.length", NULL, "UDP length one byte too large" },
	{ "ROC005", MK_FIRES, length_0, "udp.length", NULL, "UDP length 0" },
	{ "ROC005", MK_FIRES, length_beyond_frame, "udp.length", NULL,
	  "8 bytes of the frame missing" },
	{ "ROC005", MK_FIRES, length_20, "udp.length", "CRC008=bth/end+0:0",
	  "UDP length 20, no ICRC" },
	{ "ROC005", MK_MISSES, length_24, NULL, NULL, "UDP length 24, a SEND of nothing" },
	{ "ROC005", MK_MISSES, length_24_of_write, NULL, "XTH001=bth+0:16",
	  "UDP length 24, a WRITE without its RETH" },
	{ "ROC005", MK_MISSES, length_short_fragment, "udp", "CAP015=ipv4+6:2",
	  "the first 16 bytes of a longer one" },
	{ "ROC005", MK_MISSES, length_cut, NULL, "CAP004=file/cut",
	  "right, but the capture is cut" },
	{ "ROC005", MK_MISSES, length_fragment, NULL, "CAP015=ipv4+6:2",
	  "the first fragment of a longer one" },
	{ "ROC006", MK_FIRES, checksum_bad_ipv4, "udp.checksum", NULL,
	  "UDP checksum one too large" },
	{ "ROC006", MK_FIRES, checksum_bad_ipv6, "udp.checksum", NULL,
	  "UDP checksum over IPv6, one bit wrong" },
	{ "ROC006", MK_MISSES, checksum_good_ipv4, NULL, NULL, "a right UDP checksum" },
	{ "ROC006", MK_MISSES, checksum_good_ipv6, NULL, NULL, "a right UDP checksum over IPv6" },
	{ "ROC006", MK_MISSES, checksum_offloaded, NULL, NULL, "a checksum left to the adapter" },
	{ "ROC008", MK_FIRES, options_4, "ipv4+20:4", NULL, "4 bytes of IPv4 options" },
	{ "ROC008", MK_FIRES, options_40, "ipv4+20:40", NULL, "40 bytes of IPv4 options" },
	{ "ROC008", MK_FIRES, extension_hop_by_hop, "ipv6+40:8", NULL,
	  "an IPv6 hop-by-hop header" },
	{ "ROC008", MK_MISSES, dport_4791, NULL, NULL, "IHL 5" },
	{ "ROC008", MK_FIRES, extension_atomic_fragment, "ipv6+40:8", NULL,
	  "an IPv6 fragment header alone" },
	{ "ROC008", MK_MISSES, extension_fragment, NULL, "CAP015=ipv6+40:8",
	  "an IPv6 fragment header" },
	{ "ROC008", MK_MISSES, options_outside, NULL, NULL, "IPv4 options outside the tunnel" },
	{ "ROC009", MK_FIRES, no_df, "ipv4.df", NULL, "DF not set" },
	{ "ROC009", MK_MISSES, df_id, NULL, NULL, "DF set, IP id 0xbfff" },
	{ "ROC010", MK_FIRES, ip_checksum_off, "ipv4.checksum", NULL, "IP checksum one too large" },
	{ "ROC010", MK_FIRES, ip_checksum_0, "ipv4.checksum", NULL, "IP checksum not filled in" },
	{ "ROC010", MK_FIRES, ip_ttl_without_checksum, "ipv4.checksum", NULL,
	  "TTL changed, checksum not" },
	{ "ROC010", MK_MISSES, options_40, NULL, "ROC008=ipv4+20:40",
	  "right, over 60 bytes of header" },
	{ "ROC010", MK_MISSES, dport_4791, NULL, NULL, "right" },
	{ "ROC011", MK_FIRES, ttl_1_routed, "ipv4.ttl", NULL, "TTL 1 to another /24" },
	{ "ROC011", MK_FIRES, hop_0_routed, "ipv6.hop_limit", NULL, "hop limit 0 to another /64" },
	{ "ROC011", MK_FIRES, hop_1_routed, "ipv6.hop_limit", NULL, "hop limit 1 to another /64" },
	{ "ROC011", MK_FIRES, ttl_0_routed, "ipv4.ttl", NULL, "TTL 0 to another /24" },
	{ "ROC011", MK_MISSES, hop_2_routed, NULL, NULL, "hop limit 2 to another /64" },
	{ "ROC011", MK_MISSES, ttl_2_routed, NULL, NULL, "TTL 2 to another /24" },
	{ "ROC011", MK_MISSES, ttl_1_local, NULL, NULL, "TTL 1 within a /24" },
	{ "ROC011", MK_MISSES, hop_1_local, NULL, NULL, "hop limit 1 within a /64" },
	{ "ROC011", MK_MISSES, group_ipv4_good, NULL, NULL, "TTL 1 to a group" },
	{ "ROC014", MK_FIRES, gid_of_other_src, "ipv6.src", NULL,
	  "the source GID is of another MAC" },
	{ "ROC014", MK_FIRES, gid_of_other_dst, "ipv6.dst", NULL,
	  "the destination GID is of another MAC" },
	{ "ROC014", MK_FIRES, gid_v1_other_mac, "grh.sgid", NULL, "RoCE v1, another source MAC" },
	{ "ROC014", MK_FIRES, gid_v1_vlan_other_mac, "grh.sgid", NULL,
	  "with the VLAN of the frame in it" },
	{ "ROC014", MK_MISSES, gid_of_mac, NULL, NULL, "both GIDs of the MACs of the frame" },
	{ "ROC014", MK_MISSES, gid_not_of_a_mac, NULL, NULL, "interface ids not made of a MAC" },
	{ "ROC014", MK_MISSES, gid_v1_vlan, NULL, NULL,
	  "both GIDs with MAC and VLAN of the frame" },
	{ "ROC014", MK_MISSES, gid_v1_sll, NULL, NULL, "no MAC in the capture" },
	{ "ROC015", MK_FIRES, gid_v1_vlan_other_vlan, "grh+19:2", "ROC015=grh+35:2",
	  "GID of VLAN 5, frame in VLAN 4" },
	{ "ROC015", MK_FIRES, gid_v2_vlan_other_vlan, "ipv6+19:2", "ROC015=ipv6+35:2",
	  "RoCE v2, GIDs of VLAN 5, frame in VLAN 4" },
	{ "ROC015", MK_FIRES, gid_tunnel_other_vlan, "ipv6+19:2", "ROC015=ipv6+35:2",
	  "GIDs of VLAN 5, which is only the tunnel's" },
	{ "ROC015", MK_MISSES, gid_tunnel_same_vlan, NULL, NULL,
	  "VLAN 5 in a tunnel that is in VLAN 4" },
	{ "ROC015", MK_MISSES, gid_tunnel_untagged, NULL, NULL,
	  "no tag in a tunnel that is in VLAN 4" },
	{ "ROC014", MK_MISSES, gid_v1_vlan_other_both, NULL, NULL,
	  "neither MAC nor VLAN of the frame" },
	{ "ROC015", MK_MISSES, gid_v1_vlan_other_both, NULL, NULL,
	  "neither MAC nor VLAN of the frame" },
	{ "ROC015", MK_MISSES, gid_v1_vlan, NULL, NULL, "GID of VLAN 5, frame in VLAN 5" },
	{ "ROC015", MK_MISSES, gid_v1_vlan_untagged, NULL, NULL, "GID of VLAN 5, no tag" },
	{ "ROC015", MK_MISSES, gid_v1_vlan_other_mac, NULL, "ROC014=grh.sgid",
	  "another MAC, the same VLAN" },
	{ "ROC016", MK_FIRES, group_ipv4_24_bits, "eth.dst", NULL,
	  "24 bits of the address in the MAC" },
	{ "ROC016", MK_FIRES, group_ipv4_as_ipv6, "eth.dst", NULL, "the MAC of an IPv6 group" },
	{ "ROC016", MK_FIRES, group_ipv4_unicast, "eth.dst", NULL, "a unicast MAC" },
	{ "ROC016", MK_FIRES, group_v1_other, "eth.dst", NULL, "RoCE v1, the last byte wrong" },
	{ "ROC016", MK_FIRES, group_ipv6_other, "eth.dst", NULL, "IPv6, the last byte wrong" },
	{ "ROC016", MK_MISSES, group_ipv4_good, NULL, NULL, "23 bits of the address in the MAC" },
	{ "ROC016", MK_MISSES, group_v1_good, NULL, NULL, "RoCE v1, an IPv4 group, 33:33" },
	{ "ROC023", MK_FIRES, vlan_0, "vlan.vid", NULL, "RoCE v1 in VLAN 0" },
	{ "ROC023", MK_MISSES, vlan_0_of_v2, NULL, NULL, "RoCE v2 in VLAN 0" },
	{ "ROC023", MK_MISSES, gid_v1_vlan, NULL, NULL, "RoCE v1 in VLAN 5" },
	{ 0 },
};

/* ---- Whole files ---- */

static void put_ipv6(struct mk_capture *c, bool checksum_too)
{
	struct mk_packet p = { .serial = c->frames };

	mk_plain(&p, MK_ROCE_V2_IPV6, IBW_OP_RC_SEND_ONLY, 64);
	if (checksum_too)
		mk_fix_udp_checksum(&p);
	mk_put(c, &p);
}

/* Said of the file, at the first of them. */
static void fire_no_checksum(struct mk_capture *c)
{
	static const struct mk_packet none;

	mk_fires(c, &none, "ROC007", "udp/file");
}

static void no_checksum(struct mk_capture *c)
{
	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	put_ipv6(c, true);
	mk_misses(c, "ROC007", NULL);
	put_ipv6(c, false);
	fire_no_checksum(c);
	put_ipv6(c, false);
	mk_misses(c, "ROC007", NULL); /* said once, at the first */
}

/* @n packets with a MAC of zeros, and one with both MACs. */
static void macs_zero(struct mk_capture *c, enum mk_framing framing, unsigned int n, bool src,
		      bool dst, bool fires)
{
	static const struct mk_packet none;
	struct mk_packet p;
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 0; i < n; i++) {
		memset(&p, 0, sizeof(p));
		mk_start(&p, framing, IBW_OP_UD_SEND_ONLY, 64);
		if (src)
			memset(p.eth.src, 0, sizeof(p.eth.src));
		if (dst)
			memset(p.eth.dst, 0, sizeof(p.eth.dst));
		mk_build(&p);
		mk_put(c, &p);
		if (i == 0 && fires)
			mk_fires(c, &none, "ROC027", "eth/file");
		else
			mk_misses(c, "ROC027", "bth"); /* said once, at the first */
	}
	memset(&p, 0, sizeof(p));
	mk_plain(&p, framing, IBW_OP_UD_SEND_ONLY, 64);
	mk_put(c, &p);
	mk_misses(c, "ROC027", "bth");
}

static void two_sources_zero(struct mk_capture *c)
{
	macs_zero(c, MK_ROCE_V2_IPV4, 2, true, false, false);
}

static void sources_zero(struct mk_capture *c)
{
	macs_zero(c, MK_ROCE_V2_IPV4, 3, true, false, true);
}

static void destinations_zero(struct mk_capture *c)
{
	macs_zero(c, MK_ROCE_V2_IPV4_VLAN, 4, false, true, true);
}

/* As on a loopback interface. */
static void macs_both_zero(struct mk_capture *c)
{
	macs_zero(c, MK_ROCE_V2_IPV4, 4, true, true, false);
}

/* The frame in the tunnel is the one that RoCE is in. */
static void sources_zero_in_tunnel(struct mk_capture *c)
{
	macs_zero(c, MK_VXLAN_IPV4, 4, true, false, true);
}

/* The next packet of a WRITE, with @dscp. */
static void part(struct mk_capture *c, struct mk_packet *p, uint8_t opcode, uint32_t payload,
		 uint8_t dscp)
{
	memset(p, 0, sizeof(*p));
	mk_start(p, MK_ROCE_V2_IPV4, opcode, payload);
	p->bth.psn = c->frames;
	p->ipv4.dscp = dscp;
	mk_build(p);
}

static void whole(struct mk_capture *c, uint32_t payload)
{
	struct mk_packet p;

	part(c, &p, payload == 1024 ? IBW_OP_RC_RDMA_WRITE_MIDDLE : IBW_OP_RC_SEND_ONLY, payload,
	     26);
	mk_put(c, &p);
	mk_misses(c, "ROC029", "bth");
}

/* What a switch does to packets that it trims. */
struct trimming {
	uint8_t opcode, dscp;
	bool corrects;      /* the lengths */
	const char *others; /* the rule that others fire, where it is no trimming */
};

/* Trimmed to @bytes; @first: the first of them. */
static void trimmed(struct mk_capture *c, const struct trimming *t, uint32_t bytes, bool first)
{
	struct mk_packet p;

	part(c, &p, t->opcode, 1024, t->dscp);
	p.len = p.caplen = bytes;
	if (t->corrects) {
		ibw_ipv4_set_total_len(MK_AT(&p, ipv4), (uint16_t)(bytes - ibw_eth_BYTES));
		ibw_udp_set_length(MK_AT(&p, udp),
				   (uint16_t)(bytes - ibw_eth_BYTES - ibw_ipv4_BYTES));
		p.icrc_off = bytes - IBW_ICRC_BYTES;
		mk_fix_ip_checksum(&p);
	}
	mk_put(c, &p);
	if (t->others)
		mk_fires(c, &p, t->others, t->corrects ? "bth/icrc" : "udp.length");
	if (first && !t->others)
		mk_event_fires(c, "ROC029", "udp");
	else
		mk_misses(c, "ROC029", "udp");
}

/* @n packets are trimmed, the last of them to @last bytes, between others of @payload bytes. */
static void trims(struct mk_capture *c, const struct trimming *t, unsigned int n, uint32_t last,
		  uint32_t payload)
{
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	whole(c, payload);
	whole(c, payload);
	for (i = 0; i < n; i++)
		trimmed(c, t, i == n - 1 ? last : last + last % 2, i == 0);
	whole(c, payload);
}

#define TRIMS(name, n, last, payload, ...)                                                         \
	static void name(struct mk_capture *c)                                                     \
	{                                                                                          \
		static const struct trimming t = { __VA_ARGS__ };                                  \
		trims(c, &t, n, last, payload);                                                    \
	}
TRIMS(trims_2, 2, 256, 1024, IBW_OP_RC_RDMA_WRITE_MIDDLE, 25, false, "ROC005")
TRIMS(trims_3, 3, 256, 1024, IBW_OP_RC_RDMA_WRITE_MIDDLE, 25, false, NULL)
TRIMS(trims_4, 4, 256, 1024, IBW_OP_RC_RDMA_WRITE_LAST, 25, false, NULL)
TRIMS(trims_longest, 4, 256, 64, IBW_OP_RC_SEND_ONLY, 25, false, NULL) /* no frame is longer */
TRIMS(trims_corrected, 3, 258, 1024, IBW_OP_RC_RDMA_WRITE_MIDDLE, 25, true, NULL)
/* The same class; other lengths; corrected, and nothing says more; corrected, and no other is longer. */
TRIMS(cut_same_dscp, 3, 256, 1024, IBW_OP_RC_RDMA_WRITE_MIDDLE, 26, false, "ROC005")
TRIMS(cut_two_lengths, 3, 255, 1024, IBW_OP_RC_RDMA_WRITE_MIDDLE, 25, false, "ROC005")
TRIMS(bad_last, 3, 258, 1024, IBW_OP_RC_RDMA_WRITE_LAST, 25, true, "CRC001")
TRIMS(bad_middle, 3, 258, 64, IBW_OP_RC_RDMA_WRITE_MIDDLE, 25, true, "CRC001")

/*
 * Packets of the host 192.0.2.1, 1 us apart: x and y from two MACs of it, X and Y to these, c the last one again from
 * the other MAC. The one of @at, from 1, fires ROC028, or a note; 0: none does.
 */
static void two_macs(struct mk_capture *c, const char *steps, uint8_t ttl, unsigned int at,
		     bool note)
{
	struct mk_packet p = { 0 };
	unsigned int i, psn = 0;
	uint32_t swap;
	bool other;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 0; steps[i]; i++) {
		psn += steps[i] != 'c';
		other = steps[i] == 'y' || steps[i] == 'Y' || steps[i] == 'c';
		memset(&p, 0, sizeof(p));
		mk_start(&p, MK_ROCE_V2_IPV4, IBW_OP_UD_SEND_ONLY, 64);
		p.bth.psn = psn;
		p.ipv4.ttl = ttl;
		p.eth.src[4] ^= other ? 0x10 : 0;
		if (steps[i] == 'X' || steps[i] == 'Y') {
			uint8_t mac[6];

			swap = p.ipv4.src;
			p.ipv4.src = p.ipv4.dst;
			p.ipv4.dst = swap;
			memcpy(mac, p.eth.src, 6);
			memcpy(p.eth.src, p.eth.dst, 6);
			memcpy(p.eth.dst, mac, 6);
		}
		mk_build(&p);
		mk_put(c, &p);
		if (i + 1 == at && note)
			mk_event_fires_milder(c, "ROC028", "eth");
		else if (i + 1 == at)
			mk_event_fires(c, "ROC028", "eth");
		else
			mk_misses(c, "ROC028", "bth");
	}
}

#define TWO_MACS(name, steps, ttl, at, note)                                                       \
	static void name(struct mk_capture *c)                                                     \
	{                                                                                          \
		two_macs(c, steps, ttl, at, note);                                                 \
	}
TWO_MACS(macs_in_turn, "xXyXxYyXxY", 64, 3, false)
TWO_MACS(macs_of_bond, "xXyXxXyXxX", 255, 3, true)
TWO_MACS(macs_one_back, "xXyXxYyY", 128, 3, true) /* one change of what is sent to it */
/* A failover and its end; two routers; all packets twice, and one of them. */
TWO_MACS(macs_failover, "xXyYyYxXxX", 64, 0, false)
TWO_MACS(macs_of_routers, "xXyXxYyXxY", 63, 0, false)
TWO_MACS(macs_copies, "xcxcxcxcxcxc", 64, 0, false)
TWO_MACS(macs_some_copies, "xcxyxyxyxyxyxy", 64, 2, true)

/*
 * ARP and RoCE of 192.0.2.1 (a), which asks, and 192.0.2.2 (b), which has two MACs, a step each @apart_ns:
 *	?	a asks for b	1 2	b answers from its first, its second MAC	f	a third host asks a for its MAC
 *	3	b answers the third host from its second MAC	!	b tells everybody that it is at its second MAC
 *	x X	a sends to the first, the second of them	y Y	b sends from it
 * The packet of @at, from 1, fires ROC028, or a note; 0: none does.
 */
struct arp_steps {
	const char *steps;
	uint64_t apart_ns;
	unsigned int at;
	bool note;
};

#define ARP_A 0xc0000201u
#define ARP_B 0xc0000202u
#define ARP_C 0xc0000203u

static void arp_frame(struct mk_packet *p, uint16_t op, uint32_t from, const uint8_t from_mac[6],
		      uint32_t to, const uint8_t to_mac[6])
{
	struct ibw_arp arp = { .htype = IBW_ARP_HTYPE_ETHERNET,
			       .ptype = IBW_ETHERTYPE_IPV4,
			       .hlen = 6,
			       .plen = 4,
			       .op = op,
			       .spa = from,
			       .tpa = to };
	uint8_t body[ibw_arp_BYTES];

	memcpy(arp.sha, from_mac, 6);
	if (op == IBW_ARP_REPLY)
		memcpy(arp.tha, to_mac, 6);
	ibw_arp_pack(ibw_arp_view_mut(body, sizeof(body)), &arp);
	mk_eth_frame(p, IBW_ETHERTYPE_ARP, body, sizeof(body));
	ibw_eth_set_dst(MK_AT(p, eth), to_mac);
	ibw_eth_set_src(MK_AT(p, eth), from_mac);
}

static void arp_step(struct mk_packet *p, char step, unsigned int psn)
{
	static const uint8_t all[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	static const uint8_t a[6] = { 2, [5] = 0xa }, c[6] = { 2, [5] = 0xc };
	static const uint8_t b[2][6] = { { 2, [5] = 0xb1 }, { 2, [5] = 0xb2 } };
	bool other = step == 'X' || step == 'Y', back = step == 'y' || step == 'Y';

	switch (step) {
	case '?':
		arp_frame(p, IBW_ARP_REQUEST, ARP_A, a, ARP_B, all);
		break;
	case '1':
	case '2':
		arp_frame(p, IBW_ARP_REPLY, ARP_B, b[step - '1'], ARP_A, a);
		break;
	case 'f':
		arp_frame(p, IBW_ARP_REQUEST, ARP_C, c, ARP_B, all);
		break;
	case '3':
		arp_frame(p, IBW_ARP_REPLY, ARP_B, b[1], ARP_C, c);
		break;
	case '!':
		arp_frame(p, IBW_ARP_REQUEST, ARP_B, b[1], ARP_B, all);
		break;
	default:
		mk_start(p, MK_ROCE_V2_IPV4, IBW_OP_UD_SEND_ONLY, 64);
		p->bth.psn = psn;
		p->ipv4.ttl = 64;
		p->ipv4.src = back ? ARP_B : ARP_A;
		p->ipv4.dst = back ? ARP_A : ARP_B;
		memcpy(p->eth.src, back ? b[other] : a, 6);
		memcpy(p->eth.dst, back ? a : b[other], 6);
		mk_build(p);
	}
}

static void arp_capture(struct mk_capture *c, const struct arp_steps *s)
{
	struct mk_packet p;
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 0; s->steps[i]; i++) {
		memset(&p, 0, sizeof(p));
		arp_step(&p, s->steps[i], i);
		mk_put_at(c, &p, 0, c->time_ns + s->apart_ns);
		if (i + 1 == s->at && s->note)
			mk_event_fires_milder(c, "ROC028", "eth");
		else if (i + 1 == s->at)
			mk_event_fires(c, "ROC028", "eth");
		else
			mk_misses(c, "ROC028", "eth");
	}
	if (!strpbrk(s->steps, "xXyY"))
		mk_file_fires(c, "CAP011");
}

#define ARP_STEPS(name, ...)                                                                       \
	static void name(struct mk_capture *c)                                                     \
	{                                                                                          \
		static const struct arp_steps s = { __VA_ARGS__ };                                 \
                                                                                                   \
		arp_capture(c, &s);                                                                \
	}
/* Two answers to one request; to two of them: it moved in between; each host has an answer of its own. Two answers, and no RoCE. */
ARP_STEPS(arp_two_answers, "?12xxxx", 1000, 3, false)
ARP_STEPS(arp_moved_between, "?1?2XXXX", 1000, 0, false)
ARP_STEPS(arp_each_its_own, "?f13xxxx", 1000, 0, false)
ARP_STEPS(arp_answered_again, "?11xxxx", 1000, 0, false)
ARP_STEPS(arp_without_roce, "?12?12", 1000, 0, false)
/* At its second MAC from frame 6 on, as it tells everybody; a sends to the first, as b does from it, or not. */
ARP_STEPS(arp_moved, "?1xyx!xxxx", 600000000, 8, false)
ARP_STEPS(arp_moved_not_answered, "yxx!xXXxxx", 600000000, 8, false)
ARP_STEPS(arp_moved_and_sends, "?1xyx!xyxyxyx", 600000000, 9, true)
/* Two packets are few; all within a second; the third host alone was told; it goes on at the new one. */
ARP_STEPS(arp_moved_two, "?1xyx!xxx", 600000000, 0, false)
ARP_STEPS(arp_moved_soon, "?1xyx!xxxxxx", 1000000, 0, false)
ARP_STEPS(arp_moved_unheard, "?1xyx3xxxxxx", 600000000, 0, false)
ARP_STEPS(arp_moved_followed, "?1xyx!XYXYX", 600000000, 0, false)

static const struct mk_file_case files[] = {
	{ "no-checksum.pcap", no_checksum },
	{ "trims-2.pcap", trims_2 },
	{ "trims-3.pcap", trims_3 },
	{ "trims-4.pcap", trims_4 },
	{ "trims-longest.pcap", trims_longest },
	{ "trims-corrected.pcap", trims_corrected },
	{ "cut-same-dscp.pcap", cut_same_dscp },
	{ "cut-two-lengths.pcap", cut_two_lengths },
	{ "bad-last.pcap", bad_last },
	{ "bad-middle.pcap", bad_middle },
	{ "two-from-mac-zero.pcap", two_sources_zero },
	{ "from-mac-zero.pcap", sources_zero },
	{ "to-mac-zero.pcap", destinations_zero },
	{ "macs-both-zero.pcap", macs_both_zero },
	{ "tunnel-from-mac-zero.pcap", sources_zero_in_tunnel },
	{ "macs-in-turn.pcap", macs_in_turn },
	{ "macs-of-bond.pcap", macs_of_bond },
	{ "macs-one-back.pcap", macs_one_back },
	{ "macs-failover.pcap", macs_failover },
	{ "macs-of-routers.pcap", macs_of_routers },
	{ "macs-copies.pcap", macs_copies },
	{ "macs-some-copies.pcap", macs_some_copies },
	{ "said-by-arp-two-answers.pcap", arp_two_answers },
	{ "said-by-arp-moved-between.pcap", arp_moved_between },
	{ "said-by-arp-each-its-own.pcap", arp_each_its_own },
	{ "said-by-arp-answered-again.pcap", arp_answered_again },
	{ "said-by-arp-without-roce.pcap", arp_without_roce },
	{ "said-by-arp-moved.pcap", arp_moved },
	{ "said-by-arp-moved-not-answered.pcap", arp_moved_not_answered },
	{ "said-by-arp-moved-and-sends.pcap", arp_moved_and_sends },
	{ "said-by-arp-moved-two.pcap", arp_moved_two },
	{ "said-by-arp-moved-soon.pcap", arp_moved_soon },
	{ "said-by-arp-moved-unheard.pcap", arp_moved_unheard },
	{ "said-by-arp-moved-followed.pcap", arp_moved_followed },
	{ 0 },
};

static const struct mk_claim claims[] = {
	{ "ROC", NULL, MK_IN_V1 | MK_IN_V2, "RDMA over Converged Ethernet" },
	{ "ROC001", NULL, MK_IN_V2, "of UDP and IP" },
	{ "ROC002", NULL, MK_IN_V2, "of UDP and IP" },
	{ "ROC005", NULL, MK_IN_V2, "of UDP and IP" },
	{ "ROC006", NULL, MK_IN_V2, "of UDP and IP" },
	{ "ROC008", NULL, MK_IN_V2, "of UDP and IP" },
	{ "ROC011", NULL, MK_IN_V2, "of UDP and IP" },
	{ "ROC009", NULL, MK_IN_IPV4, "of IPv4" },
	{ "ROC010", NULL, MK_IN_IPV4, "of IPv4" },
	{ "ROC014", NULL, MK_IN_V1 | MK_IN_IPV6, "GIDs; an IPv4 address holds no MAC" },
	{ "ROC015", NULL, MK_IN(ROCE_V1_VLAN), "the VLAN of the frame is compared" },
	{ "ROC015", gid_v2_vlan_other_vlan, 0, "RoCE v2 has no VLAN here but with IPv4" },
	{ "ROC015", gid_tunnel_other_vlan, 0, "of two tags" },
	{ "ROC023", NULL, MK_IN(ROCE_V1_VLAN), "a tag of VLAN 0, and ethertype 0x8915" },
	{ "ROC014", gid_v1_vlan_other_mac, MK_IN(ROCE_V1_VLAN),
	  "the VLAN of the frame is in the GID" },
	{ "ROC016", group_ipv4_24_bits, MK_IN_IPV4, "an IPv4 group" },
	{ "ROC016", group_ipv4_as_ipv6, MK_IN_IPV4, "an IPv4 group" },
	{ "ROC016", group_ipv4_unicast, MK_IN_IPV4, "an IPv4 group" },
	{ "ROC016", group_v1_other, MK_IN_V1, "a DGID" },
	{ "ROC016", group_ipv6_other, MK_IN_IPV6, "an IPv6 group" },
	{ 0 },
};

const struct mk_group mk_lint_roc = { "roc", cases, files, claims };
