/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint.c - the captures of the rules, from the cases of each group. */
#include <string.h>

#include "make.h"

static const struct mk_group *const groups[] = {
	&mk_lint_cap, &mk_lint_lrh, &mk_lint_grh, &mk_lint_bth, &mk_lint_xth,
	&mk_lint_crc, &mk_lint_roc, &mk_lint_cng, &mk_lint_mad, &mk_lint_rmp,
	&mk_lint_smp, &mk_lint_saq, &mk_lint_mcg, &mk_lint_ipo, &mk_lint_cms,
};

/* The link types cases may have, and what their files are called. */
static const struct {
	uint32_t linktype;
	const char *suffix;
} links[] = {
	{ IBW_LINKTYPE_ETHERNET, "" },    { IBW_LINKTYPE_INFINIBAND, "-ib" },
	{ IBW_LINKTYPE_ERF, "-erf" },     { IBW_LINKTYPE_SLL, "-sll" },
	{ IBW_LINKTYPE_SLL2, "-sll2" },   { IBW_LINKTYPE_RAW, "-raw" },
	{ IBW_LINKTYPE_IPV4, "-ipv4" },   { IBW_LINKTYPE_IPV6, "-ipv6" },
	{ IBW_LINKTYPE_IPOIB, "-ipoib" },
};

static void expect(struct mk_capture *c, uint32_t frame, const char *mark, const char *rule)
{
	if (!c->expect)
		mk_die("%s has no expectations", c->name);
	fprintf(c->expect, "%u %s%s\n", frame, mark, rule);
}

void mk_expect(struct mk_capture *c, bool whole_file, const char *mark, const char *rule)
{
	expect(c, whole_file ? 0 : c->frames, mark, rule);
}

/* Each word of @rules as a rule that may fire too. */
static void expect_also(struct mk_capture *c, const char *rules)
{
	char word[32];
	size_t n;

	for (; rules && *rules; rules += n + (rules[n] == ' ')) {
		n = strcspn(rules, " ");
		if (n >= sizeof(word))
			mk_die("%s: %s is no list of rules", c->name, rules);
		memcpy(word, rules, n);
		word[n] = '\0';
		mk_expect(c, false, "+", word);
	}
}

static void put_case(struct mk_capture *c, const struct mk_case *one, const struct mk_packet *p)
{
	mk_put(c, p);
	fprintf(c->expect, "# %s\n", one->what);
	mk_expect(c, false, one->verdict == MK_FIRES ? "" : "!", one->rule);
	expect_also(c, one->also);
}

static bool link_known(uint32_t linktype)
{
	unsigned int i;

	for (i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		if (links[i].linktype == linktype)
			return true;
	return false;
}

/* The cases of @group that are of one link type, in their order. */
static void write_cases(const struct mk_group *group, uint32_t linktype, const char *suffix)
{
	struct mk_capture c = { 0 };
	struct mk_packet p;
	char name[64];
	unsigned int i;

	snprintf(name, sizeof(name), "lint-%s%s.pcap", group->name, suffix);
	for (i = 0; group->cases[i].rule; i++) {
		memset(&p, 0, sizeof(p));
		p.serial = i + 1;
		group->cases[i].make(&p);
		if (!p.len || !link_known(p.linktype))
			mk_die("lint-%s: case %u (%s) makes no packet", group->name, i,
			       group->cases[i].what);
		if (p.linktype != linktype)
			continue;
		if (!c.file) {
			mk_file_begin(&c, name, true);
			mk_pcap(&c, linktype, 0, MK_NANO);
		}
		put_case(&c, &group->cases[i], &p);
	}
	if (c.file)
		mk_file_end(&c);
}

static void write_file_case(const struct mk_group *group, const struct mk_file_case *one)
{
	struct mk_capture c;
	char name[96];

	snprintf(name, sizeof(name), "lint-%s-%s", group->name, one->name);
	mk_file_begin(&c, name, true);
	one->write(&c);
	mk_file_end(&c);
}

void mk_all_lint(void)
{
	const struct mk_file_case *one;
	unsigned int i, j;

	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		for (j = 0; j < sizeof(links) / sizeof(links[0]); j++)
			write_cases(groups[i], links[j].linktype, links[j].suffix);
		for (one = groups[i]->files; one && one->name; one++)
			write_file_case(groups[i], one);
	}
}
