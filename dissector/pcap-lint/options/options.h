/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - what the user asked for: on the command line and in config files. */
#ifndef PL_OPTIONS_H
#define PL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include <lint/lint.h>

#include "chosen.h"
#include "upper_named.h"

enum pl_mode {
#define PL_MODE(mode, setter, option, captures, function) PL_MODE_##mode,
#include "modes.def"
};
enum pl_format {
#define PL_SINK(name) PL_FORMAT_##name,
#include "sinks.def"
};
enum pl_framing { PL_CONVERT_ERF, PL_CONVERT_PCAP, PL_CONVERT_PCAPNG };
enum pl_when { PL_AUTO, PL_ALWAYS, PL_NEVER };

/* --fail-on never: above error there is nothing. */
#define PL_FAIL_NEVER (-1)

#define PL_ROCE_PORTS_MAX 64

/* Packets of --context, which are held. */
#define PL_CONTEXT_MAX 1000

/* --story auto: the worst connection. */
#define PL_STORY_AUTO UINT64_MAX
/* --story subnet: no connection has such a number. */
#define PL_STORY_SUBNET (UINT64_C(1) + UINT32_MAX)

/* Threads at most. */
#define PL_THREADS_MAX 64u

/* More than any link has, in bits a second. */
#define PL_SPEED_MAX UINT64_C(1000000000000000)

/* The strings belong to the settings the options were made from. */
struct pl_options {
	enum pl_mode mode;
	const char *explain; /* PL_MODE_EXPLAIN */
	const char *repair;  /* PL_MODE_REPAIR: the file to write */
	const char *convert; /* PL_MODE_CONVERT: the file to write, and how */
	enum pl_framing convert_to;
	const char *write;  /* a file for the packets with findings; NULL: none */
	bool write_all;     /* for all packets */
	bool messages;      /* with PL_MODE_DECODE: reassembled */
	uint64_t context;   /* packets before and after each of them, too */
	const char *filter; /* NULL: none */
	struct pl_chosen chosen;
	struct pl_upper_names ulps;
	uint64_t count; /* 0: all packets */
	bool rules[LINT_RULE_COUNT];
	bool off[LINT_RULE_COUNT]; /* switched off by name: --severity perf leaves them so */
	enum lint_severity severity;
	int fail_on; /* enum lint_severity or PL_FAIL_NEVER */
	enum pl_format format;
	const char *output;    /* NULL: standard output */
	uint64_t max_per_rule; /* 0: all */
	bool each;             /* findings one by one: --max-per-rule was given */
	bool count_rules;
	uint64_t max_memory; /* bytes that connections may take */
	unsigned int jobs;   /* threads; 0: as fits the file and the machine */
	uint64_t max_size;   /* as in struct capture_options, and: */
	unsigned int max_ratio;
	uint16_t roce_ports[PL_ROCE_PORTS_MAX];
	unsigned int n_roce_ports;
	uint64_t link_speed; /* bits/s; 0: not said */
	struct track_thresholds thresholds;
	uint32_t user0;     /* the link type LINKTYPE_USER0 stands for */
	const char *config; /* NULL: .pcap-lint.conf where there is one */
	bool quiet, verbose;
	bool join, stats, story, timeline, series;
	uint64_t interval_ns;         /* of the timeline; 0: as fits */
	uint64_t story_of;            /* a connection; PL_STORY_AUTO */
	struct pl_chosen story_named; /* or one that is called so */
	enum pl_when color, progress;
};

/* "|text|json|sarif..." */
static const char pl_format_words[] =
#define PL_SINK(name) "|" #name
#include "sinks.def"
	;

#define PL_OPTIONS_ERROR pl_options_error_quark()
GQuark pl_options_error_quark(void);

/* The command line: its settings, in order, and the captures it names. */
struct pl_command_line {
	GPtrArray *settings; /* of struct pl_setting, private to options.c */
	GPtrArray *config;   /* the same of the config file read last; NULL: none */
	char *config_path;   /* its name; NULL: none */
	GPtrArray *notes;    /* of char *: what to say of config files that were found */
	GHashTable *told;    /* notes that were said: the caller's to fill */
	char **files;        /* NULL-terminated; never NULL */
};

/*
 * Reads the command line. False: *err says what is wrong with it. What is filled
 * in is freed by pl_command_line_free() in either case.
 */
bool pl_command_line_parse(struct pl_command_line *line, char **argv, GError **err);
void pl_command_line_free(struct pl_command_line *line);

/*
 * The options for one capture: the defaults, then what the config file says, then
 * the command line. @file NULL or "-": no config file next to it. What a config file changes that
 * was found, or why one is not read, comes to line->notes unless the command line says --quiet. False: *err says
 * which file and key is wrong. Strings in @options are valid until the next call.
 */
bool pl_options_for(struct pl_options *options, struct pl_command_line *line, const char *file,
		    GError **err);

/* The file that packets are written to; NULL: none. */
static inline const char *pl_packets_file(const struct pl_options *o)
{
	return o->repair ? o->repair : o->convert ? o->convert : o->write;
}

/* Where the config file next to a capture would be; of NULL and "-" that in the home directory. */
char *pl_config_path(const char *capture);

/* What --help prints; freed by the caller. */
char *pl_help_text(void);

/* What a packet of link type @linktype is. */
static inline uint32_t pl_linktype(const struct pl_options *o, uint32_t linktype)
{
	return linktype == IBW_LINKTYPE_USER0 && o->user0 ? o->user0 : linktype;
}

#endif /* PL_OPTIONS_H */
