/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kheader_code.c - a printed header: its structures and functions. */
#include <stdio.h>
#include <string.h>

#include "kheader.h"

#define LINE_MAX_CHARS 100

/*
 * No header of the kernel's: where its accessors are has changed in 6.12. Compilers make one load or
 * store of them.
 */
static const char accessors[] =
	"static inline u16 @get_be16(const u8 *p)\n"
	"{\n"
	"\treturn (u16)(p[0] << 8 | p[1]);\n"
	"}\n\n"
	"static inline u32 @get_be24(const u8 *p)\n"
	"{\n"
	"\treturn (u32)p[0] << 16 | (u32)p[1] << 8 | p[2];\n"
	"}\n\n"
	"static inline u32 @get_be32(const u8 *p)\n"
	"{\n"
	"\treturn (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3];\n"
	"}\n\n"
	"static inline u64 @get_be64(const u8 *p)\n"
	"{\n"
	"\treturn (u64)@get_be32(p) << 32 | @get_be32(p + 4);\n"
	"}\n\n"
	"static inline void @put_be16(u16 v, u8 *p)\n"
	"{\n"
	"\tp[0] = (u8)(v >> 8);\n"
	"\tp[1] = (u8)v;\n"
	"}\n\n"
	"static inline void @put_be24(u32 v, u8 *p)\n"
	"{\n"
	"\tp[0] = (u8)(v >> 16);\n"
	"\tp[1] = (u8)(v >> 8);\n"
	"\tp[2] = (u8)v;\n"
	"}\n\n"
	"static inline void @put_be32(u32 v, u8 *p)\n"
	"{\n"
	"\tp[0] = (u8)(v >> 24);\n"
	"\tp[1] = (u8)(v >> 16);\n"
	"\tp[2] = (u8)(v >> 8);\n"
	"\tp[3] = (u8)v;\n"
	"}\n\n"
	"static inline void @put_be64(u64 v, u8 *p)\n"
	"{\n"
	"\t@put_be32((u32)(v >> 32), p);\n"
	"\t@put_be32((u32)v, p + 4);\n"
	"}\n";

/* Two printed files have them: whoever includes both has them once. */
void kh_accessors(void)
{
	const char *p;

	printf("\n#ifndef %sGET_BE\n#define %sGET_BE\n", kh_upper_prefix, kh_upper_prefix);
	for (p = accessors; *p; p++) {
		if (*p == '@')
			fputs(kh_prefix, stdout);
		else
			putchar(*p);
	}
	printf("#endif\n");
}

/* Elements of an array that is no byte array. */
static bool is_array(const struct ibw_field *f)
{
	return f->count > 1 && !(f->flags & IBW_FIELD_BYTES);
}

static bool is_bytes(const struct ibw_field *f)
{
	return (f->flags & IBW_FIELD_BYTES) != 0;
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
	snprintf(to, room, "%s%s_%s%s", kh_prefix, h->name, verb, field);
}

/* A byte is an int when it is computed with; these say in which type to go on. */
static unsigned int promoted(unsigned int bits)
{
	return bits > 32 ? 64 : 32;
}

/* "(u32)" where the type of the field is another than the one its place is computed in. */
static void print_widen(const struct ibw_field *f, const struct place *p)
{
	if (p->bits > 16 && type_bits(f) != promoted(p->bits))
		printf("(u%u)", promoted(p->bits));
}

/* The bytes of a place as an integer. */
static void print_load(const struct place *p)
{
	if (p->bits == 8)
		printf("w->b[%u]", p->byte);
	else if (p->byte)
		printf("%sget_be%u(w->b + %u)", kh_prefix, p->bits, p->byte);
	else
		printf("%sget_be%u(w->b)", kh_prefix, p->bits);
}

static void print_element_get(const struct ibw_field *f)
{
	unsigned int byte = f->at / 8;

	if (f->bits == 8)
		printf("\treturn w->b[%u + i];\n", byte);
	else if (f->bits > 8)
		printf("\treturn %sget_be%u(&w->b[%u + i * %u]);\n", kh_prefix, f->bits, byte,
		       f->bits / 8u);
	else
		printf("\tunsigned int at = %u + i * %u;\n\n"
		       "\treturn (u8)(w->b[at / 8] >> (%u - at %% 8) & 0x%x);\n",
		       (unsigned int)f->at, (unsigned int)f->bits, 8u - f->bits,
		       (unsigned int)ones(f->bits));
}

static void print_element_set(const struct ibw_field *f)
{
	unsigned int byte = f->at / 8, mask = (unsigned int)ones(f->bits & 31);

	if (f->bits == 8)
		printf("\tw->b[%u + i] = v;\n", byte);
	else if (f->bits > 8)
		printf("\t%sput_be%u(v, &w->b[%u + i * %u]);\n", kh_prefix, f->bits, byte,
		       f->bits / 8u);
	else
		printf("\tunsigned int at = %u + i * %u;\n"
		       "\tunsigned int shift = %u - at %% 8;\n"
		       "\tint keep = w->b[at / 8] & ~(0x%x << shift);\n\n"
		       "\tw->b[at / 8] = (u8)(keep | (v & 0x%x) << shift);\n",
		       (unsigned int)f->at, (unsigned int)f->bits, 8u - f->bits, mask, mask);
}

/* Integers that are a part of their place: shifted to the end, without their neighbours. */
static void print_part(const struct ibw_field *f, const struct place *p)
{
	bool narrow = type_bits(f) < promoted(p->bits);

	if (narrow)
		printf("(u%u)(", type_bits(f));
	print_load(p);
	if (p->shift)
		printf(" >> %u", p->shift);
	if (f->at % 8)
		printf(" & 0x%llx", (unsigned long long)ones(f->bits));
	if (narrow)
		printf(")");
}

static void print_get(const struct ibw_header *h, const struct ibw_field *f)
{
	struct place p = place_of(f);
	char name[128], args[160], type[16];

	name_of(name, sizeof(name), h, "", f->name);
	snprintf(args, sizeof(args), "const struct %s%s_wire *w%s", kh_prefix, h->name,
		 is_array(f) ? ", unsigned int i" : "");
	snprintf(type, sizeof(type), "u%u", type_bits(f));
	print_head(is_bytes(f) ? "const u8 *" : type, name, args);
	if (is_bytes(f)) {
		printf(p.byte ? "\treturn w->b + %u;\n" : "\treturn w->b;\n", p.byte);
	} else if (is_array(f)) {
		print_element_get(f);
	} else {
		printf("\treturn ");
		if (p.whole)
			print_load(&p);
		else
			print_part(f, &p);
		printf(";\n");
	}
	printf("}\n\n");
}

/* What a place is to hold: the value, its neighbours kept. */
static void print_joined(const struct ibw_field *f, const struct place *p)
{
	uint64_t keep = ones(p->bits) & ~(ones(f->bits) << (p->shift & 63));

	printf("(");
	print_load(p);
	printf(" & 0x%llx) | (", (unsigned long long)keep);
	print_widen(f, p);
	printf("v & 0x%llx)", (unsigned long long)ones(f->bits));
	if (p->shift)
		printf(" << %u", p->shift);
}

/* Integers: the whole place, or the neighbours in it kept. */
static void print_set_body(const struct ibw_field *f)
{
	struct place p = place_of(f);
	bool narrow = p.bits < 32 && !p.whole && p.bits != 24;

	if (p.bits == 8)
		printf("\tw->b[%u] = ", p.byte);
	else
		printf("\t%sput_be%u(", kh_prefix, p.bits);
	if (narrow)
		printf("(u%u)(", p.bits);
	if (p.whole)
		printf("v");
	else
		print_joined(f, &p);
	if (narrow)
		printf(")");
	if (p.bits == 8)
		printf(";\n");
	else if (p.byte)
		printf(", w->b + %u);\n", p.byte);
	else
		printf(", w->b);\n");
}

static void print_set(const struct ibw_header *h, const struct ibw_field *f)
{
	char name[128], args[160], value[24];
	unsigned int byte = f->at / 8;

	name_of(name, sizeof(name), h, "set_", f->name);
	snprintf(value, sizeof(value), is_bytes(f) ? "const u8 *v" : "u%u v", type_bits(f));
	snprintf(args, sizeof(args), "struct %s%s_wire *w%s, %s", kh_prefix, h->name,
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

static void print_structs(const struct ibw_header *h)
{
	const struct ibw_field *f;
	char upper[64];

	kh_upper(upper, sizeof(upper), h->name);
	printf("#define %s%s_BYTES %u\n\n", kh_upper_prefix, upper, (unsigned int)h->bytes);
	printf("struct %s%s_wire {\n\tu8 b[%s%s_BYTES];\n};\n\n", kh_prefix, h->name,
	       kh_upper_prefix, upper);
	printf("struct %s%s {\n", kh_prefix, h->name);
	for (f = h->fields; f->name; f++) {
		if (kh_is_rsvd(f))
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

/* The length-checked way from bytes to the header. */
static void print_view(const struct ibw_header *h)
{
	char name[128], type[160], upper[64];

	kh_upper(upper, sizeof(upper), h->name);
	name_of(name, sizeof(name), h, "", "view");
	snprintf(type, sizeof(type), "const struct %s%s_wire *", kh_prefix, h->name);
	printf("/* NULL: too few bytes */\n");
	print_head(type, name, "const void *buf, size_t len");
	printf("\treturn len < %s%s_BYTES ? NULL : buf;\n}\n\n", kh_upper_prefix, upper);
}

/* The variable a function needs that goes through the elements of arrays. */
static void print_index(const struct ibw_header *h)
{
	const struct ibw_field *f;

	for (f = h->fields; f->name; f++)
		if (is_array(f) && !kh_is_rsvd(f)) {
			printf("\tunsigned int i;\n\n");
			return;
		}
}

static void print_unpack(const struct ibw_header *h)
{
	const struct ibw_field *f;
	char name[128], args[200];

	name_of(name, sizeof(name), h, "", "unpack");
	snprintf(args, sizeof(args), "struct %s%s *v, const struct %s%s_wire *w", kh_prefix,
		 h->name, kh_prefix, h->name);
	print_head("void", name, args);
	print_index(h);
	for (f = h->fields; f->name; f++) {
		if (kh_is_rsvd(f))
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
	snprintf(args, sizeof(args), "struct %s%s_wire *w, const struct %s%s *v", kh_prefix,
		 h->name, kh_prefix, h->name);
	print_head("void", name, args);
	print_index(h);
	printf("\tmemset(w, 0, sizeof(*w));\n");
	for (f = h->fields; f->name; f++) {
		if (kh_is_rsvd(f))
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

void kh_code(const struct ibw_header *h)
{
	const struct ibw_field *f;

	print_structs(h);
	print_view(h);
	for (f = h->fields; f->name; f++) {
		if (kh_is_rsvd(f))
			continue;
		print_get(h, f);
		print_set(h, f);
	}
	print_unpack(h);
	print_pack(h);
}
