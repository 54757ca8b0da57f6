/* SPDX-License-Identifier: GPL-2.0-or-later */
/* object.c - what a MAD is about, read from it, and in words. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "object.h"

/* The number of a port, in the attribute modifier of what is asked of one. */
#define PORT_MASK 0xff

/* The service id of a PathRecord has two bits of the mask. */
#define PATH_SERVICE_ID 3u

#define BIT(rec, field) (1ull << ibw_##rec##_##field##_COMP)

static void route(struct track_object *o, const struct track_mad *m)
{
	uint32_t hops = MIN(ibw_smp_dr_status_hop_cnt(m->dr_status), IBW_SMP_HOPS_MAX);

	if (!m->dr_path)
		return;
	o->kind = TRACK_OBJECT_ROUTE;
	o->agent = track_mad_tid_agent(ibw_mad_tid(m->mad));
	o->by_lid = track_mad_by_lid(m);
	o->n = (uint8_t)hops;
	memcpy(o->b, m->dr_path->b + ibw_smp_dr_path_initial_path_AT / 8 + 1,
	       MIN(hops, TRACK_OBJECT_HOPS));
}

/* A port of the node; 0 is whichever the MAD comes by. */
static void port(struct track_object *o, uint32_t number)
{
	if (!number)
		return;
	o->number = number;
	if (!o->kind)
		o->kind = TRACK_OBJECT_PORT;
}

static void smp(struct track_object *o, const struct track_mad *m)
{
	if (m->dr_status)
		route(o, m);
	if (m->walked.attr && m->walked.attr->id == IBW_ATTR_SM_PORT_INFO)
		port(o, ibw_mad_attr_mod(m->mad) & PORT_MASK);
}

static void path(struct track_object *o, const struct track_mad *m, uint64_t mask)
{
	const struct ibw_path_rec_wire *rec = TRACK_MAD_RECORD(m, 0, path_rec);

	if (!rec)
		return;
	if (mask & BIT(path_rec, dgid)) {
		o->kind = TRACK_OBJECT_PATH;
		memcpy(o->b, ibw_path_rec_dgid(rec), 16);
		o->number = mask & BIT(path_rec, pkey) ? ibw_path_rec_pkey(rec) : 0;
	} else if (mask & BIT(path_rec, dlid)) {
		o->kind = TRACK_OBJECT_PATH_LID;
		o->number = ibw_path_rec_dlid(rec);
	} else if (mask & PATH_SERVICE_ID) {
		o->kind = TRACK_OBJECT_SERVICE;
		o->number = ibw_path_rec_service_id(rec);
	}
}

static void member(struct track_object *o, const struct track_mad *m, uint64_t mask)
{
	const struct ibw_mcmember_rec_wire *rec = TRACK_MAD_RECORD(m, 0, mcmember_rec);

	if (!rec || !(mask & BIT(mcmember_rec, mgid)))
		return;
	o->kind = mask & BIT(mcmember_rec, port_gid) ? TRACK_OBJECT_MEMBER : TRACK_OBJECT_GROUP;
	memcpy(o->b, ibw_mcmember_rec_mgid(rec), 16);
	memcpy(o->b + 16, ibw_mcmember_rec_port_gid(rec), 16);
}

static void inform(struct track_object *o, const struct track_mad *m)
{
	const struct ibw_inform_info_wire *info = TRACK_MAD_RECORD(m, 0, inform_info);

	if (!info || !ibw_inform_info_is_generic(info))
		return;
	o->number = ibw_inform_info_trap_num(info);
	o->kind = o->number == UINT16_MAX ? TRACK_OBJECT_TRAPS : TRACK_OBJECT_TRAP;
}

/* A record that begins with the LID it is about. */
static void of_lid(struct track_object *o, const struct track_mad *m, uint64_t mask)
{
	const uint8_t *rec = track_mad_record(m, 0, sizeof(uint16_t));

	if (!rec || !(mask & 1))
		return;
	o->kind = TRACK_OBJECT_LID;
	o->number = ibw_get_be16(rec);
}

static void sa(struct track_object *o, const struct track_mad *m)
{
	const uint64_t mask = ibw_sa_comp_mask(m->sa);
	const struct ibw_service_rec_wire *service;

	if (!m->walked.attr)
		return;
	switch (m->walked.attr->id) {
	case IBW_ATTR_SA_PATH_REC:
		path(o, m, mask);
		break;
	case IBW_ATTR_SA_MCMEMBER_REC:
		member(o, m, mask);
		break;
	case IBW_ATTR_SA_INFORM_INFO:
		inform(o, m);
		break;
	case IBW_ATTR_SA_SERVICE_REC:
		service = TRACK_MAD_RECORD(m, 0, service_rec);
		if (!service || !(mask & BIT(service_rec, service_id)))
			break;
		o->kind = TRACK_OBJECT_SERVICE;
		o->number = ibw_service_rec_service_id(service);
		break;
	case IBW_ATTR_SA_NODE_REC:
	case IBW_ATTR_SA_PORT_INFO_REC:
		of_lid(o, m, mask);
		break;
	default:
		break;
	}
}

static void counters(struct track_object *o, const struct track_mad *m)
{
	unsigned int i;

	for (i = 0; i < m->walked.n_spans; i++)
		if (m->span[i].layer == IBW_LAYER_port_counters && m->span[i].off + 2 <= m->n)
			port(o, m->p[m->span[i].off + ibw_port_counters_port_select_AT / 8]);
}

void track_object_of(struct track_object *o, const struct track_mad *m)
{
	memset(o, 0, sizeof(*o));
	if (!m->mad || ibw_mad_base_version(m->mad) != IBW_MAD_BASE_VERSION)
		return;
	if (track_mad_is_smp(m))
		smp(o, m);
	else if (track_mad_is_sa(m) && m->sa)
		sa(o, m);
	else if (ibw_mad_mgmt_class(m->mad) == IBW_CLASS_PERF)
		counters(o, m);
}

void track_put_name(struct ibw_out *out, const char *name)
{
	if (!*name)
		return;
	ibw_out_str(out, " (");
	ibw_out_str(out, name);
	ibw_out_char(out, ')');
}

/* "0,1,9,5" */
static void put_route(struct ibw_out *out, const struct track_object *o, const char *name)
{
	unsigned int i;

	ibw_out_str(out, " by route 0");
	for (i = 0; i < o->n && i < TRACK_OBJECT_HOPS; i++) {
		ibw_out_char(out, ',');
		ibw_out_dec(out, o->b[i]);
	}
	if (o->n > TRACK_OBJECT_HOPS)
		ibw_out_str(out, ",...");
	track_put_name(out, name);
	if (!o->number)
		return;
	ibw_out_str(out, ", port ");
	ibw_out_dec(out, o->number);
}

static void put_hex(struct ibw_out *out, const char *what, uint64_t number, unsigned int digits)
{
	ibw_out_str(out, what);
	ibw_out_hex(out, number, digits);
}

static void put_gid(struct ibw_out *out, const char *what, const uint8_t *gid)
{
	ibw_out_str(out, what);
	ibw_out_ipv6(out, gid);
}

/* " of 10.0.0.2" */
static void put_address(struct ibw_out *out, const uint8_t *address)
{
	if (!address)
		return;
	ibw_out_str(out, " of ");
	if (ibw_gid_is_ipv4(address))
		ibw_out_ipv4(out, ibw_get_be32(address + 12));
	else
		ibw_out_ipv6(out, address);
}

static void put(struct ibw_out *out, const struct track_object *o, const char *name,
		const uint8_t *address)
{
	switch (o->kind) {
	case TRACK_OBJECT_ROUTE:
		put_route(out, o, name);
		break;
	case TRACK_OBJECT_PORT:
		ibw_out_str(out, " of port ");
		ibw_out_dec(out, o->number);
		break;
	case TRACK_OBJECT_PATH:
		put_gid(out, " for the path to ", o->b);
		track_put_name(out, name);
		put_address(out, address);
		if (o->number)
			put_hex(out, " with P_Key ", o->number, 4);
		break;
	case TRACK_OBJECT_PATH_LID:
		put_hex(out, " for the path to LID ", o->number, 4);
		track_put_name(out, name);
		break;
	case TRACK_OBJECT_MEMBER:
		put_gid(out, " of port ", o->b + 16);
		track_put_name(out, name);
		put_gid(out, " for group ", o->b);
		break;
	case TRACK_OBJECT_GROUP:
		put_gid(out, " for group ", o->b);
		break;
	case TRACK_OBJECT_SERVICE:
		put_hex(out, " for service ", o->number, 16);
		break;
	case TRACK_OBJECT_LID:
		put_hex(out, " for LID ", o->number, 4);
		track_put_name(out, name);
		break;
	case TRACK_OBJECT_TRAP:
		ibw_out_str(out, " for trap ");
		ibw_out_dec(out, o->number);
		break;
	case TRACK_OBJECT_TRAPS:
		ibw_out_str(out, " for all traps");
		break;
	default:
		break;
	}
}

const char *track_object_text(const struct track_object *o, const char *name,
			      const uint8_t *address, char buf[TRACK_OBJECT_TEXT])
{
	struct ibw_out out = ibw_out_open(buf, TRACK_OBJECT_TEXT);

	put(&out, o, name, address);
	ibw_out_close(&out);
	return buf;
}
