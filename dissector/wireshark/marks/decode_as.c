/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode_as.c - what the user says a queue pair or a service ID is for: Decode As, and -d of tshark.
 *
 * Upper layers look up a conversation of the built-in dissector's, which that makes of the CM exchange; where
 * none was captured, here is one made that says what it would.
 */
#include <stdio.h>

#include <ibwire/cm.h>
#include <ibwire/packet.h>

#include "decode_as.h"
#include "wireshark/base/proto.h"
#include "stream.h"

#include <epan/conversation.h>
#include <epan/decode_as.h>
#include <epan/dissectors/packet-infiniband.h>

#define SERVICE_ID_TEXT 19 /* "0x000000000106114d", as ibwire.conn.service_id shows it */

static dissector_table_t by_qp, by_service_id;
static bool any; /* choice was made */

static struct {
	const char *filter; /* the upper layer's */
	dissector_handle_t handle;
} choices[] = {
	{ "iser", NULL }, { "nvme-rdma", NULL }, { "rpcordma", NULL }, { "smb_direct", NULL }
};

/* A handle only says what was chosen. */
static int not_called(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	(void)tvb;
	(void)pinfo;
	(void)tree;
	(void)data;
	return 0;
}

static void qp_prompt(packet_info *pinfo, char *text)
{
	snprintf(text, MAX_DECODE_AS_PROMPT_LEN, "Queue pair 0x%06x as", pinfo->destport);
}

static void *qp_value(packet_info *pinfo)
{
	return GUINT_TO_POINTER(pinfo->destport);
}

static void service_prompt(packet_info *pinfo, char *text)
{
	snprintf(text, MAX_DECODE_AS_PROMPT_LEN, "Service ID 0x%016" G_GINT64_MODIFIER "x as",
		 iw_stream_service(pinfo->num));
}

static void *service_value(packet_info *pinfo)
{
	return wmem_strdup_printf(wmem_file_scope(), "0x%016" G_GINT64_MODIFIER "x",
				  iw_stream_service(pinfo->num));
}

static iw_bool reset_service(const char *table, const void *pattern)
{
	dissector_reset_string(table, pattern);
	return TRUE;
}

static iw_bool change_service(const char *table, const void *pattern, const void *handle,
			      const char *name)
{
	dissector_handle_t chosen = *(const dissector_handle_t *)handle;

	(void)name;
	if (chosen)
		dissector_change_string(table, pattern, chosen);
	else
		dissector_reset_string(table, pattern);
	return TRUE;
}

void iw_decode_as_register(void)
{
	static build_valid_func qp_values[] = { qp_value }, service_values[] = { service_value };
	static decode_as_value_t qps = { qp_prompt, 1, qp_values },
				 services = { service_prompt, 1, service_values };
	static decode_as_t of_qp = {
		"ibwire",
		"ibwire.qp",
		1,
		0,
		&qps,
		NULL,
		NULL,
		decode_as_default_populate_list,
		decode_as_default_reset,
		decode_as_default_change,
		NULL,
	};
	static decode_as_t of_service = {
		"ibwire",
		"ibwire.service_id",
		1,
		0,
		&services,
		NULL,
		NULL,
		decode_as_default_populate_list,
		reset_service,
		change_service,
		NULL,
	};

	by_qp = register_dissector_table("ibwire.qp", "RDMA queue pair", iw_proto, FT_UINT32,
					 BASE_HEX);
	by_service_id = register_dissector_table("ibwire.service_id", "RDMA service ID", iw_proto,
						 FT_STRING, /* letters as they are */ 0);
	register_decode_as(&of_qp);
	register_decode_as(&of_service);
}

void iw_decode_as_handoff(void)
{
	unsigned int i;

	for (i = 0; i < array_length(choices); i++) {
		choices[i].handle = create_dissector_handle(
			not_called, proto_get_id_by_filter_name(choices[i].filter));
		dissector_add_for_decode_as("ibwire.qp", choices[i].handle);
		dissector_add_for_decode_as("ibwire.service_id", choices[i].handle);
	}
}

static void count(const char *table, ftenum_t type, void *key, void *value, void *user)
{
	(void)table;
	(void)type;
	(void)key;
	(void)value;
	*(bool *)user = true;
}

void iw_decode_as_init(void)
{
	any = false;
	dissector_table_foreach("ibwire.qp", count, &any);
	dissector_table_foreach("ibwire.service_id", count, &any);
}

bool iw_decode_as_any(void)
{
	return any;
}

static const char *filter_of(dissector_handle_t handle)
{
	unsigned int i;

	for (i = 0; i < array_length(choices); i++)
		if (handle && choices[i].handle == handle)
			return choices[i].filter;
	return NULL;
}

const char *iw_decode_as(packet_info *pinfo)
{
	uint64_t id = any ? iw_stream_service(pinfo->num) : 0;
	const char *filter =
		any ? filter_of(dissector_get_uint_handle(by_qp, pinfo->destport)) : NULL;
	char text[SERVICE_ID_TEXT];

	if (any && !filter)
		filter = filter_of(dissector_get_uint_handle(by_qp, pinfo->srcport));
	if (filter || !id)
		return filter;
	snprintf(text, sizeof(text), "0x%016" G_GINT64_MODIFIER "x", id);
	return filter_of(dissector_get_string_handle(by_service_id, text));
}

/*
 * NVMe asks which end is the host: that sends commands, of 64 bytes and more, and READ responses; the
 * other one completions, of 16, and it alone has RDMA done.
 */
static bool is_from_client(const struct infinibandinfo *info, unsigned int len)
{
	if (info->opCode >= RC_RDMA_READ_RESPONSE_FIRST &&
	    info->opCode <= RC_RDMA_READ_RESPONSE_ONLY)
		return true;
	if (info->opCode >= RC_RDMA_WRITE_FIRST && info->opCode <= RC_RDMA_READ_REQUEST)
		return false;
	return len != 16;
}

/* Where the private data of a REQ has the queue that a Connect names; 1 stands for one of I/O. */
#define PRIVATE_QID 178
#define CONNECT_QID 42

static void fill(conversation_infiniband_data *data, tvbuff_t *tvb,
		 const struct infinibandinfo *info)
{
	unsigned int len = tvb_reported_length(tvb);

	data->client_to_server = is_from_client(info, len);
	data->mad_private_data[PRIVATE_QID] = 1;
	if (tvb_captured_length(tvb) >= 64 && iw_u8(tvb, 0) == 0x7f && iw_u8(tvb, 4) == 1)
		tvb_memcpy(tvb, &data->mad_private_data[PRIVATE_QID], CONNECT_QID, 2);
}

static conversation_infiniband_data *data_of(const conversation_t *conversation)
{
	static int builtin = -1;

	if (builtin < 0)
		builtin = proto_get_id_by_filter_name("infiniband");
	return conversation ? conversation_get_proto_data(conversation, builtin) : NULL;
}

/* As the built-in dissector does; @mark says that it was done here. */
static void say(conversation_t *conversation, conversation_infiniband_data *data, void *mark)
{
	conversation_add_proto_data(conversation, proto_get_id_by_filter_name("infiniband"), data);
	conversation_add_proto_data(conversation, iw_proto, mark);
}

/* Of the receiver, whoever sends. */
static conversation_t *receiver_of(packet_info *pinfo)
{
	return find_conversation(pinfo->num, &pinfo->dst, &pinfo->dst, CONVERSATION_IBQP,
				 pinfo->destport, pinfo->destport, NO_ADDR_B | NO_PORT_B);
}

/* Of what is sent to the sender. */
static conversation_t *sender_of(packet_info *pinfo)
{
	return find_conversation(pinfo->num, &pinfo->src, &pinfo->src, CONVERSATION_IBQP,
				 pinfo->srcport, pinfo->srcport, NO_ADDR_B | NO_PORT_B);
}

/* The queue of what a host of NVMe sends is asked of what is sent to it, which is made with the first command. */
static void make_sender(packet_info *pinfo, const conversation_infiniband_data *receiver)
{
	conversation_infiniband_data *data;
	conversation_t *sender;

	if (!receiver->client_to_server || sender_of(pinfo))
		return;
	data = wmem_new0(wmem_file_scope(), conversation_infiniband_data);
	memcpy(&data->mad_private_data[PRIVATE_QID], &receiver->mad_private_data[PRIVATE_QID], 2);
	data->src_qp = pinfo->destport;
	sender = conversation_new(pinfo->num, &pinfo->src, &pinfo->src, CONVERSATION_IBQP,
				  pinfo->srcport, pinfo->srcport, NO_ADDR2 | NO_PORT2);
	say(sender, data, data);
}

static void make(packet_info *pinfo, tvbuff_t *tvb, const struct infinibandinfo *info)
{
	conversation_t *receiver = receiver_of(pinfo), *both;
	conversation_infiniband_data *data = data_of(receiver);

	if (data && !conversation_get_proto_data(receiver, iw_proto))
		return; /* the CM made it */
	if (!data) {
		data = wmem_new0(wmem_file_scope(), conversation_infiniband_data);
		fill(data, tvb, info);
		data->src_qp = pinfo->srcport;
		receiver = conversation_new(pinfo->num, &pinfo->dst, &pinfo->dst, CONVERSATION_IBQP,
					    pinfo->destport, pinfo->destport, NO_ADDR2 | NO_PORT2);
		say(receiver, data, data);
		make_sender(pinfo, data);
	}
	both = find_conversation(pinfo->num, &pinfo->src, &pinfo->dst, CONVERSATION_IBQP,
				 pinfo->srcport, pinfo->destport, 0);
	/* Else it is one of either end. */
	if (both && conversation_get_proto_data(both, iw_proto) == both)
		return;
	both = conversation_new(pinfo->num, &pinfo->src, &pinfo->dst, CONVERSATION_IBQP,
				pinfo->srcport, pinfo->destport, 0);
	say(both, data, both);
}

void iw_decode_as_begin(struct iw_told *told, packet_info *pinfo, tvbuff_t *tvb,
			const struct infinibandinfo *info, uint16_t port)
{
	conversation_infiniband_data *data[IW_TOLD];
	unsigned int i;

	if (!pinfo->fd->visited)
		make(pinfo, tvb, info);
	data[0] = data_of(receiver_of(pinfo));
	data[1] = data_of(find_conversation(pinfo->num, &pinfo->src, &pinfo->dst, CONVERSATION_IBQP,
					    pinfo->srcport, pinfo->destport, 0));
	data[2] = data_of(sender_of(pinfo));
	for (i = 0; i < IW_TOLD; i++) {
		told->id[i] = data[i] ? &data[i]->service_id : NULL;
		told->before[i] = data[i] ? data[i]->service_id : 0;
		if (data[i])
			data[i]->service_id = ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, port);
	}
}

void iw_decode_as_end(const struct iw_told *told)
{
	unsigned int i = IW_TOLD;

	while (i-- > 0)
		if (told->id[i])
			*told->id[i] = told->before[i];
}
