/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mad_tables.c - the management classes and their attributes as data. */
#include <ibwire/mad_walk.h>

/* "no such layer" in the lists */
enum { IBW_LAYER_none = IBW_LAYER_COUNT };

const struct ibw_mad_class_row ibw_mad_classes[] = {
#define IBW_MAD_CLASS(first, last, name, text, version, layer1, layer2, off, len, attrs)           \
	{                                                                                          \
		text,                                                                              \
		first,                                                                             \
		last,                                                                              \
		version,                                                                           \
		IBW_ATTRS_##attrs,                                                                 \
		{ IBW_LAYER_##layer1, IBW_LAYER_##layer2 },                                        \
		off,                                                                               \
		len                                                                                \
	},
#include <ibwire/list/mad_classes.def>
#undef IBW_MAD_CLASS
};

const unsigned int ibw_mad_class_count = sizeof(ibw_mad_classes) / sizeof(ibw_mad_classes[0]);

const struct ibw_mad_attr_row ibw_mad_attributes[] = {
#define IBW_MAD_ATTR(attrs, id, name, text, methods, layer1, layer2, layer3)                       \
	{ text,                                                                                    \
	  id,                                                                                      \
	  methods,                                                                                 \
	  { IBW_LAYER_##layer1, IBW_LAYER_##layer2, IBW_LAYER_##layer3 },                          \
	  IBW_ATTRS_##attrs },
#include <ibwire/list/mad_attrs.def>
#undef IBW_MAD_ATTR
};

const unsigned int ibw_mad_attribute_count =
	sizeof(ibw_mad_attributes) / sizeof(ibw_mad_attributes[0]);

const struct ibw_name ibw_mad_class_names[] = {
#define IBW_MAD_CLASS(first, last, name, text, version, layer1, layer2, off, len, attrs)           \
	{ first, text },
#include <ibwire/list/mad_classes.def>
#undef IBW_MAD_CLASS
	{ 0, NULL }
};

const struct ibw_mad_class_row *ibw_mad_class_of(uint8_t mgmt_class)
{
	unsigned int i;

	for (i = 0; i < ibw_mad_class_count; i++)
		if (mgmt_class >= ibw_mad_classes[i].first && mgmt_class <= ibw_mad_classes[i].last)
			return &ibw_mad_classes[i];
	return NULL;
}

const struct ibw_mad_attr_row *ibw_mad_attr_of(const struct ibw_mad_class_row *row, uint16_t id)
{
	unsigned int i;

	for (i = 0; row && i < ibw_mad_attribute_count; i++)
		if (ibw_mad_attributes[i].attrs == row->attrs && ibw_mad_attributes[i].id == id)
			return &ibw_mad_attributes[i];
	return NULL;
}

/* A Get or Set is answered by GetResp, which has Get's number and the R bit. */
static uint16_t answered(uint8_t method)
{
	switch (method) {
	case IBW_METHOD_GET:
		return IBW_M_GET | IBW_M_SET;
	case IBW_METHOD_REPORT:
		return IBW_M_REPORT;
	case IBW_METHOD_GET_TABLE:
		return IBW_M_GET_TABLE | IBW_M_GET_TRACE_TABLE;
	case IBW_METHOD_GET_TRACE_TABLE:
		return IBW_M_GET_TRACE_TABLE;
	case IBW_METHOD_DELETE:
		return IBW_M_DELETE;
	default:
		return 0;
	}
}

static uint16_t asked(uint8_t method)
{
	switch (method) {
	case IBW_METHOD_GET:
		return IBW_M_GET;
	case IBW_METHOD_SET:
		return IBW_M_SET;
	case IBW_METHOD_SEND:
		return IBW_M_SEND;
	case IBW_METHOD_TRAP:
	case IBW_METHOD_TRAP_REPRESS:
		return IBW_M_TRAP;
	case IBW_METHOD_REPORT:
		return IBW_M_REPORT;
	case IBW_METHOD_GET_TABLE:
		return IBW_M_GET_TABLE;
	case IBW_METHOD_GET_TRACE_TABLE:
		return IBW_M_GET_TRACE_TABLE;
	case IBW_METHOD_GET_MULTI:
		return IBW_M_GET_MULTI;
	case IBW_METHOD_DELETE:
		return IBW_M_DELETE;
	default:
		return 0;
	}
}

/* GetMulti(MultiPathRecord) is answered by PathRecords: IBTA vol 1, o15-0.2.7 */
static bool answers_multi(const struct ibw_mad_attr_row *attr)
{
	return attr->attrs == IBW_ATTRS_SA && attr->id == IBW_ATTR_SA_PATH_REC;
}

bool ibw_mad_method_legal(const struct ibw_mad_attr_row *attr, bool response, uint8_t method)
{
	if (response && method == IBW_METHOD_GET_MULTI)
		return answers_multi(attr);
	return (attr->methods & (response ? answered(method) : asked(method))) != 0;
}
