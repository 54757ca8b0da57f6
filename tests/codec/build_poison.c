/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build_poison.c - headers built of structs that were filled with 0xff or 0xa5 before, a line each,
 * for build_poison.py, which knows what may be of that byte and what may not:
 *
 *	FORM FRAMING VLANS OPCODE PAYLOAD POISON HEADERS
 */
#include "build_cases.h"

#include <stdio.h>

#include <ibwire/build_ipoib.h>

#define ROOM 256

static void put_line(const char *form, const struct build_framing *f, uint8_t poison,
		     const struct ibw_build *b)
{
	uint8_t buf[ROOM];
	size_t n, i;

	memset(buf, poison, sizeof(buf));
	n = ibw_build_headers(buf, sizeof(buf), b);
	printf("%s %s %u %02x %u %02x ", form, f->name, b->n_vlans, b->bth.opcode, b->payload_len,
	       poison);
	for (i = 0; i < n; i++)
		printf("%02x", buf[i]);
	printf("%s\n", n ? "" : "none");
}

/* The values of a header cut to their fields, for what is wider is refused; the PSN is not. */
static void narrow(void *values, enum ibw_layer layer)
{
	const struct ibw_field *f;
	uint8_t *p = values;
	uint32_t v;

	for (f = ibw_headers[layer].fields; f->name; f++) {
		if (f->flags || f->bits >= 8u * f->size || f->kind == IBW_KIND_PSN)
			continue;
		v = p[f->offset] * 0x01010101u & ((1u << f->bits) - 1); /* all bytes are alike */
		if (f->size == 1)
			p[f->offset] = (uint8_t)v;
		else if (f->size == 2)
			memcpy(p + f->offset, &(uint16_t){ (uint16_t)v }, 2);
		else
			memcpy(p + f->offset, &v, 4);
	}
}

static void fill(struct ibw_build *b, uint8_t poison)
{
	memset(b, poison, sizeof(*b));
#define NARROW(name) narrow(&b->name, IBW_LAYER_##name)
	NARROW(eth);
	NARROW(lrh);
	NARROW(grh);
	NARROW(ipv4);
	NARROW(ipv6);
	NARROW(udp);
	NARROW(bth);
	NARROW(deth);
	NARROW(rdeth);
	NARROW(xrceth);
	NARROW(feth);
	NARROW(aeth);
#undef NARROW
	narrow(&b->vlan[0], IBW_LAYER_vlan);
	narrow(&b->vlan[1], IBW_LAYER_vlan);
}

/* Only what says which headers there are; and a QP every service has. */
static void poisoned(struct ibw_build *b, const struct build_framing *f, uint8_t poison)
{
	fill(b, poison);
	b->kind = f->kind;
	b->has_eth = f->has_eth;
	b->n_vlans = f->n_vlans;
	b->has_ipoib = false;
	b->bth.dqpn = 0x123456;
}

/* A payload the opcode takes, with a pad if it may have one. */
static void set_payload(struct ibw_build *b)
{
	uint32_t flags = ibw_opcode_chain(b->bth.opcode) >> 16;

	b->payload_len = flags & IBW_OPF_PAYLOAD ? 5 : 0;
	if (flags & IBW_OPF_MTU)
		b->payload_len = 256;
}

static void every_opcode(const struct build_framing *f, uint8_t poison)
{
	struct ibw_build b;
	unsigned int opcode;

	for (opcode = 0; opcode < 256; opcode++) {
		poisoned(&b, f, poison);
		b.bth.opcode = (uint8_t)opcode;
		set_payload(&b);
		put_line("plain", f, poison, &b);
		ibw_build_defaults(&b);
		put_line("defaults", f, poison, &b);
	}
}

/* The two of UD, as ib_ud_header_init() leaves them; QP1, since QP0 is not everywhere. */
static void ud_forms(const struct build_framing *f, uint8_t poison)
{
	bool ip = f->kind == IBW_ICRC_ROCE_V2_IPV4 || f->kind == IBW_ICRC_ROCE_V2_IPV6;
	bool ib = f->kind == IBW_ICRC_IB_LOCAL || f->kind == IBW_ICRC_IB_GLOBAL;
	bool grh = f->kind == IBW_ICRC_IB_GLOBAL || f->kind == IBW_ICRC_ROCE_V1;
	int version = f->kind == IBW_ICRC_ROCE_V2_IPV4 ? 4 : 6, imm;
	struct ibw_build b;

	if (f->n_vlans > 1) /* which it has no argument for */
		return;
	for (imm = 0; imm < 2; imm++) {
		fill(&b, poison);
		if (ibw_ud_header_init(7, ib, f->has_eth, f->n_vlans, grh, ip ? version : 0, ip,
				       imm, &b))
			continue;
		b.bth.dqpn = IBW_QPN_GSI;
		put_line("ud", f, poison, &b);
	}
}

/* An address handle and a group of numbers that build_poison.py has, too. */
static void ipoib_forms(const struct build_framing *f, uint8_t poison)
{
	struct ibw_ah ah = { .global = f->kind == IBW_ICRC_IB_GLOBAL,
			     .sl = 9,
			     .vl = 6,
			     .slid = 0x0a0b,
			     .dlid = 0x1c1d,
			     .pkey = 0x8765,
			     .tclass = 0x6a,
			     .hop_limit = 33,
			     .flow_label = 0x54321 };
	struct ibw_mcmember_rec group;
	struct ibw_build b;

	memset(&group, poison, sizeof(group));
	group.sl = 9;
	group.mlid = 0xc0de;
	group.pkey = 0x8765;
	group.tclass = 0x6a;
	group.hop_limit = 33;
	group.flow_label = 0x54321;
	group.qkey = 0x0badcafe;
	memset(ah.sgid, 0x11, sizeof(ah.sgid));
	memset(ah.dgid, 0x22, sizeof(ah.dgid));
	memset(group.mgid, 0x33, sizeof(group.mgid));
	group.mgid[0] = 0xff;
	fill(&b, poison);
	ibw_build_ipoib(&b, &ah, 0x48, 0x0badcafe, 0x49, IBW_ETHERTYPE_IPV6, 77);
	put_line("ipoib", f, poison, &b);
	if (!ah.global)
		return;
	fill(&b, poison);
	ibw_build_ipoib_multicast(&b, &group, 0x0a0b, ah.sgid, 0x49, IBW_ETHERTYPE_IPV6, 77);
	put_line("ipoib-group", f, poison, &b);
}

int main(void)
{
	static const uint8_t poisons[] = { 0xff, 0xa5 };
	unsigned int f, i;

	for (i = 0; i < sizeof(poisons); i++)
		for (f = 0; f < BUILD_FRAMINGS; f++) {
			const struct build_framing *framing = &build_framings[f];

			every_opcode(framing, poisons[i]);
			ud_forms(framing, poisons[i]);
			if (framing->kind == IBW_ICRC_IB_LOCAL ||
			    framing->kind == IBW_ICRC_IB_GLOBAL)
				ipoib_forms(framing, poisons[i]);
		}
	return 0;
}
