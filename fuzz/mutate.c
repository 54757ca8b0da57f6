/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mutate.c - mutations that keep the lengths and numbers of a packet plausible.
 *
 * Plain mutation stalls at the first length field. Every other mutation here
 * sets one of the fields that lead deeper, and then makes the lengths fit.
 */
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/packet.h>

#include "fuzz.h"
#include "pick.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

static const uint8_t opcodes[] = {
#define IBW_OPCODE(code, name, text, service, eths, position, role, payload) code,
#include <ibwire/list/opcodes.def>
#undef IBW_OPCODE
};

/* Class, method and attribute of a MAD after LRH, BTH and DETH, or after IPv4, UDP, BTH. */
static void set_mad(uint8_t *mad, size_t left, unsigned int seed)
{
	static const uint8_t classes[] = { 0x01, 0x81, 0x03, 0x04, 0x06, 0x07, 0x21, 0x32, 0x0a };
	static const uint8_t methods[] = { 0x01, 0x81, 0x02, 0x03, 0x05, 0x12, 0x92, 0x14, 0x94 };

	if (left < 24)
		return;
	mad[0] = 1;
	mad[1] = classes[seed % sizeof(classes)];
	mad[3] = methods[seed / 16 % sizeof(methods)];
	mad[16] = 0;
	mad[17] = (uint8_t)(seed / 256 % 0x40);
}

static void fit_ib(uint8_t *p, size_t n, unsigned int seed)
{
	struct ibw_lrh_wire *lrh = ibw_lrh_view_mut(p, n);
	bool grh = seed & 1;

	if (!lrh || n < 8 + 40 + 12)
		return;
	ibw_lrh_set_lnh(lrh, grh ? IBW_LNH_GLOBAL : IBW_LNH_LOCAL);
	ibw_lrh_set_pktlen(lrh, (uint16_t)(n / 4));
	p += 8;
	n -= 8;
	if (grh) {
		struct ibw_grh_wire *g = ibw_grh_view_mut(p, n);

		ibw_grh_set_ipver(g, 6);
		ibw_grh_set_nxthdr(g, IBW_GRH_NXTHDR_IBA);
		ibw_grh_set_paylen(g, (uint16_t)(n - 40));
		p += 40;
		n -= 40;
	}
	p[0] = opcodes[seed / 2 % sizeof(opcodes)];
	p[1] &= 0xf0;
	if (seed & 0x10000 && n > 20) {
		p[0] = IBW_OP_UD_SEND_ONLY;
		set_mad(p + 20, n - 20, seed / 8);
	}
}

static void fit_ethernet(uint8_t *p, size_t n, unsigned int seed)
{
	struct ibw_ipv4_wire *ip;
	struct ibw_udp_wire *udp;

	if (n < 14 + 20 + 8 + 12)
		return;
	ibw_put_be16(p + 12, IBW_ETHERTYPE_IPV4);
	ip = ibw_ipv4_view_mut(p + 14, n - 14);
	ibw_ipv4_set_version(ip, 4);
	ibw_ipv4_set_ihl(ip, 5);
	ibw_ipv4_set_total_len(ip, (uint16_t)(n - 14));
	ibw_ipv4_set_mf(ip, 0);
	ibw_ipv4_set_frag_off(ip, 0);
	ibw_ipv4_set_protocol(ip, IBW_IP_PROTO_UDP);
	udp = ibw_udp_view_mut(p + 34, n - 34);
	ibw_udp_set_dport(udp, IBW_UDP_PORT_ROCE);
	ibw_udp_set_length(udp, (uint16_t)(n - 34));
	p[42] = opcodes[seed / 2 % sizeof(opcodes)];
	p[43] &= 0xf0;
	if (seed & 0x10000 && n > 62) {
		p[42] = IBW_OP_UD_SEND_ONLY;
		set_mad(p + 62, n - 62, seed / 8);
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	uint32_t linktype;

	size = LLVMFuzzerMutate(data, size, max_size);
	if (size < 3 || seed % 2)
		return size;
	seed /= 2;
	linktype = pick_linktype(data);
	if (linktype == IBW_LINKTYPE_ETHERNET)
		fit_ethernet(data + 3, size - 3, seed);
	else if (linktype == IBW_LINKTYPE_INFINIBAND)
		fit_ib(data + 3, size - 3, seed);
	return size;
}
