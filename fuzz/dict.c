/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dict.c - prints the dictionary of the fuzz targets from the schema: opcodes,
 * ethertypes, ports, classes, attributes, link types, names of headers, as the bytes they are on the wire.
 */
#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>
#include <ibwire/packet.h>
#include <ibwire/tables.h>

#include "fuzz.h"

static void word(const char *list, unsigned int i, uint32_t value, unsigned int bytes)
{
	printf("%s_%u=\"", list, i);
	while (bytes--)
		printf("\\x%02x", value >> 8 * bytes & 0xff);
	printf("\"\n");
}

/* A comment for a fuzzer; seeds.py makes a MAD of each. */
static void attributes_of(const struct ibw_mad_class_row *row)
{
	unsigned int i;

	for (i = 0; i < ibw_mad_attribute_count; i++)
		if (ibw_mad_attr_of(row, ibw_mad_attributes[i].id) == &ibw_mad_attributes[i])
			printf("# mad %02x %02x %04x\n", row->first, row->version,
			       ibw_mad_attributes[i].id);
}

int main(void)
{
	unsigned int i;

#define IBW_VALUES(list)                                                                           \
	for (i = 0; ibw_##list##_names[i].name; i++)                                               \
		word(#list, i, ibw_##list##_names[i].value,                                        \
		     ibw_##list##_names[i].value > 0xffff ? 4                                      \
		     : ibw_##list##_names[i].value > 0xff ? 2                                      \
							  : 1);
#define IBW_VALUE(list, name, value, text)
#define IBW_VALUES_END(list)
#include <ibwire/list/values.def>
#undef IBW_VALUES
#undef IBW_VALUE
#undef IBW_VALUES_END
	for (i = 0; ibw_opcode_names[i].name; i++)
		word("opcode", i, ibw_opcode_names[i].value, 1);
	for (i = 0; i < ibw_mad_attribute_count; i++)
		word("attribute", i, ibw_mad_attributes[i].id, 2);
	for (i = 0; i < ibw_mad_class_count; i++)
		attributes_of(&ibw_mad_classes[i]);
	for (i = 0; i < IBW_LAYER_COUNT; i++)
		printf("header_%u=\"%s\\x0a\"\n", i, ibw_headers[i].name);
	for (i = 0; i <= 0xffff; i++)
		if (ibw_linktype_known(i))
			word("linktype", i, i, 2);
	word("port", 0, IBW_UDP_PORT_ROCE, 2);
	word("port", 1, IBW_UDP_PORT_VXLAN, 2);
	word("nxthdr", 0, IBW_GRH_NXTHDR_IBA, 1);
	word("qpn", 0, IBW_QPN_MULTICAST, 3);
	word("qkey", 0, IBW_QKEY_GSI, 4);
	return 0;
}
