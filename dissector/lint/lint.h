/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lint.h - the linter: checks the packets of a capture, and reports findings.
 *
 * The caller hands over each packet as track/ understands it, in file order; the
 * library hands findings to a sink. It knows nothing of files, options
 * or output: pcap-lint and the Wireshark plugin are its users.
 *
 *	struct lint *l = lint_new(&options, &sink);
 *
 *	while (...) {
 *		track_view_packet(&view, ...);
 *		context = track_feed(track, &view, &frame);
 *		lint_packet(l, &frame, &view, context);
 *	}
 *	lint_finish(l);
 *	lint_free(l);
 */
#ifndef IBWIRE_LINT_H
#define IBWIRE_LINT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <ibwire/packet.h>

#include "track/base/flow.h"
#include "track/track.h"

/* Worst first, so that a smaller value is a worse one. */
enum lint_severity { LINT_ERROR, LINT_WARNING, LINT_NOTE, LINT_PERF, LINT_SEVERITY_COUNT };

/* "error", "warning", "note", "perf" */
extern const char *const lint_severity_names[LINT_SEVERITY_COUNT];

/* How many rules are of that level; where there are none, no help speaks of it. */
enum {
	LINT_PERF_RULES = 0
#define LINT_RULE(id, name, severity, scope, layer, text, why, cause, advice)                      \
	+(LINT_##severity == LINT_PERF)
#include "rules.def"
#undef LINT_RULE
};

/* What a rule has to see before it can speak. */
enum lint_scope { LINT_PACKET, LINT_STREAM, LINT_FILE };

/* LINT_CAP001 ...: one for each line of rules.def. */
enum lint_rule_id {
#define LINT_RULE(id, name, severity, scope, layer, text, why, cause, advice) LINT_##id,
#include "rules.def"
	LINT_RULE_COUNT
};

struct lint_rule {
	const char *id;     /* "BTH006" */
	const char *name;   /* "bth-pkey-invalid" */
	uint8_t severity;   /* enum lint_severity */
	uint8_t scope;      /* enum lint_scope */
	const char *layer;  /* "bth"; "file" for rules about the capture itself */
	const char *text;   /* one line: when it fires */
	const char *why;    /* why that is wrong, and who says so */
	const char *cause;  /* the usual cause */
	const char *advice; /* what to do */
};

extern const struct lint_rule lint_rules[LINT_RULE_COUNT];

/* A rule that says nothing where another says all: silence.def. */
struct lint_silence {
	enum lint_rule_id rule, by;
	const char *why; /* a sentence that begins small */
};

extern const struct lint_silence lint_silences[];
extern const unsigned int lint_silence_count;

/* The rule with this id or name (case does not matter), LINT_RULE_COUNT if there is none. */
enum lint_rule_id lint_rule_find(const char *id_or_name);

/*
 * Switches rules on or off by a list of ids, names and group prefixes separated
 * by commas ("CMS,CRC001,icrc-bad", "all"). @set has LINT_RULE_COUNT entries. Returns NULL, or
 * the first word of the list that names nothing (it points into @list; its
 * length goes to *@len).
 */
const char *lint_select(bool *set, const char *list, bool on, size_t *len);

/* The rules that are on unless something else is said: all but those of level perf. */
void lint_select_default(bool *set);

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

/* How severe a finding of @rule is: one step less than the rule where there is @doubt, but no
 * fault becomes advice. */
enum lint_severity lint_severity_of(enum lint_rule_id rule, uint16_t doubt);

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
struct track_plain;

/* A linter for one file. Options and sink are copied; the sink is called from lint_packet() and
 * lint_finish(). Never NULL (memory comes from GLib, which aborts when there is none). */
struct lint *lint_new(const struct lint_options *options, const struct lint_sink *sink);
void lint_free(struct lint *l);

/* All rules about this packet, then what streams and file-wide rules remember of it. */
void lint_packet(struct lint *l, const struct track_frame *frame, struct track_view *view,
		 const struct track_context *context);

/*
 * Whether no rule about packets has anything to say of a plain one, as far as it alone shows (track/view/plain.h). It
 * asks nothing but the packet: any thread may call it.
 */
bool lint_is_ordinary(const struct track_plain *p);

/*
 * The same as lint_packet() of a plain packet of which lint_is_ordinary(), and of which trackers say nothing. False: a
 * rule asks for its view, and nothing was done.
 */
bool lint_packet_plain(struct lint *l, const struct track_frame *frame,
		       const struct track_plain *p);

/* Whether rules that are on are about events: then call track_want_events(), and this ... */
bool lint_wants_events(const struct lint *l);

/* ... with those of track_events() after each packet, and after track_finish(). */
void lint_events(struct lint *l, const struct track_event *events, unsigned int n);

/* Whether it matters there that an event of that kind happened: track_want_kinds(). */
bool lint_reads_event(const struct lint *l, enum track_event_kind kind);

/* Whether some of these events are of streams: then call track_want_streams(), too. */
bool lint_wants_streams(const struct lint *l);

/* What the caller knows of the whole capture (enum track_doubt), as track_doubt(). */
void lint_doubt(struct lint *l, uint16_t doubt);

/* The last packet has been handed over: before the events of track_finish(). */
void lint_last_packet(struct lint *l);

/* Live: @now_ns is the time. No finding is held for longer than a second. */
void lint_tick(struct lint *l, uint64_t now_ns);

/* The capturing side says that it lost so many packets (more): they explain as many findings. */
void lint_dropped(struct lint *l, uint64_t packets);

/* Findings still held, then the file-wide rules, once the last packet has been handed over. */
void lint_finish(struct lint *l);

/* Packets in a form that nothing is said of (CAP019), so far. */
uint64_t lint_unexamined(const struct lint *l);

/* What is said of one thing as of one: "1 packets" becomes "1 packet". No name of a file may be in @text. */
void lint_as_one(char *text);

/* What a request of a MAD is called: "SubnAdm Get(PathRecord)"; returns @buf. */
#define LINT_MAD_TEXT 128
const char *lint_mad_request_text(uint8_t mgmt_class, uint8_t method, uint16_t attr_id,
				  char buf[LINT_MAD_TEXT]);

/*
 * A finding about the file that only its reader can know (a truncated record,
 * drops counted by the capturing host): CAP001, CAP002, CAP006, CAP007, CAP009. @frame
 * may be NULL. Dropped if the rule is off.
 */
void lint_file_finding(struct lint *l, enum lint_rule_id rule, const struct track_frame *frame,
		       const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif /* IBWIRE_LINT_H */
