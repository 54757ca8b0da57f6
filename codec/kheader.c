/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kheader.c - ibwire-kheader: prints headers of the schema as plain C without a macro.
 *
 *	ibwire-kheader [--prefix P] [--include FILE]... NAME...|@FAMILY...|all
 *	ibwire-kheader --list
 *
 * For trees that do not take the macros of expand.h, and as an index for who looks for a
 * function by its name. From the reflection tables; in the manner of the Linux kernel, whose
 * types and unaligned accessors it uses unless --include names something else: before Linux
 * 6.12 they are in '<asm/unaligned.h>', '<linux/string.h>' and '<linux/types.h>'.
 */
#include <stdio.h>
#include <string.h>

#include <ibwire/tables.h>

#define LINE_MAX_CHARS 100
#define INCLUDES_MAX 8

static const char *prefix = "ibw_";

/* The family of each header: the list it stands in. */
static const char *const families[IBW_LAYER_COUNT] = {
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "link",
#include <ibwire/list/headers_link.def>
#undef IBW_HEADER
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "mad",
#include <ibwire/list/headers_mad.def>
#undef IBW_HEADER
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "sm",
#include <ibwire/list/headers_sm.def>
#undef IBW_HEADER
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "sa",
#include <ibwire/list/headers_sa.def>
#undef IBW_HEADER
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "cm",
#include <ibwire/list/headers_cm.def>
#undef IBW_HEADER
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "perf",
#include <ibwire/list/headers_perf.def>
#undef IBW_HEADER
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "cc",
#include <ibwire/list/headers_cc.def>
#undef IBW_HEADER
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "devmgt",
#include <ibwire/list/headers_devmgt.def>
#undef IBW_HEADER
#define IBW_HEADER(name, title) [IBW_LAYER_##name] = "vendor",
#include <ibwire/list/headers_vendor.def>
#undef IBW_HEADER
};

/* Elements of an array that is no byte array. */
static bool is_array(const struct ibw_field *f)
{
	return f->count > 1 && !(f->flags & IBW_FIELD_BYTES);
}

static bool is_bytes(const struct ibw_field *f)
{
	return (f->flags & IBW_FIELD_BYTES) != 0;
}

static bool is_rsvd(const struct ibw_field *f)
{
	return (f->flags & IBW_FIELD_RSVD) != 0;
}

static unsigned int type_bits(const struct ibw_field *f)
{
	return f->size * 8u;
}

static uint64_t ones(unsigned int bits)
{
	return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* What is read and written to get at a field: whole bytes, and where the field is in them. */
struct place {
	unsigned int byte;  /* the first */
	unsigned int bits;  /* 8, 16, 24, 32 or 64 */
	unsigned int shift; /* of the field's last bit from the last of these */
	bool whole;         /* the field is all of them */
};

static struct place place_of(const struct ibw_field *f)
{
	unsigned int last = (f->at + f->bits - 1) / 8;
	struct place p = { .byte = f->at / 8 };

	p.bits = (last - p.byte + 1) * 8;
	p.shift = p.bits - f->at % 8 - f->bits;
	p.whole = p.bits == f->bits;
	return p;
}

/* Where a line ends that begins with @column columns and goes on with @text and one character. */
static size_t line_end(size_t column, const char *text)
{
	return column + strlen(text) + 1;
}

static void print_indent(size_t column)
{
	for (; column >= 8; column -= 8)
		printf("\t");
	printf("%*s", (int)column, "");
}

/*
 * The name and the arguments of a function: in one line, or the arguments under each other, or
 * all of them in a line of their own.
 */
static void print_args(const char *name, const char *args)
{
	const char *comma = strstr(args, ", ");
	size_t column = strlen(name) + 1;

	if (line_end(column, args) <= LINE_MAX_CHARS) {
		printf("%s(%s)\n{\n", name, args);
		return;
	}
	if (!comma || column + (size_t)(comma - args) + 1 > LINE_MAX_CHARS ||
	    line_end(column, comma + 2) > LINE_MAX_CHARS) {
		printf("%s\n\t(%s)\n{\n", name, args);
		return;
	}
	printf("%s(%.*s,\n", name, (int)(comma - args), args);
	print_indent(column);
	printf("%s)\n{\n", comma + 2);
}

/* "static inline u8 ibw_bth_se(const struct ibw_bth_wire *w)", broken if it is too long. */
static void print_head(const char *type, const char *name, const char *args)
{
	size_t n = strlen("static inline ") + strlen(type) + 1 + strlen(name) + strlen(args) + 2;

	if (n > LINE_MAX_CHARS)
		printf("static inline %s\n", type);
	else
		printf("static inline %s%s", type, type[strlen(type) - 1] == '*' ? "" : " ");
	print_args(name, args);
}

static void name_of(char *to, size_t room, const struct ibw_header *h, const char *verb,
		    const char *field)
{
	snprintf(to, room, "%s%s_%s%s", prefix, h->name, verb, field);
}

/* The bytes of a place as an integer. */
static void print_load(const struct place *p)
{
	if (p->bits == 8)
		printf("w->b[%u]", p->byte);
	else if (p->byte)
		printf("get_unaligned_be%u(w->b + %u)", p->bits, p->byte);
	else
		printf("get_unaligned_be%u(w->b)", p->bits);
}

static void print_store_end(const struct place *p)
{
	if (p->bits == 8)
		printf(";\n");
	else if (p->byte)
		printf(", w->b + %u);\n", p->byte);
	else
		printf(", w->b);\n");
}

static void print_element_get(const struct ibw_field *f)
{
	unsigned int byte = f->at / 8;

	if (f->bits == 8)
		printf("\treturn w->b[%u + i];\n", byte);
	else if (f->bits > 8)
		printf("\treturn get_unaligned_be%u(&w->b[%u + i * %u]);\n", f->bits, byte,
		       f->bits / 8u);
	else
		printf("\tunsigned int at = %u + i * %u;\n\n"
		       "\treturn w->b[at / 8] >> (%u - at %% 8) & 0x%x;\n",
		       (unsigned int)f->at, (unsigned int)f->bits, 8u - f->bits,
		       (unsigned int)ones(f->bits));
}

static void print_element_set(const struct ibw_field *f)
{
	unsigned int byte = f->at / 8, mask = (unsigned int)ones(f->bits & 31);

	if (f->bits == 8)
		printf("\tw->b[%u + i] = v;\n", byte);
	else if (f->bits > 8)
		printf("\tput_unaligned_be%u(v, &w->b[%u + i * %u]);\n", f->bits, byte,
		       f->bits / 8u);
	else
		printf("\tunsigned int at = %u + i * %u;\n"
		       "\tunsigned int shift = %u - at %% 8;\n\n"
		       "\tw->b[at / 8] = (w->b[at / 8] & ~(0x%x << shift)) | (v & 0x%x) << shift;\n",
		       (unsigned int)f->at, (unsigned int)f->bits, 8u - f->bits, mask, mask);
}

static void print_get(const struct ibw_header *h, const struct ibw_field *f)
{
	struct place p = place_of(f);
	char name[128], args[160], type[16];

	name_of(name, sizeof(name), h, "", f->name);
	snprintf(args, sizeof(args), "const struct %s%s_wire *w%s", prefix, h->name,
		 is_array(f) ? ", unsigned int i" : "");
	snprintf(type, sizeof(type), "u%u", type_bits(f));
	print_head(is_bytes(f) ? "const u8 *" : type, name, args);
	if (is_bytes(f)) {
		printf(p.byte ? "\treturn w->b + %u;\n" : "\treturn w->b;\n", p.byte);
	} else if (is_array(f)) {
		print_element_get(f);
	} else {
		printf("\treturn ");
		print_load(&p);
		if (p.shift)
			printf(" >> %u", p.shift);
		if (f->at % 8)
			printf(" & 0x%llx", (unsigned long long)ones(f->bits));
		printf(";\n");
	}
	printf("}\n\n");
}

/* Integers: the whole place, or the neighbours in it kept. */
static void print_set_body(const struct ibw_field *f)
{
	struct place p = place_of(f);
	uint64_t keep = ones(p.bits) & ~(ones(f->bits) << p.shift);

	printf(p.bits == 8 ? "\tw->b[%u] = " : "\tput_unaligned_be%u(",
	       p.bits == 8 ? p.byte : p.bits);
	if (p.whole) {
		printf("v");
	} else {
		printf("(");
		print_load(&p);
		printf(" & 0x%llx) | ", (unsigned long long)keep);
		if (p.shift)
			printf("(v & 0x%llx) << %u", (unsigned long long)ones(f->bits), p.shift);
		else
			printf("(v & 0x%llx)", (unsigned long long)ones(f->bits));
	}
	print_store_end(&p);
}

static void print_set(const struct ibw_header *h, const struct ibw_field *f)
{
	char name[128], args[160], value[24];
	unsigned int byte = f->at / 8;

	name_of(name, sizeof(name), h, "set_", f->name);
	snprintf(value, sizeof(value), is_bytes(f) ? "const u8 *v" : "u%u v", type_bits(f));
	snprintf(args, sizeof(args), "struct %s%s_wire *w%s, %s", prefix, h->name,
		 is_array(f) ? ", unsigned int i" : "", value);
	print_head("void", name, args);
	if (is_bytes(f) && byte)
		printf("\tmemcpy(w->b + %u, v, %u);\n", byte, f->bits / 8u);
	else if (is_bytes(f))
		printf("\tmemcpy(w->b, v, %u);\n", f->bits / 8u);
	else if (is_array(f))
		print_element_set(f);
	else
		print_set_body(f);
	printf("}\n\n");
}

/* One row of the picture: the fields' parts between bits @from and @to, which is a word's end. */
static void print_row(const struct ibw_header *h, unsigned int from, unsigned int to)
{
	const struct ibw_field *f;

	printf(" * |");
	for (f = h->fields; f->name; f++) {
		unsigned int end = f->at + (unsigned int)f->bits * f->count;
		unsigned int a = f->at > from ? f->at : from, b = end < to ? end : to;
		unsigned int width, len;
		const char *text = is_rsvd(f) ? "" : f->name;

		if (a >= b)
			continue;
		width = 2 * (b - a) - 1;
		len = (unsigned int)strlen(f->at < from ? "" : text);
		len = len > width ? width : len;
		printf("%*s%.*s%*s|", (int)((width - len) / 2), "", (int)len, text,
		       (int)(width - len - (width - len) / 2), "");
	}
	printf("\n");
}

static void print_rule(unsigned int bits)
{
	printf(" * +");
	while (bits--)
		printf("-+");
	printf("\n");
}

/* Rows inside one long field are told, not drawn. */
static bool is_inside(const struct ibw_header *h, unsigned int at)
{
	const struct ibw_field *f;

	for (f = h->fields; f->name; f++)
		if (f->at + 32 <= at && at + 64 <= f->at + (unsigned int)f->bits * f->count)
			return true;
	return false;
}

static void print_picture(const struct ibw_header *h)
{
	unsigned int bits = h->bytes * 8u, at, end;
	bool skipped = false;

	printf("/*\n * %s: %u bytes\n *\n", h->title, (unsigned int)h->bytes);
	printf(" *  0                   1                   2                   3\n"
	       " *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1\n");
	for (at = 0; at < bits; at += 32) {
		end = at + 32 < bits ? at + 32 : bits;
		if (is_inside(h, at)) {
			if (!skipped)
				printf(" * ...\n");
			skipped = true;
			continue;
		}
		skipped = false;
		print_rule(end - at);
		print_row(h, at, end);
	}
	print_rule((bits - 1) % 32 + 1);
	printf(" */\n");
}

static void print_structs(const struct ibw_header *h)
{
	const struct ibw_field *f;

	printf("struct %s%s_wire {\n\tu8 b[%u];\n};\n\n", prefix, h->name, (unsigned int)h->bytes);
	printf("struct %s%s {\n", prefix, h->name);
	for (f = h->fields; f->name; f++) {
		if (is_rsvd(f))
			continue;
		if (is_bytes(f))
			printf("\tu8 %s[%u];\n", f->name, f->bits / 8u);
		else if (is_array(f))
			printf("\tu%u %s[%u];\n", type_bits(f), f->name, (unsigned int)f->count);
		else
			printf("\tu%u %s;\n", type_bits(f), f->name);
	}
	printf("};\n\n");
}

/* The variable a function needs that goes through the elements of arrays. */
static void print_index(const struct ibw_header *h)
{
	const struct ibw_field *f;

	for (f = h->fields; f->name; f++)
		if (is_array(f) && !is_rsvd(f)) {
			printf("\tunsigned int i;\n\n");
			return;
		}
}

static void print_unpack(const struct ibw_header *h)
{
	const struct ibw_field *f;
	char name[128], args[200];

	name_of(name, sizeof(name), h, "", "unpack");
	snprintf(args, sizeof(args), "struct %s%s *v, const struct %s%s_wire *w", prefix, h->name,
		 prefix, h->name);
	print_head("void", name, args);
	print_index(h);
	for (f = h->fields; f->name; f++) {
		if (is_rsvd(f))
			continue;
		name_of(name, sizeof(name), h, "", f->name);
		if (is_bytes(f))
			printf("\tmemcpy(v->%s, %s(w), %u);\n", f->name, name, f->bits / 8u);
		else if (is_array(f))
			printf("\tfor (i = 0; i < %u; i++)\n\t\tv->%s[i] = %s(w, i);\n",
			       (unsigned int)f->count, f->name, name);
		else
			printf("\tv->%s = %s(w);\n", f->name, name);
	}
	printf("}\n\n");
}

static void print_pack(const struct ibw_header *h)
{
	const struct ibw_field *f;
	char name[128], args[200];

	name_of(name, sizeof(name), h, "", "pack");
	snprintf(args, sizeof(args), "struct %s%s_wire *w, const struct %s%s *v", prefix, h->name,
		 prefix, h->name);
	print_head("void", name, args);
	print_index(h);
	printf("\tmemset(w, 0, sizeof(*w));\n");
	for (f = h->fields; f->name; f++) {
		if (is_rsvd(f))
			continue;
		name_of(name, sizeof(name), h, "set_", f->name);
		if (is_array(f))
			printf("\tfor (i = 0; i < %u; i++)\n\t\t%s(w, i, v->%s[i]);\n",
			       (unsigned int)f->count, name, f->name);
		else
			printf("\t%s(w, v->%s);\n", name, f->name);
	}
	printf("}\n");
}

static void print_header(const struct ibw_header *h)
{
	const struct ibw_field *f;

	printf("\n");
	print_picture(h);
	print_structs(h);
	for (f = h->fields; f->name; f++) {
		if (is_rsvd(f))
			continue;
		print_get(h, f);
		print_set(h, f);
	}
	print_unpack(h);
	print_pack(h);
}

static void print_upper(const char *text)
{
	for (; *text; text++)
		if (*text != '@')
			putchar(*text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text);
}

/* "IBW_BTH_RETH_H" for the prefix "ibw_" and what is asked for. */
static void print_guard(const char *before, const char *behind, int n, char **what)
{
	printf("%s", before);
	print_upper(prefix);
	for (; n; n--, what++) {
		print_upper(*what);
		putchar('_');
	}
	printf("H%s", behind);
}

static void print_include(const char *file)
{
	printf(file[0] == '<' ? "#include %s\n" : "#include \"%s\"\n", file);
}

/* Whether @what asks for a header: its name, "@" and its family, or "all". */
static bool is_asked(const char *what, unsigned int layer)
{
	if (what[0] == '@')
		return strcmp(what + 1, families[layer]) == 0;
	return strcmp(what, "all") == 0 || strcmp(what, ibw_headers[layer].name) == 0;
}

static bool is_asked_by(int n, char **what, unsigned int layer)
{
	for (; n; n--, what++)
		if (is_asked(*what, layer))
			return true;
	return false;
}

static bool is_known(const char *what)
{
	unsigned int layer;

	for (layer = 0; layer < IBW_LAYER_COUNT; layer++)
		if (is_asked(what, layer))
			return true;
	return false;
}

/* All that is asked for, each header once, in the order of the lists. */
static void print_file(const char *const *includes, unsigned int n_includes, int n, char **what)
{
	static const char *const kernel[] = { "<linux/string.h>", "<linux/types.h>",
					      "<linux/unaligned.h>" };
	unsigned int i;

	printf("/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */\n"
	       "/* Printed by ibwire-kheader; not to be edited. */\n");
	print_guard("#ifndef ", "\n", n, what);
	print_guard("#define ", "\n\n", n, what);
	for (i = 0; n_includes == 0 && i < sizeof(kernel) / sizeof(kernel[0]); i++)
		print_include(kernel[i]);
	for (i = 0; i < n_includes; i++)
		print_include(includes[i]);
	for (i = 0; i < IBW_LAYER_COUNT; i++)
		if (is_asked_by(n, what, i))
			print_header(&ibw_headers[i]);
	print_guard("\n#endif /* ", " */\n", n, what);
}

static void print_list(void)
{
	unsigned int i;

	for (i = 0; i < IBW_LAYER_COUNT; i++)
		printf("@%-7s %-28s %s\n", families[i], ibw_headers[i].name, ibw_headers[i].title);
}

static int usage(const char *what, const char *which)
{
	fprintf(stderr,
		"ibwire-kheader: %s%s\n"
		"usage: ibwire-kheader [--prefix P] [--include FILE]... NAME...|@FAMILY...|all\n"
		"       ibwire-kheader --list\n",
		what, which);
	return 2;
}

int main(int argc, char **argv)
{
	const char *includes[INCLUDES_MAX];
	unsigned int n = 0;
	int i = 1, j;

	for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
		if (strcmp(argv[i], "--prefix") == 0)
			prefix = argv[i + 1];
		else if (strcmp(argv[i], "--include") == 0 && n < INCLUDES_MAX)
			includes[n++] = argv[i + 1];
		else
			return usage("unknown option, or too many: ", argv[i]);
	}
	if (i == argc)
		return usage("no header named", "");
	if (strcmp(argv[i], "--list") == 0) {
		print_list();
	} else {
		for (j = i; j < argc; j++)
			if (!is_known(argv[j]))
				return usage("see --list; there is no ", argv[j]);
		print_file(includes, n, argc - i, argv + i);
	}
	if (fflush(stdout) || ferror(stdout)) {
		perror("ibwire-kheader");
		return 1;
	}
	return 0;
}
