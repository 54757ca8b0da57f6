/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The attributes of the management classes against what others say of them: their numbers,
 * the headers they are made of and the methods they have, in both directions.
 *
 * tests/facts/attributes.csv and methods.csv are claims of other programs. Each claim of
 * headers is compared with the walk over MADs made for it: of every class that has the
 * attribute, with each of the 256 methods. What fewer than two sources claim is marked in the
 * data; where a source is contradicted, the reason is here.
 */
#include "fact_rows.h"
#include "mad_made.h"

#include <ibwire/rmpp.h>

#define METHODS_MAX 32
#define CLAIMS_MAX 700
#define SA_DATA_BYTES 200

static struct {
	char name[24];
	uint8_t code; /* with the R bit */
	uint8_t answers[4], n_answers;
	bool table;
	unsigned int families;
} methods[METHODS_MAX];
static size_t n_methods;

struct claim {
	char source[32], class[24], attribute[40], where[64];
	const struct ibw_mad_class_row *row; /* the first of its class */
	unsigned int id, family, bytes;
	bool has_layers, open; /* open: more layers may follow */
	struct made_layers layers;
	bool has_methods, all_methods;
	bool method[256];
};

static struct claim claims[CLAIMS_MAX];
static size_t n_claims;

static struct {
	const char *source, *class;
	unsigned int id;
	const char *column, *why;
	bool seen;
} disagreements[] = {
	{ "python_rdma-64ede5d", "SubnMgt", 0x02, "Get", "it has the Notice of a Trap alone",
	  false },
	{ "python_rdma-64ede5d", "SubnMgt", 0x02, "Set", "it has the Notice of a Trap alone",
	  false },
	/* What one source alone does not have, and none refuses, the linter may not call wrong. */
	{ "python_rdma-64ede5d", "SubnMgt", 0x10, "Set", "no second source without it", false },
	{ "python_rdma-64ede5d", "PerfMgt", 0x01, "Set", "no second source without it", false },
	{ "python_rdma-64ede5d", "SNMP", 0x01, "Set", "no second source without it", false },
	{ "python_rdma-64ede5d", "ibsysstat", 0x112, "number", "IB_CPUINFO_ATTR is 0x12", false },
	{ "python_rdma-64ede5d", "PerfMgt", 0x1e, "Set", "a result is read only, as 0x11 is",
	  false },
	{ "python_rdma-64ede5d", "SubnAdm", 0xf3, "bytes", "20 bytes of extra space after", false },
	{ "python_rdma-64ede5d", "Mellanox", 0x17, "bytes", "a hardware version after", false },
	{ "python_rdma-64ede5d", "PerfMgt", 0x10, "bytes", "all data of a MAD", false },
	{ "linux-6.12", "PerfMgt", 0x10, "bytes", "all data of a MAD, and 8 bytes", false },
	{ "opensm-fa74b98", "PerfMgt", 0x10, "bytes", "without what IBTA 1.2.1 added", false },
	{ "opensm-fa74b98", "PerfMgt", 0x36, "bytes", "all data of a MAD", false },
	{ "opensm-fa74b98", "PerfMgt", 0x37, "bytes", "all data of a MAD", false },
};

static bool disagrees(const struct claim *c, const char *column)
{
	size_t i;

	for (i = 0; i < sizeof(disagreements) / sizeof(disagreements[0]); i++)
		if (disagreements[i].id == c->id &&
		    strcmp(disagreements[i].source, c->source) == 0 &&
		    strcmp(disagreements[i].class, c->class) == 0 &&
		    strcmp(disagreements[i].column, column) == 0) {
			disagreements[i].seen = true;
			return true;
		}
	return false;
}

static size_t method_named(const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < n_methods; i++)
		if (strlen(methods[i].name) == n && strncmp(methods[i].name, name, n) == 0)
			break;
	return i;
}

static const char *method_text(unsigned int code)
{
	size_t i;

	for (i = 0; i < n_methods; i++)
		if (methods[i].code == code)
			return methods[i].name;
	return "?";
}

/* Requests are before the responses that answer them. */
static void load_method(char **column)
{
	const char *at = column[4];
	size_t i = method_named(column[3], strlen(column[3])), of;
	unsigned int code = fact_number(column[1]);
	uint8_t k;

	if (i == n_methods) {
		if (!CHECK(n_methods < METHODS_MAX))
			return;
		snprintf(methods[n_methods++].name, sizeof(methods[0].name), "%s", column[3]);
		methods[i].code = (uint8_t)code;
	}
	CHECK_EQ(code, methods[i].code);
	methods[i].families |= fact_family(column[0]);
	methods[i].table |= strcmp(column[5], "table") == 0;
	while (fact_said(at) && *at) {
		of = method_named(at, strcspn(at, "+"));
		if (!CHECK(of < n_methods))
			return;
		for (k = 0; k < methods[i].n_answers; k++)
			if (methods[i].answers[k] == methods[of].code)
				break;
		if (k == methods[i].n_answers && CHECK(k < sizeof(methods[0].answers)))
			methods[i].answers[methods[i].n_answers++] = methods[of].code;
		at += strcspn(at, "+");
		at += *at == '+';
	}
}

/* Whether @code answers a method of @have. */
static bool answers(unsigned int code, const bool *have)
{
	size_t i;
	uint8_t k;

	for (i = 0; i < n_methods; i++)
		for (k = 0; methods[i].code == code && k < methods[i].n_answers; k++)
			if (have[methods[i].answers[k]])
				return true;
	return false;
}

static void load_claimed_methods(struct claim *c, const char *text)
{
	unsigned int code;
	size_t i;

	c->has_methods = true;
	c->all_methods = !strstr(text, "..");
	while (*text && *text != '.') {
		i = method_named(text, strcspn(text, "+."));
		if (!CHECK(i < n_methods))
			return;
		c->method[methods[i].code] = true;
		text += strcspn(text, "+.");
		text += *text == '+';
	}
	for (code = 0x80; code < 256; code++)
		c->method[code] |= answers(code, c->method);
}

static const struct ibw_mad_class_row *class_called(const char *text)
{
	unsigned int i;

	for (i = 0; i < ibw_mad_class_count; i++)
		if (strcmp(ibw_mad_classes[i].text, text) == 0)
			return &ibw_mad_classes[i];
	return NULL;
}

static void load_claim(char **column)
{
	struct claim *c = &claims[n_claims];
	char layers[128];

	if (!CHECK(n_claims < CLAIMS_MAX))
		return;
	c->row = class_called(column[1]);
	if (!CHECK(c->row != NULL))
		return;
	n_claims++;
	snprintf(c->source, sizeof(c->source), "%s", column[0]);
	snprintf(c->class, sizeof(c->class), "%s", column[1]);
	snprintf(c->attribute, sizeof(c->attribute), "%s", column[6]);
	snprintf(c->where, sizeof(c->where), "%s", column[9]);
	c->id = fact_number(column[2]);
	c->family = fact_family(column[0]);
	c->bytes = fact_said(column[5]) ? fact_number(column[5]) : 0;
	if (fact_said(column[7])) {
		snprintf(layers, sizeof(layers), "%s", column[7]);
		c->open = strstr(layers, "..") != NULL;
		layers[strcspn(layers, ".")] = '\0';
		c->has_layers = made_parse(&c->layers, layers);
		CHECK(fact_said(column[4]) || !c->layers.n);
	}
	if (fact_said(column[8]))
		load_claimed_methods(c, column[8]);
}

/* The layers of the attribute in the MAD just walked are those claimed, @times over. */
static void check_layers(const struct claim *c, uint32_t times)
{
	char got_text[512], want_text[512];
	struct made_layers got, want = { { 0 }, 0 };
	uint32_t i;

	for (; times > 0; times--)
		for (i = 0; i < c->layers.n; i++)
			want.layer[want.n++] = c->layers.layer[i];
	made_layers_of(&got, made_walked.data_off, made_walked.data_off + made_walked.data_len);
	if (c->open && got.n > want.n)
		got.n = want.n;
	CHECK_STR(made_text(&got, got_text, sizeof(got_text)),
		  made_text(&want, want_text, sizeof(want_text)));
}

/* As many records as fit, in one RMPP segment; how many. */
static uint32_t fill_table(uint32_t record)
{
	struct ibw_rmpp rmpp = { .version = IBW_RMPP_VERSION,
				 .type = IBW_RMPP_DATA,
				 .flags = IBW_RMPP_ACTIVE | IBW_RMPP_FIRST | IBW_RMPP_LAST,
				 .data1 = 1 };
	uint32_t stride = (record + 7) / 8 * 8, n = SA_DATA_BYTES / stride;

	rmpp.data2 = ibw_sa_BYTES + n * stride;
	ibw_rmpp_pack(ibw_rmpp_view_mut(made + ibw_mad_BYTES, ibw_rmpp_BYTES), &rmpp);
	ibw_sa_set_attr_offset(ibw_sa_view_mut(made + ibw_mad_BYTES + ibw_rmpp_BYTES, ibw_sa_BYTES),
			       (uint16_t)(stride / 8));
	return n;
}

static bool is_table(unsigned int code)
{
	size_t i;

	for (i = 0; i < n_methods; i++)
		if (methods[i].code == code)
			return methods[i].table;
	return false;
}

/* MADs of one class with the attribute claimed, of every method, asked and answered. */
static void test_walk(const struct claim *c, uint8_t mgmt_class)
{
	bool sa = mgmt_class == IBW_CLASS_SUBN_ADM;
	unsigned int code;
	uint32_t n;

	for (code = 0; code < 256; code++) {
		check_case("layers of %s 0x%02x %s, method 0x%02x, by %s, %s", c->class, c->id,
			   c->attribute, code, c->source, c->where);
		made_start(mgmt_class, (uint8_t)code, (uint16_t)c->id);
		n = sa && c->layers.n && !c->open ? fill_table(made_bytes(&c->layers)) : 1;
		made_walk();
		CHECK_EQ((made_walked.flags & IBW_MAD_TABLE) != 0, sa && is_table(code));
		if (!c->open || !is_table(code))
			check_layers(c, is_table(code) ? n : 1);
	}
}

static void test_bytes(const struct claim *c)
{
	uint32_t ours = made_bytes(&c->layers);

	check_case("bytes of %s 0x%02x %s: %s says %u, its layers have %u", c->class, c->id,
		   c->attribute, c->source, c->bytes, ours);
	/* Others count the padding to a multiple of 8. */
	if (c->open || c->bytes < ours || c->bytes >= ours + 8)
		CHECK(c->open ? c->bytes >= ours : disagrees(c, "bytes"));
}

static void legal_methods(const struct ibw_mad_attr_row *attr, bool *have)
{
	unsigned int code;

	for (code = 0; code < 256; code++)
		have[code] = ibw_mad_method_legal(attr, code >> 7, (uint8_t)(code & 0x7f));
}

/* Requests that ours has and a claim which is complete has not. */
static void test_missing_methods(const struct claim *c, const struct ibw_mad_attr_row *attr)
{
	unsigned int code;

	bool have[256];

	legal_methods(attr, have);
	for (code = 0; code < 0x80; code++) {
		check_case("%s 0x%02x %s: %s, %s, has no %s", c->class, c->id, c->attribute,
			   c->source, c->where, method_text(code));
		if (have[code] && !c->method[code])
			CHECK(disagrees(c, method_text(code)));
	}
}

static void test_claim(const struct claim *c)
{
	const struct ibw_mad_attr_row *attr = ibw_mad_attr_of(c->row, (uint16_t)c->id);
	unsigned int i;

	check_case("%s 0x%02x by %s, %s", c->class, c->id, c->source, c->where);
	if (!attr && fact_said(c->attribute)) {
		CHECK(disagrees(c, "number"));
		return;
	}
	CHECK_STR(attr ? attr->text : "-", c->attribute);
	if (!attr)
		return;
	for (i = 0; c->has_layers && i < ibw_mad_class_count; i++)
		if (ibw_mad_classes[i].attrs == attr->attrs)
			test_walk(c, ibw_mad_classes[i].first);
	if (c->has_layers && c->bytes)
		test_bytes(c);
	if (c->all_methods)
		test_missing_methods(c, attr);
}

/* Each method of the attribute is claimed, and each claimed is one; who says it is appended. */
static size_t test_methods(const struct ibw_mad_attr_row *attr, const char *class,
			   const unsigned int *families, char *weak, size_t room)
{
	bool have[256], legal;
	unsigned int code;
	size_t n = 0;

	legal_methods(attr, have);
	for (code = 0; code < 256; code++) {
		legal = have[code];
		check_case("%s 0x%02x %s: method 0x%02x %s, which %s says", class, attr->id,
			   attr->text, code, method_text(code),
			   families[code] ? "a source" : "no source");
		if (families[code])
			CHECK_EQ(legal, true);
		if (legal && fact_weak(families[code]) && !answers(code, have) && n < room)
			n += (size_t)snprintf(weak + n, room - n, ", %s (%s)", method_text(code),
					      fact_weak(families[code]));
	}
	return n;
}

static void test_row(const struct ibw_mad_attr_row *attr)
{
	unsigned int named = 0, made_of = 0, method[256] = { 0 }, code;
	const char *class = NULL;
	char weak[160] = "";
	size_t i, n = 0;

	for (i = 0; i < ibw_mad_class_count && !class; i++)
		if (ibw_mad_classes[i].attrs == attr->attrs)
			class = ibw_mad_classes[i].text;
	check_case("0x%02x %s belongs to a class", attr->id, attr->text);
	if (!CHECK(class != NULL))
		return;
	for (i = 0; i < n_claims; i++) {
		if (claims[i].id != attr->id || claims[i].row->attrs != attr->attrs)
			continue;
		named |= claims[i].family;
		made_of |= claims[i].has_layers ? claims[i].family : 0;
		for (code = 0; code < 256; code++)
			if (claims[i].method[code] && !disagrees(&claims[i], method_text(code)))
				method[code] |= claims[i].family;
	}
	check_case("%s 0x%02x %s has facts", class, attr->id, attr->text);
	CHECK(named != 0);
	CHECK(ibw_mad_attr_of(class_called(class), attr->id) == attr);
	if (fact_weak(named))
		n += (size_t)snprintf(weak, sizeof(weak), ", number (%s)", fact_weak(named));
	if (fact_weak(made_of))
		n += (size_t)snprintf(weak + n, sizeof(weak) - n, ", layers (%s)",
				      fact_weak(made_of));
	test_methods(attr, class, method, weak + n, sizeof(weak) - n);
	if (*weak) {
		char text[256];

		snprintf(text, sizeof(text), "%s 0x%02x %s: %s", class, attr->id, attr->text,
			 weak + 2);
		fact_mark_use(text);
	}
}

static void test_method(size_t i)
{
	char name[24], text[64];

	snprintf(name, sizeof(name), "%.23s", methods[i].name);
	if (methods[i].code & 0x80 && strlen(name) > 4)
		name[strlen(name) - 4] = '\0';
	check_case("method 0x%02x, %s", methods[i].code, methods[i].name);
	CHECK_STR(ibw_name_of(ibw_mad_method_names, methods[i].code & 0x7f), name);
	if (fact_weak(methods[i].families)) {
		snprintf(text, sizeof(text), "method 0x%02x %.23s (%s)", methods[i].code,
			 methods[i].name, fact_weak(methods[i].families));
		fact_mark_use(text);
	}
}

int main(void)
{
	unsigned int i;
	size_t k;

	fact_rows("tests/facts/methods.csv", 7, load_method);
	fact_rows("tests/facts/attributes.csv", 10, load_claim);
	for (k = 0; k < n_methods; k++)
		test_method(k);
	for (k = 0; k < n_claims; k++)
		test_claim(&claims[k]);
	for (i = 0; i < ibw_mad_attribute_count; i++)
		test_row(&ibw_mad_attributes[i]);
	for (k = 0; k < sizeof(disagreements) / sizeof(disagreements[0]); k++) {
		check_case("%s 0x%02x %s: %s agrees by now", disagreements[k].class,
			   disagreements[k].id, disagreements[k].column, disagreements[k].source);
		CHECK(disagreements[k].seen);
	}
	fact_marks_end();
	printf("%zu claims of %u attributes\n", n_claims, ibw_mad_attribute_count);
	return check_end();
}
