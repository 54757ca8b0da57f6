/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mcast_list.c - lists the current groups and their members. */
#include <stdlib.h>
#include <string.h>

#include "mcast_impl.h"

struct entry {
	struct member_key key;
	const struct member *m;
};

static int by_key(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct member_key));
}

static int by_mgid(const void *a, const void *b)
{
	return memcmp(*(const uint8_t *const *)a, *(const uint8_t *const *)b, 16);
}

/* Members now, and who only sends, by group. */
static struct entry *entries_of(const struct track_mcast *t, unsigned int *n)
{
	struct entry *all = g_new(struct entry, track_table_count(t->members) + 1);
	const struct member *m;

	*n = 0;
	for (m = NULL; (m = track_table_next(t->members, m));) {
		if (!m->state && !m->data_frame)
			continue;
		memcpy(&all[*n].key, track_table_key(t->members, m), sizeof(all->key));
		all[(*n)++].m = m;
	}
	qsort(all, *n, sizeof(*all), by_key);
	return all;
}

static const uint8_t **groups_of(const struct track_mcast *t, unsigned int *n)
{
	const uint8_t **all = g_new(const uint8_t *, track_table_count(t->groups) + 1);
	const struct group *g;

	*n = 0;
	for (g = NULL; (g = track_table_next(t->groups, g));)
		all[(*n)++] = track_table_key(t->groups, g);
	qsort(all, *n, sizeof(*all), by_mgid);
	return all;
}

/* Those of @group that are at @e, of which there are @n; how many. */
static unsigned int add_members(struct track_subnet *s, struct track_group *group,
				const struct entry *e, unsigned int n)
{
	struct track_member member;
	unsigned int i;

	group->first_member = s->members->len;
	for (i = 0; i < n && !memcmp(e[i].key.mgid, group->mgid, 16); i++) {
		group->senders += !e[i].m->state;
		if (!e[i].m->state)
			continue;
		member = (struct track_member){ .frame = e[i].m->frame,
						.join_state = e[i].m->state };
		memcpy(member.mgid, group->mgid, 16);
		memcpy(member.address, e[i].key.port, 16);
		g_array_append_val(s->members, member);
		group->n_members++;
	}
	return i;
}

void track_mcast_list(const struct track_mcast *t, struct track_subnet *s)
{
	unsigned int n_entries, n_groups, e = 0, g = 0;
	struct entry *entries = entries_of(t, &n_entries);
	const uint8_t **groups = groups_of(t, &n_groups);
	const struct group *described;

	while (e < n_entries || g < n_groups) {
		struct track_group group = { .by = TRACK_BY_SA };
		bool alone = g == n_groups ||
			     (e < n_entries && memcmp(entries[e].key.mgid, groups[g], 16) < 0);

		memcpy(group.mgid, alone ? entries[e].key.mgid : groups[g], 16);
		g += !alone;
		described = alone ? NULL : track_table_get(t->groups, group.mgid);
		if (described) {
			group.frame = described->frame;
			group.rec = described->rec;
		}
		e += add_members(s, &group, entries + e, n_entries - e);
		g_array_append_val(s->groups, group);
	}
	g_free(entries);
	g_free(groups);
}
