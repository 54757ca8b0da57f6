/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config.c - settings from a key file. */
#include <string.h>

#include "options_impl.h"

#define CONFIG_NAME ".pcap-lint.conf"
#define CONFIG_GROUP "pcap-lint"

static char *existing(char *path)
{
	if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
		return path;
	g_free(path);
	return NULL;
}

char *pl_config_find(const char *capture)
{
	char *directory, *path = NULL;

	if (capture && strcmp(capture, "-") != 0) {
		directory = g_path_get_dirname(capture);
		path = existing(g_build_filename(directory, CONFIG_NAME, NULL));
		g_free(directory);
	}
	if (!path)
		path = existing(g_build_filename(g_get_home_dir(), CONFIG_NAME, NULL));
	return path;
}

static bool one_key(GPtrArray *settings, GKeyFile *file, const char *key, GError **err)
{
	const struct pl_option *option = pl_option_find(key);
	struct pl_options scratch;
	GError *why = NULL;
	char *value;
	bool ok;

	if (!option || !key[1] || option->scope == PL_SCOPE_MODE) {
		g_set_error(err, PL_OPTIONS_ERROR, 0, "%s: %s", key,
			    option && key[1] ? "is for the command line only" : "no such option");
		return false;
	}
	value = g_key_file_get_string(file, CONFIG_GROUP, key, &why);
	if (value)
		g_strstrip(value);
	pl_options_default(&scratch);
	ok = value && option->set(&scratch, value, &why);
	if (ok) {
		pl_settings_add(settings, option, value);
	} else {
		g_set_error(err, PL_OPTIONS_ERROR, 0, "%s = %s: %s", key, value ? value : "",
			    why->message);
		g_error_free(why);
	}
	g_free(value);
	return ok;
}

/* A misspelt group would otherwise be passed over without a word. */
static bool only_our_group(GKeyFile *file, GError **err)
{
	char **groups = g_key_file_get_groups(file, NULL);
	bool ok = true;
	size_t i;

	for (i = 0; ok && groups[i]; i++) {
		ok = strcmp(groups[i], CONFIG_GROUP) == 0;
		if (!ok)
			g_set_error(err, PL_OPTIONS_ERROR, 0, "no such group: [%s]", groups[i]);
	}
	g_strfreev(groups);
	return ok;
}

static bool all_keys(GPtrArray *settings, GKeyFile *file, GError **err)
{
	char **keys, **key;
	bool ok = true;

	if (!only_our_group(file, err))
		return false;
	keys = g_key_file_get_keys(file, CONFIG_GROUP, NULL, NULL);
	for (key = keys; ok && key && *key; key++)
		ok = one_key(settings, file, *key, err);
	g_strfreev(keys);
	return ok;
}

GPtrArray *pl_config_read(const char *path, GError **err)
{
	GPtrArray *settings = pl_settings_new();
	GKeyFile *file = g_key_file_new();
	char *text = NULL;
	gsize len;
	bool ok;

	/* Not g_key_file_load_from_file(), which refuses /dev/null. */
	ok = g_file_get_contents(path, &text, &len, err) &&
	     g_key_file_load_from_data(file, text, len, G_KEY_FILE_NONE, err) &&
	     all_keys(settings, file, err);
	if (!ok) {
		g_prefix_error(err, "%s: ", path);
		g_clear_pointer(&settings, g_ptr_array_unref);
	}
	g_free(text);
	g_key_file_free(file);
	return settings;
}
