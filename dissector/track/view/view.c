/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.c - one packet, understood once. */
#include <ibwire/ibwire.h>

#include "view.h"

/* There is room for nothing but Ethernet, IPv4 without options and UDP before it. */
static inline bool is_plain(const struct ibw_packet *pkt)
{
	return pkt->icrc_kind == IBW_ICRC_ROCE_V2_IPV4 && pkt->linktype == IBW_LINKTYPE_ETHERNET &&
	       pkt->span[pkt->bth].off == TRACK_PLAIN_BTH && pkt->outcome == IBW_OK && !pkt->flags;
}

void track_view_packet(struct track_view *view, const uint8_t *data, uint32_t caplen, uint32_t len,
		       uint32_t linktype, const struct ibw_walk_options *options)
{
	view->has_icrc = false;
	view->body = TRACK_BODY_UNKNOWN;
	ibw_packet_walk(&view->pkt, data, caplen, len, linktype, options);
	view->plain = is_plain(&view->pkt);
}

/* A datagram to a group of IPoIB, whatever it begins with. RFC 4391, 4 */
static bool to_ipoib_group(const struct ibw_packet *pkt)
{
	const struct ibw_grh_wire *grh = IBW_AT(pkt, grh);
	const uint8_t *mgid;

	if (pkt->proto != IBW_PROTO_IB || !(pkt->eths & IBW_ETH_DETH) || !grh ||
	    pkt->payload_len < ibw_ipoib_BYTES)
		return false;
	mgid = ibw_grh_dgid(grh);
	return ibw_gid_is_multicast(mgid) && (ibw_mgid_signature(mgid) == IBW_MGID_IPOIB_IPV4 ||
					      ibw_mgid_signature(mgid) == IBW_MGID_IPOIB_IPV6);
}

void track_view_datagram(struct track_view *view)
{
	const struct ibw_packet *pkt = &view->pkt;

	if (view->body != TRACK_BODY_UNKNOWN)
		return;
	view->body = TRACK_BODY_NONE;
	if (track_is_mad(pkt)) {
		view->body = TRACK_BODY_MAD;
		track_mad_walk(&view->mad, pkt);
	} else if (ibw_packet_is_ipoib(pkt) || to_ipoib_group(pkt)) {
		track_view_set_ipoib(view);
	}
}

const struct ibw_packet *track_view_ipoib(struct track_view *view)
{
	if (view->pkt.proto == IBW_PROTO_IPOIB)
		return &view->pkt;
	if (view->pkt.eths & IBW_ETH_DETH)
		track_view_datagram(view);
	return view->body == TRACK_BODY_IPOIB ? &view->ipoib : NULL;
}

void track_view_set_ipoib(struct track_view *view)
{
	view->body = TRACK_BODY_IPOIB;
	ibw_packet_walk_ipoib(&view->ipoib, &view->pkt);
}
