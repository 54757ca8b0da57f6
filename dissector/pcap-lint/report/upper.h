/* SPDX-License-Identifier: GPL-2.0-or-later */
/* upper.h - commands of upper layers in a report: the operations of each queue, and each command. */
#ifndef PL_UPPER_H
#define PL_UPPER_H

#include "pcap-lint/base/columns.h"
#include "report.h"
#include "track/measure/timeline.h"
#include "track/ulp/ulp.h"

/* One operation of one queue. */
struct pl_upper {
	const struct track_ulp_queue *queue;
	const struct track_ulp_operation *operation;
	uint32_t connection; /* its number, or PL_UPPER_NOWHERE */
};

/* upper_where.c: the connection of each queue, by its number; g_free() it. PL_UPPER_NOWHERE: it is not known. */
#define PL_UPPER_NOWHERE UINT32_MAX
uint32_t *pl_upper_where(const struct pl_report *report, const struct track_ulps *ulps);

/*
 * Those of the queues that are asked for, in the order they began, with their connections (pl_upper_where()); @slowest: the slowest operation first. g_free() it;
 * *@n: how many.
 */
struct pl_upper *pl_upper_list(const struct pl_report *report, const struct track_ulps *ulps,
			       const uint32_t *where, bool slowest, unsigned int *n);

/* Whether a queue is asked for. */
bool pl_upper_is_asked_for(const struct pl_report *report, const struct track_ulp_queue *q);

/* "NVMe-oF": as flow has it; of enum ibw_ulp. */
const char *pl_upper_protocol(unsigned int ulp);

/* What the answer to a command of the queue says, in words; returns @buf. */
const char *pl_upper_status(const struct track_ulp_queue *q, const struct track_ulp_command *c,
			    char buf[TRACK_ULP_STATUS_TEXT]);

/* A table of each upper layer that there is any command of, its first @most rows. */
void pl_upper_each(const struct pl_report *report, const struct track_ulps *ulps, unsigned int most,
		   pl_columns_take *table, void *user);

/* upper_story.c: unusual commands of a connection, in order of frames, and why: the greater, the more it matters. */
#define PL_UPPER_TOLD 5u
enum pl_upper_why { PL_UPPER_USUAL, PL_UPPER_SLOW, PL_UPPER_FAILED, PL_UPPER_UNANSWERED };
struct pl_upper_told {
	const struct track_ulp_command *command;
	enum pl_upper_why why;
	uint64_t median; /* the time that half of those of its queue took at most */
	uint32_t connection;
};
struct pl_upper_story {
	const struct track_ulps *ulps;
	struct pl_upper_told told[PL_UPPER_TOLD];
	unsigned int n, more; /* those told, those for which there is no line */
	unsigned int commands;
	uint32_t worst; /* the connection of that which matters most; PL_UPPER_NOWHERE: none */
};

/* @connection PL_UPPER_NOWHERE: of all that are asked for. */
void pl_upper_story_of(const struct pl_report *report, uint32_t connection,
		       struct pl_upper_story *s);
#define PL_UPPER_SENTENCE 512
const char *pl_upper_sentence(const struct pl_report *report, const struct pl_upper_story *s,
			      const struct pl_upper_told *told, char buf[PL_UPPER_SENTENCE]);
void pl_text_upper_story(struct pl_report *report, const struct pl_upper_story *s,
			 const char *file);
void pl_json_upper_story(struct pl_report *report, const struct pl_upper_story *s,
			 const char *file);

/* upper_interval.c: when commands begin and end; NULL: there are none, or not all are known. g_free() it. */
struct pl_upper_changes;
struct pl_upper_changes *pl_upper_changes_of(const struct pl_report *report);

/* Commands by the intervals of a timeline; false: there are none. */
struct pl_upper_bins {
	uint32_t n;
	uint32_t *answered, *open_max;
};

/* @connection PL_UPPER_NOWHERE: of all, which is to be asked for first. */
bool pl_upper_bins_of(struct pl_upper_changes *changes, const struct track_timeline *t,
		      uint32_t connection, struct pl_upper_bins *bins);
void pl_upper_bins_free(struct pl_upper_bins *bins);

#endif /* PL_UPPER_H */
