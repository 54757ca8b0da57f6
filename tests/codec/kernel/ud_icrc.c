// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* ud_icrc.c - ICRCs by the kernel's crc32_le(), by ours with it, and by codec/icrc.c. */
#include "ud.h"

#include <linux/crc32.h>

/* The masks once more, byte by byte and in no list: IBTA vol 1, 7.8.1; annexes A16, A17. */
static void masked(u8 *p, u8 kind)
{
	u8 *bth;

	switch (kind) {
	case IBW_ICRC_IB_LOCAL:
		p[0] |= 0xf0;
		bth = p + 8;
		break;
	case IBW_ICRC_IB_GLOBAL:
		memset(p, 0xff, 8);
		p += 8;
		fallthrough;
	case IBW_ICRC_ROCE_V1:
		p[0] |= 0x0f;
		p[1] = 0xff;
		p[2] = 0xff;
		p[3] = 0xff;
		p[7] = 0xff;
		bth = p + 40;
		break;
	case IBW_ICRC_ROCE_V2_IPV4:
		p[1] = 0xff;
		p[8] = 0xff;
		p[10] = 0xff;
		p[11] = 0xff;
		p[26] = 0xff;
		p[27] = 0xff;
		bth = p + 28;
		break;
	default:
		p[0] |= 0x0f;
		p[1] = 0xff;
		p[2] = 0xff;
		p[3] = 0xff;
		p[7] = 0xff;
		p[46] = 0xff;
		p[47] = 0xff;
		bth = p + 48;
		break;
	}
	bth[4] = 0xff;
}

/* The ICRC of a packet in one piece, which is changed. */
static u32 kernel_icrc(u8 *net, size_t n, u8 kind)
{
	static const u8 ones[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	u32 crc = ~0;

	masked(net, kind);
	if (kind != IBW_ICRC_IB_LOCAL && kind != IBW_ICRC_IB_GLOBAL)
		crc = crc32_le(crc, ones, sizeof(ones));
	return ~crc32_le(crc, net, n);
}

bool ud_check_icrc(struct rnd_state *rnd, unsigned int count)
{
	static u8 packet[UD_ROOM + UD_PAYLOAD_MAX + 4];
	static u8 payload[UD_PAYLOAD_MAX];
	static struct ib_ud_header unused;
	static struct ibw_build b;
	unsigned int i;

	for (i = 0; i < count; i++) {
		u32 r = prandom_u32_state(rnd), len = r % (UD_PAYLOAD_MAX + 1), half = len / 3;
		struct ud_case c = { i % UD_FRAMINGS, len, r >> 31 };
		struct ibw_piece pieces[2] = { { payload, half }, { payload + half, len - half } };
		u32 ours, codec, theirs;
		u8 hdr[UD_ROOM], *net;
		size_t n;

		ud_fill(c, rnd, &unused, &b);
		prandom_bytes_state(rnd, payload, len);
		n = ibw_build_headers(hdr, sizeof(hdr), &b);
		ours = ibw_build_icrc(&b, hdr, pieces, 2, crc32_le);
		memcpy(packet, hdr, n);
		memcpy(packet + n, payload, len);
		memset(packet + n + len, 0, ibw_build_pad(&b));
		net = packet + ibw_build_link_bytes(&b);
		n = n - ibw_build_link_bytes(&b) + len + ibw_build_pad(&b);
		codec = ibw_icrc(b.kind, net, n);
		theirs = kernel_icrc(net, n, b.kind);
		if (ours != theirs || codec != theirs) {
			pr_err("ICRC of %s, %u bytes: kernel %08x, built %08x, codec %08x\n",
			       ud_framing_names[c.framing], len, theirs, ours, codec);
			return false;
		}
	}
	pr_info("%u ICRCs equal to crc32_le's\n", count);
	return true;
}
