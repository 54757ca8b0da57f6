/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_opcodes.c - every opcode in every framing, whole and cut. */
#include <stdlib.h>

#include "make.h"

/* A path MTU for opcodes that fill it; for the others lengths with every pad, 0 but for a LAST. */
#define MTU 256

static uint32_t payload_of(uint8_t opcode, unsigned int serial)
{
	uint16_t flags = ibw_opcodes[opcode].flags;

	if (flags & IBW_OPF_MTU)
		return MTU;
	if (flags & IBW_OPF_LAST && serial % 7 == 0)
		return 7;
	return flags & IBW_OPF_SOME ? serial % 7 : 0;
}

/*
 * The opcodes of the table, in the order of their codes. That of the CNP, which is RoCE v2's
 * own, is in all framings: a walk has to know it wherever it is.
 */
static bool next_opcode(struct mk_packet *p, enum mk_framing framing, unsigned int *opcode)
{
	for (; *opcode < 256; ++*opcode) {
		if (!ibw_opcodes[*opcode].text)
			continue;
		p->serial++;
		mk_plain(p, framing, (uint8_t)*opcode, payload_of((uint8_t)*opcode, p->serial));
		++*opcode;
		return true;
	}
	return false;
}

static void write_opcodes(enum mk_framing framing)
{
	struct mk_packet p = { 0 };
	struct mk_capture c;
	unsigned int opcode = 0;
	char name[64];

	snprintf(name, sizeof(name), "opcodes-%s.pcap", mk_framing_name(framing));
	mk_file_begin(&c, name, false);
	mk_pcap(&c, mk_framing_linktype(framing), 0, MK_NANO);
	while (next_opcode(&p, framing, &opcode))
		mk_put(&c, &p);
	mk_file_end(&c);
}

/* Where a header, the payload, the pad or a CRC begins. */
static bool is_boundary(const struct mk_packet *p, uint32_t at)
{
	unsigned int i;

	for (i = 0; i < IBW_LAYER_COUNT; i++)
		if (p->off[i] == at)
			return true;
	return at == p->payload_off || at == p->pad_off || at == p->icrc_off || at == p->vcrc_off;
}

/* A snap length at every boundary, and one byte short of it: nothing is wrong with the packet. */
static void write_cut(enum mk_framing framing)
{
	struct mk_packet p = { 0 };
	struct mk_capture c;
	unsigned int opcode = 0;
	char name[64];
	uint32_t at;

	snprintf(name, sizeof(name), "cut-%s.pcap", mk_framing_name(framing));
	mk_file_begin(&c, name, false);
	mk_pcap(&c, mk_framing_linktype(framing), 0, 0);
	while (next_opcode(&p, framing, &opcode)) {
		for (at = 1; at < p.len; at++) {
			if (!is_boundary(&p, at) && !is_boundary(&p, at + 1))
				continue;
			mk_cut(&p, at);
			mk_put(&c, &p);
		}
	}
	mk_file_end(&c);
}

/* One interface for each link type; a pcapng of one packet in each framing. */
static void write_framings_ng(const char *name, unsigned int flags)
{
	struct mk_packet p = { 0 };
	struct mk_capture c;
	unsigned int i, j;

	mk_file_begin(&c, name, false);
	mk_pcapng(&c, flags);
	for (i = 0; i < MK_FRAMING_COUNT; i++) {
		for (j = 0; j < c.n_ifaces; j++)
			if (c.linktype[j] == mk_framing_linktype((enum mk_framing)i))
				break;
		if (j == c.n_ifaces)
			mk_pcapng_iface(&c, mk_framing_linktype((enum mk_framing)i), 0);
	}
	for (i = 0; i < MK_FRAMING_COUNT; i++) {
		p.serial++;
		mk_plain(&p, (enum mk_framing)i, IBW_OP_RC_RDMA_WRITE_ONLY, 21);
		mk_put(&c, &p);
	}
	for (j = 0; j < c.n_ifaces; j++)
		mk_pcapng_stats(&c, j, 100, 0, 0);
	mk_file_end(&c);
}

static void write_framings_eth(const char *name, unsigned int flags)
{
	struct mk_packet p = { 0 };
	struct mk_capture c;
	unsigned int i;

	mk_file_begin(&c, name, false);
	mk_pcap(&c, IBW_LINKTYPE_ETHERNET, 0, flags);
	for (i = 0; i < MK_FRAMING_COUNT; i++) {
		if (mk_framing_linktype((enum mk_framing)i) != IBW_LINKTYPE_ETHERNET)
			continue;
		p.serial++;
		mk_plain(&p, (enum mk_framing)i, IBW_OP_RC_RDMA_WRITE_ONLY, 21);
		mk_put(&c, &p);
	}
	mk_file_end(&c);
}

void mk_all_opcodes(void)
{
	unsigned int i;

	for (i = 0; i < MK_FRAMING_COUNT; i++)
		write_opcodes((enum mk_framing)i);
	write_cut(MK_IB_LOCAL);
	write_cut(MK_IB_GLOBAL);
	write_cut(MK_ROCE_V1_VLAN);
	write_cut(MK_ROCE_V2_IPV4);
	write_cut(MK_ROCE_V2_IPV6);
	write_cut(MK_VXLAN_IPV4);
	write_cut(MK_ERF_IB_LOCAL);
	write_framings_ng("framings.pcapng", MK_NANO);
	write_framings_ng("framings-us-be.pcapng", MK_BIG_ENDIAN);
	write_framings_eth("framings-us.pcap", 0);
	write_framings_eth("framings-ns.pcap", MK_NANO);
	write_framings_eth("framings-us-be.pcap", MK_BIG_ENDIAN);
	write_framings_eth("framings-ns-be.pcap", MK_BIG_ENDIAN | MK_NANO);
}
