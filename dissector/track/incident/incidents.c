/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incidents.c - keeps the incidents of a capture, the costliest if there are too many, and has the words
 * for them.
 *
 * The cost decides what is kept, not the order, so that a flood of small incidents hides no costly one.
 */
#include <stdlib.h>

#include <glib.h>

#include "incident.h"
#include "track/base/memory.h"

#define ROOM_FIRST 16u

/* Of the memory of connections, one part of so many. */
#define SHARE 16u

/* Of a hash table, for each that is in it: a pointer, its hash, and as much room again. */
#define COSTLIEST_BYTES 32u

/* Once there is no room for another one. */
struct track_incidents_full {
	GHashTable *costliest; /* of each way and kind: struct track_incident of the list */
	struct track_incidents_rest *rest; /* by the place of that */
	struct track_incident
		*last;   /* costliest of the way and kind that came last; NULL: none did yet */
	uint32_t *spare; /* places of all others, the costliest first; the last one goes next */
	uint32_t n_spare;
};

const struct track_incident_row track_incident_rows[TRACK_INCIDENT_COUNT] = {
#define TRACK_INCIDENT(id, name, one, many, is) { name, one, many, is },
#include "incident.def"
};

struct track_incidents *track_incidents_new(void)
{
	return g_new0(struct track_incidents, 1);
}

/* Whether there is room for another one. */
static bool grow(struct track_incidents *list, struct track_memory *memory)
{
	uint32_t room = list->room ? 2 * list->room : ROOM_FIRST;

	if (list->room == TRACK_INCIDENTS_MAX || track_memory_is_full(memory) ||
	    room * sizeof(*list->kept) > memory->max / SHARE)
		return false;
	memory->used += (room - list->room) * sizeof(*list->kept);
	list->room = room;
	list->kept = g_renew(struct track_incident, list->kept, room);
	return true;
}

static guint hash_of(gconstpointer key)
{
	const struct track_incident *i = key;

	return (guint)((i->serial * 2 + i->way) * TRACK_INCIDENT_COUNT + i->kind);
}

static gboolean is_alike(gconstpointer a, gconstpointer b)
{
	const struct track_incident *one = a, *other = b;

	return one->serial == other->serial && one->way == other->way && one->kind == other->kind;
}

/* The costliest first; of two, the one that came first. */
static int by_cost(const void *a, const void *b, void *list)
{
	const uint32_t *one = a, *other = b;
	const struct track_incident *kept = ((const struct track_incidents *)list)->kept;

	if (kept[*one].ns != kept[*other].ns)
		return kept[*one].ns > kept[*other].ns ? -1 : 1;
	return *one < *other ? -1 : *one > *other;
}

static void set_full(struct track_incidents *list, struct track_memory *memory)
{
	struct track_incidents_full *full = g_new0(struct track_incidents_full, 1);
	const struct track_incident *costliest;
	uint32_t i;

	full->costliest = g_hash_table_new(hash_of, is_alike);
	full->spare = g_new(uint32_t, MAX(list->n, 1));
	full->rest = g_new0(struct track_incidents_rest, MAX(list->n, 1));
	for (i = 0; i < list->n; i++) {
		costliest = g_hash_table_lookup(full->costliest, &list->kept[i]);
		if (!costliest || list->kept[i].ns > costliest->ns)
			g_hash_table_add(full->costliest, &list->kept[i]);
	}
	for (i = 0; i < list->n; i++)
		if (g_hash_table_lookup(full->costliest, &list->kept[i]) != &list->kept[i])
			full->spare[full->n_spare++] = i;
	g_qsort_with_data(full->spare, (gint)full->n_spare, sizeof(*full->spare), by_cost, list);
	memory->used += list->n * (sizeof(*full->spare) + sizeof(*full->rest) + COSTLIEST_BYTES);
	list->full = full;
}

/* Of the way and kind of @costliest. */
static void leave_out(const struct track_incidents *list, const struct track_incident *costliest,
		      const struct track_incident *incident)
{
	struct track_incidents_rest *rest = &list->full->rest[costliest - list->kept];

	rest->n++;
	rest->resent_packets += incident->resent_packets;
	rest->ns += incident->ns;
}

/* In the place of one that cost less, if it is the costliest of its way and kind. */
static void replace(struct track_incidents *list, const struct track_incident *incident)
{
	struct track_incidents_full *full = list->full;
	struct track_incident *place = full->last;

	if (!place || !is_alike(place, incident))
		place = full->last = g_hash_table_lookup(full->costliest, incident);
	if (place) {
		leave_out(list, place, incident->ns > place->ns ? place : incident);
		if (incident->ns > place->ns)
			*place = *incident; /* the same key */
		return;
	}
	if (!full->n_spare) {
		place = &list->costliest[incident->kind];
		if (!place->frame || incident->ns > place->ns)
			*place = *incident;
		return;
	}
	place = &list->kept[full->spare[--full->n_spare]];
	leave_out(list, g_hash_table_lookup(full->costliest, place), place);
	*place = *incident;
	g_hash_table_add(full->costliest, place);
}

struct track_incidents_rest track_incidents_rest_of(const struct track_incidents *list,
						    uint32_t number)
{
	if (!list->full || number >= list->n)
		return (struct track_incidents_rest){ 0 };
	return list->full->rest[number];
}

void track_incidents_keep(struct track_incidents *list, struct track_memory *memory,
			  const struct track_incident *incident)
{
	list->count++;
	list->of_kind[incident->kind]++;
	if (!list->full && list->n == list->room && !grow(list, memory))
		set_full(list, memory);
	if (list->full)
		replace(list, incident);
	else
		list->kept[list->n++] = *incident;
}

void track_incidents_manage(struct track_incidents *list, const struct track_incident *incident)
{
	list->managed = g_renew(struct track_incident, list->managed, list->n_managed + 1);
	list->managed[list->n_managed++] = *incident;
}

static int by_frame(const void *a, const void *b)
{
	const struct track_incident *one = a, *other = b;

	return one->frame < other->frame ? -1 : one->frame > other->frame;
}

void track_incidents_sort_managed(struct track_incidents *list, uint32_t from)
{
	if (list->n_managed > from)
		qsort(list->managed + from, list->n_managed - from, sizeof(*list->managed),
		      by_frame);
}

void track_incident_copied(struct track_incident *incident, uint64_t first_ns, uint64_t again_frame,
			   uint64_t again_ns)
{
	incident->notice_frame = incident->resent_frame = again_frame;
	if (again_frame && again_ns > first_ns)
		incident->noticed_ns = MIN(again_ns - first_ns, incident->ns);
	if (again_frame)
		incident->repaired_ns = incident->ns - incident->noticed_ns;
	else
		incident->resent_ns = incident->ns;
}

void track_incidents_free(struct track_incidents *list)
{
	if (!list)
		return;
	if (list->full) {
		g_hash_table_unref(list->full->costliest);
		g_free(list->full->spare);
		g_free(list->full->rest);
		g_free(list->full);
	}
	g_free(list->kept);
	g_free(list->managed);
	g_free(list->congested.way);
	g_free(list);
}
