/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_link.c - what happens below the transport: records, padding, fragments, pause, raw packets. */
#include <string.h>

#include "make.h"

static void begin(struct mk_capture *c, struct mk_packet *p, const char *name, uint32_t linktype)
{
	memset(p, 0, sizeof(*p));
	mk_file_begin(c, name, false);
	mk_pcap(c, linktype, 0, MK_NANO);
}

static void put_next(struct mk_capture *c, struct mk_packet *p)
{
	mk_put(c, p);
	p->serial++;
}

/* Every ERF record type, with 0, 1 and 8 extension headers. */
static void write_erf(void)
{
	static const uint8_t eth_types[] = { IBW_ERF_ETH, IBW_ERF_COLOR_ETH, IBW_ERF_DSM_COLOR_ETH,
					     IBW_ERF_COLOR_HASH_ETH };
	static const unsigned int extensions[] = { 0, 1, 8 };
	struct mk_capture c;
	struct mk_packet p;
	unsigned int i, j;

	begin(&c, &p, "erf.pcap", IBW_LINKTYPE_ERF);
	for (j = 0; j < 3; j++) {
		for (i = 0; i < sizeof(eth_types); i++) {
			mk_start(&p, MK_ERF_IPV4, IBW_OP_UC_SEND_ONLY, 10);
			p.erf.type = eth_types[i];
			p.n_erf_ext = extensions[j];
			mk_build(&p);
			put_next(&c, &p);
		}
		mk_start(&p, MK_ERF_IB_GLOBAL, IBW_OP_UC_SEND_ONLY, 10);
		p.n_erf_ext = extensions[j];
		mk_build(&p);
		put_next(&c, &p);
	}
	mk_file_end(&c);
}

/* Flow control packets of every lane, normal and initialising. */
static void write_linkpkt(void)
{
	struct mk_capture c;
	struct mk_packet p;
	unsigned int vl;

	begin(&c, &p, "linkpkt.erf.pcap", IBW_LINKTYPE_ERF);
	for (vl = 0; vl < 16; vl++) {
		mk_linkpkt(&p, (uint8_t)vl);
		put_next(&c, &p);
		ibw_linkpkt_set_op(MK_AT(&p, linkpkt), IBW_LINKPKT_FLOW_INIT);
		mk_fix_vcrc(&p);
		put_next(&c, &p);
	}
	mk_file_end(&c);
}

static void write_raw_ib(void)
{
	struct mk_capture c;
	struct mk_packet p;
	uint32_t n;

	begin(&c, &p, "raw-ib.pcap", IBW_LINKTYPE_INFINIBAND);
	for (n = 0; n <= 64; n += 32) {
		mk_raw_ib(&p, IBW_LNH_RAW, n);
		put_next(&c, &p);
		mk_raw_ib(&p, IBW_LNH_IPV6, n);
		put_next(&c, &p);
	}
	mk_file_end(&c);
}

/* What is after a short frame: nothing, padding, an FCS, both. Neither is an ICRC. */
static void write_padding(void)
{
	static const enum mk_framing framings[] = { MK_ROCE_V2_IPV4, MK_ROCE_V2_IPV4_VLAN,
						    MK_ROCE_V1, MK_ROCE_V2_IPV6, MK_VXLAN_IPV4 };
	struct mk_capture c;
	struct mk_packet p;
	unsigned int i, trailer;
	uint32_t n;

	begin(&c, &p, "padding.pcap", IBW_LINKTYPE_ETHERNET);
	for (i = 0; i < sizeof(framings) / sizeof(framings[0]); i++) {
		for (n = 0; n < 2; n++) {
			for (trailer = 0; trailer < 4; trailer++) {
				mk_start(&p, framings[i], IBW_OP_UC_SEND_ONLY, n);
				p.min_len = trailer & 1 ? 60 : 0;
				p.fcs = (trailer & 2) != 0;
				mk_build(&p);
				put_next(&c, &p);
			}
		}
	}
	mk_file_end(&c);
}

/* The first @n bytes after the IP header of a whole packet as its first fragment. */
static void first_fragment(struct mk_packet *p, uint32_t ip_payload, uint32_t n)
{
	mk_remove(p, ip_payload + n, p->len - ip_payload - n);
}

/* What follows byte @from after the IP header as a further fragment. */
static void later_fragment(struct mk_packet *p, uint32_t ip_payload, uint32_t from)
{
	mk_remove(p, ip_payload, from);
}

#define FRAGMENT 128u /* bytes of the first fragment */

static void write_fragments_ipv4(struct mk_capture *c, struct mk_packet *p)
{
	struct ibw_ipv4_wire *ip;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		mk_plain(p, MK_ROCE_V2_IPV4, IBW_OP_UD_SEND_ONLY, 200);
		ip = MK_AT(p, ipv4);
		ibw_ipv4_set_df(ip, 0);
		if (i == 0) {
			first_fragment(p, p->off[IBW_LAYER_udp], FRAGMENT);
			ibw_ipv4_set_mf(ip, 1);
		} else {
			later_fragment(p, p->off[IBW_LAYER_udp], FRAGMENT);
			ibw_ipv4_set_frag_off(ip, FRAGMENT / 8);
		}
		ibw_ipv4_set_total_len(ip, (uint16_t)(p->len - p->off[IBW_LAYER_ipv4]));
		mk_fix_ip_checksum(p);
		mk_put(c, p);
	}
	p->serial++;
}

/* RFC 8200, 4.5: next header, reserved, offset in units of 8 and M, identification. */
static void write_fragments_ipv6(struct mk_capture *c, struct mk_packet *p)
{
	uint8_t *ext;
	uint32_t at;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		mk_plain(p, MK_ROCE_V2_IPV6, IBW_OP_UD_SEND_ONLY, 200);
		at = p->off[IBW_LAYER_udp];
		if (i == 0)
			first_fragment(p, at, FRAGMENT);
		else
			later_fragment(p, at, FRAGMENT);
		mk_insert(p, at, 8);
		ext = p->b + at;
		ext[0] = IBW_IP_PROTO_UDP;
		ibw_put_be16(ext + 2, i == 0 ? 1 : FRAGMENT / 8 << 3);
		ibw_put_be32(ext + 4, 0x1234);
		ibw_ipv6_set_nxthdr(MK_AT(p, ipv6), IBW_IP_PROTO_FRAGMENT);
		ibw_ipv6_set_paylen(MK_AT(p, ipv6),
				    (uint16_t)(p->len - p->off[IBW_LAYER_ipv6] - ibw_ipv6_BYTES));
		mk_put(c, p);
	}
	p->serial++;
}

static void write_fragments(void)
{
	struct mk_capture c;
	struct mk_packet p;

	begin(&c, &p, "fragments.pcap", IBW_LINKTYPE_ETHERNET);
	write_fragments_ipv4(&c, &p);
	write_fragments_ipv6(&c, &p);
	mk_file_end(&c);
}

/* CNPs, and data packets with every congestion bit: none of them changes the ICRC. */
static void write_congestion(void)
{
	static const enum mk_framing framings[] = { MK_ROCE_V2_IPV4, MK_ROCE_V2_IPV6, MK_ROCE_V1 };
	static const uint8_t opcodes[] = { IBW_OP_CNP, IBW_OP_RC_SEND_ONLY };
	struct mk_capture c;
	struct mk_packet p;
	unsigned int i, j, bits;

	begin(&c, &p, "congestion.pcap", IBW_LINKTYPE_ETHERNET);
	for (i = 0; i < sizeof(framings) / sizeof(framings[0]); i++) {
		for (j = 0; j < 2; j++) {
			for (bits = 0; bits < 4; bits++) {
				mk_start(&p, framings[i], opcodes[j], j ? 64 : 0);
				p.bth.fecn = bits & 1;
				p.bth.becn = bits >> 1 & 1;
				if (j)
					p.ipv4.ecn = p.ipv6.ecn = bits & 3;
				mk_build(&p);
				put_next(&c, &p);
			}
		}
	}
	mk_file_end(&c);
}

static void write_pause(void)
{
	static const uint8_t multicast[6] = { 0x01, 0x80, 0xc2, 0, 0, 0x01 };
	struct ibw_pause pause = { .opcode = IBW_MAC_CONTROL_PAUSE, .quanta = 0xffff };
	struct ibw_pfc pfc = { .opcode = IBW_MAC_CONTROL_PFC };
	uint8_t body[ibw_pfc_BYTES];
	struct mk_capture c;
	struct mk_packet p;
	unsigned int priority;

	begin(&c, &p, "pause.pcap", IBW_LINKTYPE_ETHERNET);
	ibw_pause_pack(ibw_pause_view_mut(body, sizeof(body)), &pause);
	mk_eth_frame(&p, IBW_ETHERTYPE_MAC_CONTROL, body, ibw_pause_BYTES);
	ibw_eth_set_dst(MK_AT(&p, eth), multicast);
	put_next(&c, &p);
	for (priority = 0; priority < 8; priority++) {
		pfc.enable = (uint8_t)(1u << priority);
		memset(pfc.quanta, 0, sizeof(pfc.quanta));
		pfc.quanta[priority] = (uint16_t)(0x100 + priority);
		ibw_pfc_pack(ibw_pfc_view_mut(body, sizeof(body)), &pfc);
		mk_eth_frame(&p, IBW_ETHERTYPE_MAC_CONTROL, body, ibw_pfc_BYTES);
		ibw_eth_set_dst(MK_AT(&p, eth), multicast);
		put_next(&c, &p);
	}
	mk_file_end(&c);
}

/* ARP request and reply between the two ends every other packet here is between. */
static void write_arp(void)
{
	static const uint8_t broadcast[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	static const uint8_t mac_a[6] = { 0x02, 0, 0, 0, 0, 0x01 };
	static const uint8_t mac_b[6] = { 0x02, 0, 0, 0, 0, 0x02 };
	struct ibw_arp arp = { .htype = IBW_ARP_HTYPE_ETHERNET,
			       .ptype = IBW_ETHERTYPE_IPV4,
			       .hlen = 6,
			       .plen = 4,
			       .op = IBW_ARP_REQUEST,
			       .spa = 0xc0000201,
			       .tpa = 0xc0000202 };
	uint8_t body[ibw_arp_BYTES];
	struct mk_capture c;
	struct mk_packet p;

	begin(&c, &p, "arp.pcap", IBW_LINKTYPE_ETHERNET);
	memcpy(arp.sha, mac_a, 6);
	ibw_arp_pack(ibw_arp_view_mut(body, sizeof(body)), &arp);
	mk_eth_frame(&p, IBW_ETHERTYPE_ARP, body, sizeof(body));
	ibw_eth_set_dst(MK_AT(&p, eth), broadcast);
	put_next(&c, &p);
	arp.op = IBW_ARP_REPLY;
	arp.spa = 0xc0000202;
	arp.tpa = 0xc0000201;
	memcpy(arp.sha, mac_b, 6);
	memcpy(arp.tha, mac_a, 6);
	ibw_arp_pack(ibw_arp_view_mut(body, sizeof(body)), &arp);
	mk_eth_frame(&p, IBW_ETHERTYPE_ARP, body, sizeof(body));
	ibw_eth_set_src(MK_AT(&p, eth), mac_b);
	ibw_eth_set_dst(MK_AT(&p, eth), mac_a);
	put_next(&c, &p);
	mk_file_end(&c);
}

static void write_mads(void)
{
	static const enum mk_framing eth[] = { MK_ROCE_V1, MK_ROCE_V2_IPV4, MK_ROCE_V2_IPV6 };
	struct mk_capture c;
	struct mk_packet p;
	unsigned int i;

	begin(&c, &p, "mad-ib.pcap", IBW_LINKTYPE_INFINIBAND);
	mk_start_smp(&p, MK_IB_LOCAL);
	mk_build(&p);
	put_next(&c, &p);
	mk_start_gsi(&p, MK_IB_LOCAL);
	mk_build(&p);
	put_next(&c, &p);
	mk_start_gsi(&p, MK_IB_GLOBAL);
	mk_build(&p);
	put_next(&c, &p);
	mk_file_end(&c);
	begin(&c, &p, "mad-roce.pcap", IBW_LINKTYPE_ETHERNET);
	for (i = 0; i < sizeof(eth) / sizeof(eth[0]); i++) {
		mk_start_gsi(&p, eth[i]);
		mk_build(&p);
		put_next(&c, &p);
	}
	mk_file_end(&c);
}

void mk_all_link(void)
{
	write_erf();
	write_linkpkt();
	write_raw_ib();
	write_padding();
	write_fragments();
	write_congestion();
	write_pause();
	write_arp();
	write_mads();
}
