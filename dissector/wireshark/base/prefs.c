/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prefs.c - the preferences, and what they mean for the linter. */
#include "prefs.h"
#include "proto.h"
#include "lint/lint.h"

#include <epan/range.h>

struct iw_prefs iw_prefs;

static int mode = IW_AUGMENT;
static int severity = LINT_WARNING;
static iw_bool verify_icrc = true;
static iw_bool all_fields;
static iw_bool relative_psns = true;
static iw_bool stream_in_info;
static int names = IW_NAMES_BOTH;
static const char *select_rules = "";
static const char *ignore_rules = "";
static range_t *roce_ports;
static unsigned int max_findings = 100000;
static unsigned int rmpp_kib = 16384;
static unsigned int reassemble_kib = 65536;
static uint16_t ports[IW_ROCE_PORTS_MAX];
static unsigned int thresholds[TRACK_THRESHOLDS];

static const enum_val_t modes[] = { { "augment", "Augment the built-in dissector", IW_AUGMENT },
				    { "takeover", "Take over from it", IW_TAKE_OVER },
				    { "off", "Off", IW_OFF },
				    { NULL, NULL, 0 } };

static const enum_val_t names_of_fields[] = {
	{ "both", "Both", IW_NAMES_BOTH },
	{ "ibwire", "ibwire.*", IW_NAMES_IBWIRE },
	{ "infiniband", "infiniband.*", IW_NAMES_INFINIBAND },
	{ NULL, NULL, 0 },
};

static const enum_val_t severities[] = { { "error", "Error", LINT_ERROR },
					 { "warning", "Warning", LINT_WARNING },
					 { "note", "Note", LINT_NOTE },
#define IF_PERF(text) (LINT_PERF_RULES ? (text) : NULL) /* NULL ends the list */
					 { IF_PERF("perf"), IF_PERF("Performance advice"),
					   LINT_PERF },
					 { NULL, NULL, 0 } };

static void set_ports(void)
{
	struct lint_options *lint = &iw_prefs.lint;
	unsigned int i;
	uint32_t port;

	lint->roce_ports = ports;
	lint->n_roce_ports = 0;
	for (i = 0; roce_ports && i < roce_ports->nranges; i++)
		for (port = roce_ports->ranges[i].low;
		     port <= roce_ports->ranges[i].high && lint->n_roce_ports < IW_ROCE_PORTS_MAX;
		     port++)
			ports[lint->n_roce_ports++] = (uint16_t)port;
}

static void select_by(const char *list, bool on)
{
	const char *bad;
	size_t len;

	if (!*list)
		return;
	bad = lint_select(iw_prefs.lint.rules, list, on, &len);
	if (bad)
		g_warning("ibwire: no rule is called \"%.*s\"", (int)len, bad);
}

/* As it was set, or the nearest value that it may have. */
static uint64_t threshold(enum track_threshold id)
{
	const struct track_threshold_row *row = &track_threshold_rows[id];
	uint64_t value = CLAMP(thresholds[id], row->least, row->most);

	if (value != thresholds[id])
		g_warning("ibwire: %s is %" G_GUINT64_FORMAT
			  ", as %u is not from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
			  row->name, (guint64)value, thresholds[id], (guint64)row->least,
			  (guint64)row->most);
	return value;
}

static void set_thresholds(void)
{
	uint64_t *value = iw_prefs.thresholds.value;
	unsigned int i;

	for (i = 0; i < TRACK_THRESHOLDS; i++)
		value[i] = threshold((enum track_threshold)i);
	value[TRACK_THRESHOLD_missed_sweeps] =
		MIN(value[TRACK_THRESHOLD_missed_sweeps], value[TRACK_THRESHOLD_sweeps]);
}

void iw_prefs_apply(void)
{
	iw_prefs.mode = (enum iw_mode)mode;
	iw_prefs.verify_icrc = verify_icrc;
	iw_prefs.names = (enum iw_names)names;
	iw_prefs.all_fields = all_fields;
	iw_prefs.relative_psns = relative_psns;
	iw_prefs.stream_in_info = stream_in_info;
	iw_prefs.severity = (enum lint_severity)severity;
	iw_prefs.max_findings = iw_prefs.lint.held = max_findings;
	iw_prefs.rmpp_bytes = (uint64_t)rmpp_kib * 1024;
	iw_prefs.reassemble_bytes = (uint64_t)reassemble_kib * 1024;
	set_ports();
	set_thresholds();
	lint_select_default(iw_prefs.lint.rules);
	if (!iw_prefs.verify_icrc)
		select_by("CRC", false);
	select_by(select_rules, true);
	select_by(ignore_rules, false);
}

/* "flap-downs" is the preference ibwire.flap_downs. */
static void register_threshold(module_t *module, enum track_threshold id)
{
	static const char *const names_of[TRACK_THRESHOLDS] = {
#define TRACK_THRESHOLD(id, name, unit, otherwise, least, most, rules, text)                       \
	[TRACK_THRESHOLD_##id] = #id,
#include "track/base/thresholds.def"
	};
	const struct track_threshold_row *row = &track_threshold_rows[id];

	thresholds[id] = (unsigned int)row->otherwise;
	prefs_register_uint_preference(
		module, names_of[id],
		wmem_strdup_printf(wmem_epan_scope(), "Threshold %s (%s)", row->name, row->unit),
		wmem_strdup_printf(wmem_epan_scope(),
				   "Of the rules %s, from %" G_GUINT64_FORMAT
				   " to %" G_GUINT64_FORMAT ": %s",
				   row->rules, (guint64)row->least, (guint64)row->most, row->text),
		10, &thresholds[id]);
}

void iw_prefs_register(void)
{
	unsigned int i;
	module_t *module = prefs_register_protocol(iw_proto, NULL);

	range_convert_str(wmem_epan_scope(), &roce_ports, "", 65535);
	prefs_register_enum_preference(module, "mode", "Mode",
				       "Add to the built-in InfiniBand dissector, replace it, or "
				       "do nothing",
				       &mode, modes, false);
	prefs_register_range_preference(module, "roce_ports", "Further RoCE v2 ports",
					"UDP ports that carry RoCE v2 in addition to 4791",
					&roce_ports, 65535);
	prefs_register_enum_preference(
		module, "names", "Names of the fields",
		"In take-over mode: those of ibwire, those of the built-in dissector where it has "
		"the field, or both. One name per field is faster. Fields that a filter, a column "
		"or a tap uses are there by either name",
		&names, names_of_fields, false);
	prefs_register_bool_preference(
		module, "all_fields", "All fields next to the built-in dissector",
		"In augment mode: also show the fields that the built-in dissector has and decodes "
		"correctly. Fields that a filter, a column or a tap uses are always there",
		&all_fields);
	prefs_register_bool_preference(
		module, "relative_psns", "Relative PSNs",
		"Whether packets of a connection also have PSNs relative to the first request of "
		"their direction",
		&relative_psns);
	prefs_register_bool_preference(module, "stream_in_info", "Streams in the Info column",
				       "Whether Info says [stream 3] for a packet of a connection",
				       &stream_in_info);
	prefs_register_bool_preference(module, "verify_icrc", "Verify the ICRC",
				       "Whether to check the invariant CRC of each packet",
				       &verify_icrc);
	prefs_register_enum_preference(module, "severity", "Lowest severity shown",
				       "Less severe findings are not shown", &severity, severities,
				       false);
	prefs_register_string_preference(module, "select", "Rules to switch on",
					 "Ids, names and groups, separated by commas: CMS,icrc-bad",
					 &select_rules);
	prefs_register_string_preference(module, "ignore", "Rules to switch off",
					 "Ids, names and groups, separated by commas: CAP,BTH006",
					 &ignore_rules);
	prefs_register_uint_preference(module, "max_findings", "Most findings of a rule",
				       "Further findings are counted, but not shown; 0: no limit",
				       10, &max_findings);
	prefs_register_uint_preference(module, "rmpp_kib", "Memory for RMPP records, KiB",
				       "Records reassembled from several MADs are kept until the "
				       "file is closed; beyond this limit no more are reassembled",
				       10, &rmpp_kib);
	prefs_register_uint_preference(
		module, "reassemble_kib", "Memory for messages, KiB",
		"SENDs, WRITEs and READ responses of several packets are reassembled, and kept "
		"until the file is closed; beyond this limit no more are reassembled; 0: no "
		"reassembly",
		10, &reassemble_kib);
	for (i = 0; i < TRACK_THRESHOLDS; i++)
		register_threshold(module, (enum track_threshold)i);
	prefs_register_obsolete_preference(module, "send_kib");
}
