/* SPDX-License-Identifier: GPL-2.0-or-later */
/* finding.h - what a rule finds, who takes it, and what the user of the linter asks for. */
#ifndef IBWIRE_LINT_FINDING_H
#define IBWIRE_LINT_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "lint/rules/rules.h"
#include "track/base/flow.h"
#include "track/track.h"

/* A rule that says nothing where another says all: silence.def. */
struct lint_silence {
	enum lint_rule_id rule, by;
	const char *why; /* a sentence that begins small */
};

extern const struct lint_silence lint_silences[];
extern const unsigned int lint_silence_count;

#define LINT_NO_PSN UINT32_MAX

/* Next to the bits of enum track_doubt: the lesser form of what the rule is about. */
#define LINT_DOUBT_LESSER 0x8000

/* Valid during the call it is handed over in, and so is what it points to. */
struct lint_finding {
	enum lint_rule_id rule;
	enum lint_severity severity; /* after doubt: lint_severity_of() */
	uint16_t doubt;              /* enum track_doubt, LINT_DOUBT_LESSER; 0: none */
	uint32_t psn;                /* of the packet; LINT_NO_PSN: it has none */
	uint64_t frame;              /* 0: about the whole file */
	uint64_t time_ns;
	uint32_t offset;               /* of the bytes at fault, from the start of the packet */
	uint32_t length;               /* 0: no particular bytes */
	const struct track_flow *flow; /* NULL: none */
	/* What is worked out only of a finding that somebody wants. */
	const char *layer;       /* "bth"; "file" */
	const char *message;     /* one line, no line feed */
	uint64_t connection;     /* track_connection_number(); 0: none */
	const uint64_t *related; /* other frames that belong to it: all of them */
	unsigned int n_related;
	const struct track_event *event; /* that shows it; NULL: the packet itself does */
};

/* Who takes findings. */
struct lint_sink {
	/*
	 * Sees each finding first, without what costs something. False: it is counted, and that
	 * is all it was wanted for. NULL: all are wanted.
	 */
	bool (*count)(void *user, const struct lint_finding *finding);
	void (*take)(void *user, const struct lint_finding *finding);
	/*
	 * @n findings as @first is, which is one of them, up to frame @last_frame: they were held, and no
	 * more than counted. count() does not see them. NULL: nobody counts.
	 */
	void (*more)(void *user, const struct lint_finding *first, uint64_t n, uint64_t last_frame);
	void *user;
};

struct lint_options {
	bool rules[LINT_RULE_COUNT];
	const uint16_t *roce_ports; /* as in struct ibw_walk_options; kept by the caller */
	unsigned int n_roce_ports;
	const struct track *track; /* knows the connections of findings; NULL: nobody does */
	const struct track
		*names; /* knows what nodes are called, and the thresholds; NULL: nobody does */
	const struct track_twice *twice; /* knows what was captured twice; NULL: nobody does */
	uint64_t held; /* findings of a rule and half kept with their words: held.h; 0: all */
};

struct lint;

/*
 * A finding about the file that only its reader can know (a truncated record,
 * drops counted by the capturing host): CAP001, CAP002, CAP006, CAP007, CAP009. @frame
 * may be NULL. Dropped if the rule is off.
 */
void lint_file_finding(struct lint *l, enum lint_rule_id rule, const struct track_frame *frame,
		       const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif /* IBWIRE_LINT_FINDING_H */
