/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * takeover.c - dissectors in the place of the built-in ones.
 *
 * Wireshark's tables have forwarders: in take-over mode they call ours, else the
 * built-in dissector. They are there whatever the mode, because Decode As cannot be told
 * from the entry it finds. A change of any infiniband preference puts the built-in handle
 * back, so they are put in again when a file is opened.
 */
#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "takeover.h"
#include "wireshark/base/builtin.h"
#include "wireshark/marks/expert.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/hf.h"
#include "wireshark/tree/info.h"
#include "wireshark/marks/pass.h"
#include "wireshark/base/proto.h"
#include "wireshark/base/prefs.h"
#include "wireshark/tree/quoted.h"
#include "wireshark/tree/tree.h"
#include "wireshark/tree/ulp_tree.h"
#include "upper.h"

#include <epan/address_types.h>
#include <epan/etypes.h>

#define UDP_HEADER_BYTES 8

enum framing { ROCE_V2, ROCE_V1, NATIVE_IB, LINK_PACKET, IPOIB_LINK, FRAMINGS };

struct place {
	const char *table;
	uint32_t value;
	enum framing framing;
	dissector_handle_t builtin;
};

static struct place places[] = {
	{ "udp.port", IBW_UDP_PORT_ROCE, ROCE_V2, NULL },
	{ "ethertype", IBW_ETHERTYPE_ROCE, ROCE_V1, NULL },
	{ "wtap_encap", WTAP_ENCAP_INFINIBAND, NATIVE_IB, NULL },
	{ "erf.types.type", IBW_ERF_INFINIBAND, NATIVE_IB, NULL },
	{ "erf.types.type", IBW_ERF_INFINIBAND_LINK, LINK_PACKET, NULL },
	{ "wtap_encap", WTAP_ENCAP_IP_OVER_IB_PCAP, IPOIB_LINK, NULL },
};

static dissector_handle_t handles[FRAMINGS];
static dissector_handle_t forwarders[FRAMINGS];
static dissector_handle_t unknown; /* of no protocol, so that it is not seen as a layer */

static dissector_handle_t builtin_of(enum framing framing)
{
	unsigned int i;

	for (i = 0; i < array_length(places); i++)
		if (places[i].framing == framing)
			return places[i].builtin;
	return NULL;
}

/* The layer a dissector of this framing is handed first; IBW_LAYER_COUNT: one of several. */
static unsigned int first_layer(enum framing framing)
{
	static const uint16_t layers[FRAMINGS] = {
		IBW_LAYER_bth,     IBW_LAYER_grh,        IBW_LAYER_lrh,
		IBW_LAYER_linkpkt, IBW_LAYER_ipoib_area,
	};

	return layers[framing];
}

/* Where in the walk @tvb begins. */
static uint32_t offset_of(const struct iw_frame *frame, tvbuff_t *tvb)
{
	return (uint32_t)tvb_raw_offset(tvb) + frame->head - frame->base;
}

/*
 * The span of the walk that starts where @tvb does, IBW_NO_SPAN if there is none; after the last
 * one, if the capture ends in the layer that starts there.
 */
static unsigned int span_at(const struct iw_frame *frame, tvbuff_t *tvb, enum framing framing)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	uint32_t off = offset_of(frame, tvb);
	unsigned int i;

	if (frame->tvb != tvb_get_ds_tvb(tvb))
		return IBW_NO_SPAN;
	for (i = 0; i < pkt->n_spans; i++)
		if (pkt->span[i].off == off && pkt->span[i].layer == first_layer(framing))
			return i;
	if (pkt->outcome == IBW_CUT && pkt->error.layer == first_layer(framing) &&
	    pkt->error.off == off)
		return pkt->n_spans;
	return IBW_NO_SPAN;
}

/*
 * Where the IP header of a UDP payload at @off of @tvb is: the walk over the frame has not
 * found it, so it is inside something that only Wireshark knows. Negative: nowhere.
 */
static int ip_before(tvbuff_t *tvb, int off)
{
	int ihl;

	off -= UDP_HEADER_BYTES;
	for (ihl = ibw_ipv4_BYTES; ihl <= 60 && ihl <= off; ihl += 4)
		if (iw_u8(tvb, off - ihl) == (0x40 | ihl / 4) &&
		    iw_u8(tvb, off - ihl + 9) == IBW_IP_PROTO_UDP)
			return off - ihl;
	if (off >= (int)ibw_ipv6_BYTES && iw_u8(tvb, off - 40) >> 4 == 6 &&
	    iw_u8(tvb, off - 34) == IBW_IP_PROTO_UDP)
		return off - (int)ibw_ipv6_BYTES;
	return -1;
}

/*
 * A walk of its own for what the walk over the frame did not reach; by Decode As that may be on
 * any port and after any ethertype.
 */
static struct iw_frame *walk_here(tvbuff_t *tvb, packet_info *pinfo, enum framing framing)
{
	tvbuff_t *whole = tvb_get_ds_tvb(tvb);
	int at;

	if (pinfo->flags.in_error_pkt)
		return NULL; /* what an error quotes is no packet of its own */
	switch (framing) {
	case ROCE_V2:
		at = ip_before(whole, tvb_raw_offset(tvb));
		return at < 0 ? NULL
			      : iw_pass_walk(whole, pinfo, IBW_LINKTYPE_RAW, at,
					     (uint16_t)pinfo->destport);
	case ROCE_V1:
		return iw_pass_walk_grh(whole, pinfo, tvb_raw_offset(tvb));
	case NATIVE_IB:
		return iw_pass_walk(tvb, pinfo, IBW_LINKTYPE_INFINIBAND, 0, 0);
	case IPOIB_LINK:
		return iw_pass_walk(tvb, pinfo, IBW_LINKTYPE_IPOIB, 0, 0);
	default:
		return NULL;
	}
}

/* Whether an ICMP error quotes it, and it is shown as that: quoted.c. */
static bool is_quoted(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, struct iw_frame *frame)
{
	return pinfo->flags.in_error_pkt && frame && frame->tvb == tvb_get_ds_tvb(tvb) &&
	       iw_quoted_take(tree, tvb, pinfo, frame, offset_of(frame, tvb));
}

static void set_ib_address(packet_info *pinfo, address *addr, const uint8_t *p, int len)
{
	alloc_address_wmem(pinfo->pool, addr, AT_IB, len, p);
}

/* Under IP the addresses are those of IP; else the GIDs, and the LIDs if there are none. */
static void set_addresses(packet_info *pinfo, const struct ibw_packet *pkt)
{
	const struct ibw_grh_wire *grh;
	const struct ibw_lrh_wire *lrh;

	if (pkt->net != IBW_NO_SPAN && pkt->span[pkt->net].layer == IBW_LAYER_grh) {
		grh = ibw_packet_at(pkt, pkt->net);
		set_ib_address(pinfo, &pinfo->src, ibw_grh_sgid(grh), 16);
		set_ib_address(pinfo, &pinfo->dst, ibw_grh_dgid(grh), 16);
	} else if (pkt->lrh != IBW_NO_SPAN) {
		uint16_t lid[2];

		lrh = ibw_packet_at(pkt, pkt->lrh);
		lid[0] = ibw_lrh_slid(lrh);
		lid[1] = ibw_lrh_dlid(lrh);
		set_ib_address(pinfo, &pinfo->src, (const uint8_t *)&lid[0], 2);
		set_ib_address(pinfo, &pinfo->dst, (const uint8_t *)&lid[1], 2);
	} else {
		return;
	}
	copy_address_shallow(&pinfo->net_src, &pinfo->src);
	copy_address_shallow(&pinfo->net_dst, &pinfo->dst);
}

static void set_columns(packet_info *pinfo, struct iw_frame *frame, enum framing framing)
{
	static const char *const names[FRAMINGS] = { "RoCE v2", "RoCE v1", "InfiniBand",
						     "InfiniBand", "IPoIB" };
	char text[512];
	struct ibw_out out = ibw_out_open(text, sizeof(text));

	col_set_str(pinfo->cinfo, COL_PROTOCOL, names[framing]);
	if (!col_get_writable(pinfo->cinfo, COL_INFO) || !pinfo->cinfo)
		return;
	iw_info(&out, frame);
	ibw_out_close(&out);
	col_add_str(pinfo->cinfo, COL_INFO, text);
	iw_ulp_columns(pinfo, frame);
}

/* Returns the tree that is ours. */
static proto_tree *add_tree(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo,
			    struct iw_frame *frame, unsigned int first)
{
	proto_item *item;

	item = proto_tree_add_item(tree, iw_proto, tvb, 0, -1, ENC_NA);
	iw_title(item, pinfo, frame);
	tree = proto_item_add_subtree(item, iw_ett);
	if (frame->whole) {
		iw_lint_show(tree, pinfo, frame);
		frame->told = true;
	}
	iw_tree_packet(tree, pinfo, frame, first);
	return tree;
}

static int take_over(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data,
		     enum framing framing)
{
	dissector_handle_t builtin = builtin_of(framing);
	struct iw_frame *frame = iw_pass_open(tvb_get_ds_tvb(tvb), pinfo);
	unsigned int first = frame ? span_at(frame, tvb, framing) : IBW_NO_SPAN;
	proto_tree *ours = NULL;

	if (first == IBW_NO_SPAN && is_quoted(tree, tvb, pinfo, frame))
		return MAX((int)tvb_captured_length(tvb), 1);
	if (first == IBW_NO_SPAN) {
		frame = walk_here(tvb, pinfo, framing);
		first = frame ? span_at(frame, tvb, framing) : IBW_NO_SPAN;
	}
	if (first == IBW_NO_SPAN)
		return builtin ? call_dissector_with_data(builtin, tvb, pinfo, tree, data) : 0;
	frame->shown = true;
	set_addresses(pinfo, &frame->view.pkt);
	set_columns(pinfo, frame, framing);
	if (tree)
		ours = add_tree(tree, tvb, pinfo, frame, first);
	if (ours && (framing == ROCE_V2 || framing == ROCE_V1 || framing == NATIVE_IB))
		iw_builtin_name(ours, tvb);
	iw_upper(tree, ours, tvb, pinfo, frame, builtin, data);
	/* 0 would say that it is not ours. */
	return MAX((int)tvb_captured_length(tvb), 1);
}

static int roce_v2(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	return take_over(tvb, pinfo, tree, data, ROCE_V2);
}

static int roce_v1(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	return take_over(tvb, pinfo, tree, data, ROCE_V1);
}

static int native_ib(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	return take_over(tvb, pinfo, tree, data, NATIVE_IB);
}

static int link_packet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	return take_over(tvb, pinfo, tree, data, LINK_PACKET);
}

static int ipoib_link(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	return take_over(tvb, pinfo, tree, data, IPOIB_LINK);
}

/*
 * A link type Wireshark does not know, which may be ours. Where it is not, what Wireshark does
 * where nobody has put himself down for it.
 */
static int unknown_link(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	if (iw_pass_open(tvb_get_ds_tvb(tvb), pinfo))
		return call_dissector_only(handles[NATIVE_IB], tvb, pinfo, tree, data);
	col_set_str(pinfo->cinfo, COL_PROTOCOL, "UNKNOWN");
	col_add_fstr(pinfo->cinfo, COL_INFO, "WTAP_ENCAP = %d", WTAP_ENCAP_UNKNOWN);
	return call_data_dissector(tvb, pinfo, tree);
}

static int forward(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data,
		   enum framing framing)
{
	dissector_handle_t builtin = builtin_of(framing);
	int n = 0;

	/* 0 also where the user has disabled our protocol. */
	if (iw_prefs.mode == IW_TAKE_OVER)
		n = call_dissector_only(handles[framing], tvb, pinfo, tree, data);
	if (n == 0 && builtin)
		n = call_dissector_with_data(builtin, tvb, pinfo, tree, data);
	return n;
}

static int forward_roce_v2(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	return forward(tvb, pinfo, tree, data, ROCE_V2);
}

static int forward_roce_v1(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	return forward(tvb, pinfo, tree, data, ROCE_V1);
}

static int forward_native_ib(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	return forward(tvb, pinfo, tree, data, NATIVE_IB);
}

static int forward_link_packet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	return forward(tvb, pinfo, tree, data, LINK_PACKET);
}

static int forward_ipoib_link(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	return forward(tvb, pinfo, tree, data, IPOIB_LINK);
}

/*
 * What is ours in take-over mode only, except what the user has said otherwise of, by Decode As.
 * These ports were ours when the last file was opened.
 */
static uint16_t further[IW_ROCE_PORTS_MAX];
static unsigned int n_further;

static void claim(void)
{
	dissector_table_t ports = find_dissector_table("udp.port");
	unsigned int i;

	dissector_delete_uint("wtap_encap", WTAP_ENCAP_UNKNOWN, unknown);
	for (i = 0; i < n_further; i++)
		if (!dissector_is_uint_changed(ports, further[i]))
			dissector_delete_uint("udp.port", further[i], handles[ROCE_V2]);
	n_further = 0;
	if (iw_prefs.mode != IW_TAKE_OVER)
		return;
	dissector_add_uint("wtap_encap", WTAP_ENCAP_UNKNOWN, unknown);
	for (i = 0; i < iw_prefs.lint.n_roce_ports; i++) {
		if (dissector_is_uint_changed(ports, iw_prefs.lint.roce_ports[i]))
			continue;
		further[n_further] = iw_prefs.lint.roce_ports[i];
		dissector_add_uint("udp.port", further[n_further++], handles[ROCE_V2]);
	}
}

void iw_takeover_init(void)
{
	dissector_handle_t now;
	unsigned int i;

	for (i = 0; i < array_length(places); i++) {
		struct place *p = &places[i];

		now = dissector_get_uint_handle(find_dissector_table(p->table), p->value);
		if (now == p->builtin &&
		    dissector_get_default_uint_handle(p->table, p->value) == p->builtin)
			dissector_add_uint(p->table, p->value, forwarders[p->framing]);
	}
	claim();
	iw_upper_init();
}

/* Of the built-in protocol in name: it is not to be disabled with ours, nor seen as a layer. */
static dissector_handle_t forwarder_of(const char *name, const char *filter, dissector_t dissect)
{
	int builtin = proto_get_id_by_filter_name("infiniband");

	return create_dissector_handle(dissect, proto_register_protocol_in_name_only(
							name, name, filter, builtin, FT_PROTOCOL));
}

void iw_takeover_register(void)
{
	/* Decode As names a handle by its protocol, so one of each table has that name. */
	handles[ROCE_V2] = create_dissector_handle(roce_v2, iw_proto);
	handles[ROCE_V1] = create_dissector_handle(roce_v1, iw_proto);
	handles[LINK_PACKET] = create_dissector_handle(link_packet, iw_proto);
	handles[IPOIB_LINK] = create_dissector_handle(ipoib_link, iw_proto);
	unknown = create_dissector_handle(unknown_link, -1);
	/* By this name a user link type can be declared to be InfiniBand. */
	handles[NATIVE_IB] = register_dissector("ibwire", native_ib, iw_proto);
	forwarders[ROCE_V2] =
		forwarder_of("RoCE v2 as ibwire is set up", "ibwire_roce_v2", forward_roce_v2);
	forwarders[ROCE_V1] =
		forwarder_of("RoCE v1 as ibwire is set up", "ibwire_roce_v1", forward_roce_v1);
	forwarders[NATIVE_IB] =
		forwarder_of("InfiniBand as ibwire is set up", "ibwire_ib", forward_native_ib);
	forwarders[LINK_PACKET] = forwarder_of("InfiniBand link as ibwire is set up", "ibwire_link",
					       forward_link_packet);
	forwarders[IPOIB_LINK] =
		forwarder_of("IPoIB as ibwire is set up", "ibwire_ipoib", forward_ipoib_link);
}

void iw_takeover_handoff(void)
{
	unsigned int i;

	for (i = 0; i < array_length(places); i++) {
		places[i].builtin =
			dissector_get_default_uint_handle(places[i].table, places[i].value);
		dissector_add_uint(places[i].table, places[i].value, forwarders[places[i].framing]);
	}
	dissector_add_for_decode_as("udp.port", handles[ROCE_V2]);
	dissector_add_for_decode_as("ethertype", handles[ROCE_V1]);
	iw_upper_handoff();
	iw_builtin_handoff();
}
