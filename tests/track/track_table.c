// SPDX-License-Identifier: GPL-2.0-or-later
/* The bounded table of the trackers, against an array that is searched from end to end. */
#include <stdlib.h>

#include "check.h"
#include "random.h"
#include "track/base/table.h"

#define MODEL_MAX 300

struct key {
	uint32_t a, b, c; /* 12 bytes: not a multiple of 8 */
};

struct value {
	uint64_t sum;
	uint8_t tail[5];
};

/* What the table should hold, the one used longest ago first. */
static struct {
	struct key key;
	uint64_t sum;
	uint32_t number;
} model[MODEL_MAX];
static unsigned int model_count;

static unsigned int model_find(const struct key *key)
{
	unsigned int i;

	for (i = 0; i < model_count; i++)
		if (memcmp(&model[i].key, key, sizeof(*key)) == 0)
			break;
	return i;
}

static void model_remove(unsigned int i)
{
	memmove(model + i, model + i + 1, (model_count - i - 1) * sizeof(*model));
	model_count--;
}

static void model_use(unsigned int i)
{
	__typeof__(model[0]) used = model[i];

	model_remove(i);
	model[model_count++] = used;
}

/* One that is used without being asked for. */
static void use_any(struct track_table *t)
{
	unsigned int i = next_random() % model_count;
	struct value *v = track_table_at(t, model[i].number);

	CHECK_EQ(v->sum, model[i].sum);
	track_table_used(t, v);
	model_use(i);
}

/* Those that would make room next. */
static void look_ahead(struct track_table *t)
{
	const struct value *v;
	void *next[TRACK_TABLE_NEXT];
	unsigned int i;

	track_table_oldest_ahead(t, next);
	for (i = 0; i < TRACK_TABLE_NEXT; i++) {
		v = next[i];
		CHECK((v != NULL) == (i < model_count));
		if (v && i < model_count)
			CHECK_EQ(v->sum, model[i].sum);
	}
}

/* The one used longest ago makes room, here or in the table. */
static struct value *added(struct track_table *t, const struct key *key, uint32_t hash,
			   uint64_t *evicted)
{
	bool needed = next_random() % 2, full = track_table_full(t);
	struct value *oldest;

	if (full) {
		oldest = track_table_oldest(t);
		CHECK_EQ(oldest->sum, model[0].sum);
		look_ahead(t);
		if (!needed)
			track_table_evict(t, oldest);
		model_remove(0);
		++*evicted;
	}
	if (needed)
		return track_table_need(t, key);
	return next_random() % 2 ? track_table_add(t, key) : track_table_add_hashed(t, key, hash);
}

static void step(struct track_table *t, uint32_t max, uint32_t keys, uint64_t *evicted)
{
	struct key key = { next_random() % keys, 7, next_random() % 2 };
	unsigned int i = model_find(&key);
	struct value *v;
	uint32_t hash;

	v = track_table_find(t, &key, &hash);
	CHECK(track_table_get(t, &key) == v);
	CHECK_EQ(!!v, i < model_count);
	if (v) {
		CHECK_EQ(v->sum, model[i].sum);
		CHECK(memcmp(track_table_key(t, v), &key, sizeof(key)) == 0);
		model_use(i);
		CHECK(track_table_need(t, &key) == v);
		if (next_random() % 4 == 0) {
			track_table_remove(t, v);
			model_remove(model_count - 1);
		}
		return;
	}
	CHECK_EQ(track_table_full(t), model_count == max);
	v = added(t, &key, hash, evicted);
	CHECK_EQ(v->sum, 0);
	CHECK_EQ(v->tail[4], 0);
	v->sum = model[model_count].sum = next_random();
	v->tail[4] = 1;
	model[model_count].number = track_table_number(t, v);
	model[model_count++].key = key;
	CHECK(track_table_get(t, &key) == v);
	if (next_random() % 4 == 0)
		use_any(t);
}

static void check_all(const struct track_table *t)
{
	const struct value *v = NULL;
	unsigned int n = 0, i;

	while ((v = track_table_next(t, v))) {
		i = model_find(track_table_key(t, v));
		if (CHECK(i < model_count))
			CHECK_EQ(v->sum, model[i].sum);
		n++;
	}
	CHECK_EQ(n, model_count);
	CHECK_EQ(track_table_count(t), model_count);
}

/* All of them go, the one used longest ago first. */
static void check_drained(struct track_table *t)
{
	const struct value *v;

	for (; model_count; model_remove(0)) {
		v = track_table_oldest(t);
		if (!CHECK(v))
			return;
		CHECK_EQ(v->sum, model[0].sum);
		track_table_remove(t, track_table_oldest(t));
	}
	CHECK(!track_table_oldest(t));
}

/* The order of use is kept from the start, or worked out when it is asked for. */
static void check_random(uint32_t max, uint32_t keys, bool from_start)
{
	struct track_table *t = track_table_new(sizeof(struct key), sizeof(struct value), max);
	uint64_t evicted = 0;
	unsigned int i;

	check_case("%u entries, %u keys", max, 2 * keys);
	model_count = 0;
	if (from_start)
		CHECK(!track_table_oldest(t));
	for (i = 0; i < 20000; i++) {
		step(t, max, keys, &evicted);
		if (i % 1000 == 0)
			check_all(t);
	}
	check_all(t);
	CHECK_EQ(track_table_evicted(t), evicted);
	CHECK_EQ(evicted != 0, max < 2 * keys);
	check_drained(t);
	track_table_free(t);
}

/* Values are found in the order they were added. */
static void check_order(void)
{
	struct track_table *t = track_table_new(sizeof(uint32_t), sizeof(uint32_t), 100000);
	uint32_t i, *v = NULL;

	check_case("order");
	for (i = 0; i < 100000; i++)
		*(uint32_t *)track_table_add(t, &i) = i;
	CHECK(track_table_full(t));
	for (i = 0; (v = track_table_next(t, v)); i++)
		if (!CHECK_EQ(*v, i))
			break;
	CHECK_EQ(i, 100000);
	track_table_free(t);
}

/* Adds entries until there is no room for more; how many there are. */
static uint32_t fill(struct track_table *t)
{
	static uint64_t key;

	for (; !track_table_full(t); key++)
		track_table_add(t, &key);
	return track_table_count(t);
}

/* All tables together are held to a limit, but for a few entries of each; one apart is not. */
static void check_limit(void)
{
	const uint64_t before = track_tables_bytes(), was = track_tables_max(), limit = 100000;
	struct track_table *first, *second, *apart;
	uint32_t n;

	track_tables_limit(before + limit);
	first = track_table_new(8, 100, 100000);
	second = track_table_new(8, 100, 100000);
	apart = track_table_new_apart(8, 100, 1000);
	n = fill(first);
	CHECK(n > TRACK_TABLE_LEAST && n < 1000);
	CHECK(track_tables_bytes() - before <= limit);
	CHECK(track_tables_bytes() - before >= track_table_bytes(first));
	CHECK_EQ(fill(apart), 1000);
	track_tables_limit(0);
	CHECK_EQ(fill(second), TRACK_TABLE_LEAST);

	/* Who makes room has some, and memory that is given back is there for others. */
	track_table_evict(first, track_table_oldest(first));
	CHECK(!track_table_full(first));
	CHECK_EQ(fill(first), n);
	track_table_free(first);
	track_tables_limit(before + limit);
	CHECK(fill(second) > TRACK_TABLE_LEAST);
	track_table_free(second);
	track_table_free(apart);
	CHECK_EQ(track_tables_bytes(), before);
	track_tables_limit(was);
}

#define KEY_MAX 41 /* bytes: five words, and a part of one */

/* Keys of all lengths that differ in one bit are different ones, after others were asked for, too. */
static void check_keys(uint32_t bytes)
{
	struct track_table *t = track_table_new(bytes, sizeof(uint32_t), 8 * bytes + 1);
	uint8_t key[KEY_MAX] = { 0 };
	uint32_t bit, *n;

	check_case("keys of %u bytes", bytes);
	for (bit = 0; bit < 8 * bytes; bit++) {
		key[bit / 8] ^= (uint8_t)(1u << bit % 8);
		CHECK(!track_table_get(t, key));
		*(uint32_t *)track_table_add(t, key) = bit;
		key[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (bit = 0; bit < 8 * bytes; bit++) {
		key[bit / 8] ^= (uint8_t)(1u << bit % 8);
		n = track_table_get(t, key);
		if (CHECK(n))
			CHECK_EQ(*n, bit);
		CHECK(track_table_need(t, key) == n);
		key[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	CHECK(!track_table_get(t, key));
	track_table_free(t);
}

int main(void)
{
	unsigned int from_start;
	uint32_t bytes;

	for (bytes = 1; bytes <= KEY_MAX; bytes++)
		check_keys(bytes);
	for (from_start = 0; from_start < 2; from_start++) {
		check_random(1, 3, from_start);
		check_random(2, 1, from_start);
		check_random(5, 5, from_start);
		check_random(64, 200, from_start);
		check_random(MODEL_MAX, MODEL_MAX, from_start);
		check_random(MODEL_MAX, 100, from_start);
	}
	check_order();
	check_limit();
	track_table_free(NULL);
	return check_end();
}
