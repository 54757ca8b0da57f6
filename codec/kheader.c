/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kheader.c - ibwire-kheader: prints headers of the schema as plain C without a macro.
 *
 *	ibwire-kheader [OPTION]... NAME...|@FAMILY...|all
 *
 * For trees that do not take the macros of expand.h, and as an index for who looks for a
 * function by its name. From the reflection tables; in the manner of the Linux kernel, and of
 * it <linux/string.h> and <linux/types.h>, which are where they are in all versions.
 */
#include <stdio.h>
#include <string.h>

#include "kheader.h"

#define INCLUDES_MAX 8

char kh_prefix[KH_PREFIX_MAX + 2] = "ibw_";
char kh_upper_prefix[KH_PREFIX_MAX + 2] = "IBW_";

static const char *includes[INCLUDES_MAX] = { "<linux/string.h>", "<linux/types.h>" };
static unsigned int n_includes; /* of the command line */
static const char *reference;   /* the directory, if the reference is asked for */

/* The family of each header: the list it is in. */
static const char *const families[IBW_LAYER_COUNT] = {
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "link",
#include <ibwire/list/headers_link.def>
#undef IBW_HEADER
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "mad",
#include <ibwire/list/headers_mad.def>
#undef IBW_HEADER
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "sm",
#include <ibwire/list/headers_sm.def>
#undef IBW_HEADER
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "sa",
#include <ibwire/list/headers_sa.def>
#undef IBW_HEADER
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "cm",
#include <ibwire/list/headers_cm.def>
#undef IBW_HEADER
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "perf",
#include <ibwire/list/headers_perf.def>
#undef IBW_HEADER
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "cc",
#include <ibwire/list/headers_cc.def>
#undef IBW_HEADER
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "devmgt",
#include <ibwire/list/headers_devmgt.def>
#undef IBW_HEADER
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "vendor",
#include <ibwire/list/headers_vendor.def>
#undef IBW_HEADER
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "iwarp",
#include <ibwire/list/headers_iwarp.def>
#undef IBW_HEADER
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "ulp",
#include <ibwire/list/headers_ulp.def>
#undef IBW_HEADER
};

static char upper_char(char c)
{
	return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

void kh_upper(char *to, size_t room, const char *from)
{
	for (; *from && room > 1; from++, room--)
		*to++ = upper_char(*from);
	*to = 0;
}

/* "IBW_BTH_RETH_H" for the prefix "ibw_" and what is asked for. */
static void print_guard(const char *before, const char *after, int n, char **what)
{
	const char *p;

	printf("%s%s", before, kh_upper_prefix);
	for (; n; n--, what++) {
		for (p = *what; *p; p++)
			if (*p != '@')
				putchar(upper_char(*p));
		putchar('_');
	}
	printf("H%s", after);
}

static void print_include(const char *file)
{
	printf(file[0] == '<' ? "#include %s\n" : "#include \"%s\"\n", file);
}

/* Whether @what asks for a header: its name, "@" and its family, or "all". */
static bool is_asked(const char *what, unsigned int layer)
{
	if (what[0] == '@')
		return strcmp(what + 1, families[layer]) == 0;
	return strcmp(what, "all") == 0 || strcmp(what, ibw_headers[layer].name) == 0;
}

static bool is_asked_by(int n, char **what, unsigned int layer)
{
	for (; n; n--, what++)
		if (is_asked(*what, layer))
			return true;
	return false;
}

static bool is_known(const char *what)
{
	unsigned int layer;

	for (layer = 0; layer < IBW_LAYER_COUNT; layer++)
		if (is_asked(what, layer))
			return true;
	return false;
}

static bool print_reference(int n, char **what)
{
	bool layers[IBW_LAYER_COUNT];
	unsigned int i;

	for (i = 0; i < IBW_LAYER_COUNT; i++)
		layers[i] = is_asked_by(n, what, i);
	return kh_reference(reference, layers);
}

/* All that is asked for, each header once, in the order of the lists. */
static void print_file(int n, char **what)
{
	bool layers[IBW_LAYER_COUNT], all = false;
	unsigned int i;
	int j;

	for (j = 0; j < n; j++)
		all |= strcmp(what[j], "all") == 0;
	for (i = 0; i < IBW_LAYER_COUNT; i++)
		layers[i] = is_asked_by(n, what, i);
	printf("/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */\n"
	       "/* Printed by ibwire-kheader; not to be edited. */\n");
	print_guard("#ifndef ", "\n", n, what);
	print_guard("#define ", "\n\n", n, what);
	for (i = 0; i < (n_includes ? n_includes : 2); i++)
		print_include(includes[i]);
	kh_accessors();
	kh_values(layers, all);
	for (i = 0; i < IBW_LAYER_COUNT; i++) {
		if (!layers[i])
			continue;
		printf("\n");
		kh_picture(&ibw_headers[i]);
		kh_code(&ibw_headers[i]);
	}
	print_guard("\n#endif /* ", " */\n", n, what);
}

static int usage(const char *what, const char *which)
{
	fprintf(stderr,
		"ibwire-kheader: %s%s\n"
		"usage: ibwire-kheader [OPTION]... NAME...|@FAMILY...|all; see --help\n",
		what, which);
	return 2;
}

/* What ends the program with success, wherever it is. */
#define DONE (-1)

/* The prefix is part of every name, so it has to be one. */
static int set_prefix(const char *text)
{
	size_t n = strlen(text), i;

	for (i = 0; i < n; i++) {
		char c = upper_char(text[i]);

		if (!(c >= 'A' && c <= 'Z') && c != '_' && !(i && c >= '0' && c <= '9'))
			return usage("not what a name in C can begin with: ", text);
	}
	if (n > KH_PREFIX_MAX)
		return usage("the prefix is too long: ", text);
	snprintf(kh_prefix, sizeof(kh_prefix), "%s%s", text, n && text[n - 1] != '_' ? "_" : "");
	kh_upper(kh_upper_prefix, sizeof(kh_upper_prefix), kh_prefix);
	return 0;
}

static int add_include(const char *file)
{
	if (n_includes == INCLUDES_MAX)
		return usage("too many of --include: ", file);
	includes[n_includes++] = file;
	return 0;
}

static int list(const char *none)
{
	unsigned int i;

	(void)none;
	for (i = 0; i < IBW_LAYER_COUNT; i++)
		printf("@%-7s %-28s %s\n", families[i], ibw_headers[i].name, ibw_headers[i].title);
	return DONE;
}

static int set_reference(const char *dir)
{
	reference = dir;
	return 0;
}

static int tags(const char *dir)
{
	return kh_tags(dir) ? DONE : usage("too many names for ", "--tags");
}

static int help(const char *none);

static int version(const char *none)
{
	(void)none;
	printf("ibwire-kheader %s\n", KH_VERSION);
	return DONE;
}

static const struct option {
	int (*set)(const char *arg);
	const char *name, *arg, *text;
} options[] = {
#define KH_OPTION(set, name, arg, help, man) { set, name, arg, help },
#include "kheader_options.def"
#undef KH_OPTION
};

#define N_OPTIONS (sizeof(options) / sizeof(options[0]))

static int help(const char *none)
{
	char left[32];
	size_t i;

	(void)none;
	printf("usage: ibwire-kheader [OPTION]... NAME...|@FAMILY...|all\n"
	       "Print headers of the schema as plain C, for the Linux kernel or whoever has its types.\n\n");
	for (i = 0; i < N_OPTIONS; i++) {
		snprintf(left, sizeof(left), "--%s%s%s", options[i].name, options[i].arg ? " " : "",
			 options[i].arg ? options[i].arg : "");
		printf("  %-18s%s\n", left, options[i].text);
	}
	return DONE;
}

/* The option @text is, "--name" or "--name=argument"; *@arg is what follows the sign, or NULL. */
static const struct option *find_option(const char *text, const char **arg)
{
	size_t i, n = strcspn(text, "=");

	*arg = text[n] ? text + n + 1 : NULL;
	for (i = 0; i < N_OPTIONS; i++)
		if (n == strlen(options[i].name) + 2 &&
		    strncmp(text + 2, options[i].name, n - 2) == 0)
			return &options[i];
	return NULL;
}

/* The options, wherever they are; *@n of @argv are the names that are left. 0, DONE or a status. */
static int read_options(int argc, char **argv, int *n)
{
	const struct option *option;
	const char *arg;
	int i, status;

	for (i = 1, *n = 0; i < argc; i++) {
		if (strncmp(argv[i], "--", 2) != 0) {
			argv[(*n)++] = argv[i];
			continue;
		}
		option = find_option(argv[i], &arg);
		if (!option)
			return usage("unknown option: ", argv[i]);
		if (!option->arg && arg)
			return usage("takes no argument: ", argv[i]);
		if (option->arg && !arg) {
			if (i + 1 == argc)
				return usage("needs an argument: ", argv[i]);
			arg = argv[++i];
		}
		status = option->set(arg);
		if (status)
			return status;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int n, i, status = read_options(argc, argv, &n);

	if (status > 0)
		return status;
	if (status == 0) {
		if (n == 0)
			return usage("no header named", "");
		for (i = 0; i < n; i++)
			if (!is_known(argv[i]))
				return usage("see --list; there is no ", argv[i]);
		if (!reference)
			print_file(n, argv);
		else if (!print_reference(n, argv))
			return usage("not include/ibwire: ", reference);
	}
	if (fflush(stdout) || ferror(stdout)) {
		perror("ibwire-kheader");
		return 1;
	}
	return 0;
}
