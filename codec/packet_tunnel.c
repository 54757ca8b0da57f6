/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * packet_tunnel.c - the headers of tunnels and mirrors, up to the packet they carry.
 *
 * Each function takes the headers of one tunnel and says what follows; the walk goes on from there
 * (packet.c), so nothing here calls itself, however deep an input nests.
 */
#include <ibwire/tunnel.h>

#include "walk.h"

/* Deeper label stacks do not occur. */
#define LABELS_MAX 8

/* GTP version 1 with a user's packet in it: 3GPP TS 29.281, 4.4.2, 5.1 */
#define UDP_PORT_GTP_U 2152
#define GTP_U_PACKET 0xff
/* More extension headers do not occur. */
#define GTP_U_EXTENSIONS_MAX 8

/* Ethertypes: IEEE 802.1Q, 9.7; Cisco's is as Wireshark has it */
#define TYPE_ITAG 0x88e7
#define TYPE_CISCO 0x8909
#define CISCO_TAG_ALONE 1

/* LLC before a SNAP header, whose organization is 0 before Ethernet's types: RFC 1042 */
#define LLC_SNAP 0xaaaa03
#define LLC_OF_SLL 4 /* a cooked capture's protocol for LLC, no length: <linux/if_ether.h> */
#define LENGTH_END 1536

/* ESP in UDP begins with an SPI, which is not 0: RFC 3948, 2.1 */
#define UDP_PORT_ESP 4500

/* ERSPAN type III: what the mirrored frame is; draft-foschiano-erspan-03, 4.3 */
#define ERSPAN_ETHERNET 0
#define ERSPAN_IP 2

static enum walk_next unseen(struct walk *w, enum ibw_unseen form)
{
	w->pkt->unseen = (uint8_t)form;
	return NEXT_NOTHING;
}

/* What follows is another packet: nothing that was found so far is a header of it. */
static enum walk_next inside(struct walk *w, enum walk_next next, uint16_t type)
{
	struct ibw_packet *pkt = w->pkt;

	if (w->c.n_spans > SPANS_OUTSIDE_MAX)
		return unseen(w, IBW_UNSEEN_DEPTH);
	/* What the tunnel's header has says nothing of the packet inside. */
	pkt->flags = (uint16_t)((pkt->flags & ~IBW_PKT_IP_OPTIONS) | IBW_PKT_TUNNEL);
	pkt->first = (uint8_t)w->c.n_spans;
	pkt->eth = pkt->net = pkt->udp = IBW_NO_SPAN;
	w->type = type;
	return next;
}

/* The next bytes are an IP header, by its version. */
static enum walk_next inside_ip(struct walk *w, enum ibw_unseen form)
{
	uint8_t version = cursor_left(&w->c) ? w->c.p[w->c.off] >> 4 : 0;

	if (version == 4)
		return inside(w, NEXT_TYPE, IBW_ETHERTYPE_IPV4);
	if (version == 6)
		return inside(w, NEXT_TYPE, IBW_ETHERTYPE_IPV6);
	return unseen(w, form);
}

/* What an ethertype announces inside a tunnel. */
static enum walk_next inside_type(struct walk *w, uint16_t type, enum ibw_unseen form)
{
	switch (type) {
	case IBW_ETHERTYPE_TEB:
		return inside(w, NEXT_ETHERNET, 0);
	case IBW_ETHERTYPE_IPV4:
	case IBW_ETHERTYPE_IPV6:
	case IBW_ETHERTYPE_ARP:
	case IBW_ETHERTYPE_MPLS:
	case IBW_ETHERTYPE_MPLS_MULTICAST:
		return inside(w, NEXT_TYPE, type);
	default:
		return cursor_left(&w->c) ? unseen(w, form) : NEXT_NOTHING;
	}
}

/* ---- GRE and ERSPAN ---- */

/* The mirror cut the frame, so its lengths may say more than there is. */
static void truncated(struct walk *w, bool is)
{
	w->cut = w->cut || is;
}

static enum walk_next erspan2(struct walk *w)
{
	const struct ibw_erspan2_wire *erspan = WALK_TAKE(w, erspan2);

	if (!erspan)
		return NEXT_NOTHING;
	if (ibw_erspan2_version(erspan) != IBW_ERSPAN2_VERSION)
		return unseen(w, IBW_UNSEEN_ERSPAN);
	truncated(w, ibw_erspan2_truncated(erspan));
	return inside(w, NEXT_ETHERNET, 0);
}

static enum walk_next erspan3(struct walk *w)
{
	const struct ibw_erspan3_wire *erspan = WALK_TAKE(w, erspan3);

	if (!erspan)
		return NEXT_NOTHING;
	if (ibw_erspan3_version(erspan) != IBW_ERSPAN3_VERSION)
		return unseen(w, IBW_UNSEEN_ERSPAN);
	if (ibw_erspan3_subheader(erspan) && !WALK_TAKE(w, erspan3_platform))
		return NEXT_NOTHING;
	truncated(w, ibw_erspan3_truncated(erspan));
	if (ibw_erspan3_frame_type(erspan) == ERSPAN_ETHERNET)
		return inside(w, NEXT_ETHERNET, 0);
	if (ibw_erspan3_frame_type(erspan) == ERSPAN_IP)
		return inside_ip(w, IBW_UNSEEN_ERSPAN);
	return unseen(w, IBW_UNSEEN_ERSPAN);
}

/* Type I is a frame right after GRE, without a sequence number. */
enum walk_next ibw_walk_gre(struct walk *w)
{
	const struct ibw_gre_wire *gre = WALK_TAKE(w, gre);
	uint16_t type;

	if (!gre)
		return NEXT_NOTHING;
	if (ibw_gre_version(gre) || ibw_gre_has_routing(gre))
		return unseen(w, IBW_UNSEEN_GRE);
	if ((ibw_gre_has_checksum(gre) && !WALK_TAKE(w, gre_checksum)) ||
	    (ibw_gre_has_key(gre) && !WALK_TAKE(w, gre_key)) ||
	    (ibw_gre_has_seq(gre) && !WALK_TAKE(w, gre_seq)))
		return NEXT_NOTHING;
	type = ibw_gre_protocol(gre);
	if (type == IBW_ETHERTYPE_ERSPAN3)
		return erspan3(w);
	if (type == IBW_ETHERTYPE_ERSPAN2)
		return ibw_gre_has_seq(gre) ? erspan2(w) : inside(w, NEXT_ETHERNET, 0);
	return inside_type(w, type, IBW_UNSEEN_GRE);
}

/* ---- In UDP ---- */

static enum walk_next vxlan(struct walk *w)
{
	return WALK_TAKE(w, vxlan) ? inside(w, NEXT_ETHERNET, 0) : NEXT_NOTHING;
}

static enum walk_next vxlan_gpe(struct walk *w)
{
	const struct ibw_vxlan_gpe_wire *gpe = WALK_TAKE(w, vxlan_gpe);

	if (!gpe)
		return NEXT_NOTHING;
	if (!ibw_vxlan_gpe_next_valid(gpe) || ibw_vxlan_gpe_next(gpe) == IBW_VXLAN_NEXT_ETHERNET)
		return inside(w, NEXT_ETHERNET, 0);
	if (ibw_vxlan_gpe_next(gpe) == IBW_VXLAN_NEXT_IPV4)
		return inside(w, NEXT_TYPE, IBW_ETHERTYPE_IPV4);
	if (ibw_vxlan_gpe_next(gpe) == IBW_VXLAN_NEXT_IPV6)
		return inside(w, NEXT_TYPE, IBW_ETHERTYPE_IPV6);
	return unseen(w, IBW_UNSEEN_VXLAN_GPE);
}

static enum walk_next geneve(struct walk *w)
{
	const struct ibw_geneve_wire *geneve = (const struct ibw_geneve_wire *)(w->c.p + w->c.off);
	uint32_t header;

	if (!walk_need(w, IBW_LAYER_geneve, ibw_geneve_BYTES))
		return NEXT_NOTHING;
	if (ibw_geneve_version(geneve))
		return unseen(w, IBW_UNSEEN_GENEVE);
	header = (uint32_t)ibw_geneve_BYTES + ibw_geneve_opt_len(geneve) * 4u;
	if (!walk_take(w, IBW_LAYER_geneve, header))
		return NEXT_NOTHING;
	return inside_type(w, ibw_geneve_protocol(geneve), IBW_UNSEEN_GENEVE);
}

/*
 * The next @n bytes are all there is, by @field of the header of @layer, which starts at @start; a frame that has
 * less was cut.
 */
static void bounded(struct walk *w, uint32_t n, uint32_t start, uint16_t layer, const char *field)
{
	uint32_t left = w->c.end - w->c.off;

	if (n <= left) {
		walk_end(w, w->c.off + n, layer);
	} else if (!(w->pkt->flags & IBW_PKT_FRAGMENT)) {
		walk_error_at(w, start, IBW_MALFORMED, layer, field, n, left);
		walk_beyond(w, w->c.off + n, layer);
	}
}

/* Whether the extension headers end where there is something left; each says its length and what is next. */
static bool gtp_u_extensions(struct walk *w, uint8_t next)
{
	uint32_t n, i;

	for (i = 0; next && i < GTP_U_EXTENSIONS_MAX; i++) {
		n = cursor_left(&w->c) ? w->c.p[w->c.off] * 4u : 0;
		if (!n || n > cursor_left(&w->c))
			return false;
		next = w->c.p[w->c.off + n - 1];
		w->c.off += n;
	}
	return !next;
}

static enum walk_next gtp_u(struct walk *w)
{
	uint32_t start = w->c.off;
	const struct ibw_gtp_u_wire *gtp = WALK_TAKE(w, gtp_u);
	const struct ibw_gtp_u_more_wire *more;

	if (!gtp)
		return NEXT_NOTHING;
	bounded(w, ibw_gtp_u_length(gtp), start, IBW_LAYER_gtp_u, "length");
	if (ibw_gtp_u_has_ext(gtp) || ibw_gtp_u_has_seq(gtp) || ibw_gtp_u_has_npdu(gtp)) {
		more = WALK_TAKE(w, gtp_u_more);
		if (!more)
			return NEXT_NOTHING;
		if (ibw_gtp_u_has_ext(gtp) && !gtp_u_extensions(w, ibw_gtp_u_more_next(more)))
			return unseen(w, IBW_UNSEEN_GTP_U);
	}
	return inside_ip(w, IBW_UNSEEN_GTP_U);
}

enum walk_next ibw_walk_udp_tunnel(struct walk *w, uint16_t port)
{
	const uint8_t *p = w->c.p + w->c.off;
	uint32_t left = cursor_left(&w->c);
	const struct ibw_vxlan_wire *v = ibw_vxlan_view(p, left);

	switch (port) {
	case IBW_UDP_PORT_VXLAN:
		return vxlan(w);
	case IBW_UDP_PORT_VXLAN_LINUX: /* which others use for other things */
		return v && ibw_vxlan_vni_valid(v) && !ibw_vxlan_rsvd_set(v) ? vxlan(w)
									     : NEXT_NOTHING;
	case IBW_UDP_PORT_VXLAN_GPE:
		return v && ibw_vxlan_vni_valid(v) ? vxlan_gpe(w) : NEXT_NOTHING;
	case IBW_UDP_PORT_GENEVE:
		return geneve(w);
	case UDP_PORT_GTP_U:
		return left >= 2 && p[0] >> 4 == 3 && p[1] == GTP_U_PACKET ? gtp_u(w)
									   : NEXT_NOTHING;
	case UDP_PORT_ESP:
		return left >= 4 && ibw_get_be32(p) ? unseen(w, IBW_UNSEEN_ESP) : NEXT_NOTHING;
	default:
		return NEXT_NOTHING;
	}
}

/* ---- In IP ---- */

enum walk_next ibw_walk_ip_tunnel(struct walk *w, uint8_t protocol)
{
	switch (protocol) {
	case IBW_IP_PROTO_TCP:
		ibw_walk_tcp(w);
		return NEXT_NOTHING;
	case IBW_IP_PROTO_IPV4:
		return inside(w, NEXT_TYPE, IBW_ETHERTYPE_IPV4);
	case IBW_IP_PROTO_IPV6:
		return inside(w, NEXT_TYPE, IBW_ETHERTYPE_IPV6);
	case IBW_IP_PROTO_MPLS:
		return inside(w, NEXT_TYPE, IBW_ETHERTYPE_MPLS);
	case IBW_IP_PROTO_GRE:
		return ibw_walk_gre(w);
	case IBW_IP_PROTO_ESP:
		return unseen(w, IBW_UNSEEN_ESP);
	case IBW_IP_PROTO_AH:
		return unseen(w, IBW_UNSEEN_AH);
	case IBW_IP_PROTO_ETHERIP:
		return unseen(w, IBW_UNSEEN_ETHERIP);
	case IBW_IP_PROTO_L2TP:
		return unseen(w, IBW_UNSEEN_L2TP);
	default:
		return NEXT_NOTHING;
	}
}

/* ---- MPLS and PPP ---- */

/* Whether an Ethernet frame of a type known here may be @n bytes on. */
static bool may_be_frame(const struct walk *w, uint32_t n)
{
	const uint8_t *p = w->c.p + w->c.off;
	uint32_t left = cursor_left(&w->c);
	const struct ibw_eth_wire *eth = left < n ? NULL : ibw_eth_view(p + n, left - n);

	if (!eth)
		return false;
	switch (ibw_eth_type(eth)) {
	case IBW_ETHERTYPE_IPV4:
	case IBW_ETHERTYPE_IPV6:
	case IBW_ETHERTYPE_ARP:
	case IBW_ETHERTYPE_ROCE:
	case IBW_ETHERTYPE_VLAN:
	case IBW_ETHERTYPE_QINQ:
		return true;
	default:
		return false;
	}
}

/* A control word, which begins with 0 where IP has its version: RFC 4385, 3 */
#define CONTROL_WORD 4u

/* No label says what follows the last one: RFC 3032, 2.2; RFC 4928, 2 */
static enum walk_next behind_labels(struct walk *w)
{
	uint8_t version = cursor_left(&w->c) ? w->c.p[w->c.off] >> 4 : 0;

	if (version == 0 && may_be_frame(w, CONTROL_WORD)) {
		w->c.off += CONTROL_WORD;
		return inside(w, NEXT_ETHERNET, 0);
	}
	if (may_be_frame(w, 0))
		return inside(w, NEXT_ETHERNET, 0);
	return inside_ip(w, IBW_UNSEEN_MPLS);
}

enum walk_next ibw_walk_mpls(struct walk *w)
{
	const struct ibw_mpls_wire *mpls;
	unsigned int i;

	for (i = 0; i < LABELS_MAX; i++) {
		mpls = WALK_TAKE(w, mpls);
		if (!mpls)
			return NEXT_NOTHING;
		if (ibw_mpls_bottom(mpls))
			return behind_labels(w);
	}
	return unseen(w, IBW_UNSEEN_DEPTH);
}

/* The link, and its negotiation, are no tunnels; what compresses, encrypts or splits packets is. */
enum walk_next ibw_walk_ppp(struct walk *w)
{
	const struct ibw_ppp_wire *ppp = WALK_TAKE(w, ppp);

	if (!ppp)
		return NEXT_NOTHING;
	switch (ibw_ppp_protocol(ppp)) {
	case IBW_PPP_IPV4:
		return inside(w, NEXT_TYPE, IBW_ETHERTYPE_IPV4);
	case IBW_PPP_IPV6:
		return inside(w, NEXT_TYPE, IBW_ETHERTYPE_IPV6);
	case IBW_PPP_MPLS:
		return inside(w, NEXT_TYPE, IBW_ETHERTYPE_MPLS);
	default:
		return ibw_ppp_protocol(ppp) < 0x8000 ? unseen(w, IBW_UNSEEN_PPP) : NEXT_NOTHING;
	}
}

enum walk_next ibw_walk_pppoe(struct walk *w)
{
	uint32_t start = w->c.off;
	const struct ibw_pppoe_wire *pppoe = WALK_TAKE(w, pppoe);

	if (!pppoe || ibw_pppoe_code(pppoe))
		return NEXT_NOTHING;
	bounded(w, ibw_pppoe_length(pppoe), start, IBW_LAYER_pppoe, "length");
	return ibw_walk_ppp(w);
}

/* ---- In Ethernet ---- */

/* What the header taken last is followed by, as Ethernet's type says; it is no other packet. */
static enum walk_next of_type(struct walk *w, uint16_t type)
{
	if (w->c.n_spans > SPANS_OUTSIDE_MAX)
		return unseen(w, IBW_UNSEEN_DEPTH);
	w->type = type;
	return NEXT_TYPE;
}

static enum walk_next cisco_tag(struct walk *w)
{
	const struct ibw_cisco_tag_wire *tag = WALK_TAKE(w, cisco_tag);

	if (!tag)
		return NEXT_NOTHING;
	if (ibw_cisco_tag_length(tag) != CISCO_TAG_ALONE)
		return unseen(w, IBW_UNSEEN_CISCO);
	return of_type(w, ibw_cisco_tag_type(tag));
}

/* Whether LLC and SNAP are next, and Ethernet's type in them. */
static bool is_snap(const struct walk *w)
{
	const uint8_t *p = w->c.p + w->c.off;

	return cursor_left(&w->c) >= ibw_llc_BYTES + ibw_snap_BYTES &&
	       (ibw_get_be32(p) >> 8) == LLC_SNAP && (ibw_get_be32(p + 3) >> 8) == 0;
}

/* IEEE 802.3, 3.2.6: below 1536 it is a length, and LLC follows. */
static enum walk_next llc(struct walk *w, uint16_t length)
{
	const struct ibw_span *last = &w->pkt->span[walk_last(w)];
	const struct ibw_snap_wire *snap;
	bool cooked = last->layer == IBW_LAYER_sll || last->layer == IBW_LAYER_sll2;

	if (length >= LENGTH_END || ibw_llc_BYTES > cursor_left(&w->c))
		return NEXT_NOTHING;
	if (!is_snap(w) || (cooked && length != LLC_OF_SLL)) {
		WALK_TAKE(w, llc);
		return NEXT_NOTHING;
	}
	if (!cooked)
		bounded(w, length, last->off, last->layer, "type");
	if (!WALK_TAKE(w, llc))
		return NEXT_NOTHING;
	snap = WALK_TAKE(w, snap);
	return snap ? of_type(w, ibw_snap_type(snap)) : NEXT_NOTHING;
}

enum walk_next ibw_walk_other_type(struct walk *w, uint16_t type)
{
	switch (type) {
	case TYPE_ITAG:
		return WALK_TAKE(w, itag) ? inside(w, NEXT_ETHERNET, 0) : NEXT_NOTHING;
	case TYPE_CISCO:
		return cisco_tag(w);
	default:
		return llc(w, type);
	}
}
