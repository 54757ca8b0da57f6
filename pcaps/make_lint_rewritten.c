/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_rewritten.c - captures of CRC011: fields that were rewritten after the ICRC was computed. */
#include <string.h>

#include "make_case.h"

/* Bytes of payload, which take turns. */
static const uint32_t lengths[] = { 64, 128, 20 };

/* A packet whose headers were changed after its ICRC was; the IPv4 checksum was made anew. */
static void put_rewritten(struct mk_capture *c, struct mk_packet *p)
{
	mk_fix_ip_checksum(p);
	mk_fix_vcrc(p);
	mk_put(c, p);
}

/* The @i-th packet of a flow, with a sender's right ICRC. */
static void start(struct mk_packet *p, enum mk_framing framing, unsigned int i, unsigned int n)
{
	memset(p, 0, sizeof(*p));
	mk_start(p, framing, IBW_OP_RC_SEND_ONLY, lengths[i % n]);
	p->bth.psn = 0x100 + i;
	mk_build(p);
	p->b[p->payload_off] = (uint8_t)i;
	mk_fix_crcs(p);
}

/* What befalls the @i-th packet of a flow after its ICRC was computed. */
typedef void rewrite_fn(struct mk_packet *p, unsigned int i);

/* What CRC011 says at the third packet; of the others it says nothing. */
enum third { FIRES, FIRES_MILDER, MISSES };

/* What befell the @i-th packet is not what befell the others. */
static bool is_other(rewrite_fn *rewrite, unsigned int i);

/* One packet of a flow of @n lengths: CRC001 is said of what CRC011 does not explain. */
static void put_one(struct mk_capture *c, enum mk_framing framing, unsigned int i, unsigned int n,
		    rewrite_fn *rewrite, enum third third)
{
	struct mk_packet p;

	start(&p, framing, i, n);
	rewrite(&p, i);
	put_rewritten(c, &p);
	if (third != FIRES || is_other(rewrite, i))
		mk_fires(c, &p, "CRC001", "bth/icrc");
	else
		mk_misses(c, "CRC001", NULL);
	if (i != 2 || third == MISSES)
		mk_misses(c, "CRC011", NULL);
	else if (third == FIRES)
		mk_event_fires(c, "CRC011", "bth");
	else
		mk_event_fires_milder(c, "CRC011", "bth");
}

/* A flow of @packets of @n lengths, all of them rewritten. */
static void put_flow(struct mk_capture *c, enum mk_framing framing, unsigned int packets,
		     unsigned int n, rewrite_fn *rewrite, enum third third)
{
	unsigned int i;

	mk_pcap(c, framing == MK_IB_LOCAL ? IBW_LINKTYPE_INFINIBAND : IBW_LINKTYPE_ETHERNET, 0,
		MK_NANO);
	for (i = 0; i < packets; i++)
		put_one(c, framing, i, n, rewrite, third);
}

/* A NAT made 60158 of 53427. */
static void rewrite_sport(struct mk_packet *p, unsigned int i)
{
	(void)i;
	ibw_udp_set_sport(MK_AT(p, udp), 0xd0b3);
	mk_fix_icrc(p);
	ibw_udp_set_sport(MK_AT(p, udp), 0xeafe);
}

/* All of them, and packets of another flow between them have a right ICRC. */
static void sport(struct mk_capture *c)
{
	struct mk_packet other = { .serial = 3 };
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 0; i < 21; i++) {
		put_one(c, MK_ROCE_V2_IPV4, i, 3, rewrite_sport, FIRES);
		mk_plain(&other, MK_ROCE_V2_IPV4, IBW_OP_RC_SEND_ONLY, 32);
		mk_put(c, &other);
		mk_misses(c, "CRC011", NULL);
	}
}

/* One value before, another one in each packet after it; then two that something else befell. */
static void rewrite_ip_id(struct mk_packet *p, unsigned int i)
{
	ibw_ipv4_set_id(MK_AT(p, ipv4), 0);
	mk_fix_icrc(p);
	if (is_other(rewrite_ip_id, i)) /* not the id */
		p->b[p->payload_off + 3] ^= 0x5a;
	else
		ibw_ipv4_set_id(MK_AT(p, ipv4), (uint16_t)(0x4011 * (i + 1)));
}

static bool is_other(rewrite_fn *rewrite, unsigned int i)
{
	return rewrite == rewrite_ip_id && (i == 4 || i == 6);
}

static void ip_id(struct mk_capture *c)
{
	put_flow(c, MK_ROCE_V2_IPV4, 8, 2, rewrite_ip_id, FIRES);
}

/* An address of which 16 bits were changed: those around the change are said. */
static void rewrite_address_word(struct mk_packet *p, unsigned int i)
{
	(void)i;
	MK_AT(p, ipv6)->b[8 + 4] = 0x12;
	MK_AT(p, ipv6)->b[8 + 5] = 0x34;
}

static void address_word(struct mk_capture *c)
{
	put_flow(c, MK_ROCE_V2_IPV6, 4, 2, rewrite_address_word, FIRES);
}

/* In RoCE v1. */
static void rewrite_pkey(struct mk_packet *p, unsigned int i)
{
	(void)i;
	ibw_bth_set_pkey(MK_AT(p, bth), 0x8003);
	mk_fix_icrc(p);
	ibw_bth_set_pkey(MK_AT(p, bth), 0xffff);
}

static void pkey(struct mk_capture *c)
{
	put_flow(c, MK_ROCE_V1, 4, 3, rewrite_pkey, FIRES);
}

/* On the link: a bridge. */
static void rewrite_dlid(struct mk_packet *p, unsigned int i)
{
	(void)i;
	ibw_lrh_set_dlid(MK_AT(p, lrh), 0x0123);
}

static void dlid(struct mk_capture *c)
{
	put_flow(c, MK_IB_LOCAL, 4, 3, rewrite_dlid, FIRES);
}

/* Of packets of one length it is a note: what was changed may be anywhere. */
static void change_sport(struct mk_packet *p, unsigned int i)
{
	(void)i;
	ibw_udp_set_sport(MK_AT(p, udp), 0xeafe);
}

static void one_length(struct mk_capture *c)
{
	put_flow(c, MK_ROCE_V2_IPV4, 5, 1, change_sport, FIRES_MILDER);
}

/* NAT of 32 bits: 10.1.2.3 became what it is; packets of three lengths. */
static void rewrite_address(struct mk_packet *p, unsigned int i)
{
	const uint32_t src = ibw_ipv4_src(MK_AT(p, ipv4));

	(void)i;
	ibw_ipv4_set_src(MK_AT(p, ipv4), 0x0a010203);
	mk_fix_icrc(p);
	ibw_ipv4_set_src(MK_AT(p, ipv4), src);
}

static void address(struct mk_capture *c)
{
	put_flow(c, MK_ROCE_V2_IPV4, 6, 3, rewrite_address, FIRES_MILDER);
}

/* Two packets of two lengths are too few, and so is one that was captured five times. */
static void too_few(struct mk_capture *c)
{
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 0; i < 6; i++)
		put_one(c, MK_ROCE_V2_IPV4, i > 0, 2, change_sport, MISSES);
}

/* ICRCs that nothing explains. */
static void rewrite_icrc(struct mk_packet *p, unsigned int i)
{
	ibw_icrc_put(mk_icrc(p), 0x9e3779b1u * (i + 1));
}

static void random_icrc(struct mk_capture *c)
{
	put_flow(c, MK_ROCE_V2_IPV4, 30, 3, rewrite_icrc, MISSES);
}

/* One bit, the same in each: CRC001 says which. */
static void stuck_bit(struct mk_capture *c)
{
	struct mk_packet p;
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 0; i < 6; i++) {
		start(&p, MK_ROCE_V2_IPV4, i, 3);
		MK_AT(&p, bth)->b[1] ^= 0x40;
		mk_put(c, &p);
		mk_fires(c, &p, "CRC001", "bth+1:1");
		mk_misses(c, "CRC011", NULL);
	}
}

/* The ICRC of a sender that takes the TTL as sent, or (@ttl 0xff) leaves out the 8 bytes in front. */
static uint32_t mistaken(struct mk_packet *p, uint8_t ttl)
{
	const uint32_t off = p->off[IBW_LAYER_ipv4];
	struct mk_packet m = *p;
	uint32_t front = 0;

	ibw_ipv4_set_dscp(MK_AT(&m, ipv4), 0x3f);
	ibw_ipv4_set_ecn(MK_AT(&m, ipv4), 3);
	ibw_ipv4_set_ttl(MK_AT(&m, ipv4), ttl);
	ibw_ipv4_set_checksum(MK_AT(&m, ipv4), 0xffff);
	ibw_udp_set_checksum(MK_AT(&m, udp), 0xffff);
	MK_AT(&m, bth)->b[4] = 0xff;
	if (ttl != 0xff)
		front = ibw_crc32(0, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
	return ibw_crc32(front, m.b + off, m.icrc_off - off);
}

/* A sender's own mistake makes one difference, too, but CRC005 says which. */
static void put_mistakes(struct mk_capture *c, bool ttl)
{
	struct mk_packet p;
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 0; i < 6; i++) {
		start(&p, MK_ROCE_V2_IPV4, i, 3);
		ibw_icrc_put(mk_icrc(&p), mistaken(&p, ttl ? ibw_ipv4_ttl(MK_AT(&p, ipv4)) : 0xff));
		mk_put(c, &p);
		mk_fires(c, &p, "CRC005", "bth/icrc");
		mk_misses(c, "CRC011", NULL);
	}
}

static void covers_ttl(struct mk_capture *c)
{
	put_mistakes(c, true);
}

static void covers_no_lrh(struct mk_capture *c)
{
	put_mistakes(c, false);
}

/* Two fields, and only two lengths: one word of 16 bits explains it in none. */
static void rewrite_two_fields(struct mk_packet *p, unsigned int i)
{
	change_sport(p, i);
	MK_AT(p, ipv4)->b[12 + 3] ^= 0x18;
}

static void two_fields(struct mk_capture *c)
{
	put_flow(c, MK_ROCE_V2_IPV4, 6, 2, rewrite_two_fields, MISSES);
}

static const struct mk_case cases[] = { { 0 } };

static const struct mk_file_case files[] = {
	{ "sport.pcap", sport },
	{ "ip-id.pcap", ip_id },
	{ "address-word.pcap", address_word },
	{ "pkey.pcap", pkey },
	{ "dlid.pcap", dlid },
	{ "one-length.pcap", one_length },
	{ "address.pcap", address },
	{ "too-few.pcap", too_few },
	{ "random.pcap", random_icrc },
	{ "stuck-bit.pcap", stuck_bit },
	{ "covers-ttl.pcap", covers_ttl },
	{ "covers-no-lrh.pcap", covers_no_lrh },
	{ "two-fields.pcap", two_fields },
	{ 0 },
};

const struct mk_group mk_lint_rewritten = { "rewritten", cases, files, NULL };
