/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The names of values against those other people give the same numbers.
 *
 * tests/facts/words/ holds rows (source, list, number, name) taken from drivers, libraries,
 * analysers and standards, and a dictionary: which of our names one of theirs means. The dictionary
 * knows no numbers, so two names that are swapped in a list contradict every row. Every row means a
 * name of ours or is left out with a reason; a name of ours that fewer than two sources confirm is
 * printed, and the dictionary has to say so.
 */
#include "check.h"
#include "lines.h"
#include "value_lists.h"
#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>

#include <ctype.h>
#include <stdlib.h>

#define FACTS_MAX 4096
#define MEANINGS_MAX 4096
#define FAMILIES_MAX 64 /* independent sources */

struct fact {
	char source[32], list[32], word[100], where[120];
	uint32_t number;
	bool used;
};

/* A line of the dictionary: @theirs means @ours; NULL: is left out. */
struct meaning {
	const struct ibw_name *list;
	const char *ours, *theirs;
	bool used;
};

static struct fact facts[FACTS_MAX];
static size_t n_facts;
static struct meaning meanings[MEANINGS_MAX];
static size_t n_meanings;

/* What the dictionary says of a name that fewer than two sources confirm. */
static struct {
	const struct ibw_name *name;
	bool one; /* source; else none */
} weak[MEANINGS_MAX];
static size_t n_weak;

static const struct list *section;

static const struct list *find_list(const char *name)
{
	size_t i;

	for (i = 0; i < LISTS; i++)
		if (strcmp(lists[i].name, name) == 0)
			return &lists[i];
	line_wrong("no list of ours is called", name);
	return NULL;
}

static const struct ibw_name *find_name(const struct list *list, const char *text)
{
	const struct ibw_name *n;

	for (n = list->names; n->name; n++)
		if (strcmp(n->name, text) == 0)
			return n;
	return NULL;
}

static void load_fact(char *line)
{
	struct fact *f = &facts[n_facts];
	char number[16], *end;

	if (n_facts == FACTS_MAX || sscanf(line, "%31[^,],%31[^,],%15[^,],%99[^,],%119[^,]",
					   f->source, f->list, number, f->word, f->where) != 5) {
		line_wrong("not a row, or one too many:", line);
		return;
	}
	f->number = (uint32_t)strtoul(number, &end, 0);
	if (end == number || *end)
		line_wrong("not a number:", number);
	if (find_list(f->list))
		n_facts++;
}

/* Letters and digits alone: what "Port configuration training" and PortConfigurationTraining share. */
static bool same_word(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a && !isalnum((unsigned char)*a))
			a++;
		while (*b && !isalnum((unsigned char)*b))
			b++;
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return false;
		if (!*a)
			return true;
	}
}

static struct meaning *find_meaning(const struct list *list, const char *theirs)
{
	struct meaning *m;

	for (m = meanings; m < meanings + n_meanings; m++)
		if (m->list == list->names && strcmp(m->theirs, theirs) == 0)
			return m;
	return NULL;
}

static void add_meaning(const char *ours, const char *theirs)
{
	if (n_meanings == MEANINGS_MAX || find_meaning(section, theirs))
		line_wrong("is here twice, or one too many:", theirs);
	else
		meanings[n_meanings++] = (struct meaning){ section->names, ours, theirs, false };
}

/* ? name : one source     ? number name : no source but ... */
static void add_weak(char *line)
{
	char *reason = strstr(line, " : "), *word = line, *end;
	const struct ibw_name *name;
	bool one;

	if (!reason || n_weak == MEANINGS_MAX) {
		line_wrong("not a name with so few sources, or one too many:", line);
		return;
	}
	*reason = '\0';
	one = strcmp(reason + 3, "one source") == 0;
	if (!one) {
		uint32_t number = (uint32_t)strtoul(line, &end, 0);

		word = end + (*end == ' ');
		name = find_name(section, word);
		if (end == line || strncmp(reason + 3, "no source but ", 14) != 0)
			line_wrong("neither one source nor none:", reason + 3);
		else if (name)
			CHECK_EQ(name->value, number);
	}
	name = find_name(section, word);
	if (!name) {
		line_wrong("no name of ours is", word);
		return;
	}
	weak[n_weak].name = name;
	weak[n_weak++].one = one;
}

/* name <- theirs | theirs     - theirs : why */
static void load_meaning(char *text)
{
	char *line, *arrow, *next;

	if (strncmp(text, "= ", 2) == 0) {
		section = find_list(text + 2);
		return;
	}
	if (!section) {
		line_wrong("is before the first list:", text);
		return;
	}
	if (strncmp(text, "? ", 2) == 0) {
		add_weak(text + 2);
		return;
	}
	line = line_kept(text); /* whose parts are kept */
	arrow = strstr(line, *line == '-' ? " : " : " <- ");
	if (!arrow) {
		line_wrong("neither a meaning nor left out with a reason:", line);
		return;
	}
	*arrow = '\0';
	if (*line == '-') {
		add_meaning(NULL, line + 2);
		return;
	}
	if (!find_name(section, line))
		line_wrong("no name of ours is", line);
	for (arrow += 4; arrow; arrow = next) {
		next = strstr(arrow, " | ");
		if (next) {
			*next = '\0';
			next += 3;
		}
		add_meaning(line, arrow);
	}
}

/* Our name of the number is what theirs means; false: left out. */
static bool check_fact(struct fact *f)
{
	const struct list *list = find_list(f->list);
	struct meaning *m = find_meaning(list, f->word);
	const char *ours = ibw_name_of(list->names, f->number);

	if (m)
		m->used = true;
	if (m && !m->ours)
		return false;
	check_case("%s 0x%x is %s of %s (%s)", f->list, f->number, f->word, f->source, f->where);
	if (m)
		return CHECK_STR(ours, m->ours);
	return ours && same_word(ours, f->word) ? CHECK(true) : CHECK_STR(ours, f->word);
}

/* Sources that share a code base share the name up to the first "-". */
static bool same_family(const struct fact *a, const struct fact *b)
{
	size_t n = strcspn(a->source, "-");

	return strcspn(b->source, "-") == n && strncmp(a->source, b->source, n) == 0;
}

static unsigned int families_of(const struct list *list, uint32_t number)
{
	const struct fact *seen[FAMILIES_MAX];
	unsigned int n = 0, i;
	const struct fact *f;

	for (f = facts; f < facts + n_facts; f++) {
		if (!f->used || f->number != number || strcmp(f->list, list->name) != 0)
			continue;
		for (i = 0; i < n && !same_family(seen[i], f); i++)
			;
		if (i == n && n < FAMILIES_MAX)
			seen[n++] = f;
	}
	return n;
}

static void check_name_of_list(const struct list *list, const struct ibw_name *name)
{
	unsigned int sources = families_of(list, name->value), said = 2;
	size_t i;

	for (i = 0; i < n_weak; i++)
		if (weak[i].name == name)
			said = weak[i].one ? 1 : 0;
	if (sources < 2)
		printf("%s source: %s %s\n", sources ? "one" : "no", list->name, name->name);
	check_case("sources of %s \"%s\", as the dictionary says with \"?\"", list->name,
		   name->name);
	CHECK_EQ(sources < 2 ? sources : 2, said);
	check_case("%s has \"%s\" once", list->name, name->name);
	CHECK(find_name(list, name->name) == name);
}

int main(void)
{
	const struct ibw_name *name;
	size_t i;

	each_line("tests/facts/words/*.csv", load_fact);
	each_line("tests/facts/words/*.txt", load_meaning);
	for (i = 0; i < n_facts; i++)
		facts[i].used = check_fact(&facts[i]);
	for (i = 0; i < n_meanings; i++) {
		check_case("a row with the name %s", meanings[i].theirs);
		CHECK(meanings[i].used);
	}
	for (i = 0; i < LISTS; i++)
		for (name = lists[i].names; name->name; name++)
			check_name_of_list(&lists[i], name);
	printf("%zu rows\n", n_facts);
	return check_end();
}
