// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* wire.c - packets to rxe and from it. */
#include "vm.h"

#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

uint32_t vm_random(struct vm *vm, uint32_t below)
{
	vm->random = vm->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(vm->random >> 32) % below;
}

uint64_t vm_msec(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static uint32_t crc32_step(uint32_t crc, const unsigned char *p, size_t n)
{
	return n ? (uint32_t)~crc32(~crc, p, (uInt)n)
		 : crc; /* a NULL is another question to zlib */
}

/* Everything in front of the BTH, the packet, its pad and its ICRC, with @spoil in its last byte. */
static bool send_with(struct vm *vm, struct ibw_build *b, const void *payload, uint8_t spoil)
{
	static const uint8_t here[6] = { 2, 0, 0, 0, 0, 2 }, there[6] = { 2, 0, 0, 0, 0, 1 };
	struct ibw_piece piece = { payload, b->payload_len };
	uint8_t frame[2048];
	size_t n;

	b->kind = ibw_route_kind(vm->here, vm->there);
	b->has_eth = true;
	memcpy(b->eth.dst, there, sizeof(there));
	memcpy(b->eth.src, here, sizeof(here));
	b->bth.pkey = IBW_PKEY_DEFAULT_FULL;
	if (!ibw_build_route(b, vm->here, vm->there, 106, vm_random(vm, 1 << 20), 64))
		return vm_fail("no route");
	n = ibw_build_headers(frame, sizeof(frame), b);
	if (!n)
		return vm_fail("opcode 0x%02x: %s", b->bth.opcode,
			       ibw_build_error_text(ibw_build_check(b)));
	if (n + b->payload_len + 3 + IBW_ICRC_BYTES > sizeof(frame))
		return vm_fail("%u bytes of payload", b->payload_len);
	if (b->payload_len)
		memcpy(frame + n, payload, b->payload_len);
	memset(frame + n + b->payload_len, 0, ibw_build_pad(b));
	ibw_icrc_put(frame + n + b->payload_len + ibw_build_pad(b),
		     ibw_build_icrc(b, frame, &piece, 1, crc32_step));
	n += b->payload_len + ibw_build_pad(b) + IBW_ICRC_BYTES;
	frame[n - 1] ^= spoil;
	return write(vm->tap, frame, n) == (ssize_t)n || vm_fail("nothing can be sent");
}

bool vm_send(struct vm *vm, struct ibw_build *b, const void *payload)
{
	return send_with(vm, b, payload, 0);
}

bool vm_send_spoiled(struct vm *vm, struct ibw_build *b, const void *payload)
{
	return send_with(vm, b, payload, 0x10);
}

bool vm_send_mad(struct vm *vm, const void *mad)
{
	struct ibw_build b = { .payload_len = IBW_MAD_BYTES };

	b.bth.opcode = IBW_OP_UD_SEND_ONLY;
	b.bth.dqpn = IBW_QPN_GSI;
	b.bth.psn = vm_random(vm, 1 << 24);
	b.deth.qkey = IBW_QKEY_GSI;
	b.deth.sqpn = IBW_QPN_GSI;
	return vm_send(vm, &b, mad);
}

/* The verdict on a packet of @n bytes in three pieces, cut anywhere, and what Ethernet pads. */
static enum ibw_icrc_verdict check_icrc(struct vm *vm, uint8_t kind, const uint8_t *p, size_t n,
					size_t padded)
{
	size_t a = vm_random(vm, (uint32_t)n + 1), b = vm_random(vm, (uint32_t)n + 1);
	size_t first = a < b ? a : b, second = a < b ? b : a;
	struct ibw_piece piece[] = { { p, first },
				     { p + first, second - first },
				     { p + second, padded - second } };

	return ibw_icrc_check_pieces(kind, piece, 3, n, crc32_step);
}

/* Right as it came, and wrong with any bit flipped that no router changes. */
static bool icrc_holds(struct vm *vm, uint8_t kind, uint8_t *p, size_t n, size_t padded)
{
	size_t bth = kind == IBW_ICRC_ROCE_V2_IPV4 ? 28 : 48, at;
	enum ibw_icrc_verdict verdict;
	unsigned int i;

	verdict = check_icrc(vm, kind, p, n, padded);
	if (verdict != IBW_ICRC_RIGHT)
		return vm_fail("ICRC of a packet of rxe, opcode 0x%02x, %zu bytes: verdict %d",
			       p[bth], n, (int)verdict);
	vm->icrcs.right++;
	for (i = 0; i < 8; i++) {
		uint8_t bit = (uint8_t)(1u << vm_random(vm, 8));

		at = bth + vm_random(vm, (uint32_t)(n - bth));
		if (at == bth + 4) /* FECN and BECN, which switches may set */
			continue;
		p[at] ^= bit;
		verdict = check_icrc(vm, kind, p, n, padded);
		p[at] ^= bit;
		if (verdict != IBW_ICRC_WRONG)
			return vm_fail("bit 0x%02x of byte %zu flipped: verdict %d", bit, at,
				       (int)verdict);
		vm->icrcs.flips++;
	}
	return true;
}

/* 1: a RoCE v2 packet between our addresses; 0: another frame; -1: a wrong packet. */
static int take(struct vm *vm, struct vm_packet *p, size_t padded)
{
	const struct ibw_eth_wire *eth = ibw_eth_view(p->frame, padded);
	uint8_t *net = p->frame + ibw_eth_BYTES, kind;
	const struct ibw_udp_wire *udp;
	struct ibw_route route;
	size_t n, bth;

	if (!eth || padded < (size_t)ibw_eth_BYTES + ibw_ipv4_BYTES + ibw_udp_BYTES + ibw_bth_BYTES)
		return 0; /* nor has IPv6 a packet of so few */
	padded -= ibw_eth_BYTES;
	if (ibw_eth_type(eth) == IBW_ETHERTYPE_IPV4) {
		const struct ibw_ipv4_wire *ip = (const struct ibw_ipv4_wire *)net;

		if (ibw_ipv4_ihl(ip) != 5 || ibw_ipv4_protocol(ip) != IBW_IP_PROTO_UDP)
			return 0;
		kind = IBW_ICRC_ROCE_V2_IPV4;
		n = ibw_ipv4_total_len(ip);
		bth = (size_t)ibw_ipv4_BYTES + ibw_udp_BYTES;
		ibw_route_of_ipv4(&route, ip);
	} else if (ibw_eth_type(eth) == IBW_ETHERTYPE_IPV6) {
		const struct ibw_ipv6_wire *ip = (const struct ibw_ipv6_wire *)net;

		if (ibw_ipv6_nxthdr(ip) != IBW_IP_PROTO_UDP)
			return 0;
		kind = IBW_ICRC_ROCE_V2_IPV6;
		n = (size_t)ibw_ipv6_BYTES + ibw_ipv6_paylen(ip);
		bth = (size_t)ibw_ipv6_BYTES + ibw_udp_BYTES;
		ibw_route_of_ipv6(&route, ip);
	} else {
		return 0;
	}
	udp = (const struct ibw_udp_wire *)(net + bth - ibw_udp_BYTES);
	if (n > padded || n < bth + ibw_bth_BYTES || ibw_udp_dport(udp) != IBW_UDP_PORT_ROCE)
		return 0;
	if (memcmp(route.sgid, vm->there, 16) != 0 || memcmp(route.dgid, vm->here, 16) != 0)
		return 0;
	if (!icrc_holds(vm, kind, net, n, padded))
		return -1;
	if (ibw_transport_view(&p->t, net + bth, n - bth - IBW_ICRC_BYTES)) {
		vm_fail("opcode 0x%02x, %zu bytes: no packet", net[bth], n);
		return -1;
	}
	return 1;
}

bool vm_receive(struct vm *vm, struct vm_packet *p, uint64_t deadline)
{
	struct pollfd fd = { .fd = vm->tap, .events = POLLIN };
	uint64_t now;
	ssize_t n;
	int how;

	for (;;) {
		n = read(vm->tap, p->frame, sizeof(p->frame));
		if (n > 0) {
			how = take(vm, p, (size_t)n);
			if (how)
				return how > 0;
			continue;
		}
		now = vm_msec();
		if (now >= deadline)
			return false;
		poll(&fd, 1, (int)(deadline - now));
	}
}

const uint8_t *vm_receive_mad(struct vm *vm, struct vm_packet *p, uint8_t mgmt_class,
			      uint64_t deadline)
{
	while (vm_receive(vm, p, deadline)) {
		const struct ibw_mad_wire *mad = (const struct ibw_mad_wire *)p->t.payload;

		if (p->t.deth && ibw_bth_dqpn(p->t.bth) == IBW_QPN_GSI &&
		    p->t.payload_len == IBW_MAD_BYTES && ibw_deth_qkey(p->t.deth) == IBW_QKEY_GSI &&
		    ibw_mad_mgmt_class(mad) == mgmt_class)
			return p->t.payload;
	}
	return NULL;
}
