/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * made.c DIR - the walk over the captures pcaps/make has written to DIR: every
 * opcode in every framing, cut at every byte, and what happens below the transport.
 */
#include "check.h"
#include "guard.h"
#include "pcap_file.h"

#include <ibwire/ibwire.h>
#include <ibwire/packet.h>

static const char *dir;

#define LAYERS_MAX 12
#define END IBW_LAYER_COUNT

/* The headers before the BTH and what covers them, framing by framing. */
static const struct framing {
	const char *name;
	uint8_t proto, icrc_kind;
	uint16_t layers[LAYERS_MAX];
} framings[] = {
#define L(name) IBW_LAYER_##name
	{ "ib-local", IBW_PROTO_IB, IBW_ICRC_IB_LOCAL, { L(lrh), END } },
	{ "ib-global", IBW_PROTO_IB, IBW_ICRC_IB_GLOBAL, { L(lrh), L(grh), END } },
	{ "roce-v1", IBW_PROTO_ROCEV1, IBW_ICRC_ROCE_V1, { L(eth), L(grh), END } },
	{ "roce-v1-vlan", IBW_PROTO_ROCEV1, IBW_ICRC_ROCE_V1, { L(eth), L(vlan), L(grh), END } },
	{ "roce-v2-ipv4",
	  IBW_PROTO_ROCEV2,
	  IBW_ICRC_ROCE_V2_IPV4,
	  { L(eth), L(ipv4), L(udp), END } },
	{ "roce-v2-ipv4-vlan",
	  IBW_PROTO_ROCEV2,
	  IBW_ICRC_ROCE_V2_IPV4,
	  { L(eth), L(vlan), L(ipv4), L(udp), END } },
	{ "roce-v2-ipv4-qinq",
	  IBW_PROTO_ROCEV2,
	  IBW_ICRC_ROCE_V2_IPV4,
	  { L(eth), L(vlan), L(vlan), L(ipv4), L(udp), END } },
	{ "roce-v2-ipv6",
	  IBW_PROTO_ROCEV2,
	  IBW_ICRC_ROCE_V2_IPV6,
	  { L(eth), L(ipv6), L(udp), END } },
	{ "roce-v2-ipv6-vlan",
	  IBW_PROTO_ROCEV2,
	  IBW_ICRC_ROCE_V2_IPV6,
	  { L(eth), L(vlan), L(ipv6), L(udp), END } },
	{ "vxlan-roce-v2-ipv4",
	  IBW_PROTO_ROCEV2,
	  IBW_ICRC_ROCE_V2_IPV4,
	  { L(eth), L(ipv4), L(udp), L(vxlan), L(eth), L(ipv4), L(udp), END } },
	{ "vxlan-roce-v2-ipv6",
	  IBW_PROTO_ROCEV2,
	  IBW_ICRC_ROCE_V2_IPV6,
	  { L(eth), L(ipv4), L(udp), L(vxlan), L(eth), L(ipv6), L(udp), END } },
	{ "sll-roce-v1", IBW_PROTO_ROCEV1, IBW_ICRC_ROCE_V1, { L(sll), L(grh), END } },
	{ "sll-roce-v2-ipv4",
	  IBW_PROTO_ROCEV2,
	  IBW_ICRC_ROCE_V2_IPV4,
	  { L(sll), L(ipv4), L(udp), END } },
	{ "sll2-roce-v2-ipv4",
	  IBW_PROTO_ROCEV2,
	  IBW_ICRC_ROCE_V2_IPV4,
	  { L(sll2), L(ipv4), L(udp), END } },
	{ "sll2-roce-v2-ipv6",
	  IBW_PROTO_ROCEV2,
	  IBW_ICRC_ROCE_V2_IPV6,
	  { L(sll2), L(ipv6), L(udp), END } },
	{ "raw-roce-v2-ipv4", IBW_PROTO_ROCEV2, IBW_ICRC_ROCE_V2_IPV4, { L(ipv4), L(udp), END } },
	{ "raw-roce-v2-ipv6", IBW_PROTO_ROCEV2, IBW_ICRC_ROCE_V2_IPV6, { L(ipv6), L(udp), END } },
	{ "ipv4-roce-v2", IBW_PROTO_ROCEV2, IBW_ICRC_ROCE_V2_IPV4, { L(ipv4), L(udp), END } },
	{ "ipv6-roce-v2", IBW_PROTO_ROCEV2, IBW_ICRC_ROCE_V2_IPV6, { L(ipv6), L(udp), END } },
	{ "erf-eth-roce-v2-ipv4",
	  IBW_PROTO_ROCEV2,
	  IBW_ICRC_ROCE_V2_IPV4,
	  { L(erf), L(eth), L(ipv4), L(udp), END } },
	{ "erf-eth-roce-v1", IBW_PROTO_ROCEV1, IBW_ICRC_ROCE_V1, { L(erf), L(eth), L(grh), END } },
	{ "erf-ib-local", IBW_PROTO_IB, IBW_ICRC_IB_LOCAL, { L(erf), L(lrh), END } },
	{ "erf-ib-global", IBW_PROTO_IB, IBW_ICRC_IB_GLOBAL, { L(erf), L(lrh), L(grh), END } },
#undef L
};
#define FRAMINGS (sizeof(framings) / sizeof(framings[0]))

/* The extension headers, by name: a list of its own in addition to the walk's. */
static const struct {
	uint16_t bit, layer, bytes;
} eths[] = {
	{ IBW_ETH_RDETH, IBW_LAYER_rdeth, 4 },
	{ IBW_ETH_DETH, IBW_LAYER_deth, 8 },
	{ IBW_ETH_XRCETH, IBW_LAYER_xrceth, 4 },
	{ IBW_ETH_FETH, IBW_LAYER_feth, 4 },
	{ IBW_ETH_RETH, IBW_LAYER_reth, 16 },
	{ IBW_ETH_ATOMICETH, IBW_LAYER_atomiceth, 28 },
	{ IBW_ETH_AETH, IBW_LAYER_aeth, 4 },
	{ IBW_ETH_ATOMICACKETH, IBW_LAYER_atomicacketh, 8 },
	{ IBW_ETH_IMMDT, IBW_LAYER_immdt, 4 },
	{ IBW_ETH_IETH, IBW_LAYER_ieth, 4 },
	{ IBW_ETH_ATOMICWRITE, IBW_LAYER_atomicwrite, 8 },
	{ IBW_ETH_CNP, IBW_LAYER_cnp, 16 },
};

/* Span @i is a whole header of @layer at @off; yields the offset after it. */
static uint32_t check_span(const struct ibw_packet *pkt, unsigned int i, uint16_t layer,
			   uint32_t off)
{
	if (!CHECK(i < pkt->n_spans))
		return off;
	CHECK_EQ(pkt->span[i].layer, layer);
	CHECK_EQ(pkt->span[i].off, off);
	CHECK_EQ(pkt->span[i].len, ibw_headers[layer].bytes);
	return off + ibw_headers[layer].bytes;
}

/* The payload pcaps/make gives the @n-th opcode. */
static uint32_t payload_of(uint16_t flags, uint32_t n)
{
	if (flags & IBW_OPF_MTU)
		return 256;
	if (flags & IBW_OPF_LAST && n % 7 == 0)
		return 7;
	return flags & IBW_OPF_SOME ? n % 7 : 0;
}

static void check_whole(const struct pcap_file *f, const struct framing *framing, uint8_t opcode)
{
	const struct ibw_opcode_row *row = &ibw_opcodes[opcode];
	uint32_t off = 0, payload = payload_of(row->flags, f->number), pad, i, n = 0;
	bool ib = framing->proto == IBW_PROTO_IB;
	struct ibw_packet pkt;

	if (!CHECK_EQ(ibw_packet_walk(&pkt, f->frame, f->caplen, f->len, f->linktype, NULL),
		      IBW_OK))
		return;
	for (; framing->layers[n] != END; n++) {
		/* Ethernet in ERF comes after two bytes of offset and pad. */
		if (n && framing->layers[n] == IBW_LAYER_eth &&
		    framing->layers[n - 1] == IBW_LAYER_erf)
			off += 2;
		off = check_span(&pkt, n, framing->layers[n], off);
	}
	CHECK_EQ(pkt.bth, n);
	CHECK_EQ(pkt.opcode, opcode);
	off = check_span(&pkt, n++, IBW_LAYER_bth, off);
	for (i = 0; i < sizeof(eths) / sizeof(eths[0]); i++) {
		if (!(row->eths & eths[i].bit))
			continue;
		CHECK_EQ(ibw_headers[eths[i].layer].bytes, eths[i].bytes);
		off = check_span(&pkt, n++, eths[i].layer, off);
	}
	CHECK_EQ(pkt.n_spans, n);
	CHECK_EQ(pkt.eths, row->eths);
	CHECK_EQ(pkt.proto, framing->proto);
	CHECK_EQ(pkt.flags, framing->layers[3] == IBW_LAYER_vxlan ? IBW_PKT_TUNNEL : 0);
	CHECK_EQ(pkt.icrc_kind, framing->icrc_kind);
	pad = -payload & 3;
	CHECK_EQ(pkt.payload_off, off);
	CHECK_EQ(pkt.payload_len, payload);
	CHECK_EQ(pkt.pad_len, pad);
	CHECK_EQ(pkt.icrc_off, off + payload + pad);
	CHECK_EQ(pkt.vcrc_off, ib ? off + payload + pad + 4 : 0);
	CHECK_EQ(pkt.trailer_len, framing->layers[0] == IBW_LAYER_erf && !ib ? 4 : 0);
	CHECK_EQ(off + payload + pad + 4 + (ib ? 2 : pkt.trailer_len), f->len);
	CHECK_EQ(ibw_packet_icrc(&pkt).status, IBW_CRC_GOOD);
	CHECK_EQ(ibw_packet_vcrc(&pkt).status, ib ? IBW_CRC_GOOD : IBW_CRC_ABSENT);
}

/* A capture short at any byte: the same spans as far as they are there, and no fault found. */
static void check_cut(const struct pcap_file *f, struct guard *g)
{
	struct ibw_packet whole, cut;
	uint32_t n, i, end, last;

	ibw_packet_walk(&whole, f->frame, f->caplen, f->len, f->linktype, NULL);
	end = whole.icrc_off + 4;
	last = whole.vcrc_off ? whole.vcrc_off + 2 : end;
	for (n = 0; n < f->len; n++) {
		const uint8_t *p = guard_tail(g, f->frame, n);

		CHECK_EQ(ibw_packet_walk(&cut, p, n, f->len, f->linktype, NULL),
			 n < last ? IBW_CUT : IBW_OK);
		for (i = 0; i < whole.n_spans && whole.span[i].off + whole.span[i].len <= n; i++)
			CHECK(i < cut.n_spans &&
			      !memcmp(&cut.span[i], &whole.span[i], sizeof(cut.span[i])));
		CHECK_EQ(cut.n_spans, i);
		CHECK_EQ(cut.len, f->len);
		if (n >= end)
			CHECK_EQ(ibw_packet_icrc(&cut).status, IBW_CRC_GOOD);
		else
			CHECK(ibw_packet_icrc(&cut).status == IBW_CRC_UNVERIFIABLE ||
			      ibw_packet_icrc(&cut).status == IBW_CRC_ABSENT);
		CHECK(ibw_packet_vcrc(&cut).status != IBW_CRC_BAD);
	}
}

static void test_opcodes(void)
{
	struct guard g = guard_open(8192);
	unsigned int i, opcode;
	struct pcap_file f;
	char name[96];

	for (i = 0; i < FRAMINGS; i++) {
		snprintf(name, sizeof(name), "opcodes-%s.pcap", framings[i].name);
		pcap_file_open(&f, dir, name);
		for (opcode = 0; opcode < 256; opcode++) {
			if (!ibw_opcodes[opcode].text)
				continue;
			check_case("%s: opcode 0x%02x", framings[i].name, opcode);
			if (!CHECK(pcap_file_next(&f)))
				break;
			check_whole(&f, &framings[i], (uint8_t)opcode);
			check_cut(&f, &g);
		}
		CHECK(!pcap_file_next(&f));
		pcap_file_close(&f);
	}
	guard_close(&g);
}

/* The next packet of a file, walked; false after the last one. */
static bool next_packet(struct pcap_file *f, struct ibw_packet *pkt)
{
	if (!pcap_file_next(f))
		return false;
	check_case("%s:%u", f->path, f->number);
	ibw_packet_walk(pkt, f->frame, f->caplen, f->len, f->linktype, NULL);
	return true;
}

/* Files in which every packet is sound and has its ICRC. */
static void test_sound(void)
{
	static const struct {
		const char *name;
		uint32_t packets;
		bool ipoib;
	} files[] = {
		{ "congestion.pcap", 24, false },    { "erf.pcap", 15, false },
		{ "framings-us.pcap", 9, false },    { "framings-ns.pcap", 9, false },
		{ "framings-us-be.pcap", 9, false }, { "framings-ns-be.pcap", 9, false },
		{ "ipoib-ib.pcap", 6, true },        { "mad-ib.pcap", 3, false },
		{ "mad-roce.pcap", 3, false },       { "vectors-roce.pcap", 10, false },
		{ "vectors-dc.pcap", 4, false },
	};
	struct pcap_file f;
	struct ibw_packet pkt;
	unsigned int i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		pcap_file_open(&f, dir, files[i].name);
		while (next_packet(&f, &pkt)) {
			CHECK_EQ(pkt.outcome, IBW_OK);
			CHECK_EQ(ibw_packet_icrc(&pkt).status, IBW_CRC_GOOD);
			CHECK_EQ(ibw_packet_vcrc(&pkt).status,
				 pkt.lrh == IBW_NO_SPAN ? IBW_CRC_ABSENT : IBW_CRC_GOOD);
			CHECK_EQ(ibw_packet_is_ipoib(&pkt), files[i].ipoib);
		}
		CHECK_EQ(f.number, files[i].packets);
		pcap_file_close(&f);
	}
}

/* InfiniBand links: an SMP, IPoIB in both modes, CM, SA and RC packets. */
static void test_vectors_ib(void)
{
	static const char ipoib[] = "010000001110000"; /* datagram mode; '1' for each frame */
	struct pcap_file f;
	struct ibw_packet pkt, ip;

	pcap_file_open(&f, dir, "vectors-ib.pcap");
	while (next_packet(&f, &pkt)) {
		CHECK_EQ(pkt.outcome, IBW_OK);
		CHECK_EQ(pkt.proto, IBW_PROTO_IB);
		CHECK_EQ(ibw_packet_icrc(&pkt).status, IBW_CRC_GOOD);
		CHECK_EQ(ibw_packet_vcrc(&pkt).status, IBW_CRC_GOOD);
		if (!CHECK_EQ(ibw_packet_is_ipoib(&pkt), ipoib[f.number - 1] == '1') ||
		    ipoib[f.number - 1] != '1')
			continue;
		CHECK_EQ(ibw_packet_walk_ipoib(&ip, &pkt), IBW_OK);
		CHECK_EQ(ip.span[1].layer, f.number == 2 ? IBW_LAYER_ipv4 : IBW_LAYER_arp_ipoib);
	}
	CHECK_EQ(f.number, 14);
	pcap_file_close(&f);
}

/* Packets that are OK but have no ICRC: which headers the walk finds. */
static void test_headers(void)
{
	static const struct {
		const char *name;
		uint8_t proto;
		uint16_t layers[8]; /* of each packet, again and again from the first */
		uint8_t per_packet;
	} files[] = {
#define L(name) IBW_LAYER_##name
		{ "linkpkt.erf.pcap", IBW_PROTO_IB, { L(erf), L(linkpkt) }, 2 },
		{ "raw-ib.pcap", IBW_PROTO_IB, { L(lrh), L(rwh), L(lrh), L(ipv6) }, 2 },
		{ "arp.pcap", IBW_PROTO_ARP, { L(eth), L(arp) }, 2 },
		{ "vectors-ipoib.pcap",
		  IBW_PROTO_IPOIB,
		  { L(ipoib_area), L(ipoib), L(arp_ipoib) },
		  3 },
#undef L
	};
	struct pcap_file f;
	struct ibw_packet pkt;
	unsigned int i, n, k;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		pcap_file_open(&f, dir, files[i].name);
		for (k = 0; next_packet(&f, &pkt);) {
			CHECK_EQ(pkt.outcome, IBW_OK);
			CHECK_EQ(pkt.proto, files[i].proto);
			CHECK_EQ(pkt.n_spans, files[i].per_packet);
			for (n = 0; n < files[i].per_packet; n++)
				CHECK_EQ(pkt.span[n].layer, files[i].layers[k + n]);
			k = files[i].layers[k + n] == IBW_LAYER_lrh && k == 0 ? n : 0;
			CHECK_EQ(ibw_packet_icrc(&pkt).status, IBW_CRC_ABSENT);
			CHECK_EQ(ibw_packet_vcrc(&pkt).status,
				 pkt.proto == IBW_PROTO_IB ? IBW_CRC_GOOD : IBW_CRC_ABSENT);
		}
		CHECK(f.number > 0);
		pcap_file_close(&f);
	}
}

static void test_pause(void)
{
	struct pcap_file f;
	struct ibw_packet pkt;

	pcap_file_open(&f, dir, "pause.pcap");
	while (next_packet(&f, &pkt)) {
		CHECK_EQ(pkt.outcome, IBW_OK);
		CHECK_EQ(pkt.proto, IBW_PROTO_PAUSE);
		CHECK_EQ(pkt.n_spans, 2);
		CHECK_EQ(pkt.span[1].layer, f.number == 1 ? IBW_LAYER_pause : IBW_LAYER_pfc);
		CHECK_EQ(pkt.trailer_off, f.number == 1 ? 14 + 4 : 14 + 20);
		CHECK_EQ(pkt.trailer_off + pkt.trailer_len, 60);
	}
	CHECK_EQ(f.number, 9);
	pcap_file_close(&f);
}

static void test_ipoib(void)
{
	static const uint16_t layer[] = { IBW_LAYER_arp_ipoib, IBW_LAYER_arp_ipoib, IBW_LAYER_ipv4,
					  IBW_LAYER_ipv6 };
	static const uint16_t inside[] = {
		IBW_LAYER_arp_ipoib, IBW_LAYER_arp_ipoib, IBW_LAYER_ipv4,
		IBW_LAYER_ipv4,      IBW_LAYER_ipv6,      IBW_LAYER_ipv6
	};
	struct pcap_file f;
	struct ibw_packet pkt, ip;

	pcap_file_open(&f, dir, "ipoib.pcap");
	while (next_packet(&f, &pkt)) {
		CHECK_EQ(pkt.outcome, IBW_OK);
		CHECK_EQ(pkt.proto, IBW_PROTO_IPOIB);
		CHECK_EQ(pkt.span[1].layer, IBW_LAYER_ipoib);
		CHECK_EQ(pkt.span[2].layer, layer[f.number - 1]);
	}
	CHECK_EQ(f.number, 4);
	pcap_file_close(&f);
	pcap_file_open(&f, dir, "ipoib-ib.pcap");
	while (next_packet(&f, &pkt)) {
		CHECK(ibw_packet_is_ipoib(&pkt));
		CHECK_EQ(ibw_packet_walk_ipoib(&ip, &pkt), IBW_OK);
		CHECK_EQ(ip.span[0].layer, IBW_LAYER_ipoib);
		CHECK_EQ(ip.span[0].off, pkt.payload_off);
		CHECK_EQ(ip.span[1].layer, inside[f.number - 1]);
	}
	CHECK_EQ(f.number, 6);
	pcap_file_close(&f);
}

/* Ethernet padding and FCS: neither is taken for an ICRC, wherever it is. */
static void test_padding(void)
{
	static const uint32_t headers[] = { 14 + 20 + 8, 18 + 20 + 8, 14 + 40, 14 + 40 + 8,
					    14 + 20 + 8 + 8 + 14 + 20 + 8 };
	struct pcap_file f;
	struct ibw_packet pkt;
	uint32_t i, n, end, len;

	pcap_file_open(&f, dir, "padding.pcap");
	while (next_packet(&f, &pkt)) {
		i = f.number - 1;
		n = i / 4 % 2;
		end = headers[i / 8] + 12 + (n ? 4 : 0) + 4;
		len = i & 1 && end < 60 ? 60 : end;
		len += i & 2 ? 4 : 0;
		CHECK_EQ(pkt.outcome, IBW_OK);
		CHECK_EQ(f.len, len);
		CHECK_EQ(pkt.payload_len, n);
		CHECK_EQ(pkt.icrc_off, end - 4);
		CHECK_EQ(pkt.trailer_len, len - end);
		CHECK_EQ(pkt.trailer_off, len > end ? end : 0);
		CHECK_EQ(ibw_packet_icrc(&pkt).status, IBW_CRC_GOOD);
		if (i & 2)
			CHECK_EQ(ibw_eth_fcs(f.frame, f.len - 4),
				 ibw_get_le32(f.frame + f.len - 4));
	}
	CHECK_EQ(f.number, 40);
	pcap_file_close(&f);
}

static void test_fragments(void)
{
	struct pcap_file f;
	struct ibw_packet pkt;

	pcap_file_open(&f, dir, "fragments.pcap");
	while (next_packet(&f, &pkt)) {
		CHECK(pkt.flags & IBW_PKT_FRAGMENT);
		CHECK_EQ(pkt.net, 1);
		if (f.number % 2) { /* the first fragment has the UDP header and the BTH */
			CHECK_EQ(pkt.outcome, IBW_OK);
			CHECK_EQ(pkt.proto, IBW_PROTO_ROCEV2);
			CHECK_EQ(pkt.opcode, IBW_OP_UD_SEND_ONLY);
			CHECK_EQ(ibw_packet_icrc(&pkt).status, IBW_CRC_UNVERIFIABLE);
		} else {
			CHECK_EQ(pkt.outcome, IBW_OTHER);
			CHECK_EQ(ibw_packet_icrc(&pkt).status, IBW_CRC_ABSENT);
		}
	}
	CHECK_EQ(f.number, 4);
	pcap_file_close(&f);
}

/* The cut captures: what is missing is the capture's fault. */
static void test_cut_files(void)
{
	static const char *const names[] = { "ib-local",     "ib-global",    "roce-v1-vlan",
					     "roce-v2-ipv4", "roce-v2-ipv6", "vxlan-roce-v2-ipv4",
					     "erf-ib-local" };
	struct pcap_file f;
	struct ibw_packet pkt;
	char name[96];
	unsigned int i;
	uint32_t end;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(name, sizeof(name), "cut-%s.pcap", names[i]);
		pcap_file_open(&f, dir, name);
		while (next_packet(&f, &pkt)) {
			CHECK(f.caplen < f.len);
			end = pkt.vcrc_off ? pkt.vcrc_off + 2 : pkt.icrc_off + 4;
			CHECK_EQ(pkt.outcome, pkt.icrc_off && end <= f.caplen ? IBW_OK : IBW_CUT);
		}
		CHECK(f.number > 800);
		pcap_file_close(&f);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: made DIR\n");
		return 2;
	}
	dir = argv[1];
	test_opcodes();
	test_sound();
	test_vectors_ib();
	test_headers();
	test_pause();
	test_ipoib();
	test_padding();
	test_fragments();
	test_cut_files();
	return check_end();
}
