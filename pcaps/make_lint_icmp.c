/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_icmp.c - captures of ROC026: ICMP errors, and what they quote. */
#include <string.h>

#include <ibwire/net.h>

#include "make_case.h"

#define ICMP_BYTES 8
#define QUOTED_MAX 128

/* An error: RFC 792, RFC 4443. */
struct error {
	uint8_t type, code;
	uint32_t word;   /* its second 4 bytes */
	uint32_t quoted; /* bytes of the packet it is about */
};

static uint16_t sum_of(uint64_t pseudo, const uint8_t *icmp, uint32_t n)
{
	return (uint16_t)~ibw_sum_fold(pseudo + ibw_bytes_sum(icmp, n));
}

/* ICMP in IPv4 from 192.0.2.254. */
static uint32_t put_ipv4(uint8_t *b, uint32_t dst, uint32_t n)
{
	struct ibw_ipv4 ip = { .version = 4,
			       .ihl = 5,
			       .total_len = (uint16_t)(ibw_ipv4_BYTES + n),
			       .ttl = 64,
			       .protocol = IBW_IP_PROTO_ICMP,
			       .src = 0xc00002fe,
			       .dst = dst };

	ibw_ipv4_pack((struct ibw_ipv4_wire *)b, &ip);
	ibw_ipv4_set_checksum((struct ibw_ipv4_wire *)b,
			      ibw_ipv4_checksum_of((struct ibw_ipv4_wire *)b, ibw_ipv4_BYTES));
	return ibw_ipv4_BYTES;
}

/* ICMPv6 from 2001:db8::fe. */
static uint32_t put_ipv6(uint8_t *b, const uint8_t *dst, uint32_t n)
{
	static const uint8_t src[] = { 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xfe };
	struct ibw_ipv6_wire *ip = (struct ibw_ipv6_wire *)b;

	memset(b, 0, ibw_ipv6_BYTES);
	ibw_ipv6_set_version(ip, 6);
	ibw_ipv6_set_paylen(ip, (uint16_t)n);
	ibw_ipv6_set_nxthdr(ip, IBW_IP_PROTO_ICMPV6);
	ibw_ipv6_set_hop_limit(ip, 64);
	memcpy(b + ibw_ipv6_src_AT / 8, src, sizeof(src));
	memcpy(b + ibw_ipv6_dst_AT / 8, dst, 16);
	return ibw_ipv6_BYTES;
}

/* Puts the first bytes of @about, from its IP header on, into an error to whoever sent it. */
static void put_error(struct mk_capture *c, struct mk_packet *p, const struct mk_packet *about,
		      const struct error *e)
{
	const bool v4 = about->off[IBW_LAYER_ipv4] != MK_NONE;
	const uint8_t *ip = about->b + about->off[v4 ? IBW_LAYER_ipv4 : IBW_LAYER_ipv6];
	const uint32_t n = ICMP_BYTES + e->quoted;
	uint8_t b[ibw_ipv6_BYTES + ICMP_BYTES + QUOTED_MAX] = { 0 };
	uint64_t pseudo = 0;
	uint32_t header;
	uint8_t *icmp;

	if (v4) {
		header = put_ipv4(b, ibw_get_be32(ip + ibw_ipv4_src_AT / 8), n);
	} else {
		header = put_ipv6(b, ip + ibw_ipv6_src_AT / 8, n);
		pseudo = ibw_ipv6_pseudo_sum((const struct ibw_ipv6_wire *)b, n) -
			 IBW_IP_PROTO_UDP + IBW_IP_PROTO_ICMPV6;
	}
	icmp = b + header;
	icmp[0] = e->type;
	icmp[1] = e->code;
	ibw_put_be32(icmp + 4, e->word);
	memcpy(icmp + ICMP_BYTES, ip, e->quoted);
	ibw_put_be16(icmp + 2, sum_of(pseudo, icmp, n));
	memset(p, 0, sizeof(*p));
	mk_eth_frame(p, v4 ? IBW_ETHERTYPE_IPV4 : IBW_ETHERTYPE_IPV6, b, header + n);
	p->off[v4 ? IBW_LAYER_ipv4 : IBW_LAYER_ipv6] = ibw_eth_BYTES;
	mk_put(c, p);
}

static void fire(struct mk_capture *c, const struct mk_packet *about, const struct error *e)
{
	struct mk_packet p;

	put_error(c, &p, about, e);
	mk_fires(c, &p, "ROC026", "ipv4+20:8|ipv6+40:8");
}

static void miss(struct mk_capture *c, const struct mk_packet *about, const struct error *e)
{
	struct mk_packet p;

	put_error(c, &p, about, e);
	mk_misses(c, "ROC026", about->off[IBW_LAYER_ipv4] != MK_NONE ? "ipv4" : "ipv6");
}

/* The packet that is quoted, which is in the capture, too. */
static void start(struct mk_capture *c, struct mk_packet *p, enum mk_framing framing)
{
	memset(p, 0, sizeof(*p));
	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	mk_start(p, framing, IBW_OP_RC_SEND_ONLY, 256);
	p->bth.psn = 0x123;
	mk_build(p);
	if (framing == MK_ROCE_V2_IPV6)
		mk_fix_udp_checksum(p);
	mk_put(c, p);
}

#define QUOTED (ibw_ipv4_BYTES + ibw_udp_BYTES + ibw_bth_BYTES)

static void ipv4(struct mk_capture *c)
{
	struct mk_packet p;
	unsigned int code;

	start(c, &p, MK_ROCE_V2_IPV4);
	for (code = 0; code < 16; code++)
		fire(c, &p, &(struct error){ 3, (uint8_t)code, code == 4 ? 1500 : 0, QUOTED });
	fire(c, &p, &(struct error){ 11, 0, 0, QUOTED });
	fire(c, &p, &(struct error){ 11, 1, 0, QUOTED_MAX });
	fire(c, &p, &(struct error){ 12, 0, 0, QUOTED });
	/* As of old: 8 bytes after the IP header, and one byte less than the BTH has. */
	fire(c, &p, &(struct error){ 3, 3, 0, ibw_ipv4_BYTES + ibw_udp_BYTES });
	fire(c, &p, &(struct error){ 3, 4, 9000, QUOTED - 1 });
}

static void ipv6(struct mk_capture *c)
{
	struct mk_packet p;
	unsigned int code;

	start(c, &p, MK_ROCE_V2_IPV6);
	for (code = 0; code < 8; code++)
		fire(c, &p, &(struct error){ 1, (uint8_t)code, 0, QUOTED_MAX });
	fire(c, &p, &(struct error){ 2, 0, 1280, QUOTED_MAX });
	fire(c, &p, &(struct error){ 3, 0, 0, QUOTED_MAX });
	fire(c, &p, &(struct error){ 3, 1, 0, QUOTED_MAX });
	fire(c, &p, &(struct error){ 4, 2, 0, QUOTED_MAX });
	miss(c, &p, &(struct error){ 128, 0, 0, QUOTED_MAX }); /* an echo request */
	miss(c, &p, &(struct error){ 1, 4, 0, ibw_ipv6_BYTES + 7 });
}

/* What is quoted is another protocol, another port, not all of a UDP header, the rest of a packet. */
static void other(struct mk_capture *c)
{
	const struct error port = { 3, 3, 0, QUOTED };
	struct mk_packet p, q;

	start(c, &p, MK_ROCE_V2_IPV4);
	q = p;
	ibw_ipv4_set_protocol(MK_AT(&q, ipv4), IBW_IP_PROTO_TCP);
	miss(c, &q, &port);
	q = p;
	ibw_udp_set_dport(MK_AT(&q, udp), 4790);
	miss(c, &q, &port);
	q = p;
	ibw_ipv4_set_frag_off(MK_AT(&q, ipv4), 185);
	miss(c, &q, &port);
	miss(c, &p, &(struct error){ 3, 3, 0, 8 });
	miss(c, &p, &(struct error){ 3, 3, 0, ibw_ipv4_BYTES + 7 });
	miss(c, &p, &(struct error){ 3, 3, 0, 0 });
	miss(c, &p, &(struct error){ 0, 0, 0, QUOTED }); /* an echo reply */
	miss(c, &p, &(struct error){ 5, 1, 0, QUOTED }); /* a redirect: nothing was dropped */
	fire(c, &p, &port);
}

static const struct mk_case cases[] = { { 0 } };

static const struct mk_file_case files[] = {
	{ "ipv4.pcap", ipv4 },
	{ "ipv6.pcap", ipv6 },
	{ "other.pcap", other },
	{ 0 },
};

const struct mk_group mk_lint_icmp = { "icmp", cases, files, NULL };
