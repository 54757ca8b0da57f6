/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * man.c - ibwire-man VERSION DATE INCLUDE EXAMPLES OUT: the pages of section 3, from the comments of the headers.
 *
 * A page a header of INCLUDE/ibwire: its first comment is the description, that in front of a function is the
 * function's, and the paragraphs of ibwire.h that begin with "Returns:" and the like hold for all. The
 * example is a program of EXAMPLES. Every function has a page that is sourced from there, and every header
 * of a protocol one of its own, from the tables. Run by the build; not installed.
 */
#include <stdlib.h>

#include "man_roff.h"

#define TEXT_MAX (1 << 17)
#define ITEMS_MAX 200
#define WIDTH 76u

/* A header with functions, and the program that shows them. */
static const struct {
	const char *header, *example;
} pages[] = {
	{ "base", "ipoib" },
	{ "bits", "decode" },
	{ "build", "message" },
	{ "build_cm", "cm" },
	{ "build_crc", "receive" },
	{ "build_fpdu", "iwarp" },
	{ "build_gs", "perf" },
	{ "build_ipoib", "ipoib" },
	{ "build_mad", "perf" },
	{ "build_private", "private" },
	{ "cm", "cm" },
	{ "crc", "decode" },
	{ "fpdu", "iwarp" },
	{ "icrc_pieces", "receive" },
	{ "interp", "decode" },
	{ "ip", "ipoib" },
	{ "ipoib", "ipoib" },
	{ "json", "decode" },
	{ "mad_walk", "table" },
	{ "message", "join" },
	{ "net", "decode" },
	{ "nvme", "nvme" },
	{ "opcode", "opcode" },
	{ "out", "decode" },
	{ "packet", "decode" },
	{ "piece", "iwarp" },
	{ "print", "decode" },
	{ "print_mad", "table" },
	{ "rate", "path" },
	{ "rc", "ack" },
	{ "rmpp", "table" },
	{ "rmpp_send", "rmpp" },
	{ "roce", "ipoib" },
	{ "roce_path", "path" },
	{ "route", "route" },
	{ "segment", "iwarp" },
	{ "tables", "decode" },
	{ "transport", "opcode" },
	{ "transport_view", "receive" },
	{ "ulp", "nvme" },
};

/* What ibwire.h says of all functions, a paragraph each, and the section it becomes. */
static const struct {
	const char *begins, *section;
} common[] = {
	{ "Returns: ", "RETURN VALUE" },  { "Errors: ", "ERRORS" },         { "Units: ", "UNITS" },
	{ "Byte order: ", "BYTE ORDER" }, { "Threads: ", "THREAD SAFETY" },
};

/* Some characters of a file. */
struct piece {
	const char *p;
	size_t n;
};

enum kind { FUNCTION, TYPE, MACRO };

/* What a header declares, with the comment in front of it; n 0: none. */
struct item {
	enum kind kind;
	struct piece comment, text;
};

static char text[TEXT_MAX], common_text[TEXT_MAX];
static struct item items[ITEMS_MAX + 1];
static unsigned int n_items;
static struct piece about;
static const char *include_dir, *examples_dir;

static void read_file(char *to, const char *dir, const char *sub, const char *name, const char *end)
{
	char path[1024];
	size_t n;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s%s%s", dir, sub, name, end);
	in = fopen(path, "rb");
	if (!in)
		man_fail("%s cannot be read", path);
	n = fread(to, 1, TEXT_MAX - 1, in);
	to[n] = '\0';
	fclose(in);
	if (!n || n == TEXT_MAX - 1)
		man_fail("%s is empty, or too long", path);
}

/* Parsing */

/* After the comment at @p. */
static const char *after_comment(const char *p)
{
	const char *end = strstr(p + 2, "*/");

	if (!end)
		man_fail("a comment has no end");
	return end + 2;
}

/* After the line at @p and those it goes on in. */
static const char *after_line(const char *p)
{
	for (; *p && *p != '\n'; p++)
		if (*p == '\\' && p[1])
			p++;
	return p;
}

/* After the brace that closes the one at @p. */
static const char *after_braces(const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		if (man_starts(p, "/*"))
			p = after_comment(p) - 1;
		else if (*p == '"')
			for (p++; *p && *p != '"'; p++)
				p += *p == '\\';
		else if (*p == '\'')
			p += p[1] == '\\' ? 3 : 2;
		else if (*p == '{')
			depth++;
		else if (*p == '}' && --depth == 0)
			return p + 1;
	}
	man_fail("a brace is not closed");
}

/* The name of a function or macro. */
static void name_of(char *name, size_t room, const struct item *item)
{
	const char *p = item->text.p, *end = p + item->text.n, *word;

	while (p < end) {
		for (word = p; p < end && man_is_word(*p); p++)
			;
		if (p > word && p < end && *p == '(' && !man_starts(word, "__attribute__") &&
		    (man_starts(word, "ibw_") || man_starts(word, "IBW_"))) {
			snprintf(name, room, "%.*s", (int)(p - word), word);
			return;
		}
		if (p == word)
			p++;
	}
	man_fail("no name in %.*s", (int)item->text.n, item->text.p);
}

/* Declared before, in the other branch of an #if; then it may have its comment here. */
static bool is_known(const struct item *item)
{
	char name[200], other[200];
	unsigned int i;

	if (item->kind == TYPE)
		return false;
	name_of(name, sizeof(name), item);
	for (i = 0; i < n_items; i++) {
		if (items[i].kind == TYPE)
			continue;
		name_of(other, sizeof(other), &items[i]);
		if (strcmp(name, other) != 0)
			continue;
		if (!items[i].comment.n)
			items[i].comment = item->comment;
		return true;
	}
	return false;
}

static void add(enum kind kind, struct piece comment, const char *p, const char *end)
{
	if (n_items == ITEMS_MAX)
		man_fail("too many declarations");
	items[n_items].kind = kind;
	items[n_items].comment = comment;
	items[n_items].text.p = p;
	items[n_items].text.n = (size_t)(end - p);
	n_items += !is_known(&items[n_items]);
}

/* A declaration or definition; after it. */
static const char *take_declaration(const char *p, struct piece comment)
{
	const char *end = p, *open, *word;

	for (; *end && *end != ';' && *end != '{' && *end != '('; end++)
		;
	if (*end == '{') {
		end = after_braces(end);
		end += strcspn(end, ";") + 1;
		add(TYPE, comment, p, end);
		return end;
	}
	if (*end != '(' || !man_is_word(end[-1]) || man_starts(p, "IBW_STATIC_ASSERT"))
		return end + strcspn(end, ";") + 1; /* an object, or nothing for a reader */
	for (word = end; word > p && man_is_word(word[-1]); word--)
		;
	if (!man_starts(word, "ibw_") && !man_starts(word, "__attribute__"))
		return after_line(p); /* IBW_DEFINE_...(...) */
	open = end + strcspn(end, ";{");
	add(FUNCTION, comment, p, open);
	return *open == '{' ? after_braces(open) : open + 1;
}

/* A macro with arguments; a name that ends in _ is the header's own. */
static void take_macro(const char *p, struct piece comment)
{
	if (p[strcspn(p, "(") - 1] != '_')
		add(MACRO, comment, p, p + strcspn(p, ")") + 1);
}

static void parse(const char *p)
{
	struct piece comment = { NULL, 0 };

	n_items = 0;
	about.n = 0;
	p = after_line(p); /* the licence */
	while (*(p += strspn(p, "\n\t ")) != '\0') {
		if (man_starts(p, "/*")) {
			comment.p = p;
			p = after_comment(p);
			comment.n = (size_t)(p - comment.p);
			if (!about.n)
				about = comment;
			if (man_starts(p, "\n\n"))
				comment.n = 0; /* of no declaration */
			continue;
		}
		if (*p == '#') {
			if (comment.n && man_starts(p, "#define IBW_") &&
			    p[8 +
			      strspn(p + 8,
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789")] ==
				    '(')
				take_macro(p + 8, comment);
			p = after_line(p);
		} else if (man_starts(p, "extern \"C\" {")) {
			p += strlen("extern \"C\" {");
			continue;
		} else if (*p == '}') {
			p++;
		} else {
			p = take_declaration(p, comment);
		}
		comment.n = 0;
	}
}

/* Writing */

/* Running text that begins a paragraph. */
static void sentence(FILE *out, const char *p, size_t n)
{
	char line[1200];

	if (!n || n >= sizeof(line))
		man_fail("a line is too long, or there is none");
	memcpy(line, p, n);
	if (*line >= 'a' && *line <= 'z')
		*line = (char)(*line - 'a' + 'A');
	man_running(out, line, n);
}

/* The next line of a comment without what makes it one; false: there is none. */
static bool comment_line(struct piece *rest, struct piece *line)
{
	const char *p = rest->p, *end;

	if (!rest->n)
		return false;
	end = memchr(p, '\n', rest->n);
	end = end ? end : p + rest->n;
	rest->n -= (size_t)(end - p) + (end < p + rest->n);
	rest->p = end + 1;
	p += strspn(p, "\t ");
	p += man_starts(p, "/*") ? 2 : 0;
	p += *p == '*' && p[1] != '/' ? 1 : 0;
	p += *p == ' ' ? 1 : 0;
	if (end - p >= 2 && man_starts(end - 2, "*/"))
		end -= 2;
	while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	line->p = p;
	line->n = (size_t)(end > p ? end - p : 0);
	return true;
}

static unsigned int common_of(struct piece line)
{
	unsigned int i;

	for (i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		if (line.n && man_starts(line.p, common[i].begins))
			break;
	return i;
}

/*
 * A comment, of which @skip lines are left out, up to what is common to all; @between is what begins a
 * paragraph, of which there is one in front of the first with @begun.
 */
static void comment_text(FILE *out, struct piece comment, unsigned int skip, const char *between,
			 bool begun)
{
	bool code = false, is_code, blank = begun;
	struct piece line;

	while (comment_line(&comment, &line)) {
		if (skip) {
			skip--;
			continue;
		}
		if (common_of(line) < sizeof(common) / sizeof(common[0]))
			break;
		if (!line.n) {
			blank = begun;
			continue;
		}
		is_code = memchr(line.p, '\t', line.n) != NULL; /* or a table */
		if (code && !is_code)
			man_end_verbatim(out);
		if (code && is_code && blank)
			fputc('\n', out);
		else if (begun && (blank || code != is_code))
			fputs(is_code ? ".sp\n" : between, out);
		if (is_code && !code)
			man_begin_verbatim(out);
		if (is_code)
			man_verbatim(out, line.p + (*line.p == '\t'), line.n - (*line.p == '\t'));
		else
			man_running(out, line.p, line.n);
		code = is_code;
		begun = true;
		blank = false;
	}
	if (code)
		man_end_verbatim(out);
}

/* "name.h - what it is": what it is, on one line. */
static unsigned int summary(char *to, size_t room)
{
	struct piece rest = about, line;
	unsigned int lines = 0;
	const char *dash;
	size_t n = 0;

	while (comment_line(&rest, &line)) {
		lines++;
		if (!line.n && !n)
			continue;
		if (!line.n)
			break;
		dash = n ? NULL : strstr(line.p, " - ");
		if (dash) {
			line.n -= (size_t)(dash + 3 - line.p);
			line.p = dash + 3;
		}
		n += (size_t)snprintf(to + n, room - n, "%s%.*s", n ? " " : "", (int)line.n,
				      line.p);
		if (n >= room)
			man_fail("the summary is too long");
	}
	return lines;
}

/* A prototype, broken after commas, on one line if it fits. */
static void prototype(FILE *out, struct piece decl)
{
	static const char *const storage[] = { "IBW_INLINE ", "IBW_BUILD_FUNCTION ", "static ",
					       "inline ", "extern " };
	char flat[1200] = "", escaped[4] = "", c;
	size_t i, n = 0, left, column = 0;
	const char *p = decl.p, *end = p + decl.n;

	for (i = 0; i < sizeof(storage) / sizeof(storage[0]); i++)
		if (man_starts(p, storage[i]))
			p += strlen(storage[i]);
	for (; p < end && n + 2 < sizeof(flat); p++) {
		c = *p;
		if (c == '\n' || c == '\t')
			c = ' ';
		if (c != ' ' || (n && !strchr(" (*", flat[n - 1])))
			flat[n++] = c;
	}
	while (n && flat[n - 1] == ' ')
		n--;
	flat[n] = '\0';
	for (p = flat; *p; p += left) {
		left = strcspn(p, ",");
		left += p[left] == ',';
		if (column && column + left > WIDTH) {
			fputs("\n    ", out);
			column = 4;
			p += *p == ' ';
			left -= left > 0 && p[-1] == ' ';
		}
		for (i = 0; i < left; i++)
			fwrite(escaped, 1, man_character(escaped, p[i]), out);
		column += left;
	}
	fputs(";\n", out);
}

/* RETURN VALUE to THREAD SAFETY: what holds where a function does not say otherwise. */
static void common_sections(FILE *out)
{
	struct piece rest = { common_text, strlen(common_text) }, line;
	unsigned int i, found = 0;
	bool in = false;

	while (comment_line(&rest, &line)) {
		i = common_of(line);
		if (i < sizeof(common) / sizeof(common[0])) {
			fprintf(out, ".SH %s\n", common[i].section);
			line.p += strlen(common[i].begins);
			line.n -= strlen(common[i].begins);
			sentence(out, line.p, line.n);
			in = true;
			found++;
			continue;
		}
		if (!line.n)
			in = false;
		if (in)
			man_running(out, line.p, line.n);
	}
	if (found != sizeof(common) / sizeof(common[0]))
		man_fail("ibwire.h does not say all that holds for every function");
}

static void example_section(FILE *out, const char *name)
{
	static char program[TEXT_MAX];
	const char *p, *end;

	read_file(program, examples_dir, "", name, ".c");
	fputs(".SH EXAMPLE\n", out);
	man_begin_verbatim(out);
	for (p = strchr(program, '\n') + 1; *p; p = end + 1) {
		end = strchr(p, '\n');
		man_verbatim(out, p, (size_t)(end - p));
	}
	man_end_verbatim(out);
}

/* Whether the declaration follows the one before it without a line between. */
static bool is_next_to(const struct item *before, const struct item *item)
{
	const char *p = before->text.p + before->text.n;

	return !item->comment.n && before->text.p < item->text.p &&
	       (size_t)(item->text.p - p) == strspn(p, ";\n") &&
	       memchr(p, '\n', 2) == p + strspn(p, ";") && p[strspn(p, ";") + 1] != '\n';
}

/* Functions and macros, those of one comment together; one without is for the header itself. */
static void functions_section(FILE *out)
{
	char name[200];
	unsigned int i, last;

	fputs(".SH FUNCTIONS\n", out);
	for (i = 0; i < n_items; i++) {
		if (items[i].kind == TYPE || !items[i].comment.n)
			continue;
		name_of(name, sizeof(name), &items[i]);
		fprintf(out, ".TP\n.BR %s ()\n", name);
		for (last = i; last + 1 < n_items && items[last + 1].kind == FUNCTION &&
			       is_next_to(&items[last], &items[last + 1]);
		     last++) {
			name_of(name, sizeof(name), &items[last + 1]);
			fprintf(out, ".TQ\n.BR %s ()\n", name);
		}
		comment_text(out, items[i].comment, 0, ".IP\n", false);
	}
}

static void types_section(FILE *out)
{
	const char *p, *end, *line;
	unsigned int i;
	bool any = false;

	for (i = 0; i < n_items; i++) {
		if (items[i].kind != TYPE)
			continue;
		fputs(any ? ".PP\n" : ".SH TYPES\n", out);
		any = true;
		comment_text(out, items[i].comment, 0, ".PP\n", false);
		if (items[i].comment.n)
			fputs(".PP\n", out);
		man_begin_verbatim(out);
		end = items[i].text.p + items[i].text.n;
		for (p = items[i].text.p; p < end; p = line + 1) {
			line = memchr(p, '\n', (size_t)(end - p));
			line = line ? line : end;
			man_verbatim(out, p, (size_t)(line - p));
		}
		man_end_verbatim(out);
	}
}

static void header_page(const char *header, const char *example)
{
	char page[200], name[200], what[600] = "", names[8000];
	unsigned int i, lines;
	size_t n;
	FILE *out;

	read_file(text, include_dir, "ibwire/", header, ".h");
	parse(text);
	lines = summary(what, sizeof(what));
	snprintf(page, sizeof(page), "ibwire_%s", header);
	out = man_open(page);
	n = (size_t)snprintf(names, sizeof(names), "%s", page);
	for (i = 0; i < n_items; i++)
		if (items[i].kind == FUNCTION) {
			name_of(name, sizeof(name), &items[i]);
			n += (size_t)snprintf(names + n, sizeof(names) - n, ", %s", name);
			if (n >= sizeof(names) - sizeof(what) - 4)
				man_fail("%s has too many functions", page);
			man_link(name, page);
		}
	snprintf(names + n, sizeof(names) - n, " - %s", what);
	man_running(out, names, strlen(names));
	fprintf(out, ".SH SYNOPSIS\n.nf\n.B #include <ibwire/%s.h>\n.PP\n", header);
	for (i = 0; i < n_items; i++)
		if (items[i].kind != TYPE)
			prototype(out, items[i].text);
	fputs(".fi\n.SH DESCRIPTION\n", out);
	sentence(out, what, strlen(what));
	comment_text(out, about, lines, ".PP\n", true);
	functions_section(out);
	types_section(out);
	common_sections(out);
	example_section(out, example);
	fputs(".SH SEE ALSO\n.BR ibwire (3)\n", out);
	man_close(out);
}

/* The page of all. */
static void overview(void)
{
	char what[600] = "";
	unsigned int i, lines;
	FILE *out;

	read_file(text, include_dir, "ibwire/", "ibwire", ".h");
	parse(text);
	if (about.n >= sizeof(common_text))
		man_fail("ibwire.h says too much");
	memcpy(common_text, about.p, about.n);
	common_text[about.n] = '\0';
	lines = summary(what, sizeof(what));
	out = man_open("ibwire");
	fputs("ibwire \\- ", out);
	man_running(out, what, strlen(what));
	fputs(".SH SYNOPSIS\n.B #include <ibwire/ibwire.h>\n.PP\n.B cc \\-libwire\n.SH DESCRIPTION\n",
	      out);
	comment_text(out, about, lines, ".PP\n", false);
	fputs(".SS Headers\n", out);
	for (i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		read_file(text, include_dir, "ibwire/", pages[i].header, ".h");
		parse(text);
		summary(what, sizeof(what));
		fprintf(out, ".TP\n.BR ibwire_%s (3)\n", pages[i].header);
		man_running(out, what, strlen(what));
	}
	fputs(".SS Headers of protocols\n", out);
	for (i = 0; i < IBW_LAYER_COUNT; i++) {
		fprintf(out, ".TP\n.BR ibw_%s (3)\n", ibw_headers[i].name);
		man_running(out, ibw_headers[i].title, strlen(ibw_headers[i].title));
	}
	common_sections(out);
	example_section(out, "decode");
	man_close(out);
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc != 6)
		man_fail("usage: ibwire-man VERSION DATE INCLUDE EXAMPLES OUT");
	man_version = argv[1];
	man_date = argv[2];
	include_dir = argv[3];
	examples_dir = argv[4];
	man_out = argv[5];
	overview();
	for (i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		header_page(pages[i].header, pages[i].example);
	for (i = 0; i < IBW_LAYER_COUNT; i++)
		man_schema_page(&ibw_headers[i]);
	return 0;
}
