/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flows.c - -z ibwire,flows: what each connection did, a line a direction; the figures are those of pcap-lint --stats. */
#include <inttypes.h>
#include <stdio.h>

#include <ibwire/ibwire.h>

#include "track/measure.h"
#include "track/qp_state.h"

#include "iw.h"

#include <epan/stat_tap_ui.h>
#include <epan/tap.h>

static uint64_t ack_time(const struct track_dir *d, unsigned int thousandths)
{
	const struct track_histogram *h = track_dir_times(d, TRACK_TIMES_ACK);

	return MIN(track_histogram_percentile(h, thousandths), h->max);
}

static uint64_t naks(const struct track_dir *d)
{
	return track_figure(d, TRACK_FIGURE_nak_sequence) +
	       track_figure(d, TRACK_FIGURE_nak_invalid_request) +
	       track_figure(d, TRACK_FIGURE_nak_remote_access) +
	       track_figure(d, TRACK_FIGURE_nak_remote_operational);
}

/* Numbers of a line, 0 a dash. */
#define COLUMNS(COLUMN)                                                                            \
	COLUMN("packets", 9, 1, track_figure(d, TRACK_FIGURE_packets))                             \
	COLUMN("bytes", 12, 1, track_figure(d, TRACK_FIGURE_wire_bytes))                           \
	COLUMN("missing", 8, 1, track_figure(d, TRACK_FIGURE_psn_missing))                         \
	COLUMN("resent", 8, 1, track_figure(d, TRACK_FIGURE_retransmitted_packets))                \
	COLUMN("NAK", 6, 1, naks(d))                                                               \
	COLUMN("RNR", 6, 1, track_figure(d, TRACK_FIGURE_rnr_nak))                                 \
	COLUMN("timeouts", 8, 1, track_figure(d, TRACK_FIGURE_timeouts))                           \
	COLUMN("CE", 8, 1, track_figure(d, TRACK_FIGURE_ce_packets))                               \
	COLUMN("CE %", 8, 1000, track_measure_figure(d, TRACK_MEASURE_ce_per_million) / 10)        \
	COLUMN("CNP", 6, 1, track_measure_figure(d, TRACK_MEASURE_cnp_about))                      \
	COLUMN("RTT p50 us", 11, 1000, ack_time(d, 500))                                           \
	COLUMN("RTT p99 us", 11, 1000, ack_time(d, 990))                                           \
	COLUMN("kbit/s", 12, 1000, track_measure_figure(d, TRACK_MEASURE_wire_rate))               \
	COLUMN("good kbit/s", 12, 1000, track_measure_figure(d, TRACK_MEASURE_goodput))

static void print_number(int width, uint64_t n, unsigned int unit)
{
	char text[32];

	if (!n)
		snprintf(text, sizeof(text), "-");
	else if (unit == 1)
		snprintf(text, sizeof(text), "%" PRIu64, n);
	else
		snprintf(text, sizeof(text), "%" PRIu64 ".%03" PRIu64, n / unit, n % unit);
	printf(" %*s", width, text);
}

static void print_titles(void)
{
	printf("%6s   %-48s %-4s %-10s", "stream", "sender", "", "state");
#define TITLE(title, width, unit, value) printf(" %*s", width, title);
	COLUMNS(TITLE)
#undef TITLE
	printf("\n");
}

/* "10.7.0.1 qp 0x11": the end that sends @way. */
static void end_of(char *text, size_t size, const struct track_qp *qp, enum track_way way)
{
	struct ibw_out out = ibw_out_open(text, size);
	struct track_flow flow = qp->flow;
	uint32_t qpn = track_qp_sqpn(qp, way);
	char address[TRACK_ADDRESS_TEXT];

	track_flow_as_seen(&flow);
	ibw_out_str(&out, track_address_text((enum track_address)flow.address,
					     way == TRACK_A_TO_B ? flow.src : flow.dst, address));
	ibw_out_str(&out, " qp ");
	if (qpn == TRACK_CM_NO_QPN)
		ibw_out_char(&out, '?');
	else
		ibw_out_hex(&out, qpn, 1);
	ibw_out_close(&out);
}

static void print_way(const struct track_qp *qp, enum track_way way)
{
	const struct track_dir *d = &qp->dir[way];
	char end[TRACK_ADDRESS_TEXT + 16];

	end_of(end, sizeof(end), qp, way);
	printf("%6" PRIu32 " %c %-48s %-4s %-10s", qp->number, way == TRACK_A_TO_B ? 'a' : 'b', end,
	       track_service_text(qp->service), track_qp_state_names[track_qp_state(qp)]);
#define NUMBER(title, width, unit, value) print_number(width, value, unit);
	COLUMNS(NUMBER)
#undef NUMBER
	printf("\n");
}

/* All packets count, whatever filter the tap has. */
static void draw(void *data)
{
	struct track_qp **sorted = NULL;
	struct track_qps *qps;
	unsigned int n = 0, i;

	(void)data;
	iw_pass_finish(); /* a single pass has no other end */
	qps = iw_pass_streams();
	if (qps)
		sorted = track_qps_sorted(qps, &n);
	printf("\n=== RDMA connections ===\n");
	print_titles();
	for (i = 0; i < n; i++) {
		print_way(sorted[i], TRACK_A_TO_B);
		print_way(sorted[i], TRACK_B_TO_A);
	}
	g_free(sorted);
}

static tap_packet_status no_packet(void *data, packet_info *pinfo, epan_dissect_t *edt,
				   const void *frame, tap_flags_t flags)
{
	(void)data;
	(void)pinfo;
	(void)edt;
	(void)frame;
	(void)flags;
	return TAP_PACKET_DONT_REDRAW;
}

static iw_listen_result listen(const char *arg, void *data)
{
	static const char listener;
	GString *error;

	(void)arg;
	(void)data;
	error = register_tap_listener("ibwire", (void *)&listener, NULL, TL_REQUIRES_NOTHING, NULL,
				      no_packet, draw, NULL);
	if (error) {
		fprintf(stderr, "ibwire,flows: %s\n", error->str);
		g_string_free(error, TRUE);
		return IW_LISTENS(false);
	}
	iw_pass_want_measures();
	return IW_LISTENS(true);
}

void iw_flows_register(void)
{
	static stat_tap_ui ui = {
		REGISTER_STAT_GROUP_GENERIC, NULL, "ibwire,flows", listen, 0, NULL
	};

	register_stat_tap_ui(&ui, NULL);
}
