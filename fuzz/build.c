/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build.c - any description of a packet: it is refused, or what is built is that packet.
 *
 * Input: what precedes the BTH; which further headers there are, and whether values may be too wide; the
 * opcode; the payload length, two bytes; then the values of all headers, as struct ibw_build has them.
 *
 * What is built walks as a whole packet with right CRCs, its fields have the values given, or those
 * they must have, and nothing is in it of the buffer, or of members that are no part of it.
 */
#include <stddef.h>
#include <string.h>

#include <ibwire/interp.h>

#include "tests/lib/build_cases.h"
#include "tests/lib/codecs.h"
#include "fuzz.h"

#define HEAD 5
#define WIDE 0x10    /* values may be wider than their fields */
#define ETH_BYTES 14 /* in front of RoCE v1 that has none: no link type begins with a GRH */
#define POISON 0xa5
#define GUARD 64

struct built {
	uint8_t bytes[ETH_BYTES + BUILD_ROOM + GUARD]; /* the packet from ETH_BYTES on */
	size_t n;
};

/* The bits a field has room for. */
static uint64_t mask_of(const struct ibw_field *f)
{
	const unsigned int bits = ibw_interp_width(f);

	return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

/* Every value is cut to what its field has room for. */
static void narrow(struct ibw_build *b)
{
	const struct ibw_field *f;
	unsigned int layer, vlan, i;
	uint8_t *member;

	for (layer = 0; layer < IBW_LAYER_COUNT; layer++)
		for (vlan = 0; vlan < (layer == IBW_LAYER_vlan ? 2 : 1); vlan++) {
			member = (uint8_t *)build_member(b, layer, vlan);
			for (f = ibw_headers[layer].fields; member && f->name; f++)
				for (i = 0; i < ibw_interp_elements(f); i++)
					ibw_interp_set_value(member, f, i,
							     ibw_interp_value(member, f, i) &
								     mask_of(f));
		}
}

static void describe(struct ibw_build *b, const uint8_t *data, size_t size)
{
	const size_t values = sizeof(*b) - offsetof(struct ibw_build, eth);

	memset(b, 0, sizeof(*b));
	b->kind = data[0] % (IBW_ICRC_KINDS + 1);
	b->has_eth = data[1] & 1;
	b->has_ipoib = data[1] & 2;
	b->n_vlans = data[1] >> 2 & 3;
	b->payload_len = (uint32_t)data[3] << 8 | data[4];
	memcpy(&b->eth, data + HEAD, size - HEAD < values ? size - HEAD : values);
	b->bth.opcode = data[2];
	if (!(data[1] & WIDE))
		narrow(b);
}

static bool is_all(const uint8_t *p, size_t n, uint8_t byte)
{
	while (n && *p == byte) {
		p++;
		n--;
	}
	return !n;
}

/* With room for all of it, and not a byte more than that. */
static void build(struct built *to, const struct ibw_build *b, const uint8_t *payload,
		  uint8_t poison)
{
	struct ibw_build_size len;

	memset(to, poison, sizeof(*to));
	FUZZ_CHECK(ibw_build_len(&len, b) == ibw_build_check(b));
	to->n = ibw_build_packet(to->bytes + ETH_BYTES, len.total, b, payload);
	FUZZ_CHECK(to->n == len.total && to->n <= BUILD_ROOM);
	FUZZ_CHECK(is_all(to->bytes, ETH_BYTES, poison));
	FUZZ_CHECK(is_all(to->bytes + ETH_BYTES + to->n, BUILD_ROOM + GUARD - to->n, poison));
	FUZZ_CHECK(len.total == len.headers + len.payload + len.pad + len.icrc + len.vcrc);
}

/* A buffer too small is told how much is needed, and stays as it is. */
static void build_without_room(const struct ibw_build *b, const uint8_t *payload, size_t n)
{
	static uint8_t packet[BUILD_ROOM];

	memset(packet, POISON, n);
	FUZZ_CHECK(ibw_build_packet(packet, n - 1, b, payload) == n);
	FUZZ_CHECK(is_all(packet, n, POISON));
}

static uint32_t linktype_of(const struct ibw_build *b)
{
	if (ibw_build_is_ib(b))
		return IBW_LINKTYPE_INFINIBAND;
	return b->has_eth || b->kind == IBW_ICRC_ROCE_V1 ? IBW_LINKTYPE_ETHERNET : IBW_LINKTYPE_RAW;
}

static void walk(struct ibw_packet *pkt, struct built *built, const struct ibw_build *b,
		 const uint8_t *payload)
{
	const uint16_t port = b->udp.dport;
	const struct ibw_walk_options options = { &port, 1 };
	const uint32_t front = b->kind == IBW_ICRC_ROCE_V1 && !b->has_eth ? ETH_BYTES : 0;
	const uint8_t *p = built->bytes + ETH_BYTES - front;
	const uint32_t n = (uint32_t)built->n + front;
	const uint32_t ipoib = b->has_ipoib ? (uint32_t)ibw_ipoib_BYTES : 0;

	if (front)
		ibw_put_be16(built->bytes + ETH_BYTES - 2, IBW_ETHERTYPE_ROCE);
	FUZZ_CHECK(ibw_packet_walk(pkt, p, n, n, linktype_of(b), &options) == IBW_OK);
	FUZZ_CHECK(pkt->icrc_kind == b->kind && pkt->bth != IBW_NO_SPAN && !pkt->trailer_len);
	FUZZ_CHECK(pkt->payload_len == b->payload_len + ipoib);
	FUZZ_CHECK(!memcmp(p + pkt->payload_off + ipoib, payload, b->payload_len));
	FUZZ_CHECK(is_all(p + pkt->payload_off + pkt->payload_len, pkt->pad_len, 0));
	FUZZ_CHECK(ibw_packet_icrc(pkt).status == IBW_CRC_GOOD);
	FUZZ_CHECK(ibw_packet_vcrc(pkt).status ==
		   (ibw_build_is_ib(b) ? IBW_CRC_GOOD : IBW_CRC_ABSENT));
}

/* What is 0 in every packet, whatever it was to be. */
static bool is_cleared(unsigned int layer, const char *field)
{
	if (layer == IBW_LAYER_udp)
		return strcmp(field, "checksum") == 0;
	return layer == IBW_LAYER_ipv4 &&
	       (strcmp(field, "mf") == 0 || strcmp(field, "frag_off") == 0);
}

static void check_header(unsigned int layer, const uint8_t *wire, const void *given)
{
	const struct ibw_field *f;
	uint64_t want;
	unsigned int i;

	FUZZ_CHECK(!codecs[layer].rsvd_set(wire));
	for (f = ibw_headers[layer].fields; f->name; f++) {
		if (f->flags & IBW_FIELD_RSVD || build_is_derived(layer, f->name))
			continue;
		for (i = 0; i < ibw_interp_elements(f); i++) {
			want = ibw_interp_value(given, f, i);
			if (layer == IBW_LAYER_bth && strcmp(f->name, "psn") == 0)
				want &= mask_of(f); /* it counts on, and wraps */
			if (is_cleared(layer, f->name))
				want = 0;
			FUZZ_CHECK(ibw_interp_get(wire, f, i) == want);
		}
	}
}

/* Every header has what it was given; @used gets its member. */
static void check_values(const struct ibw_packet *pkt, const struct ibw_build *b,
			 struct ibw_build *used)
{
	unsigned int i, layer, vlans = 0;
	const uint8_t *given;

	/* Not what is in front of RoCE v1. */
	for (i = !b->has_eth && pkt->span[0].layer == IBW_LAYER_eth; i < pkt->n_spans; i++) {
		layer = pkt->span[i].layer;
		if (layer == IBW_LAYER_cnp) {
			FUZZ_CHECK(is_all(ibw_packet_at(pkt, i), pkt->span[i].len, 0));
			continue;
		}
		given = build_member(b, layer, vlans);
		FUZZ_CHECK(given);
		check_header(layer, ibw_packet_at(pkt, i), given);
		memcpy((uint8_t *)used + (given - (const uint8_t *)b), given,
		       ibw_headers[layer].value_bytes);
		vlans += layer == IBW_LAYER_vlan;
	}
	FUZZ_CHECK(vlans == b->n_vlans);
	if (!b->has_ipoib)
		return;
	check_header(IBW_LAYER_ipoib, pkt->data + pkt->payload_off, &b->ipoib);
	used->ipoib = b->ipoib;
}

/* For a reason, and never because of a value that has room. */
static void check_refused(struct ibw_build *b)
{
	FUZZ_CHECK(ibw_build_check(b) != IBW_BUILD_OK);
	FUZZ_CHECK(strcmp(ibw_build_error_text(ibw_build_check(b)), "an unknown error") != 0);
	narrow(b);
	FUZZ_CHECK(ibw_build_check(b) != IBW_BUILD_WIDE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t payload[65536];
	static struct built built, again;
	struct ibw_build b, used;
	struct ibw_packet pkt;

	if (size < HEAD)
		return 0;
	describe(&b, data, size);
	memset(payload, data[size - 1], b.payload_len);
	build(&built, &b, payload, POISON);
	if (!built.n) {
		check_refused(&b);
		return 0;
	}
	build_without_room(&b, payload, built.n);
	walk(&pkt, &built, &b, payload);
	memset(&used, POISON, sizeof(used));
	used.kind = b.kind;
	used.n_vlans = b.n_vlans;
	used.has_eth = b.has_eth;
	used.has_ipoib = b.has_ipoib;
	used.payload_len = b.payload_len;
	check_values(&pkt, &b, &used);
	build(&again, &used, payload, (uint8_t)~POISON);
	FUZZ_CHECK(again.n == built.n &&
		   !memcmp(again.bytes + ETH_BYTES, built.bytes + ETH_BYTES, built.n));
	return 0;
}
