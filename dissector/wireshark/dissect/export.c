/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.c - messages for File > Export PDUs, and tshark -U: those of services that are known.
 *
 * Upper layers over RDMA read nothing without what the layer below tells them, so each message has that
 * before it, and the exported file names the dissector here: it tells them.
 */
#include <ibwire/ibwire.h>

#include "export.h"
#include "wireshark/base/proto.h"
#include "wireshark/marks/service.h"

#include <epan/packet.h>
#include <epan/dissectors/packet-infiniband.h>
#include <epan/exported_pdu.h>
#include <epan/tap.h>

#define DISSECTOR "ibwire_message"

/* Big-endian: opcode, 1 byte; port of the service, 2; PSN, 4; RETH, 16. */
enum { OPCODE_AT = 0, PORT_AT = 1, PSN_AT = 3, RETH_AT = 7, HEAD_BYTES = 23 };

static int tap = -1;

static int dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	struct infinibandinfo info = { 0 };
	tvbuff_t *message;

	(void)data;
	if (tvb_captured_length(tvb) < HEAD_BYTES)
		return 0;
	info.payload_tree = tree;
	info.opCode = iw_u8(tvb, OPCODE_AT);
	info.packet_seq_num = tvb_get_ntohl(tvb, PSN_AT);
	info.reth_remote_address = tvb_get_ntoh64(tvb, RETH_AT);
	info.reth_remote_key = tvb_get_ntohl(tvb, RETH_AT + 8);
	info.reth_dma_length = tvb_get_ntohl(tvb, RETH_AT + 12);
#if IW_WIRESHARK >= 406
	info.do_rc_send_reassembling = true; /* it is whole: nobody has to ask for that */
#endif
	col_set_str(pinfo->cinfo, COL_PROTOCOL, IW_SHORT_NAME);
	message = tvb_new_subset_remaining(tvb, HEAD_BYTES);
	if (!iw_service_exported(tvb_get_ntohs(tvb, PORT_AT), message, pinfo, tree, &info))
		call_data_dissector(message, pinfo, tree);
	return (int)tvb_captured_length(tvb);
}

void iw_export_register(void)
{
	tap = register_export_pdu_tap("RDMA messages");
	register_dissector(DISSECTOR, dissect, iw_proto);
}

void iw_export(packet_info *pinfo, tvbuff_t *tvb, const struct infinibandinfo *info, uint16_t port)
{
	uint32_t there = tvb_captured_length(tvb);
	exp_pdu_data_t *pdu;
	uint8_t *p;

	if (!port || !have_tap_listener(tap))
		return;
	p = wmem_alloc(pinfo->pool, HEAD_BYTES + (size_t)there);
	p[OPCODE_AT] = info->opCode;
	ibw_put_be16(p + PORT_AT, port);
	ibw_put_be32(p + PSN_AT, info->packet_seq_num);
	ibw_put_be64(p + RETH_AT, info->reth_remote_address);
	ibw_put_be32(p + RETH_AT + 8, info->reth_remote_key);
	ibw_put_be32(p + RETH_AT + 12, info->reth_dma_length);
	tvb_memcpy(tvb, p + HEAD_BYTES, 0, there);
	pdu = export_pdu_create_common_tags(pinfo, DISSECTOR, EXP_PDU_TAG_DISSECTOR_NAME);
	pdu->tvb_captured_length = HEAD_BYTES + there;
	pdu->tvb_reported_length = HEAD_BYTES + tvb_reported_length(tvb);
	pdu->pdu_tvb = tvb_new_child_real_data(tvb, p, pdu->tvb_captured_length,
					       (int)pdu->tvb_reported_length);
	tap_queue_packet(tap, pinfo, pdu);
}
