/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The details of every trap number, by class, against what others say of them
 * (tests/facts/traps.csv): MADs with a Notice of each of the 65536 numbers are walked. A number
 * nobody gives a structure is raw, and so is every notice that is not a generic one.
 */
#include "fact_rows.h"
#include "mad_made.h"

#define TRAPS 65536
#define CLAIMS_MAX 120

/* Classes that have a Notice, the claims they go by, and a method with which they carry it. */
static const struct {
	uint8_t mgmt_class, method;
	const char *claims;
	bool issuer; /* there is room for the GID of who issued it */
} classes[] = {
	{ IBW_CLASS_SUBN_LID, 0x05, "SubnMgt", false },
	{ IBW_CLASS_SUBN_DR, 0x05, "SubnMgt", false },
	{ IBW_CLASS_SUBN_ADM, 0x06, "SubnMgt", true },
	{ IBW_CLASS_BM, 0x05, "BaseBoardMgt", true },
	{ IBW_CLASS_DEV_MGT, 0x06, "DevMgt", true },
	{ IBW_CLASS_CONG, 0x05, "CongestionControl", true },
};

static struct {
	char source[32], class[24], layer[24], where[64];
	unsigned int number, family;
	bool has_layer, seen;
} claims[CLAIMS_MAX];
static size_t n_claims;

static struct {
	const char *source;
	unsigned int number;
	const char *why;
	bool seen;
} disagreements[] = {
	{ "wireshark-4.4.18", 68, "a mask and a bit there; a PathRecord would be due, too long",
	  0 },
	{ "wireshark-4.4.18", 69, "a mask and a bit there; a PathRecord would be due, too long",
	  0 },
};

static bool disagrees(size_t claim)
{
	size_t i;

	for (i = 0; i < sizeof(disagreements) / sizeof(disagreements[0]); i++)
		if (disagreements[i].number == claims[claim].number &&
		    strcmp(disagreements[i].source, claims[claim].source) == 0) {
			disagreements[i].seen = true;
			return true;
		}
	return false;
}

static void load_claim(char **column)
{
	if (!CHECK(n_claims < CLAIMS_MAX))
		return;
	snprintf(claims[n_claims].source, sizeof(claims[0].source), "%s", column[0]);
	snprintf(claims[n_claims].class, sizeof(claims[0].class), "%s", column[1]);
	snprintf(claims[n_claims].layer, sizeof(claims[0].layer), "%s", column[5]);
	snprintf(claims[n_claims].where, sizeof(claims[0].where), "%s", column[6]);
	claims[n_claims].number = fact_number(column[2]);
	claims[n_claims].family = fact_family(column[0]);
	claims[n_claims].has_layer = fact_said(column[5]);
	n_claims++;
}

/* The layers of a Notice with that number. */
static const char *walk(size_t class, unsigned int number, bool generic, char *text, size_t room)
{
	struct ibw_notice v = { .is_generic = generic, .trap_num = (uint16_t)number };
	struct made_layers l;

	made_start(classes[class].mgmt_class, classes[class].method, 0x02);
	made_walk();
	ibw_notice_pack(ibw_notice_view_mut(made + made_walked.data_off, ibw_notice_BYTES), &v);
	made_walk();
	made_layers_of(&l, made_walked.data_off, made_walked.data_off + made_walked.data_len);
	return made_text(&l, text, room);
}

static void check_layer(size_t class, unsigned int number, bool generic, const char *layer)
{
	char got[128], want[128];

	snprintf(want, sizeof(want), "notice+%s%s", layer,
		 classes[class].issuer ? "+notice_issuer" : "");
	CHECK_STR(walk(class, number, generic, got, sizeof(got)), want);
}

static bool of(size_t claim, size_t class, unsigned int number)
{
	return claims[claim].number == number &&
	       strcmp(claims[claim].class, classes[class].claims) == 0;
}

static void test_number(size_t class, unsigned int number)
{
	bool claimed = false;
	size_t i;

	for (i = 0; i < n_claims; i++) {
		if (!of(i, class, number))
			continue;
		claims[i].seen = true;
		if (!claims[i].has_layer || disagrees(i))
			continue;
		claimed = true;
		check_case("class 0x%02x, trap %u by %s, %s", classes[class].mgmt_class, number,
			   claims[i].source, claims[i].where);
		check_layer(class, number, true, claims[i].layer);
	}
	check_case("class 0x%02x, trap %u, of which no source has a structure",
		   classes[class].mgmt_class, number);
	if (!claimed)
		check_layer(class, number, true, "notice_raw");
	check_case("class 0x%02x, a vendor's notice of device 0x%04x", classes[class].mgmt_class,
		   number);
	check_layer(class, number, false, "notice_raw");
}

/* Who says what of a number that is claimed. */
static void test_sources(size_t claim)
{
	unsigned int number = 0, layer = 0;
	char text[96];
	size_t i, n;

	for (i = 0; i < n_claims; i++) {
		if (claims[i].number != claims[claim].number ||
		    strcmp(claims[i].class, claims[claim].class) != 0)
			continue;
		if (i < claim)
			return;
		number |= claims[i].family;
		layer |= claims[i].has_layer && !disagrees(i) ? claims[i].family : 0;
	}
	n = (size_t)snprintf(text, sizeof(text), "%s trap %u:", claims[claim].class,
			     claims[claim].number);
	i = n;
	if (fact_weak(number))
		n += (size_t)snprintf(text + n, sizeof(text) - n, " number (%s)",
				      fact_weak(number));
	if (layer && fact_weak(layer))
		n += (size_t)snprintf(text + n, sizeof(text) - n, " layer (%s)", fact_weak(layer));
	if (n > i)
		fact_mark_use(text);
}

int main(void)
{
	unsigned int number;
	size_t i;

	fact_rows("tests/facts/traps.csv", 7, load_claim);
	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		for (number = 0; number < TRAPS; number++)
			test_number(i, number);
	for (i = 0; i < n_claims; i++) {
		test_sources(i);
		check_case("%s trap %u of %s is tried", claims[i].class, claims[i].number,
			   claims[i].source);
		CHECK(claims[i].seen);
	}
	for (i = 0; i < sizeof(disagreements) / sizeof(disagreements[0]); i++) {
		check_case("trap %u: %s agrees by now", disagreements[i].number,
			   disagreements[i].source);
		CHECK(disagreements[i].seen);
	}
	fact_marks_end();
	printf("%zu claims\n", n_claims);
	return check_end();
}
