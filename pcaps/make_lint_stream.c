/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * make_lint_stream.c - captures of rules about more than one packet that no conversation can have:
 * what is wrong with them is a CRC, a link, or how many there are.
 */
#include <string.h>

#include "make_case.h"

/* ---- CRC007: ICRCs of all zeros or ones ---- */

/* @n packets of a flow with ICRC @icrc. */
static void put_constant(struct mk_capture *c, struct mk_packet *p, uint32_t icrc, unsigned int n)
{
	while (n--) {
		mk_plain(p, MK_ROCE_V2_IPV4, IBW_OP_RC_SEND_ONLY, 64 + n * 4);
		ibw_icrc_put(mk_icrc(p), icrc);
		mk_put(c, p);
		mk_fires(c, p, "CRC001", "bth/icrc");
	}
}

static void icrc_zero(struct mk_capture *c)
{
	struct mk_packet p = { .serial = 1 };

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	put_constant(c, &p, 0, 10);
	mk_misses(c, "CRC007", NULL);
	put_constant(c, &p, 0, 1);
	mk_event_fires(c, "CRC007", "bth");
	put_constant(c, &p, 0, 20);
	mk_misses(c, "CRC007", NULL);
}

static void icrc_ones(struct mk_capture *c)
{
	struct mk_packet p = { .serial = 1 }, other = { .serial = 2 };
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 0; i < 10; i++) { /* ten of each of two flows */
		put_constant(c, &p, UINT32_MAX, 1);
		put_constant(c, &other, UINT32_MAX, 1);
	}
	mk_misses(c, "CRC007", NULL);
	put_constant(c, &p, UINT32_MAX, 1);
	mk_event_fires(c, "CRC007", "bth");
}

static void icrc_random(struct mk_capture *c)
{
	struct mk_packet p = { .serial = 1 };
	unsigned int i;

	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	for (i = 1; i < 30; i++)
		put_constant(c, &p, 0x9e3779b1u * i, 1);
	mk_misses(c, "CRC007", NULL);
}

/* ---- CRC010: copies of one packet ---- */

static void start_copy(struct mk_packet *p, enum mk_framing framing)
{
	p->serial = 1;
	mk_plain(p, framing, IBW_OP_RC_RDMA_WRITE_ONLY, 256);
}

/* What was changed on the way was changed without a new ICRC; the IPv4 checksum was made anew. */
static void put_changed(struct mk_capture *c, struct mk_packet *p)
{
	mk_fix_ip_checksum(p);
	mk_put(c, p);
	mk_fires(c, p, "CRC001", "bth/icrc");
}

/* Mirrored before and after a box that rewrites the source port; no packet before a wrong one is kept. */
static void twin_before(struct mk_capture *c)
{
	struct mk_packet p;

	memset(&p, 0, sizeof(p));
	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	put_constant(c, &p, 0x12345678, 1);
	start_copy(&p, MK_ROCE_V2_IPV4);
	mk_put(c, &p);
	mk_misses(c, "CRC010", NULL);
	ibw_ipv4_set_ttl(MK_AT(&p, ipv4), 3);
	ibw_udp_set_sport(MK_AT(&p, udp), 0xeafe);
	put_changed(c, &p);
	mk_event_fires(c, "CRC010", "bth");
}

/* Changed on the way, and then sent again; two bits, for one is said by CRC001. */
static void twin_after(struct mk_capture *c)
{
	struct mk_packet p;

	memset(&p, 0, sizeof(p));
	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	start_copy(&p, MK_ROCE_V1);
	MK_AT(&p, grh)->b[24 + 9] ^= 0x81;
	put_changed(c, &p);
	mk_fires(c, &p, "ROC014", "grh.dgid");
	mk_misses(c, "CRC010", NULL);
	start_copy(&p, MK_ROCE_V1);
	mk_put(c, &p);
	mk_event_fires(c, "CRC010", "bth");
	mk_put(c, &p); /* it is said once */
	mk_misses(c, "CRC010", NULL);
}

/* Sent again it has another IP ID, and so another ICRC. */
static void twin_resent(struct mk_capture *c)
{
	struct mk_packet p;

	memset(&p, 0, sizeof(p));
	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	start_copy(&p, MK_ROCE_V2_IPV4);
	ibw_ipv4_set_src(MK_AT(&p, ipv4), ibw_ipv4_src(MK_AT(&p, ipv4)) ^ 0x18);
	put_changed(c, &p);
	start_copy(&p, MK_ROCE_V2_IPV4);
	ibw_ipv4_set_id(MK_AT(&p, ipv4), 0x7777);
	p.b[p.payload_off] ^= 1; /* another packet */
	mk_fix(&p);
	mk_put(c, &p);
	mk_misses(c, "CRC010", NULL);
	p.b[p.payload_off] ^= 1;
	mk_fix(&p);
	mk_put(c, &p);
	mk_event_fires(c, "CRC010", "bth");
}

/* Two fields, or the payload; then other packets. */
static void twin_no_field(struct mk_capture *c)
{
	struct mk_packet p;

	memset(&p, 0, sizeof(p));
	mk_pcap(c, IBW_LINKTYPE_ETHERNET, 0, MK_NANO);
	start_copy(&p, MK_ROCE_V2_IPV4);
	mk_put(c, &p);
	ibw_udp_set_sport(MK_AT(&p, udp), 0xeafe);
	ibw_ipv4_set_src(MK_AT(&p, ipv4), 0xc0000205);
	put_changed(c, &p);
	mk_misses(c, "CRC010", NULL);
	start_copy(&p, MK_ROCE_V2_IPV4);
	p.b[p.payload_off + 9] ^= 0x11;
	put_changed(c, &p);
	mk_misses(c, "CRC010", NULL);
	start_copy(&p, MK_ROCE_V2_IPV4);
	ibw_bth_set_psn(MK_AT(&p, bth), 0x123456);
	mk_fix_crcs(&p);
	mk_put(c, &p);
	mk_misses(c, "CRC010", NULL);
}

/* ---- LRH013: the VL of a path and SL ---- */

static void put_on(struct mk_capture *c, uint16_t dlid, uint8_t sl, uint8_t vl)
{
	struct mk_packet p = { 0 };

	mk_start(&p, MK_IB_LOCAL, IBW_OP_RC_SEND_ONLY, 64);
	p.lrh.slid = 4;
	p.lrh.dlid = dlid;
	p.lrh.sl = sl;
	p.lrh.vl = vl;
	p.bth.dqpn = dlid;
	mk_build(&p);
	mk_put(c, &p);
}

static void vl_unstable(struct mk_capture *c)
{
	struct mk_packet p = { 0 };

	mk_pcap(c, IBW_LINKTYPE_INFINIBAND, 0, MK_NANO);
	put_on(c, 8, 1, 0);
	put_on(c, 8, 2, 1); /* another SL, another path */
	put_on(c, 9, 1, 1);
	put_on(c, 8, 1, 0);
	mk_misses(c, "LRH013", "lrh");
	mk_start_smp(&p, MK_IB_LOCAL); /* on VL 15, as all management */
	p.lrh.slid = 4;
	p.lrh.dlid = 8;
	p.lrh.sl = 1;
	mk_build(&p);
	mk_put(c, &p);
	mk_misses(c, "LRH013", "lrh");
	put_on(c, 8, 1, 3);
	mk_event_fires(c, "LRH013", "lrh");
	put_on(c, 8, 1, 3);
	mk_misses(c, "LRH013", "lrh");
}

/* Bits that flip on the link are no other VL. */
static void vl_flipped(struct mk_capture *c)
{
	struct mk_packet p = { 0 };

	mk_pcap(c, IBW_LINKTYPE_INFINIBAND, 0, MK_NANO);
	put_on(c, 8, 1, 0);
	mk_start(&p, MK_IB_LOCAL, IBW_OP_RC_SEND_ONLY, 64);
	p.lrh.slid = 4;
	p.lrh.dlid = 8;
	p.lrh.sl = 1;
	mk_build(&p);
	ibw_lrh_set_vl(MK_AT(&p, lrh), 2);
	mk_put(c, &p);
	mk_fires(c, &p, "CRC009", "lrh/vcrc");
	mk_misses(c, "LRH013", "lrh");
	put_on(c, 8, 1, 0);
	mk_misses(c, "LRH013", "lrh");
}

/* ---- CAP021: as many RMPP transfers as are remembered, and one more ---- */

#define TRANSFERS_MAX 32

static void put_transfers(struct mk_capture *c, unsigned int n)
{
	struct mk_packet p = { 0 };
	unsigned int i;
	uint8_t *mad;

	mk_pcap(c, IBW_LINKTYPE_INFINIBAND, 0, MK_NANO);
	for (i = 1; i <= n; i++) {
		mad = mk_start_mad(&p, MK_IB_LOCAL, IBW_CLASS_SUBN_ADM,
				   METHOD_RESP | IBW_METHOD_GET_TABLE, IBW_ATTR_SA_PATH_REC);
		ibw_mad_set_tid(IN(mad, 0), i);
		ibw_rmpp_pack(IN(rmpp, 24),
			      &(struct ibw_rmpp){ .version = 1,
						  .type = 1,
						  .flags = IBW_RMPP_ACTIVE | IBW_RMPP_FIRST,
						  .data1 = 1,
						  .data2 = 440 });
		ibw_sa_set_attr_offset(IN(sa, 36), 8);
		mk_build(&p);
		mk_put(c, &p);
	}
}

static void room(struct mk_capture *c)
{
	put_transfers(c, TRANSFERS_MAX);
	mk_file_misses(c, "CAP021");
}

static void no_room(struct mk_capture *c)
{
	put_transfers(c, TRANSFERS_MAX + 1);
	mk_file_fires(c, "CAP021");
}

static const struct mk_case cases[] = { { 0 } };

static const struct mk_file_case files[] = {
	{ "icrc-zero.pcap", icrc_zero },     { "icrc-ones.pcap", icrc_ones },
	{ "icrc-random.pcap", icrc_random }, { "twin-before.pcap", twin_before },
	{ "twin-after.pcap", twin_after },   { "twin-no-field.pcap", twin_no_field },
	{ "twin-resent.pcap", twin_resent }, { "vl-unstable.pcap", vl_unstable },
	{ "vl-flipped.pcap", vl_flipped },   { "transfers-32.pcap", room },
	{ "transfers-33.pcap", no_room },    { 0 },
};

const struct mk_group mk_lint_stream = { "stream", cases, files, NULL };
