/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build.h - builds RDMA packets: every header in front of a payload, with every length right.
 *
 *	struct ibw_build b = { .kind = IBW_ICRC_ROCE_V2_IPV4, .has_eth = true };
 *
 *	ibw_build_defaults(&b);
 *	b.bth.opcode = IBW_OP_RC_RDMA_WRITE_ONLY;
 *	b.reth.va = va;				... addresses, QPN, PSN, keys
 *	b.payload_len = 13;
 *	n = ibw_build_headers(buf, cap, &b);
 *	if (n == 0)
 *		why = ibw_build_error_text(ibw_build_check(&b));
 *	else if (n > cap)
 *		... nothing was written; n bytes are needed ...
 *
 * The members are the values of the headers, host integers. Which headers there are
 * follows from @kind, @has_eth, @n_vlans, @has_ipoib and the opcode; only their members
 * are read. A value that does not fit its field is refused, except the PSN, which wraps: its low 24
 * bits are sent. Set by the builder, whatever the members hold: LRH.LNH and PktLen, GRH.IPVer,
 * PayLen and NxtHdr, the IP versions, IHL, lengths, protocol and IPv4 header checksum,
 * fragmentation other than DF, UDP length and checksum (0, as RoCE v2 has it), the ethertypes and
 * BTH.PadCnt. Reserved bits are 0.
 *
 * Nothing here allocates, fails silently or writes beyond @cap; buffers may have any
 * alignment and hold anything. All of it is inline: a driver needs no library. For user
 * space ibw_build_packet() in libibwire makes whole packets, CRCs included.
 *
 * From ib_ud_header_init() and ib_ud_header_pack() of the Linux kernel
 * --------------------------------------------------------------------
 * 1. struct ib_ud_header becomes struct ibw_build. ibw_ud_header_init() takes the same
 *    arguments in the same order.
 * 2. header.lrh.destination_lid = cpu_to_be16(x) becomes b.lrh.dlid = x: host integers, so
 *    a flow label cannot be stored in the wrong byte order (qedr_roce_cm.c does). MACs,
 *    GIDs and IPv6 addresses stay bytes. IPv6 has its own members, b.ipv6 (there: grh).
 * 3. The opcode, pad count, lengths, next headers, ethertypes and the IPv4 checksum are not
 *    set any more, nor is immediate_present: the last argument says it, and b.immdt.data
 *    is the value. TTL, hop limit and DF are the caller's, as there.
 * 4. ib_ud_header_pack(&header, buf) becomes n = ibw_build_headers(buf, cap, &b): n bytes
 *    were written if n is not above cap.
 *
 * What disappears:
 *
 * mlx4		the MAC is 6 bytes in one member (there: 4 + 2 and 2 + 4, copied across
 *		members); immediate_present set after init, which leaves all lengths
 *		4 short; RoCE v2 over IPv6 with a VLAN needs 86 bytes, and a buffer of 82 gets
 *		"86" as an answer instead of 86 bytes.
 * bnxt_re	the length is what ibw_build_headers() returns (there: 86 less 20, 8 and 4 by
 *		cases, and without the immediate data, so that 4 bytes are not sent);
 *		PadCnt is set by it (there: computed again); traffic class and flow label have
 *		members in every framing.
 * qedr		nothing is read from the buffer, so it need be neither aligned nor cleared;
 *		the IPv4 checksum is there (there: left to the device) and the UDP length too.
 */
#ifndef IBWIRE_BUILD_H
#define IBWIRE_BUILD_H

#include "crc.h"
#include "roce.h"
#include "transport.h"

/* What to build. */
struct ibw_build {
	uint8_t kind;         /* enum ibw_icrc_kind: what precedes the BTH */
	uint8_t n_vlans;      /* with has_eth: 0, 1, or 2 (QinQ, outermost first) */
	bool has_eth;         /* RoCE: an Ethernet header comes first */
	bool has_ipoib;       /* UD: the IPoIB encapsulation header comes last */
	uint32_t payload_len; /* bytes after all headers, without the pad */

	struct ibw_eth eth;
	struct ibw_vlan vlan[2];
	struct ibw_lrh lrh;
	struct ibw_grh grh;
	struct ibw_ipv4 ipv4;
	struct ibw_ipv6 ipv6;
	struct ibw_udp udp;
	struct ibw_bth bth; /* opcode: says which of the following there are */
	struct ibw_deth deth;
	struct ibw_immdt immdt;
	struct ibw_rdeth rdeth;
	struct ibw_xrceth xrceth;
	struct ibw_feth feth;
	struct ibw_reth reth;
	struct ibw_atomiceth atomiceth;
	struct ibw_aeth aeth;
	struct ibw_atomicacketh atomicacketh;
	struct ibw_ieth ieth;
	struct ibw_atomicwrite atomicwrite;
	struct ibw_ipoib ipoib;
};

/* Why a packet is not built: there is no such packet. */
enum ibw_build_error {
	IBW_BUILD_OK,
	IBW_BUILD_KIND,       /* kind is IBW_ICRC_NONE or no framing at all */
	IBW_BUILD_LINK,       /* Ethernet or VLANs on an IB link, VLANs without Ethernet, over 2 */
	IBW_BUILD_OPCODE,     /* the opcode is not defined, or the manufacturers' */
	IBW_BUILD_NO_PAYLOAD, /* the opcode takes none */
	IBW_BUILD_MTU,  /* a first or middle packet holds 256, 512, 1024, 2048 or 4096 bytes */
	IBW_BUILD_LONG, /* more than the largest MTU, 4096 bytes */
	IBW_BUILD_CNP,  /* CNPs are of RoCE v2: IBTA annex A17.9.3 */
	IBW_BUILD_QP_SERVICE,   /* QP0, QP1 and multicast take UD only: IBTA vol 1, 10.2.4, 10.5 */
	IBW_BUILD_QP0,          /* QP0 is of IB links, without a GRH: IBTA vol 1, 14.2 */
	IBW_BUILD_MULTICAST,    /* a multicast packet has a group's address: IBTA vol 1, 10.5 */
	IBW_BUILD_IPOIB,        /* IPoIB is UD on IB links: RFC 4391 */
	IBW_BUILD_UD_ARGUMENTS, /* ibw_ud_header_init(): no framing has just these headers */
	IBW_BUILD_WIDE,         /* a value needs more bits than its field has */
	IBW_BUILD_EMPTY_LAST    /* a last packet holds a byte at least: IBTA vol 1, 9.7.5.1.5 */
};

static inline const char *ibw_build_error_text(enum ibw_build_error error)
{
	switch (error) {
	case IBW_BUILD_OK:
		return "no error";
	case IBW_BUILD_KIND:
		return "what precedes the BTH is not said, or is nothing known";
	case IBW_BUILD_LINK:
		return "Ethernet is for RoCE, and VLANs (at most 2) are for Ethernet";
	case IBW_BUILD_OPCODE:
		return "the opcode is not defined";
	case IBW_BUILD_NO_PAYLOAD:
		return "a packet of this opcode has no payload";
	case IBW_BUILD_MTU:
		return "a first or middle packet holds exactly one MTU: 256, 512, 1024, 2048, 4096";
	case IBW_BUILD_LONG:
		return "the payload is longer than the largest MTU, 4096";
	case IBW_BUILD_CNP:
		return "a CNP is a packet of RoCE v2";
	case IBW_BUILD_QP_SERVICE:
		return "QP0, QP1 and the multicast QP receive UD only";
	case IBW_BUILD_QP0:
		return "a packet to QP0 stays on an IB link and has no GRH";
	case IBW_BUILD_MULTICAST:
		return "a packet to the multicast QP needs a multicast address, an MGID on IB links";
	case IBW_BUILD_IPOIB:
		return "IPoIB encapsulation is for UD packets of IB links";
	case IBW_BUILD_UD_ARGUMENTS:
		return "no framing has just these headers";
	case IBW_BUILD_WIDE:
		return "a value needs more bits than its field has";
	case IBW_BUILD_EMPTY_LAST:
		return "the last packet of several has at least one byte of payload";
	}
	return "an unknown error";
}

/* Sets what most senders set alike; every other member keeps its value. */
static inline void ibw_build_defaults(struct ibw_build *b)
{
	b->grh.hop_limit = 64;
	b->ipv4.df = 1;
	b->ipv4.ttl = 64;
	b->ipv6.hop_limit = 64;
	b->udp.sport = IBW_ROCE_SPORT_FIRST;
	b->udp.dport = IBW_UDP_PORT_ROCE;
	b->bth.migreq = 1;
	b->bth.pkey = IBW_PKEY_DEFAULT_FULL;
}

/*
 * Where the opcode is not a constant, the checks and writes are some 5 KB of code. With
 * IBW_BUILD_EXTERN defined, ibw_build_check(), ibw_build_headers() and ibw_build_transport() are
 * ordinary functions, and one C file of the program, driver or module defines them:
 *
 *	#define IBW_BUILD_EXTERN
 *	#define IBW_BUILD_BODY
 *	#include <ibwire/build.h>
 */
#ifdef IBW_BUILD_EXTERN
#define IBW_BUILD_FUNCTION
#define IBW_BUILD_PART static __attribute__((__noinline__)) /* for less than 128 bytes of stack */
#ifdef __cplusplus
extern "C" {
#endif
enum ibw_build_error ibw_build_check(const struct ibw_build *b);
size_t ibw_build_headers(void *buf, size_t cap, const struct ibw_build *b);
size_t ibw_build_transport(void *buf, size_t cap, const struct ibw_build *b);
#ifdef __cplusplus
}
#endif
#else
#define IBW_BUILD_FUNCTION static inline
#define IBW_BUILD_PART static inline
#define IBW_BUILD_BODY
#endif

IBW_INLINE bool ibw_build_is_ib(const struct ibw_build *b)
{
	return b->kind == IBW_ICRC_IB_LOCAL || b->kind == IBW_ICRC_IB_GLOBAL;
}

#ifdef IBW_BUILD_BODY

/* Whether the packet goes to a multicast address. */
static inline bool ibw_build_to_group(const struct ibw_build *b)
{
	switch (b->kind) {
	case IBW_ICRC_IB_GLOBAL:
	case IBW_ICRC_ROCE_V1:
		return ibw_gid_is_multicast(b->grh.dgid);
	case IBW_ICRC_ROCE_V2_IPV4:
		return ibw_ipv4_is_multicast(b->ipv4.dst);
	case IBW_ICRC_ROCE_V2_IPV6:
		return ibw_gid_is_multicast(b->ipv6.dst);
	}
	return false;
}

/* The special QPs. */
static inline enum ibw_build_error ibw_build_check_qp(const struct ibw_build *b)
{
	uint32_t dqpn = b->bth.dqpn;

	if (dqpn > IBW_QPN_GSI && dqpn != IBW_QPN_MULTICAST)
		return IBW_BUILD_OK;
	if ((b->bth.opcode & IBW_SERVICE_MASK) != IBW_SERVICE_UD)
		return b->bth.opcode == IBW_OP_CNP ? IBW_BUILD_OK : IBW_BUILD_QP_SERVICE;
	if (dqpn == IBW_QPN_SMI && b->kind != IBW_ICRC_IB_LOCAL)
		return IBW_BUILD_QP0;
	if (dqpn == IBW_QPN_MULTICAST && !ibw_build_to_group(b))
		return IBW_BUILD_MULTICAST;
	return IBW_BUILD_OK;
}

/* What the opcode table says about the payload. */
static inline enum ibw_build_error ibw_build_check_payload(const struct ibw_build *b,
							   uint32_t flags)
{
	uint32_t n = b->payload_len;

	if (n > IBW_MTU_MAX)
		return IBW_BUILD_LONG;
	if ((flags & (IBW_OPF_SOME | IBW_OPF_LAST)) == IBW_OPF_SOME)
		return IBW_BUILD_OK;
	if (!(flags & IBW_OPF_PAYLOAD))
		return n ? IBW_BUILD_NO_PAYLOAD : IBW_BUILD_OK;
	if (flags & IBW_OPF_MTU)
		return ibw_mtu_is(n) ? IBW_BUILD_OK : IBW_BUILD_MTU;
	return n ? IBW_BUILD_OK : IBW_BUILD_EMPTY_LAST;
}

/* Whether a value needs more bits than its field has. */
#define IBW_BUILD_WIDE_(hdr, field, value)                                                         \
	((uint32_t)(value) >> (ibw_##hdr##_##field##_END_ - ibw_##hdr##_##field##_AT + 1) != 0)

IBW_INLINE bool ibw_build_wide_vlan(const struct ibw_vlan *v)
{
	return IBW_BUILD_WIDE_(vlan, pcp, v->pcp) || IBW_BUILD_WIDE_(vlan, dei, v->dei) ||
	       IBW_BUILD_WIDE_(vlan, vid, v->vid);
}

IBW_INLINE bool ibw_build_wide_lrh(const struct ibw_lrh *v)
{
	return IBW_BUILD_WIDE_(lrh, vl, v->vl) || IBW_BUILD_WIDE_(lrh, lver, v->lver) ||
	       IBW_BUILD_WIDE_(lrh, sl, v->sl);
}

IBW_INLINE bool ibw_build_wide_ipv4(const struct ibw_ipv4 *v)
{
	return IBW_BUILD_WIDE_(ipv4, dscp, v->dscp) || IBW_BUILD_WIDE_(ipv4, ecn, v->ecn) ||
	       IBW_BUILD_WIDE_(ipv4, df, v->df);
}

IBW_INLINE bool ibw_build_wide_ipv6(const struct ibw_ipv6 *v)
{
	return IBW_BUILD_WIDE_(ipv6, dscp, v->dscp) || IBW_BUILD_WIDE_(ipv6, ecn, v->ecn) ||
	       IBW_BUILD_WIDE_(ipv6, flow_label, v->flow_label);
}

/* All fields but the PSN, which wraps. */
static inline bool ibw_build_wide_bth(const struct ibw_bth *v)
{
	return IBW_BUILD_WIDE_(bth, se, v->se | v->migreq | v->fecn | v->becn | v->ackreq) ||
	       IBW_BUILD_WIDE_(bth, tver, v->tver) || IBW_BUILD_WIDE_(bth, dqpn, v->dqpn);
}

/* Of the headers that @eths says there are. */
static inline bool ibw_build_wide_eths(const struct ibw_build *b, uint32_t eths)
{
	if (eths & IBW_ETH_AETH) { /* of responses, as a DETH is of requests */
		if (IBW_BUILD_WIDE_(aeth, msn, b->aeth.msn))
			return true;
	} else if (eths & IBW_ETH_DETH && IBW_BUILD_WIDE_(deth, sqpn, b->deth.sqpn)) {
		return true;
	}
	if (!(eths & (IBW_ETH_RDETH | IBW_ETH_XRCETH | IBW_ETH_FETH)))
		return false;
	return (eths & IBW_ETH_RDETH && IBW_BUILD_WIDE_(rdeth, een, b->rdeth.een)) ||
	       (eths & IBW_ETH_XRCETH && IBW_BUILD_WIDE_(xrceth, xrcsrq, b->xrceth.xrcsrq)) ||
	       (eths & IBW_ETH_FETH && (IBW_BUILD_WIDE_(feth, plt, b->feth.plt) ||
					IBW_BUILD_WIDE_(feth, sel, b->feth.sel)));
}

/* IB links have no Ethernet, and no CNP, which belongs to RoCE v2. */
static inline enum ibw_build_error ibw_build_check_ib(const struct ibw_build *b)
{
	if (b->has_eth || b->n_vlans)
		return IBW_BUILD_LINK;
	if (b->has_ipoib) {
		if ((b->bth.opcode & IBW_SERVICE_MASK) != IBW_SERVICE_UD)
			return IBW_BUILD_IPOIB;
		if (b->payload_len > IBW_MTU_MAX - (uint32_t)ibw_ipoib_BYTES)
			return IBW_BUILD_LONG;
	}
	if (b->bth.opcode == IBW_OP_CNP)
		return IBW_BUILD_CNP;
	return ibw_build_wide_lrh(&b->lrh) ? IBW_BUILD_WIDE : IBW_BUILD_OK;
}

/* What precedes the BTH. */
static inline enum ibw_build_error ibw_build_check_framing(const struct ibw_build *b)
{
	enum ibw_build_error error;
	bool wide;

	switch (b->kind) {
	case IBW_ICRC_ROCE_V2_IPV4:
		wide = ibw_build_wide_ipv4(&b->ipv4);
		break;
	case IBW_ICRC_ROCE_V2_IPV6:
		wide = ibw_build_wide_ipv6(&b->ipv6);
		break;
	case IBW_ICRC_ROCE_V1:
		if (b->bth.opcode == IBW_OP_CNP)
			return IBW_BUILD_CNP;
		wide = IBW_BUILD_WIDE_(grh, flow_label, b->grh.flow_label);
		break;
	case IBW_ICRC_IB_LOCAL:
		return ibw_build_check_ib(b);
	case IBW_ICRC_IB_GLOBAL:
		error = ibw_build_check_ib(b);
		if (!error && IBW_BUILD_WIDE_(grh, flow_label, b->grh.flow_label))
			return IBW_BUILD_WIDE;
		return error;
	default:
		return IBW_BUILD_KIND;
	}
	if (b->n_vlans) {
		if (b->n_vlans > 2 || !b->has_eth)
			return IBW_BUILD_LINK;
		wide |= ibw_build_wide_vlan(&b->vlan[0]);
		if (b->n_vlans == 2)
			wide |= ibw_build_wide_vlan(&b->vlan[1]);
	}
	if (b->has_ipoib)
		return IBW_BUILD_IPOIB;
	return wide ? IBW_BUILD_WIDE : IBW_BUILD_OK;
}

/* Whether this is a packet at all, and why not. */
IBW_BUILD_FUNCTION enum ibw_build_error ibw_build_check(const struct ibw_build *b)
{
	uint32_t chain = ibw_opcode_chain(b->bth.opcode);
	enum ibw_build_error error = ibw_build_check_framing(b);

	if (error)
		return error;
	if (!chain)
		return IBW_BUILD_OPCODE;
	if (ibw_build_wide_bth(&b->bth) || ibw_build_wide_eths(b, chain))
		return IBW_BUILD_WIDE;
	error = ibw_build_check_payload(b, chain >> 16);
	return error ? error : ibw_build_check_qp(b);
}

#endif /* IBW_BUILD_BODY */

/* Bytes of Ethernet and VLAN headers: what the ICRC does not cover. */
IBW_INLINE uint32_t ibw_build_link_bytes(const struct ibw_build *b)
{
	return b->has_eth ? (uint32_t)ibw_eth_BYTES + b->n_vlans * (uint32_t)ibw_vlan_BYTES : 0;
}

/* Bytes of the headers from there to the BTH, by their kind: enum ibw_icrc_kind. */
IBW_INLINE uint32_t ibw_build_kind_bytes(uint8_t kind)
{
	switch (kind) {
	case IBW_ICRC_IB_LOCAL:
		return ibw_lrh_BYTES;
	case IBW_ICRC_IB_GLOBAL:
		return (uint32_t)ibw_lrh_BYTES + ibw_grh_BYTES;
	case IBW_ICRC_ROCE_V1:
		return ibw_grh_BYTES;
	case IBW_ICRC_ROCE_V2_IPV4:
		return (uint32_t)ibw_ipv4_BYTES + ibw_udp_BYTES;
	default:
		return (uint32_t)ibw_ipv6_BYTES + ibw_udp_BYTES;
	}
}

IBW_INLINE uint32_t ibw_build_net_bytes(const struct ibw_build *b)
{
	return ibw_build_kind_bytes(b->kind);
}

/* Bytes of the BTH and what follows it in front of the payload. */
IBW_INLINE uint32_t ibw_build_transport_bytes(const struct ibw_build *b)
{
	return (uint32_t)ibw_bth_BYTES + ibw_eths_bytes(ibw_opcode_chain(b->bth.opcode)) +
	       (b->has_ipoib ? (uint32_t)ibw_ipoib_BYTES : 0u);
}

/* Pad bytes after the payload: every header is a multiple of 4 already. */
IBW_INLINE uint32_t ibw_build_pad(const struct ibw_build *b)
{
	return (0u - b->payload_len) & 3u;
}

/* The parts of a packet, bytes. */
struct ibw_build_size {
	uint32_t headers;
	uint32_t payload;
	uint32_t pad;
	uint32_t icrc; /* 4 */
	uint32_t vcrc; /* 2 on an IB link, else 0 */
	uint32_t total;
};

/* How long each part is; all 0 with an error. */
static inline enum ibw_build_error ibw_build_len(struct ibw_build_size *len,
						 const struct ibw_build *b)
{
	enum ibw_build_error error = ibw_build_check(b);

	len->headers = len->payload = len->pad = len->icrc = len->vcrc = len->total = 0;
	if (error)
		return error;
	len->headers =
		ibw_build_link_bytes(b) + ibw_build_net_bytes(b) + ibw_build_transport_bytes(b);
	len->payload = b->payload_len;
	len->pad = ibw_build_pad(b);
	len->icrc = IBW_ICRC_BYTES;
	len->vcrc = ibw_build_is_ib(b) ? IBW_VCRC_BYTES : 0;
	len->total = len->headers + len->payload + len->pad + len->icrc + len->vcrc;
	return IBW_BUILD_OK;
}

#ifdef IBW_BUILD_BODY
/* One header with values at @p; returns the place after it. */
#define IBW_BUILD_PUT(p, name, values)                                                             \
	(ibw_##name##_pack((struct ibw_##name##_wire *)(p), (values)), (p) + ibw_##name##_BYTES)

static inline uint8_t *ibw_build_put_link(uint8_t *p, const struct ibw_build *b)
{
	struct ibw_eth eth = b->eth;
	struct ibw_vlan vlan;
	uint16_t type = IBW_ETHERTYPE_ROCE;
	unsigned int i;

	if (b->kind == IBW_ICRC_ROCE_V2_IPV4)
		type = IBW_ETHERTYPE_IPV4;
	else if (b->kind == IBW_ICRC_ROCE_V2_IPV6)
		type = IBW_ETHERTYPE_IPV6;
	eth.type = type;
	if (b->n_vlans)
		eth.type = b->n_vlans == 1 ? IBW_ETHERTYPE_VLAN : IBW_ETHERTYPE_QINQ;
	p = IBW_BUILD_PUT(p, eth, &eth);
	for (i = 0; i < b->n_vlans; i++) {
		vlan = b->vlan[i];
		vlan.type = i + 1u < b->n_vlans ? (uint16_t)IBW_ETHERTYPE_VLAN : type;
		p = IBW_BUILD_PUT(p, vlan, &vlan);
	}
	return p;
}

/* @bytes: from the BTH to the ICRC, that included. */
static inline uint8_t *ibw_build_put_lrh(uint8_t *p, const struct ibw_build *b, uint32_t bytes)
{
	struct ibw_lrh lrh = b->lrh;

	lrh.lnh = b->kind == IBW_ICRC_IB_GLOBAL ? IBW_LNH_GLOBAL : IBW_LNH_LOCAL;
	lrh.pktlen = (uint16_t)((ibw_build_net_bytes(b) + bytes) / 4);
	return IBW_BUILD_PUT(p, lrh, &lrh);
}

static inline uint8_t *ibw_build_put_grh(uint8_t *p, const struct ibw_build *b, uint32_t bytes)
{
	struct ibw_grh grh = b->grh;

	grh.ipver = IBW_GRH_IPVER;
	grh.paylen = (uint16_t)bytes;
	grh.nxthdr = IBW_GRH_NXTHDR_IBA;
	return IBW_BUILD_PUT(p, grh, &grh);
}

static inline uint8_t *ibw_build_put_ipv4(uint8_t *p, const struct ibw_build *b, uint32_t bytes)
{
	struct ibw_ipv4_wire *wire = (struct ibw_ipv4_wire *)p;
	struct ibw_ipv4 ip = b->ipv4;

	ip.version = 4;
	ip.ihl = ibw_ipv4_BYTES / 4;
	ip.total_len = (uint16_t)(ibw_ipv4_BYTES + (ibw_udp_BYTES + bytes));
	ip.mf = 0;
	ip.frag_off = 0;
	ip.protocol = IBW_IP_PROTO_UDP;
	ip.checksum = 0;
	ibw_ipv4_pack(wire, &ip);
	ibw_put_le16(wire->b + ibw_ipv4_checksum_AT / 8,
		     (uint16_t)~ibw_sum_fold(ibw_ipv4_sum_swapped(wire, ibw_ipv4_BYTES)));
	return p + ibw_ipv4_BYTES;
}

static inline uint8_t *ibw_build_put_ipv6(uint8_t *p, const struct ibw_build *b, uint32_t bytes)
{
	struct ibw_ipv6 ip = b->ipv6;

	ip.version = 6;
	ip.paylen = (uint16_t)(ibw_udp_BYTES + bytes);
	ip.nxthdr = IBW_IP_PROTO_UDP;
	return IBW_BUILD_PUT(p, ipv6, &ip);
}

static inline uint8_t *ibw_build_put_udp(uint8_t *p, const struct ibw_build *b, uint32_t bytes)
{
	struct ibw_udp udp = b->udp;

	udp.length = (uint16_t)(ibw_udp_BYTES + bytes);
	udp.checksum = 0;
	return IBW_BUILD_PUT(p, udp, &udp);
}

IBW_BUILD_PART uint8_t *ibw_build_put_net(uint8_t *p, const struct ibw_build *b, uint32_t bytes)
{
	switch (b->kind) {
	case IBW_ICRC_IB_LOCAL:
		return ibw_build_put_lrh(p, b, bytes);
	case IBW_ICRC_IB_GLOBAL:
		/* PktLen counts the GRH too: ibw_build_net_bytes() */
		return ibw_build_put_grh(ibw_build_put_lrh(p, b, bytes), b, bytes);
	case IBW_ICRC_ROCE_V1:
		return ibw_build_put_grh(p, b, bytes);
	case IBW_ICRC_ROCE_V2_IPV4:
		return ibw_build_put_udp(ibw_build_put_ipv4(p, b, bytes), b, bytes);
	default:
		return ibw_build_put_udp(ibw_build_put_ipv6(p, b, bytes), b, bytes);
	}
}

#define IBW_BUILD_PUT_ETH(p, b, eths, ETH, name)                                                   \
	((eths)&IBW_ETH_##ETH ? IBW_BUILD_PUT(p, name, &(b)->name) : (p))

/* All reserved, so that there is nothing to say of it: IBTA annex A17.9.3 */
static inline uint8_t *ibw_build_put_cnp(uint8_t *p)
{
	IBW_FILL(p, 0, ibw_cnp_BYTES);
	return p + ibw_cnp_BYTES;
}

/* The headers of services other than UD; DETH is among them in RD. */
static inline uint8_t *ibw_build_put_eths(uint8_t *p, const struct ibw_build *b, uint32_t eths)
{
	p = IBW_BUILD_PUT_ETH(p, b, eths, RDETH, rdeth);
	p = IBW_BUILD_PUT_ETH(p, b, eths, DETH, deth);
	p = IBW_BUILD_PUT_ETH(p, b, eths, XRCETH, xrceth);
	p = IBW_BUILD_PUT_ETH(p, b, eths, FETH, feth);
	p = IBW_BUILD_PUT_ETH(p, b, eths, RETH, reth);
	p = IBW_BUILD_PUT_ETH(p, b, eths, ATOMICETH, atomiceth);
	p = IBW_BUILD_PUT_ETH(p, b, eths, AETH, aeth);
	p = IBW_BUILD_PUT_ETH(p, b, eths, ATOMICACKETH, atomicacketh);
	p = IBW_BUILD_PUT_ETH(p, b, eths, IMMDT, immdt);
	p = IBW_BUILD_PUT_ETH(p, b, eths, IETH, ieth);
	p = IBW_BUILD_PUT_ETH(p, b, eths, ATOMICWRITE, atomicwrite);
	return eths & IBW_ETH_CNP ? ibw_build_put_cnp(p) : p;
}

static inline uint8_t *ibw_build_put_transport(uint8_t *p, const struct ibw_build *b)
{
	uint32_t eths = ibw_opcode_chain(b->bth.opcode) & 0xffffu;
	struct ibw_bth bth = b->bth;

	bth.padcnt = (uint8_t)ibw_build_pad(b);
	p = IBW_BUILD_PUT(p, bth, &bth);
	if (eths == IBW_ETH_DETH)
		p = IBW_BUILD_PUT(p, deth, &b->deth);
	else if (eths == IBW_ETH_AETH)
		p = IBW_BUILD_PUT(p, aeth, &b->aeth);
	else if (eths)
		p = ibw_build_put_eths(p, b, eths);
	return b->has_ipoib ? IBW_BUILD_PUT(p, ipoib, &b->ipoib) : p;
}

/*
 * Writes all headers in front of the payload and returns their length in bytes. If that is more
 * than @cap, nothing was written. 0: ibw_build_check() says why there is no such packet. @buf may
 * be NULL if @cap is 0.
 */
IBW_BUILD_FUNCTION size_t ibw_build_headers(void *buf, size_t cap, const struct ibw_build *b)
{
	uint32_t transport = ibw_build_transport_bytes(b);
	uint32_t bytes = transport + b->payload_len + ibw_build_pad(b) + IBW_ICRC_BYTES;
	size_t need = (size_t)ibw_build_link_bytes(b) + ibw_build_net_bytes(b) + transport;
	uint8_t *p = (uint8_t *)buf;

	if (ibw_build_check(b))
		return 0;
	if (need > cap)
		return need;
	if (b->has_eth)
		p = ibw_build_put_link(p, b);
	p = ibw_build_put_net(p, b, bytes);
	ibw_build_put_transport(p, b);
	return need;
}

/*
 * Writes the BTH and the headers after it, and returns their length in bytes; of @b, only the
 * members bth to atomicwrite and payload_len are read. If the length is more than @cap, nothing was
 * written. 0: an undefined opcode, a payload that it does not take, a value wider than its field,
 * or IPoIB, which needs an IB link. Which QP may have which packet depends on what precedes the
 * BTH; ibw_build_check() checks that.
 */
IBW_BUILD_FUNCTION size_t ibw_build_transport(void *buf, size_t cap, const struct ibw_build *b)
{
	uint32_t chain = ibw_opcode_chain(b->bth.opcode);
	size_t need = ibw_build_transport_bytes(b);

	if (!chain || b->has_ipoib || ibw_build_check_payload(b, chain >> 16) ||
	    ibw_build_wide_bth(&b->bth) || ibw_build_wide_eths(b, chain))
		return 0;
	if (need <= cap)
		ibw_build_put_transport((uint8_t *)buf, b);
	return need;
}

#undef IBW_BUILD_PUT_ETH
#endif /* IBW_BUILD_BODY */
#undef IBW_BUILD_FUNCTION
#undef IBW_BUILD_PART
#ifndef IBW_BUILD_EXTERN
#undef IBW_BUILD_BODY
#endif

/*
 * The arguments of the kernel's ib_ud_header_init(), in its order, into @b: a UD SEND Only
 * (with immediate) of @payload_bytes. Headers that are present are zero but for the
 * defaults of the fields named there; the members are set afterwards as there.
 */
static inline enum ibw_build_error ibw_ud_header_init(uint32_t payload_bytes, bool lrh_present,
						      bool eth_present, bool vlan_present,
						      bool grh_present, int ip_version,
						      bool udp_present, bool immediate_present,
						      struct ibw_build *b)
{
	bool ip = ip_version == 4 || ip_version == 6;

	b->kind = IBW_ICRC_NONE;
	if (lrh_present && !eth_present && !vlan_present && !ip && !udp_present)
		b->kind = grh_present ? IBW_ICRC_IB_GLOBAL : IBW_ICRC_IB_LOCAL;
	else if (!lrh_present && ip && udp_present)
		b->kind = ip_version == 4 ? IBW_ICRC_ROCE_V2_IPV4 : IBW_ICRC_ROCE_V2_IPV6;
	else if (!lrh_present && !ip && !udp_present && grh_present)
		b->kind = IBW_ICRC_ROCE_V1;
	b->has_eth = eth_present;
	b->n_vlans = vlan_present;
	b->has_ipoib = false;
	b->payload_len = payload_bytes;
	if (b->kind == IBW_ICRC_NONE || (vlan_present && !eth_present))
		return IBW_BUILD_UD_ARGUMENTS;
	if (lrh_present)
		IBW_FILL(&b->lrh, 0, sizeof(b->lrh));
	if (eth_present)
		IBW_FILL(&b->eth, 0, sizeof(b->eth));
	if (vlan_present)
		IBW_FILL(&b->vlan[0], 0, sizeof(b->vlan[0]));
	if (grh_present && !ip)
		IBW_FILL(&b->grh, 0, sizeof(b->grh));
	if (ip_version == 4)
		IBW_FILL(&b->ipv4, 0, sizeof(b->ipv4));
	if (ip_version == 6)
		IBW_FILL(&b->ipv6, 0, sizeof(b->ipv6));
	if (udp_present) {
		IBW_FILL(&b->udp, 0, sizeof(b->udp));
		b->udp.dport = IBW_UDP_PORT_ROCE;
	}
	IBW_FILL(&b->bth, 0, sizeof(b->bth));
	IBW_FILL(&b->deth, 0, sizeof(b->deth));
	b->immdt.data = 0;
	b->bth.opcode =
		immediate_present ? IBW_OP_UD_SEND_ONLY_WITH_IMMEDIATE : IBW_OP_UD_SEND_ONLY;
	return IBW_BUILD_OK;
}

#endif /* IBWIRE_BUILD_H */
