/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_cc.c - an incident of marks and CNPs in a sentence. */
#include <ibwire/ibwire.h>

#include "pcap-lint/report/flow.h"
#include "incident_cc.h"

/* " from frame 5 to frame 300, in 2.3 ms" */
static void out_span(const struct pl_incident_line *l, uint64_t first, uint64_t first_ns,
		     uint64_t last, uint64_t last_ns)
{
	pl_out_incident_frame(l, first == last ? " in frame " : " from frame ", first);
	if (first == last)
		return;
	pl_out_incident_frame(l, " to frame ", last);
	if (last_ns <= first_ns)
		return;
	ibw_out_str(l->o, ", in ");
	pl_out_ns(l->o, last_ns - first_ns);
}

/* "120 packets marked CE from frame 5 to frame 300, in 2.3 ms; 38 CNPs for this queue pair, the first in frame 9" */
void pl_out_congestion(const struct pl_incident_line *l, const struct track_marked_way *is,
		       bool proved)
{
	if (is->marks) {
		pl_out_counted(l->o, is->marks, is->acks == is->marks ? "ACK" : "packet");
		ibw_out_str(l->o, " marked CE");
		out_span(l, is->mark_frame, is->mark_ns, is->mark_last_frame, is->mark_last_ns);
		ibw_out_str(l->o, "; ");
	}
	if (!is->cnps) {
		ibw_out_str(l->o, proved ? "no CNP from their receiver"
					 : "no CNP known to be about them");
		return;
	}
	pl_out_counted(l->o, is->cnps, "CNP");
	ibw_out_str(l->o, " for this queue pair");
	out_span(l, is->cnp_frame, is->cnp_ns, is->cnp_last_frame, is->cnp_last_ns);
	if (!is->marks)
		ibw_out_str(l->o, "; none of its packets was marked CE");
}
