/* SPDX-License-Identifier: GPL-2.0-or-later */
/* subnet_json.c - what is known of a subnet as objects of JSON, by track/base/objects.def. */
#include <string.h>

#include <ibwire/rate.h>

#include "pcap-lint/base/json_write.h"
#include "lists.h"
#include "pcap-lint/report/subnet.h"
#include "track/fabric/nodes.h"

/* What is being written. */
struct x {
	struct pl_report *report;
	struct ibw_out *o;
	const struct track_subnet *s;
	const char *file;
	bool first; /* the next key is the first of its object */
};

static void key(struct x *x, const char *name)
{
	if (!x->first)
		ibw_out_char(x->o, ',');
	x->first = false;
	pl_json_string(x->o, name);
	ibw_out_char(x->o, ':');
}

static void key_NUMBER(struct x *x, const char *name, uint64_t n, bool known)
{
	key(x, name);
	if (known)
		ibw_out_dec(x->o, n);
	else
		ibw_out_str(x->o, "null");
}

static void key_TIME(struct x *x, const char *name, uint64_t ns, bool known)
{
	key_NUMBER(x, name, ns, known);
}

static void key_COUNT(struct x *x, const char *name, uint64_t n, bool known)
{
	key_NUMBER(x, name, n, known);
}

static void key_HEX(struct x *x, const char *name, uint64_t n, bool known)
{
	key_NUMBER(x, name, n, known);
}

static void key_TEXT(struct x *x, const char *name, const char *text, bool known)
{
	key(x, name);
	if (known && text)
		pl_json_string(x->o, text);
	else
		ibw_out_str(x->o, "null");
}

static void key_GUID(struct x *x, const char *name, uint64_t guid, bool known)
{
	char text[24];

	g_snprintf(text, sizeof(text), "0x%016" G_GINT64_MODIFIER "x", (guint64)guid);
	key_TEXT(x, name, text, known);
}

static void key_MAC(struct x *x, const char *name, uint64_t mac, bool known)
{
	char text[PL_MAC_TEXT];

	key_TEXT(x, name, pl_mac_text(mac, text), known);
}

static void key_ADDRESS(struct x *x, const char *name, const uint8_t address[16], bool known)
{
	char text[TRACK_ADDRESS_TEXT];

	key_TEXT(x, name, pl_subnet_address(address, text), known);
}

static void key_FRAME(struct x *x, const char *name, uint64_t frame, bool known)
{
	key(x, name);
	if (known)
		pl_json_frame(x->o, &x->report->frames, frame, x->file);
	else
		ibw_out_str(x->o, "null");
}

static void key_WHEN(struct x *x, const char *name, uint64_t ns, bool known)
{
	key(x, name);
	pl_json_time_or_null(x->o, known, ns);
}

static void key_NODE(struct x *x, const char *name, const struct track_node *node, bool known)
{
	char text[TRACK_NODE_NAME];

	key_TEXT(x, name, known ? track_node_name(node, text) : NULL, known && *node->desc);
}

static void key_LID(struct x *x, const char *name, uint64_t lid, bool known)
{
	key_NUMBER(x, name, lid, known);
}

static void key_PORT_GUID(struct x *x, const char *name, uint64_t guid, bool known)
{
	key_GUID(x, name, guid, known);
}

static void key_GID(struct x *x, const char *name, const uint8_t address[16], bool known)
{
	key_ADDRESS(x, name, address, known);
}

static void key_name(struct x *x, const char *name, const char *of, bool known)
{
	key_TEXT(x, name, of, known && *of);
}

static void key_NODE_OF_LID(struct x *x, const char *name, uint16_t lid, bool known)
{
	char text[TRACK_NODE_SHORT];

	key_name(x, name, track_lid_node(x->report->track, lid, text), known);
}

static void key_NODE_OF_GUID(struct x *x, const char *name, uint64_t guid, bool known)
{
	char text[TRACK_NODE_SHORT];

	key_name(x, name, track_guid_node(x->report->track, guid, text), known);
}

static void key_NODE_OF_GID(struct x *x, const char *name, const uint8_t gid[16], bool known)
{
	char text[TRACK_NODE_SHORT];

	key_name(x, name, track_address_node(x->report->track, TRACK_ADDRESS_GID, gid, text),
		 known);
}

static void key_LIDS(struct x *x, const char *name, const struct track_node_row *row, bool known)
{
	unsigned int i;

	(void)known;
	key(x, name);
	ibw_out_char(x->o, '[');
	for (i = 0; i < row->n_lids; i++) {
		pl_output_room(x->report->output);
		if (i)
			ibw_out_char(x->o, ',');
		ibw_out_dec(x->o, g_array_index(x->s->lids, uint16_t, row->first_lid + i));
	}
	ibw_out_char(x->o, ']');
}

static void in_list(struct x *x, unsigned int i)
{
	pl_output_room(x->report->output);
	ibw_out_str(x->o, i ? ",{" : "{");
	x->first = true;
}

static void list_end(struct x *x)
{
	ibw_out_char(x->o, ']');
	x->first = false;
}

static void list_member(struct x *x, const char *name, const struct track_group *g)
{
	const struct track_member *r;
	unsigned int i;

	key(x, name);
	ibw_out_char(x->o, '[');
	for (i = 0; i < g->n_members; i++) {
		r = &g_array_index(x->s->members, struct track_member, g->first_member + i);
		in_list(x, i);
#define TRACK_MEMBER_KEY(name, kind, value, known, title, definition)                              \
	key_##kind(x, #name, value, known);
#include "track/base/objects.def"
		ibw_out_char(x->o, '}');
	}
	list_end(x);
}

static void list_manager(struct x *x, const char *name, const struct track_sm *sm)
{
	const struct track_manager *r;
	unsigned int i;

	(void)sm;
	key(x, name);
	ibw_out_char(x->o, '[');
	for (i = 0; i < x->s->managers->len; i++) {
		r = &g_array_index(x->s->managers, struct track_manager, i);
		in_list(x, i);
#define TRACK_MANAGER_KEY(name, kind, value, known, title, definition)                             \
	key_##kind(x, #name, value, known);
#include "track/base/objects.def"
		ibw_out_char(x->o, '}');
	}
	list_end(x);
}

/* Those that changed come first. */
static void list_change(struct x *x, const char *name, const struct track_sm *sm)
{
	const struct track_link *r;
	unsigned int i;

	key(x, name);
	ibw_out_char(x->o, '[');
	for (i = 0; i < sm->changed; i++) {
		r = &g_array_index(x->s->links, struct track_link, i);
		in_list(x, i);
#define TRACK_CHANGE_KEY(name, kind, value, known, title, definition)                              \
	key_##kind(x, #name, value, known);
#include "track/base/objects.def"
		ibw_out_char(x->o, '}');
	}
	list_end(x);
}

static void list_cable(struct x *x, const char *name, const struct track_node_row *of)
{
	const struct track_cabled *r;
	unsigned int i;

	key(x, name);
	ibw_out_char(x->o, '[');
	for (i = 0; i < of->n_peers; i++) {
		r = &g_array_index(x->s->peers, struct track_cabled, of->first_peer + i);
		in_list(x, i);
#define TRACK_CABLE_KEY(name, kind, value, known, title, definition)                               \
	key_##kind(x, #name, value, known);
#include "track/base/objects.def"
		ibw_out_char(x->o, '}');
	}
	list_end(x);
}

static void list_counted(struct x *x, const char *name, const struct track_counter_row *of)
{
	const struct track_counter *r;
	unsigned int i;

	key(x, name);
	ibw_out_char(x->o, '[');
	for (i = 0; i < of->n_counters; i++) {
		r = &g_array_index(x->s->counted, struct track_counter, of->first_counter + i);
		in_list(x, i);
#define TRACK_COUNTED_KEY(name, kind, value, known, title, definition)                             \
	key_##kind(x, #name, value, known);
#include "track/base/objects.def"
		ibw_out_char(x->o, '}');
	}
	list_end(x);
}

static void list_in_partition(struct x *x, const char *name, const struct track_partition *of)
{
	const struct track_partition_member *r;
	unsigned int i;

	key(x, name);
	ibw_out_char(x->o, '[');
	for (i = 0; i < of->n_members; i++) {
		r = &g_array_index(x->s->partition_members, struct track_partition_member,
				   of->first_member + i);
		in_list(x, i);
#define TRACK_IN_PARTITION_KEY(name, kind, value, known, title, definition)                        \
	key_##kind(x, #name, value, known);
#include "track/base/objects.def"
		ibw_out_char(x->o, '}');
	}
	list_end(x);
}

#define key_LIST(x, name, of, known) list_##of(x, name, r)

static void begin(struct x *x, const char *type)
{
	pl_output_room(x->report->output);
	pl_json_begin(x->o, type);
	pl_json_number(x->o, "schema", PL_JSON_SCHEMA);
	pl_json_text(x->o, "file", x->file);
}

static void group(struct x *x, const struct track_group *r)
{
	begin(x, "group");
#define TRACK_GROUP_KEY(name, kind, value, known, title, definition)                               \
	key_##kind(x, #name, value, known);
#include "track/base/objects.def"
	pl_json_end(x->o);
}

static void neighbour(struct x *x, const struct track_neighbour *r)
{
	begin(x, "neighbour");
#define TRACK_NEIGHBOUR_KEY(name, kind, value, known, title, definition)                           \
	key_##kind(x, #name, value, known);
#include "track/base/objects.def"
	pl_json_end(x->o);
}

static void management(struct x *x)
{
	const struct track_subnet *s = x->s;
	const struct track_sm *r = &s->sm;

	begin(x, "sm");
#define TRACK_SM_KEY(name, kind, value, known, title, definition)                                  \
	key_##kind(x, #name, value, known);
#include "track/base/objects.def"
	pl_json_end(x->o);
}

static void queries(struct x *x)
{
	const struct track_sa *r = &x->s->sa;

	begin(x, "sa");
#define TRACK_SA_KEY(name, kind, value, known, title, definition)                                  \
	key_##kind(x, #name, value, known);
#include "track/base/objects.def"
	pl_json_end(x->o);
}

static void pauser(struct x *x, const struct track_pauser *r)
{
	begin(x, "pause");
#define TRACK_PAUSE_KEY(name, kind, value, known, title, definition)                               \
	key_##kind(x, #name, value, known);
#include "track/base/objects.def"
	pl_json_end(x->o);
}

static void port_use(struct x *x, const struct track_port_use *r)
{
	begin(x, "ports");
#define TRACK_PORTS_KEY(name, kind, value, known, title, definition)                               \
	key_##kind(x, #name, value, known);
#include "track/base/objects.def"
	pl_json_end(x->o);
}

static void node(struct x *x, const struct track_node_row *r)
{
	begin(x, "node");
#define TRACK_NODE_KEY(name, kind, value, known, title, definition)                                \
	key_##kind(x, #name, value, known);
#include "track/base/objects.def"
	pl_json_end(x->o);
}

static void link_of(struct x *x, const struct track_link *r)
{
	begin(x, "link");
#define TRACK_LINK_KEY(name, kind, value, known, title, definition)                                \
	key_##kind(x, #name, value, known);
#include "track/base/objects.def"
	pl_json_end(x->o);
}

static void trap(struct x *x, const struct track_trap_row *r)
{
	begin(x, "trap");
#define TRACK_TRAP_KEY(name, kind, value, known, title, definition)                                \
	key_##kind(x, #name, value, known);
#include "track/base/objects.def"
	pl_json_end(x->o);
}

static void counter(struct x *x, const struct track_counter_row *r)
{
	begin(x, "counter");
#define TRACK_COUNTER_KEY(name, kind, value, known, title, definition)                             \
	key_##kind(x, #name, value, known);
#include "track/base/objects.def"
	pl_json_end(x->o);
}

static void partition(struct x *x, const struct track_partition *r)
{
	begin(x, "partition");
#define TRACK_PARTITION_KEY(name, kind, value, known, title, definition)                           \
	key_##kind(x, #name, value, known);
#include "track/base/objects.def"
	pl_json_end(x->o);
}

/* What the SMPs, traps and counters say of the fabric. */
static void fabric(struct x *x, const struct track_subnet *s)
{
	unsigned int i;

	for (i = 0; i < s->nodes->len; i++)
		node(x, &g_array_index(s->nodes, struct track_node_row, i));
	for (i = 0; i < s->links->len; i++)
		link_of(x, &g_array_index(s->links, struct track_link, i));
	for (i = 0; i < s->traps->len; i++)
		trap(x, &g_array_index(s->traps, struct track_trap_row, i));
	for (i = 0; i < s->counters->len; i++)
		counter(x, &g_array_index(s->counters, struct track_counter_row, i));
	for (i = 0; i < s->partitions->len; i++)
		partition(x, &g_array_index(s->partitions, struct track_partition, i));
}

void pl_json_subnet(struct pl_report *report, const struct track_subnet *s)
{
	struct x x = {
		.report = report, .o = &report->output->out, .s = s, .file = report->frames.about
	};
	unsigned int i;

	for (i = 0; i < s->groups->len; i++)
		group(&x, &g_array_index(s->groups, struct track_group, i));
	for (i = 0; i < s->neighbours->len; i++)
		neighbour(&x, &g_array_index(s->neighbours, struct track_neighbour, i));
	if (track_subnet_managed(s))
		management(&x);
	fabric(&x, s);
	if (s->sa.path_queries)
		queries(&x);
	for (i = 0; i < s->pausers->len; i++)
		pauser(&x, &g_array_index(s->pausers, struct track_pauser, i));
	for (i = 0; i < s->ports->len; i++)
		port_use(&x, &g_array_index(s->ports, struct track_port_use, i));
}
