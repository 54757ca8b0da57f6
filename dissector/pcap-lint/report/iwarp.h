/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iwarp.h - iWARP connections in a report: listed and named like those of queue pairs, with the same figures, as far as they have
 * a meaning.
 */
#ifndef PL_IWARP_H
#define PL_IWARP_H

#include "flow.h"
#include "flow_row.h"
#include "track/iwarp/figure.h"

/* A is the end that sends the request. */
struct pl_iwarp {
	const struct track_iwarp_record *record;
	uint64_t number; /* after those of queue pairs */
};

/* Those that are asked for, by first frame; to be freed. The first one has the number @first. */
struct pl_iwarp *pl_iwarp_listed(const struct track_iwarp *iwarp, const struct pl_chosen *chosen,
				 uint64_t first, unsigned int *n);

/* That of @report with the number; NULL: it is not listed. */
const struct pl_iwarp *pl_iwarp_numbered(const struct pl_report *report, uint64_t number);

/* The direction that travels @way. */
const struct track_iwarp_dir *pl_iwarp_dir(const struct pl_iwarp *c, enum track_way way);

/* As pl_flow_badness(). */
void pl_iwarp_badness(const struct pl_iwarp *c, uint64_t bad[PL_BADNESS]);

/* A line of JSON; the rows of the table; what -v adds to them. */
void pl_json_iwarp(struct pl_report *report, const struct pl_iwarp *c,
		   const struct pl_standing *standing);
void pl_iwarp_rows(const struct pl_report *report, struct pl_flow_row rows[TRACK_WAYS],
		   const struct pl_iwarp *c);
void pl_iwarp_details(struct pl_report *report, const struct pl_iwarp *c);

/* A connection of queue pairs, or one of iWARP. */
struct pl_listed {
	const struct track_qp *qp;
	const struct pl_iwarp *iwarp;
};

/* listed.c: all of them, worst first: @qps and those of @report; to be freed. */
struct pl_listed *pl_flows_listed(const struct pl_report *report, const struct track_qp *const *qps,
				  unsigned int n);

/* "10.7.0.1 port 7471"; of both, with an arrow between. */
void pl_iwarp_out_end(struct ibw_out *o, const struct pl_iwarp *c, enum track_way way);
/* "10.7.0.1:7471": where there is little room. */
void pl_iwarp_out_short_end(struct ibw_out *o, const struct pl_iwarp *c, enum track_way way);
void pl_iwarp_ends_text(char *text, size_t size, const struct pl_iwarp *c);

/* "mid-stream": its state. */
const char *pl_iwarp_state(const struct pl_iwarp *c);

/* iwarp_story.c, of a story: what there is to say against it; its state, and how it ended; its doubts; what it came to. */
void pl_iwarp_out_against(struct ibw_out *o, const struct pl_iwarp *c);
void pl_iwarp_out_state(struct ibw_out *o, const struct pl_iwarp *c);
const char *pl_iwarp_doubt(const struct pl_report *report, const struct pl_iwarp *c,
			   char buf[PL_FLOW_DOUBT]);
void pl_iwarp_sum(struct pl_report *report, const struct pl_iwarp *c);

#endif /* PL_IWARP_H */
