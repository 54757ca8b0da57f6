/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * man_schema.c - the page of a protocol's header: its fields, and the functions that expand.h makes of them.
 *
 * Those of a field have no page of their own, as there are thousands: all are in the synopsis of their header's.
 */
#include "man_roff.h"

static const char *const functions[] = { "_view", "_view_mut", "_unpack", "_pack", "_rsvd_set" };

static void say(FILE *out, const char *text)
{
	man_running(out, text, strlen(text));
}

/* Getter and setter, as expand.h defines them. */
static void field_synopsis(FILE *out, const char *header, const struct ibw_field *f)
{
	const char *i = f->count > 1 && f->size ? ", unsigned int i" : "";
	char type[20] = "const uint8_t *", set[20] = "const uint8_t *";

	if (f->flags & IBW_FIELD_RSVD)
		return;
	if (f->size) {
		snprintf(type, sizeof(type), "uint%u_t ", f->size * 8u);
		memcpy(set, type, sizeof(set));
	}
	fprintf(out, "%sibw_%s_%s(const struct ibw_%s_wire *w%s);\n", type, header, f->name, header,
		i);
	fprintf(out, "void ibw_%s_set_%s(struct ibw_%s_wire *w%s, %sv);\n", header, f->name, header,
		i, set);
}

static void synopsis(FILE *out, const struct ibw_header *h)
{
	const struct ibw_field *f;
	const char *name = h->name;

	fprintf(out,
		".SH SYNOPSIS\n.nf\n.B #include <ibwire/ibwire.h>\n.PP\n"
		"const struct ibw_%s_wire *ibw_%s_view(const void *p, size_t left);\n"
		"struct ibw_%s_wire *ibw_%s_view_mut(void *p, size_t left);\n"
		"void ibw_%s_unpack(struct ibw_%s *v, const struct ibw_%s_wire *w);\n"
		"void ibw_%s_pack(struct ibw_%s_wire *w, const struct ibw_%s *v);\n"
		"bool ibw_%s_rsvd_set(const struct ibw_%s_wire *w);\n.PP\n",
		name, name, name, name, name, name, name, name, name, name, name, name);
	for (f = h->fields; f->name; f++)
		field_synopsis(out, name, f);
	fputs(".fi\n", out);
}

static void description(FILE *out, const struct ibw_header *h)
{
	const struct ibw_field *f;

	fprintf(out, ".SH DESCRIPTION\nThe header is %u bytes.\n.BR ibw_%s_view ()\n",
		(unsigned int)h->bytes, h->name);
	say(out,
	    "is where its length is looked at: whoever holds a view may call all the others. "
	    "Bit 0 is the most significant bit of byte 0. Each field has a getter, a setter that "
	    "leaves its neighbours as they are, and a member of");
	fprintf(out, ".BR \"struct ibw_%s\" :\nan integer, or an array of bytes.\n", h->name);
	for (f = h->fields; f->name; f++) {
		if (f->flags & IBW_FIELD_RSVD)
			continue;
		fprintf(out, ".TP\n.BR %s \" (bits %u to %u)\"\n", f->name, (unsigned int)f->at,
			(unsigned int)f->at + (unsigned int)f->bits * f->count - 1);
		say(out, f->label);
	}
}

static void example(FILE *out, const char *name)
{
	fputs(".SH EXAMPLE\n", out);
	man_begin_verbatim(out);
	fprintf(out,
		"struct ibw_%s v;\nconst struct ibw_%s_wire *w = ibw_%s_view(p, n);\n\n"
		"if (w) /* NULL: too few bytes */\n        ibw_%s_unpack(&v, w);\n",
		name, name, name, name);
	man_end_verbatim(out);
}

void man_schema_page(const struct ibw_header *h)
{
	char page[200], names[1200];
	size_t n;
	unsigned int i;
	FILE *out;

	snprintf(page, sizeof(page), "ibw_%s", h->name);
	out = man_open(page);
	n = (size_t)snprintf(names, sizeof(names), "%s", page);
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		char name[240];

		snprintf(name, sizeof(name), "%s%s", page, functions[i]);
		n += (size_t)snprintf(names + n, sizeof(names) - n, ", %s", name);
		man_link(name, page);
	}
	snprintf(names + n, sizeof(names) - n, " - %s", h->title);
	say(out, names);
	synopsis(out, h);
	description(out, h);
	fputs(".SH RETURN VALUE\nA view is NULL if\n.I left\n", out);
	say(out, "is less than the header; a field is a host integer, or a pointer into the view.");
	fputs(".SH ERRORS\n", out);
	say(out, "None but NULL. Bits of a value above the width of its field are not written.");
	fputs(".SH UNITS\nThose of the labels; lengths in bytes.\n.SH BYTE ORDER\n", out);
	say(out, "The bytes of the view are those on the wire, integers are host integers, "
		 "arrays of bytes have the order of the wire.");
	fputs(".SH THREAD SAFETY\n", out);
	say(out, "Any thread may call these; no two may use the same bytes while one writes.");
	example(out, h->name);
	fputs(".SH SEE ALSO\n.BR ibwire (3)\n", out);
	man_close(out);
}
