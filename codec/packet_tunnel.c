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

/* GTP version 1 with a user's packet in it: 3GPP TS 29.281, 5.1 */
#define UDP_PORT_GTP_U 2152
#define GTP_U_PACKET 0xff

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
		return left >= 2 && p[0] >> 4 == 3 && p[1] == GTP_U_PACKET
			       ? unseen(w, IBW_UNSEEN_GTP_U)
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
	uint32_t end;

	if (!pppoe || ibw_pppoe_code(pppoe))
		return NEXT_NOTHING;
	end = w->c.off + ibw_pppoe_length(pppoe);
	if (end <= w->c.end) {
		walk_end(w, end, IBW_LAYER_pppoe);
	} else {
		walk_error_at(w, start, IBW_MALFORMED, IBW_LAYER_pppoe, "length",
			      ibw_pppoe_length(pppoe), w->c.end - w->c.off);
		walk_beyond(w, end, IBW_LAYER_pppoe);
	}
	return ibw_walk_ppp(w);
}
