/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build_cases.h - every packet the builder can be asked for: framings, opcodes, payloads.
 *
 * The values are random, but such as a healthy sender has: what a linter looks at in addition to
 * lengths and CRCs is right.
 */
#ifndef TESTS_BUILD_CASES_H
#define TESTS_BUILD_CASES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ibwire/build.h>
#include <ibwire/build_crc.h>
#include <ibwire/packet.h>

#define BUILD_ROOM 4400

static const struct build_framing {
	const char *name;
	uint8_t kind, n_vlans;
	bool has_eth;
	uint16_t linktype;
} build_framings[] = {
	{ "ib-local", IBW_ICRC_IB_LOCAL, 0, false, IBW_LINKTYPE_INFINIBAND },
	{ "ib-global", IBW_ICRC_IB_GLOBAL, 0, false, IBW_LINKTYPE_INFINIBAND },
	{ "roce-v1", IBW_ICRC_ROCE_V1, 0, true, IBW_LINKTYPE_ETHERNET },
	{ "roce-v1-vlan", IBW_ICRC_ROCE_V1, 1, true, IBW_LINKTYPE_ETHERNET },
	{ "roce-v1-qinq", IBW_ICRC_ROCE_V1, 2, true, IBW_LINKTYPE_ETHERNET },
	{ "roce-v2-ipv4", IBW_ICRC_ROCE_V2_IPV4, 0, true, IBW_LINKTYPE_ETHERNET },
	{ "roce-v2-ipv4-vlan", IBW_ICRC_ROCE_V2_IPV4, 1, true, IBW_LINKTYPE_ETHERNET },
	{ "roce-v2-ipv4-qinq", IBW_ICRC_ROCE_V2_IPV4, 2, true, IBW_LINKTYPE_ETHERNET },
	{ "roce-v2-ipv6", IBW_ICRC_ROCE_V2_IPV6, 0, true, IBW_LINKTYPE_ETHERNET },
	{ "roce-v2-ipv6-vlan", IBW_ICRC_ROCE_V2_IPV6, 1, true, IBW_LINKTYPE_ETHERNET },
	{ "ipv4", IBW_ICRC_ROCE_V2_IPV4, 0, false, IBW_LINKTYPE_IPV4 },
	{ "ipv6", IBW_ICRC_ROCE_V2_IPV6, 0, false, IBW_LINKTYPE_IPV6 },
};
#define BUILD_FRAMINGS (sizeof(build_framings) / sizeof(build_framings[0]))

static uint64_t build_random_state = 1;

static inline uint32_t build_random(void)
{
	build_random_state = build_random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(build_random_state >> 32);
}

static inline void build_random_bytes(void *to, size_t n)
{
	uint8_t *p = to;

	while (n--)
		*p++ = (uint8_t)build_random();
}

/* Random, and unicast. */
static inline void build_random_gid(uint8_t *gid)
{
	build_random_bytes(gid, 16);
	gid[0] = 0x20;
	gid[15] |= 1;
}

static inline void build_random_link(struct ibw_build *b)
{
	unsigned int i;

	build_random_bytes(b->eth.dst, 6);
	build_random_bytes(b->eth.src, 6);
	b->eth.dst[0] = b->eth.src[0] = 2;
	b->eth.dst[5] = (uint8_t)~b->eth.src[5];
	for (i = 0; i < 2; i++) {
		b->vlan[i].pcp = build_random() & 7;
		b->vlan[i].vid = (uint16_t)(1 + build_random() % 0xffe);
	}
	b->lrh.vl = (uint8_t)(build_random() % 15);
	b->lrh.sl = build_random() & 15;
	b->lrh.slid = (uint16_t)(1 + build_random() % 0xbfff);
	b->lrh.dlid = (uint16_t)(1 + build_random() % 0xbfff);
}

static inline void build_random_net(struct ibw_build *b)
{
	b->grh.tclass = b->ipv6.dscp = b->ipv4.dscp = build_random() & 0x3f;
	b->ipv4.ecn = b->ipv6.ecn = IBW_ECN_ECT0;
	b->grh.flow_label = b->ipv6.flow_label = build_random() & 0xfffff;
	b->grh.hop_limit = b->ipv4.ttl = b->ipv6.hop_limit = (uint8_t)(2 + build_random() % 250);
	build_random_gid(b->grh.sgid);
	build_random_gid(b->grh.dgid);
	build_random_gid(b->ipv6.src);
	build_random_gid(b->ipv6.dst);
	b->ipv4.id = (uint16_t)build_random();
	b->ipv4.df = 1;
	b->ipv4.src = 0xc0000200 + (build_random() & 0x7f);
	b->ipv4.dst = 0xc0000280 + (build_random() & 0x7f);
	b->udp.sport = (uint16_t)(0xc000 | build_random());
	b->udp.dport = IBW_UDP_PORT_ROCE;
}

static inline void build_random_transport(struct ibw_build *b, uint8_t opcode, uint32_t payload)
{
	uint32_t flags = ibw_opcode_chain(opcode) >> 16;

	b->bth.opcode = opcode;
	b->bth.migreq = build_random() & 1;
	b->bth.pkey = IBW_PKEY_DEFAULT_FULL;
	b->bth.dqpn = 0x10 + build_random() % 0xfffff0 % 0xffff00;
	b->bth.psn = build_random() & 0xffffff;
	b->rdeth.een = build_random() & 0xffffff;
	b->deth.qkey = build_random() & 0x7fffffff;
	b->deth.sqpn = 0x10 + build_random() % 0xffff00;
	b->xrceth.xrcsrq = build_random() & 0xffffff;
	b->feth.plt = IBW_FLUSH_PLT_GLOBAL_VISIBILITY;
	b->feth.sel = IBW_FLUSH_SEL_RANGE;
	b->reth.va = b->atomiceth.va = (uint64_t)build_random() << 20;
	b->reth.rkey = b->atomiceth.rkey = b->ieth.rkey = 0x100 + build_random() % 0xffff0000;
	b->reth.dmalen = flags & IBW_OPF_FIRST ? 4 * payload : payload;
	if (!(flags & IBW_OPF_PAYLOAD))
		b->reth.dmalen = 8;
	b->atomiceth.swap = build_random();
	b->atomiceth.compare = (opcode & 0x1f) == IBW_OP_RC_COMPARE_SWAP ? build_random() : 0;
	b->aeth.syndrome = IBW_AETH_ACK_UNLIMITED;
	b->aeth.msn = build_random() & 0xffffff;
	b->atomicacketh.orig = build_random();
	b->immdt.data = build_random();
	b->atomicwrite.data = build_random();
	if (opcode == IBW_OP_CNP) {
		b->bth.becn = 1;
		b->bth.psn = b->bth.migreq = 0;
		b->ipv4.ecn = b->ipv6.ecn = IBW_ECN_NOT_ECT;
	}
}

/* A description with nothing in it that says no: refused only for what opcode and payload are. */
static inline void build_case(struct ibw_build *b, const struct build_framing *f, uint8_t opcode,
			      uint32_t payload)
{
	memset(b, 0, sizeof(*b));
	b->kind = f->kind;
	b->has_eth = f->has_eth;
	b->n_vlans = f->n_vlans;
	b->payload_len = payload;
	build_random_link(b);
	build_random_net(b);
	build_random_transport(b, opcode, payload);
}

/* The payloads of every opcode that takes some: 0 to 260, and around each MTU. */
static inline bool build_payload_tried(uint32_t n)
{
	uint32_t mtu;

	for (mtu = IBW_MTU_MIN; mtu <= IBW_MTU_MAX; mtu *= 2)
		if (n + 4 >= mtu && n <= mtu + 4)
			return true;
	return n <= 260;
}

/* The member of @b for a header, and which of its fields the builder sets itself. */
static inline const void *build_member(const struct ibw_build *b, unsigned int layer,
				       unsigned int vlan)
{
	switch (layer) {
#define MEMBER(name)                                                                               \
	case IBW_LAYER_##name:                                                                     \
		return &b->name
		MEMBER(eth);
		MEMBER(lrh);
		MEMBER(grh);
		MEMBER(ipv4);
		MEMBER(ipv6);
		MEMBER(udp);
		MEMBER(bth);
		MEMBER(rdeth);
		MEMBER(deth);
		MEMBER(xrceth);
		MEMBER(feth);
		MEMBER(reth);
		MEMBER(atomiceth);
		MEMBER(aeth);
		MEMBER(atomicacketh);
		MEMBER(immdt);
		MEMBER(ieth);
		MEMBER(atomicwrite);
		MEMBER(ipoib);
#undef MEMBER
	case IBW_LAYER_vlan:
		return &b->vlan[vlan];
	default:
		return NULL;
	}
}

static inline bool build_is_derived(unsigned int layer, const char *field)
{
	static const struct {
		unsigned int layer;
		const char *fields;
	} derived[] = {
		{ IBW_LAYER_eth, " type " },
		{ IBW_LAYER_vlan, " type " },
		{ IBW_LAYER_lrh, " lnh pktlen " },
		{ IBW_LAYER_grh, " ipver paylen nxthdr " },
		{ IBW_LAYER_ipv4, " version ihl total_len protocol checksum " },
		{ IBW_LAYER_ipv6, " version paylen nxthdr " },
		{ IBW_LAYER_udp, " length " },
		{ IBW_LAYER_bth, " padcnt " },
	};
	char word[64];
	size_t i;

	snprintf(word, sizeof(word), " %s ", field);
	for (i = 0; i < sizeof(derived) / sizeof(derived[0]); i++)
		if (derived[i].layer == layer)
			return strstr(derived[i].fields, word) != NULL;
	return false;
}

#endif /* TESTS_BUILD_CASES_H */
