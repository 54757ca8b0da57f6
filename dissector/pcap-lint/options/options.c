/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.c - the table of options, and what each does with its value. */
#include <string.h>

#include "nearest.h"
#include "options_impl.h"

/* Of a compressed file: what no capture is, and a bomb may be. options.def says them, too. */
#define MAX_SIZE ((uint64_t)256 << 30)
#define MAX_RATIO 1000

GQuark pl_options_error_quark(void)
{
	return g_quark_from_static_string("pl-options-error-quark");
}

static bool refuse(GError **err, const char *format, ...) G_GNUC_PRINTF(2, 3);

static bool refuse(GError **err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (err)
		*err = g_error_new_valist(PL_OPTIONS_ERROR, 0, format, args);
	va_end(args);
	return false;
}

static bool to_flag(bool *flag, const char *value, GError **err)
{
	*flag = strcmp(value, "true") == 0;
	return *flag || strcmp(value, "false") == 0 || refuse(err, "neither true nor false");
}

static bool to_number(uint64_t *number, const char *value, uint64_t max, GError **err)
{
	guint64 n = 0;

	*number = 0;
	if (!g_ascii_string_to_unsigned(value, 10, 0, max, &n, NULL))
		return refuse(err, "not a number from 0 to %" G_GUINT64_FORMAT, (guint64)max);
	*number = n;
	return true;
}

/* The index of @value among the words, which end with NULL. */
static bool to_word(int *index, const char *value, const char *const *words, GError **err)
{
	GString *all = g_string_new(NULL);
	bool found = false;

	for (*index = 0; words[*index] && !found; *index += !found) {
		found = strcmp(value, words[*index]) == 0;
		g_string_append_printf(all, "%s%s", *index ? ", " : "", words[*index]);
	}
	if (!found)
		refuse(err, "none of %s", all->str);
	g_string_free(all, TRUE);
	return found;
}

/* The options that say what to do, and nothing else. */
#define PL_MODE_FLAG(mode_, setter, option, captures, function)                                    \
	static bool set_##setter(struct pl_options *o, const char *value, GError **err)            \
	{                                                                                          \
		bool flag;                                                                         \
                                                                                                   \
		if (!to_flag(&flag, value, err))                                                   \
			return false;                                                              \
		o->mode = PL_MODE_##mode_;                                                         \
		return true;                                                                       \
	}
#include "modes.def"

/* What none of them is called, and which of them is called nearly so. */
static bool refuse_rule(GError **err, const char *wrong, size_t len)
{
	struct pl_nearest nearest = pl_nearest_to(wrong, len);
	unsigned int i;

	for (i = 0; i < LINT_RULE_COUNT; i++) {
		pl_nearest_try(&nearest, lint_rules[i].name);
		pl_nearest_try(&nearest, lint_rules[i].id);
	}
	if (nearest.best)
		return refuse(err, "no rule or group is called \"%.*s\": perhaps %s?",
			      (int)MIN(len, 80), wrong, nearest.best);
	return refuse(err, "no rule or group is called \"%.*s\" (see --list-rules)",
		      (int)MIN(len, 80), wrong);
}

/* Captures are collected by command_line.c. */
static bool set_read(struct pl_options *o, const char *value, GError **err)
{
	(void)o;
	return *value || refuse(err, "no file");
}

static bool set_explain(struct pl_options *o, const char *value, GError **err)
{
	bool set[LINT_RULE_COUNT] = { false };
	const char *wrong;
	size_t len;

	wrong = lint_select(set, value, true, &len);
	if (wrong)
		return refuse_rule(err, wrong, len);
	o->mode = PL_MODE_EXPLAIN;
	o->explain = value;
	return true;
}

static bool set_repair(struct pl_options *o, const char *value, GError **err)
{
	o->mode = PL_MODE_REPAIR;
	o->repair = value;
	return *value || refuse(err, "no file");
}

/* "FORMAT FILE": two words of the command line, or "FORMAT": command_line.c. */
static bool set_convert(struct pl_options *o, const char *value, GError **err)
{
	static const char *const framings[] = { "erf", "pcap", "pcapng", NULL };
	const char *file = strchr(value, ' ');
	char *word;
	int framing;
	bool ok;

	word = file ? g_strndup(value, (gsize)(file - value)) : g_strdup(value);
	ok = to_word(&framing, word, framings, err);
	g_free(word);
	if (!ok)
		return false;
	o->mode = PL_MODE_CONVERT;
	o->convert = file && file[1] ? file + 1 : NULL;
	o->convert_to = (enum pl_framing)framing;
	return true;
}

static bool set_write(struct pl_options *o, const char *value, GError **err)
{
	o->write = value;
	return *value || refuse(err, "no file");
}

static bool set_all(struct pl_options *o, const char *value, GError **err)
{
	return to_flag(&o->write_all, value, err);
}

static bool set_messages(struct pl_options *o, const char *value, GError **err)
{
	return to_flag(&o->messages, value, err);
}

static bool set_context(struct pl_options *o, const char *value, GError **err)
{
	return to_number(&o->context, value, PL_CONTEXT_MAX, err);
}

static bool set_filter(struct pl_options *o, const char *value, GError **err)
{
	(void)err;
	o->filter = value;
	return true;
}

static bool set_qp(struct pl_options *o, const char *value, GError **err)
{
	return pl_chosen_add_qps(&o->chosen, value, err);
}

static bool set_host(struct pl_options *o, const char *value, GError **err)
{
	return pl_chosen_add_hosts(&o->chosen, value, err);
}

static bool set_ulp(struct pl_options *o, const char *value, GError **err)
{
	return pl_upper_names_add(&o->ulps, value, err);
}

static bool set_count(struct pl_options *o, const char *value, GError **err)
{
	return to_number(&o->count, value, INT64_MAX, err);
}

static bool switch_rules(struct pl_options *o, const char *value, bool on, GError **err)
{
	const char *wrong;
	size_t len;

	wrong = lint_select(o->rules, value, on, &len);
	lint_select(o->off, value, !on, &len);
	return !wrong || refuse_rule(err, wrong, len);
}

static bool set_select(struct pl_options *o, const char *value, GError **err)
{
	return switch_rules(o, value, true, err);
}

static bool set_ignore(struct pl_options *o, const char *value, GError **err)
{
	return switch_rules(o, value, false, err);
}

static bool to_level(int *level, const char *value, bool or_never, GError **err)
{
	const char *words[LINT_SEVERITY_COUNT + 2] = { NULL };
	unsigned int n = LINT_SEVERITY_COUNT;

	memcpy(words, lint_severity_names, sizeof(lint_severity_names));
	if (strcmp(value, words[LINT_PERF]) == 0) { /* taken, if not offered */
		*level = LINT_PERF;
		return true;
	}
	if (!LINT_PERF_RULES)
		words[--n] = NULL;
	if (or_never)
		words[n] = "never";
	if (!to_word(level, value, words, err))
		return false;
	if (*level == (int)n)
		*level = LINT_SEVERITY_COUNT;
	return true;
}

static bool set_severity(struct pl_options *o, const char *value, GError **err)
{
	unsigned int i;
	int level;

	if (!to_level(&level, value, false, err))
		return false;
	o->severity = (enum lint_severity)level;
	for (i = 0; level == LINT_PERF && i < LINT_RULE_COUNT; i++)
		if (lint_rules[i].severity == LINT_PERF && !o->off[i])
			o->rules[i] = true;
	return true;
}

static bool set_fail_on(struct pl_options *o, const char *value, GError **err)
{
	int level;

	if (!to_level(&level, value, true, err))
		return false;
	o->fail_on = level == LINT_SEVERITY_COUNT ? PL_FAIL_NEVER : level;
	return true;
}

static bool set_format(struct pl_options *o, const char *value, GError **err)
{
	static const char *const formats[] = {
#define PL_SINK(name) #name,
#include "sinks.def"
		NULL
	};
	int format;

	if (!to_word(&format, value, formats, err))
		return false;
	o->format = (enum pl_format)format;
	return true;
}

static bool set_output(struct pl_options *o, const char *value, GError **err)
{
	o->output = value;
	return *value || refuse(err, "no file");
}

static bool set_max_per_rule(struct pl_options *o, const char *value, GError **err)
{
	o->each = true;
	return to_number(&o->max_per_rule, value, INT64_MAX, err);
}

/* "64", "64K": up to T, powers of 1024. */
static bool to_bytes(uint64_t *bytes, const char *value, GError **err)
{
	static const char units[] = "KMGT";
	size_t n = strlen(value);
	const char *unit = n ? strchr(units, g_ascii_toupper(value[n - 1])) : NULL;
	unsigned int shift = unit ? (unsigned int)(unit - units + 1) * 10 : 0;
	char *number = g_strndup(value, unit ? n - 1 : n);
	guint64 count = 0;
	bool ok = g_ascii_string_to_unsigned(number, 10, 0, (guint64)INT64_MAX >> shift, &count,
					     NULL);

	g_free(number);
	*bytes = (uint64_t)count << shift;
	return ok || refuse(err, "not a number of bytes, as 1000000 or 64G");
}

static bool set_max_memory(struct pl_options *o, const char *value, GError **err)
{
	if (!to_bytes(&o->max_memory, value, err))
		return false;
	return o->max_memory >= TRACK_MEMORY_MIN || refuse(err, "less than 1M");
}

static bool set_jobs(struct pl_options *o, const char *value, GError **err)
{
	guint64 jobs;

	if (!g_ascii_string_to_unsigned(value, 10, 1, PL_THREADS_MAX, &jobs, NULL))
		return refuse(err, "no number from 1 to 64");
	o->jobs = (unsigned int)jobs;
	return true;
}

/* Whoever sets a limit means that one. */
static bool set_max_size(struct pl_options *o, const char *value, GError **err)
{
	o->max_ratio = 0;
	return to_bytes(&o->max_size, value, err);
}

static bool add_port(struct pl_options *o, const char *word, GError **err)
{
	uint64_t port;

	if (!to_number(&port, word, 65535, err))
		return false;
	if (o->n_roce_ports == PL_ROCE_PORTS_MAX)
		return refuse(err, "more than %d ports", PL_ROCE_PORTS_MAX);
	o->roce_ports[o->n_roce_ports++] = (uint16_t)port;
	return true;
}

/* "4791,4792": each word by itself. */
static bool set_each(struct pl_options *o, const char *value,
		     bool (*set)(struct pl_options *o, const char *word, GError **err),
		     GError **err)
{
	char **words = g_strsplit_set(value, ",; ", -1);
	bool ok = true;
	size_t i;

	for (i = 0; ok && words[i]; i++)
		ok = (*words[i] == '\0' && i > 0) || set(o, words[i], err);
	g_strfreev(words);
	return ok;
}

static bool set_roce_port(struct pl_options *o, const char *value, GError **err)
{
	return set_each(o, value, add_port, err);
}

/* "flap-time=600" */
static bool set_one_threshold(struct pl_options *o, const char *word, GError **err)
{
	const char *value = strchr(word, '=');
	const size_t len = value ? (size_t)(value - word) : strlen(word);
	const struct track_threshold_row *row = track_threshold_rows;
	struct pl_nearest nearest = pl_nearest_to(word, len);
	guint64 n = 0;
	unsigned int i;

	for (i = 0; i < TRACK_THRESHOLDS; i++, row++) {
		if (strlen(row->name) == len && !strncmp(row->name, word, len))
			break;
		pl_nearest_try(&nearest, row->name);
	}
	if (i == TRACK_THRESHOLDS)
		return refuse(err, "no threshold is called \"%.*s\"%s%s%s", (int)MIN(len, 80), word,
			      nearest.best ? ": perhaps " : "", nearest.best ? nearest.best : "",
			      nearest.best ? "?" : "");
	if (!value || !g_ascii_string_to_unsigned(value + 1, 10, row->least, row->most, &n, NULL))
		return refuse(err,
			      "%s: not a number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
			      row->name, (guint64)row->least, (guint64)row->most);
	o->thresholds.value[i] = n;
	return true;
}

static bool set_threshold(struct pl_options *o, const char *value, GError **err)
{
	return set_each(o, value, set_one_threshold, err);
}

static bool set_count_rules(struct pl_options *o, const char *value, GError **err)
{
	return to_flag(&o->count_rules, value, err);
}

static bool set_user0(struct pl_options *o, const char *value, GError **err)
{
	guint64 linktype;

	if (!g_ascii_string_to_unsigned(value, 10, 0, UINT16_MAX, &linktype, NULL) ||
	    !ibw_linktype_known((uint32_t)linktype)) {
		g_set_error(err, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "unsupported link type \"%s\"", value);
		return false;
	}
	o->user0 = (uint32_t)linktype;
	return true;
}

/* "100G": of 1000, as links are sold. */
static bool set_link_speed(struct pl_options *o, const char *value, GError **err)
{
	static const char units[] = "KMGT";
	size_t n = strlen(value);
	const char *unit = n ? strchr(units, g_ascii_toupper(value[n - 1])) : NULL;
	unsigned int i, thousands = unit ? (unsigned int)(unit - units + 1) : 0;
	char *number = g_strndup(value, unit ? n - 1 : n);
	guint64 speed = 0;
	bool ok = g_ascii_string_to_unsigned(number, 10, 1, 1000000, &speed, NULL) ||
		  (!unit && g_ascii_string_to_unsigned(number, 10, 1, PL_SPEED_MAX, &speed, NULL));

	g_free(number);
	for (i = 0; i < thousands; i++)
		speed *= 1000;
	o->link_speed = speed;
	return (ok && speed <= PL_SPEED_MAX) || refuse(err, "no speed, as 100G");
}

static bool set_join(struct pl_options *o, const char *value, GError **err)
{
	return to_flag(&o->join, value, err);
}

static bool set_series(struct pl_options *o, const char *value, GError **err)
{
	return to_flag(&o->series, value, err);
}

static bool set_stats(struct pl_options *o, const char *value, GError **err)
{
	return to_flag(&o->stats, value, err);
}

static bool set_story(struct pl_options *o, const char *value, GError **err)
{
	o->story = true;
	o->story_of = PL_STORY_AUTO;
	o->story_named = (struct pl_chosen){ 0 };
	if (strcmp(value, "auto") == 0)
		return true;
	if (strcmp(value, "subnet") == 0) {
		o->story_of = PL_STORY_SUBNET;
		return true;
	}
	if (strchr(value, ':') || g_ascii_strncasecmp(value, "0x", 2) == 0)
		return pl_chosen_add_qps(&o->story_named, value, err);
	if (g_ascii_string_to_unsigned(value, 10, 0, UINT32_MAX, &o->story_of, NULL))
		return true;
	return refuse(
		err,
		"no number of a connection, no name of a queue pair, as 0x22, and not auto or subnet");
}

/* A day, in nanoseconds. */
#define INTERVAL_MAX 86400000000000u

/* "10ms" */
static bool set_interval(struct pl_options *o, const char *value, GError **err)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	char *number;
	guint64 count;
	bool ok;
	size_t i;

	o->timeline = true;
	o->interval_ns = 0;
	if (strcmp(value, "auto") == 0)
		return true;
	for (i = 0; i < G_N_ELEMENTS(units) && !g_str_has_suffix(value, units[i].name); i++)
		;
	if (i == G_N_ELEMENTS(units))
		return refuse(err, "not a time, as 10ms, and not auto");
	number = g_strndup(value, strlen(value) - strlen(units[i].name));
	ok = g_ascii_string_to_unsigned(number, 10, 1, INTERVAL_MAX / units[i].ns, &count, NULL);
	g_free(number);
	o->interval_ns = ok ? count * units[i].ns : 0;
	return ok || refuse(err, "not a time from 1ns to 86400s, as 10ms, and not auto");
}

static bool set_config(struct pl_options *o, const char *value, GError **err)
{
	o->config = value;
	return *value || refuse(err, "no file");
}

static bool set_quiet(struct pl_options *o, const char *value, GError **err)
{
	return to_flag(&o->quiet, value, err);
}

static bool set_verbose(struct pl_options *o, const char *value, GError **err)
{
	return to_flag(&o->verbose, value, err);
}

static bool set_color(struct pl_options *o, const char *value, GError **err)
{
	static const char *const whens[] = { "auto", "always", "never", NULL };
	int when;

	if (!to_word(&when, value, whens, err))
		return false;
	o->color = (enum pl_when)when;
	return true;
}

static bool set_progress(struct pl_options *o, const char *value, GError **err)
{
	static const char *const whens[] = { "auto", "never", NULL };
	int when;

	if (!to_word(&when, value, whens, err))
		return false;
	o->progress = when ? PL_NEVER : PL_AUTO;
	return true;
}

const struct pl_option pl_option_table[] = {
#define PL_OPTION(setter, name, short_name, scope, arg, help, man)                                 \
	{ name, short_name, PL_SCOPE_##scope, arg, help, set_##setter },
#include "options.def"
#undef PL_OPTION
};
const unsigned int pl_option_count = G_N_ELEMENTS(pl_option_table);

const struct pl_option *pl_option_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < pl_option_count; i++)
		if (strcmp(pl_option_table[i].name, name) == 0 ||
		    (*name && !name[1] && pl_option_table[i].short_name == *name))
			return &pl_option_table[i];
	return NULL;
}

const char *pl_option_nearest(const char *name, size_t len)
{
	struct pl_nearest nearest = pl_nearest_to(name, len);
	unsigned int i;

	for (i = 0; i < pl_option_count; i++)
		pl_nearest_try(&nearest, pl_option_table[i].name);
	return nearest.best;
}

static void setting_free(void *setting)
{
	g_free(((struct pl_setting *)setting)->value);
	g_free(setting);
}

GPtrArray *pl_settings_new(void)
{
	return g_ptr_array_new_with_free_func(setting_free);
}

void pl_settings_add(GPtrArray *settings, const struct pl_option *option, const char *value)
{
	struct pl_setting *setting = g_new(struct pl_setting, 1);

	setting->option = option;
	setting->value = g_strdup(value);
	g_ptr_array_add(settings, setting);
}

bool pl_settings_apply(const GPtrArray *settings, struct pl_options *options, GError **err)
{
	const struct pl_setting *setting;
	unsigned int i;

	for (i = 0; i < settings->len; i++) {
		setting = g_ptr_array_index(settings, i);
		if (!setting->option->set(options, setting->value, err)) {
			g_prefix_error(err, "%s %s: ", setting->option->name, setting->value);
			return false;
		}
	}
	return true;
}

void pl_options_default(struct pl_options *options)
{
	memset(options, 0, sizeof(*options));
	lint_select_default(options->rules);
	options->severity = LINT_WARNING;
	options->fail_on = LINT_ERROR;
	options->max_per_rule = 10;
	options->max_memory = TRACK_MEMORY;
	options->max_size = MAX_SIZE;
	options->max_ratio = MAX_RATIO;
	track_thresholds_default(&options->thresholds);
}
