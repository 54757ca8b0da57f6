/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * perf.c - a query for the counters of a port, answered; and a path asked for with all its components.
 *
 * Prints:
 *	query: class 0x04 version 1 method 0x01, port 3
 *	response: method 0x81, status 0x0000, 12 symbol errors
 *	path: component mask 0x000000000000000c
 */
#include <stdio.h>

#include <ibwire/ibwire.h>

int main(void)
{
	const struct ibw_path_rec rec = { .dgid = { 0xfe, 0x80, [15] = 2 },
					  .sgid = { 0xfe, 0x80, [15] = 1 } };
	uint8_t query[IBW_MAD_BYTES], answer[IBW_MAD_BYTES];
	struct ibw_perf_mad *m =
		ibw_perf_build(query, sizeof(query), IBW_METHOD_GET, IBW_ATTR_PERF_COUNTERS, 7);
	struct ibw_port_counters_wire *counters = (struct ibw_port_counters_wire *)m->data;
	struct ibw_sa_mad *sa;

	ibw_port_counters_set_port_select(counters, 3);
	printf("query: class 0x%02x version %u method 0x%02x, port %u\n", query[1], query[2],
	       query[3], ibw_port_counters_port_select(counters));
	if (!ibw_mad_respond(answer, sizeof(answer), query, IBW_STATUS_OK))
		return 1;
	counters = (struct ibw_port_counters_wire *)((struct ibw_perf_mad *)answer)->data;
	ibw_port_counters_set_symbol_errors(counters, 12);
	printf("response: method 0x%02x, status 0x%02x%02x, %u symbol errors\n", answer[3],
	       answer[4], answer[5], ibw_port_counters_symbol_errors(counters));
	sa = ibw_sa_build(query, sizeof(query), IBW_METHOD_GET, IBW_ATTR_SA_PATH_REC, 8);
	IBW_SA_RECORD(sa, path_rec, &rec,
		      IBW_SA_COMPS(path_rec, dgid) | IBW_SA_COMPS(path_rec, sgid));
	printf("path: component mask 0x%016llx\n", (unsigned long long)ibw_sa_comp_mask(&sa->sa));
	return 0;
}
