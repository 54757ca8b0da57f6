/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_cap.c - the cases of group CAP. */
#include <string.h>

#include "make_case.h"

/* ---- One packet: cut, padded, in fragments ---- */

#define CUT_BEHIND(name, bytes) mk_cut(p, p->off[IBW_LAYER_##name] + (bytes))
BROKEN(cut_in_payload, ROCE_V2_IPV4, RC_RDMA_WRITE_ONLY, 256, mk_cut(p, p->payload_off + 58))
BROKEN(cut_in_icrc, ROCE_V2_IPV4, RC_ACKNOWLEDGE, 0, mk_cut(p, p->len - 1))
BROKEN(cut_in_vcrc, IB_LOCAL, RC_SEND_ONLY, 16, mk_cut(p, p->len - 1))
BROKEN(cut_behind_reth, ROCE_V2_IPV6, RC_RDMA_WRITE_ONLY, 256, CUT_BEHIND(reth, ibw_reth_BYTES))
BROKEN(cut_in_reth, ROCE_V2_IPV4, RC_RDMA_WRITE_ONLY, 256, CUT_BEHIND(reth, ibw_reth_BYTES - 1))
BROKEN(cut_in_bth, ROCE_V1, RC_SEND_ONLY, 256, CUT_BEHIND(bth, 4))
BROKEN(cut_in_udp, ROCE_V2_IPV4, RC_SEND_ONLY, 256, CUT_BEHIND(udp, 6))
BROKEN(cut_in_grh, IB_GLOBAL, RC_SEND_ONLY, 256, CUT_BEHIND(grh, 39))

static void cut_in_padding(struct mk_packet *p)
{
	mk_start(p, MK_ROCE_V2_IPV4, IBW_OP_RC_ACKNOWLEDGE, 0);
	p->min_len = 100;
	mk_build(p);
	mk_cut(p, p->end);
}

static void cut_in_fcs(struct mk_packet *p)
{
	mk_start(p, MK_ROCE_V2_IPV4, IBW_OP_RC_SEND_ONLY, 64);
	p->fcs = true;
	mk_build(p);
	mk_cut(p, p->len - 2);
}

/* Without an IBA transport too there are headers and what they carry. */
static void cut_in_raw_payload(struct mk_packet *p)
{
	mk_raw_ib(p, IBW_LNH_IPV6, 100);
	mk_cut(p, 80);
}

static void cut_in_raw_ipv6(struct mk_packet *p)
{
	mk_raw_ib(p, IBW_LNH_IPV6, 100);
	mk_cut(p, 40);
}

static void cut_in_raw_vcrc(struct mk_packet *p)
{
	mk_raw_ib(p, IBW_LNH_RAW, 100);
	mk_cut(p, p->len - 2);
}

/* @n bytes after all of the packet, the last of them @last. */
static void append(struct mk_packet *p, uint32_t n, uint8_t last)
{
	memset(p->b + p->len, 0, n);
	p->len += n;
	p->b[p->len - 1] = last;
	p->caplen = p->len;
}

BROKEN(trailer_1, ROCE_V2_IPV4, RC_SEND_ONLY, 64, append(p, 1, 0x01))
BROKEN(trailer_4, ROCE_V2_IPV6, RC_SEND_ONLY, 64, append(p, 4, 0x80))
BROKEN(trailer_20, ROCE_V1, RC_SEND_ONLY, 64, append(p, 20, 0x55))
BROKEN(trailer_zeros, ROCE_V2_IPV4, RC_SEND_ONLY, 64, append(p, 20, 0))
BROKEN(trailer_sll, SLL_IPV4, RC_SEND_ONLY, 64, append(p, 4, 1))

static void trailer_padding_fcs(struct mk_packet *p)
{
	mk_start(p, MK_ROCE_V2_IPV4, IBW_OP_RC_ACKNOWLEDGE, 0);
	p->min_len = 160;
	p->fcs = true;
	mk_build(p);
}

static void trailer_leak_fcs(struct mk_packet *p)
{
	trailer_padding_fcs(p);
	p->b[p->fcs_off - 1] = 1;
	mk_fix_fcs(p);
}

static void trailer_fcs_wrong(struct mk_packet *p)
{
	trailer_padding_fcs(p);
	p->b[p->fcs_off] ^= 1;
}

/* What is after the packet is the packet: GRH003. */
static void trailer_paylen_short(struct mk_packet *p)
{
	mk_plain(p, MK_ROCE_V1, IBW_OP_RC_SEND_ONLY, 64);
	ibw_grh_set_paylen(MK_AT(p, grh), ibw_grh_paylen(MK_AT(p, grh)) - 4);
	mk_fix_icrc(p);
}

static void trailer_udp_short(struct mk_packet *p)
{
	struct ibw_udp_wire *udp;

	mk_plain(p, MK_ROCE_V2_IPV4, IBW_OP_RC_SEND_ONLY, 64);
	udp = MK_AT(p, udp);
	ibw_udp_set_length(udp, ibw_udp_length(udp) - 8);
}

STATED(fragment_tunnel, VXLAN_IPV4, RC_SEND_ONLY, 1024, p->outer_ipv4.mf = 1; p->outer_ipv4.df = 0)
STATED(fragment_ipv4, ROCE_V2_IPV4, RC_SEND_ONLY, 1024, p->ipv4.mf = 1; p->ipv4.df = 0)
STATED(fragment_reserved_bit, ROCE_V2_IPV4, RC_SEND_ONLY, 1024, p->ipv4.id = 0xffff)
STATED(fragment_later, ROCE_V2_IPV4, RC_SEND_ONLY, 1024, p->ipv4.frag_off = 64)

/* An IPv6 extension header of 8 bytes between IP and UDP. */
static void extension(struct mk_packet *p, uint8_t type, uint8_t byte3)
{
	uint32_t at;

	mk_plain(p, MK_ROCE_V2_IPV6, IBW_OP_RC_SEND_ONLY, 64);
	at = p->off[IBW_LAYER_udp];
	mk_insert(p, at, 8);
	p->b[at] = IBW_IP_PROTO_UDP;
	p->b[at + 3] = byte3;
	ibw_ipv6_set_nxthdr(MK_AT(p, ipv6), type);
	mk_fix_lengths(p);
}

static void fragment_ipv6(struct mk_packet *p)
{
	extension(p, IBW_IP_PROTO_FRAGMENT, 1);
}

static void extension_ipv6(struct mk_packet *p)
{
	extension(p, IBW_IP_PROTO_DSTOPTS, 0);
}

static const struct mk_case cases[] = {
	{ "CAP004", MK_FIRES, cut_in_payload, "file/cut", NULL,
	  "256 bytes of payload cut after 58" },
	{ "CAP004", MK_FIRES, cut_in_icrc, "file/cut", NULL,
	  "the last byte of the ICRC is missing" },
	{ "CAP004", MK_FIRES, cut_in_vcrc, "file/cut", NULL,
	  "the last byte of the VCRC is missing" },
	{ "CAP004", MK_FIRES, cut_behind_reth, "file/cut", NULL, "cut right after the RETH" },
	{ "CAP004", MK_FIRES, cut_in_raw_payload, "file/cut", "LRH011=lrh.lnh",
	  "raw IPv6 cut in its payload" },
	{ "CAP004", MK_FIRES, cut_in_raw_vcrc, "file/cut", "LRH011=lrh.lnh",
	  "a raw packet without its VCRC" },
	{ "CAP004", MK_MISSES, cut_in_padding, NULL, NULL, "only Ethernet padding is missing" },
	{ "CAP004", MK_MISSES, cut_in_fcs, NULL, NULL, "only half the FCS is missing" },
	{ "CAP004", MK_MISSES, cut_in_reth, NULL, "CAP005=file/reth+0:0",
	  "cut one byte before the end of the RETH" },
	{ "CAP005", MK_FIRES, cut_in_reth, "file/reth+0:0", NULL,
	  "cut one byte before the end of the RETH" },
	{ "CAP005", MK_FIRES, cut_in_bth, "file/bth+0:0", NULL, "cut inside the BTH of RoCE v1" },
	{ "CAP005", MK_FIRES, cut_in_udp, "file/udp+0:0", NULL,
	  "cut inside UDP: not known to be RDMA" },
	{ "CAP005", MK_FIRES, cut_in_grh, "file/grh+0:0", NULL,
	  "cut one byte before the end of the GRH" },
	{ "CAP005", MK_FIRES, cut_in_raw_ipv6, "file/ipv6+0:0", "LRH011=lrh.lnh",
	  "raw IPv6 cut in its header" },
	{ "CAP005", MK_MISSES, cut_in_raw_payload, "ipv6", "CAP004=file/cut LRH011=lrh.lnh",
	  "raw IPv6 cut in its payload" },
	{ "CAP005", MK_MISSES, cut_behind_reth, NULL, "CAP004=file/cut",
	  "cut right after the RETH" },
	{ "CAP013", MK_FIRES, trailer_1, "eth/trailer", NULL, "one byte 0x01 after the packet" },
	{ "CAP013", MK_FIRES, trailer_4, "eth/trailer", NULL,
	  "four bytes after the packet, not its FCS" },
	{ "CAP013", MK_FIRES, trailer_20, "eth/trailer", NULL,
	  "20 bytes after RoCE v1 whose ICRC is good" },
	{ "CAP013", MK_FIRES, trailer_leak_fcs, "eth/trailer", NULL,
	  "padding with a 0x01 in it, and the FCS" },
	{ "CAP013", MK_FIRES, trailer_fcs_wrong, "eth/trailer", NULL,
	  "padding and an FCS with a bit flipped" },
	{ "CAP013", MK_FIRES, trailer_sll, "sll/trailer|eth/trailer", NULL,
	  "four bytes where there can be no FCS" },
	{ "CAP013", MK_MISSES, trailer_zeros, NULL, NULL, "20 zeros after the packet" },
	{ "CAP013", MK_MISSES, trailer_padding_fcs, NULL, NULL, "padding of zeros and the FCS" },
	{ "CAP013", MK_MISSES, trailer_paylen_short, NULL, "GRH003=grh.paylen",
	  "GRH.PayLen leaves out the ICRC, which is then after the packet" },
	{ "CAP013", MK_MISSES, trailer_udp_short, NULL, "ROC005=udp.length",
	  "UDP length 8 too small: what is after it is the packet" },
	{ "CAP015", MK_FIRES, fragment_tunnel, "ipv4/outer_ipv4+6:2", NULL,
	  "MF set outside of a tunnel" },
	{ "CAP015", MK_FIRES, fragment_ipv4, "ipv4+6:2", "ROC009=ipv4.df", "MF set" },
	{ "CAP015", MK_FIRES, fragment_ipv6, "ipv6+40:8", NULL, "an IPv6 fragment header, M set" },
	{ "CAP015", MK_MISSES, fragment_reserved_bit, NULL, NULL, "IP id 0xffff, no fragment" },
	{ "CAP015", MK_MISSES, fragment_later, "ipv4", NULL,
	  "fragment offset 64: may be anything" },
	{ "CAP015", MK_MISSES, extension_ipv6, NULL, "ROC008=ipv6+40:8",
	  "IPv6 destination options" },
	{ 0 },
};

/* ---- Whole files ---- */

static void fire(struct mk_capture *c, const char *rule)
{
	static const struct mk_packet none;

	mk_fires(c, &none, rule, "file");
}

static void put_write(struct mk_capture *c, struct mk_packet *p)
{
	p->serial++;
	mk_plain(p, MK_ROCE_V2_IPV4, IBW_OP_RC_RDMA_WRITE_ONLY, 64);
	mk_put(c, p);
}

static void truncated(struct mk_capture *c)
{
	struct mk_packet p = { 0 };

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	put_write(c, &p);
	mk_misses(c, "CAP001", NULL);
	mk_put_record(c, p.len, p.len, p.b, p.len - 1);
	fire(c, "CAP001");
}

static void truncated_header(struct mk_capture *c)
{
	static const uint8_t half[8];
	struct mk_packet p = { 0 };

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	put_write(c, &p);
	c->frames++;
	if (fwrite(half, sizeof(half), 1, c->file) != 1)
		mk_die("%s cannot be written", c->name);
	fire(c, "CAP001");
}

static void lengths(struct mk_capture *c)
{
	struct mk_packet p = { 0 };

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	put_write(c, &p);
	mk_misses(c, "CAP002", NULL);
	mk_put_record(c, p.len, p.len - 1, p.b, p.len);
	fire(c, "CAP002");
}

static void length_huge(struct mk_capture *c)
{
	struct mk_packet p = { 0 };

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	put_write(c, &p);
	mk_put_record(c, 262145, 262145, p.b, p.len);
	fire(c, "CAP002");
}

static void time_back(struct mk_capture *c)
{
	struct mk_packet p = { 0 };

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	put_write(c, &p);
	mk_put_at(c, &p, 0, c->time_ns + 10000000);
	mk_put_at(c, &p, 0, c->time_ns - 1000000); /* 1 ms exactly: not yet */
	mk_misses(c, "CAP003", NULL);
	mk_put_at(c, &p, 0, c->time_ns - 1000001);
	fire(c, "CAP003");
	mk_put_at(c, &p, 0, c->time_ns - 3000000);
	mk_misses(c, "CAP003", NULL); /* said once, at the first */
}

#define YEAR_NS (UINT64_C(31557600) * 1000000000)

/* A clock that is set: no queue makes packets that late. */
static void time_step(struct mk_capture *c)
{
	struct mk_packet p = { 0 };

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	put_write(c, &p);
	mk_put_at(c, &p, 0, c->time_ns - 48 * YEAR_NS);
	fire(c, "CAP003");
}

/* Two interfaces, each in order, the second a second behind. */
static void time_two_clocks(struct mk_capture *c)
{
	struct mk_packet p = { 0 };
	unsigned int i;

	mk_pcapng(c, MK_NANO);
	mk_pcapng_iface(c, IBW_LINKTYPE_ETHERNET, 0);
	mk_pcapng_iface(c, IBW_LINKTYPE_ETHERNET, 0);
	for (i = 0; i < 4; i++) {
		p.serial++;
		mk_plain(&p, MK_ROCE_V2_IPV4, IBW_OP_RC_RDMA_WRITE_ONLY, 64);
		mk_put_at(c, &p, i & 1,
			  MK_TIME_FIRST + i * UINT64_C(1000) + (i & 1 ? 0 : 1000000000));
		mk_misses(c, "CAP003", NULL);
	}
	mk_file_misses(c, "CAP009");
}

static void unsupported(struct mk_capture *c)
{
	static const uint8_t bytes[64] = { 0x08 };
	struct mk_packet p = { 0 };

	mk_pcap(c, 105, 0, 0); /* IEEE 802.11 */
	mk_bytes(&p, 105, bytes, sizeof(bytes));
	mk_put(c, &p);
	fire(c, "CAP006");
	mk_file_misses(c, "CAP011");
}

static void drops(struct mk_capture *c)
{
	struct mk_packet p = { 0 };

	mk_pcapng(c, MK_NANO);
	mk_pcapng_iface(c, IBW_LINKTYPE_ETHERNET, 0);
	put_write(c, &p);
	mk_pcapng_stats(c, 0, 1, 0, 3);
	mk_file_fires(c, "CAP007");
}

static void no_drops(struct mk_capture *c)
{
	struct mk_packet p = { 0 };

	mk_pcapng(c, MK_NANO);
	mk_pcapng_iface(c, IBW_LINKTYPE_ETHERNET, 0);
	put_write(c, &p);
	mk_pcapng_stats(c, 0, 1, 0, 0);
	mk_file_misses(c, "CAP007");
	mk_misses(c, "CAP006", NULL);
}

static void put_erf(struct mk_capture *c, struct mk_packet *p, uint8_t type, uint16_t lctr)
{
	p->serial++;
	mk_start(p, MK_ERF_IPV4, IBW_OP_RC_RDMA_WRITE_ONLY, 64);
	p->erf.type = type;
	p->erf.lctr = lctr;
	mk_build(p);
	mk_put(c, p);
}

static void erf_drops(struct mk_capture *c)
{
	struct mk_packet p = { 0 };

	mk_pcap(c, IBW_LINKTYPE_ERF, 0, MK_NANO);
	put_erf(c, &p, IBW_ERF_ETH, 0);
	mk_misses(c, "CAP007", NULL);
	put_erf(c, &p, IBW_ERF_COLOR_ETH, 5); /* a color, no count of losses */
	mk_misses(c, "CAP007", NULL);
	put_erf(c, &p, IBW_ERF_ETH, 2);
	fire(c, "CAP007");
	put_erf(c, &p, IBW_ERF_ETH, 1);
}

/* @n packets, of each @every the first again after @gap ns; @routed: as a router sends it on. */
static void put_copies(struct mk_capture *c, unsigned int n, unsigned int twice, unsigned int every,
		       uint64_t gap, bool routed)
{
	struct mk_packet p = { 0 };
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 0; i < n; i++) {
		put_write(c, &p);
		if (i >= twice || i % every)
			continue;
		if (routed) {
			ibw_ipv4_set_ttl(MK_AT(&p, ipv4), 63);
			ibw_ipv4_set_ecn(MK_AT(&p, ipv4), IBW_ECN_CE);
			mk_fix_ip_checksum(&p);
		}
		mk_put_at(c, &p, 0, c->time_ns + gap);
	}
}

static void copies(struct mk_capture *c)
{
	put_copies(c, 200, 8, 1, 9000, true);
	mk_file_fires(c, "CAP008");
}

static void copies_few(struct mk_capture *c)
{
	put_copies(c, 200, 7, 1, 9000, true);
	mk_file_misses(c, "CAP008");
}

/* That look the same, of a sender that numbers its packets: nearly all of them are there twice, or a half. */
static void copies_same(struct mk_capture *c)
{
	put_copies(c, 40, 40, 1, 9000, false);
	mk_file_fires(c, "CAP008");
}

static void copies_half(struct mk_capture *c)
{
	put_copies(c, 40, 40, 2, 9000, false);
	mk_file_misses(c, "CAP008");
}

static void copies_late(struct mk_capture *c)
{
	put_copies(c, 200, 200, 1, 300000, true);
	mk_file_fires(c, "CAP008");
}

/* The clock of the second point is 5 s ahead of the first one's. */
static void copies_clock(struct mk_capture *c)
{
	put_copies(c, 8, 8, 1, UINT64_C(5000000000), true);
	mk_file_fires(c, "CAP008");
}

/* ACKs of the same PSN again and again, as a responder sends them to retransmissions. */
static void copies_of_acks(struct mk_capture *c)
{
	struct mk_packet p = { 0 };
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	mk_plain(&p, MK_ROCE_V2_IPV4, IBW_OP_RC_ACKNOWLEDGE, 0);
	for (i = 0; i < 200; i++)
		mk_put_at(c, &p, 0, c->time_ns + 1000);
	mk_file_misses(c, "CAP008");
	mk_event_fires(c, "CAP010", "file");
}

static void mixed(struct mk_capture *c)
{
	struct mk_packet p = { 0 };

	mk_pcapng(c, MK_NANO);
	mk_pcapng_iface(c, IBW_LINKTYPE_ETHERNET, 0);
	mk_pcapng_iface(c, IBW_LINKTYPE_INFINIBAND, 0);
	put_write(c, &p);
	p.serial++;
	mk_plain(&p, MK_IB_LOCAL, IBW_OP_RC_SEND_ONLY, 64);
	mk_put(c, &p);
	mk_file_fires(c, "CAP009");
}

/* A TCP segment over IPv4 with these bytes in it, of which the last @lost are not in the frame. */
static void put_tcp(struct mk_capture *c, const void *text, uint32_t n, uint32_t lost)
{
	uint8_t b[20 + 20 + 64] = { 0x45 };
	struct mk_packet p = { 0 };

	ibw_put_be16(b + 2, (uint16_t)(40 + n));
	b[8] = 64;
	b[9] = IBW_IP_PROTO_TCP;
	b[20 + 12] = 5 << 4;
	memcpy(b + 40, text, n);
	mk_eth_frame(&p, IBW_ETHERTYPE_IPV4, b, 40 + n);
	mk_fix_ip_checksum(&p);
	p.len = p.caplen = p.len - lost;
	mk_put(c, &p);
}

static void no_rdma(struct mk_capture *c)
{
	static const uint8_t arp[28] = { 0, 1, 8, 0, 6, 4, 0, 1 };
	struct mk_packet p = { 0 };

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	put_tcp(c, "GET / HTTP/1.1", 14, 0);
	mk_eth_frame(&p, IBW_ETHERTYPE_ARP, arp, sizeof(arp));
	mk_put(c, &p);
	mk_file_fires(c, "CAP011");
}

/* ---- Cut by a tap that lowers both lengths ---- */

/* The first @bytes of a packet of 256 bytes of payload, and no sign of the others. */
static void put_sliced(struct mk_capture *c, struct mk_packet *p, enum mk_framing framing,
		       uint32_t bytes)
{
	p->serial++;
	mk_plain(p, framing, IBW_OP_RC_SEND_ONLY, 256);
	if (bytes)
		p->len = p->caplen = bytes;
	mk_put(c, p);
}

static void sliced(struct mk_capture *c)
{
	struct mk_packet p = { 0 };
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 0; i < 6; i++) {
		put_sliced(c, &p, i % 3 ? MK_ROCE_V2_IPV4 : MK_ROCE_V1, 128);
		if (i == 0)
			fire(c, "CAP016");
		mk_misses(c, i % 3 ? "ROC005" : "GRH003", "bth");
		mk_misses(c, "CRC001", NULL);
	}
}

static void sliced_ib(struct mk_capture *c)
{
	struct mk_packet p = { 0 };
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_INFINIBAND, 0, MK_NANO);
	for (i = 0; i < 3; i++) {
		put_sliced(c, &p, MK_IB_GLOBAL, 100);
		if (i == 0)
			fire(c, "CAP016");
		mk_misses(c, "LRH003", "bth");
	}
}

/* Two that end at one length may do so by chance. */
static void sliced_two(struct mk_capture *c)
{
	struct mk_packet p = { 0 };
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 0; i < 2; i++) {
		put_sliced(c, &p, MK_ROCE_V2_IPV6, 128);
		mk_fires(c, &p, "ROC005", "udp.length");
	}
	mk_file_misses(c, "CAP016");
}

/* Who cuts frames cuts all of them: here it is the lengths. */
static void sliced_longer(struct mk_capture *c)
{
	struct mk_packet p = { 0 };
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 0; i < 4; i++) {
		put_sliced(c, &p, i ? MK_ROCE_V2_IPV4 : MK_ROCE_V1, 128);
		mk_fires(c, &p, i ? "ROC005" : "GRH003", i ? "udp.length" : "grh.paylen");
	}
	put_sliced(c, &p, MK_ROCE_V2_IPV4, 0);
	mk_misses(c, "ROC005", NULL);
	mk_file_misses(c, "CAP016");
}

/* No ICRC is lost in frames that have none. */
static void sliced_other(struct mk_capture *c)
{
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 0; i < 3; i++)
		put_tcp(c, "GET / HTTP/1.1", 14, 4);
	mk_file_misses(c, "CAP016");
}

/* A card that keeps the first bytes of a packet says so in the record alone. */
static void sliced_erf(struct mk_capture *c)
{
	struct mk_packet p = { 0 };

	mk_pcap(c, IBW_LINKTYPE_ERF, 0, MK_NANO);
	mk_start(&p, MK_ERF_IB_LOCAL, IBW_OP_RC_SEND_ONLY, 256);
	mk_build(&p);
	p.len = p.caplen = 128;
	ibw_erf_set_rlen(MK_AT(&p, erf), 128);
	mk_put(c, &p);
	mk_fires(c, &p, "CAP004", "file/cut");
}

/* ---- Tunnels and mirrors ---- */

/* An IPv4 packet of @protocol with @n bytes in it. */
static void put_ip(struct mk_capture *c, uint8_t protocol, const uint8_t *bytes, uint32_t n)
{
	uint8_t b[20 + 512] = { 0x45 };
	struct mk_packet p = { 0 };

	ibw_put_be16(b + 2, (uint16_t)(20 + n));
	b[8] = 64;
	b[9] = protocol;
	memcpy(b + 20, bytes, n);
	mk_eth_frame(&p, IBW_ETHERTYPE_IPV4, b, 20 + n);
	mk_fix_ip_checksum(&p);
	mk_put(c, &p);
}

static void esp(struct mk_capture *c)
{
	static const uint8_t sealed[64] = { 0, 0, 1, 7 };
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 0; i < 3; i++) {
		put_ip(c, IBW_IP_PROTO_ESP, sealed, sizeof(sealed));
		if (i == 0)
			fire(c, "CAP019");
	}
	mk_file_misses(c, "CAP011");
	mk_file_misses(c, "CAP020");
}

/* A frame mirrored by ERSPAN type II: GRE with the sequence number @seq, 8 bytes, the frame. */
static void put_mirrored(struct mk_capture *c, struct mk_packet *p, uint32_t seq)
{
	uint8_t b[512] = { 0x10, 0x00, 0x88, 0xbe };

	ibw_put_be32(b + 4, seq);
	ibw_put_be32(b + 8, 0x10051805); /* version 1, VLAN 5, session 5 */
	p->serial++;
	mk_plain(p, MK_ROCE_V2_IPV4, IBW_OP_RC_RDMA_WRITE_ONLY, 64);
	memcpy(b + 16, p->b, p->len);
	put_ip(c, IBW_IP_PROTO_GRE, b, 16 + p->len);
}

static void mirror_gap(struct mk_capture *c)
{
	struct mk_packet p = { 0 };

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	put_mirrored(c, &p, 0xfffffffe);
	put_mirrored(c, &p, 0xffffffff);
	put_mirrored(c, &p, 0);
	mk_misses(c, "CAP020", "bth");
	put_mirrored(c, &p, 4);
	mk_event_fires(c, "CAP020", "file");
	put_mirrored(c, &p, 3); /* late */
	mk_misses(c, "CAP020", "bth");
	mk_file_misses(c, "CAP019");
}

/* A switch that does not number what it mirrors. */
static void mirror_zero(struct mk_capture *c)
{
	struct mk_packet p = { 0 };
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 0; i < 4; i++) {
		put_mirrored(c, &p, 0);
		mk_misses(c, "CAP020", "bth");
	}
}

/* That it is at another port is said, not that there is none. */
static void other_port(struct mk_capture *c)
{
	struct mk_packet p = { 0 };

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	mk_start(&p, MK_ROCE_V2_IPV4, IBW_OP_RC_SEND_ONLY, 64);
	p.udp.dport = 4792;
	mk_build(&p);
	mk_put(c, &p);
	mk_fires(c, &p, "ROC001", "udp.dport");
	mk_file_misses(c, "CAP011");
}

static void iwarp(struct mk_capture *c)
{
	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	put_tcp(c, "MPA ID Req Frame", 16, 0);
	mk_file_misses(c, "CAP019");
	mk_file_misses(c, "CAP011");
}

static void put_fcs(struct mk_capture *c, struct mk_packet *p, bool good)
{
	p->serial++;
	mk_start(p, MK_ROCE_V2_IPV4, IBW_OP_RC_RDMA_WRITE_ONLY, 64);
	p->fcs = true;
	mk_build(p);
	p->b[p->fcs_off] ^= !good;
	mk_put(c, p);
}

static void fcs(struct mk_capture *c)
{
	struct mk_packet p = { 0 };
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	put_fcs(c, &p, false);
	mk_misses(c, "CAP012", NULL);
	mk_fires(c, &p, "CAP013", "eth/trailer");
	put_fcs(c, &p, true);
	fire(c, "CAP012");
	mk_misses(c, "CAP013", NULL);
	for (i = 0; i < 100; i++)
		put_fcs(c, &p, true);
	mk_misses(c, "CAP013", NULL);
}

/* After 64 in a row that are right an FCS is believed unseen; not after 63. */
static void fcs_sure(struct mk_capture *c)
{
	struct mk_packet p = { 0 };
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 0; i < 63; i++)
		put_fcs(c, &p, true);
	put_fcs(c, &p, false);
	mk_fires(c, &p, "CAP013", "eth/trailer");
	for (i = 0; i < 64; i++)
		put_fcs(c, &p, true);
	put_fcs(c, &p, false);
	mk_misses(c, "CAP013", NULL);
}

/* @n records, @same of them with the time of the one before. */
static void put_times(struct mk_capture *c, unsigned int n, unsigned int same)
{
	struct mk_packet p = { 0 };
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 0; i < n; i++) {
		p.serial++;
		mk_plain(&p, MK_ROCE_V2_IPV4, IBW_OP_RC_ACKNOWLEDGE, 0);
		mk_put_at(c, &p, 0, c->time_ns + (i && i <= same ? 0 : 1000));
	}
}

static void coarse(struct mk_capture *c)
{
	put_times(c, 200, 11);
	mk_file_fires(c, "CAP014");
}

static void coarse_of_100(struct mk_capture *c)
{
	put_times(c, 100, 6);
	mk_file_fires(c, "CAP014");
}

static void coarse_of_99(struct mk_capture *c)
{
	put_times(c, 99, 98);
	mk_file_misses(c, "CAP014");
}

static void fine(struct mk_capture *c)
{
	put_times(c, 200, 10);
	mk_file_misses(c, "CAP014");
}

static const struct mk_file_case files[] = {
	{ "truncated.pcap", truncated },
	{ "truncated-header.pcap", truncated_header },
	{ "lengths.pcap", lengths },
	{ "length-huge.pcap", length_huge },
	{ "time-back.pcap", time_back },
	{ "time-step.pcap", time_step },
	{ "time-two-clocks.pcapng", time_two_clocks },
	{ "unsupported.pcap", unsupported },
	{ "drops.pcapng", drops },
	{ "no-drops.pcapng", no_drops },
	{ "drops-erf.pcap", erf_drops },
	{ "copies.pcap", copies },
	{ "copies-few.pcap", copies_few },
	{ "copies-same.pcap", copies_same },
	{ "copies-half.pcap", copies_half },
	{ "copies-late.pcap", copies_late },
	{ "copies-clock.pcap", copies_clock },
	{ "copies-of-acks.pcap", copies_of_acks },
	{ "mixed.pcapng", mixed },
	{ "no-rdma.pcap", no_rdma },
	{ "iwarp.pcap", iwarp },
	{ "esp.pcap", esp },
	{ "mirror-gap.pcap", mirror_gap },
	{ "mirror-zero.pcap", mirror_zero },
	{ "other-port.pcap", other_port },
	{ "sliced.pcap", sliced },
	{ "sliced-erf.pcap", sliced_erf },
	{ "sliced-ib.pcap", sliced_ib },
	{ "sliced-longer.pcap", sliced_longer },
	{ "sliced-other.pcap", sliced_other },
	{ "sliced-two.pcap", sliced_two },
	{ "fcs.pcap", fcs },
	{ "fcs-sure.pcap", fcs_sure },
	{ "times-coarse.pcap", coarse },
	{ "times-fine.pcap", fine },
	{ "times-100.pcap", coarse_of_100 },
	{ "times-99.pcap", coarse_of_99 },
	{ 0 },
};

static const struct mk_claim claims[] = {
	{ "CAP013", NULL, MK_IN_V1 | MK_IN_V2, "Ethernet frames are padded" },
	{ "CAP015", NULL, MK_IN_V2, "IP is cut into fragments" },
	{ 0 },
};

const struct mk_group mk_lint_cap = { "cap", cases, files, claims };
