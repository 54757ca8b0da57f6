/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * More incidents than are kept: the costliest of each connection and kind stays, whatever came before and after it, the
 * counts are those of all, and there is no more memory than the limit has.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "random.h"
#include "track/base/memory.h"
#include "track/incident/incident.h"

#define SERIALS 3000u

/* What the costliest of each took; 0: there was none. */
static uint64_t most[SERIALS][TRACK_INCIDENT_COUNT];
static uint64_t kept_most[SERIALS][TRACK_INCIDENT_COUNT];
static uint64_t of_kind[TRACK_INCIDENT_COUNT];

static void note(uint64_t most_of[SERIALS][TRACK_INCIDENT_COUNT], const struct track_incident *i)
{
	if (i->ns > most_of[i->serial][i->kind])
		most_of[i->serial][i->kind] = i->ns;
}

static struct track_incident at_random(uint64_t frame, unsigned int serials, unsigned int kinds)
{
	return (struct track_incident){ .serial = 1 + next_random() % (serials - 1),
					.frame = frame,
					.ns = 1 + next_random() % 1000000,
					.kind = (uint8_t)(next_random() % kinds) };
}

/* @n incidents, and how many connections and kinds have none of theirs in the list, or a cheaper one. */
static unsigned int keep(struct track_incidents *list, struct track_memory *memory, uint64_t n,
			 unsigned int serials, unsigned int kinds)
{
	unsigned int i, k, lost = 0;
	uint64_t frame, ns = 0, others = n; /* what neither the list nor its rest has */

	memset(most, 0, sizeof(most));
	memset(kept_most, 0, sizeof(kept_most));
	memset(of_kind, 0, sizeof(of_kind));
	for (frame = 1; frame <= n; frame++) {
		const struct track_incident incident = at_random(frame, serials, kinds);

		note(most, &incident);
		ns += incident.ns;
		of_kind[incident.kind]++;
		track_incidents_keep(list, memory, &incident);
	}
	for (i = 0; i < list->n; i++) {
		note(kept_most, &list->kept[i]);
		ns -= list->kept[i].ns + track_incidents_rest_of(list, i).ns;
		others -= 1 + track_incidents_rest_of(list, i).n;
	}
	for (i = 0; i < serials; i++)
		for (k = 0; k < kinds; k++)
			lost += kept_most[i][k] != most[i][k];
	CHECK_EQ(list->count, n);
	CHECK((ns == 0) == (lost == 0) && (others == 0) == (lost == 0));
	CHECK_MEM(list->of_kind, of_kind, sizeof(of_kind));
	return lost;
}

/* Of a kind, whatever its connection, the costliest is there. */
static void check_kinds(const struct track_incidents *list, unsigned int serials,
			unsigned int kinds)
{
	unsigned int i, k;

	for (k = 0; k < kinds; k++) {
		uint64_t all = 0, kept = list->costliest[k].frame ? list->costliest[k].ns : 0;

		for (i = 0; i < serials; i++) {
			all = all > most[i][k] ? all : most[i][k];
			kept = kept > kept_most[i][k] ? kept : kept_most[i][k];
		}
		check_case("kind %u", k);
		CHECK_EQ(kept, all);
	}
	check_case("%s", "");
}

static void room_for_each(uint64_t max)
{
	struct track_incidents *list = track_incidents_new();
	struct track_memory memory = { .max = max };

	CHECK_EQ(keep(list, &memory, 300000, 40, 5), 0);
	CHECK(list->n < 300000 && list->n >= 39 * 5);
	CHECK(memory.used <= max / 8);
	check_kinds(list, 40, 5);
	track_incidents_free(list);
}

/* More connections and kinds than there is room for. */
static void room_for_some(void)
{
	struct track_incidents *list = track_incidents_new();
	struct track_memory memory = { .max = TRACK_MEMORY_MIN };
	unsigned int lost = keep(list, &memory, 100000, SERIALS, 7);

	CHECK(lost > 0 && lost <= (SERIALS - 1) * 7 - list->n + 7);
	CHECK(memory.used <= TRACK_MEMORY_MIN / 8);
	check_kinds(list, SERIALS, 7);
	track_incidents_free(list);
}

/* Memory that is full has no place at all: of each kind one. */
static void no_room(void)
{
	struct track_incidents *list = track_incidents_new();
	struct track_memory memory = { .used = 100, .max = 100 };

	CHECK(keep(list, &memory, 1000, 10, 3) > 0);
	CHECK_EQ(list->n, 0);
	check_kinds(list, 10, 3);
	track_incidents_free(list);
}

int main(void)
{
	room_for_each(TRACK_MEMORY);
	room_for_each(4 * TRACK_MEMORY_MIN);
	room_for_some();
	no_room();
	return check_end();
}
