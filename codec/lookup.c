/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* lookup.c - rows of the tables by number and by name: what the shared library has of them. */
#include <ibwire/mad_walk.h>
#include <ibwire/packet.h>
#include <ibwire/tables.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool equal(const char *a, const char *b)
{
	for (; *a && *a == *b; a++, b++)
		;
	return *a == *b;
}

const struct ibw_header *ibw_header_at(unsigned int layer)
{
	return layer < IBW_LAYER_COUNT ? &ibw_headers[layer] : NULL;
}

const struct ibw_header *ibw_header_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < IBW_LAYER_COUNT; i++)
		if (equal(ibw_headers[i].name, name))
			return &ibw_headers[i];
	return NULL;
}

const struct ibw_field *ibw_field_at(const struct ibw_header *h, unsigned int i)
{
	return i < h->n_fields ? &h->fields[i] : NULL;
}

const struct ibw_field *ibw_field_find(const struct ibw_header *h, const char *name)
{
	unsigned int i;

	for (i = 0; i < h->n_fields; i++)
		if (equal(h->fields[i].name, name))
			return &h->fields[i];
	return NULL;
}

static const struct {
	const char *list;
	const struct ibw_name *names;
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

const struct ibw_name *ibw_names_find(const char *list)
{
	size_t i;

	for (i = 0; i < COUNT(lists); i++)
		if (equal(lists[i].list, list))
			return lists[i].names;
	return NULL;
}

const struct ibw_opcode_row *ibw_opcode_at(uint8_t opcode)
{
	return &ibw_opcodes[opcode];
}

const struct ibw_mad_class_row *ibw_mad_class_at(unsigned int i)
{
	return i < ibw_mad_class_count ? &ibw_mad_classes[i] : NULL;
}

const struct ibw_mad_attr_row *ibw_mad_attr_at(unsigned int i)
{
	return i < ibw_mad_attribute_count ? &ibw_mad_attributes[i] : NULL;
}

const char *ibw_unseen_text(unsigned int unseen)
{
	return unseen < COUNT(ibw_unseen_names) ? ibw_unseen_names[unseen] : NULL;
}

const char *ibw_proto_text(unsigned int proto)
{
	return proto < COUNT(ibw_proto_names) ? ibw_proto_names[proto] : NULL;
}

const char *ibw_outcome_text(unsigned int outcome)
{
	return outcome < COUNT(ibw_outcome_names) ? ibw_outcome_names[outcome] : NULL;
}

const char *ibw_crc_status_text(unsigned int status)
{
	return status < COUNT(ibw_crc_status_names) ? ibw_crc_status_names[status] : NULL;
}
