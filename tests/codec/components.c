/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The bits of SA component masks, as the schema numbers them, against the constants of
 * others: tests/facts/components.csv, lines "source,record,component,bit,field", the
 * last being our field, "layer.field" or "layer.field[element]".
 */
#include "check.h"
#include "words.h"
#include <ibwire/mad_walk.h>

static const struct ibw_mad_attr_row *record(const char *text)
{
	unsigned int i;

	for (i = 0; i < ibw_mad_attribute_count; i++)
		if (ibw_mad_attributes[i].attrs == IBW_ATTRS_SA &&
		    strcmp(ibw_mad_attributes[i].text, text) == 0)
			return &ibw_mad_attributes[i];
	return NULL;
}

static void name_of(const struct ibw_sa_component *c, char *name, size_t n)
{
	if (c->field->flags & IBW_FIELD_BYTES || c->field->count == 1)
		snprintf(name, n, "%s.%s", ibw_headers[c->layer].name, c->field->name);
	else
		snprintf(name, n, "%s.%s[%u]", ibw_headers[c->layer].name, c->field->name,
			 c->element);
}

static void compare(const char *text, const char *constant, unsigned int bit, const char *field)
{
	const struct ibw_mad_attr_row *attr = record(text);
	struct ibw_sa_component c;
	char name[128];

	check_case("%s %s, bit %u", text, constant, bit);
	if (!CHECK(attr != NULL) || !CHECK(ibw_sa_component_at(attr, bit, &c)))
		return;
	name_of(&c, name, sizeof(name));
	CHECK_STR(name, field);
	CHECK(c.at < ibw_headers[attr->layers[0]].bytes * 8u || attr->layers[0] != c.layer);
}

static void facts(const char *path)
{
	char line[256], *word[5], *at;
	FILE *f = CHECK_OPEN(path);
	unsigned long bit;
	const char *number;
	unsigned int i;

	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		for (i = 0, at = line; i < 5; i++) {
			word[i] = at;
			at += strcspn(at, ",");
			if (*at)
				*at++ = '\0';
		}
		number = word[3];
		if (strcmp(word[0], "source") != 0 && CHECK(number_take(&number, &bit)))
			compare(word[1], word[2], (unsigned int)bit, word[4]);
	}
	fclose(f);
}

/* Where embedded attributes lie, and how many components there are. */
static void places(void)
{
	const struct ibw_mad_attr_row *node = record("NodeRecord"), *path = record("PathRecord");
	const struct ibw_mad_attr_row *service = record("ServiceRecord");
	struct ibw_sa_component c;

	check_case("places");
	CHECK_EQ(ibw_sa_components(node), 15);
	CHECK(ibw_sa_component_at(node, 7, &c));
	CHECK_EQ(c.at, 32 + 96); /* NodeGUID after LID and two bytes reserved */
	CHECK(ibw_sa_component_at(node, 14, &c));
	CHECK_EQ(c.at, 32 + 320);
	CHECK(!ibw_sa_component_at(node, 15, &c));
	CHECK_EQ(ibw_sa_components(path), 24);
	CHECK(ibw_sa_component_at(path, 1, &c)); /* the low half of the service id */
	CHECK_STR(c.field->name, "service_id");
	CHECK_EQ(c.at, 0);
	CHECK(ibw_sa_component_at(service, 30, &c));
	CHECK_EQ(c.at, 1024 + 7 * 16);
	CHECK_EQ(ibw_sa_components(record("ClassPortInfo")), 0);
	CHECK(!ibw_sa_component_at(record("ClassPortInfo"), 0, &c));
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	facts(argv[1]);
	places();
	return check_end();
}
