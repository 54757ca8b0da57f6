/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * make_lint_crc.c - the cases of group CRC.
 *
 * The wrong ICRCs are made bit by bit from a copy of what is covered, so nothing here
 * depends on how the library does it.
 */
#include <string.h>

#include "make_case.h"

#define CRC32 0xedb88320u
#define CRC32C 0x82f63b78u

/* A CRC register after one more byte. */
static uint32_t crc_byte(uint32_t crc, uint8_t byte, uint32_t polynomial)
{
	unsigned int i;

	crc ^= byte;
	for (i = 0; i < 8; i++)
		crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
	return crc;
}

static uint32_t crc_of(const uint8_t *p, uint32_t n, uint32_t polynomial)
{
	uint32_t crc = UINT32_MAX;

	while (n--)
		crc = crc_byte(crc, *p++, polynomial);
	return ~crc;
}

/* What a sender covers: the bytes of the packet, with 8 in front for RoCE. */
struct cover {
	uint8_t b[MK_PACKET_MAX + 8];
	uint32_t n;
	uint32_t bth; /* where it is in them */
};

/* A field taken otherwise than as ones: as sent, or as zeros. */
enum taking { AS_SENT, ZEROS, LEFT_OUT };

struct mistake {
	enum ibw_icrc_mask field;
	enum taking taking;
};

/* Bits @mask of byte @at, unless a mistake is made with their field. */
static void ones(struct cover *c, uint32_t at, uint8_t mask, enum ibw_icrc_mask field,
		 const struct mistake *m)
{
	if (m && m->field & field) {
		if (m->taking == ZEROS)
			c->b[at] &= (uint8_t)~mask;
		return;
	}
	c->b[at] |= mask;
}

static void ones_of_ip(struct cover *c, uint32_t ip, const struct mk_packet *p,
		       const struct mistake *m)
{
	bool v4 = p->off[IBW_LAYER_ipv4] != MK_NONE;

	if (v4) {
		ones(c, ip + 1, 0xff, IBW_ICRC_MASK_TCLASS, m);
		ones(c, ip + 8, 0xff, IBW_ICRC_MASK_HOP_LIMIT, m);
		ones(c, ip + 10, 0xff, IBW_ICRC_MASK_IP_CHECKSUM, m);
		ones(c, ip + 11, 0xff, IBW_ICRC_MASK_IP_CHECKSUM, m);
	} else {
		ones(c, ip, 0x0f, IBW_ICRC_MASK_TCLASS, m);
		ones(c, ip + 1, 0xf0, IBW_ICRC_MASK_TCLASS, m);
		ones(c, ip + 1, 0x0f, IBW_ICRC_MASK_FLOW_LABEL, m);
		ones(c, ip + 2, 0xff, IBW_ICRC_MASK_FLOW_LABEL, m);
		ones(c, ip + 3, 0xff, IBW_ICRC_MASK_FLOW_LABEL, m);
		ones(c, ip + 7, 0xff, IBW_ICRC_MASK_HOP_LIMIT, m);
	}
	if (p->off[IBW_LAYER_udp] != MK_NONE) {
		ones(c, ip + (v4 ? 20 : 40) + 6, 0xff, IBW_ICRC_MASK_UDP_CHECKSUM, m);
		ones(c, ip + (v4 ? 20 : 40) + 7, 0xff, IBW_ICRC_MASK_UDP_CHECKSUM, m);
	}
}

/* What is covered of @p by a sender that makes this mistake (NULL: none). */
static void cover(struct cover *c, const struct mk_packet *p, const struct mistake *m)
{
	bool ib = p->off[IBW_LAYER_lrh] != MK_NONE, global = p->off[IBW_LAYER_grh] != MK_NONE;
	bool no_lrh = !ib && m && m->field & IBW_ICRC_MASK_LRH && m->taking == LEFT_OUT;
	uint32_t from, front = ib || no_lrh ? 0 : 8, i;

	from = ib                                  ? p->off[IBW_LAYER_lrh]
	       : global                            ? p->off[IBW_LAYER_grh]
	       : p->off[IBW_LAYER_ipv4] != MK_NONE ? p->off[IBW_LAYER_ipv4]
						   : p->off[IBW_LAYER_ipv6];
	c->n = front + p->icrc_off - from;
	c->bth = front + p->off[IBW_LAYER_bth] - from;
	memset(c->b, 0, 8);
	memcpy(c->b + front, p->b + from, p->icrc_off - from);
	for (i = 0; i < 8 && !no_lrh && (!ib || global); i++)
		ones(c, i, 0xff, IBW_ICRC_MASK_LRH, m);
	if (ib && !global)
		ones(c, 0, 0xf0, IBW_ICRC_MASK_LRH, m);
	if (!ib || global)
		ones_of_ip(c, no_lrh ? 0 : 8, p, m);
	ones(c, c->bth + 4, 0xff, IBW_ICRC_MASK_RESV8A, m);
}

static void set_icrc(struct mk_packet *p, uint32_t icrc)
{
	ibw_icrc_put(mk_icrc(p), icrc);
	mk_fix_vcrc(p);
	mk_fix_fcs(p);
}

static void mistaken_icrc(struct mk_packet *p, enum ibw_icrc_mask field, enum taking taking)
{
	struct mistake m = { field, taking };
	struct cover c;

	cover(&c, p, &m);
	set_icrc(p, crc_of(c.b, c.n, CRC32));
}

static uint32_t right_icrc(const struct mk_packet *p, uint32_t polynomial)
{
	struct cover c;

	cover(&c, p, NULL);
	return crc_of(c.b, c.n, polynomial);
}

/* From the BTH on, without the ones before it. */
static uint32_t icrc_from_bth(const struct mk_packet *p)
{
	struct cover c;

	cover(&c, p, NULL);
	return crc_of(c.b + c.bth, c.n - c.bth, CRC32);
}

/* All of it, then the bytes from the BTH on once more as they are, as rxe's FLUSH. */
static uint32_t icrc_twice(const struct mk_packet *p)
{
	uint32_t crc = UINT32_MAX, i;
	struct cover c;

	cover(&c, p, NULL);
	for (i = 0; i < c.n; i++)
		crc = crc_byte(crc, c.b[i], CRC32);
	for (i = p->off[IBW_LAYER_bth]; i < p->icrc_off; i++)
		crc = crc_byte(crc, p->b[i], CRC32);
	return ~crc;
}

/* Each byte most significant bit first. */
static uint32_t icrc_bits_first(const struct mk_packet *p)
{
	uint32_t crc = UINT32_MAX, i, bit;
	struct cover c;

	cover(&c, p, NULL);
	for (i = 0; i < c.n; i++) {
		crc ^= (uint32_t)c.b[i] << 24;
		for (bit = 0; bit < 8; bit++)
			crc = crc << 1 ^ (crc >> 31 ? 0x04c11db7 : 0);
	}
	return ~crc;
}

/* The Ethernet header first: as an FCS, over what was sent, or in front of what belongs there. */
static uint32_t icrc_of_frame(const struct mk_packet *p, bool as_sent)
{
	uint32_t crc = UINT32_MAX, i, link;
	struct cover c;

	cover(&c, p, NULL);
	link = p->icrc_off - (c.n - 8); /* without the 8 bytes of ones */
	for (i = p->off[IBW_LAYER_eth]; i < (as_sent ? p->icrc_off : link); i++)
		crc = crc_byte(crc, p->b[i], CRC32);
	for (i = 0; !as_sent && i < c.n; i++)
		crc = crc_byte(crc, c.b[i], CRC32);
	return ~crc;
}

#define ICRC(name, framing, opcode, payload, value)                                                \
	BROKEN(name, framing, opcode, payload, set_icrc(p, value))
ICRC(icrc_random, ROCE_V2_IPV4, RC_SEND_ONLY, 64, 0x600df00d)
ICRC(icrc_0, ROCE_V2_IPV4, RC_SEND_ONLY, 64, 0)
ICRC(icrc_ffffffff, ROCE_V1, RC_SEND_ONLY, 64, UINT32_MAX)
ICRC(icrc_bth_only, ROCE_V2_IPV4, RC_SEND_ONLY, 64, icrc_from_bth(p))
ICRC(icrc_flush_twice, ROCE_V2_IPV4, RC_FLUSH, 0, icrc_twice(p))
BROKEN(bit_of_payload, ROCE_V2_IPV4, RC_SEND_ONLY, 64, p->b[p->payload_off + 17] ^= 0x10;
       mk_fix_vcrc(p))
BROKEN(bit_of_migreq, ROCE_V1, RC_SEND_ONLY, 64, MK_AT(p, bth)->b[1] ^= 0x40; mk_fix_vcrc(p))
BROKEN(bit_of_pad, ROCE_V2_IPV4, RC_SEND_ONLY, 61, p->b[p->pad_off + 1] ^= 0x04; mk_fix_vcrc(p))
BROKEN(bit_of_psn, IB_LOCAL, RC_SEND_ONLY, 64, MK_AT(p, bth)->b[10] ^= 1; mk_fix_vcrc(p))
BROKEN(bit_of_icrc, ROCE_V2_IPV6, RC_SEND_ONLY, 64, mk_icrc(p)[3] ^= 0x80; mk_fix_vcrc(p))
BROKEN(bits_of_masked, ROCE_V2_IPV4, RC_SEND_ONLY, 64, ibw_ipv4_set_ttl(MK_AT(p, ipv4), 3);
       ibw_ipv4_set_ecn(MK_AT(p, ipv4), IBW_ECN_CE); MK_AT(p, bth)->b[4] ^= 0xc0;
       mk_fix_ip_checksum(p))
BROKEN(icrc_not_captured, ROCE_V2_IPV4, RC_SEND_ONLY, 64, p->b[p->payload_off] ^= 1;
       mk_cut(p, p->icrc_off + 3))

ICRC(icrc_swapped, ROCE_V2_IPV4, RC_SEND_ONLY, 64, __builtin_bswap32(right_icrc(p, CRC32)))
ICRC(icrc_swapped_ib, IB_GLOBAL, UD_SEND_ONLY, 64, __builtin_bswap32(right_icrc(p, CRC32)))
ICRC(icrc_halves_swapped, ROCE_V2_IPV4, RC_SEND_ONLY, 64,
     right_icrc(p, CRC32) >> 16 | right_icrc(p, CRC32) << 16)
ICRC(icrc_inverted, ROCE_V2_IPV6, RC_SEND_ONLY, 64, ~right_icrc(p, CRC32))
ICRC(icrc_half_inverted, ROCE_V2_IPV6, RC_SEND_ONLY, 64, right_icrc(p, CRC32) ^ 0xffff)
ICRC(icrc_crc32c, ROCE_V2_IPV4, RC_SEND_ONLY, 64, right_icrc(p, CRC32C))
ICRC(icrc_crc32c_ib, IB_LOCAL, RC_ACKNOWLEDGE, 0, right_icrc(p, CRC32C))
ICRC(icrc_crc32c_inverted, ROCE_V2_IPV4, RC_SEND_ONLY, 64, ~right_icrc(p, CRC32C))
ICRC(icrc_right, ROCE_V2_IPV4, RC_SEND_ONLY, 64, right_icrc(p, CRC32))

ICRC(icrc_verilog, ROCE_V2_IPV4, RC_SEND_ONLY, 64, icrc_bits_first(p))
ICRC(icrc_verilog_swapped, IB_GLOBAL, UD_SEND_ONLY, 64, __builtin_bswap32(icrc_bits_first(p)))
ICRC(icrc_verilog_inverted, ROCE_V2_IPV4, RC_SEND_ONLY, 64, ~icrc_bits_first(p))
ICRC(icrc_as_fcs, ROCE_V2_IPV4, RC_SEND_ONLY, 64, icrc_of_frame(p, true))
ICRC(icrc_after_eth, ROCE_V2_IPV4, RC_SEND_ONLY, 64, icrc_of_frame(p, false))
ICRC(icrc_as_fcs_inverted, ROCE_V2_IPV4, RC_SEND_ONLY, 64, ~icrc_of_frame(p, true))

/* A packet of which no masked field is zeros or ones. The UDP checksum covers the ICRC. */
#define MISTAKE(name, framing, field, taking)                                                      \
	static void name(struct mk_packet *p)                                                      \
	{                                                                                          \
		mk_start(p, MK_##framing, IBW_OP_RC_SEND_ONLY, 64);                                \
		p->bth.fecn = 1;                                                                   \
		p->grh.tclass = p->ipv6.dscp = 5;                                                  \
		p->lrh.vl = p->lrh.sl = 1;                                                         \
		p->udp.checksum = 0x1234;                                                          \
		mk_build(p);                                                                       \
		mistaken_icrc(p, field, taking);                                                   \
		if (p->off[IBW_LAYER_udp] != MK_NONE && (field) != IBW_ICRC_MASK_UDP_CHECKSUM)     \
			mk_fix_udp_checksum(p);                                                    \
	}
#define EVERY_MASK ((enum ibw_icrc_mask)((1 << IBW_ICRC_MASKS) - 1))
MISTAKE(sent_no_lrh, ROCE_V2_IPV4, IBW_ICRC_MASK_LRH, LEFT_OUT)
MISTAKE(sent_tos, ROCE_V2_IPV4, IBW_ICRC_MASK_TCLASS, AS_SENT)
MISTAKE(sent_ttl, ROCE_V2_IPV4, IBW_ICRC_MASK_HOP_LIMIT, AS_SENT)
MISTAKE(sent_ip_checksum, ROCE_V2_IPV4, IBW_ICRC_MASK_IP_CHECKSUM, AS_SENT)
MISTAKE(sent_udp_checksum, ROCE_V2_IPV6, IBW_ICRC_MASK_UDP_CHECKSUM, AS_SENT)
MISTAKE(sent_flow_label, ROCE_V1, IBW_ICRC_MASK_FLOW_LABEL, AS_SENT)
MISTAKE(sent_byte_4, ROCE_V2_IPV4, IBW_ICRC_MASK_RESV8A, AS_SENT)
MISTAKE(sent_vl, IB_LOCAL, IBW_ICRC_MASK_LRH, AS_SENT)
MISTAKE(sent_lrh, IB_GLOBAL, IBW_ICRC_MASK_LRH, AS_SENT)
MISTAKE(zero_ttl, ROCE_V2_IPV4, IBW_ICRC_MASK_HOP_LIMIT, ZEROS)
MISTAKE(zero_all, ROCE_V2_IPV4, EVERY_MASK, ZEROS)
MISTAKE(zero_all_v1, ROCE_V1, EVERY_MASK, ZEROS)
MISTAKE(zero_vl, IB_LOCAL, IBW_ICRC_MASK_LRH, ZEROS)

/* The lengths do not count the ICRC, which is there. */
static void icrc_not_counted(struct mk_packet *p)
{
	mk_plain(p, MK_ROCE_V2_IPV4, IBW_OP_RC_SEND_ONLY, 24);
	ibw_udp_set_length(MK_AT(p, udp), (uint16_t)(ibw_udp_length(MK_AT(p, udp)) - 4));
	ibw_ipv4_set_total_len(MK_AT(p, ipv4), (uint16_t)(ibw_ipv4_total_len(MK_AT(p, ipv4)) - 4));
	mk_fix_ip_checksum(p);
	mk_fix_icrc(p);
}

BROKEN(no_icrc_of_ack, ROCE_V2_IPV4, RC_ACKNOWLEDGE, 0, leave_out(p, p->icrc_off, 4))
BROKEN(no_icrc_of_write, ROCE_V2_IPV6, RC_RDMA_WRITE_ONLY, 17, leave_out(p, p->icrc_off, 4))
BROKEN(no_icrc_of_first, IB_LOCAL, RC_SEND_FIRST, 1024, leave_out(p, p->icrc_off, 4))

static void no_icrc_of_mad(struct mk_packet *p)
{
	mk_start_gsi(p, MK_ROCE_V2_IPV4);
	mk_build(p);
	leave_out(p, p->icrc_off, 4);
}

STATED(write_4_short, ROCE_V2_IPV4, RC_RDMA_WRITE_ONLY, 12, p->reth.dmalen = 16)
ICRC(write_bad_icrc, ROCE_V2_IPV4, RC_RDMA_WRITE_ONLY, 16, 0x600df00d)

BROKEN(vcrc_bad, IB_LOCAL, RC_SEND_ONLY, 16, mk_vcrc(p)[0] ^= 1)
BROKEN(vl_changed, IB_GLOBAL, RC_SEND_ONLY, 16, ibw_lrh_set_vl(MK_AT(p, lrh), 1))
BROKEN(vcrc_not_captured, IB_LOCAL, RC_SEND_ONLY, 16, mk_vcrc(p)[0] ^= 1;
       mk_cut(p, p->vcrc_off + 1))
STATED(vcrc_right, IB_LOCAL, RC_SEND_ONLY, 16, p->lrh.vl = p->lrh.sl = 1)

static void vcrc_bad_of_raw(struct mk_packet *p)
{
	mk_raw_ib(p, IBW_LNH_RAW, 32);
	mk_vcrc(p)[1] ^= 0x80;
}

static void lpcrc_bad(struct mk_packet *p)
{
	mk_linkpkt(p, 3);
	mk_vcrc(p)[0] ^= 0x10;
}

static void lpcrc_right(struct mk_packet *p)
{
	mk_linkpkt(p, 3);
}

static const struct mk_case cases[] = {
	{ "CRC001", MK_FIRES, icrc_random, "bth/icrc", NULL, "any value" },
	{ "CRC001", MK_FIRES, icrc_0, "bth/icrc", NULL, "0" },
	{ "CRC001", MK_FIRES, icrc_ffffffff, "bth/icrc", NULL, "0xffffffff" },
	{ "CRC001", MK_FIRES, icrc_bth_only, "bth/icrc", NULL,
	  "what is before the BTH is not covered" },
	{ "CRC001", MK_FIRES, icrc_flush_twice, "bth/icrc", NULL, "rxe's FLUSH" },
	{ "CRC001", MK_FIRES, bit_of_payload, "bth/payload+17:1", NULL,
	  "a bit of the payload flipped" },
	{ "CRC001", MK_FIRES, bit_of_psn, "bth+10:1", NULL,
	  "a bit of the PSN flipped before the last link" },
	{ "CRC001", MK_FIRES, bit_of_migreq, "bth+1:1", NULL, "MigReq flipped" },
	{ "CRC001", MK_FIRES, bit_of_pad, "bth/pad+1:1", "BTH012=bth/pad",
	  "a bit of the pad flipped" },
	{ "CRC001", MK_FIRES, bit_of_icrc, "bth/icrc+3:1", NULL, "a bit of the ICRC flipped" },
	{ "CRC001", MK_MISSES, icrc_right, NULL, NULL, "made bit by bit, and right" },
	{ "CRC001", MK_MISSES, bits_of_masked, NULL, NULL, "fields changed that are not covered" },
	{ "CRC001", MK_MISSES, icrc_not_captured, NULL, "CAP004=file/cut",
	  "the last byte was not captured" },

	{ "CRC002", MK_FIRES, icrc_swapped, "bth/icrc", NULL, "bytes in reverse order" },
	{ "CRC002", MK_FIRES, icrc_swapped_ib, "bth/icrc", NULL, "bytes in reverse order, on IB" },
	{ "CRC002", MK_MISSES, icrc_halves_swapped, NULL, "CRC001=bth/icrc",
	  "halves in reverse order" },

	{ "CRC003", MK_FIRES, icrc_inverted, "bth/icrc", NULL, "no complement" },
	{ "CRC003", MK_MISSES, icrc_half_inverted, NULL, "CRC001=bth/icrc", "half a complement" },

	{ "CRC004", MK_FIRES, icrc_crc32c, "bth/icrc", NULL, "CRC-32C" },
	{ "CRC004", MK_FIRES, icrc_crc32c_ib, "bth/icrc", NULL, "CRC-32C, on IB" },
	{ "CRC004", MK_MISSES, icrc_crc32c_inverted, NULL, "CRC001=bth/icrc",
	  "CRC-32C and no complement" },

	{ "CRC005", MK_FIRES, sent_no_lrh, "bth/icrc", "CNG009=bth.fecn",
	  "nothing in place of the LRH" },
	{ "CRC005", MK_FIRES, sent_tos, "bth/icrc", "CNG009=bth.fecn", "IPv4 TOS as sent" },
	{ "CRC005", MK_FIRES, sent_ttl, "bth/icrc", "CNG009=bth.fecn", "IPv4 TTL as sent" },
	{ "CRC005", MK_FIRES, sent_ip_checksum, "bth/icrc", "CNG009=bth.fecn",
	  "IPv4 checksum as sent" },
	{ "CRC005", MK_FIRES, sent_udp_checksum, "bth/icrc", "ROC006=udp.checksum CNG009=bth.fecn",
	  "UDP checksum as sent" },
	{ "CRC005", MK_FIRES, sent_flow_label, "bth/icrc", "CNG009=bth.fecn",
	  "GRH flow label as sent" },
	{ "CRC005", MK_FIRES, sent_byte_4, "bth/icrc", "CNG009=bth.fecn", "FECN as sent" },
	{ "CRC005", MK_FIRES, sent_vl, "bth/icrc", "CNG009=bth.fecn", "LRH.VL as sent" },
	{ "CRC005", MK_FIRES, sent_lrh, "bth/icrc", "CNG009=bth.fecn", "LRH as sent before a GRH" },
	{ "CRC005", MK_MISSES, icrc_bth_only, NULL, "CRC001=bth/icrc",
	  "headers left out, not masks" },
	{ "CRC005", MK_MISSES, bits_of_masked, NULL, NULL, "fields changed that are not covered" },

	{ "CRC006", MK_FIRES, zero_ttl, "bth/icrc", "CNG009=bth.fecn", "IPv4 TTL as 0" },
	{ "CRC006", MK_FIRES, zero_all, "bth/icrc", "CNG009=bth.fecn", "all masks zeros" },
	{ "CRC006", MK_FIRES, zero_all_v1, "bth/icrc", "CNG009=bth.fecn",
	  "all masks zeros, RoCE v1" },
	{ "CRC006", MK_FIRES, zero_vl, "bth/icrc", "CNG009=bth.fecn", "LRH.VL as 0" },
	{ "CRC006", MK_MISSES, sent_ttl, NULL, "CRC005=bth/icrc CNG009=bth.fecn",
	  "IPv4 TTL as sent" },

	{ "CRC008", MK_FIRES, no_icrc_of_ack, "bth/vcrc+0:0|bth/end+0:0", NULL,
	  "ACK without ICRC" },
	{ "CRC008", MK_FIRES, no_icrc_of_write, "bth/vcrc-4:4|bth/end-4:4",
	  "BTH012=bth/payload+13:3", "WRITE of 17 bytes without ICRC" },
	{ "CRC008", MK_FIRES, no_icrc_of_first, "bth/vcrc-4:4|bth/end-4:4", NULL,
	  "SEND First of 1024 bytes without ICRC" },
	{ "CRC008", MK_FIRES, no_icrc_of_mad, "bth/vcrc-4:4|bth/end-4:4", NULL,
	  "a MAD without ICRC" },
	{ "CRC008", MK_FIRES, icrc_not_counted, "bth/icrc", "CAP013=eth/icrc",
	  "IP and UDP length without the ICRC" },
	{ "CRC008", MK_MISSES, write_4_short, NULL, NULL,
	  "WRITE 4 bytes short, with a right ICRC" },
	{ "CRC008", MK_MISSES, write_bad_icrc, NULL, "CRC001=bth/icrc",
	  "WRITE of all its bytes, ICRC bad" },

	{ "CRC012", MK_FIRES, icrc_verilog, "bth/icrc", NULL,
	  "bits of each byte in the other order" },
	{ "CRC012", MK_FIRES, icrc_verilog_swapped, "bth/icrc", NULL,
	  "the same, stored in the other order of bytes" },
	{ "CRC012", MK_MISSES, icrc_verilog_inverted, NULL, "CRC001=bth/icrc",
	  "bits in the other order and no complement" },

	{ "CRC013", MK_FIRES, icrc_as_fcs, "bth/icrc", NULL,
	  "all from the Ethernet header on, as sent" },
	{ "CRC013", MK_FIRES, icrc_after_eth, "bth/icrc", NULL,
	  "the Ethernet header, then what belongs there" },
	{ "CRC013", MK_MISSES, icrc_as_fcs_inverted, NULL, "CRC001=bth/icrc",
	  "the Ethernet header and no complement" },

	{ "CRC009", MK_FIRES, vcrc_bad, "lrh/vcrc", NULL, "a bit of the VCRC flipped" },
	{ "CRC009", MK_FIRES, vl_changed, "lrh/vcrc", NULL, "VL changed, VCRC not made anew" },
	{ "CRC009", MK_FIRES, vcrc_bad_of_raw, "lrh/vcrc", "LRH011=lrh.lnh", "raw packet" },
	{ "CRC009", MK_FIRES, lpcrc_bad, "linkpkt/vcrc", NULL, "flow control packet" },
	{ "CRC009", MK_MISSES, vcrc_right, NULL, NULL, "a right VCRC" },
	{ "CRC009", MK_MISSES, vcrc_not_captured, NULL, "CAP004=file/cut",
	  "half of it was not captured" },
	{ "CRC009", MK_MISSES, lpcrc_right, "linkpkt", NULL, "flow control packet" },
	{ 0 },
};

static const struct mk_claim claims[] = {
	{ "CRC013", NULL, MK_IN_V1 | MK_IN_V2, "native IB has no Ethernet header" },
	{ "CRC009", NULL, MK_IN_IB, "Ethernet has no VCRC" },
	{ "CRC008", icrc_not_counted, MK_IN(ROCE_V2_IPV4) | MK_IN(ROCE_V2_IPV4_VLAN),
	  "the lengths of IPv4 and UDP alone" },
	{ "CRC005", sent_no_lrh, MK_IN_V1 | MK_IN_V2, "there the LRH is real" },
	{ "CRC005", sent_tos, MK_CLAIMED & ~MK_IN(IB_LOCAL), "no traffic class in the LRH" },
	{ "CRC005", sent_ttl, MK_CLAIMED & ~MK_IN(IB_LOCAL), "no hop limit in the LRH" },
	{ "CRC006", zero_ttl, MK_CLAIMED & ~MK_IN(IB_LOCAL), "no hop limit in the LRH" },
	{ "CRC005", sent_ip_checksum, MK_IN_IPV4, "of IPv4" },
	{ "CRC005", sent_udp_checksum, MK_IN_V2, "of UDP" },
	{ "CRC005", sent_flow_label, MK_IN_IPV6 | MK_IN_V1 | MK_IN(IB_GLOBAL), "of IPv6 and GRH" },
	{ "CRC005", sent_vl, MK_IN_IB, "of the LRH" },
	{ "CRC005", sent_lrh, MK_IN_IB, "of the LRH" },
	{ "CRC006", zero_vl, MK_IN_IB, "of the LRH" },
	{ 0 },
};

const struct mk_group mk_lint_crc = { "crc", cases, NULL, claims };
