/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build.c - every packet the builder makes, walked back and compared field by field:
 * framings, opcodes, payload lengths; what it refuses; what it does without room.
 */
#include "build_cases.h"
#include "check.h"
#include "codecs.h"
#include "guard.h"

static uint8_t payload[BUILD_ROOM];
static struct guard guard;

/* Every field of a header but the derived ones has the value it was given. */
static void check_fields(const struct ibw_build *b, const struct ibw_packet *pkt, unsigned int i,
			 unsigned int vlan)
{
	unsigned int layer = pkt->span[i].layer;
	const uint8_t *given = build_member(b, layer, vlan);
	uint64_t value[CODEC_ROOM / 16];
	const struct ibw_field *f;
	size_t bytes;

	if (layer == IBW_LAYER_cnp) {
		static const uint8_t zeros[16];

		CHECK_MEM(ibw_packet_at(pkt, i), zeros, sizeof(zeros));
		return;
	}
	if (!CHECK(given != NULL))
		return;
	codecs[layer].unpack(value, ibw_packet_at(pkt, i));
	CHECK(!codecs[layer].rsvd_set(ibw_packet_at(pkt, i)));
	for (f = ibw_headers[layer].fields; f->name; f++) {
		if (f->flags & IBW_FIELD_RSVD || build_is_derived(layer, f->name))
			continue;
		bytes = f->size ? (size_t)f->size * f->count : f->bits / 8u;
		CHECK_MEM((const uint8_t *)value + f->offset, given + f->offset, bytes);
	}
}

/* The derived fields, from what is counted in the packet: where things lie, not what headers say. */
static void check_lengths(const struct ibw_build *b, const uint8_t *p, uint32_t len)
{
	uint32_t end = len - (ibw_build_is_ib(b) ? IBW_VCRC_BYTES : 0);
	uint32_t at = b->has_eth ? 14 + 4u * b->n_vlans : 0;
	const uint8_t *net = p + at;

	switch (b->kind) {
	case IBW_ICRC_IB_GLOBAL:
		CHECK_EQ((net[8 + 4] << 8) + net[8 + 5], end - at - 8 - 40);
		CHECK_EQ(net[8 + 6], 0x1b);
		CHECK_EQ(net[8] >> 4, 6);
		/* fall through */
	case IBW_ICRC_IB_LOCAL:
		CHECK_EQ(((net[4] & 7) << 8) + net[5], (end - at) / 4);
		CHECK_EQ(net[1] & 3, b->kind == IBW_ICRC_IB_GLOBAL ? 3 : 2);
		break;
	case IBW_ICRC_ROCE_V1:
		CHECK_EQ((net[4] << 8) + net[5], end - at - 40);
		CHECK_EQ(net[6], 0x1b);
		break;
	case IBW_ICRC_ROCE_V2_IPV4:
		CHECK_EQ(net[0], 0x45);
		CHECK_EQ((net[2] << 8) + net[3], end - at);
		CHECK_EQ((net[24] << 8) + net[25], end - at - 20);
		CHECK_EQ(net[9], 17);
		CHECK(ibw_ipv4_checksum_good((const struct ibw_ipv4_wire *)net, 20));
		break;
	default:
		CHECK_EQ(net[0] >> 4, 6);
		CHECK_EQ((net[4] << 8) + net[5], end - at - 40);
		CHECK_EQ((net[44] << 8) + net[45], end - at - 40);
		CHECK_EQ(net[6], 17);
		break;
	}
}

/* One packet: built at the end of a page, walked, compared. */
static void check_packet(const struct ibw_build *b, uint32_t linktype)
{
	struct ibw_build_size len;
	struct ibw_packet pkt;
	unsigned int i, vlans = 0;
	uint8_t *p;

	if (!CHECK_EQ(ibw_build_len(&len, b), IBW_BUILD_OK))
		return;
	p = guard_tail_room(&guard, len.total);
	memset(p, 0xa5, len.total);
	CHECK_EQ(ibw_build_packet(p, len.total, b, payload), len.total);
	CHECK_EQ(ibw_packet_walk(&pkt, p, len.total, len.total, linktype, NULL), IBW_OK);
	CHECK_EQ(pkt.flags & ~IBW_PKT_VENDOR, 0);
	CHECK_EQ(pkt.icrc_kind, b->kind);
	CHECK_EQ(pkt.eths, ibw_opcode_chain(b->bth.opcode) & 0xffff);
	CHECK_EQ(pkt.payload_off, len.headers);
	CHECK_EQ(pkt.payload_len, len.payload);
	CHECK_EQ(pkt.pad_len, len.pad);
	CHECK_EQ(pkt.icrc_off, len.headers + len.payload + len.pad);
	CHECK_EQ(pkt.trailer_len, 0);
	CHECK_EQ(ibw_packet_icrc(&pkt).status, IBW_CRC_GOOD);
	CHECK_EQ(ibw_packet_vcrc(&pkt).status, len.vcrc ? IBW_CRC_GOOD : IBW_CRC_ABSENT);
	CHECK_MEM(p + len.headers, payload, len.payload);
	check_lengths(b, p, len.total);
	for (i = 0; i < pkt.n_spans; i++) {
		check_fields(b, &pkt, i, vlans);
		vlans += pkt.span[i].layer == IBW_LAYER_vlan;
	}
	CHECK_EQ(vlans, b->n_vlans);
}

/* Every payload length an opcode takes, in one framing; how many packets that were. */
static unsigned int all_payloads(const struct build_framing *f, unsigned int opcode)
{
	uint32_t flags = ibw_opcode_chain((uint8_t)opcode) >> 16, n;
	enum ibw_build_error error;
	unsigned int packets = 0;
	struct ibw_build b;

	for (n = 0; n <= IBW_MTU_MAX + 4; n++) {
		if (!build_payload_tried(n))
			continue;
		check_case("%s, %s, %u", f->name, ibw_opcodes[opcode].text, n);
		build_case(&b, f, (uint8_t)opcode, n);
		error = ibw_build_check(&b);
		if (opcode == IBW_OP_CNP && f->kind < IBW_ICRC_ROCE_V2_IPV4) {
			CHECK_EQ(error, IBW_BUILD_CNP);
			continue;
		}
		if (n > IBW_MTU_MAX) {
			CHECK_EQ(error, IBW_BUILD_LONG);
		} else if (flags & IBW_OPF_LAST && !n) {
			CHECK_EQ(error, IBW_BUILD_EMPTY_LAST);
		} else if (!(flags & IBW_OPF_PAYLOAD) && n) {
			CHECK_EQ(error, IBW_BUILD_NO_PAYLOAD);
		} else if (flags & IBW_OPF_MTU && n != 256 && n != 512 && n != 1024 && n != 2048 &&
			   n != 4096) {
			CHECK_EQ(error, IBW_BUILD_MTU);
		} else {
			check_packet(&b, f->linktype);
			packets++;
			continue;
		}
		CHECK_EQ(ibw_build_headers(NULL, 0, &b), 0);
	}
	return packets;
}

static void all_packets(void)
{
	unsigned int f, opcode, packets = 0;
	struct ibw_build b;

	for (f = 0; f < BUILD_FRAMINGS; f++)
		for (opcode = 0; opcode < 256; opcode++) {
			if (ibw_opcodes[opcode].text) {
				packets += all_payloads(&build_framings[f], opcode);
				continue;
			}
			check_case("%s, opcode %u", build_framings[f].name, opcode);
			build_case(&b, &build_framings[f], (uint8_t)opcode, 0);
			CHECK_EQ(ibw_build_check(&b), IBW_BUILD_OPCODE);
		}
	check_case("all");
	CHECK(packets > 100000);
	printf("%u packets built and walked back\n", packets);
}

/* With less room the answer is how much is needed, and no byte changes. */
static void no_room(void)
{
	unsigned int f, opcode;
	struct ibw_build_size len;
	struct ibw_build b;
	uint8_t want[BUILD_ROOM];
	size_t cap;
	uint8_t *p;

	memset(want, 0xa5, sizeof(want));
	for (f = 0; f < BUILD_FRAMINGS; f++)
		for (opcode = 0; opcode < 256; opcode++) {
			check_case("%s, %u, without room", build_framings[f].name, opcode);
			build_case(&b, &build_framings[f], (uint8_t)opcode,
				   ibw_opcodes[opcode].flags & IBW_OPF_PAYLOAD ? 256 : 0);
			if (ibw_build_len(&len, &b))
				continue;
			for (cap = 0; cap < len.headers; cap += cap + 1 == len.headers ? 1 : 3) {
				if (cap + 3 > len.headers)
					cap = len.headers - 1;
				p = guard_tail_room(&guard, cap);
				memset(p, 0xa5, cap);
				CHECK_EQ(ibw_build_headers(p, cap, &b), len.headers);
				CHECK_MEM(p, want, cap);
			}
			p = guard_tail_room(&guard, len.total - 1);
			memset(p, 0xa5, len.total - 1);
			CHECK_EQ(ibw_build_packet(p, len.total - 1, &b, payload), len.total);
			CHECK_MEM(p, want, len.total - 1);
		}
}

/* What the framing and the opcode do not have is not looked at, nor what the buffer held. */
static void nothing_else_read(void)
{
	unsigned int f, opcode, i, vlans;
	uint8_t with[2][256];
	struct ibw_packet pkt;
	struct ibw_build b[2];
	size_t n;

	for (f = 0; f < BUILD_FRAMINGS; f++)
		for (opcode = 0; opcode < 256; opcode++) {
			struct ibw_build full;
			uint8_t packet[BUILD_ROOM];

			check_case("%s, %u, with junk around", build_framings[f].name, opcode);
			build_case(&full, &build_framings[f], (uint8_t)opcode,
				   ibw_opcodes[opcode].flags & IBW_OPF_PAYLOAD ? 256 : 0);
			n = ibw_build_packet(packet, sizeof(packet), &full, payload);
			if (!n)
				continue;
			ibw_packet_walk(&pkt, packet, (uint32_t)n, (uint32_t)n,
					build_framings[f].linktype, NULL);
			for (i = 0; i < 2; i++) {
				unsigned int s;

				memset(&b[i], i ? 0xff : 0x5a, sizeof(b[i]));
				memset(with[i], i ? 0 : 0xff, sizeof(with[i]));
				b[i].kind = full.kind;
				b[i].has_eth = full.has_eth;
				b[i].n_vlans = full.n_vlans;
				b[i].has_ipoib = false;
				b[i].payload_len = full.payload_len;
				for (s = vlans = 0; s < pkt.n_spans; s++) {
					unsigned int layer = pkt.span[s].layer;
					const uint8_t *from = build_member(&full, layer, vlans);
					size_t at;

					if (!from) /* a CNP has no values */
						continue;
					at = (size_t)(from - (const uint8_t *)&full);
					memcpy((uint8_t *)&b[i] + at, from,
					       codecs[layer].value_bytes);
					vlans += layer == IBW_LAYER_vlan;
				}
				n = ibw_build_headers(with[i], sizeof(with[i]), &b[i]);
				CHECK_EQ(n, pkt.payload_off);
				CHECK_MEM(with[i], packet, n);
			}
		}
}

static void refused(void)
{
	struct ibw_build good, b;
	uint8_t none[1];

#define REFUSED(error, change)                                                                     \
	do {                                                                                       \
		b = good;                                                                          \
		change;                                                                            \
		check_case("%s", #change);                                                         \
		CHECK_EQ(ibw_build_check(&b), error);                                              \
		CHECK_EQ(ibw_build_headers(none, 0, &b), 0);                                       \
		CHECK_EQ(ibw_build_packet(none, 0, &b, NULL), 0);                                  \
		CHECK(strlen(ibw_build_error_text(ibw_build_check(&b))) > 10);                     \
	} while (0)
	build_case(&good, &build_framings[0], IBW_OP_RC_SEND_ONLY, 4);
	REFUSED(IBW_BUILD_KIND, b.kind = IBW_ICRC_NONE);
	REFUSED(IBW_BUILD_KIND, b.kind = IBW_ICRC_KINDS);
	REFUSED(IBW_BUILD_LINK, b.has_eth = true);
	REFUSED(IBW_BUILD_LINK, b.n_vlans = 1);
	REFUSED(IBW_BUILD_OPCODE, b.bth.opcode = IBW_OPCODE_VENDOR_FIRST);
	REFUSED(IBW_BUILD_LONG, b.payload_len = UINT32_MAX);
	REFUSED(IBW_BUILD_QP_SERVICE, b.bth.dqpn = IBW_QPN_GSI);
	REFUSED(IBW_BUILD_QP_SERVICE, b.bth.dqpn = IBW_QPN_MULTICAST);
	REFUSED(IBW_BUILD_IPOIB, b.has_ipoib = true);
	build_case(&good, &build_framings[5], IBW_OP_UD_SEND_ONLY, 256);
	REFUSED(IBW_BUILD_LINK, b.n_vlans = 3);
	REFUSED(IBW_BUILD_LINK, (b.n_vlans = 1, b.has_eth = false));
	REFUSED(IBW_BUILD_QP0, b.bth.dqpn = IBW_QPN_SMI);
	REFUSED(IBW_BUILD_IPOIB, b.has_ipoib = true);
	build_case(&good, &build_framings[0], IBW_OP_UD_SEND_ONLY, 256);
	REFUSED(IBW_BUILD_MULTICAST, b.bth.dqpn = IBW_QPN_MULTICAST);
	REFUSED(IBW_BUILD_LONG, (b.has_ipoib = true, b.payload_len = 4093));
	build_case(&good, &build_framings[1], IBW_OP_UD_SEND_ONLY, 256);
	REFUSED(IBW_BUILD_QP0, b.bth.dqpn = IBW_QPN_SMI);
#undef REFUSED
}

/* The CRCs over pieces equal those over the packet, wherever it is cut. */
static void pieces(void)
{
	struct ibw_piece piece[3];
	uint8_t packet[BUILD_ROOM] = { 0 }, hdr[256] = { 0 };
	struct ibw_build b;
	struct ibw_build_size len;
	unsigned int f, n, a;
	uint32_t icrc;

	for (f = 0; f < BUILD_FRAMINGS; f++)
		for (n = 0; n < 40; n++)
			for (a = 0; a <= n; a++) {
				check_case("%s, %u in pieces at %u", build_framings[f].name, n, a);
				build_case(&b, &build_framings[f], IBW_OP_UD_SEND_ONLY, n);
				if (!CHECK(!ibw_build_len(&len, &b)))
					return;
				ibw_build_packet(packet, sizeof(packet), &b, payload);
				if (!CHECK_EQ(ibw_build_headers(hdr, sizeof(hdr), &b), len.headers))
					return;
				piece[0] = (struct ibw_piece){ payload, a };
				piece[1] = (struct ibw_piece){ NULL, 0 };
				piece[2] = (struct ibw_piece){ payload + a, n - a };
				icrc = ibw_build_icrc(&b, hdr, piece, 3, ibw_crc32_step);
				CHECK_EQ(icrc,
					 ibw_icrc_get(packet + len.total - len.vcrc - len.icrc));
				if (len.vcrc)
					CHECK_EQ(ibw_build_vcrc(&b, hdr, piece, 3, icrc,
								ibw_crc16_step),
						 ibw_vcrc_get(packet + len.total - len.vcrc));
			}
}

/* The payload may already be in the buffer, in its place or anywhere. */
static void payload_in_place(void)
{
	uint8_t want[BUILD_ROOM], got[BUILD_ROOM];
	struct ibw_build b;
	size_t n, at;

	build_case(&b, &build_framings[5], IBW_OP_RC_SEND_ONLY, 301);
	n = ibw_build_packet(want, sizeof(want), &b, payload);
	for (at = 0; at < 200; at++) {
		check_case("payload at %zu", at);
		memcpy(got + at, payload, 301);
		CHECK_EQ(ibw_build_packet(got, sizeof(got), &b, got + at), n);
		CHECK_MEM(got, want, n);
	}
}

int main(void)
{
	build_random_bytes(payload, sizeof(payload));
	guard = guard_open(BUILD_ROOM);
	refused();
	no_room();
	nothing_else_read();
	pieces();
	payload_in_place();
	all_packets();
	guard_close(&guard);
	return check_end();
}
