/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * options.c - any words on the command line, and any config file.
 *
 * Input: a word a line, then, after an empty line, the config file.
 *
 * What is wrong is said, and of which option; what is right is the same a second time, and the same when
 * the command line says what the config file did.
 */
#include <string.h>

#include "command.h"
#include "fuzz.h"
#include "pcap-lint/options/options_impl.h"

#define WORDS_MAX 64

/* One that is read, unless the words name another. */
struct asked {
	GPtrArray *words;
	const char *config; /* its text, which ends with the input; NULL: there is none */
	size_t config_len;
};

struct answer {
	struct pl_command_line line;
	struct pl_options options;
	GError *err;
	bool ok;
};

static void read_input(struct asked *a, const uint8_t *data, size_t size)
{
	const char *p = (const char *)data, *end = p + size, *next;

	a->words = g_ptr_array_new_with_free_func(g_free);
	a->config = NULL;
	a->config_len = 0;
	g_ptr_array_add(a->words, g_strdup("pcap-lint"));
	for (; p < end && a->words->len < WORDS_MAX && *p != '\n'; p = next + 1) {
		next = memchr(p, '\n', (size_t)(end - p));
		if (!next)
			next = end;
		g_ptr_array_add(a->words, g_strndup(p, (size_t)(next - p)));
	}
	if (p < end && *p == '\n') {
		a->config = p + 1;
		a->config_len = (size_t)(end - a->config);
		g_ptr_array_insert(a->words, 1,
				   g_strconcat("--config=", command_name(COMMAND_INPUT), NULL));
		command_input(a->config, a->config_len);
	}
	g_ptr_array_add(a->words, NULL);
}

static void ask(struct answer *answer, GPtrArray *words)
{
	answer->err = NULL;
	answer->ok = pl_command_line_parse(&answer->line, (char **)words->pdata, &answer->err) &&
		     pl_options_for(&answer->options, &answer->line, answer->line.files[0],
				    &answer->err);
	FUZZ_CHECK(answer->ok == !answer->err);
}

static void done(struct answer *answer)
{
	pl_command_line_free(&answer->line);
	g_clear_error(&answer->err);
}

static bool is_same_text(const char *a, const char *b)
{
	return g_strcmp0(a, b) == 0;
}

/* All but which config file it was. */
static bool is_same(const struct pl_options *a, const struct pl_options *b)
{
	struct pl_options one = *a, other = *b;
	const void *all = &one, *others = &other; /* both began as zeros */

	if (!is_same_text(a->explain, b->explain) || !is_same_text(a->repair, b->repair) ||
	    !is_same_text(a->convert, b->convert) || !is_same_text(a->filter, b->filter) ||
	    !is_same_text(a->output, b->output) || !is_same_text(a->write, b->write))
		return false;
	one.explain = one.repair = one.convert = one.filter = one.output = one.config = NULL;
	other.explain = other.repair = other.convert = other.filter = other.output = NULL;
	other.config = one.write = other.write = NULL;
	return !memcmp(all, others, sizeof(one));
}

/* Within what the rest of the program takes for granted. */
static void check_options(const struct pl_options *o)
{
	unsigned int i;

	FUZZ_CHECK(o->mode <= PL_MODE_VERSION && o->convert_to <= PL_CONVERT_PCAPNG);
	FUZZ_CHECK(o->severity < LINT_SEVERITY_COUNT);
	FUZZ_CHECK(o->fail_on >= PL_FAIL_NEVER && o->fail_on < LINT_SEVERITY_COUNT);
	FUZZ_CHECK(o->n_roce_ports <= PL_ROCE_PORTS_MAX);
	FUZZ_CHECK(o->context <= PL_CONTEXT_MAX);
	FUZZ_CHECK(!o->user0 || ibw_linktype_known(o->user0));
	FUZZ_CHECK(o->color <= PL_NEVER && o->progress <= PL_NEVER);
	for (i = 0; i < LINT_RULE_COUNT; i++)
		FUZZ_CHECK(*(const uint8_t *)&o->rules[i] <= 1);
}

/* All of it, up to its value, or that: a file that cannot be read is named without its option. */
static bool names_word(const char *message, const char *word)
{
	char **parts = g_strsplit(word, "=", 2);
	const bool is_named = (*word && strstr(message, word)) ||
			      (parts[0] && ((*parts[0] && strstr(message, parts[0])) ||
					    (parts[1] && *parts[1] && strstr(message, parts[1]))));

	g_strfreev(parts);
	return is_named;
}

/* Of a word or of a name there is: "-qc5" is about -c. */
static bool names_option(const char *message, const GPtrArray *words)
{
	unsigned int i;
	char name[3] = "-";

	for (i = 1; i + 1 < words->len; i++)
		if (names_word(message, g_ptr_array_index(words, i)))
			return true;
	for (i = 0; i < pl_option_count; i++) {
		name[1] = pl_option_table[i].short_name;
		if (strstr(message, pl_option_table[i].name) || (name[1] && strstr(message, name)))
			return true;
	}
	return false;
}

/* A line of the config file begins with a word of the message, after the file's name. */
static bool names_key(const char *message, const struct asked *a)
{
	const char *p = a->config, *end = p + a->config_len, *next;
	bool is_named = false;
	char *line;

	for (; p < end && !is_named; p = next + 1) {
		next = memchr(p, '\n', (size_t)(end - p));
		if (!next)
			next = end;
		line = g_strndup(p, (size_t)(next - p));
		line[strcspn(line, "=]")] = '\0';
		g_strstrip(line);
		is_named = *line && strstr(message, line + (*line == '['));
		g_free(line);
	}
	return is_named;
}

static void check_error(const struct answer *answer, const struct asked *a)
{
	const char *message = answer->err->message, *path = command_name(COMMAND_INPUT);

	FUZZ_CHECK(*message && strlen(message) < 65536);
	if (!a->config || !g_str_has_prefix(message, path))
		FUZZ_CHECK(names_option(message, a->words));
	else if (answer->err->domain == PL_OPTIONS_ERROR)
		FUZZ_CHECK(names_key(message + strlen(path), a));
}

/* The command line that says what the config file does; NULL: there is none. */
static GPtrArray *without_config(const struct answer *answer, const struct asked *a)
{
	GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
	unsigned int i;

	g_ptr_array_add(words, g_strdup("pcap-lint"));
	g_ptr_array_add(words, g_strdup("--config=none"));
	for (i = 0; i < answer->line.config->len; i++) {
		const struct pl_setting *s = g_ptr_array_index(answer->line.config, i);

		if (s->option->arg) {
			g_ptr_array_add(words,
					g_strdup_printf("--%s=%s", s->option->name, s->value));
		} else if (strcmp(s->value, "true") == 0) {
			g_ptr_array_add(words, g_strdup_printf("--%s", s->option->name));
		} else {
			g_ptr_array_unref(words);
			return NULL;
		}
	}
	for (i = 2; i < a->words->len; i++)
		g_ptr_array_add(words, g_strdup(g_ptr_array_index(a->words, i)));
	return words;
}

static bool says_config(const struct asked *a)
{
	unsigned int i;

	for (i = 2; i + 1 < a->words->len; i++)
		if (strstr(g_ptr_array_index(a->words, i), "config"))
			return true;
	return false;
}

static void check_without_config(const struct answer *answer, const struct asked *a)
{
	struct answer other;
	GPtrArray *words;

	if (!a->config || says_config(a) || !answer->line.config)
		return;
	words = without_config(answer, a);
	if (!words)
		return;
	ask(&other, words);
	FUZZ_CHECK(other.ok && is_same(&answer->options, &other.options));
	done(&other);
	g_ptr_array_unref(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct answer answer, again;
	struct asked a;

	command_input("", 0); /* no config file in the home directory, either */
	read_input(&a, data, size);
	ask(&answer, a.words);
	ask(&again, a.words);
	FUZZ_CHECK(answer.ok == again.ok);
	if (answer.ok) {
		FUZZ_CHECK(is_same(&answer.options, &again.options));
		check_options(&answer.options);
		check_without_config(&answer, &a);
	} else {
		FUZZ_CHECK(strcmp(answer.err->message, again.err->message) == 0);
		check_error(&answer, &a);
	}
	done(&answer);
	done(&again);
	g_ptr_array_unref(a.words);
	return 0;
}
