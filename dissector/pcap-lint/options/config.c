/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config.c - reads settings from a key file. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options_impl.h"

#define CONFIG_NAME ".pcap-lint.conf"
#define CONFIG_GROUP "pcap-lint"
#define CONFIG_MAX 65536u

GQuark pl_config_error_quark(void)
{
	return g_quark_from_static_string("pl-config-error-quark");
}

char *pl_config_path(const char *capture)
{
	char *directory, *path;

	if (!capture || strcmp(capture, "-") == 0)
		return g_build_filename(g_get_home_dir(), CONFIG_NAME, NULL);
	directory = g_path_get_dirname(capture);
	path = g_build_filename(directory, CONFIG_NAME, NULL);
	g_free(directory);
	return path;
}

static bool one_key(GPtrArray *settings, GKeyFile *file, const char *key, GError **err)
{
	const struct pl_option *option = pl_option_find(key);
	struct pl_options scratch;
	const char *near;
	GError *why = NULL;
	char *value;
	bool ok;

	if (!option || !key[1] || option->scope == PL_SCOPE_MODE) {
		near = option && key[1] ? NULL : pl_option_nearest(key, strlen(key));
		g_set_error(err, PL_OPTIONS_ERROR, 0, "%s: %s%s%s%s", key,
			    option && key[1] ? "is for the command line only" : "no such option",
			    near ? ", perhaps " : "", near ? near : "", near ? "?" : "");
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

/* A misspelt group would otherwise be ignored silently. */
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

static bool refuse(GError **err, enum pl_config_error code, const char *why)
{
	g_set_error_literal(err, PL_CONFIG_ERROR, (int)code, why);
	return false;
}

/* A file that came with a capture must not say what is found in it. */
static bool is_trusted(int fd, GError **err)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return refuse(err, PL_CONFIG_REFUSED, "it is not a regular file");
	if (st.st_uid != geteuid())
		return refuse(err, PL_CONFIG_REFUSED, "it belongs to another user");
	return st.st_size <= (off_t)CONFIG_MAX ||
	       refuse(err, PL_CONFIG_REFUSED, "it is larger than 64 KiB");
}

/* Up to CONFIG_MAX bytes, whatever is written meanwhile. */
static bool read_text(int fd, GString *text, GError **err)
{
	char part[4096];
	ssize_t n;

	while ((n = read(fd, part, sizeof(part))) > 0 && text->len <= CONFIG_MAX)
		g_string_append_len(text, part, n);
	if (n < 0)
		g_set_error_literal(err, G_FILE_ERROR, (int)g_file_error_from_errno(errno),
				    g_strerror(errno));
	return n == 0 || (n > 0 && refuse(err, PL_CONFIG_REFUSED, "it is larger than 64 KiB"));
}

static bool open_and_read(const char *path, enum pl_config_trust trust, GString *text, GError **err)
{
	/* Not waiting for a FIFO; next to a capture, a link may lead anywhere. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC |
				    (trust == PL_CONFIG_NEXT_TO ? O_NOFOLLOW : 0));
	bool ok;

	if (fd < 0 && trust != PL_CONFIG_NAMED) {
		if (errno == ELOOP)
			return refuse(err, PL_CONFIG_REFUSED, "it is not a regular file");
		if (errno == ENOENT || errno == ENOTDIR)
			return refuse(err, PL_CONFIG_ABSENT, "");
		return refuse(err, PL_CONFIG_REFUSED, g_strerror(errno));
	}
	if (fd < 0) {
		g_set_error_literal(err, G_FILE_ERROR, (int)g_file_error_from_errno(errno),
				    g_strerror(errno));
		return false;
	}
	ok = (trust == PL_CONFIG_NAMED || is_trusted(fd, err)) && read_text(fd, text, err);
	close(fd);
	return ok;
}

GPtrArray *pl_config_read(const char *path, enum pl_config_trust trust, GError **err)
{
	GPtrArray *settings = pl_settings_new();
	GKeyFile *file = g_key_file_new();
	GString *text = g_string_new(NULL);
	bool ok;

	ok = open_and_read(path, trust, text, err) &&
	     g_key_file_load_from_data(file, text->str, text->len, G_KEY_FILE_NONE, err) &&
	     all_keys(settings, file, err);
	if (!ok) {
		g_prefix_error(err, "%s: ", path);
		g_clear_pointer(&settings, g_ptr_array_unref);
	}
	g_string_free(text, TRUE);
	g_key_file_free(file);
	return settings;
}
