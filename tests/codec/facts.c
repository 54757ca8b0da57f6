/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The schema against other descriptions of the same headers.
 *
 * tests/facts/fields/ holds rows (source, structure, field, bit offset, width)
 * taken from drivers, libraries, analysers and hardware descriptions;
 * tests/facts/map/ says which of our fields each of them is. Every row is
 * either mapped or left out with a reason. A mapped row has to be the very
 * bits our setters write and our getters read, bit by bit in both directions.
 * A field with fewer than two independent sources is reported, and its schema
 * file has to say so: "(one source: ...)".
 */
#include "accessors.h"
#include "check.h"
#include "codecs.h"
#include "lines.h"
#include <ibwire/interp.h>

#include <stdlib.h>

#define FACTS_MAX 16384
#define FIELDS_MAX 200  /* of one header */
#define FAMILIES_MAX 64 /* independent sources */
#define WORDS_MAX 64    /* on one line of a map */

struct fact {
	char source[32], structure[48], field[64];
	long at, bits;
	bool used;
};

static struct fact facts[FACTS_MAX];
static size_t n_facts;

static char families[FAMILIES_MAX][32];
static unsigned int n_families;
static uint64_t sources_of[IBW_LAYER_COUNT][FIELDS_MAX];

/* The section of a map that is being read. */
static struct {
	char source[32], structure[48];
	unsigned int layer;
	long shift; /* of the structure in our header, bits */
} section;

/* One of our fields, or the whole header. */
struct target {
	const struct ibw_field *row; /* NULL: the header */
	const struct accessor *acc;  /* NULL: reserved bits, or the header */
};

static uint8_t wire[CODEC_ROOM];
static union {
	uint64_t align;
	uint8_t b[CODEC_ROOM];
} value;

/* The code base a source belongs to: linux-6.12 and linux-6.12-rxe are one. */
static unsigned int family(const char *source)
{
	size_t n = strcspn(source, "-");
	unsigned int i;

	for (i = 0; i < n_families; i++)
		if (strlen(families[i]) == n && strncmp(families[i], source, n) == 0)
			return i;
	if (n_families == FAMILIES_MAX) {
		line_wrong("too many sources:", source);
		return 0;
	}
	snprintf(families[n_families], sizeof(families[0]), "%.*s", (int)n, source);
	return n_families++;
}

/* @text as a number, which may be below 0. */
static bool number_of(const char *text, long *number)
{
	char *end;

	*number = strtol(text, &end, 10);
	return end != text && *end == '\0';
}

static void load_fact(char *line)
{
	struct fact *f = &facts[n_facts];
	char at[16], bits[16];

	if (n_facts == FACTS_MAX ||
	    sscanf(line, "%31[^,],%47[^,],%63[^,],%15[^,],%15[^,],", f->source, f->structure,
		   f->field, at, bits) != 5 ||
	    !number_of(at, &f->at) || !number_of(bits, &f->bits) || f->bits <= 0) {
		line_wrong("not a row, or one too many:", line);
		return;
	}
	n_facts++;
}

/* "name" or "name@bit offset", where a structure has a name twice. */
static struct fact *find_fact(const char *word)
{
	size_t n = strcspn(word, "@"), i;
	struct fact *found = NULL;

	for (i = 0; i < n_facts; i++) {
		struct fact *f = &facts[i];

		if (strcmp(f->source, section.source) != 0 ||
		    strcmp(f->structure, section.structure) != 0 || strlen(f->field) != n ||
		    strncmp(f->field, word, n) != 0)
			continue;
		if (word[n] == '@' && strtol(word + n + 1, NULL, 10) != f->at)
			continue;
		if (found) {
			line_wrong("more than one row is called", word);
			return NULL;
		}
		found = f;
	}
	if (!found)
		line_wrong("no row is called", word);
	return found;
}

static bool find_target(const char *name, struct target *t)
{
	const struct ibw_header *h = &ibw_headers[section.layer];

	memset(t, 0, sizeof(*t));
	if (strcmp(name, "(header)") == 0)
		return true;
	for (t->row = h->fields; t->row->name; t->row++)
		if (strcmp(t->row->name, name) == 0)
			break;
	if (!t->row->name) {
		line_wrong("no field of ours is called", name);
		return false;
	}
	t->acc = accessor_find(accessors[section.layer], name);
	return true;
}

static void set_bit(uint8_t *bits, unsigned int bit)
{
	bits[bit / 8] = (uint8_t)(bits[bit / 8] | 0x80 >> bit % 8);
}

static bool test_bit(const uint8_t *bits, unsigned int bit)
{
	return bits[bit / 8] >> (7 - bit % 8) & 1;
}

static void set_all(const struct target *t, uint8_t *w)
{
	uint8_t ones[CODEC_ROOM];
	unsigned int i;

	memset(ones, 0xff, sizeof(ones));
	if (t->acc->set_bytes) {
		t->acc->set_bytes(w, ones);
		return;
	}
	for (i = 0; i < ibw_interp_elements(t->row); i++)
		t->acc->set(w, i, UINT64_MAX);
}

/* The bits of our header that are @t, found by using it. */
static void bits_of(const struct target *t, uint8_t *bits)
{
	const struct ibw_header *h = &ibw_headers[section.layer];
	unsigned int bit, end;

	if (!t->row) {
		for (bit = 0; bit < h->bytes * 8u; bit++)
			set_bit(bits, bit);
		return;
	}
	if (t->acc) {
		memset(wire, 0, sizeof(wire));
		set_all(t, wire);
		for (bit = 0; bit < h->bytes; bit++)
			bits[bit] |= wire[bit];
		return;
	}
	end = t->row->at + ibw_interp_elements(t->row) * ibw_interp_width(t->row);
	for (bit = t->row->at; bit < end; bit++) {
		memset(wire, 0, sizeof(wire));
		set_bit(wire, bit);
		if (codecs[section.layer].rsvd_set(wire))
			set_bit(bits, bit);
	}
}

/* One bit of the wire at a time: our value is what a field made of @bits has to hold. */
static void check_reading(const struct target *t, const uint8_t *bits)
{
	const struct ibw_header *h = &ibw_headers[section.layer];
	unsigned int width = ibw_interp_width(t->row), bit, i, seen = 0;
	uint64_t want, got;

	for (bit = 0; bit < h->bytes * 8u; bit++) {
		memset(wire, 0, sizeof(wire));
		set_bit(wire, bit);
		codecs[section.layer].unpack(value.b, wire);
		for (i = 0; i < ibw_interp_elements(t->row); i++) {
			want = test_bit(bits, bit) && seen / width == i
				       ? (uint64_t)1 << (width - 1 - seen % width)
				       : 0;
			got = t->acc->get ? t->acc->get(wire, i) : t->acc->bytes(wire)[i];
			CHECK_EQ(got, want);
			CHECK_EQ(ibw_interp_value(value.b, t->row, i), want);
		}
		seen += test_bit(bits, bit);
	}
}

/* The rows @theirs, together, are our fields @ours, together. */
static void check_group(char **theirs, size_t n_theirs, char **ours, size_t n_ours)
{
	const struct ibw_header *h = &ibw_headers[section.layer];
	uint8_t want[CODEC_ROOM] = { 0 }, got[CODEC_ROOM] = { 0 };
	struct target t = { NULL, NULL };
	struct fact *f;
	size_t i;
	long bit;

	for (i = 0; i < n_theirs; i++) {
		f = find_fact(theirs[i]);
		if (!f)
			return;
		f->used = true;
		for (bit = f->at + section.shift; bit < f->at + section.shift + f->bits; bit++) {
			if (bit < 0 || bit >= h->bytes * 8L) {
				line_wrong("reaches out of our header:", theirs[i]);
				return;
			}
			set_bit(want, (unsigned int)bit);
		}
	}
	for (i = 0; i < n_ours; i++) {
		if (!find_target(ours[i], &t))
			return;
		bits_of(&t, got);
	}
	check_case("%s:%u: %s.%s is %s %s.%s", line_file, line_number, h->name, ours[0],
		   section.source, section.structure, theirs[0]);
	CHECK_MEM(got, want, h->bytes);
	if (n_ours != 1 || !t.acc)
		return;
	check_reading(&t, want);
	if ((size_t)(t.row - h->fields) < FIELDS_MAX)
		sources_of[section.layer][t.row - h->fields] |= (uint64_t)1
								<< family(section.source);
}

/* = header source structure [@bit of our header where the structure starts] */
static void open_section(char **words, size_t n)
{
	if (n < 4 || n > 5 || (n == 5 && *words[4] != '@')) {
		line_wrong("not a section", "");
		return;
	}
	for (section.layer = 0; section.layer < IBW_LAYER_COUNT; section.layer++)
		if (strcmp(ibw_headers[section.layer].name, words[1]) == 0)
			break;
	if (section.layer == IBW_LAYER_COUNT) {
		line_wrong("no header of ours is called", words[1]);
		section.layer = 0;
	}
	snprintf(section.source, sizeof(section.source), "%s", words[2]);
	snprintf(section.structure, sizeof(section.structure), "%s", words[3]);
	section.shift = n == 5 ? strtol(words[4] + 1, NULL, 10) : 0;
}

/* - row : why it is left out. "row*": all that start so and are not mapped. */
static bool leave_out(const char *word)
{
	size_t n = strcspn(word, "*"), i;
	struct fact *f;
	bool any = false;

	if (word[n] == '\0') {
		f = find_fact(word);
		if (f)
			f->used = true;
		return f != NULL;
	}
	for (i = 0; i < n_facts; i++) {
		f = &facts[i];
		if (strcmp(f->source, section.source) == 0 &&
		    strcmp(f->structure, section.structure) == 0 && strncmp(f->field, word, n) == 0)
			f->used = any = true;
	}
	return any;
}

static void load_map_fact(char *line)
{
	if (line_is_row(line))
		load_fact(line);
}

static void load_map_line(char *line)
{
	char *words[WORDS_MAX + 1] = { NULL }, *save = NULL, *word;
	size_t n = 0, i;

	if (line_is_row(line))
		return;
	for (word = strtok_r(line, " \t", &save); word && n < WORDS_MAX;
	     word = strtok_r(NULL, " \t", &save))
		words[n++] = word;
	if (n == 0)
		return;
	if (strcmp(words[0], "=") == 0) {
		open_section(words, n);
		return;
	}
	if (strcmp(words[0], "-") == 0) {
		if (n < 4 || strcmp(words[2], ":") != 0 || !leave_out(words[1]))
			line_wrong("not a row left out with a reason:", words[1]);
		return;
	}
	for (i = 0; i < n && strcmp(words[i], "=") != 0; i++)
		;
	if (i == 0 || i + 1 >= n)
		line_wrong("not \"their fields = our fields\":", words[0]);
	else
		check_group(words, i, words + i + 1, n - i - 1);
}

/* Whether the schema file of a header owns up to a single source. */
static bool says_one_source(const char *header)
{
	char path[256], text[8192] = "";
	FILE *in;

	snprintf(path, sizeof(path), "include/ibwire/schema/%s.def", header);
	in = CHECK_OPEN(path);
	if (!in)
		return false;
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	fclose(in);
	return strstr(text, "(one source: ") != NULL;
}

static void report(unsigned int layer)
{
	const struct ibw_header *h = &ibw_headers[layer];
	unsigned int i, k, n, weak = 0;

	check_case("%s", h->name);
	if (!CHECK(h->n_fields <= FIELDS_MAX))
		return;
	for (i = 0; i < h->n_fields; i++) {
		/* Nothing is said of a header that is bytes and no more. */
		if (h->fields[i].flags & IBW_FIELD_RSVD ||
		    (h->n_fields == 1 &&
		     (h->fields[i].kind == IBW_KIND_DATA || h->fields[i].kind == IBW_KIND_ZERO)))
			continue;
		for (k = 0, n = 0; k < n_families; k++)
			n += (unsigned int)(sources_of[layer][i] >> k & 1);
		if (n >= 2)
			continue;
		printf("%s source: %s.%s", n ? "one" : "no", h->name, h->fields[i].name);
		for (k = 0; k < n_families; k++)
			if (sources_of[layer][i] >> k & 1)
				printf(" (%s)", families[k]);
		printf("\n");
		weak++;
	}
	check_case("%s.def: %u fields have fewer than two sources; \"(one source: \" is there",
		   h->name, weak);
	CHECK_EQ(says_one_source(h->name), weak != 0);
}

/* Each schema file is a header of the list. */
static void check_schema_files(void)
{
	glob_t found;
	unsigned int layer;
	size_t i, n;
	const char *name;

	CHECK_EQ(glob("include/ibwire/schema/*.def", 0, NULL, &found), 0);
	for (i = 0; i < found.gl_pathc; i++) {
		name = strrchr(found.gl_pathv[i], '/') + 1;
		n = strcspn(name, ".");
		for (layer = 0; layer < IBW_LAYER_COUNT; layer++)
			if (strlen(ibw_headers[layer].name) == n &&
			    strncmp(ibw_headers[layer].name, name, n) == 0)
				break;
		check_case("%s is in list/headers.def", name);
		CHECK(layer < IBW_LAYER_COUNT);
	}
	globfree(&found);
}

int main(void)
{
	unsigned int layer;
	size_t i;

	each_line("tests/facts/fields/*.csv", load_fact);
	each_line("tests/facts/map/*.txt", load_map_fact);
	each_line("tests/facts/map/*.txt", load_map_line);
	for (i = 0; i < n_facts; i++) {
		check_case("%s %s.%s is neither mapped nor left out", facts[i].source,
			   facts[i].structure, facts[i].field);
		CHECK(facts[i].used);
	}
	for (layer = 0; layer < IBW_LAYER_COUNT; layer++)
		report(layer);
	check_schema_files();
	printf("%zu rows of %u sources\n", n_facts, n_families);
	return check_end();
}
