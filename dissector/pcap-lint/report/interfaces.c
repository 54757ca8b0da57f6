/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interfaces.c - the interfaces of a capture, and their packets. */
#include "interfaces.h"
#include "pcap-lint/base/json_write.h"

struct interface {
	char name[sizeof(((struct capture_interface *)NULL)->name)];
	uint64_t dropped;
	uint32_t linktype, snaplen;
	bool drops_known;
	uint64_t packets;
};

struct pl_interfaces {
	GArray *of_files; /* of struct interface */
	GArray *packets;  /* of uint64_t, by interface of the file that is being read */
};

struct pl_interfaces *pl_interfaces_new(void)
{
	struct pl_interfaces *all = g_new(struct pl_interfaces, 1);

	all->of_files = g_array_new(FALSE, TRUE, sizeof(struct interface));
	all->packets = g_array_new(FALSE, TRUE, sizeof(uint64_t));
	return all;
}

void pl_interfaces_free(struct pl_interfaces *all)
{
	if (!all)
		return;
	g_array_unref(all->of_files);
	g_array_unref(all->packets);
	g_free(all);
}

void pl_interfaces_packet(struct pl_interfaces *all, uint32_t iface)
{
	if (iface >= PL_INTERFACES_MAX)
		return;
	if (iface >= all->packets->len)
		g_array_set_size(all->packets, iface + 1);
	g_array_index(all->packets, uint64_t, iface)++;
}

void pl_interfaces_file(struct pl_interfaces *all, const struct capture *capture)
{
	unsigned int i, n = capture_interface_count(capture);

	for (i = 0; i < n && all->of_files->len < PL_INTERFACES_MAX; i++) {
		const struct capture_interface *in = capture_interface(capture, i);
		struct interface one = {
			.dropped = MAX(in->if_drops + in->os_drops, in->packet_drops),
			.linktype = in->linktype,
			.snaplen = in->snaplen,
			.packets = i < all->packets->len ? g_array_index(all->packets, uint64_t, i)
							 : 0,
		};

		one.drops_known = in->has_stats || one.dropped;
		g_strlcpy(one.name, in->name, sizeof(one.name));
		g_array_append_val(all->of_files, one);
	}
	g_array_set_size(all->packets, 0);
}

void pl_json_interfaces(struct pl_report *report, const struct pl_interfaces *all)
{
	struct ibw_out *o = &report->output->out;
	const char *before = "[{\"name\":";
	unsigned int i;

	pl_json_key(o, "interfaces");
	for (i = 0; i < all->of_files->len; i++) {
		const struct interface *one = &g_array_index(all->of_files, struct interface, i);

		pl_output_room(report->output);
		ibw_out_str(o, before);
		pl_json_string(o, one->name);
		pl_json_number(o, "link_type", one->linktype);
		pl_json_number_or_null(o, "snaplen", one->snaplen, one->snaplen != 0);
		pl_json_number(o, "packets", one->packets);
		pl_json_number_or_null(o, "dropped", one->dropped, one->drops_known);
		ibw_out_char(o, '}');
		before = ",{\"name\":";
	}
	ibw_out_str(o, i ? "]" : "[]");
}
