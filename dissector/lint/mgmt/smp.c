/* SPDX-License-Identifier: GPL-2.0-or-later */
/* smp.c - group SMP: subnet management packets and their routes. */
#include <string.h>

#include <glib.h>

#include "mad.h"
#include "lint/packet/packet.h"

/* Attribute ids of manufacturers. */
#define ATTR_VENDOR_FIRST 0xff00

/* What the MAD is called, once a rule needs it: few do. */
struct said {
	const struct lint_packet *p;
	bool made;
	char text[LINT_MAD_ABOUT];
};

static const char *say(struct said *said)
{
	if (!said->made)
		lint_mad_about(said->p, said->text);
	said->made = true;
	return said->text;
}

static bool is_roce(const struct ibw_packet *pkt)
{
	return pkt->proto == IBW_PROTO_ROCEV1 || pkt->proto == IBW_PROTO_ROCEV2;
}

static void check_link(const struct lint_packet *p, struct said *said)
{
	const struct ibw_lrh_wire *lrh = IBW_AT(p->pkt, lrh);

	if (is_roce(p->pkt))
		LINT_AT_WIRE(p, LINT_SMP002, p->mad->mad, mad, mgmt_class,
			     "%s on RoCE, which has no subnet management", say(said));
	if (lrh && ibw_lrh_vl(lrh) != IBW_VL_SM)
		LINT_AT_WIRE(p, LINT_SMP001, lrh, lrh, vl, "%s on VL %u: SMPs use VL %u", say(said),
			     ibw_lrh_vl(lrh), IBW_VL_SM);
}

/* Some ports let it be set: bit 0 of CapabilityMask2, IsSetNodeDescriptionSupported. */
static void check_description(const struct lint_packet *p, struct said *said)
{
	lint_found_doubt(
		p, LINT_SMP013, LINT_DOUBT_LESSER, p->mad->off + ibw_mad_attr_id_AT / 8,
		sizeof(uint16_t),
		"%s: only ports with IsSetNodeDescriptionSupported (CapabilityMask2) let it be "
		"set, others refuse it",
		say(said));
}

static void check_attribute(const struct lint_packet *p, struct said *said)
{
	const struct track_mad *m = p->mad;
	const struct ibw_mad_attr_row *attr = m->walked.attr;
	uint16_t id = ibw_mad_attr_id(m->mad);
	uint8_t method = ibw_mad_method(m->mad);

	if (!attr) {
		if (id < ATTR_VENDOR_FIRST)
			LINT_AT_WIRE(p, LINT_SMP012, m->mad, mad, attr_id,
				     "%s: SubnMgt has no attribute 0x%04x", say(said), id);
		return;
	}
	if (ibw_mad_r(m->mad) || method != IBW_METHOD_SET)
		return;
	if (id == IBW_ATTR_SM_NODE_DESC)
		check_description(p, said);
	else if (!(attr->methods & IBW_M_SET))
		LINT_AT_WIRE(p, LINT_SMP013, m->mad, mad, attr_id, "%s: %s can only be read",
			     say(said), attr->text);
}

static void check_mkey(const struct lint_packet *p, struct said *said)
{
	const struct track_mad *m = p->mad;
	uint8_t method = ibw_mad_method(m->mad);
	uint64_t mkey = m->dr ? ibw_smp_dr_mkey(m->dr) : m->smp ? ibw_smp_mkey(m->smp) : 0;

	if (mkey && !ibw_mad_r(m->mad) && (method == IBW_METHOD_GET || method == IBW_METHOD_SET))
		lint_found(p, LINT_SMP014, m->off + ibw_mad_BYTES, sizeof(mkey),
			   "%s shows an M_Key to whoever sees the link", say(said));
}

/* ibw_smp_dr_rsvd_set() by words: all bytes after DrDLID. */
static bool is_dr_reserved_set(const struct ibw_smp_dr_wire *dr)
{
	const uint8_t *p = dr->b + (ibw_smp_dr_dr_dlid_END_ + 1) / 8;

	_Static_assert(ibw_smp_dr_BYTES * 8 == ibw_smp_dr_dr_dlid_END_ + 1 + 28 * 8, "28 bytes");
	return (ibw_get_le64(p) | ibw_get_le64(p + 8) | ibw_get_le64(p + 16) |
		ibw_get_le32(p + 24)) != 0;
}

static void check_reserved(const struct lint_packet *p, struct said *said)
{
	const struct track_mad *m = p->mad;

	if ((m->smp && ibw_smp_rsvd_set(m->smp)) || (m->dr && is_dr_reserved_set(m->dr)))
		lint_found(p, LINT_SMP011, m->off + ibw_mad_BYTES + sizeof(uint64_t),
			   ibw_smp_BYTES - sizeof(uint64_t),
			   "%s: reserved bytes in front of the attribute are not all 0", say(said));
}

/* The first of these entries of a path, from 1 on, that is 0; 0: none is. */
static unsigned int entry_of_port_0(const uint8_t *path, unsigned int hops)
{
	const uint8_t *at = memchr(path + 1, 0, MIN(hops, IBW_SMP_HOPS_MAX));

	return at ? (unsigned int)(at - path) : 0;
}

/* The first hop, from 1, whose port number is 0; 0: none. */
static unsigned int hop_to_port_0(const struct track_mad *m)
{
	unsigned int hops = ibw_smp_dr_status_hop_cnt(m->dr_status);

	return entry_of_port_0(m->dr_path->b + ibw_smp_dr_path_initial_path_AT / 8, hops);
}

/* Reports at entry @i of the initial path. */
#define at_hop(p, rule, i, ...)                                                                    \
	lint_found_in(p, rule, NULL,                                                               \
		      (p)->mad->dr_path->b + ibw_smp_dr_path_initial_path_AT / 8 + (i), 1,         \
		      __VA_ARGS__)

static void check_path(const struct lint_packet *p, struct said *said)
{
	const struct track_mad *m = p->mad;
	unsigned int hops = ibw_smp_dr_status_hop_cnt(m->dr_status), i;
	unsigned int pointer = ibw_smp_dr_status_hop_ptr(m->dr_status);

	if (hops > IBW_SMP_HOPS_MAX)
		LINT_AT_WIRE(p, LINT_SMP003, m->dr_status, smp_dr_status, hop_cnt,
			     "%s with hop count %u: a path has %u hops at most", say(said), hops,
			     IBW_SMP_HOPS_MAX);
	if (pointer > hops + 1)
		LINT_AT_WIRE(p, LINT_SMP004, m->dr_status, smp_dr_status, hop_ptr,
			     "%s with hop pointer %u beyond hop count %u", say(said), pointer,
			     hops);
	if (!m->dr_path)
		return;
	if (ibw_smp_dr_path_initial_path(m->dr_path, 0))
		at_hop(p, LINT_SMP005, 0, "%s: entry 0 of the initial path is %u", say(said),
		       ibw_smp_dr_path_initial_path(m->dr_path, 0));
	i = hop_to_port_0(m);
	if (i)
		at_hop(p, LINT_SMP006, i, "%s: hop %u of %u leaves by port 0", say(said), i, hops);
}

/* On the way back all of the path has been written. */
static void check_return(const struct lint_packet *p, struct said *said)
{
	const struct track_mad *m = p->mad;
	unsigned int hops = ibw_smp_dr_status_hop_cnt(m->dr_status), i;
	bool back = ibw_smp_dr_status_d(m->dr_status), response = ibw_mad_r(m->mad);
	const uint8_t *path;

	if (back != response)
		LINT_AT_WIRE(p, LINT_SMP007, m->dr_status, smp_dr_status, d,
			     "%s with direction bit %u", say(said), back);
	if (!back || !response || !m->dr_path)
		return;
	path = m->dr_path->b + ibw_smp_dr_path_return_path_AT / 8;
	i = entry_of_port_0(path, hops);
	if (i)
		lint_found_in(p, LINT_SMP008, NULL, path + i, 1,
			      "%s: hop %u of %u of the return path is port 0", say(said), i, hops);
}

static void check_lids(const struct lint_packet *p, struct said *said)
{
	const struct track_mad *m = p->mad;
	uint16_t dr_slid = ibw_smp_dr_dr_slid(m->dr), dr_dlid = ibw_smp_dr_dr_dlid(m->dr);
	const struct ibw_lrh_wire *lrh = IBW_AT(p->pkt, lrh);
	char from[LINT_LID_TEXT], to[LINT_LID_TEXT];
	uint16_t slid, dlid;

	if (!lrh)
		return;
	slid = ibw_lrh_slid(lrh);
	dlid = ibw_lrh_dlid(lrh);
	if (dr_slid == IBW_LID_PERMISSIVE && dr_dlid == IBW_LID_PERMISSIVE &&
	    (slid != IBW_LID_PERMISSIVE || dlid != IBW_LID_PERMISSIVE))
		lint_found(p, LINT_SMP009, lint_lid_off(p->pkt, dlid != IBW_LID_PERMISSIVE),
			   sizeof(dlid), "%s is directed all the way, but goes from LID %s to %s",
			   say(said), lint_lid_text(p->lint, slid, from),
			   lint_lid_text(p->lint, dlid, to));
	if (dr_slid != IBW_LID_PERMISSIVE && slid == IBW_LID_PERMISSIVE &&
	    !ibw_smp_dr_status_d(m->dr_status) && !ibw_smp_dr_status_hop_ptr(m->dr_status))
		LINT_AT_WIRE(p, LINT_SMP010, lrh, lrh, slid,
			     "%s starts by LID (DrSLID %s), but its SLID is permissive", say(said),
			     lint_lid_text(p->lint, dr_slid, from));
}

void lint_smp(struct lint_packet *p)
{
	const struct track_mad *m = p->mad;
	struct said said;

	said.p = p;
	said.made = false;
	check_link(p, &said);
	check_attribute(p, &said);
	check_mkey(p, &said);
	check_reserved(p, &said);
	if (m->dr_status) {
		check_path(p, &said);
		check_return(p, &said);
	}
	if (m->dr && m->dr_status)
		check_lids(p, &said);
}
