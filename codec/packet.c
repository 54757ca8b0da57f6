/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * packet.c - the walk over one packet, from the link layer to the ICRC.
 *
 * The order of the checks is the one safe order: opcode known, headers fit, pad
 * and ICRC fit, only then the size of the payload.
 */
#include <ibwire/tunnel.h>

#include "walk.h"

/* The extension headers by their IBW_ETH_ bit. */
static const struct {
	uint16_t layer;
	uint16_t bytes;
} eth_layers[IBW_ETH_COUNT] = {
	{ IBW_LAYER_dceth, ibw_dceth_BYTES },
	{ IBW_LAYER_dcceth, ibw_dcceth_BYTES },
	{ IBW_LAYER_rdeth, ibw_rdeth_BYTES },
	{ IBW_LAYER_deth, ibw_deth_BYTES },
	{ IBW_LAYER_xrceth, ibw_xrceth_BYTES },
	{ IBW_LAYER_feth, ibw_feth_BYTES },
	{ IBW_LAYER_reth, ibw_reth_BYTES },
	{ IBW_LAYER_atomiceth, ibw_atomiceth_BYTES },
	{ IBW_LAYER_aeth, ibw_aeth_BYTES },
	{ IBW_LAYER_atomicacketh, ibw_atomicacketh_BYTES },
	{ IBW_LAYER_immdt, ibw_immdt_BYTES },
	{ IBW_LAYER_ieth, ibw_ieth_BYTES },
	{ IBW_LAYER_atomicwrite, ibw_atomicwrite_BYTES },
	{ IBW_LAYER_cnp, ibw_cnp_BYTES },
};

/* The extension headers of @eths, in wire order, up to the first that is not there. */
static inline void walk_eths(struct walk *w, uint32_t eths)
{
	for (; eths; eths &= eths - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(eths);

		if (!walk_take(w, eth_layers[i].layer, eth_layers[i].bytes))
			return;
		w->pkt->eths |= (uint16_t)(1u << i);
	}
}

/* Where payload, pad and ICRC lie, once the headers after the BTH end at @off. */
static inline void walk_payload(struct walk *w, uint32_t off, uint32_t pad)
{
	struct ibw_packet *pkt = w->pkt;
	uint32_t left = w->c.end - off;

	/* Pad and ICRC are in the last fragment. */
	if (pkt->flags & IBW_PKT_FRAGMENT) {
		walk_rest(w, IBW_LAYER_bth);
		return;
	}
	pkt->payload_off = off;
	if (left < IBW_ICRC_BYTES) {
		walk_error_at(w, pkt->span[pkt->bth].off, IBW_MALFORMED, IBW_LAYER_bth, NULL,
			      IBW_ICRC_BYTES, left);
		return;
	}
	left -= IBW_ICRC_BYTES;
	pkt->icrc_off = w->c.end - IBW_ICRC_BYTES;
	if (pad > left) {
		walk_error_at(w, pkt->span[pkt->bth].off, IBW_MALFORMED, IBW_LAYER_bth, "padcnt",
			      pad, left);
		pad = left;
	}
	pkt->pad_len = pad;
	pkt->payload_len = left - pad;
	if (w->c.end > w->c.cap)
		walk_error(w, IBW_CUT, IBW_LAYER_bth, "payload", w->c.end - off,
			   off < w->c.cap ? w->c.cap - off : 0);
}

/* Of an opcode of RD, at the first byte after the BTH. */
static bool is_dc(const struct walk *w)
{
	return cursor_left(&w->c) && ibw_dc_is(w->pkt->opcode, w->c.p[w->c.off]);
}

uint32_t ibw_packet_eths(const struct ibw_packet *pkt)
{
	if (pkt->flags & IBW_PKT_DC)
		return ibw_dc_eths(pkt->opcode, ibw_bth_se(IBW_KNOWN(pkt, bth)));
	return ibw_opcodes[pkt->opcode].eths;
}

static void walk_bth(struct walk *w, uint8_t icrc_kind)
{
	struct ibw_packet *pkt = w->pkt;
	const struct ibw_bth_wire *bth = (const struct ibw_bth_wire *)(w->c.p + w->c.off);
	const struct ibw_opcode_row *row;
	uint32_t after, eths;

	if (!walk_need(w, IBW_LAYER_bth, ibw_bth_BYTES))
		return;
	pkt->opcode = ibw_bth_opcode(bth);
	pkt->icrc_kind = icrc_kind;
	row = &ibw_opcodes[pkt->opcode];
	if (!row->text) {
		if (pkt->opcode < IBW_OPCODE_VENDOR_FIRST)
			walk_error(w, IBW_MALFORMED, IBW_LAYER_bth, "opcode", 0, pkt->opcode);
		else
			pkt->flags |= IBW_PKT_VENDOR;
	}
	pkt->bth = walk_span(w, IBW_LAYER_bth, ibw_bth_BYTES);
	after = w->c.off + row->eths_bytes;
	eths = row->eths;
	if (row->eths & IBW_ETH_RDETH && is_dc(w)) {
		pkt->flags |= IBW_PKT_DC;
		eths = ibw_packet_eths(pkt);
		after = w->c.off + IBW_ETHS_BYTES(eths);
	}
	walk_eths(w, eths);
	if (after > w->c.end) {
		pkt->payload_off = w->c.off;
		if (pkt->flags & IBW_PKT_FRAGMENT)
			return;
		walk_error_at(w, pkt->span[pkt->bth].off, IBW_MALFORMED, IBW_LAYER_bth, NULL,
			      after - w->c.off, w->c.end - w->c.off);
		return;
	}
	walk_payload(w, after, ibw_bth_padcnt(bth));
}

static bool is_roce_port(uint16_t port, const struct ibw_walk_options *opt)
{
	unsigned int i;

	if (port == IBW_UDP_PORT_ROCE)
		return true;
	for (i = 0; opt && i < opt->n_roce_ports; i++)
		if (port == opt->roce_ports[i])
			return true;
	return false;
}

static enum walk_next walk_udp(struct walk *w, uint8_t icrc_kind,
			       const struct ibw_walk_options *opt)
{
	struct ibw_packet *pkt = w->pkt;
	uint32_t start = w->c.off, length;
	const struct ibw_udp_wire *udp = WALK_TAKE(w, udp);

	if (!udp)
		return NEXT_NOTHING;
	pkt->udp = walk_last(w);
	if (!is_roce_port(ibw_udp_dport(udp), opt))
		return ibw_walk_udp_tunnel(w, ibw_udp_dport(udp));
	pkt->proto = IBW_PROTO_ROCEV2;
	length = ibw_udp_length(udp);
	if (length != w->c.end - start && !(pkt->flags & IBW_PKT_FRAGMENT)) {
		pkt->flags |= IBW_PKT_LENGTHS;
		if (length < ibw_udp_BYTES || length > w->c.end - start)
			walk_error_at(w, start, IBW_MALFORMED, IBW_LAYER_udp, "length", length,
				      w->c.end - start);
		else
			walk_end(w, start + length, IBW_LAYER_udp);
	}
	pkt->cover_off = pkt->span[pkt->net].off;
	walk_bth(w, icrc_kind);
	return NEXT_NOTHING;
}

static enum walk_next walk_ip(struct walk *w, uint16_t type, const struct ibw_walk_options *opt)
{
	bool v4 = type == IBW_ETHERTYPE_IPV4;
	uint8_t protocol;

	if (!(v4 ? ibw_walk_ipv4(w, &protocol) : ibw_walk_ipv6(w, &protocol)))
		return NEXT_NOTHING;
	if (protocol != IBW_IP_PROTO_UDP)
		return ibw_walk_ip_tunnel(w, protocol);
	return walk_udp(w, v4 ? IBW_ICRC_ROCE_V2_IPV4 : IBW_ICRC_ROCE_V2_IPV6, opt);
}

/* A GRH after ethertype 0x8915 or an LRH. On Ethernet its PayLen is the only length there is. */
static void walk_grh(struct walk *w, uint8_t icrc_kind)
{
	const struct ibw_grh_wire *grh = (const struct ibw_grh_wire *)(w->c.p + w->c.off);
	uint32_t left;

	if (!walk_need(w, IBW_LAYER_grh, ibw_grh_BYTES))
		return;
	if (icrc_kind == IBW_ICRC_ROCE_V1 && ibw_grh_ipver(grh) != IBW_GRH_IPVER) {
		walk_error(w, IBW_MALFORMED, IBW_LAYER_grh, "ipver", IBW_GRH_IPVER,
			   ibw_grh_ipver(grh));
		return;
	}
	w->pkt->net = walk_span(w, IBW_LAYER_grh, ibw_grh_BYTES);
	left = w->c.end - w->c.off;
	if (icrc_kind == IBW_ICRC_ROCE_V1 && ibw_grh_paylen(grh) <= left)
		walk_end(w, w->c.off + ibw_grh_paylen(grh), IBW_LAYER_grh);
	else if (icrc_kind == IBW_ICRC_ROCE_V1 && !(w->pkt->flags & IBW_PKT_FRAGMENT)) {
		walk_error_at(w, w->c.off - ibw_grh_BYTES, IBW_MALFORMED, IBW_LAYER_grh, "paylen",
			      ibw_grh_paylen(grh), left);
		walk_beyond(w, w->c.off + ibw_grh_paylen(grh), IBW_LAYER_grh);
	}
	if (ibw_grh_paylen(grh) != left && icrc_kind == IBW_ICRC_IB_GLOBAL)
		w->pkt->flags |= IBW_PKT_LENGTHS;
	walk_bth(w, icrc_kind);
}

static void walk_mac_control(struct walk *w)
{
	w->pkt->proto = IBW_PROTO_PAUSE;
	if (!walk_need(w, IBW_LAYER_pause, ibw_pause_BYTES))
		return;
	if (ibw_pause_opcode((const struct ibw_pause_wire *)(w->c.p + w->c.off)) ==
	    IBW_MAC_CONTROL_PFC)
		WALK_TAKE(w, pfc);
	else
		WALK_TAKE(w, pause);
	if (w->c.outcome == IBW_OK)
		walk_end(w, w->c.off, IBW_LAYER_pause);
}

/* Deeper stacks of tags do not occur; what is after them is not decoded. */
#define VLANS_MAX 4

static enum walk_next walk_ethertype(struct walk *w, uint16_t type,
				     const struct ibw_walk_options *opt)
{
	const struct ibw_vlan_wire *vlan;
	unsigned int i;

	for (i = 0; i < VLANS_MAX; i++) {
		if (type != IBW_ETHERTYPE_VLAN && type != IBW_ETHERTYPE_QINQ &&
		    type != IBW_ETHERTYPE_QINQ_OLD)
			break;
		vlan = WALK_TAKE(w, vlan);
		if (!vlan)
			return NEXT_NOTHING;
		type = ibw_vlan_type(vlan);
	}
	switch (type) {
	case IBW_ETHERTYPE_IPV4:
	case IBW_ETHERTYPE_IPV6:
		return walk_ip(w, type, opt);
	case IBW_ETHERTYPE_MPLS:
	case IBW_ETHERTYPE_MPLS_MULTICAST:
		return ibw_walk_mpls(w);
	case IBW_ETHERTYPE_PPPOE:
		return ibw_walk_pppoe(w);
	case IBW_ETHERTYPE_MACSEC:
		w->pkt->unseen = IBW_UNSEEN_MACSEC;
		return NEXT_NOTHING;
	case IBW_ETHERTYPE_VLAN:
	case IBW_ETHERTYPE_QINQ:
	case IBW_ETHERTYPE_QINQ_OLD:
		w->pkt->unseen = IBW_UNSEEN_DEPTH;
		return NEXT_NOTHING;
	case IBW_ETHERTYPE_ROCE:
		w->pkt->proto = IBW_PROTO_ROCEV1;
		w->pkt->cover_off = w->c.off;
		walk_grh(w, IBW_ICRC_ROCE_V1);
		return NEXT_NOTHING;
	case IBW_ETHERTYPE_ARP:
		w->pkt->proto = IBW_PROTO_ARP;
		walk_arp(w);
		if (w->c.outcome == IBW_OK)
			walk_end(w, w->c.off, IBW_LAYER_arp);
		return NEXT_NOTHING;
	case IBW_ETHERTYPE_MAC_CONTROL:
		walk_mac_control(w);
		return NEXT_NOTHING;
	default:
		return ibw_walk_other_type(w, type);
	}
}

static enum walk_next walk_eth(struct walk *w, const struct ibw_walk_options *opt)
{
	const struct ibw_eth_wire *eth = WALK_TAKE(w, eth);

	if (!eth)
		return NEXT_NOTHING;
	w->pkt->eth = walk_last(w);
	return walk_ethertype(w, ibw_eth_type(eth), opt);
}

/* The bytes after the outermost length: Ethernet padding, FCS. */
static void walk_trailer(struct walk *w, uint32_t frame_end)
{
	if (w->c.end < frame_end) {
		w->pkt->trailer_off = w->c.end;
		w->pkt->trailer_len = frame_end - w->c.end;
	}
}

/* What tunnels carry, the innermost last: each pass takes headers, of which there is an end. */
static __attribute__((noinline)) void walk_inside(struct walk *w, enum walk_next next,
						  const struct ibw_walk_options *opt)
{
	while (next != NEXT_NOTHING)
		next = next == NEXT_ETHERNET ? walk_eth(w, opt) : walk_ethertype(w, w->type, opt);
}

/* Ethernet and what it carries. */
static void walk_ethernet(struct walk *w, const struct ibw_walk_options *opt)
{
	uint32_t frame_end = w->c.end;
	enum walk_next next = walk_eth(w, opt);

	if (next != NEXT_NOTHING)
		walk_inside(w, next, opt);
	walk_trailer(w, frame_end);
}

/* Where headers start in a plain frame, and the least that it has. */
enum {
	PLAIN_IP = ibw_eth_BYTES,
	PLAIN_UDP = PLAIN_IP + ibw_ipv4_BYTES,
	PLAIN_BTH = PLAIN_UDP + ibw_udp_BYTES,
	PLAIN_MIN = PLAIN_BTH + ibw_bth_BYTES + IBW_ICRC_BYTES
};

/* Its IPv4: version and IHL; what of the word with MF, the offset, TTL and the protocol is not as it likes. */
#define PLAIN_IP_BYTE0 (4 << 4 | ibw_ipv4_BYTES / 4)
#define PLAIN_IP_WORD (ibw_ipv4_mf_AT / 8)
#define PLAIN_IP_MASK 0x3fff00ffu

/*
 * What most frames are: Ethernet without tags, IPv4 without options and no fragment, UDP to RoCE's own port, and
 * lengths that end where the frame does, which was captured whole.
 */
static inline bool is_plain(const uint8_t *p, uint32_t len)
{
	const struct ibw_eth_wire *eth = (const struct ibw_eth_wire *)p;
	const struct ibw_ipv4_wire *ip = (const struct ibw_ipv4_wire *)(p + PLAIN_IP);
	const struct ibw_udp_wire *udp = (const struct ibw_udp_wire *)(p + PLAIN_UDP);

	return ibw_eth_type(eth) == IBW_ETHERTYPE_IPV4 &&
	       ibw_ipv4_total_len(ip) == len - PLAIN_IP && ip->b[0] == PLAIN_IP_BYTE0 &&
	       (ibw_get_be32(ip->b + PLAIN_IP_WORD) & PLAIN_IP_MASK) == IBW_IP_PROTO_UDP &&
	       ibw_get_be32(udp->b + ibw_udp_dport_AT / 8) ==
		       ((uint32_t)IBW_UDP_PORT_ROCE << 16 | (len - PLAIN_UDP));
}

/* What is the same in all of them: as ibw_packet_walk() begins, and header by header. */
static inline void plain_outside(struct ibw_packet *pkt)
{
	static const struct ibw_span outside[] = { { IBW_LAYER_eth, ibw_eth_BYTES, 0 },
						   { IBW_LAYER_ipv4, ibw_ipv4_BYTES, PLAIN_IP },
						   { IBW_LAYER_udp, ibw_udp_BYTES, PLAIN_UDP },
						   { IBW_LAYER_bth, ibw_bth_BYTES, PLAIN_BTH } };

	IBW_COPY(pkt->span, outside, sizeof(outside));
	pkt->linktype = IBW_LINKTYPE_ETHERNET;
	pkt->outcome = IBW_OK;
	pkt->proto = IBW_PROTO_ROCEV2;
	pkt->flags = 0;
	pkt->icrc_kind = IBW_ICRC_ROCE_V2_IPV4;
	pkt->first = 0;
	pkt->unseen = IBW_UNSEEN_NONE;
	pkt->eth = 0;
	pkt->net = 1;
	pkt->udp = 2;
	pkt->bth = 3;
	pkt->lrh = IBW_NO_SPAN;
	pkt->cover_off = PLAIN_IP;
	pkt->vcrc_off = 0;
	pkt->trailer_off = 0;
	pkt->trailer_len = 0;
}

/*
 * Such a frame of @len bytes, in one step what walk_linktype() finds header by header. False: something is odd about its
 * BTH, and nothing was done.
 */
static inline bool walk_plain(struct ibw_packet *pkt, const uint8_t *p, uint32_t len)
{
	const uint8_t opcode = p[PLAIN_BTH];
	const struct ibw_opcode_row *row = &ibw_opcodes[opcode];
	uint32_t off = PLAIN_BTH + ibw_bth_BYTES, after = off + row->eths_bytes, eths;
	uint32_t pad = ibw_bth_padcnt((const struct ibw_bth_wire *)(p + PLAIN_BTH));
	unsigned int n = 4;

	if (!row->text || row->eths & IBW_ETH_RDETH || after + pad + IBW_ICRC_BYTES > len)
		return false;
	plain_outside(pkt);
	for (eths = row->eths; eths; eths &= eths - 1) {
		const struct ibw_span span = { eth_layers[__builtin_ctz(eths)].layer,
					       eth_layers[__builtin_ctz(eths)].bytes, off };

		pkt->span[n++] = span;
		off += span.len;
	}
	pkt->data = p;
	pkt->caplen = len;
	pkt->len = len;
	pkt->opcode = opcode;
	pkt->n_spans = (uint8_t)n;
	pkt->eths = row->eths;
	pkt->payload_off = after;
	pkt->payload_len = len - IBW_ICRC_BYTES - pad - after;
	pkt->pad_len = pad;
	pkt->icrc_off = len - IBW_ICRC_BYTES;
	return true;
}

static void walk_cooked(struct walk *w, uint16_t protocol, const struct ibw_walk_options *opt)
{
	uint32_t frame_end = w->c.end;
	enum walk_next next = walk_ethertype(w, protocol, opt);

	if (next != NEXT_NOTHING)
		walk_inside(w, next, opt);
	walk_trailer(w, frame_end);
}

/* What a device of type @hatype sent or received; Linux has IPoIB devices, whose header is left out. */
static void walk_device(struct walk *w, uint16_t hatype, uint16_t protocol,
			const struct ibw_walk_options *opt)
{
	if (hatype != IBW_ARP_HTYPE_INFINIBAND || !ibw_walk_is_ipoib_type(protocol)) {
		walk_cooked(w, protocol, opt);
		return;
	}
	w->pkt->proto = IBW_PROTO_IPOIB;
	ibw_walk_ipoib_body(w, protocol,
			    w->pkt->linktype == IBW_LINKTYPE_SLL ? IBW_LAYER_sll : IBW_LAYER_sll2);
}

static void walk_raw_ip(struct walk *w, const struct ibw_walk_options *opt)
{
	bool v6 = cursor_left(&w->c) && w->c.p[w->c.off] >> 4 == 6;

	walk_cooked(w, v6 ? IBW_ETHERTYPE_IPV6 : IBW_ETHERTYPE_IPV4, opt);
}

/* PPP, with or without the address and control of HDLC: RFC 1662, 3.1 */
static void walk_ppp_link(struct walk *w, const struct ibw_walk_options *opt)
{
	uint32_t frame_end = w->c.end;

	if (cursor_left(&w->c) >= ibw_ppp_hdlc_BYTES && ibw_get_be16(w->c.p + w->c.off) == 0xff03)
		WALK_TAKE(w, ppp_hdlc);
	walk_inside(w, ibw_walk_ppp(w), opt);
	/* The link of the capture is no tunnel. */
	if (w->pkt->first <= 2)
		w->pkt->flags &= (uint16_t)~IBW_PKT_TUNNEL;
	walk_trailer(w, frame_end);
}

/* A 6-byte flow control packet, as ERF captures them. IBTA vol 1, 7.9.4 */
static void walk_linkpkt(struct walk *w)
{
	w->pkt->proto = IBW_PROTO_IB;
	if (WALK_TAKE(w, linkpkt))
		w->pkt->vcrc_off = w->c.off - IBW_VCRC_BYTES;
}

/* A packet of an IB link: LRH up to the ICRC by PktLen, then the VCRC if it was captured. */
static void walk_ib(struct walk *w)
{
	struct ibw_packet *pkt = w->pkt;
	uint32_t start = w->c.off, frame_end = w->c.end, bytes;
	const struct ibw_lrh_wire *lrh = WALK_TAKE(w, lrh);
	uint8_t protocol;

	pkt->proto = IBW_PROTO_IB;
	if (!lrh)
		return;
	pkt->lrh = walk_last(w);
	pkt->cover_off = start;
	bytes = ibw_lrh_pktlen(lrh) * 4u;
	if (bytes < ibw_lrh_BYTES || bytes > frame_end - start) {
		pkt->flags |= IBW_PKT_LENGTHS;
		walk_error_at(w, start, IBW_MALFORMED, IBW_LAYER_lrh, "pktlen", bytes,
			      frame_end - start);
		if (bytes >= ibw_lrh_BYTES)
			walk_beyond(w, start + bytes, IBW_LAYER_lrh);
	} else {
		walk_end(w, start + bytes, IBW_LAYER_lrh);
		if (frame_end - w->c.end >= IBW_VCRC_BYTES) {
			pkt->vcrc_off = w->c.end;
			pkt->trailer_off = w->c.end + IBW_VCRC_BYTES;
			pkt->trailer_len = frame_end - pkt->trailer_off;
		}
	}
	switch (ibw_lrh_lnh(lrh)) {
	case IBW_LNH_LOCAL:
		walk_bth(w, IBW_ICRC_IB_LOCAL);
		break;
	case IBW_LNH_GLOBAL:
		walk_grh(w, IBW_ICRC_IB_GLOBAL);
		break;
	case IBW_LNH_RAW:
		if (WALK_TAKE(w, rwh))
			walk_rest(w, IBW_LAYER_rwh);
		break;
	default:
		ibw_walk_ipv6(w, &protocol);
		if (pkt->net != IBW_NO_SPAN)
			walk_rest(w, IBW_LAYER_ipv6);
		break;
	}
	/* With all before it there, only the VCRC cannot be checked. */
	if (pkt->vcrc_off && pkt->vcrc_off <= w->c.cap && IBW_VCRC_BYTES > w->c.cap - pkt->vcrc_off)
		walk_error_at(w, start, IBW_CUT, IBW_LAYER_lrh, "vcrc", IBW_VCRC_BYTES,
			      w->c.cap - pkt->vcrc_off);
}

static void walk_erf(struct walk *w, const struct ibw_walk_options *opt)
{
	const struct ibw_erf_wire *erf = WALK_TAKE(w, erf);
	const struct ibw_erf_ext_wire *ext;
	uint32_t inner;
	bool more;
	unsigned int i;

	if (!erf)
		return;
	more = ibw_erf_ext(erf) != 0;
	for (i = 0; more && i < 8; i++) {
		ext = WALK_TAKE(w, erf_ext);
		if (!ext)
			return;
		more = ibw_erf_ext_more(ext) != 0;
	}
	if (more)
		return;
	/* The record may be padded, or cut: its wire length is the packet's own. */
	inner = ibw_erf_wlen(erf);
	switch (ibw_erf_type(erf)) {
	case IBW_ERF_ETH:
	case IBW_ERF_COLOR_ETH:
	case IBW_ERF_DSM_COLOR_ETH:
	case IBW_ERF_COLOR_HASH_ETH:
		if (!walk_need(w, IBW_LAYER_erf, 2))
			return;
		w->c.off += 2;
		walk_end(w, w->c.off + inner, IBW_LAYER_erf);
		walk_ethernet(w, opt);
		break;
	case IBW_ERF_INFINIBAND:
		walk_end(w, w->c.off + inner, IBW_LAYER_erf);
		walk_ib(w);
		break;
	case IBW_ERF_INFINIBAND_LINK:
		walk_end(w, w->c.off + inner, IBW_LAYER_erf);
		walk_linkpkt(w);
		break;
	default:
		break;
	}
}

bool ibw_linktype_known(uint32_t linktype)
{
	switch (linktype) {
	case IBW_LINKTYPE_NULL:
	case IBW_LINKTYPE_ETHERNET:
	case IBW_LINKTYPE_PPP:
	case IBW_LINKTYPE_LOOP:
	case IBW_LINKTYPE_RAW:
	case IBW_LINKTYPE_SLL:
	case IBW_LINKTYPE_ERF:
	case IBW_LINKTYPE_IPV4:
	case IBW_LINKTYPE_IPV6:
	case IBW_LINKTYPE_IPOIB:
	case IBW_LINKTYPE_INFINIBAND:
	case IBW_LINKTYPE_SLL2:
		return true;
	default:
		return false;
	}
}

/* A frame nothing of RDMA was found in is no concern of ours, however broken. */
static enum ibw_outcome walk_outcome(struct walk *w)
{
	if (w->pkt->proto == IBW_PROTO_OTHER && w->c.outcome != IBW_CUT)
		w->c.outcome = IBW_OTHER;
	return walk_done(w);
}

static void walk_linktype(struct walk *w, uint32_t linktype, const struct ibw_walk_options *opt)
{
	const struct ibw_sll_wire *sll;
	const struct ibw_sll2_wire *sll2;

	switch (linktype) {
	case IBW_LINKTYPE_ETHERNET:
		walk_ethernet(w, opt);
		break;
	case IBW_LINKTYPE_SLL:
		sll = WALK_TAKE(w, sll);
		if (sll)
			walk_device(w, ibw_sll_hatype(sll), ibw_sll_protocol(sll), opt);
		break;
	case IBW_LINKTYPE_SLL2:
		sll2 = WALK_TAKE(w, sll2);
		if (sll2)
			walk_device(w, ibw_sll2_hatype(sll2), ibw_sll2_protocol(sll2), opt);
		break;
	case IBW_LINKTYPE_RAW:
		walk_raw_ip(w, opt);
		break;
	case IBW_LINKTYPE_NULL: /* the family has another number on each system: IP says its own */
	case IBW_LINKTYPE_LOOP:
		if (WALK_TAKE(w, loopback))
			walk_raw_ip(w, opt);
		break;
	case IBW_LINKTYPE_PPP:
		walk_ppp_link(w, opt);
		break;
	case IBW_LINKTYPE_IPV4:
		walk_cooked(w, IBW_ETHERTYPE_IPV4, opt);
		break;
	case IBW_LINKTYPE_IPV6:
		walk_cooked(w, IBW_ETHERTYPE_IPV6, opt);
		break;
	case IBW_LINKTYPE_ERF:
		walk_erf(w, opt);
		break;
	case IBW_LINKTYPE_INFINIBAND:
		walk_ib(w);
		break;
	case IBW_LINKTYPE_IPOIB:
		w->pkt->proto = IBW_PROTO_IPOIB;
		if (WALK_TAKE(w, ipoib_area))
			ibw_walk_ipoib(w);
		break;
	default:
		break;
	}
}

/* Any packet, header by header. */
static __attribute__((noinline)) enum ibw_outcome walk(struct ibw_packet *pkt, const void *data,
						       uint32_t caplen, uint32_t len,
						       uint32_t linktype,
						       const struct ibw_walk_options *opt)
{
	struct walk w = walk_of(pkt, (const uint8_t *)data, 0, caplen);

	walk_end(&w, len, IBW_LAYER_COUNT);
	pkt->data = (const uint8_t *)data;
	pkt->caplen = caplen;
	pkt->len = len;
	pkt->linktype = linktype;
	pkt->proto = IBW_PROTO_OTHER;
	pkt->flags = 0;
	pkt->icrc_kind = IBW_ICRC_NONE;
	pkt->opcode = 0;
	pkt->first = 0;
	pkt->unseen = IBW_UNSEEN_NONE;
	pkt->eth = pkt->net = pkt->udp = pkt->bth = pkt->lrh = IBW_NO_SPAN;
	pkt->eths = 0;
	pkt->payload_off = 0;
	pkt->payload_len = 0;
	pkt->pad_len = 0;
	pkt->cover_off = 0;
	pkt->icrc_off = 0;
	pkt->vcrc_off = 0;
	pkt->trailer_off = 0;
	pkt->trailer_len = 0;
	walk_linktype(&w, linktype, opt);
	return walk_outcome(&w);
}

enum ibw_outcome ibw_packet_walk(struct ibw_packet *pkt, const void *data, uint32_t caplen,
				 uint32_t len, uint32_t linktype,
				 const struct ibw_walk_options *opt)
{
	const uint8_t *p = (const uint8_t *)data;

	if (linktype == IBW_LINKTYPE_ETHERNET && caplen >= PLAIN_MIN && len <= caplen &&
	    is_plain(p, caplen) && walk_plain(pkt, p, caplen))
		return IBW_OK;
	return walk(pkt, data, caplen, len < caplen ? caplen : len, linktype, opt);
}
