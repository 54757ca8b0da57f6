/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rmp.c - group RMP: the reliable multi-packet protocol, as far as one packet shows it. */
#include "mad.h"

/* A field of the RMPP header. */
#define AT(p, rule, field, ...) LINT_AT_WIRE(p, rule, (p)->mad->rmpp, rmpp, field, __VA_ARGS__)

/* Bytes after the RMPP header, which PayloadLength counts: IBTA vol 1, 13.6.2 */
#define PAYLOAD_MAX (IBW_MAD_BYTES - ibw_mad_BYTES - ibw_rmpp_BYTES)

static void check_inactive(const struct lint_packet *p)
{
	const struct ibw_rmpp_wire *rmpp = p->mad->rmpp;

	if (ibw_rmpp_type(rmpp) || ibw_rmpp_flags(rmpp) || ibw_rmpp_status(rmpp) ||
	    ibw_rmpp_data1(rmpp) || ibw_rmpp_data2(rmpp))
		AT(p, LINT_RMP003, flags,
		   "RMPP is not active, but type %u, flags 0x%x, status %u, segment %u, length %u "
		   "are not all 0",
		   ibw_rmpp_type(rmpp), ibw_rmpp_flags(rmpp), ibw_rmpp_status(rmpp),
		   ibw_rmpp_data1(rmpp), ibw_rmpp_data2(rmpp));
}

static void check_data(const struct lint_packet *p)
{
	const struct ibw_rmpp_wire *rmpp = p->mad->rmpp;
	uint32_t segment = ibw_rmpp_data1(rmpp), payload = ibw_rmpp_data2(rmpp);
	bool first = ibw_rmpp_flags(rmpp) & IBW_RMPP_FIRST;
	bool last = ibw_rmpp_flags(rmpp) & IBW_RMPP_LAST;

	if (!segment)
		AT(p, LINT_RMP005, data1, "DATA of segment 0: segments count from 1");
	else if (first != (segment == 1))
		AT(p, LINT_RMP004, flags, "DATA of segment %u %s the first flag", segment,
		   first ? "has" : "is without");
	if (last && (!payload || payload > PAYLOAD_MAX))
		AT(p, LINT_RMP010, data2, "last segment with PayloadLength %u; it is 1 to %u",
		   payload, (unsigned int)PAYLOAD_MAX);
}

static void check_end(const struct lint_packet *p, bool stop)
{
	const struct ibw_rmpp_wire *rmpp = p->mad->rmpp;
	uint8_t status = ibw_rmpp_status(rmpp);
	const char *name = ibw_name_of(ibw_rmpp_status_names, status);
	char text[LINT_MAD_TEXT];

	AT(p, LINT_RMP013, status, "%s: %s with status %u (%s)", lint_mad_text(p->mad, text),
	   stop ? "STOP" : "ABORT", status, name ? name : "not defined");

	if (stop ? status != IBW_RMPP_STATUS_RESOURCES
		 : status < IBW_RMPP_STATUS_TIMEOUT || status > IBW_RMPP_STATUS_UNSPEC)
		AT(p, LINT_RMP014, status, "%s with status %u (%s)", stop ? "STOP" : "ABORT",
		   status, name ? name : "not defined");
}

void lint_rmp_table(struct lint_packet *p)
{
	const struct track_mad *m = p->mad;
	const struct ibw_sa_table *t = &m->records.table;
	const struct ibw_error *e = &m->walked.error;
	char buf[LINT_MAD_TEXT];

	/* Of a table in one packet the walk knows better whether there is anything in it. */
	if (m->records.source.n_frames
		    ? !t->rest
		    : m->walked.outcome != IBW_MALFORMED || !(m->walked.flags & IBW_MAD_TABLE) ||
			      e->said_by != IBW_LAYER_rmpp)
		return;
	lint_mad_text(m, buf);
	if (t->stride < t->record)
		LINT_AT_WIRE(p, LINT_RMP012, m->sa, sa, attr_offset,
			     "%s of %u bytes with AttributeOffset %u: a record has %u bytes (%u)",
			     buf, t->n * t->stride + t->rest, t->stride / 8, t->record,
			     (t->record + 7) / 8);
	else
		LINT_AT_WIRE(p, LINT_RMP012, m->rmpp, rmpp, data2,
			     "%s: %u records of %u bytes and %u bytes more", buf, t->n, t->stride,
			     t->rest);
}

void lint_rmp(struct lint_packet *p)
{
	const struct ibw_rmpp_wire *rmpp = p->mad->rmpp;
	uint32_t segment = ibw_rmpp_data1(rmpp), window = ibw_rmpp_data2(rmpp);

	if (!(ibw_rmpp_flags(rmpp) & IBW_RMPP_ACTIVE)) {
		check_inactive(p);
		return;
	}
	if (ibw_rmpp_version(rmpp) != IBW_RMPP_VERSION) {
		AT(p, LINT_RMP001, version, "RMPP version %u: only %u is defined",
		   ibw_rmpp_version(rmpp), IBW_RMPP_VERSION);
		return;
	}
	switch (ibw_rmpp_type(rmpp)) {
	case IBW_RMPP_DATA:
		check_data(p);
		break;
	case IBW_RMPP_ACK:
		if (window < segment)
			AT(p, LINT_RMP008, data2, "ACK of segment %u with NewWindowLast %u",
			   segment, window);
		break;
	case IBW_RMPP_STOP:
	case IBW_RMPP_ABORT:
		check_end(p, ibw_rmpp_type(rmpp) == IBW_RMPP_STOP);
		break;
	default:
		AT(p, LINT_RMP002, type,
		   "RMPP type %u: only DATA 1, ACK 2, STOP 3 and ABORT 4 are "
		   "defined",
		   ibw_rmpp_type(rmpp));
	}
}
