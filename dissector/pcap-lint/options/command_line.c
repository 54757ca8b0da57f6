/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_line.c - parses the command line, and combines it with config files. */
#include <string.h>

#include "options_impl.h"

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
		"compressed\nwith gzip, zstd, lz4, xz or bzip2. \"-\" reads standard input.");
	g_option_context_set_description(
		context,
		"Exit status: 0 nothing found, 1 findings at or above --fail-on, 2 wrong usage or "
		"an input that\ncannot be read. The man page, pcap-lint(1), has the details.\n");
	g_free(entries);
	return context;
}

char *pl_help_text(void)
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

/* Whether the next word is the value of this one, whatever it looks like: "-o", "-qo", "--output". */
static bool takes_next(const char *word)
{
	const struct pl_option *option;
	char name[2] = { 0 };
	size_t i;

	if (strncmp(word, "--", 2) == 0) {
		option = word[2] && word[3] ? pl_option_find(word + 2) : NULL;
		return option && option->arg;
	}
	for (i = 1; word[0] == '-' && word[i]; i++) {
		name[0] = word[i];
		option = pl_option_find(name);
		if (!option || option->arg)
			return option && !word[i + 1];
	}
	return false;
}

/*
 * How many words after this one are its value, where GLib knows of one at most: 2 for
 * "--name", 1 for "--name=word", one less if an option follows in place of the last.
 */
static unsigned int values_more(char **argv)
{
	const struct pl_option *option;
	size_t n = strcspn(*argv, "=");
	unsigned int more;
	char *name;

	if (strncmp(*argv, "--", 2) != 0)
		return 0;
	name = g_strndup(*argv + 2, n - 2);
	option = pl_option_find(name);
	g_free(name);
	if (!option || !option->arg || !strchr(option->arg, ' '))
		return 0;
	more = (*argv)[n] ? 1 : 2;
	if (more == 2 && !argv[1])
		return 0;
	return !argv[more] || (argv[more][0] == '-' && argv[more][1]) ? more - 1 : more;
}

/* "--name=word word" */
static char *with_values(char **argv, unsigned int more)
{
	if (strchr(argv[0], '='))
		return g_strdup_printf("%s %s", argv[0], argv[1]);
	return more == 2 ? g_strdup_printf("%s=%s %s", argv[0], argv[1], argv[2])
			 : g_strdup_printf("%s=%s", argv[0], argv[1]);
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
		more = options_end ? 0 : values_more(argv);
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
			if (!options_end && takes_next(*argv) && argv[1])
				g_ptr_array_add(apart, g_strdup(*++argv));
		}
	}
	g_ptr_array_add(apart, NULL);
	return (char **)g_ptr_array_free(apart, FALSE);
}

static struct pl_setting *last_setting(const GPtrArray *settings, const char *name)
{
	unsigned int i;

	for (i = settings->len; i-- > 0;) {
		struct pl_setting *setting = g_ptr_array_index(settings, i);

		if (strcmp(setting->option->name, name) == 0)
			return setting;
	}
	return NULL;
}

/* "--convert FORMAT CAPTURE -o FILE": what looked like the FILE is the only capture there is. */
static void find_capture(struct pl_command_line *line)
{
	struct pl_setting *convert = last_setting(line->settings, "convert");
	char *word = convert ? strchr(convert->value, ' ') : NULL;

	if (!word || line->files[0] || !last_setting(line->settings, "output"))
		return;
	g_strfreev(line->files);
	line->files = g_new0(char *, 2);
	line->files[0] = g_strdup(word + 1);
	*word = '\0';
}

/* "-r FILE" is FILE; those come first. */
static void take_read(struct pl_command_line *line)
{
	GPtrArray *files = g_ptr_array_new();
	unsigned int i;
	char **file;

	for (i = 0; i < line->settings->len; i++) {
		const struct pl_setting *setting = g_ptr_array_index(line->settings, i);

		if (strcmp(setting->option->name, "read") == 0)
			g_ptr_array_add(files, g_strdup(setting->value));
	}
	for (file = line->files; *file; file++)
		g_ptr_array_add(files, g_strdup(*file));
	g_ptr_array_add(files, NULL);
	g_strfreev(line->files);
	line->files = (char **)g_ptr_array_free(files, FALSE);
}

/* Which option was meant by the first that is none; GLib has said which that is. */
static void add_nearest(char *const *argv, GError **err)
{
	const char *near = NULL;
	size_t len;

	if (!err || !g_error_matches(*err, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION))
		return;
	for (; *argv && strcmp(*argv, "--") != 0; argv++) {
		len = strcspn(*argv, "=");
		if (strncmp(*argv, "--", 2) != 0 || !strstr((*err)->message, *argv))
			continue;
		near = pl_option_nearest(*argv + 2, len - 2);
		break;
	}
	if (near) {
		char *message = g_strdup_printf("%s, perhaps --%s?", (*err)->message, near);

		g_free((*err)->message);
		(*err)->message = message;
	}
}

bool pl_command_line_parse(struct pl_command_line *line, char **argv, GError **err)
{
	char **apart = with_values_apart(argv);
	GOptionContext *context;
	bool ok;

	memset(line, 0, sizeof(*line));
	line->settings = pl_settings_new();
	line->notes = g_ptr_array_new_with_free_func(g_free);
	line->told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	context = context_new(line->settings, &line->files);
	ok = g_option_context_parse_strv(context, &apart, err);
	g_option_context_free(context);
	if (!ok)
		add_nearest(argv, err);
	g_strfreev(apart);
	if (!line->files)
		line->files = g_new0(char *, 1);
	take_read(line);
	find_capture(line);
	return ok;
}

void pl_command_line_free(struct pl_command_line *line)
{
	g_ptr_array_unref(line->settings);
	if (line->config)
		g_ptr_array_unref(line->config);
	g_free(line->config_path);
	g_ptr_array_unref(line->notes);
	g_hash_table_unref(line->told);
	g_strfreev(line->files);
}

/* "PATH says: ignore = CRC, count = 15" */
static void note_settings(struct pl_command_line *line)
{
	GString *note = g_string_new(line->config_path);
	unsigned int i;

	for (i = 0; i < line->config->len; i++) {
		const struct pl_setting *setting = g_ptr_array_index(line->config, i);

		g_string_append_printf(note, "%s%s = %s",
				       i ? ", " : " says: ", setting->option->name, setting->value);
	}
	g_string_append(note, " (--config none: not to read it)");
	g_ptr_array_add(line->notes, g_string_free(note, FALSE));
}

/* Reads a config file that may be there. False: it is, and is wrong. */
static bool read_found(struct pl_command_line *line, const char *capture, bool quiet, GError **err)
{
	const enum pl_config_trust trust = capture ? PL_CONFIG_NEXT_TO : PL_CONFIG_AT_HOME;
	char *path = pl_config_path(capture);
	GError *why = NULL;

	line->config = pl_config_read(path, trust, &why);
	if (line->config) {
		line->config_path = path;
		if (!quiet && line->config->len)
			note_settings(line);
		return true;
	}
	if (!quiet && g_error_matches(why, PL_CONFIG_ERROR, PL_CONFIG_REFUSED))
		g_ptr_array_add(line->notes, g_strdup_printf("not read: %s", why->message));
	g_free(path);
	if (why->domain != PL_CONFIG_ERROR) {
		g_propagate_error(err, why);
		return false;
	}
	g_error_free(why);
	return true;
}

/* The one named, or the first there is: next to the capture, in the home directory. */
static bool read_config(struct pl_command_line *line, const struct pl_options *said,
			const char *capture, GError **err)
{
	if (said->config) {
		if (strcmp(said->config, "none") == 0)
			return true;
		line->config_path = g_strdup(said->config);
		line->config = pl_config_read(line->config_path, PL_CONFIG_NAMED, err);
		return line->config != NULL;
	}
	if (capture && strcmp(capture, "-") != 0 && !read_found(line, capture, said->quiet, err))
		return false;
	return line->config || read_found(line, NULL, said->quiet, err);
}

bool pl_options_for(struct pl_options *options, struct pl_command_line *line, const char *file,
		    GError **err)
{
	struct pl_options said;

	g_clear_pointer(&line->config, g_ptr_array_unref);
	g_clear_pointer(&line->config_path, g_free);
	g_ptr_array_set_size(line->notes, 0);

	pl_options_default(&said);
	if (!pl_settings_apply(line->settings, &said, err) || !read_config(line, &said, file, err))
		return false;
	pl_options_default(options);
	if ((line->config && !pl_settings_apply(line->config, options, err)) ||
	    !pl_settings_apply(line->settings, options, err))
		return false;
	if (options->mode == PL_MODE_CONVERT && !options->convert) {
		options->convert = options->output;
		options->output = NULL;
	}
	return true;
}
