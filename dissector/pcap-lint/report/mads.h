/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mads.h - MAD clients in a report, and their requests. Their figures are those of
 * track/mgmt/mad_figures.def, which has their names and titles.
 */
#ifndef PL_MADS_H
#define PL_MADS_H

#include "pcap-lint/base/columns.h"
#include "report.h"
#include "track/mgmt/transact.h"

/* "LID 0x0004", "10.7.0.1" */
const char *pl_mad_client(const struct track_mad_counts *c, char buf[TRACK_ADDRESS_TEXT]);

/* "host 3": the node of a client; "": not known. */
const char *pl_mad_client_node(const struct pl_report *report, const struct track_mad_counts *c,
			       char buf[TRACK_NODE_SHORT]);

/* "SubnAdm"; "PathRecord"; NULL: no such class or attribute is known. */
const char *pl_mad_class(const struct track_mad_counts *c);
const char *pl_mad_attribute(const struct track_mad_counts *c);

/*
 * Those of the clients (else of the attributes), worst first: by requests without an answer, then by all
 * requests; of attributes those of SubnAdm first. g_free() it.
 */
const struct track_mad_counts **pl_mads_sorted(const struct track_transact *mads, bool clients,
					       unsigned int *n);

/* The first @most of them as a table; *@n: all. */
struct pl_columns *pl_mads_columns(const struct pl_report *report,
				   const struct track_transact *mads, bool clients,
				   unsigned int most, unsigned int *n);

#endif /* PL_MADS_H */
