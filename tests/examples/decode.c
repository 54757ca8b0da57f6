/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * decode.c - a frame from the network, walked with the library: where it came from, its headers in words and as
 * JSON, its ICRC, and why that is wrong.
 *
 * Prints:
 *	RC SEND Only from 192.0.2.1, ECT(0)
 *	bth: opcode 0x04 (RC SEND Only) dqpn 0x000117 psn 0x00a1c4
 *	{"opcode":4,"se":0,"migreq":1,"padcnt":0,"tver":0,"pkey":65535,"fecn":0,"becn":0,"dqpn":279,"ackreq":0,"psn":41412}
 *	the same, one bit at a time: 0x00a1c4 0x00a1c4
 *	ICRC good
 *	ICRC bad: bit 0x01 of byte 40 flipped
 */
#include <stdio.h>
#include <string.h>

#include <ibwire/crc.h>
#include <ibwire/ibwire.h>
#include <ibwire/interp.h>
#include <ibwire/json.h>
#include <ibwire/net.h>
#include <ibwire/packet.h>
#include <ibwire/print.h>
#include <ibwire/tables.h>

/* A packet as it might come: raw IPv4. */
static size_t captured(uint8_t *buf, size_t cap)
{
	struct ibw_build b = { .kind = IBW_ICRC_ROCE_V2_IPV4, .payload_len = 4 };
	size_t n;

	ibw_build_defaults(&b);
	b.ipv4.src = 0xc0000201;
	b.ipv4.dst = 0xc0000202;
	b.ipv4.ecn = 2;
	b.bth.opcode = IBW_OP_RC_SEND_ONLY;
	b.bth.dqpn = 0x117;
	b.bth.psn = 0xa1c4;
	n = ibw_build_headers(buf, cap, &b);
	memcpy(buf + n, "abc", 4);
	ibw_icrc_put(buf + n + 4, ibw_icrc(IBW_ICRC_ROCE_V2_IPV4, buf, n + 4));
	return n + 4 + IBW_ICRC_BYTES;
}

/* Fields of a header that are to be seen, in words. */
static void show(const struct ibw_header *h, const void *wire)
{
	char text[400];
	struct ibw_out out = ibw_out_open(text, sizeof(text));
	const struct ibw_field *f;

	ibw_out_str(&out, h->name);
	ibw_out_char(&out, ':');
	for (f = h->fields; f->name; f++)
		if (ibw_field_shown(f, wire) && strstr("opcode dqpn psn", f->name)) {
			ibw_out_char(&out, ' ');
			ibw_out_str(&out, f->name);
			ibw_out_char(&out, ' ');
			ibw_print_value(&out, f, wire);
		}
	ibw_out_close(&out);
	puts(text);
	out = ibw_out_open(text, sizeof(text));
	ibw_json_fields(&out, h, wire);
	ibw_out_close(&out);
	puts(text);
}

int main(void)
{
	uint8_t buf[100];
	size_t n = captured(buf, sizeof(buf));
	const struct ibw_header *h = ibw_header_at(IBW_LAYER_bth);
	const struct ibw_bth_wire *bth;
	struct ibw_packet pkt;
	struct ibw_icrc_why why;
	struct ibw_net net;

	if (ibw_packet_walk(&pkt, buf, (uint32_t)n, (uint32_t)n, IBW_LINKTYPE_IPV4, NULL) ||
	    !ibw_packet_net(&pkt, &net))
		return 1;
	bth = IBW_AT(&pkt, bth);
	printf("%s from %u.%u.%u.%u, %s\n", ibw_packet_opcode_text(&pkt), net.src[0], net.src[1],
	       net.src[2], net.src[3], ibw_name_of(ibw_names_find("ecn"), ibw_net_ecn(&net)));
	show(h, bth);
	printf("the same, one bit at a time: 0x%06llx 0x%06llx\n",
	       (unsigned long long)ibw_interp_get(bth->b, &h->fields[h->n_fields - 1], 0),
	       (unsigned long long)ibw_bits_get(bth->b, ibw_bth_psn_AT, 24));
	printf("ICRC %s\n", ibw_crc_status_text(ibw_packet_icrc(&pkt).status));
	buf[40] ^= 1;
	why = ibw_icrc_explain(IBW_ICRC_ROCE_V2_IPV4, buf, n - IBW_ICRC_BYTES,
			       ibw_icrc_get(buf + n - IBW_ICRC_BYTES));
	printf("ICRC %s: bit 0x%02x of byte %zu flipped\n",
	       ibw_crc_status_text(ibw_packet_icrc(&pkt).status), why.flipped_mask, why.flipped_at);
	return 0;
}
