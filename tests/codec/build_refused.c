/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build_refused.c - values that are no packet's: every field of every header of every opcode with
 * a value of one bit too many, LAST packets without payload, the multicast QP at a unicast address.
 */
#include "build_cases.h"
#include "check.h"

#include <ibwire/tables.h>

/* The headers a description has members for, and which of their fields the builder sets itself. */
static const struct member {
	unsigned int layer;
	size_t at; /* in struct ibw_build */
	const char *derived;
} members[] = {
#define MEMBER(name, derived)                                                                      \
	{                                                                                          \
		IBW_LAYER_##name, offsetof(struct ibw_build, name), derived                        \
	}
	MEMBER(eth, " type "),
	MEMBER(vlan, " type "),
	MEMBER(lrh, " lnh pktlen "),
	MEMBER(grh, " ipver paylen nxthdr "),
	MEMBER(ipv4, " version ihl total_len mf frag_off protocol checksum "),
	MEMBER(ipv6, " version paylen nxthdr "),
	MEMBER(udp, " length checksum "),
	MEMBER(bth, " padcnt psn "), /* of the PSN the low 24 bits are sent */
	MEMBER(rdeth, ""),
	MEMBER(deth, ""),
	MEMBER(xrceth, ""),
	MEMBER(feth, ""),
	MEMBER(reth, ""),
	MEMBER(atomiceth, ""),
	MEMBER(aeth, ""),
	MEMBER(atomicacketh, ""),
	MEMBER(immdt, ""),
	MEMBER(ieth, ""),
	MEMBER(atomicwrite, ""),
#undef MEMBER
};

static const struct member *member_of(unsigned int layer)
{
	size_t i;

	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (members[i].layer == layer)
			return &members[i];
	return NULL;
}

static void put_value(void *to, unsigned int size, uint32_t v)
{
	uint16_t half = (uint16_t)v;
	uint8_t byte = (uint8_t)v;

	if (size == 1)
		memcpy(to, &byte, 1);
	else if (size == 2)
		memcpy(to, &half, 2);
	else
		memcpy(to, &v, 4);
}

static bool in_list(const char *list, const char *name)
{
	char word[64];

	snprintf(word, sizeof(word), " %s ", name);
	return strstr(list, word) != NULL;
}

/* One field of @good, at @at of the description. Returns whether it can be too wide. */
static bool check_field(const struct ibw_build *good, const struct member *m, size_t at,
			const struct ibw_field *f)
{
	uint8_t want[256] = { 0 }, got[256] = { 0 };
	size_t n = ibw_build_headers(want, sizeof(want), good);
	struct ibw_build b = *good;
	uint8_t *value = (uint8_t *)&b + at + f->offset;
	uint32_t low = 0;

	if (f->flags & (IBW_FIELD_RSVD | IBW_FIELD_BYTES) || f->bits >= 8u * f->size)
		return false;
	check_case("kind %u, opcode 0x%02x: %s.%s", good->kind, good->bth.opcode,
		   ibw_headers[m->layer].name, f->name);
	if (in_list(m->derived, f->name)) {
		memcpy(&low, value, 4); /* the PSN is the only one of which it matters */
		put_value(value, f->size, low | 1u << f->bits);
		CHECK_EQ(ibw_build_headers(got, sizeof(got), &b), n);
		CHECK_MEM(got, want, n);
		return true;
	}
	put_value(value, f->size, 1u << f->bits);
	CHECK_EQ(ibw_build_check(&b), IBW_BUILD_WIDE);
	memset(got, 0xa5, sizeof(got));
	memset(want, 0xa5, sizeof(want));
	CHECK_EQ(ibw_build_headers(got, sizeof(got), &b), 0);
	CHECK_MEM(got, want, sizeof(got));
	put_value(value, f->size, UINT32_MAX);
	CHECK_EQ(ibw_build_check(&b), IBW_BUILD_WIDE);
	put_value(value, f->size, (1u << f->bits) - 2);
	CHECK_EQ(ibw_build_check(&b), IBW_BUILD_OK);
	return true;
}

/* Every field of the headers of @good; how many can be too wide. */
static unsigned int check_fields(const struct ibw_build *good, uint32_t linktype)
{
	uint8_t packet[BUILD_ROOM] = { 0 };
	uint32_t n = (uint32_t)ibw_build_headers(packet, sizeof(packet), good);
	unsigned int i, vlans = 0, fields = 0;
	const struct ibw_field *f;
	const struct member *m;
	struct ibw_packet pkt;
	size_t at;

	if (!n)
		return 0;
	n += good->payload_len + ibw_build_pad(good) + IBW_ICRC_BYTES;
	n += ibw_build_is_ib(good) ? IBW_VCRC_BYTES : 0;
	CHECK_EQ(ibw_packet_walk(&pkt, packet, n, n, linktype, NULL), IBW_OK);
	for (i = 0; i < pkt.n_spans; i++) {
		m = member_of(pkt.span[i].layer);
		if (!m) {
			CHECK_EQ(pkt.span[i].layer, IBW_LAYER_cnp);
			continue;
		}
		at = m->at + (m->layer == IBW_LAYER_vlan ? vlans++ * sizeof(good->vlan[0]) : 0);
		for (f = ibw_headers[m->layer].fields; f->name; f++)
			fields += check_field(good, m, at, f);
	}
	return fields;
}

static void wide(void)
{
	unsigned int f, opcode, fields = 0;
	struct ibw_build b;

	for (f = 0; f < BUILD_FRAMINGS; f++)
		for (opcode = 0; opcode < 256; opcode++) {
			if (!ibw_opcodes[opcode].text)
				continue;
			build_case(&b, &build_framings[f], (uint8_t)opcode,
				   ibw_opcodes[opcode].flags & IBW_OPF_PAYLOAD ? 256 : 0);
			fields += check_fields(&b, build_framings[f].linktype);
		}
	check_case("all");
	CHECK(fields > 10000);
	printf("%u fields with too wide a value\n", fields);
}

/* What is found in a description: a QP number and a VLAN that mean something else once cut. */
static void found(void)
{
	struct ibw_build b;

	check_case("QP 0x11000017");
	build_case(&b, &build_framings[6], IBW_OP_RC_SEND_ONLY, 4);
	CHECK_EQ(ibw_build_check(&b), IBW_BUILD_OK);
	b.bth.dqpn = 0x11000017;
	CHECK_EQ(ibw_build_check(&b), IBW_BUILD_WIDE);
	check_case("VLAN 5000");
	build_case(&b, &build_framings[6], IBW_OP_RC_SEND_ONLY, 4);
	b.vlan[0].vid = 5000;
	CHECK_EQ(ibw_build_check(&b), IBW_BUILD_WIDE);
}

/* A LAST has a byte at least; any other packet may go without. */
static void last(void)
{
	unsigned int f, opcode, lasts = 0;
	struct ibw_build b;

	for (f = 0; f < BUILD_FRAMINGS; f++)
		for (opcode = 0; opcode < 256; opcode++) {
			uint32_t flags = ibw_opcodes[opcode].flags;

			if (!(flags & IBW_OPF_SOME))
				continue;
			check_case("%s, 0x%02x without payload", build_framings[f].name, opcode);
			build_case(&b, &build_framings[f], (uint8_t)opcode, 0);
			if (flags & IBW_OPF_LAST) {
				CHECK_EQ(ibw_build_check(&b), IBW_BUILD_EMPTY_LAST);
				b.payload_len = 1;
				lasts++;
			}
			CHECK_EQ(ibw_build_check(&b), IBW_BUILD_OK);
		}
	check_case("all");
	CHECK_EQ(lasts, BUILD_FRAMINGS * (6 + 4 + 5 + 6)); /* RC, UC, RD, XRC */
}

/* The multicast QP is reached at a multicast address alone. */
static void multicast(void)
{
	struct ibw_build b;
	unsigned int f;

	for (f = 0; f < BUILD_FRAMINGS; f++) {
		check_case("%s, the multicast QP", build_framings[f].name);
		build_case(&b, &build_framings[f], IBW_OP_UD_SEND_ONLY, 16);
		b.bth.dqpn = IBW_QPN_MULTICAST;
		CHECK_EQ(ibw_build_check(&b), IBW_BUILD_MULTICAST);
		b.grh.dgid[0] = b.ipv6.dst[0] = 0xff;
		b.ipv4.dst = 0xe0000001; /* 224.0.0.1 */
		CHECK_EQ(ibw_build_check(&b),
			 b.kind == IBW_ICRC_IB_LOCAL ? IBW_BUILD_MULTICAST : IBW_BUILD_OK);
		b.ipv4.dst = 0xefffffff;
		CHECK_EQ(ibw_build_check(&b) == IBW_BUILD_OK, b.kind != IBW_ICRC_IB_LOCAL);
		b.ipv4.dst = 0xf0000000;
		CHECK_EQ(ibw_build_check(&b) == IBW_BUILD_OK,
			 b.kind != IBW_ICRC_IB_LOCAL && b.kind != IBW_ICRC_ROCE_V2_IPV4);
	}
}

int main(void)
{
	found();
	last();
	multicast();
	wide();
	return check_end();
}
