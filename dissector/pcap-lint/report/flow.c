/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flow.c - connections in a report: their names, and which are worst. */
#include <stdlib.h>
#include <string.h>

#include <ibwire/cm.h>
#include <ibwire/ibwire.h>

#include "flow.h"

GHashTable *pl_flows_by_serial(const struct track_qp *const *qps, unsigned int n)
{
	GHashTable *found = g_hash_table_new(g_int64_hash, g_int64_equal);
	unsigned int i;

	for (i = 0; i < n; i++)
		g_hash_table_insert(found, (void *)&qps[i]->serial, (void *)qps[i]);
	return found;
}

const char *pl_flow_address(const struct track_qp *qp, enum track_way way,
			    char buf[TRACK_ADDRESS_TEXT])
{
	struct track_flow flow = qp->flow;

	track_flow_as_seen(&flow);
	return track_address_text((enum track_address)flow.address,
				  way == TRACK_A_TO_B ? flow.src : flow.dst, buf);
}

const char *pl_flow_service(const struct track_qp *qp)
{
	return track_service_text(qp->service);
}

const char *pl_flow_upper(const struct track_qp *qp, char buf[PL_FLOW_UPPER])
{
	const struct ibw_sid sid = ibw_sid_split(track_qp_service_id(qp));

	if (!track_qp_service_id(qp) || sid.kind != IBW_SID_RDMA_CM)
		return NULL;
	g_snprintf(buf, PL_FLOW_UPPER, "%s %u",
		   ibw_name_of(ibw_rdma_port_space_names, sid.port_space), sid.port);
	return buf;
}

const char *pl_flow_named(const struct track *track, const struct track_flow *flow,
			  char buf[TRACK_CM_SERVICE_TEXT])
{
	uint64_t service_id = track && flow ? track_connection_service(track, flow) : 0;

	return service_id ? track_cm_service_text(service_id, buf) : NULL;
}

const char *pl_flow_setup(const struct track_qp *qp)
{
	if (track_qp_cm_frame(qp))
		return "cm";
	return qp->dir[TRACK_A_TO_B].dqpn != TRACK_CM_NO_QPN &&
			       qp->dir[TRACK_B_TO_A].dqpn != TRACK_CM_NO_QPN
		       ? "learnt"
		       : "none";
}

unsigned int pl_percent(uint64_t n, uint64_t all)
{
	return all ? (unsigned int)((n * 100 + all / 2) / all) : 0;
}

unsigned int pl_flow_resent(const struct track_dir *d)
{
	return pl_percent(track_figure(d, TRACK_FIGURE_retransmitted_packets),
			  track_figure(d, TRACK_FIGURE_request_packets));
}

uint64_t pl_flow_figure(const struct track_qp *qp, enum track_figure figure)
{
	return track_figure(&qp->dir[TRACK_A_TO_B], figure) +
	       track_figure(&qp->dir[TRACK_B_TO_A], figure);
}

/* The nearest number of units of that size; of a half the larger. */
static uint64_t rounded(uint64_t n, uint64_t unit)
{
	return n / unit + (n % unit >= unit - unit / 2);
}

/* "592 k", "4.8 k": three digits at most, of what is 1000 or more, rounded. */
static void scaled(char *buf, size_t size, uint64_t n, const char *const *units,
		   unsigned int n_units)
{
	uint64_t unit = 1, tenth, tenths;
	unsigned int i;

	for (i = 0; i + 1 < n_units && rounded(n, unit) >= 1000; i++)
		unit *= 1000;
	tenth = unit / 10;
	tenths = tenth ? rounded(n, tenth) : 0;
	if (tenths && tenths < 100)
		g_snprintf(buf, size, "%u.%u %s", (unsigned int)(tenths / 10),
			   (unsigned int)(tenths % 10), units[i]);
	else
		g_snprintf(buf, size, "%" G_GUINT64_FORMAT "%s%s", (guint64)rounded(n, unit),
			   *units[i] ? " " : "", units[i]);
}

void pl_bytes_text(char *buf, size_t size, uint64_t n)
{
	static const char *const units[] = { "", "k", "M", "G", "T", "P" };

	scaled(buf, size, n, units, G_N_ELEMENTS(units));
}

void pl_time_text(char *buf, size_t size, uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };

	scaled(buf, size, ns, units, G_N_ELEMENTS(units));
}

void pl_out_some(struct ibw_out *o, uint64_t n, const char *what)
{
	if (!n)
		return;
	ibw_out_str(o, ", ");
	ibw_out_dec(o, n);
	ibw_out_char(o, ' ');
	ibw_out_str(o, what);
}

void pl_out_ns(struct ibw_out *o, uint64_t ns)
{
	char text[32];

	pl_time_text(text, sizeof(text), ns);
	ibw_out_str(o, text);
}

void pl_out_end(struct ibw_out *o, const struct track_qp *qp, enum track_way way)
{
	uint32_t qpn = track_qp_sqpn(qp, way);
	char address[TRACK_ADDRESS_TEXT];

	ibw_out_str(o, pl_flow_address(qp, way, address));
	if (qpn == TRACK_CM_NO_QPN) {
		ibw_out_str(o, " qp ?");
		return;
	}
	ibw_out_str(o, " qp ");
	ibw_out_hex(o, qpn, 1);
	if (qpn > 9) {
		ibw_out_str(o, " (");
		ibw_out_dec(o, qpn);
		ibw_out_char(o, ')');
	}
}

void pl_out_host(struct ibw_out *o, const struct pl_report *report, const struct track_flow *flow,
		 bool source)
{
	const enum track_address kind = (enum track_address)flow->address;
	const uint8_t *of = source ? flow->src : flow->dst;
	char address[TRACK_ADDRESS_TEXT], node[TRACK_NODE_SHORT];

	ibw_out_str(o, track_address_text(kind, of, address));
	if (report->track)
		track_put_name(o, track_address_node(report->track, kind, of, node));
}

void pl_out_flow(struct ibw_out *o, const struct pl_report *report, const struct track_flow *flow)
{
	char text[TRACK_FLOW_TEXT];

	if (flow->service == TRACK_SERVICE_IWARP) {
		ibw_out_str(o, track_flow_text(flow, text));
		return;
	}
	pl_out_host(o, report, flow, true);
	ibw_out_str(o, " -> ");
	pl_out_host(o, report, flow, false);
	ibw_out_str(o, " qp ");
	ibw_out_hex(o, flow->dqpn, 6);
}

const char *pl_host_text(const struct pl_report *report, const struct track_flow *flow, bool source,
			 char buf[PL_HOST_TEXT])
{
	struct ibw_out o = ibw_out_open(buf, PL_HOST_TEXT);

	pl_out_host(&o, report, flow, source);
	ibw_out_close(&o);
	return buf;
}

const char *pl_flow_text(const struct pl_report *report, const struct track_flow *flow,
			 char buf[PL_FLOW_TEXT])
{
	struct ibw_out o = ibw_out_open(buf, PL_FLOW_TEXT);

	pl_out_flow(&o, report, flow);
	ibw_out_close(&o);
	return buf;
}

const char *pl_doubt_text(unsigned int doubt, bool mid_stream, char buf[PL_FLOW_DOUBT])
{
	struct ibw_out o = ibw_out_open(buf, PL_FLOW_DOUBT);
	const char *before = "";
	unsigned int i;

	if (mid_stream)
		doubt &= ~(unsigned int)TRACK_DOUBT_MID_STREAM;
	for (i = 0; i < TRACK_DOUBT_COUNT; i++) {
		if (!(doubt & 1u << i))
			continue;
		ibw_out_str(&o, before);
		ibw_out_str(&o, track_doubt_rows[i].name);
		before = ", ";
	}
	ibw_out_close(&o);
	return buf;
}

const char *pl_flow_doubt(const struct pl_report *report, const struct track_qp *qp,
			  char buf[PL_FLOW_DOUBT])
{
	return pl_doubt_text(report->doubt | track_qp_doubt(qp),
			     track_qp_state(qp) == TRACK_QP_MID_STREAM, buf);
}

/* A gap that is filled by what was only late is none. */
static uint64_t gaps(const struct track_dir *d)
{
	return d->psns.missing || track_watched(d)->retransmitted_packets
		       ? track_figure(d, TRACK_FIGURE_gap_episodes)
		       : 0;
}

uint64_t pl_flow_gaps(const struct track_qp *qp)
{
	return gaps(&qp->dir[TRACK_A_TO_B]) + gaps(&qp->dir[TRACK_B_TO_A]);
}

/* As gaps(): of a READ that is not asked for again, and has all its responses, some were only late. */
uint64_t pl_flow_response_gaps(const struct track_qp *qp)
{
	const struct track_dir *d, *back;
	uint64_t n = 0;
	unsigned int way;

	for (way = 0; way < TRACK_WAYS; way++) {
		d = &qp->dir[way];
		back = &qp->dir[!way];
		if (track_watched(d)->response_missing ||
		    track_watched(back)->retransmitted_packets)
			n += track_figure(d, TRACK_FIGURE_response_gaps);
	}
	return n;
}

void pl_flow_badness(const struct track_qp *qp, uint64_t bad[PL_BADNESS])
{
	bad[PL_FATAL] = (track_qp_state(qp) == TRACK_QP_FAILED) +
			pl_flow_figure(qp, TRACK_FIGURE_nak_invalid_request) +
			pl_flow_figure(qp, TRACK_FIGURE_nak_remote_access) +
			pl_flow_figure(qp, TRACK_FIGURE_nak_remote_operational);
	bad[PL_TIMEOUTS] = pl_flow_figure(qp, TRACK_FIGURE_timeouts);
	bad[PL_RESENT] =
		MAX(pl_flow_resent(&qp->dir[TRACK_A_TO_B]), pl_flow_resent(&qp->dir[TRACK_B_TO_A]));
	bad[PL_SEQUENCE_NAKS] = pl_flow_figure(qp, TRACK_FIGURE_nak_sequence);
	bad[PL_RNR_NAKS] = pl_flow_figure(qp, TRACK_FIGURE_rnr_nak);
	bad[PL_GAPS] = pl_flow_gaps(qp) + pl_flow_response_gaps(qp);
	bad[PL_BAD_CRC] = pl_flow_figure(qp, TRACK_FIGURE_icrc_bad);
	bad[PL_PACKETS] = pl_flow_figure(qp, TRACK_FIGURE_packets);
}

bool pl_flow_is_bad(const struct track_qp *qp)
{
	uint64_t bad[PL_BADNESS];
	unsigned int i;

	pl_flow_badness(qp, bad);
	for (i = 0; i < PL_PACKETS; i++)
		if (bad[i])
			return true;
	return false;
}

int pl_badness_compare(const uint64_t a[PL_BADNESS], const uint64_t b[PL_BADNESS])
{
	unsigned int i;

	for (i = 0; i < PL_BADNESS; i++)
		if (a[i] != b[i])
			return a[i] > b[i] ? -1 : 1;
	return 0;
}

static int worse_first(const void *a, const void *b)
{
	const struct track_qp *x = *(const struct track_qp *const *)a;
	const struct track_qp *y = *(const struct track_qp *const *)b;
	uint64_t of_x[PL_BADNESS], of_y[PL_BADNESS];
	int order;

	pl_flow_badness(x, of_x);
	pl_flow_badness(y, of_y);
	order = pl_badness_compare(of_x, of_y);
	if (order)
		return order;
	return x->number < y->number ? -1 : 1;
}

void pl_flow_sort(const struct track_qp **qps, unsigned int n)
{
	qsort(qps, n, sizeof(void *), worse_first);
}

unsigned int pl_flow_worst(const struct track_qp *const *qps, unsigned int n,
			   const struct track_qp *worst[PL_FLOW_WORST])
{
	unsigned int i, at, found = 0;

	for (i = 0; i < n; i++) {
		if (!pl_flow_is_bad(qps[i]))
			continue;
		for (at = found; at && worse_first(&qps[i], &worst[at - 1]) < 0; at--)
			if (at < PL_FLOW_WORST)
				worst[at] = worst[at - 1];
		if (at < PL_FLOW_WORST)
			worst[at] = qps[i];
		found = MIN(found + 1, PL_FLOW_WORST);
	}
	return found;
}
