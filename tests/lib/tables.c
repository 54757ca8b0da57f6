/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* tables.c - the built tables as rows of cells; with TABLES_RULES those of the linter, too. */
#include "tables.h"
#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>

#ifdef TABLES_RULES
#include <lint/lint.h>
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CELL(name, type, at)                                                                       \
	{                                                                                          \
		name, TABLES_##type, at, NULL                                                      \
	}
#define CELL_ALSO(name, type, at, also)                                                            \
	{                                                                                          \
		name, TABLES_##type, at, also                                                      \
	}

static const char *const kinds[] = {
#define IBW_KIND(name, bits) #name,
#include <ibwire/list/kinds.def>
#undef IBW_KIND
};

static const char *const attr_lists[] = {
	[IBW_ATTRS_SM] = "SM",           [IBW_ATTRS_SA] = "SA",
	[IBW_ATTRS_PERF] = "PERF",       [IBW_ATTRS_BM] = "BM",
	[IBW_ATTRS_DM] = "DM",           [IBW_ATTRS_CM] = "CM",
	[IBW_ATTRS_SNMP] = "SNMP",       [IBW_ATTRS_CC] = "CC",
	[IBW_ATTRS_VENDOR] = "VENDOR",   [IBW_ATTRS_APPLICATION] = "APPLICATION",
	[IBW_ATTRS_PING] = "PING",       [IBW_ATTRS_MLNX] = "MLNX",
	[IBW_ATTRS_SYSSTAT] = "SYSSTAT",
};

static const struct {
	const char *name;
	const struct ibw_name *list;
} lists[] = {
#define IBW_VALUES(list) { #list, ibw_##list##_names },
#define IBW_VALUE(list, name, value, text)
#define IBW_VALUES_END(list)
#include <ibwire/list/values.def>
#undef IBW_VALUES
#undef IBW_VALUE
#undef IBW_VALUES_END
	{ "opcode", ibw_opcode_names },
	{ "mad_class", ibw_mad_class_names },
};

/* The constants of the value lists, one list after the other. */
static const char *const constants[] = {
#define IBW_VALUES(list)
#define IBW_VALUE(list, name, value, text) #name,
#define IBW_VALUES_END(list)
#include <ibwire/list/values.def>
#undef IBW_VALUES
#undef IBW_VALUE
#undef IBW_VALUES_END
};

#ifdef TABLES_RULES
static const char *const scopes[] = {
	[LINT_PACKET] = "PACKET",
	[LINT_STREAM] = "STREAM",
	[LINT_FILE] = "FILE",
};
#endif

static const char *list_name(const struct ibw_name *list)
{
	size_t i;

	for (i = 0; i < COUNT(lists); i++)
		if (lists[i].list == list)
			return lists[i].name;
	return "-";
}

const struct ibw_name *tables_list(const char *name)
{
	size_t i;

	for (i = 0; i < COUNT(lists); i++)
		if (strcmp(lists[i].name, name) == 0)
			return lists[i].list;
	return NULL;
}

static void each_header(void (*use)(const struct tables_row *row))
{
	const struct ibw_header *h;

	for (h = ibw_headers; h < ibw_headers + IBW_LAYER_COUNT; h++) {
		struct tables_row row = { "header",
					  { CELL("name", NAME, &h->name),
					    CELL("title", TEXT, &h->title),
					    CELL("bytes", U16, &h->bytes) } };

		use(&row);
	}
}

static void each_field(void (*use)(const struct tables_row *row))
{
	const struct ibw_header *h;
	const struct ibw_field *f;

	for (h = ibw_headers; h < ibw_headers + IBW_LAYER_COUNT; h++)
		for (f = h->fields; f->name; f++) {
			struct tables_row row = {
				"field",
				{ CELL("header", NAME, &h->name), CELL("name", NAME, &f->name),
				  CELL("label", TEXT, &f->label), CELL("kind", KIND, &f->kind),
				  CELL("names", LIST, &f->names), CELL("at", U32, &f->at),
				  CELL("bits", U16, &f->bits), CELL("count", U16, &f->count),
				  CELL("flags", U8, &f->flags), CELL("comp", S16, &f->comp) }
			};

			use(&row);
		}
}

static void each_value(void (*use)(const struct tables_row *row))
{
	const char *const *constant = constants;
	const struct ibw_name *v;
	size_t i;

	for (i = 0; i < COUNT(lists) - 2; i++)
		for (v = lists[i].list; v->name; v++, constant++) {
			struct tables_row row = { "value",
						  { CELL("list", NAME, &lists[i].name),
						    CELL("constant", NAME, constant),
						    CELL("value", U32, &v->value),
						    CELL("text", TEXT, &v->name) } };

			use(&row);
		}
}

static void each_class(void (*use)(const struct tables_row *row))
{
	unsigned int i;

	for (i = 0; i < ibw_mad_class_count; i++) {
		const struct ibw_mad_class_row *c = &ibw_mad_classes[i];
		struct tables_row row = {
			"class",
			{ CELL_ALSO("text", TEXT, &c->text, &ibw_mad_class_names[i].name),
			  CELL("first", U8, &c->first), CELL("last", U8, &c->last),
			  CELL("version", U8, &c->version), CELL("attrs", ATTRS, &c->attrs),
			  CELL("layer1", LAYER, &c->layers[0]),
			  CELL("layer2", LAYER, &c->layers[1]), CELL("off", U16, &c->off),
			  CELL("len", U16, &c->len) }
		};

		use(&row);
	}
}

static void each_attribute(void (*use)(const struct tables_row *row))
{
	const struct ibw_mad_attr_row *a = ibw_mad_attributes;

	for (; a < ibw_mad_attributes + ibw_mad_attribute_count; a++) {
		struct tables_row row = { "attribute",
					  { CELL("attrs", ATTRS, &a->attrs),
					    CELL("text", TEXT, &a->text), CELL("id", HEX, &a->id),
					    CELL("methods", HEX, &a->methods),
					    CELL("layer1", LAYER, &a->layers[0]),
					    CELL("layer2", LAYER, &a->layers[1]),
					    CELL("layer3", LAYER, &a->layers[2]) } };

		use(&row);
	}
}

static void each_opcode(void (*use)(const struct tables_row *row))
{
	static const char *const codes[256] = {
#define IBW_OPCODE(code, name, text, service, eths, position, role, payload) [code] = #code,
#include <ibwire/list/opcodes.def>
#undef IBW_OPCODE
	};
	const struct ibw_name *n;

	for (n = ibw_opcode_names; n->name; n++) {
		const struct ibw_opcode_row *op = &ibw_opcodes[n->value];
		struct tables_row row = { "opcode",
					  { CELL("code", NAME, &codes[n->value]),
					    CELL_ALSO("text", TEXT, &op->text, &n->name),
					    CELL("eths", HEX, &op->eths),
					    CELL("flags", HEX, &op->flags),
					    CELL("eths_bytes", U8, &op->eths_bytes) } };

		use(&row);
	}
}

#ifdef TABLES_RULES
static void each_rule(void (*use)(const struct tables_row *row))
{
	const struct lint_rule *r;

	for (r = lint_rules; r < lint_rules + LINT_RULE_COUNT; r++) {
		struct tables_row row = {
			"rule",
			{ CELL("id", NAME, &r->id), CELL("name", TEXT, &r->name),
			  CELL("severity", SEVERITY, &r->severity), CELL("scope", SCOPE, &r->scope),
			  CELL("layer", TEXT, &r->layer), CELL("text", TEXT, &r->text),
			  CELL("why", TEXT, &r->why), CELL("cause", TEXT, &r->cause),
			  CELL("advice", TEXT, &r->advice) }
		};

		use(&row);
	}
}
#endif

void tables_each(void (*use)(const struct tables_row *row))
{
	each_header(use);
	each_field(use);
	each_value(use);
	each_class(use);
	each_attribute(use);
	each_opcode(use);
#ifdef TABLES_RULES
	each_rule(use);
#endif
}

void tables_text(const struct tables_cell *cell, char *text, size_t room)
{
	const uint8_t *u8 = cell->at;
	const uint16_t *u16 = cell->at;
	const char *word = NULL;

	switch (cell->type) {
	case TABLES_NAME:
	case TABLES_TEXT:
		word = *(const char *const *)cell->at;
		break;
	case TABLES_U8:
		snprintf(text, room, "%u", *u8);
		return;
	case TABLES_U16:
		snprintf(text, room, "%u", *u16);
		return;
	case TABLES_S16:
		snprintf(text, room, "%d", *(const int16_t *)cell->at);
		return;
	case TABLES_U32:
		snprintf(text, room, "%u", (unsigned int)*(const uint32_t *)cell->at);
		return;
	case TABLES_HEX:
		snprintf(text, room, "0x%04x", *u16);
		return;
	case TABLES_KIND:
		word = kinds[*u8];
		break;
	case TABLES_LIST:
		word = list_name(*(const struct ibw_name *const *)cell->at);
		break;
	case TABLES_LAYER:
		word = *u16 < IBW_LAYER_COUNT ? ibw_headers[*u16].name : NULL;
		break;
	case TABLES_ATTRS:
		word = attr_lists[*u8];
		break;
	case TABLES_SEVERITY:
#ifdef TABLES_RULES
		word = lint_severity_names[*u8];
#endif
		break;
	case TABLES_SCOPE:
#ifdef TABLES_RULES
		word = scopes[*u8];
#endif
		break;
	}
	snprintf(text, room, "%s", word ? word : "-");
}

static bool place_of(const char *const *words, size_t n, const char *text, long long *number)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (words[i] && strcmp(words[i], text) == 0) {
			*number = (long long)i;
			return true;
		}
	return false;
}

bool tables_number(enum tables_type type, const char *text, long long *number)
{
	char *end;

	switch (type) {
	case TABLES_KIND:
		return place_of(kinds, COUNT(kinds), text, number);
	case TABLES_ATTRS:
		return place_of(attr_lists, COUNT(attr_lists), text, number);
	case TABLES_LAYER:
		for (*number = 0; *number < IBW_LAYER_COUNT; ++*number)
			if (strcmp(ibw_headers[*number].name, text) == 0)
				return true;
		return strcmp(text, "-") == 0;
#ifdef TABLES_RULES
	case TABLES_SEVERITY:
		return place_of(lint_severity_names, LINT_SEVERITY_COUNT, text, number);
	case TABLES_SCOPE:
		return place_of(scopes, COUNT(scopes), text, number);
#endif
	default:
		*number = strtoll(text, &end, 0);
		return end != text && *end == '\0';
	}
}
