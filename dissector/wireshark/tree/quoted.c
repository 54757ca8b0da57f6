/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quoted.c - what an ICMP error quotes of a RoCE v2 packet, as far as it goes. */
#include <ibwire/ibwire.h>

#include "quoted.h"
#include "wireshark/base/builtin.h"
#include "wireshark/marks/expert.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/hf.h"
#include "wireshark/packet/layer.h"
#include "wireshark/base/proto.h"
#include "wireshark/base/prefs.h"
#include "track/track.h"
#include "track/view/icmp.h"

bool iw_quoted_find(struct track_icmp *icmp, const struct iw_frame *frame)
{
	const struct ibw_walk_options options = { iw_prefs.lint.roce_ports,
						  iw_prefs.lint.n_roce_ports };

	return frame->view.pkt.proto == IBW_PROTO_OTHER &&
	       track_icmp_quotes(icmp, &frame->view.pkt, &options);
}

/* After the BTH the built-in dissector takes the last bytes quoted for an ICRC. */
void iw_quoted_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		    const struct track_icmp *icmp)
{
	const struct iw_frame *quoted = iw_frame_quoted(frame, pinfo, icmp);
	const struct ibw_packet *pkt = &quoted->view.pkt;
	const char *opcode = pkt->bth == IBW_NO_SPAN ? NULL : ibw_packet_opcode_text(pkt);
	tvbuff_t *tvb;
	unsigned int i;
	int at;

	tvb = iw_frame_tvb(frame, icmp->off, &at);
	tree = proto_item_add_subtree(
		proto_tree_add_string_format(tree, iw_hf[IW_QUOTED], tvb, at, TRACK_ICMP_BYTES,
					     icmp->reason, "Quoted by an ICMP error: %s%s%s",
					     icmp->reason, opcode ? ", " : "",
					     opcode ? opcode : ""),
		iw_ett);
	for (i = pkt->bth; i < pkt->n_spans; i++) /* none without a BTH */
		iw_tree_layer(tree, quoted, &pkt->span[i], NULL, frame->lacking && i == pkt->bth);
}

bool iw_quoted_take(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, struct iw_frame *frame,
		    uint32_t off)
{
	struct track_icmp icmp;
	proto_item *item;

	if (!iw_quoted_find(&icmp, frame) || icmp.quoted.bth == IBW_NO_SPAN ||
	    icmp.off + TRACK_ICMP_BYTES + icmp.quoted.span[icmp.quoted.bth].off != off)
		return false;
	frame->shown = true;
	if (!tree)
		return true;
	item = proto_tree_add_item(tree, iw_proto, tvb, 0, -1, ENC_NA);
	tree = proto_item_add_subtree(item, iw_ett);
	iw_lint_show(tree, pinfo, frame);
	frame->told = true;
	iw_quoted_tree(tree, pinfo, frame, &icmp);
	iw_builtin_name(tree, tvb);
	return true;
}
