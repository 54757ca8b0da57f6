/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc.c - group ROC: RoCE addressing and encapsulation.
 *
 * A healthy RoCE v2 packet over IPv4 passes after a few compares and the checksum of its IP header.
 */
#include <arpa/inet.h>
#include <inttypes.h>

#include <glib.h>

#include "cap.h"
#include "packet.h"
#include "lint/found/found.h"

/* IPv4 and UDP headers, with the packet they are of. */
#define IPV4_AT(p, rule, field, ...) LINT_AT(p, rule, (p)->pkt->net, ipv4, field, __VA_ARGS__)
#define UDP_AT(p, rule, field, ...) LINT_AT(p, rule, (p)->pkt->udp, udp, field, __VA_ARGS__)

/* BTH and ICRC: what a UDP datagram has to have room for. */
#define UDP_LENGTH_MIN (ibw_udp_BYTES + ibw_bth_BYTES + IBW_ICRC_BYTES)

/* Fewer frames with a MAC of zeros may be somebody's test. */
#define MACS_ZERO_MIN 3

/* The addresses as text, for messages. */
struct addresses {
	char src[INET6_ADDRSTRLEN];
	char dst[INET6_ADDRSTRLEN];
};

/* Packets whose source MAC, or whose destination MAC alone, is zero. */
struct macs_zero {
	uint64_t n;
	struct track_frame first;
	struct addresses addresses; /* of the first */
};

/* What is said of the file as a whole. */
struct lint_roc_state {
	uint64_t ipv6_no_checksum;
	struct track_frame ipv6_first;
	struct macs_zero src, dst;
};

struct lint_roc_state *lint_roc_new(void)
{
	return g_new0(struct lint_roc_state, 1);
}

void lint_roc_free(struct lint_roc_state *state)
{
	g_free(state);
}

static const struct ibw_udp_wire *udp_of(const struct ibw_packet *pkt)
{
	return IBW_KNOWN(pkt, udp);
}

static bool is_ipv4(const struct ibw_packet *pkt)
{
	return pkt->span[pkt->net].layer == IBW_LAYER_ipv4;
}

static struct addresses addresses_of(const struct ibw_packet *pkt)
{
	struct addresses text = { "", "" };
	struct ibw_net net;
	int family;

	if (!ibw_packet_net(pkt, &net))
		return text;
	family = net.layer == IBW_LAYER_ipv4 ? AF_INET : AF_INET6;
	inet_ntop(family, net.src, text.src, sizeof(text.src));
	inet_ntop(family, net.dst, text.dst, sizeof(text.dst));
	return text;
}

/* ---- Lengths and options ---- */

static __attribute__((noinline)) void check_lengths(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	struct ibw_net net;
	uint32_t length, ip;

	if (pkt->udp == IBW_NO_SPAN || pkt->flags & IBW_PKT_FRAGMENT || !ibw_packet_net(pkt, &net))
		return;
	length = ibw_udp_length(udp_of(pkt));
	ip = net.payload_len;
	if (length != ip)
		UDP_AT(p, LINT_ROC005, length,
		       "UDP length %u, but the IP header leaves %u bytes for UDP", length, ip);
	else if (net.end + ip > pkt->len)
		UDP_AT(p, LINT_ROC005, length,
		       "UDP and IP say %u bytes, but %u are left in the frame", length,
		       pkt->len - net.end);
	else if (length < UDP_LENGTH_MIN)
		UDP_AT(p, LINT_ROC005, length,
		       "UDP length %u: UDP header, BTH and ICRC alone are %u bytes", length,
		       UDP_LENGTH_MIN);
}

static __attribute__((noinline)) void check_options(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_span *net = &pkt->span[pkt->net];
	uint32_t header = is_ipv4(pkt) ? ibw_ipv4_BYTES : ibw_ipv6_BYTES;

	if (lint_silenced(p, LINT_ROC008))
		return;
	lint_found(p, LINT_ROC008, net->off + header, net->len - header,
		   is_ipv4(pkt) ? "%u bytes of IPv4 options between IP header and UDP"
				: "%u bytes of IPv6 extension headers between IP header and UDP",
		   net->len - header);
}

/* ---- UDP ---- */

/*
 * A sender that leaves the checksum to its NIC hands its own capture the sum of the
 * pseudo header in its place: that is not on the wire.
 */
static __attribute__((noinline)) void check_udp_checksum(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_udp_wire *udp = udp_of(pkt);
	uint32_t off = pkt->span[pkt->udp].off, length = ibw_udp_length(udp);
	const struct ibw_ipv4_wire *ipv4 = IBW_AT(pkt, ipv4);
	uint16_t right;
	uint64_t pseudo;

	if (pkt->flags & (IBW_PKT_FRAGMENT | IBW_PKT_IP_OPTIONS) || length < ibw_udp_BYTES ||
	    off > pkt->caplen || length > pkt->caplen - off)
		return;
	pseudo = ipv4 ? ibw_ipv4_pseudo_sum(ipv4, length)
		      : ibw_ipv6_pseudo_sum(IBW_KNOWN(pkt, ipv6), length);
	right = ibw_udp_checksum_of(pseudo, udp, length);
	if (ibw_udp_checksum(udp) != right && ibw_udp_checksum(udp) != ibw_sum_fold(pseudo))
		UDP_AT(p, LINT_ROC006, checksum,
		       "UDP checksum 0x%04x, should be 0x%04x (or 0, as RoCE v2 sends it)",
		       ibw_udp_checksum(udp), right);
}

/* CNPs and CM packets come with any port from some adapters, and need no path of their own. */
static __attribute__((noinline)) void check_sport(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	uint16_t sport = ibw_udp_sport(udp_of(pkt));

	if (pkt->bth == IBW_NO_SPAN || pkt->opcode == IBW_OP_CNP ||
	    ibw_bth_dqpn(IBW_KNOWN(pkt, bth)) == IBW_QPN_GSI)
		return;
	UDP_AT(p, LINT_ROC002, sport, "UDP source port %u is below 49152 (0xc000)", sport);
}

static void check_udp(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_udp_wire *udp = udp_of(pkt);

	if (ibw_udp_sport(udp) < IBW_ROCE_SPORT_FIRST)
		check_sport(p);
	if (ibw_udp_checksum(udp)) {
		check_udp_checksum(p);
	} else if (!is_ipv4(pkt)) {
		struct lint_roc_state *roc = lint_roc_of(p->lint);

		if (!roc->ipv6_no_checksum++)
			roc->ipv6_first = *p->frame;
	}
}

/* ---- Addresses ---- */

/* The frame's own Ethernet header, the one of the inner frame in a tunnel. NULL: none captured. */
static const struct ibw_eth_wire *eth_of(const struct ibw_packet *pkt)
{
	return IBW_AT(pkt, eth);
}

/* The first tag of that frame, not one of a tunnel around it; IBW_NO_SPAN: none. */
static unsigned int vlan_of(const struct ibw_packet *pkt)
{
	unsigned int i = pkt->eth == IBW_NO_SPAN ? pkt->first : pkt->eth + 1u;

	while (i < pkt->n_spans && pkt->span[i].layer != IBW_LAYER_vlan)
		i++;
	return i < pkt->n_spans ? i : IBW_NO_SPAN;
}

/* Its VLAN, IBW_VLAN_NONE if it has no tag. */
static uint16_t frame_vlan(const struct ibw_packet *pkt)
{
	unsigned int i = vlan_of(pkt);

	return i == IBW_NO_SPAN ? IBW_VLAN_NONE : ibw_vlan_vid(ibw_packet_at(pkt, i));
}

#define MAC_TEXT "%02x:%02x:%02x:%02x:%02x:%02x"
#define MAC_BYTES(m) (m)[0], (m)[1], (m)[2], (m)[3], (m)[4], (m)[5]

/*
 * A link-local GID of an Ethernet port holds its MAC, and in RoCE v1 of old a VLAN id.
 * But an interface id may be anything, so one that looks like a VLAN id is taken for
 * one only if either the MAC or the VLAN is that of the frame.
 */
static void check_link_local(const struct lint_packet *p, const uint8_t *gid, const uint8_t *mac,
			     const char *which)
{
	uint32_t off = (uint32_t)(gid - p->pkt->data);
	uint16_t vlan = ibw_gid_vlan(gid), frame = frame_vlan(p->pkt);
	uint8_t want[IBW_MAC_BYTES];
	bool same;

	ibw_gid_to_mac(want, gid);
	same = ibw_mac_equal(want, mac);
	if (!same && (ibw_gid_is_eui64(gid) || (vlan != IBW_VLAN_NONE && vlan == frame)))
		lint_found(p, LINT_ROC014, off, IBW_GID_BYTES,
			   "%s GID is of MAC " MAC_TEXT ", but the frame's is " MAC_TEXT, which,
			   MAC_BYTES(want), MAC_BYTES(mac));
	if (same && vlan != IBW_VLAN_NONE && frame != IBW_VLAN_NONE && vlan != frame)
		lint_found(p, LINT_ROC015, off + 11, 2,
			   "%s GID is of VLAN %u, but the frame is in VLAN %u", which, vlan, frame);
}

/* @kind is how the MAC was made, for the message. */
static void check_mcast_mac(const struct lint_packet *p, const uint8_t *want, const char *kind)
{
	const struct ibw_eth_wire *eth = eth_of(p->pkt);

	if (eth && !ibw_mac_equal(ibw_eth_dst(eth), want))
		LINT_AT(p, LINT_ROC016, p->pkt->eth, eth, dst,
			"to " MAC_TEXT ", but the MAC of the %s is " MAC_TEXT,
			MAC_BYTES(ibw_eth_dst(eth)), kind, MAC_BYTES(want));
}

/* An IPv6 address or a GID: both are 16 bytes, and the same rules hold. */
static void check_gids(const struct lint_packet *p, const uint8_t *src, const uint8_t *dst)
{
	const struct ibw_eth_wire *eth = eth_of(p->pkt);
	uint8_t mac[IBW_MAC_BYTES];

	if (!eth)
		return;
	if (ibw_gid_is_link_local(src))
		check_link_local(p, src, ibw_eth_src(eth), "source");
	if (ibw_gid_is_link_local(dst))
		check_link_local(p, dst, ibw_eth_dst(eth), "destination");
	if (ibw_gid_is_multicast(dst)) {
		ibw_mcast_gid_to_mac(mac, dst);
		check_mcast_mac(p, mac, "multicast GID");
	}
}

static __attribute__((cold)) void mac_zero(const struct lint_packet *p, struct macs_zero *zero)
{
	if (zero->n++)
		return;
	zero->first = *p->frame;
	zero->addresses = addresses_of(p->pkt);
}

/* Both are zero on a loopback interface. */
static inline void check_macs(const struct lint_packet *p)
{
	static const uint8_t zero[IBW_MAC_BYTES];
	const struct ibw_eth_wire *eth = eth_of(p->pkt);
	bool src, dst;

	if (!eth)
		return;
	src = ibw_mac_equal(ibw_eth_src(eth), zero);
	dst = ibw_mac_equal(ibw_eth_dst(eth), zero);
	if (src && !dst)
		mac_zero(p, &lint_roc_of(p->lint)->src);
	else if (dst && !src)
		mac_zero(p, &lint_roc_of(p->lint)->dst);
}

static void check_ttl(const struct lint_packet *p, unsigned int ttl, uint32_t off)
{
	struct addresses a = addresses_of(p->pkt);

	lint_found(p, LINT_ROC011, off, 1, "%s %u from %s to %s: the first router drops it",
		   is_ipv4(p->pkt) ? "TTL" : "hop limit", ttl, a.src, a.dst);
}

/* ---- The framings ---- */

static __attribute__((noinline)) void check_ipv4_multicast(const struct lint_packet *p,
							   uint32_t dst)
{
	uint8_t mac[IBW_MAC_BYTES];

	ibw_ipv4_mcast_mac(mac, dst);
	check_mcast_mac(p, mac, "multicast address");
}

static __attribute__((cold)) void bad_ip_checksum(const struct lint_packet *p,
						  const struct ibw_ipv4_wire *ip)
{
	IPV4_AT(p, LINT_ROC010, checksum, "IPv4 header checksum 0x%04x, should be 0x%04x%s",
		ibw_ipv4_checksum(ip), ibw_ipv4_checksum_of(ip, p->pkt->span[p->pkt->net].len),
		ibw_ipv4_checksum(ip) ? "" : "; not filled in yet, if captured on the sender");
}

static __attribute__((cold)) void may_fragment(const struct lint_packet *p)
{
	IPV4_AT(p, LINT_ROC009, df, "DF is not set: a router may fragment the packet");
}

/* It is dropped on its way to another network. */
static __attribute__((noinline)) void check_ipv4_ttl(const struct lint_packet *p,
						     const struct ibw_ipv4_wire *ip)
{
	if (ibw_ipv4_src(ip) >> 8 != ibw_ipv4_dst(ip) >> 8)
		check_ttl(p, ibw_ipv4_ttl(ip), p->pkt->span[p->pkt->net].off + ibw_ipv4_ttl_AT / 8);
}

static inline void check_ipv4(const struct lint_packet *p, const struct ibw_ipv4_wire *ip)
{
	const struct ibw_packet *pkt = p->pkt;

	if (!ibw_ipv4_checksum_good(ip, pkt->span[pkt->net].len))
		bad_ip_checksum(p, ip);
	if (!ibw_ipv4_df(ip))
		may_fragment(p);
	if (ibw_ipv4_is_multicast(ibw_ipv4_dst(ip)))
		check_ipv4_multicast(p, ibw_ipv4_dst(ip));
	else if (ibw_ipv4_ttl(ip) <= 1)
		check_ipv4_ttl(p, ip);
}

static __attribute__((noinline)) void check_ipv6(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_ipv6_wire *ip = IBW_KNOWN(pkt, ipv6);
	const uint8_t *src = ibw_ipv6_src(ip), *dst = ibw_ipv6_dst(ip);

	check_gids(p, src, dst);
	if (ibw_ipv6_hop_limit(ip) <= 1 && !ibw_gid_is_multicast(dst) &&
	    ibw_get_be64(src) != ibw_get_be64(dst))
		check_ttl(p, ibw_ipv6_hop_limit(ip),
			  pkt->span[pkt->net].off + ibw_ipv6_hop_limit_AT / 8);
}

static inline void check_v2(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_ipv4_wire *ipv4 = IBW_AT(pkt, ipv4);

	if (ipv4)
		check_ipv4(p, ipv4);
	else
		check_ipv6(p);
	if (pkt->outcome == IBW_MALFORMED || pkt->flags & IBW_PKT_LENGTHS)
		check_lengths(p);
	if (pkt->flags & IBW_PKT_IP_OPTIONS)
		check_options(p);
	check_udp(p);
}

static __attribute__((noinline)) void check_v1(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	const struct ibw_grh_wire *grh = IBW_AT(pkt, grh);
	unsigned int i = vlan_of(pkt);

	if (grh)
		check_gids(p, ibw_grh_sgid(grh), ibw_grh_dgid(grh));
	if (i != IBW_NO_SPAN && ibw_vlan_vid(ibw_packet_at(pkt, i)) == 0)
		LINT_AT(p, LINT_ROC023, i, vlan, vid,
			"ethertype 0x8915 after a priority tag (VID 0, PCP %u)",
			ibw_vlan_pcp(ibw_packet_at(pkt, i)));
}

/* ---- RoCE v2 at another port ---- */

/* What costs nothing to see: a length of whole words, a known opcode, TVer 0, a possible P_Key. */
static bool may_be_bth(const struct ibw_packet *pkt)
{
	const struct ibw_udp_wire *udp = udp_of(pkt);
	uint32_t off = pkt->span[pkt->udp].off + ibw_udp_BYTES, length = ibw_udp_length(udp);
	const struct ibw_bth_wire *bth = ibw_bth_view(pkt->data + off, pkt->caplen - off);

	return bth && length >= UDP_LENGTH_MIN && length % 4 == 0 &&
	       ibw_opcodes[ibw_bth_opcode(bth)].text && ibw_bth_tver(bth) == 0 &&
	       (ibw_bth_pkey(bth) & ~IBW_PKEY_FULL) != 0;
}

/* Only a good ICRC proves it: one in 2^32 has it by chance. */
static __attribute__((noinline)) void check_other_port(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	uint16_t port = ibw_udp_dport(udp_of(pkt));
	const struct ibw_walk_options options = { .roce_ports = &port, .n_roce_ports = 1 };
	struct ibw_packet again;

	if (!may_be_bth(pkt) || !(lint_on(p->lint, LINT_ROC001) || lint_on(p->lint, LINT_CAP011)))
		return;
	ibw_packet_walk(&again, pkt->data, pkt->caplen, pkt->len, pkt->linktype, &options);
	if (again.bth == IBW_NO_SPAN || ibw_packet_icrc(&again).status != IBW_CRC_GOOD)
		return;
	lint_cap_rdma_elsewhere(lint_cap_of(p->lint));
	UDP_AT(p, LINT_ROC001, dport,
	       "UDP destination port %u instead of 4791: %s to QP 0x%06x, with a good ICRC; --roce-port "
	       "%u has it checked",
	       port, ibw_opcodes[again.opcode].text, ibw_bth_dqpn(IBW_KNOWN(&again, bth)), port);
}

void lint_roc(struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;

	if (pkt->proto != IBW_PROTO_OTHER)
		check_macs(p);
	if (pkt->proto == IBW_PROTO_ROCEV2)
		check_v2(p);
	else if (pkt->proto == IBW_PROTO_ROCEV1)
		check_v1(p);
	else if (pkt->udp != IBW_NO_SPAN && !(pkt->flags & IBW_PKT_FRAGMENT))
		check_other_port(p);
	else if (pkt->udp == IBW_NO_SPAN && pkt->net != IBW_NO_SPAN)
		lint_roc_icmp(p);
}

static void finish_macs(struct lint *l, const struct macs_zero *zero, const char *which)
{
	if (zero->n >= MACS_ZERO_MIN)
		lint_file_finding(l, LINT_ROC027, &zero->first,
				  "%" PRIu64
				  " packets have the %s MAC 00:00:00:00:00:00, the first of "
				  "them from %s to %s",
				  zero->n, which, zero->addresses.src, zero->addresses.dst);
}

void lint_roc_finish(struct lint *l, const struct lint_roc_state *roc)
{
	if (roc->ipv6_no_checksum)
		lint_file_finding(l, LINT_ROC007, &roc->ipv6_first,
				  "%" PRIu64 " RoCE v2 packets over IPv6 have the UDP checksum 0",
				  roc->ipv6_no_checksum);
	finish_macs(l, &roc->src, "source");
	finish_macs(l, &roc->dst, "destination");
}
