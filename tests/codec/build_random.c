/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build_random.c - builds what build_random.py describes, from standard input to standard output.
 *
 * A description is a row of 64-bit integers, most significant byte first: how, kind, n_vlans, has_eth,
 * has_ipoib, payload_len, the byte that the structure holds before, and a value a member in the order
 * of MEMBERS and ADDRESSES (two for an address of 16 bytes). What is answered are the error and the
 * number of bytes, of 16 bits each, and the bytes.
 */
#include <stdio.h>
#include <string.h>

#include <ibwire/transport_view.h>

#define ROOM 256
enum { HOW_HEADERS, HOW_TRANSPORT };

/* clang-format off */
#define MEMBERS(X)                                                                                 \
	X(vlan[0].pcp) X(vlan[0].dei) X(vlan[0].vid) X(vlan[1].pcp) X(vlan[1].dei) X(vlan[1].vid)  \
	X(lrh.vl) X(lrh.lver) X(lrh.sl) X(lrh.dlid) X(lrh.slid)                                    \
	X(grh.tclass) X(grh.flow_label) X(grh.hop_limit)                                           \
	X(ipv4.dscp) X(ipv4.ecn) X(ipv4.id) X(ipv4.df) X(ipv4.ttl) X(ipv4.src) X(ipv4.dst)         \
	X(ipv6.dscp) X(ipv6.ecn) X(ipv6.flow_label) X(ipv6.hop_limit)                              \
	X(udp.sport) X(udp.dport)                                                                  \
	X(bth.opcode) X(bth.se) X(bth.migreq) X(bth.tver) X(bth.pkey) X(bth.fecn) X(bth.becn)      \
	X(bth.dqpn) X(bth.ackreq) X(bth.psn)                                                       \
	X(rdeth.een) X(deth.qkey) X(deth.sqpn) X(reth.va) X(reth.rkey) X(reth.dmalen)              \
	X(atomiceth.va) X(atomiceth.rkey) X(atomiceth.swap) X(atomiceth.compare)                   \
	X(aeth.syndrome) X(aeth.msn) X(atomicacketh.orig) X(immdt.data) X(ieth.rkey)               \
	X(xrceth.xrcsrq) X(feth.sel) X(feth.plt) X(atomicwrite.data) X(ipoib.type)
#define ADDRESSES(X) X(grh.sgid) X(grh.dgid) X(ipv6.src) X(ipv6.dst)
/* clang-format on */

#define COUNT(member) +1
enum { HEAD = 7, MACS = 2, WORDS = HEAD + MACS MEMBERS(COUNT) + 2 * (0 ADDRESSES(COUNT)) };

static void set_mac(uint8_t *mac, uint64_t v)
{
	ibw_put_be16(mac, (uint16_t)(v >> 32));
	ibw_put_be32(mac + 2, (uint32_t)v);
}

static void set_all(struct ibw_build *b, const uint64_t *v)
{
	memset(b, (int)v[6], sizeof(*b));
	b->kind = (uint8_t)v[1];
	b->n_vlans = (uint8_t)v[2];
	b->has_eth = v[3];
	b->has_ipoib = v[4];
	b->payload_len = (uint32_t)v[5];
	v += HEAD;
	set_mac(b->eth.dst, *v++);
	set_mac(b->eth.src, *v++);
#define SET(member) b->member = (__typeof__(b->member))*v++;
	MEMBERS(SET)
#define SET_ADDRESS(member)                                                                        \
	ibw_put_be64(b->member, *v++);                                                             \
	ibw_put_be64(b->member + 8, *v++);
	ADDRESSES(SET_ADDRESS)
}

int main(void)
{
	uint8_t row[8 * WORDS], out[4 + ROOM];
	uint64_t v[WORDS];
	struct ibw_build b;
	size_t i, n;

	while (fread(row, sizeof(row), 1, stdin) == 1) {
		for (i = 0; i < WORDS; i++)
			v[i] = ibw_get_be64(row + 8 * i);
		set_all(&b, v);
		memset(out, (int)v[6], sizeof(out));
		if (v[0] == HOW_TRANSPORT)
			n = ibw_build_transport(out + 4, ROOM, &b);
		else
			n = ibw_build_headers(out + 4, ROOM, &b);
		ibw_put_be16(out, (uint16_t)(v[0] == HOW_TRANSPORT ? 0 : ibw_build_check(&b)));
		ibw_put_be16(out + 2, (uint16_t)n);
		if (n > ROOM || fwrite(out, 4 + n, 1, stdout) != 1)
			return 1;
	}
	return ferror(stdin) || fflush(stdout) ? 1 : 0;
}
