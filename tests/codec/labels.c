/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The labels of fields against the names other people give the same bits.
 *
 * tests/facts/map/ says which fields of others are ours (tests/codec/facts.c holds that against the bits),
 * tests/facts/labels/wireshark.csv how Wireshark calls them. A label has to say what one of these
 * names says: the same words, but for abbreviations (abbreviations.txt) and the name of the structure
 * both are of, which only theirs may repeat. Where the words are others, labels.txt says which label
 * a name means, with "@64" where a structure is in a header twice; else it knows no places, so labels
 * that are swapped contradict it.
 */
#include "check.h"
#include "codecs.h"
#include "lines.h"

#include <ctype.h>
#include <stdlib.h>

#define NAMES_MAX 8192
#define MEANINGS_MAX 4096
#define SHORT_MAX 256
#define WORDS_MAX 128 /* in one name */
#define WORD_ROOM 32

/* A name at the place of a field; @structure is what it is a member of. */
static struct name {
	const struct ibw_field *field;
	char structure[48];
	const char *text;
	char shift[8]; /* "@64", where the structure does not start as ours */
} names[NAMES_MAX];
static size_t n_names;

static struct meaning {
	uint16_t layer;
	const char *label, *theirs; /* NULL: no name is known */
	bool used;
} meanings[MEANINGS_MAX];
static size_t n_meanings;

static struct {
	const char *from, *to;
} shorts[SHORT_MAX];
static size_t n_shorts;

struct words {
	char word[WORDS_MAX][WORD_ROOM];
	unsigned int n;
};

static unsigned int layer; /* of the section that is read */
static char structure[48], shift[8];

static bool find_layer(const char *name)
{
	for (layer = 0; layer < IBW_LAYER_COUNT; layer++)
		if (strcmp(ibw_headers[layer].name, name) == 0)
			return true;
	line_wrong("no header of ours is called", name);
	layer = 0;
	return false;
}

static const struct ibw_field *find_field(const char *name)
{
	const struct ibw_field *f;

	for (f = ibw_headers[layer].fields; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

static void add_name(const char *field, const char *text)
{
	struct name *n = &names[n_names];

	n->field = find_field(field);
	if (!n->field)
		return;
	if (n_names + 1 == NAMES_MAX) {
		line_wrong("one name too many:", text);
		return;
	}
	n->text = line_kept(text);
	memcpy(n->structure, structure, sizeof(n->structure));
	memcpy(n->shift, shift, sizeof(n->shift));
	n_names++;
}

/* A line of tests/facts/map: "their fields = our field", a section, or left out. */
static void load_map(char *line)
{
	char *ours = strstr(line, " = "), *at;
	char header[32], source[32];

	if (strncmp(line, "= ", 2) == 0) {
		*shift = '\0';
		if (sscanf(line, "= %31s %31s %47s %7s", header, source, structure, shift) < 3)
			line_wrong("not a section:", line);
		else
			find_layer(header);
		return;
	}
	if (*line == '-' || !ours || strchr(ours + 3, ' '))
		return;
	*ours = '\0';
	while ((at = strchr(line, '@')) != NULL) /* where the bits are */
		memmove(at, at + strcspn(at, " "), strlen(at + strcspn(at, " ")) + 1);
	add_name(ours + 3, line);
}

/* source,header,field,name,where */
static void load_wireshark(char *line)
{
	char source[32], header[32], field[64], text[80];

	if (sscanf(line, "%31[^,],%31[^,],%63[^,],%79[^,],", source, header, field, text) != 4 ||
	    !find_layer(header) || !find_field(field)) {
		line_wrong("not a name of a field of ours:", line);
		return;
	}
	snprintf(structure, sizeof(structure), "%s", header);
	*shift = '\0';
	add_name(field, text);
}

/* abbreviation = words */
static void load_short(char *line)
{
	char *is = strstr(line, " = ");

	if (!is || n_shorts == SHORT_MAX) {
		line_wrong("not an abbreviation, or one too many:", line);
		return;
	}
	*is = '\0';
	shorts[n_shorts].from = line_kept(line);
	shorts[n_shorts++].to = line_kept(is + 3);
}

/* = header     label <- theirs | theirs     ? label : why nobody else names it */
static void load_meaning(char *text)
{
	char *line = line_kept(text), *arrow, *next;

	if (strncmp(line, "= ", 2) == 0) {
		find_layer(line + 2);
		free(line);
		return;
	}
	arrow = strstr(line, *line == '?' ? " : " : " <- ");
	if (!arrow) {
		line_wrong("neither a meaning nor a label nobody else has a name for:", line);
		return;
	}
	*arrow = '\0';
	next = arrow + (*line == '?' ? 3 : 4);
	for (arrow = next; arrow && n_meanings < MEANINGS_MAX; arrow = next) {
		next = *line == '?' ? NULL : strstr(arrow, " | ");
		if (next) {
			*next = '\0';
			next += 3;
		}
		meanings[n_meanings++] =
			(struct meaning){ (uint16_t)layer, *line == '?' ? line + 2 : line,
					  *line == '?' ? NULL : arrow, false };
	}
	if (n_meanings == MEANINGS_MAX)
		line_wrong("one meaning too many:", line);
}

static void add_word(struct words *w, const char *word, size_t n, unsigned int depth)
{
	char lower[WORD_ROOM];
	const char *to;
	size_t i;

	if (n >= sizeof(lower) || w->n == WORDS_MAX)
		return;
	for (i = 0; i < n; i++)
		lower[i] = (char)tolower((unsigned char)word[i]);
	if (n > 3 && lower[n - 1] == 's' && lower[n - 2] != 's') /* plural */
		n--;
	lower[n] = '\0';
	for (i = 0; i < n_shorts && strcmp(shorts[i].from, lower) != 0; i++)
		;
	if (i == n_shorts || depth > 4) {
		memcpy(w->word[w->n++], lower, n + 1);
		return;
	}
	for (to = shorts[i].to; *to; to += n, to += *to == ' ') {
		n = strcspn(to, " ");
		add_word(w, to, n, depth + 1);
	}
}

/* M_Key, CC_KEY: one word of a letter or two and "key". */
static size_t key_length(const char *text)
{
	static const char key[] = "key";
	size_t letters = 0, i;

	while (isalpha((unsigned char)text[letters]))
		letters++;
	if (letters < 1 || letters > 2 || text[letters] != '_')
		return 0;
	for (i = 0; i < 3; i++)
		if (tolower((unsigned char)text[letters + 1 + i]) != key[i])
			return 0;
	return letters + 4;
}

/* The length of the word @text begins with: PortRcvErrors, port_rcv_errors, SMLID, VL15Dropped. */
static size_t word_length(const char *text)
{
	size_t n = 1;

	if (isdigit((unsigned char)*text)) {
		while (isdigit((unsigned char)text[n]))
			n++;
		return n;
	}
	if (isupper((unsigned char)*text) && isupper((unsigned char)text[1])) {
		while (isupper((unsigned char)text[n]))
			n++;
		return islower((unsigned char)text[n]) ? n - 1 : n;
	}
	while (islower((unsigned char)text[n]))
		n++;
	return n;
}

/* What is in brackets is a unit or a remark. */
static struct words words_of(const char *text)
{
	struct words w = { .n = 0 };
	char key[8];
	size_t n;

	for (; *text; text += n) {
		n = 1;
		if (*text == '(') {
			n = strcspn(text, ")");
		} else if (key_length(text)) {
			n = key_length(text);
			snprintf(key, sizeof(key), "%.*skey", (int)n - 4, text);
			add_word(&w, key, n - 1, 0);
		} else if (isalnum((unsigned char)*text)) {
			n = word_length(text);
			add_word(&w, text, n, 0);
		}
	}
	return w;
}

static bool has_word(const struct words *w, const char *word)
{
	unsigned int i;

	for (i = 0; i < w->n; i++)
		if (strcmp(w->word[i], word) == 0)
			return true;
	return false;
}

/* Words that tell nothing apart. */
static bool is_filler(const char *word)
{
	static const char *const fillers[] = { "ib",  "f",     "the",       "of",
					       "and", "or",    "in",        "for",
					       "a",   "to",    "raw",       "value",
					       "pc",  "field", "wireshark", "infiniband" };
	size_t i;

	for (i = 0; i < sizeof(fillers) / sizeof(fillers[0]); i++)
		if (strcmp(fillers[i], word) == 0)
			return true;
	return false;
}

static bool says_the_same(const char *label, const char *theirs, const struct name *name,
			  const char *header)
{
	struct words ours = words_of(label), other = words_of(theirs);
	struct words context = words_of(name->structure), more = words_of(header);
	unsigned int i;

	for (i = 0; i < ours.n; i++)
		if (!is_filler(ours.word[i]) && !has_word(&other, ours.word[i]))
			return false;
	for (i = 0; i < other.n; i++)
		if (!is_filler(other.word[i]) && !has_word(&ours, other.word[i]) &&
		    !has_word(&context, other.word[i]) && !has_word(&more, other.word[i]))
			return false;
	return ours.n != 0;
}

/* labels.txt says that the name, or the name and where its structure starts, means the label. */
static bool means(uint16_t of, const char *label, const struct name *name)
{
	struct meaning *m;
	size_t n = name ? strlen(name->text) : 0;

	for (m = meanings; m < meanings + n_meanings; m++) {
		if (m->layer != of || strcmp(m->label, label) != 0 || !m->theirs != !name)
			continue;
		if (!name || (strncmp(m->theirs, name->text, n) == 0 &&
			      (!m->theirs[n] || strcmp(m->theirs + n, name->shift) == 0))) {
			m->used = true;
			return true;
		}
	}
	return false;
}

/* A name means one label of a header. */
static void check_meaning(const struct meaning *m)
{
	const struct meaning *other;

	check_case("labels.txt: %s \"%s\" <- %s", ibw_headers[m->layer].name, m->label,
		   m->theirs ? m->theirs : "nothing");
	CHECK(m->used);
	for (other = meanings; m->theirs && other < m; other++)
		if (other->theirs && other->layer == m->layer &&
		    strcmp(other->theirs, m->theirs) == 0)
			CHECK_STR(other->label, m->label);
}

static void check_field(uint16_t of, const struct ibw_field *f)
{
	const char *header = ibw_headers[of].name, *dot;
	char all[1024] = "";
	struct name *n;
	bool same = false;

	for (n = names; n < names + n_names; n++) {
		if (n->field != f)
			continue;
		dot = strrchr(n->text, '.');
		same |= says_the_same(f->label, n->text, n, header) ||
			(dot && says_the_same(f->label, dot + 1, n, header)) ||
			means(of, f->label, n);
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", *all ? ", " : "",
			 n->text);
	}
	if (!*all) {
		printf("no other name: %s.%s \"%s\"\n", header, f->name, f->label);
		same = means(of, f->label, NULL);
	}
	check_case("%s.%s is \"%s\"; others call these bits %.100s", header, f->name, f->label,
		   *all ? all : "nothing, so labels.txt has to say why");
	CHECK(same);
}

int main(void)
{
	const struct ibw_field *f;
	size_t i;
	unsigned int of;

	each_line("tests/facts/map/*.txt", load_map);
	each_line("tests/facts/labels/wireshark.csv", load_wireshark);
	each_line("tests/facts/labels/abbreviations.txt", load_short);
	each_line("tests/facts/labels/labels.txt", load_meaning);
	for (of = 0; of < IBW_LAYER_COUNT; of++)
		for (f = ibw_headers[of].fields; f->name; f++)
			if (!(f->flags & IBW_FIELD_RSVD))
				check_field((uint16_t)of, f);
	for (i = 0; i < n_meanings; i++)
		check_meaning(&meanings[i]);
	printf("%zu names of others\n", n_names);
	return check_end();
}
