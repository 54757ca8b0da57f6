/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * modes.c - whatever pcap-lint can be asked for, of any bytes.
 *
 * Input: a name of modes.def and a newline, then a capture or a word. A command line of an input's own could write any
 * file there is.
 *
 * What is printed is for terminals, or JSON; the exit status is one that the man page has.
 */
#include <string.h>
#include <unistd.h>

#include <glib.h>
#include <glib/gstdio.h>

#include "command.h"
#include "fuzz.h"
#include "pcap-lint/base/mode.h"
#include "pcap-lint/base/wrap.h"

#define WORD_MAX 64

/* A pcap, in the order of this machine: its first bytes, those of the file header and of a record's, and what no packet exceeds. */
#define PCAP_MAGIC 0xa1b2c3d4u
#define PCAP_HEADER 24u
#define PCAP_RECORD 16u
#define PCAP_LONGEST 262144u

#define INPUT "<input>"
#define PIPE "<pipe>"
#define DIRECTORY "<directory>"
#define OUT "out"
#define LINK "link"
#define LOOP "loop"
#define ABSOLUTE "absolute"
#define CONFIG ".pcap-lint.conf"
#define NOTES "notes.txt"
#define EMPTY "empty.pcap"
#define ODD "odd \033[1m\xe2\x80\xae.pcap" /* what no terminal should get */
#define WHOLE "whole.pcap"
#define STDOUT "/dev/stdout"
#define WORD "<word>"
#define WORDS(...)                                                                                 \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

static const struct mode {
	const char *name;
	const char *words[COMMAND_WORDS - 2];
} modes[] = {
#define FUZZ_MODE(name, of, words) { #name, words },
#include "modes.def"
#undef FUZZ_MODE
};

/* What pl_wrap_columns() says of any file; 0: it is no terminal. */
static unsigned int terminal_columns;

unsigned int __wrap_pl_wrap_columns(int fd);

/* The report goes to a file: one width after the other cannot be had of a terminal. */
unsigned int __wrap_pl_wrap_columns(int fd)
{
	(void)fd;
	return terminal_columns;
}

static char *directory;
static const char *const kept[] = { WHOLE, "half.pcapng", EMPTY, NOTES, "sub/again.pcap", CONFIG,
				    ODD,   OUT,           LINK,  LOOP,  ABSOLUTE };
static const char config[] = "[pcap-lint]\nquiet = false\nseverity = note\ncount-rules = false\n";

static void remove_directory(void)
{
	char *path;
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(kept); i++) {
		path = g_build_filename(directory, kept[i], NULL);
		g_unlink(path);
		g_free(path);
	}
	path = g_build_filename(directory, "sub", NULL);
	g_rmdir(path);
	g_free(path);
	g_rmdir(directory);
	g_free(directory);
}

static void make_link(const char *name, const char *to)
{
	char *path = g_build_filename(directory, name, NULL);

	FUZZ_CHECK(!symlink(to, path));
	g_free(path);
}

static void make_directory(void)
{
	char *sub, *out;

	if (directory)
		return;
	directory = g_dir_make_tmp("fuzz-XXXXXX", NULL);
	FUZZ_CHECK(directory);
	sub = g_build_filename(directory, "sub", NULL);
	FUZZ_CHECK(!g_mkdir(sub, 0700));
	g_free(sub);
	atexit(remove_directory);
	make_link(LINK, OUT);
	make_link(LOOP, LOOP);
	out = g_canonicalize_filename(OUT, directory);
	make_link(ABSOLUTE, out);
	g_free(out);
}

static bool has(const struct mode *m, const char *word)
{
	unsigned int i;

	for (i = 0; m->words[i]; i++)
		if (strcmp(m->words[i], word) == 0)
			return true;
	return false;
}

/* Files that a command line does not name take longer to write than all the rest. */
static void write_kept(const struct mode *m, unsigned int i, const uint8_t *data, size_t size)
{
	char *path;

	if (!has(m, kept[i]) && !has(m, DIRECTORY) && strcmp(kept[i], CONFIG) != 0)
		return;
	path = g_build_filename(directory, kept[i], NULL);

	/* GLib leaves the end of what was longer before; to unlink that would take milliseconds. */
	FUZZ_CHECK(g_file_set_contents_full(path, (const char *)data, (gssize)size,
					    G_FILE_SET_CONTENTS_NONE, 0600, NULL) &&
		   !truncate(path, (off_t)size));
	g_free(path);
}

/* Its name, until it is asked for COMMAND_WORDS times more. */
static const char *path_of(const char *word)
{
	static char *paths[COMMAND_WORDS];
	static unsigned int at;
	char **path = &paths[at++ % COMMAND_WORDS];

	g_free(*path);
	*path = g_build_filename(directory, word, NULL);
	return *path;
}

/* Whether it is a file of the directory. */
static bool is_kept(const char *word)
{
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(kept); i++)
		if (strcmp(word, kept[i]) == 0)
			return true;
	return false;
}

/* Whether a command line names anything of the directory. */
static bool needs_directory(const struct mode *m)
{
	unsigned int i;

	for (i = 0; m->words[i]; i++)
		if (strcmp(m->words[i], DIRECTORY) == 0 || is_kept(m->words[i]))
			return true;
	return false;
}

/* The config file is the input where a command line is about that. */
static void fill_directory(const struct mode *m, const uint8_t *data, size_t size)
{
	const bool is_config = g_str_has_prefix(m->name, "found_config_input");

	if (!needs_directory(m))
		return;
	make_directory();
	write_kept(m, 0, data, size);
	write_kept(m, 1, data, size / 2);
	write_kept(m, 2, data, 0);
	write_kept(m, 3, data + size / 2, size - size / 2);
	write_kept(m, 4, data, size);
	write_kept(m, 5, is_config ? data : (const uint8_t *)config,
		   is_config ? size : sizeof(config) - 1);
	write_kept(m, 6, data, size);
	g_unlink(path_of(OUT)); /* of the input before */
}

static const struct mode *mode_of(const uint8_t **data, size_t *size)
{
	const uint8_t *end = *size ? memchr(*data, '\n', *size) : NULL;
	const size_t n = end ? (size_t)(end - *data) : 0;
	const struct mode *m;

	for (m = modes; end && m < modes + G_N_ELEMENTS(modes); m++)
		if (strlen(m->name) == n && memcmp(m->name, *data, n) == 0) {
			*data += n + 1;
			*size -= n + 1;
			return m;
		}
	return NULL;
}

/* What a placeholder is in the place of. */
static const char *word_of(const char *word, const char *said)
{
	if (strcmp(word, INPUT) == 0)
		return command_name(COMMAND_INPUT);
	if (strcmp(word, DIRECTORY) == 0)
		return directory;
	if (is_kept(word))
		return path_of(word);
	if (strcmp(word, PIPE) == 0)
		return "-";
	return strcmp(word, WORD) == 0 ? said : word;
}

/* Where the record after the one at @at begins. */
static size_t record_after(const uint8_t *pcap, size_t at)
{
	uint32_t length;

	memcpy(&length, pcap + at + 8, sizeof(length));
	return at + PCAP_RECORD + MIN(length, PCAP_LONGEST);
}

/* Adds as many seconds to the times of all records as there are from the last one's to now. */
static void make_live(uint8_t *pcap, size_t size)
{
	uint32_t magic, seconds, later = (uint32_t)(g_get_real_time() / G_USEC_PER_SEC);
	size_t at, last = 0;

	if (size < PCAP_HEADER)
		return;
	memcpy(&magic, pcap, sizeof(magic));
	if (magic != PCAP_MAGIC)
		return;
	for (at = PCAP_HEADER; at + PCAP_RECORD <= size; at = record_after(pcap, at))
		last = at;
	if (!last)
		return;
	memcpy(&seconds, pcap + last, sizeof(seconds));
	later -= seconds;
	for (at = PCAP_HEADER; at <= last; at = record_after(pcap, at)) {
		memcpy(&seconds, pcap + at, sizeof(seconds));
		seconds += later;
		memcpy(pcap + at, &seconds, sizeof(seconds));
	}
}

/* The bytes as a pipe gives them; the last packet of a pcap in the order of this machine is captured now. */
static void give_live(const uint8_t *data, size_t size)
{
	uint8_t *copy = g_memdup2(data, size);

	make_live(copy, size);
	command_input(copy, size);
	command_pipe();
	g_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *words[COMMAND_WORDS] = { NULL };
	const struct mode *m = mode_of(&data, &size);
	char said[WORD_MAX + 1] = "";
	unsigned int n = 0, i;
	int status;

	if (!m)
		return 0;
	if (has(m, WORD))
		memcpy(said, data, MIN(size, WORD_MAX));
	fill_directory(m, data, size);
	terminal_columns =
		g_str_has_prefix(m->name, "terminal")
			? PL_WRAP_MIN + (unsigned int)size % (PL_WRAP_MAX - PL_WRAP_MIN + 1)
			: 0;
	if (!g_str_has_prefix(m->name, "found_config")) {
		words[n++] = "--config";
		words[n++] = "none";
	}
	if (has(m, PIPE))
		give_live(data, size);
	else
		command_input(data, size);
	for (i = 0; m->words[i]; i++)
		words[n++] = word_of(m->words[i], said);
	status = command_run_words(words, n);
	FUZZ_CHECK(status >= PL_EXIT_CLEAN && status <= PL_EXIT_ERROR);
	if (has(m, "always") || has(m, STDOUT)) /* colors, packets */
		return 0;
	command_check_plain(COMMAND_REPORT);
	command_check_plain(COMMAND_SAID);
	if (has(m, "json"))
		command_check_json(COMMAND_REPORT);
	return 0;
}
