/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frame.c - the view of the frame Wireshark is dissecting. */
#include <string.h>

#include <ibwire/ibwire.h>

#include "frame.h"
#include "wireshark/base/proto.h"
#include "wireshark/base/prefs.h"
#include "track/track.h"
#include "track/view/icmp.h"

/* Whether the first that has dissected anything of the frame is InfiniBand's, the built-in or ours. */
static bool begins_with_infiniband(packet_info *pinfo)
{
	wmem_list_frame_t *layer = wmem_list_head(pinfo->layers);
	const char *name;

	for (; layer; layer = wmem_list_frame_next(layer)) {
		name = proto_get_protocol_filter_name(GPOINTER_TO_INT(wmem_list_frame_data(layer)));
		if (strcmp(name, "frame") != 0 && strcmp(name, "user_dlt") != 0)
			return strcmp(name, "infiniband") == 0 || strcmp(name, "ibwire") == 0;
	}
	return false;
}

/* The link type the file had, from what Wireshark made of it; 0: none we know. */
static uint32_t linktype_of(packet_info *pinfo)
{
	int encap = pinfo->rec->rec_header.packet_header.pkt_encap;

	switch (encap) {
	case WTAP_ENCAP_ETHERNET:
		return IBW_LINKTYPE_ETHERNET;
	case WTAP_ENCAP_RAW_IP:
		return IBW_LINKTYPE_RAW;
	case WTAP_ENCAP_RAW_IP4:
		return IBW_LINKTYPE_IPV4;
	case WTAP_ENCAP_RAW_IP6:
		return IBW_LINKTYPE_IPV6;
	case WTAP_ENCAP_SLL:
		return IBW_LINKTYPE_SLL;
	case WTAP_ENCAP_SLL2:
		return IBW_LINKTYPE_SLL2;
	case WTAP_ENCAP_ERF:
		return IBW_LINKTYPE_ERF;
	case WTAP_ENCAP_IP_OVER_IB_PCAP:
		return IBW_LINKTYPE_IPOIB;
	case WTAP_ENCAP_INFINIBAND:
		return IBW_LINKTYPE_INFINIBAND;
	default:
		break;
	}
	/* A user link type that the user has said is InfiniBand: what he does for 247. */
	if (encap >= WTAP_ENCAP_USER0 && encap <= WTAP_ENCAP_USER15 &&
	    begins_with_infiniband(pinfo))
		return IBW_LINKTYPE_INFINIBAND;
	return 0;
}

#define ERF_TYPE_MORE 0x80u /* an extension header follows */
#define ERF_TYPE_MASK 0x7fu

static bool erf_is_ethernet(uint8_t type)
{
	switch (type & ERF_TYPE_MASK) {
	case IBW_ERF_ETH:
	case IBW_ERF_COLOR_ETH:
	case IBW_ERF_DSM_COLOR_ETH:
	case IBW_ERF_COLOR_HASH_ETH:
		return true;
	default:
		return false;
	}
}

/* The header of the ERF record as it was in the file; returns its bytes, at most @max. */
static unsigned int erf_head(packet_info *pinfo, uint8_t *p, unsigned int max)
{
	const struct erf_mc_phdr *erf = &pinfo->pseudo_header->erf;
	unsigned int n = ibw_erf_BYTES, i = 0;
	uint8_t type = erf->phdr.type;
	uint64_t ext;

	/* IBW_HDR erf: the time stamp is little-endian, the rest is not. */
	for (i = 0; i < 8; i++)
		p[i] = (uint8_t)(erf->phdr.ts >> 8 * i);
	p[8] = erf->phdr.type;
	p[9] = erf->phdr.flags;
	ibw_put_be16(p + 10, erf->phdr.rlen);
	ibw_put_be16(p + 12, erf->phdr.lctr);
	ibw_put_be16(p + 14, erf->phdr.wlen);
	for (i = 0; type & ERF_TYPE_MORE && i < MAX_ERF_EHDR && n + 8 <= max; i++, n += 8) {
		ext = erf->ehdr_list[i].ehdr;
		ibw_put_be64(p + n, ext);
		type = (uint8_t)(ext >> 56);
	}
	if (erf_is_ethernet(erf->phdr.type) && n + 2 <= max) {
		p[n++] = erf->subhdr.eth_hdr.offset;
		p[n++] = erf->subhdr.eth_hdr.pad;
	}
	return n;
}

/* The record as it was in the file, for the walk; Wireshark has taken its header off. */
static const uint8_t *erf_record(struct iw_frame *frame, packet_info *pinfo, uint32_t caplen)
{
	uint8_t *p = wmem_alloc_array(pinfo->pool, uint8_t,
				      ibw_erf_BYTES + 8 * MAX_ERF_EHDR + 2 + caplen);

	frame->head = erf_head(pinfo, p, ibw_erf_BYTES + 8 * MAX_ERF_EHDR + 2);
	tvb_memcpy(frame->tvb, p + frame->head, 0, caplen);
	frame->head_tvb = tvb_new_child_real_data(frame->tvb, p, frame->head, (int)frame->head);
	return p;
}

static struct iw_frame *new_frame(tvbuff_t *tvb, packet_info *pinfo, int base)
{
	struct iw_frame *frame = wmem_new(pinfo->pool, struct iw_frame);

	frame->tvb = tvb;
	frame->head = 0;
	frame->base = base;
	frame->shown = false;
	frame->whole = false;
	frame->told = false;
	frame->lacking = false;
	frame->head_tvb = NULL;
	frame->message = NULL;
	frame->linktype = 0;
	frame->roce_port = 0;
	frame->context = (struct track_context){ 0 };
	return frame;
}

/* @data holds the head of the frame and what is in its tvb. */
static void view(struct iw_frame *frame, const uint8_t *data, uint32_t linktype,
		 const struct ibw_walk_options *options)
{
	uint32_t caplen = tvb_captured_length_remaining(frame->tvb, (int)frame->base);
	uint32_t len = tvb_reported_length_remaining(frame->tvb, (int)frame->base);

	frame->linktype = linktype;
	track_view_packet(&frame->view, data, caplen + frame->head, len + frame->head, linktype,
			  options);
}

static struct iw_frame *view_tvb(tvbuff_t *tvb, packet_info *pinfo, uint32_t linktype, int base,
				 uint16_t roce_port)
{
	struct ibw_walk_options options = { iw_prefs.lint.roce_ports, iw_prefs.lint.n_roce_ports };
	uint32_t caplen = tvb_captured_length_remaining(tvb, base);
	struct iw_frame *frame = new_frame(tvb, pinfo, base);
	const uint8_t *data;

	frame->roce_port = roce_port;
	if (roce_port)
		options = (struct ibw_walk_options){ &roce_port, 1 };
	if (linktype == IBW_LINKTYPE_ERF)
		data = erf_record(frame, pinfo, caplen);
	else
		data = tvb_get_ptr(tvb, base, (int)caplen);
	view(frame, data, linktype, &options);
	return frame;
}

struct iw_frame *iw_frame_walk(tvbuff_t *tvb, packet_info *pinfo, uint32_t linktype, int base,
			       uint16_t roce_port)
{
	return view_tvb(tvb, pinfo, linktype, base, roce_port);
}

struct iw_frame *iw_frame_walk_grh(tvbuff_t *tvb, packet_info *pinfo, int base)
{
	uint32_t caplen = tvb_captured_length_remaining(tvb, base);
	struct iw_frame *frame = new_frame(tvb, pinfo, base);
	uint8_t *p = wmem_alloc0_array(pinfo->pool, uint8_t, ibw_eth_BYTES + caplen);

	ibw_eth_set_type((struct ibw_eth_wire *)p, IBW_ETHERTYPE_ROCE);
	tvb_memcpy(tvb, p + ibw_eth_BYTES, base, caplen);
	frame->head = ibw_eth_BYTES;
	frame->head_tvb = tvb_new_child_real_data(tvb, p, frame->head, (int)frame->head);
	view(frame, p, IBW_LINKTYPE_ETHERNET, NULL);
	return frame;
}

struct iw_frame *iw_frame_quoted(const struct iw_frame *frame, packet_info *pinfo,
				 const struct track_icmp *icmp)
{
	struct iw_frame *quoted;
	tvbuff_t *tvb;
	int at;

	tvb = iw_frame_tvb(frame, icmp->off + TRACK_ICMP_BYTES, &at);
	quoted = new_frame(tvb, pinfo, at);
	quoted->view = (struct track_view){ .pkt = icmp->quoted };
	return quoted;
}

/*
 * Link type 247 in a pcapng is one Wireshark does not know, and it does not say which. A right
 * CRC where an InfiniBand packet has one is no accident.
 */
static bool is_infiniband(struct iw_frame *frame)
{
	return track_view_icrc(&frame->view).status == IBW_CRC_GOOD ||
	       ibw_packet_vcrc(&frame->view.pkt).status == IBW_CRC_GOOD;
}

/* NULL: nothing we know. */
static struct iw_frame *view_frame(tvbuff_t *tvb, packet_info *pinfo)
{
	uint32_t linktype = linktype_of(pinfo);
	struct iw_frame *frame;

	/* Of an ERF record Wireshark has the header, whatever was captured after it. */
	if (linktype != IBW_LINKTYPE_ERF && tvb_captured_length(tvb) == 0)
		return NULL;
	if (linktype)
		return view_tvb(tvb, pinfo, linktype, 0, 0);
	if (pinfo->rec->rec_header.packet_header.pkt_encap != WTAP_ENCAP_UNKNOWN)
		return NULL;
	frame = view_tvb(tvb, pinfo, IBW_LINKTYPE_INFINIBAND, 0, 0);
	return is_infiniband(frame) ? frame : NULL;
}

struct iw_frame *iw_frame_open(tvbuff_t *tvb, packet_info *pinfo, bool *is_new)
{
	struct iw_frame *frame = p_get_proto_data(pinfo->pool, pinfo, iw_proto, 0);

	*is_new = false;
	if (frame)
		return frame;
	if (pinfo->rec->rec_type != REC_TYPE_PACKET)
		return NULL;
	frame = view_frame(tvb, pinfo);
	if (!frame)
		return NULL;
	frame->whole = true;
	p_add_proto_data(pinfo->pool, pinfo, iw_proto, 0, frame);
	*is_new = true;
	return frame;
}

bool iw_frame_is_rdma(const struct iw_frame *frame, unsigned int *first)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	unsigned int i;

	switch ((enum ibw_proto)pkt->proto) {
	case IBW_PROTO_ROCEV1:
	case IBW_PROTO_ROCEV2:
	case IBW_PROTO_IB:
	case IBW_PROTO_IPOIB:
		break;
	default:
		return false;
	}
	for (i = 0; i < pkt->n_spans; i++) {
		switch (pkt->span[i].layer) {
		case IBW_LAYER_lrh:
		case IBW_LAYER_linkpkt:
		case IBW_LAYER_grh:
		case IBW_LAYER_bth:
		case IBW_LAYER_ipoib_area:
			*first = i;
			return true;
		case IBW_LAYER_sll: /* IPoIB after it has no header of ours */
		case IBW_LAYER_sll2:
			if (pkt->proto == IBW_PROTO_IPOIB)
				return false;
			break;
		default:
			break;
		}
	}
	*first = pkt->n_spans;
	return pkt->outcome == IBW_CUT || pkt->outcome == IBW_MALFORMED;
}

bool iw_frame_is_main(const struct iw_frame *frame, packet_info *pinfo)
{
	const struct iw_frame *whole =
		frame->whole ? frame : p_get_proto_data(pinfo->pool, pinfo, iw_proto, 0);

	return frame == whole || !whole || whole->view.pkt.bth == IBW_NO_SPAN;
}

tvbuff_t *iw_frame_tvb(const struct iw_frame *frame, uint32_t off, int *at)
{
	if (off < frame->head) {
		*at = (int)off;
		return frame->head_tvb;
	}
	*at = (int)(off - frame->head + frame->base);
	return frame->tvb;
}
