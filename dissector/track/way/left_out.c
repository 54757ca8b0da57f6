/* SPDX-License-Identifier: GPL-2.0-or-later */
/* left_out.c - RDMA packets that a filter took out of the capture. */
#include <string.h>

#include <glib.h>

#include "left_out.h"
#include "track/base/table.h"

/* No holes: compared as bytes. */
struct key {
	uint8_t src[16], dst[16];
};

struct track_left_out {
	struct track_table *pairs; /* struct key -> uint64_t */
	uint64_t others;           /* of those there was no room for */
};

struct track_left_out *track_left_out_new(void)
{
	struct track_left_out *t = g_new0(struct track_left_out, 1);

	t->pairs = track_table_new(sizeof(struct key), sizeof(uint64_t), TRACK_LEFT_OUT_MAX);
	return t;
}

void track_left_out_free(struct track_left_out *t)
{
	if (!t)
		return;
	track_table_free(t->pairs);
	g_free(t);
}

/* An IPv4 address is a GID here: that of a flow as people read it, and of one as packets have it. */
static struct key key_of(const struct track_flow *flow)
{
	struct track_flow gids = *flow;
	struct key key;

	track_flow_as_gids(&gids);
	memcpy(key.src, gids.src, sizeof(key.src));
	memcpy(key.dst, gids.dst, sizeof(key.dst));
	return key;
}

void track_left_out_feed(struct track_left_out *t, const struct ibw_packet *pkt)
{
	struct track_flow flow;
	struct key key;
	uint64_t *n;

	if (!track_flow_of(pkt, &flow))
		return;
	key = key_of(&flow);
	n = track_table_get(t->pairs, &key);
	if (!n && track_table_full(t->pairs))
		n = &t->others;
	else if (!n)
		n = track_table_add(t->pairs, &key);
	++*n;
}

uint64_t track_left_out_of(struct track_left_out *t, const struct track_flow *flow)
{
	const uint64_t *n;
	struct key key;

	if (!t)
		return 0;
	key = key_of(flow);
	n = track_table_get(t->pairs, &key);
	return (n ? *n : 0) + t->others;
}
