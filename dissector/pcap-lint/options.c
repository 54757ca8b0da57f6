/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.c - the table of options, what each does with its value, and the command line. */
#include <string.h>

#include "options_impl.h"

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

static bool set_decode(struct pl_options *o, const char *value, GError **err)
{
	bool flag;

	if (!to_flag(&flag, value, err))
		return false;
	o->mode = PL_DECODE;
	return true;
}

static bool set_explain(struct pl_options *o, const char *value, GError **err)
{
	bool set[LINT_RULE_COUNT] = { false };
	const char *wrong;
	size_t len;

	wrong = lint_select(set, value, true, &len);
	if (wrong)
		return refuse(err, "no rule or group is called \"%.*s\" (see --list-rules)",
			      (int)MIN(len, 80), wrong);
	o->mode = PL_EXPLAIN;
	o->explain = value;
	return true;
}

static bool set_repair(struct pl_options *o, const char *value, GError **err)
{
	(void)err;
	o->mode = PL_REPAIR;
	o->repair = value;
	return true;
}

/* "FORMAT FILE": two words of the command line, put together by with_values_apart(). */
static bool set_convert(struct pl_options *o, const char *value, GError **err)
{
	static const char *const framings[] = { "erf", "pcap", "pcapng", NULL };
	const char *file = strchr(value, ' ');
	char *word;
	int framing;
	bool ok;

	if (!file || !file[1])
		return refuse(err, "needs a format and a file");
	word = g_strndup(value, (gsize)(file - value));
	ok = to_word(&framing, word, framings, err);
	g_free(word);
	if (!ok)
		return false;
	o->mode = PL_CONVERT;
	o->convert = file + 1;
	o->convert_to = (enum pl_framing)framing;
	return true;
}

static bool set_list_rules(struct pl_options *o, const char *value, GError **err)
{
	bool flag;

	if (!to_flag(&flag, value, err))
		return false;
	o->mode = PL_LIST_RULES;
	return true;
}

static bool set_help(struct pl_options *o, const char *value, GError **err)
{
	bool flag;

	if (!to_flag(&flag, value, err))
		return false;
	o->mode = PL_HELP;
	return true;
}

static bool set_version(struct pl_options *o, const char *value, GError **err)
{
	bool flag;

	if (!to_flag(&flag, value, err))
		return false;
	o->mode = PL_VERSION_ONLY;
	return true;
}

static bool set_filter(struct pl_options *o, const char *value, GError **err)
{
	(void)err;
	o->filter = value;
	return true;
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
	return !wrong || refuse(err, "no rule or group is called \"%.*s\" (see --list-rules)",
				(int)MIN(len, 80), wrong);
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

	memcpy(words, lint_severity_names, sizeof(lint_severity_names));
	if (or_never)
		words[LINT_SEVERITY_COUNT] = "never";
	return to_word(level, value, words, err);
}

static bool set_severity(struct pl_options *o, const char *value, GError **err)
{
	int level;

	if (!to_level(&level, value, false, err))
		return false;
	o->severity = (enum lint_severity)level;
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
	static const char *const formats[] = { "text", "json", NULL };
	int format;

	if (!to_word(&format, value, formats, err))
		return false;
	o->format = (enum pl_text_format)format;
	return true;
}

static bool set_output(struct pl_options *o, const char *value, GError **err)
{
	(void)err;
	o->output = value;
	return true;
}

static bool set_max_per_rule(struct pl_options *o, const char *value, GError **err)
{
	return to_number(&o->max_per_rule, value, INT64_MAX, err);
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

static bool set_roce_port(struct pl_options *o, const char *value, GError **err)
{
	char **words = g_strsplit_set(value, ",; ", -1);
	bool ok = true;
	size_t i;

	for (i = 0; ok && words[i]; i++)
		ok = (*words[i] == '\0' && i > 0) || add_port(o, words[i], err);
	g_strfreev(words);
	return ok;
}

static bool set_config(struct pl_options *o, const char *value, GError **err)
{
	(void)err;
	o->config = value;
	return true;
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

void pl_settings_apply(const GPtrArray *settings, struct pl_options *options)
{
	unsigned int i;

	for (i = 0; i < settings->len; i++) {
		const struct pl_setting *setting = g_ptr_array_index(settings, i);

		setting->option->set(options, setting->value, NULL);
	}
}

void pl_options_default(struct pl_options *options)
{
	memset(options, 0, sizeof(*options));
	lint_select_default(options->rules);
	options->severity = LINT_WARNING;
	options->fail_on = LINT_ERROR;
	options->max_per_rule = 10;
}

/* GLib's callback for each option it meets: "--count" or "-c", and the argument. */
static gboolean met_option(const char *name, const char *value, void *settings, GError **err)
{
	const struct pl_option *option = pl_option_find(name + (name[1] == '-' ? 2 : 1));
	struct pl_options scratch;
	GError *why = NULL;

	if (!value)
		value = "true";
	pl_options_default(&scratch);
	if (!option->set(&scratch, value, &why)) {
		g_set_error(err, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s %s: %s", name, value,
			    why->message);
		g_error_free(why);
		return FALSE;
	}
	pl_settings_add(settings, option, value);
	return TRUE;
}

static GOptionEntry entry_of(const struct pl_option *option)
{
	const GOptionArgFunc callback = met_option;
	GOptionEntry entry = { .long_name = option->name,
			       .short_name = option->short_name,
			       .flags = G_OPTION_FLAG_FILENAME,
			       .arg = G_OPTION_ARG_CALLBACK,
			       .description = option->help,
			       .arg_description = option->arg };

	/* The address of a function as a data pointer, as GLib wants it. */
	memcpy(&entry.arg_data, &callback, sizeof(entry.arg_data));
	if (!option->arg)
		entry.flags = G_OPTION_FLAG_NO_ARG;
	return entry;
}

static GOptionContext *context_new(GPtrArray *settings, char ***files)
{
	GOptionContext *context = g_option_context_new("FILE...");
	GOptionGroup *group = g_option_group_new("pcap-lint", "", "", settings, NULL);
	GOptionEntry *entries = g_new0(GOptionEntry, pl_option_count + 2);
	unsigned int i;

	for (i = 0; i < pl_option_count; i++)
		entries[i] = entry_of(&pl_option_table[i]);
	entries[i].long_name = G_OPTION_REMAINING;
	entries[i].arg = G_OPTION_ARG_FILENAME_ARRAY;
	entries[i].arg_data = files;
	g_option_group_add_entries(group, entries);
	g_option_context_set_main_group(context, group);
	g_option_context_set_help_enabled(context, FALSE); /* it is in our table */
	g_option_context_set_summary(
		context,
		"Check RDMA captures (RoCE v1 and v2, InfiniBand, IPoIB): pcap or pcapng, plain or "
		"compressed\nwith gzip, zstd or lz4. \"-\" reads standard input.");
	g_option_context_set_description(
		context,
		"Exit status: 0 nothing found, 1 findings at or above --fail-on, 2 wrong usage or "
		"an input that\ncannot be read. The man page, pcap-lint(1), has it all.\n");
	g_free(entries);
	return context;
}

char *pl_help(void)
{
	GOptionContext *context = context_new(NULL, NULL);
	char *help = g_option_context_get_help(context, TRUE, NULL), **parts;

	/* GLib writes "[OPTION...]" with an ellipsis, which not every terminal can show. */
	parts = g_strsplit(help, "\xe2\x80\xa6", -1);
	g_free(help);
	help = g_strjoinv("...", parts);
	g_strfreev(parts);
	g_option_context_free(context);
	return help;
}

/* Where the value begins in a word like "-c5" or "-qc5"; 0: there is none in it. */
static size_t value_at(const char *word)
{
	const struct pl_option *option;
	char name[2] = { 0 };
	size_t i;

	if (word[0] != '-' || word[1] == '-')
		return 0;
	for (i = 1; word[i]; i++) {
		name[0] = word[i];
		option = pl_option_find(name);
		if (!option)
			return 0;
		if (option->arg)
			return word[i + 1] ? i + 1 : 0;
	}
	return 0;
}

/* How many words after this one are its value, where GLib knows of one at most: 2 for
 * "--name", 1 for "--name=word"; 0: it is not that kind of option. */
static unsigned int values_more(const char *word)
{
	const struct pl_option *option;
	size_t n = strcspn(word, "=");
	char *name;

	if (strncmp(word, "--", 2) != 0)
		return 0;
	name = g_strndup(word + 2, n - 2);
	option = pl_option_find(name);
	g_free(name);
	if (!option || !option->arg || !strchr(option->arg, ' '))
		return 0;
	return word[n] ? 1 : 2;
}

/* "--name=word word" */
static char *with_values(char **argv, unsigned int more)
{
	return more == 2 ? g_strdup_printf("%s=%s %s", argv[0], argv[1], argv[2])
			 : g_strdup_printf("%s %s", argv[0], argv[1]);
}

/* "-c5" becomes "-c 5": GLib would not see the 5. An option of two values becomes one word. */
static char **with_values_apart(char **argv)
{
	GPtrArray *apart = g_ptr_array_new();
	bool options_end = false;
	unsigned int more, i;
	size_t at;

	for (; *argv; argv++) {
		options_end = options_end || strcmp(*argv, "--") == 0;
		more = options_end ? 0 : values_more(*argv);
		for (i = 0; i < more && argv[i + 1]; i++)
			;
		if (more && i == more) {
			g_ptr_array_add(apart, with_values(argv, more));
			argv += more;
			continue;
		}
		at = options_end ? 0 : value_at(*argv);
		if (at) {
			g_ptr_array_add(apart, g_strndup(*argv, at));
			g_ptr_array_add(apart, g_strdup(*argv + at));
		} else {
			g_ptr_array_add(apart, g_strdup(*argv));
		}
	}
	g_ptr_array_add(apart, NULL);
	return (char **)g_ptr_array_free(apart, FALSE);
}

bool pl_command_line_parse(struct pl_command_line *line, char **argv, GError **err)
{
	char **apart = with_values_apart(argv);
	GOptionContext *context;
	bool ok;

	memset(line, 0, sizeof(*line));
	line->settings = pl_settings_new();
	context = context_new(line->settings, &line->files);
	ok = g_option_context_parse_strv(context, &apart, err);
	g_option_context_free(context);
	g_strfreev(apart);
	if (!line->files)
		line->files = g_new0(char *, 1);
	return ok;
}

void pl_command_line_free(struct pl_command_line *line)
{
	g_ptr_array_unref(line->settings);
	if (line->config)
		g_ptr_array_unref(line->config);
	g_free(line->config_path);
	g_strfreev(line->files);
}

bool pl_options_for(struct pl_options *options, struct pl_command_line *line, const char *file,
		    GError **err)
{
	struct pl_options said;

	if (line->config)
		g_ptr_array_unref(line->config);
	g_free(line->config_path);
	line->config = NULL;

	pl_options_default(&said);
	pl_settings_apply(line->settings, &said);
	line->config_path = said.config ? g_strdup(said.config) : pl_config_find(file);
	pl_options_default(options);
	if (line->config_path) {
		line->config = pl_config_read(line->config_path, err);
		if (!line->config)
			return false;
		pl_settings_apply(line->config, options);
	}
	pl_settings_apply(line->settings, options);
	return true;
}
