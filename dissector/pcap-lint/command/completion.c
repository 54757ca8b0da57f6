/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * completion.c - prints the completion of pcap-lint's command line for bash, from the table of options
 * and the rules.
 *
 * Run by the build; not installed.
 */
#include <stdio.h>
#include <string.h>

#include <lint/lint.h>

#include "pcap-lint/options/options_impl.h"

static const struct option {
	const char *name;
	char short_name;
	const char *arg;
} options[] = {
#define PL_OPTION(setter, name, short_name, scope, arg, help, man) { name, short_name, arg },
#include "pcap-lint/options/options.def"
#undef PL_OPTION
};

static void rules(void)
{
	unsigned int i;
	size_t group;

	for (i = 0; i < LINT_RULE_COUNT; i++) {
		group = strcspn(lint_rules[i].id, "0123456789");
		if (!i || strncmp(lint_rules[i].id, lint_rules[i - 1].id, group) != 0)
			printf(" %.*s", (int)group, lint_rules[i].id);
		printf(" %s %s", lint_rules[i].id, lint_rules[i].name);
	}
}

static void levels(void)
{
	unsigned int i;

	for (i = 0; i < LINT_SEVERITY_COUNT; i++)
		if (i != LINT_PERF || LINT_PERF_RULES > 0)
			printf(" %s", lint_severity_names[i]);
}

/* A word of an argument's name: what it stands for, or itself. */
static void word(const char *text, int len)
{
	if (len == 5 && strncmp(text, "LEVEL", 5) == 0)
		levels();
	else
		printf(" %.*s", len, text);
}

/* Patterns of case: the option's names. */
static void pattern(const struct option *o)
{
	if (o->short_name)
		printf("\t-%c | --%s", o->short_name, o->name);
	else
		printf("\t--%s", o->name);
}

/* A list of rules may have commas; of files and free text bash knows more than we do. */
static void argument(const struct option *o)
{
	const char *p = o->arg;
	bool list = strcmp(p, "LIST") == 0 || strcmp(p, "RULE") == 0;
	int len;

	if (!list && !strchr(p, '|') && strcmp(p, "LEVEL") != 0)
		return;
	pattern(o);
	fputs(")\n\t\twords=\"", stdout);
	if (list) {
		fputs(" all", stdout);
		rules();
		puts("\"\n\t\tlist=${cur%\"${cur##*,}\"} cur=${cur##*,} ;;");
		return;
	}
	for (; *p && *p != ' '; p += len + (p[len] == '|')) {
		len = (int)strcspn(p, "| ");
		word(p, len);
	}
	puts("\" ;;");
}

int main(void)
{
	size_t i;

	puts("# SPDX-License-Identifier: GPL-2.0-or-later\n"
	     "# bash completion for pcap-lint: made by the build from its options and rules\n\n"
	     "_pcap_lint()\n{\n"
	     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words='' list=''\n\n"
	     "\t# Of --name=value, bash makes three words.\n"
	     "\tif [[ $cur == = ]]; then\n\t\tcur=\n"
	     "\telif [[ $prev == = ]]; then\n\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n\tfi\n"
	     "\tCOMPREPLY=()\n"
	     "\tcase $prev in");
	for (i = 0; i < G_N_ELEMENTS(options); i++)
		if (options[i].arg)
			argument(&options[i]);
	puts("\t*)\n\t\t[[ $cur == -* ]] || return\n\t\twords=\"\\");
	for (i = 0; i < G_N_ELEMENTS(options); i++) {
		if (options[i].short_name)
			printf(" -%c", options[i].short_name);
		printf(" --%s", options[i].name);
	}
	puts("\" ;;\n\tesac\n"
	     "\tmapfile -t COMPREPLY < <(compgen -P \"$list\" -W \"$words\" -- \"$cur\")\n}\n"
	     "# What is left are files.\n"
	     "complete -o default -F _pcap_lint pcap-lint");
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
