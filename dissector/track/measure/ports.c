/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ports.c - lists the UDP source ports of queue pairs by hosts: networks spread packets over their paths by
 * these.
 */
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "ports.h"
#include "track/base/subnet.h"
#include "track/way/qp_impl.h"

/* A direction of a connection. */
struct used {
	uint8_t src[16], dst[16];
	uint32_t port, mtu, longest;
};

static int compare(const void *a, const void *b)
{
	const struct used *x = a, *y = b;
	int hosts = memcmp(x, y, sizeof(x->src) + sizeof(x->dst));

	return hosts ? hosts : (x->port > y->port) - (x->port < y->port);
}

static void collect(GArray *all, const struct track_qp *qp, enum track_way way)
{
	const struct track_measure *m = qp->dir[way].measure;
	struct track_flow flow = qp->flow;
	struct used used;

	if (!m || !m->has_path || !m->first_road.sport)
		return;
	if (way == TRACK_B_TO_A)
		track_flow_turn(&flow);
	track_flow_as_gids(&flow);
	memcpy(used.src, flow.src, sizeof(used.src));
	memcpy(used.dst, flow.dst, sizeof(used.dst));
	used.port = m->first_road.sport & 0xffff;
	used.mtu = track_qp_mtu(qp);
	used.longest = m->longest;
	g_array_append_val(all, used);
}

static bool is_same(const GArray *all, unsigned int i, unsigned int j, bool port)
{
	const struct used *a = &g_array_index(all, struct used, i);
	const struct used *b = &g_array_index(all, struct used, j);

	return !memcmp(a, b, sizeof(a->src) + sizeof(a->dst)) && (!port || a->port == b->port);
}

static void add_mtu(struct track_port_use *use, const struct used *used)
{
	use->longest = MAX(use->longest, used->longest);
	if (!used->mtu)
		return;
	use->mtu_least = use->mtu_least ? MIN(use->mtu_least, used->mtu) : used->mtu;
	use->mtu_most = MAX(use->mtu_most, used->mtu);
}

/* Those of two hosts, of which @first is the first; returns the next one. */
static unsigned int add_hosts(const GArray *all, unsigned int first, GArray *out)
{
	const struct used *used = &g_array_index(all, struct used, first);
	struct track_port_use use = { .ports = 0 };
	unsigned int i = first, begin;

	memcpy(use.sender, used->src, sizeof(use.sender));
	memcpy(use.receiver, used->dst, sizeof(use.receiver));
	while (i < all->len && is_same(all, first, i, false)) {
		for (begin = i; i < all->len && is_same(all, begin, i, true); i++)
			add_mtu(&use, &g_array_index(all, struct used, i));
		use.ports++;
		use.queue_pairs += i - begin;
		use.most = MAX(use.most, i - begin);
		use.sharing += i - begin > 1 ? i - begin : 0;
	}
	if (use.queue_pairs > 1)
		g_array_append_val(out, use);
	return i;
}

void track_ports_list(const struct track_qps *s, struct track_subnet *subnet)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct used));
	const struct track_qp *qp;
	unsigned int i;

	for (qp = s->oldest; qp; qp = qp->newer) {
		collect(all, qp, TRACK_A_TO_B);
		collect(all, qp, TRACK_B_TO_A);
	}
	g_array_sort(all, compare);
	for (i = 0; i < all->len;)
		i = add_hosts(all, i, subnet->ports);
	g_array_unref(all);
}
