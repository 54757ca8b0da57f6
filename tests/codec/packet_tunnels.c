/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* packet_tunnels.c - GTP-U, 802.1ah, Cisco metadata, LLC with SNAP: right, cut anywhere, and with lengths that lie. */
#include "check.h"

#include <ibwire/ibwire.h>
#include <ibwire/packet.h>

enum { ETH = 14, IPV4 = 20, UDP = 8, ROCE = IPV4 + UDP + 12 + 4, END = IBW_LAYER_COUNT };

static uint8_t frame[4096];
static uint32_t length;
static struct ibw_packet pkt;

static void put(const void *bytes, uint32_t n)
{
	memcpy(frame + length, bytes, n);
	length += n;
}

static void put_type(uint16_t type)
{
	uint8_t b[2] = { (uint8_t)(type >> 8), (uint8_t)type };

	put(b, 2);
}

static void put_macs(void)
{
	static const uint8_t macs[12] = { 2, [5] = 1, [6] = 2, [11] = 2 };

	put(macs, 12);
}

/* IPv4 and UDP to @port, with @bytes after them. */
static void put_udp(uint16_t port, uint32_t bytes)
{
	struct ibw_ipv4 ip = { .version = 4, .ihl = 5, .ttl = 64, .protocol = 17 };
	struct ibw_udp udp = { .sport = 0xc000 };

	ip.total_len = (uint16_t)(IPV4 + UDP + bytes);
	udp.dport = port;
	udp.length = (uint16_t)(UDP + bytes);
	ibw_ipv4_pack(ibw_ipv4_view_mut(frame + length, IPV4), &ip);
	ibw_udp_pack(ibw_udp_view_mut(frame + length + IPV4, UDP), &udp);
	length += IPV4 + UDP;
}

/* RC SEND Only of nothing, with its ICRC, whatever that is. */
static void put_roce(void)
{
	static const uint8_t bth[16] = { 0x04 };

	put_udp(4791, sizeof(bth));
	put(bth, sizeof(bth));
}

static void start_gtp_u(uint8_t flags, const uint8_t *more, uint32_t n)
{
	uint8_t gtp[8] = { 0x30, 0xff, 0, 0, 0x12, 0x34, 0x56, 0x78 };

	length = 0;
	put_macs();
	put_type(0x0800);
	put_udp(2152, 8 + n + ROCE);
	gtp[0] |= flags;
	gtp[3] = (uint8_t)(n + ROCE);
	put(gtp, 8);
	put(more, n);
	put_roce();
}

static void gtp_u_plain(void)
{
	start_gtp_u(0, (const uint8_t *)"", 0);
}

static void gtp_u_extended(void)
{
	static const uint8_t more[] = { 0xab, 0xcd, 0x77, 0x85, 1, 0x10, 9, 0x32, 2, 0,
					0,    0,    0,    0,    0, 0x40, 1, 0,    0, 0 };

	start_gtp_u(4, more, sizeof(more));
}

static void itag(void)
{
	static const uint8_t tag[4] = { 0x60, 0x12, 0x34, 0x56 };

	length = 0;
	put_macs();
	put_type(0x88e7);
	put(tag, 4);
	put_macs();
	put_type(0x0800);
	put_roce();
}

static void cisco(void)
{
	static const uint8_t tag[6] = { 1, 1, 0, 1, 0x12, 0x34 };

	length = 0;
	put_macs();
	put_type(0x8909);
	put(tag, 6);
	put_type(0x0800);
	put_roce();
}

static void snap(void)
{
	static const uint8_t llc[6] = { 0xaa, 0xaa, 3 };

	length = 0;
	put_macs();
	put_type(8 + ROCE);
	put(llc, 6);
	put_type(0x0800);
	put_roce();
}

static void snap_padded(void)
{
	snap();
	put("\0\0\0\0\0", 5);
}

#define L(name) IBW_LAYER_##name
static const struct {
	const char *name;
	void (*start)(void);
	uint16_t layers[12];
	uint16_t flags;
	uint8_t eth, trailer;
} forms[] = {
	{ "GTP-U",
	  gtp_u_plain,
	  { L(eth), L(ipv4), L(udp), L(gtp_u), L(ipv4), L(udp), L(bth), END },
	  IBW_PKT_TUNNEL,
	  IBW_NO_SPAN,
	  0 },
	{ "GTP-U with extension headers",
	  gtp_u_extended,
	  { L(eth), L(ipv4), L(udp), L(gtp_u), L(gtp_u_more), L(ipv4), L(udp), L(bth), END },
	  IBW_PKT_TUNNEL,
	  IBW_NO_SPAN,
	  0 },
	{ "802.1ah",
	  itag,
	  { L(eth), L(itag), L(eth), L(ipv4), L(udp), L(bth), END },
	  IBW_PKT_TUNNEL,
	  2,
	  0 },
	{ "Cisco metadata",
	  cisco,
	  { L(eth), L(cisco_tag), L(ipv4), L(udp), L(bth), END },
	  0,
	  0,
	  0 },
	{ "SNAP", snap, { L(eth), L(llc), L(snap), L(ipv4), L(udp), L(bth), END }, 0, 0, 0 },
	{ "SNAP with padding",
	  snap_padded,
	  { L(eth), L(llc), L(snap), L(ipv4), L(udp), L(bth), END },
	  0,
	  0,
	  5 },
};

static enum ibw_outcome walk(uint32_t caplen)
{
	return ibw_packet_walk(&pkt, frame, caplen, length, IBW_LINKTYPE_ETHERNET, NULL);
}

static void test_forms(void)
{
	unsigned int i, k;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		check_case("%s", forms[i].name);
		forms[i].start();
		CHECK_EQ(walk(length), IBW_OK);
		CHECK_EQ(pkt.proto, IBW_PROTO_ROCEV2);
		CHECK_EQ(pkt.unseen, IBW_UNSEEN_NONE);
		CHECK_EQ(pkt.flags, forms[i].flags);
		CHECK_EQ(pkt.eth, forms[i].eth);
		CHECK_EQ(pkt.trailer_len, forms[i].trailer);
		CHECK_EQ(pkt.icrc_off, length - forms[i].trailer - 4);
		for (k = 0; k < pkt.n_spans && forms[i].layers[k] != END; k++)
			CHECK_EQ(pkt.span[k].layer, forms[i].layers[k]);
		CHECK_EQ(k, pkt.n_spans);
		CHECK_EQ(forms[i].layers[k], END);
	}
	check_case("%s", "");
}

/* A capture that ends earlier is cut: never said to be wrong, and nothing is read after it. */
static void test_cut(void)
{
	unsigned int i;
	uint32_t n;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		forms[i].start();
		for (n = 0; n < length - forms[i].trailer; n++) {
			check_case("%s, %u of %u bytes", forms[i].name, n, length);
			CHECK(walk(n) != IBW_MALFORMED);
			CHECK(pkt.outcome == IBW_CUT || pkt.bth == IBW_NO_SPAN);
		}
	}
	check_case("%s", "");
}

/* Each byte of each tunnel's own headers as anything: what is found lies within the frame. */
static void test_changed(void)
{
	unsigned int i, k, value;
	uint32_t at;
	uint8_t was;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		forms[i].start();
		for (at = 12; at < length - ROCE; at++) {
			was = frame[at];
			for (value = 0; value < 256; value++) {
				frame[at] = (uint8_t)value;
				check_case("%s, byte %u is %u", forms[i].name, at, value);
				walk(length);
				for (k = 0; k < pkt.n_spans; k++)
					CHECK(pkt.span[k].off + pkt.span[k].len <= length);
				CHECK(pkt.icrc_off <= length);
			}
			frame[at] = was;
		}
	}
	check_case("%s", "");
}

/* Lengths that lie: too long is an error with its place; too short leaves no room for what they have. */
static void test_lengths(void)
{
	gtp_u_plain();
	ibw_put_be16(frame + ETH + IPV4 + UDP + 2, ROCE + 1);
	CHECK_EQ(walk(length), IBW_MALFORMED);
	CHECK_EQ(pkt.error.layer, IBW_LAYER_gtp_u);
	CHECK_EQ(pkt.error.off, ETH + IPV4 + UDP);
	CHECK_EQ(pkt.error.needed, ROCE + 1);
	CHECK_EQ(pkt.error.had, ROCE);
	ibw_put_be16(frame + ETH + IPV4 + UDP + 2, ROCE - 1);
	CHECK_EQ(walk(length), IBW_MALFORMED);
	CHECK_EQ(pkt.error.layer, IBW_LAYER_ipv4);
	ibw_put_be16(frame + ETH + IPV4 + UDP + 2, 0);
	CHECK(walk(length) != IBW_MALFORMED);
	CHECK_EQ(pkt.unseen, IBW_UNSEEN_GTP_U);

	snap();
	ibw_put_be16(frame + 12, 8 + ROCE + 1);
	CHECK_EQ(walk(length), IBW_MALFORMED);
	CHECK_EQ(pkt.error.layer, IBW_LAYER_eth);
	CHECK_EQ(pkt.error.off, 0);
	CHECK_EQ(pkt.error.needed, 8 + ROCE + 1);
	CHECK_EQ(pkt.error.had, 8 + ROCE);
	ibw_put_be16(frame + 12, 7); /* no room for SNAP: nothing shows that it is RDMA */
	CHECK_EQ(walk(length), IBW_OTHER);
	CHECK_EQ(pkt.n_spans, 2);
	frame[17] = 1; /* of an organization: not Ethernet's type, and nobody reads it */
	CHECK_EQ(walk(length), IBW_OTHER);
	CHECK_EQ(pkt.n_spans, 2);
}

/* What is not decoded is said to be so; what is no user's packet is not. */
static void test_unseen(void)
{
	static const uint8_t no_end[] = { 0, 0, 0, 0x85, 0, 0, 0, 0 };
	uint8_t many[40] = { 0, 0, 0, 0x85 };
	unsigned int i;

	start_gtp_u(4, no_end, sizeof(no_end));
	walk(length);
	CHECK_EQ(pkt.unseen, IBW_UNSEEN_GTP_U);
	for (i = 4; i < sizeof(many); i += 4) {
		many[i] = 1;
		many[i + 3] = 0x85;
	}
	start_gtp_u(4, many, sizeof(many));
	walk(length);
	CHECK_EQ(pkt.unseen, IBW_UNSEEN_GTP_U);
	many[35] = 0; /* the 8th is the last */
	start_gtp_u(4, many, 36);
	CHECK_EQ(walk(length), IBW_OK);
	CHECK_EQ(pkt.proto, IBW_PROTO_ROCEV2);
	gtp_u_plain();
	frame[ETH + IPV4 + UDP + 1] = 1; /* an echo request */
	walk(length);
	CHECK_EQ(pkt.unseen, IBW_UNSEEN_NONE);
	CHECK_EQ(pkt.n_spans, 3);
	cisco();
	frame[ETH + 1] = 2;
	walk(length);
	CHECK_EQ(pkt.unseen, IBW_UNSEEN_CISCO);
}

/* One in another, as many as there are bytes: an end is put to it, and said. */
static void test_deep(void)
{
	static const uint8_t tag[6] = { 1, 1, 0, 1, 0, 9 };
	static const uint8_t llc[6] = { 0xaa, 0xaa, 3 };
	unsigned int i;

	length = 0;
	put_macs();
	for (i = 0; i < 400; i++) {
		put_type(0x8909);
		put(tag, 6);
	}
	put_type(0x0800);
	put_roce();
	walk(length);
	CHECK_EQ(pkt.unseen, IBW_UNSEEN_DEPTH);

	length = 0;
	put_macs();
	for (i = 0; i < 100; i++) {
		put_type(1500);
		put(llc, 6);
	}
	walk(length);
	CHECK(pkt.outcome == IBW_MALFORMED || pkt.unseen == IBW_UNSEEN_DEPTH);

	length = 0;
	for (i = 0; i < 200; i++) {
		put_macs();
		put_type(0x88e7);
		put(tag, 4);
	}
	walk(length);
	CHECK_EQ(pkt.unseen, IBW_UNSEEN_DEPTH);
}

int main(void)
{
	test_forms();
	test_cut();
	test_changed();
	test_lengths();
	test_unseen();
	test_deep();
	return check_end();
}
