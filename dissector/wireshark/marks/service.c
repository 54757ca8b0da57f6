/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service.c - which upper layer a connection carries, as the service ID of its CM exchange says.
 *
 * Upper layers tell payloads by what they look like, and more than one takes what is not its
 * own: RDS for RPC over RDMA. Where the service is known, no other is asked.
 */
#include <string.h>

#include <ibwire/cm.h>
#include <ibwire/packet.h>

#include "service.h"
#include "decode_as.h"
#include "rpc.h"
#include "wireshark/packet/frame.h"

#include <epan/dissectors/packet-infiniband.h>
#include <epan/exceptions.h>

#define ENTRIES_MAX 32

/* By the port; filter is the upper layer's, NULL: Wireshark has none. */
static const struct service {
	uint16_t port;
	const char *filter;
	bool counts; /* fragments of WRITEs and READ responses, by their PSNs */
} services[] = {
	{ IBW_CM_PORT_SMB_DIRECT, "smb_direct", false },
	{ IBW_CM_PORT_SMB_DIRECT_IWARP, "smb_direct", false },
	{ IBW_CM_PORT_ISER, "iser", false },
	{ IBW_CM_PORT_NVME, "nvme-rdma", false },
	{ IBW_CM_PORT_NVME_DISCOVERY, "nvme-rdma", false },
	{ IBW_CM_PORT_NFS, "rpcordma", true },
	{ IBW_CM_PORT_RDS, NULL, false },
	{ IBW_CM_PORT_RDS_IPV4, NULL, false },
};

static wmem_map_t *of_reply; /* number of the frame of a REP -> its service ID */

void iw_service_init(void)
{
	of_reply = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
}

void iw_service_cleanup(void)
{
	of_reply = NULL;
}

void iw_service_keep(uint32_t frame, uint64_t service_id)
{
	uint64_t *kept = wmem_new(wmem_file_scope(), uint64_t);

	*kept = service_id;
	wmem_map_insert(of_reply, GUINT_TO_POINTER(frame), kept);
}

static const struct service *service_by_filter(const char *filter)
{
	unsigned int i;

	for (i = 0; i < array_length(services); i++)
		if (services[i].filter && strcmp(services[i].filter, filter) == 0)
			return &services[i];
	return NULL;
}

static const struct service *service_by_port(uint16_t port)
{
	unsigned int i;

	for (i = 0; i < array_length(services); i++)
		if (services[i].port == port)
			return &services[i];
	return NULL;
}

/* What the user says, else the CM. */
static const struct service *service_of(const struct iw_frame *frame, packet_info *pinfo)
{
	const char *chosen = iw_decode_as(pinfo);
	uint64_t rep = frame->context.sender.frame;
	const uint64_t *id =
		rep && of_reply ? wmem_map_lookup(of_reply, GUINT_TO_POINTER((uint32_t)rep)) : NULL;
	struct ibw_sid parts;

	if (chosen)
		return service_by_filter(chosen);
	if (!id)
		return NULL;
	parts = ibw_sid_split(*id);
	if (parts.port_space != IBW_RDMA_PS_TCP)
		return NULL;
	return service_by_port(parts.port);
}

bool iw_service_known(const struct iw_frame *frame, packet_info *pinfo)
{
	return service_of(frame, pinfo) != NULL;
}

bool iw_service_counts(const struct iw_frame *frame, packet_info *pinfo, uint8_t opcode)
{
	const struct service *service = service_of(frame, pinfo);

	return service && service->counts && opcode > IBW_OP_RC_SEND_ONLY_WITH_IMMEDIATE &&
	       opcode <= IBW_OP_RC_RDMA_READ_RESPONSE_ONLY;
}

/* Whoever reads whole messages only; RPC over RDMA reassembles what it needs, others read the first. */
#define WHOLE_ONLY "smb_direct"
/* Whoever takes what is not its own. */
#define RPC "rpcordma"

struct others {
	const char *filter;
	bool but; /* the one of that filter instead */
	heur_dtbl_entry_t *entry[ENTRIES_MAX];
	unsigned int count;
};

static void switch_off(const char *table, heur_dtbl_entry_t *entry, void *data)
{
	struct others *off = data;
	const char *filter = proto_get_protocol_filter_name(proto_get_id(entry->protocol));

	(void)table;
	if (!entry->enabled || off->count == ENTRIES_MAX ||
	    (strcmp(filter, off->filter) == 0) != off->but)
		return;
	entry->enabled = false;
	off->entry[off->count++] = entry;
}

/* Tries all but those in @off. */
static bool try_others(struct others *off, heur_dissector_list_t list, tvbuff_t *tvb,
		       packet_info *pinfo, proto_tree *tree, void *info)
{
	const bool rpc = !off->but && strcmp(off->filter, RPC) == 0;
	volatile bool taken = false, visited = pinfo->fd->visited;
	heur_dtbl_entry_t *entry;

	heur_dissector_table_foreach("infiniband.payload", switch_off, off);
	TRY
	{
		if (rpc)
			visited = iw_rpc_first_look(list, tvb, pinfo, info);
		taken = dissector_try_heuristic(list, tvb, pinfo, tree, &entry, info);
	}
	FINALLY
	{
		pinfo->fd->visited = visited;
		while (off->count)
			off->entry[--off->count]->enabled = true;
	}
	ENDTRY;
	return taken;
}

/* The same of what the user chose, to which the conversation says that it is. */
static bool try_chosen(const struct service *service, struct others *off,
		       heur_dissector_list_t list, tvbuff_t *tvb, packet_info *pinfo,
		       proto_tree *tree, void *info)
{
	volatile bool taken = false;
	struct iw_told told;

	iw_decode_as_begin(&told, pinfo, tvb, info, service->port);
	TRY
	{
		taken = try_others(off, list, tvb, pinfo, tree, info);
	}
	FINALLY
	{
		iw_decode_as_end(&told);
	}
	ENDTRY;
	return taken;
}

bool iw_service_exported(uint16_t port, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
			 struct infinibandinfo *info)
{
	const struct service *service = service_by_port(port);
	struct others off = { .filter = service ? service->filter : NULL };
	heur_dissector_list_t list = find_heur_dissector_list("infiniband.payload");

	return off.filter && try_chosen(service, &off, list, tvb, pinfo, tree, info);
}

uint16_t iw_service_of_port(uint16_t port)
{
	const struct service *service = service_by_port(port);

	return service && service->filter ? port : 0;
}

uint16_t iw_service_port(const struct iw_frame *frame, packet_info *pinfo)
{
	const struct service *service = service_of(frame, pinfo);

	return service && service->filter ? service->port : 0;
}

/*
 * Where nobody says whose message it is. A reply of RPC over RDMA without its data is first offered to RPC over RDMA, which
 * otherwise has it unless it could not read it.
 */
static bool try_all(heur_dissector_list_t list, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
		    struct infinibandinfo *info)
{
	struct others off = { .filter = RPC };
	heur_dtbl_entry_t *entry;

	if (iw_rpc_is_reduced(tvb, info->opCode) && try_others(&off, list, tvb, pinfo, tree, info))
		return true;
	if (iw_rpc_has_headers(tvb, info->opCode))
		return dissector_try_heuristic(list, tvb, pinfo, tree, &entry, info);
	off.but = true;
	return try_others(&off, list, tvb, pinfo, tree, info);
}

bool iw_service_try(const struct iw_frame *frame, heur_dissector_list_t list, tvbuff_t *tvb,
		    packet_info *pinfo, proto_tree *tree, void *info, bool part)
{
	const struct service *service = service_of(frame, pinfo);
	struct others off = { .filter = WHOLE_ONLY, .but = true };

	if (service && (!service->filter || (part && strcmp(service->filter, WHOLE_ONLY) == 0)))
		return false;
	if (!service && !part)
		return try_all(list, tvb, pinfo, tree, info);
	if (service)
		off = (struct others){ .filter = service->filter };
	if (service && iw_decode_as(pinfo))
		return try_chosen(service, &off, list, tvb, pinfo, tree, info);
	return try_others(&off, list, tvb, pinfo, tree, info);
}
