/* SPDX-License-Identifier: GPL-2.0-or-later */
/* igmp.c - reports of IGMP and MLD, and who sends to a group. */
#include <stdlib.h>
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/net.h>

#include "igmp.h"
#include "track/base/flow.h"
#include "track/base/table.h"

/* RFC 2236, 2; RFC 3376, 4 */
enum igmp_type {
	IGMP_REPORT_V1 = 0x12,
	IGMP_REPORT_V2 = 0x16,
	IGMP_LEAVE_V2 = 0x17,
	IGMP_REPORT_V3 = 0x22
};

/* RFC 2710, 3; RFC 3810, 5.2 */
enum mld_type { MLD_REPORT = 131, MLD_DONE = 132, MLD_REPORT_V2 = 143 };

/* RFC 3376, 4.2.12; RFC 3810, 5.2.12 */
enum record_type {
	MODE_IS_INCLUDE = 1,
	MODE_IS_EXCLUDE,
	CHANGE_TO_INCLUDE,
	CHANGE_TO_EXCLUDE,
	ALLOW_NEW_SOURCES,
	BLOCK_OLD_SOURCES
};

/* A message, and a group record before its address: type, words after the sources, sources. */
#define MESSAGE_BYTES 8
#define RECORD_BYTES 4

/* No holes: compared as bytes. IPv4 addresses are mapped. */
struct host_key {
	uint8_t group[16], host[16];
};

struct host {
	uint64_t frame;      /* of the last report */
	uint64_t data_frame; /* of the first packet it sent before it joined; 0: none */
	bool member;
};

struct track_igmp {
	struct track_table *hosts; /* struct host_key -> struct host */
};

/* A message, and who sent it. */
struct message {
	struct track_igmp *t;
	struct host_key key;
	const uint8_t *p;
	uint32_t n;
	uint32_t address_bytes; /* 4 or 16 */
	uint64_t frame;
};

struct track_igmp *track_igmp_new(void)
{
	struct track_igmp *t = g_new0(struct track_igmp, 1);

	t->hosts = track_table_new(sizeof(struct host_key), sizeof(struct host), TRACK_HOSTS_MAX);
	return t;
}

void track_igmp_free(struct track_igmp *t)
{
	if (!t)
		return;
	track_table_free(t->hosts);
	g_free(t);
}

uint64_t track_igmp_evicted(const struct track_igmp *t)
{
	return track_table_evicted(t->hosts);
}

static struct host *need(struct track_igmp *t, const struct host_key *key)
{
	return track_table_need(t->hosts, key);
}

static void map(uint8_t gid[16], const uint8_t *address, uint32_t bytes)
{
	memset(gid, 0, 16);
	if (bytes == 4)
		memset(gid + 10, 0xff, 2);
	memcpy(gid + 16 - bytes, address, bytes);
}

/* Reports */

static void member(struct message *m, const uint8_t *group, bool is)
{
	struct host *h;

	map(m->key.group, group, m->address_bytes);
	h = is ? need(m->t, &m->key) : track_table_get(m->t->hosts, &m->key);
	if (!h)
		return;
	h->member = is;
	h->frame = m->frame;
	h->data_frame = 0;
}

/* A record that wants packets of no source is the one of who leaves. */
static void record(struct message *m, uint8_t type, uint32_t sources, const uint8_t *group)
{
	switch (type) {
	case MODE_IS_EXCLUDE:
	case CHANGE_TO_EXCLUDE:
		member(m, group, true);
		break;
	case MODE_IS_INCLUDE:
	case CHANGE_TO_INCLUDE:
		member(m, group, sources > 0);
		break;
	case ALLOW_NEW_SOURCES:
		if (sources)
			member(m, group, true);
		break;
	default:
		break;
	}
}

static void records(struct message *m)
{
	uint32_t n = ibw_get_be16(m->p + 6), at = MESSAGE_BYTES, sources;
	const uint8_t *p;

	for (; n && m->n - at >= RECORD_BYTES + m->address_bytes; n--) {
		p = m->p + at;
		sources = ibw_get_be16(p + 2);
		record(m, p[0], sources, p + RECORD_BYTES);
		sources = RECORD_BYTES + m->address_bytes * (1 + sources) + p[1] * 4u;
		if (sources > m->n - at)
			return;
		at += sources;
	}
}

static void igmp(struct message *m)
{
	switch (m->p[0]) {
	case IGMP_REPORT_V1:
	case IGMP_REPORT_V2:
		member(m, m->p + 4, true);
		break;
	case IGMP_LEAVE_V2:
		member(m, m->p + 4, false);
		break;
	case IGMP_REPORT_V3:
		records(m);
		break;
	default:
		break;
	}
}

/* Routers do not take reports from no address: RFC 3590, 4. */
static void mld(struct message *m)
{
	bool v1 = m->p[0] == MLD_REPORT || m->p[0] == MLD_DONE;

	if (ibw_gid_is_zero(m->key.host))
		return;
	if (v1 && m->n >= MESSAGE_BYTES + IBW_GID_BYTES)
		member(m, m->p + MESSAGE_BYTES, m->p[0] == MLD_REPORT);
	else if (m->p[0] == MLD_REPORT_V2)
		records(m);
}

void track_igmp_packet(struct track_igmp *t, const struct ibw_packet *pkt, uint64_t frame)
{
	struct message m = { .t = t, .frame = frame };
	struct ibw_net net;
	uint32_t end;
	bool v4;

	if (pkt->net == IBW_NO_SPAN || pkt->flags & IBW_PKT_FRAGMENT || !ibw_packet_net(pkt, &net))
		return;
	v4 = net.layer == IBW_LAYER_ipv4;
	if (net.next != (v4 ? IBW_IP_PROTO_IGMP : IBW_IP_PROTO_ICMPV6))
		return;
	end = net.end + net.payload_len;
	if (end > pkt->caplen)
		end = pkt->caplen;
	if (end < net.end || end - net.end < MESSAGE_BYTES)
		return;
	m.p = pkt->data + net.end;
	m.n = end - net.end;
	m.address_bytes = net.addr_bytes;
	map(m.key.host, net.src, net.addr_bytes);
	if (v4)
		igmp(&m);
	else
		mld(&m);
}

/* Data */

/* 224.0.0.0/4, ff00::/8 */
static bool is_group(const uint8_t gid[16])
{
	return ibw_gid_is_ipv4(gid) ? gid[12] >> 4 == 0xe : ibw_gid_is_multicast(gid);
}

void track_igmp_data(struct track_igmp *t, const struct ibw_packet *pkt, uint64_t frame)
{
	struct host_key key;
	struct track_flow flow;
	struct host *h;

	if (!track_flow_gids_of(pkt, &flow) || !is_group(flow.dst))
		return;
	memcpy(key.group, flow.dst, 16);
	memcpy(key.host, flow.src, 16);
	h = need(t, &key);
	if (!h->member && !h->data_frame)
		h->data_frame = frame;
}

/* Lists */

struct entry {
	struct host_key key;
	const struct host *h;
};

static int by_key(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct host_key));
}

/* Groups that hosts join for themselves: 224.0.0.0/24, ff01::/16, ff02::/16. */
static bool is_local(const uint8_t group[16])
{
	if (ibw_gid_is_ipv4(group))
		return group[12] == 224 && !group[13] && !group[14];
	return group[0] == 0xff && (group[1] & 0xf) <= 2;
}

/* The group that begins at @e, of at most @n; how many entries it has. */
static unsigned int add(struct track_subnet *s, const struct entry *e, unsigned int n)
{
	struct track_group group = { .first_member = s->members->len };
	struct track_member member;
	unsigned int i;

	group.by = ibw_gid_is_ipv4(e->key.group) ? TRACK_BY_IGMP : TRACK_BY_MLD;
	memcpy(group.mgid, e->key.group, 16);
	for (i = 0; i < n && !memcmp(e[i].key.group, group.mgid, 16); i++) {
		group.senders += e[i].h->data_frame != 0;
		if (!e[i].h->member)
			continue;
		member = (struct track_member){ .frame = e[i].h->frame,
						.join_state = IBW_JOIN_FULL };
		memcpy(member.mgid, group.mgid, 16);
		memcpy(member.address, e[i].key.host, 16);
		g_array_append_val(s->members, member);
		group.n_members++;
	}
	if (is_local(group.mgid) && !group.senders)
		g_array_set_size(s->members, group.first_member);
	else if (group.n_members || group.senders)
		g_array_append_val(s->groups, group);
	return i;
}

void track_igmp_list(const struct track_igmp *t, struct track_subnet *s)
{
	struct entry *all = g_new(struct entry, track_table_count(t->hosts) + 1);
	unsigned int n = 0, i;
	const struct host *h;

	for (h = NULL; (h = track_table_next(t->hosts, h));) {
		memcpy(&all[n].key, track_table_key(t->hosts, h), sizeof(all->key));
		all[n++].h = h;
	}
	qsort(all, n, sizeof(*all), by_key);
	for (i = 0; i < n;)
		i += add(s, all + i, n - i);
	g_free(all);
}
