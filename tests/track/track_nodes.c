/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nodes with any description: what follows it in a text is there, and it ends with a whole escape. */
#include "check.h"
#include "random.h"
#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>
#include <track/fabric/nodes.h>
#include <track/view/mad.h>

#define GUID UINT64_C(0x0002c90100000010)
#define AFTER " (GUID 0x0002c90100000010, LID 0xfffe) port 255"
#define DESC 64u

static struct track_nodes *nodes;

/* The answer to an SMP of the asker itself, by the route of no hops. */
static void answer(uint16_t attr_id, const void *attribute, size_t n)
{
	uint8_t bytes[IBW_MAD_BYTES] = { 0 };
	const struct ibw_mad header = { .base_version = 1,
					.mgmt_class = IBW_CLASS_SUBN_DR,
					.class_version = 1,
					.r = 1,
					.method = IBW_METHOD_GET,
					.attr_id = attr_id };
	const struct ibw_packet pkt = { .data = bytes,
					.caplen = sizeof(bytes),
					.payload_len = sizeof(bytes) };
	struct track_mad mad;

	ibw_mad_pack((struct ibw_mad_wire *)bytes, &header);
	memset(bytes + 32, 0xff, 4); /* DrSLID, DrDLID: no part is by LIDs */
	memcpy(bytes + 64, attribute, n);
	track_mad_walk(&mad, &pkt);
	track_nodes_mad(nodes, &mad, 1);
}

/* Whether @text ends with @after, and all escapes before that are whole. */
static bool is_whole(const char *text, const char *after)
{
	size_t n = strlen(text), rest = strlen(after), i;

	if (n < rest || strcmp(text + n - rest, after) != 0)
		return false;
	for (i = 0; i + rest < n; i++)
		if (text[i] == '\\')
			i += text[i + 1] == 'x' ? 3 : 1;
	return i + rest == n && n - rest <= TRACK_DESC_TEXT;
}

static void compare(const uint8_t desc[DESC], unsigned int route)
{
	struct track_object object = { .kind = TRACK_OBJECT_ROUTE,
				       .n = (uint8_t)route,
				       .number = 255 };
	char name[TRACK_NODE_TEXT], text[TRACK_NODE_TEXT], about[TRACK_OBJECT_TEXT];

	answer(IBW_ATTR_SM_NODE_DESC, desc, DESC);
	track_nodes_text(nodes, GUID, 255, text);
	if (track_node_has_name(track_nodes_get(nodes, GUID)))
		CHECK(is_whole(text, AFTER));
	else
		CHECK_STR(text, "GUID 0x0002c90100000010, LID 0xfffe port 255");
	track_nodes_short(nodes, GUID, name);
	CHECK(is_whole(name, ""));
	memset(object.b, 0xff, sizeof(object.b));
	track_object_text(&object, name, NULL, about);
	CHECK(strlen(about) > strlen(name) + strlen("), port 255"));
	CHECK_STR(about + strlen(about) - strlen("), port 255"), "), port 255");
}

static void random_description(uint8_t desc[DESC])
{
	const unsigned int n = next_random() % (DESC + 1), kind = next_random() % 4;
	unsigned int i;

	memset(desc, 0, DESC);
	for (i = 0; i < n; i++)
		desc[i] = kind == 0   ? (uint8_t)next_random()
			  : kind == 1 ? (uint8_t)(0x80 | next_random())
			  : kind == 2 ? (uint8_t)(next_random() % 3 ? '\\' : 'x')
				      : (uint8_t)(0x20 + next_random() % 0x5f);
}

int main(void)
{
	struct ibw_node_info info = { .node_guid = GUID, .port_guid = GUID + 1, .num_ports = 1 };
	uint8_t wire[ibw_node_info_BYTES], desc[DESC];
	char text[TRACK_NODE_TEXT];
	unsigned int i;

	nodes = track_nodes_new();
	ibw_node_info_pack((struct ibw_node_info_wire *)wire, &info);
	answer(IBW_ATTR_SM_NODE_INFO, wire, sizeof(wire));
	if (CHECK(track_nodes_get(nodes, GUID)))
		track_nodes_get(nodes, GUID)->lid = 0xfffe;
	for (i = 0; i < 20000; i++) {
		check_case("description %u", i);
		random_description(desc);
		compare(desc, i % (TRACK_OBJECT_HOPS + 1));
	}
	check_case("%s", "");
	memset(desc, 0xe9, sizeof(desc));
	compare(desc, 2);
	CHECK_STR(track_nodes_short(nodes, GUID, text),
		  "\\xe9\\xe9\\xe9\\xe9\\xe9\\xe9\\xe9\\xe9\\xe9\\xe9\\xe9\\xe9");
	memset(desc, 'a', sizeof(desc));
	compare(desc, 2);
	CHECK_STR(track_nodes_short(nodes, GUID, text), "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	track_nodes_free(nodes);
	return check_end();
}
