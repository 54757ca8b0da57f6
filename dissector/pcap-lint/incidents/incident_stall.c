/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_stall.c - an incident of lost TCP segments in a sentence, and the frames that it consists of. */
#include <string.h>

#include <ibwire/ibwire.h>

#include "pcap-lint/report/flow.h"
#include "incident_stall.h"

/* "1448 octets of the stream from octet 5001 on were missing in frame 9, and retransmitted 4.1 ms later in frame 14" */
static void out_missing(const struct pl_incident_line *l, const struct track_stall *is)
{
	pl_out_counted(l->o, is->octets, "octet");
	ibw_out_str(l->o, " of the stream from octet ");
	ibw_out_dec(l->o, is->place);
	pl_out_incident_frame(
		l, is->octets == 1 ? " on was missing in frame " : " on were missing in frame ",
		is->frame);
	if (!is->resent_frame)
		return;
	ibw_out_str(l->o, ", and retransmitted ");
	if (is->resent_ns > is->time_ns) {
		pl_out_ns(l->o, is->resent_ns - is->time_ns);
		ibw_out_str(l->o, " later ");
	}
	pl_out_incident_frame(l, "in frame ", is->resent_frame);
}

/* "octet 5001 of the stream was retransmitted in frame 14 after 212 ms without an acknowledgement" */
static void out_unacknowledged(const struct pl_incident_line *l, const struct track_stall *is)
{
	ibw_out_str(l->o, "octet ");
	ibw_out_dec(l->o, is->place);
	pl_out_incident_frame(l, " of the stream was retransmitted in frame ", is->frame);
	if (is->time_ns <= is->start_ns)
		return;
	ibw_out_str(l->o, " after ");
	pl_out_ns(l->o, is->time_ns - is->start_ns);
	ibw_out_str(l->o, " without an acknowledgement");
}

static void out_end(const struct pl_incident_line *l, const struct track_stall *is)
{
	const uint64_t ns = l->i->ns;

	if (!is->ended)
		ibw_out_str(l->o,
			    is->octets ? "; never complete" : "; not acknowledged by the end");
	else if (!is->octets)
		pl_out_incident_frame(l, "; all acknowledged in frame ", is->end_frame);
	else if (is->end_frame != is->resent_frame)
		pl_out_incident_frame(l, "; complete in frame ", is->end_frame);
	if (!ns)
		return;
	ibw_out_str(l->o, is->octets ? ": messages were held up for " : ": recovery took ");
	pl_out_ns(l->o, ns);
	if (is->octets && is->start_ns > is->time_ns) /* the hole before held them up until then */
		ibw_out_str(l->o, " more");
}

void pl_out_stall(const struct pl_incident_line *l, const struct track_stall *is)
{
	if (is->octets)
		out_missing(l, is);
	else
		out_unacknowledged(l, is);
	if (is->notice_frame)
		pl_out_incident_frame(l, "; first duplicate ACK in frame ", is->notice_frame);
	if (l->i->resent_packets > 1) {
		ibw_out_str(l->o, "; ");
		pl_out_counted(l->o, l->i->resent_packets, "segment");
		ibw_out_str(l->o, " retransmitted");
	}
	out_end(l, is);
}

void pl_stall_flow(const struct track_stall *is, struct track_flow *flow)
{
	*flow = (struct track_flow){ .address =
					     is->ends.v6 ? TRACK_ADDRESS_IPV6 : TRACK_ADDRESS_IPV4,
				     .service = TRACK_SERVICE_IWARP,
				     .sport = is->ends.port[is->side],
				     .dqpn = is->ends.port[!is->side] };
	memcpy(flow->src, is->ends.address[is->side], sizeof(flow->src));
	memcpy(flow->dst, is->ends.address[!is->side], sizeof(flow->dst));
}
