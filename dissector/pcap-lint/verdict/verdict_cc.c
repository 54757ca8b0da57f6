/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict_cc.c - the sentence about congestion: how many packets of how many connections were marked, and how many CNPs came. */
#include <ibwire/ibwire.h>

#include "pcap-lint/report/flow.h"
#include "verdict.h"

bool pl_verdict_say_cc(struct pl_sentence *s, struct ibw_out *o,
		       const struct pl_incident *incidents, unsigned int n)
{
	GHashTable *connections = g_hash_table_new(NULL, NULL);
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!incidents[i].congestion)
			continue;
		s->marks += incidents[i].congestion->marks;
		s->cnps += incidents[i].congestion->cnps;
		g_hash_table_add(connections, (gpointer)incidents[i].connection);
	}
	s->congested = g_hash_table_size(connections);
	g_hash_table_unref(connections);
	if (!s->congested)
		return false;
	ibw_out_str(o, ", ");
	pl_out_counted(o, s->congested, "connection");
	ibw_out_str(o, ": ");
	if (s->marks) {
		pl_out_counted(o, s->marks, "packet");
		ibw_out_str(o, " marked CE, ");
	}
	if (s->cnps)
		pl_out_counted(o, s->cnps, "CNP");
	else
		ibw_out_str(o, "no CNP known to be about them");
	return true;
}
