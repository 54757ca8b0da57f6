/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The 256 numbers of management classes against what others say of them, and which packets
 * carry management datagrams.
 *
 * tests/facts/classes.csv has claims: the class of a number or a range, its version, where the
 * data lies and which headers are around it. They are compared with the walk over MADs of
 * each number with each of the 256 methods. What a narrower range says goes before a wider one.
 */
#include "fact_rows.h"
#include "mad_made.h"

#define CLAIMS_MAX 120
#define NO_ATTRIBUTE 0x7f7f /* of no class */

struct claim {
	char source[32], class[32], where[64];
	unsigned int first, last, version, at, bytes, family;
	bool has_version, has_at, has_layers;
	struct made_layers before, after;
};

static struct claim claims[CLAIMS_MAX];
static size_t n_claims;

static struct {
	const char *source;
	unsigned int number;
	const char *column, *why;
	bool seen;
} disagreements[] = {
	{ "linux-6.12", 0x10, "at", "laid out as DevMgt there; nobody else does", false },
	{ "linux-6.12", 0x12, "at", "laid out as DevMgt there; nobody else does", false },
	{ "python_rdma-64ede5d", 0x09, "version", "a vendor's own affair", false },
	{ "python_rdma-64ede5d", 0x30, "version", "a vendor's own affair", false },
};

static bool disagrees(const struct claim *c, unsigned int number, const char *column)
{
	size_t i;

	for (i = 0; i < sizeof(disagreements) / sizeof(disagreements[0]); i++)
		if (disagreements[i].number == number &&
		    strcmp(disagreements[i].source, c->source) == 0 &&
		    strcmp(disagreements[i].column, column) == 0) {
			disagreements[i].seen = true;
			return true;
		}
	return false;
}

/* "a+b+@+c": what is before the data and after it. */
static bool parse_layers(struct claim *c, char *text)
{
	char *at = strchr(text, '@');

	if (!CHECK(at != NULL))
		return false;
	if (at > text)
		at[-1] = '\0';
	return made_parse(&c->before, at > text ? text : "none") &&
	       made_parse(&c->after, at[1] ? at + 2 : "none");
}

static void load_claim(char **column)
{
	struct claim *c = &claims[n_claims];

	if (!CHECK(n_claims < CLAIMS_MAX))
		return;
	n_claims++;
	snprintf(c->source, sizeof(c->source), "%s", column[0]);
	snprintf(c->class, sizeof(c->class), "%s", column[4]);
	snprintf(c->where, sizeof(c->where), "%s", column[9]);
	c->family = fact_family(column[0]);
	c->first = fact_number(column[1]);
	c->last = fact_number(column[2]);
	CHECK(c->first <= c->last && c->last < 256);
	c->has_version = fact_said(column[5]);
	c->version = c->has_version ? fact_number(column[5]) : 0;
	c->has_at = fact_said(column[6]);
	c->at = c->has_at ? fact_number(column[6]) : 0;
	c->bytes = c->has_at ? fact_number(column[7]) : 0;
	c->has_layers = fact_said(column[8]) && parse_layers(c, column[8]);
}

static void check_text(const struct made_layers *got, const struct made_layers *want)
{
	char got_text[256], want_text[256];

	CHECK_STR(made_text(got, got_text, sizeof(got_text)),
		  made_text(want, want_text, sizeof(want_text)));
}

/* A MAD of the number, walked: what @c says of it is so. */
static void test_walk(const struct claim *c, unsigned int number, unsigned int method)
{
	struct made_layers before, after;
	uint32_t end;

	made_start((uint8_t)number, (uint8_t)method, NO_ATTRIBUTE);
	made_walk();
	end = made_walked.data_off + made_walked.data_len;
	check_case("class 0x%02x, method 0x%02x, by %s, %s", number, method, c->source, c->where);
	if (c->has_at && !(made_walked.data_off == c->at && made_walked.data_len == c->bytes) &&
	    !disagrees(c, number, "at")) {
		CHECK_EQ(made_walked.data_off, c->at);
		CHECK_EQ(made_walked.data_len, c->bytes);
	}
	if (!c->has_layers)
		return;
	made_layers_of(&before, 0, made_walked.data_off);
	made_layers_of(&after, made_walked.data_off, IBW_MAD_BYTES);
	check_text(&before, &c->before);
	check_text(&after, &c->after);
	CHECK(after.n == 0 || made_span[made_walked.n_spans - 1].off == end);
}

static void test_number(unsigned int number)
{
	const struct ibw_mad_class_row *row = ibw_mad_class_of((uint8_t)number);
	const char *class = row ? row->text : "none";
	unsigned int width = 256, families = 0, method;
	const struct claim *c;
	char text[96];
	size_t i;

	for (i = 0; i < n_claims; i++)
		if (claims[i].first <= number && number <= claims[i].last &&
		    claims[i].last - claims[i].first < width)
			width = claims[i].last - claims[i].first;
	for (i = 0; i < n_claims; i++) {
		c = &claims[i];
		if (number < c->first || number > c->last)
			continue;
		check_case("class 0x%02x by %s, %s", number, c->source, c->where);
		if (c->last - c->first == width || strcmp(c->class, class) == 0) {
			CHECK_STR(class, c->class);
			families |= c->family;
		}
		if (c->has_version && row && row->version != c->version &&
		    !disagrees(c, number, "version"))
			CHECK_EQ(row->version, c->version);
		for (method = 0; method < 256; method++)
			test_walk(c, number, method);
	}
	check_case("class 0x%02x %s has facts", number, class);
	CHECK(families != 0);
	if (fact_weak(families)) {
		snprintf(text, sizeof(text), "0x%02x %.31s: number (%.23s)", number, class,
			 fact_weak(families));
		fact_mark_use(text);
	}
}

/* Who says what of a row of ours; its weak points are marked. */
static void test_row(const struct ibw_mad_class_row *row)
{
	unsigned int version = 0, at = 0, layers = 0;
	char text[128];
	size_t i, n;

	for (i = 0; i < n_claims; i++) {
		if (claims[i].first > row->last || claims[i].last < row->first)
			continue;
		version |= claims[i].has_version ? claims[i].family : 0;
		at |= claims[i].has_at ? claims[i].family : 0;
		layers |= claims[i].has_layers ? claims[i].family : 0;
	}
	n = (size_t)snprintf(text, sizeof(text), "0x%02x to 0x%02x %s:", row->first, row->last,
			     row->text);
	check_case("%s both ends are its own", text);
	CHECK(ibw_mad_class_of(row->first) == row && ibw_mad_class_of(row->last) == row);
	i = n;
	if (row->version && fact_weak(version))
		n += (size_t)snprintf(text + n, sizeof(text) - n, " version (%s)",
				      fact_weak(version));
	if (fact_weak(at))
		n += (size_t)snprintf(text + n, sizeof(text) - n, " place (%s)", fact_weak(at));
	if (fact_weak(layers))
		n += (size_t)snprintf(text + n, sizeof(text) - n, " layers (%s)",
				      fact_weak(layers));
	if (n > i)
		fact_mark_use(text);
}

/* CongestionLog alone begins before the data of its class: libibmad/mad.h:78 (one source: rdma) */
static void test_cong_log(void)
{
	check_case("CongestionLog");
	made_start(IBW_CLASS_CONG, 0x81, IBW_ATTR_CC_CONG_LOG);
	made_walk();
	CHECK_EQ(made_walked.data_off, 32);
	CHECK_EQ(made_walked.data_len, IBW_MAD_BYTES - 32);
}

int main(void)
{
	unsigned int i;

	fact_rows("tests/facts/classes.csv", 10, load_claim);
	for (i = 0; i < 256; i++)
		test_number(i);
	for (i = 0; i < ibw_mad_class_count; i++)
		test_row(&ibw_mad_classes[i]);
	test_cong_log();
	for (i = 0; i < sizeof(disagreements) / sizeof(disagreements[0]); i++) {
		check_case("class 0x%02x %s: %s agrees by now", disagreements[i].number,
			   disagreements[i].column, disagreements[i].source);
		CHECK(disagreements[i].seen);
	}
	fact_marks_end();
	printf("%zu claims of 256 numbers\n", n_claims);
	return check_end();
}
