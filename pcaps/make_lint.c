/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint.c - the captures of the rules, from the cases of each group. */
#include <string.h>

#include "make.h"

static const struct mk_group *const groups[] = {
	&mk_lint_cap,   &mk_lint_lrh,      &mk_lint_grh,    &mk_lint_bth,    &mk_lint_xth,
	&mk_lint_crc,   &mk_lint_roc,      &mk_lint_cng,    &mk_lint_mad,    &mk_lint_rmp,
	&mk_lint_smp,   &mk_lint_saq,      &mk_lint_mcast,  &mk_lint_mcg,    &mk_lint_paths,
	&mk_lint_neigh, &mk_lint_ipo,      &mk_lint_cms,    &mk_lint_stream, &mk_lint_rewritten,
	&mk_lint_icmp,  &mk_lint_transact, &mk_lint_notice, &mk_lint_cm,     &mk_lint_fabric,
	&mk_lint_iwp,   &mk_lint_fab,      &mk_lint_ulp,
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

static FILE *expect_of(const struct mk_capture *c)
{
	if (!c->expect)
		mk_die("%s has no expectations", c->name);
	return c->expect;
}

void mk_fires(struct mk_capture *c, const struct mk_packet *p, const char *rule, const char *at)
{
	struct mk_place place;

	if (!mk_place(p, at, &place))
		mk_die("%s:%u: %s is nowhere", c->name, c->frames, at);
	fprintf(expect_of(c), "%u %s%.6s %s %u %u\n", c->frames, place.milder ? "~" : "", rule,
		place.layer, place.off, place.len);
}

void mk_event_fires(struct mk_capture *c, const char *rule, const char *layer)
{
	fprintf(expect_of(c), "%u %s %s 0 0\n", c->frames, rule, layer);
}

void mk_event_fires_milder(struct mk_capture *c, const char *rule, const char *layer)
{
	fprintf(expect_of(c), "%u ~%s %s 0 0\n", c->frames, rule, layer);
}

void mk_misses(struct mk_capture *c, const char *rule, const char *layer)
{
	fprintf(expect_of(c), "%u !%s%s%s\n", c->frames, rule, layer ? " " : "",
		layer ? layer : "");
}

void mk_file_fires(struct mk_capture *c, const char *rule)
{
	fprintf(expect_of(c), "0 %s file 0 0\n", rule);
}

void mk_file_misses(struct mk_capture *c, const char *rule)
{
	fprintf(expect_of(c), "0 !%s\n", rule);
}

/* Of those claims are made of, the framing most like the one of @p. */
static enum mk_framing like(const struct mk_packet *p)
{
	if (p->framing == MK_FRAMING_COUNT || 1u << p->framing & MK_CLAIMED)
		return p->framing;
	if (p->off[IBW_LAYER_lrh] != MK_NONE)
		return p->off[IBW_LAYER_grh] != MK_NONE ? MK_IB_GLOBAL : MK_IB_LOCAL;
	if (p->off[IBW_LAYER_grh] != MK_NONE)
		return MK_ROCE_V1;
	return p->off[IBW_LAYER_ipv4] != MK_NONE ? MK_ROCE_V2_IPV4 : MK_ROCE_V2_IPV6;
}

/* Whether @rule, in this case of it (NULL: in all), is about this framing. */
static bool claimed(const char *rule, void (*make)(struct mk_packet *p), enum mk_framing framing)
{
	const struct mk_claim *claim;
	unsigned int i;

	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		for (claim = groups[i]->claims; claim && claim->rule; claim++)
			if (!strncmp(claim->rule, rule, strlen(claim->rule)) &&
			    (!claim->make || claim->make == make) &&
			    !(claim->framings >> framing & 1))
				return false;
	return true;
}

/* Each word of one->also, "BTH006=bth.pkey", whose rule is about this framing. */
static void fires_also(struct mk_capture *c, const struct mk_packet *p, const struct mk_case *one)
{
	enum mk_framing framing = like(p);
	const char *also = one->also;
	char rule[7];

	for (; also && *also; also += strspn(also, " ")) {
		if (strcspn(also, "= ") != 6 || also[6] != '=')
			mk_die("%s: %s is no list of rules and places", c->name, also);
		snprintf(rule, sizeof(rule), "%s", also);
		if (framing == MK_FRAMING_COUNT || !strcmp(rule, one->rule) ||
		    (claimed(rule, NULL, framing) && mk_place_possible(framing, also + 7)))
			mk_fires(c, p, rule, also + 7);
		also += strcspn(also, " ");
	}
}

static void put_case(struct mk_capture *c, const struct mk_case *one, const struct mk_packet *p)
{
	mk_put(c, p);
	fprintf(expect_of(c), "# %s\n", one->what);
	if (one->verdict == MK_FIRES)
		mk_fires(c, p, one->rule, one->at);
	else
		mk_misses(c, one->rule, one->at ? one->at : "bth");
	fires_also(c, p, one);
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

/* Whether a case that fires is made in this framing, too. */
static bool made_in(const struct mk_case *one, enum mk_framing framing)
{
	return one->verdict == MK_FIRES && claimed(one->rule, one->make, framing) &&
	       mk_place_possible(framing, one->at);
}

/* The rules that were made to fire, and in which framings. */
struct made {
	unsigned int n;
	struct {
		const char *rule;
		unsigned int framings;
	} rules[512];
};

static void note(struct made *made, const char *rule, enum mk_framing framing)
{
	unsigned int i;

	for (i = 0; i < made->n && strcmp(made->rules[i].rule, rule) != 0; i++)
		;
	if (i == sizeof(made->rules) / sizeof(made->rules[0]))
		mk_die("too many rules");
	made->rules[i].rule = rule;
	made->rules[i].framings |= framing < MK_FRAMING_COUNT ? 1u << framing : 0;
	made->n += i == made->n;
}

/* Every rule of a case in every framing that no claim denies it. */
static void check_made(struct made *made)
{
	const struct mk_case *one;
	unsigned int i, f;

	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		for (one = groups[i]->cases; one->rule; one++)
			note(made, one->rule, MK_FRAMING_COUNT);
	for (i = 0; i < made->n; i++)
		for (f = 0; f < MK_FRAMING_COUNT; f++)
			if (MK_CLAIMED >> f & 1 && !(made->rules[i].framings >> f & 1) &&
			    claimed(made->rules[i].rule, NULL, (enum mk_framing)f))
				mk_die("%s is not made to fire in %s, nor is it said why",
				       made->rules[i].rule, mk_framing_name((enum mk_framing)f));
}

/* The cases of all groups that fire, in @framing, but for those made in it anyway. */
static void write_framing(struct mk_capture *c, struct made *made, enum mk_framing framing)
{
	const struct mk_case *one;
	struct mk_packet p;
	unsigned int i;

	fprintf(c->expect, "# ---- %s\n", mk_framing_name(framing));
	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		for (one = groups[i]->cases; one->rule; one++) {
			if (!made_in(one, framing))
				continue;
			memset(&p, 0, sizeof(p));
			p.serial = c->frames + 1;
			p.instead = &framing;
			mk_making = one->what;
			one->make(&p);
			if (p.framing == framing) {
				put_case(c, one, &p);
				note(made, one->rule, framing);
			}
			mk_making = NULL;
		}
}

static void write_framings(struct made *made, const char *name, uint32_t linktype)
{
	struct mk_capture c;
	unsigned int i;

	mk_file_begin(&c, name, true);
	mk_pcap(&c, linktype, 0, MK_NANO);
	for (i = 0; i < MK_FRAMING_COUNT; i++)
		if (1u << i & MK_CLAIMED && mk_framing_linktype((enum mk_framing)i) == linktype)
			write_framing(&c, made, (enum mk_framing)i);
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
	struct made made = { 0 };
	const struct mk_file_case *one;
	unsigned int i, j;

	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		for (j = 0; j < sizeof(links) / sizeof(links[0]); j++)
			write_cases(groups[i], links[j].linktype, links[j].suffix);
		for (one = groups[i]->files; one && one->name; one++)
			write_file_case(groups[i], one);
	}
	write_framings(&made, "lint-framings.pcap", IBW_LINKTYPE_ETHERNET);
	write_framings(&made, "lint-framings-ib.pcap", IBW_LINKTYPE_INFINIBAND);
	check_made(&made);
}
