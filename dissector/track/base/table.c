/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.c - a hash table of bounded size: open addressing over numbered entries. */
#include <string.h>
#include <sys/random.h>

#include <glib.h>

#include "ahead.h"
#include "memory.h"
#include "table.h"

#define SLOTS_FIRST 64u /* a power of two */
#define ROOM_FIRST 32u
#define NONE UINT32_MAX
/* Entries found without a hash: of two hosts, both directions come by turns. */
#define LAST 2

/*
 * An entry: this, its key, its value, each at a multiple of 8 bytes. Until somebody asks for the oldest
 * entry, older and newer are the number of its last use, so that no other entry is written to: those
 * before and after it are in no cache where there are many.
 */
struct head {
	uint32_t hash;
	uint32_t older, newer; /* by last use; of a free entry older is the next free one */
	uint32_t used;         /* 0: the entry is free */
};

/* With the hash, for entries are in no cache where there are many: only the right one is looked at. */
struct slot {
	uint32_t entry; /* its number plus one; 0: the slot is empty */
	uint32_t hash;
};

struct track_table {
	struct slot *slots; /* at most half are in use */
	uint32_t mask;
	uint8_t *entries;
	uint32_t room;  /* entries there is memory for */
	uint32_t top;   /* entries ever used: those from here on never were */
	uint32_t free;  /* the first free one below top */
	uint32_t count; /* in use */
	uint32_t max;
	bool apart;    /* its bytes are not counted here */
	bool in_order; /* the entries are linked by their last use */
	uint32_t oldest, newest;
	struct head *last[LAST]; /* entries asked for last, the later one first; NULL */
	uint64_t uses;           /* so far */
	uint32_t key_bytes, value_at, entry_bytes;
	/* To divide by entry_bytes what it divides: a power of two, and the inverse of the rest modulo 2^64. */
	uint32_t twos;
	uint64_t inverse;
	uint64_t evicted;
	uint64_t secret[]; /* one, and one for each 32 bits of a key */
};

/* Of all tables that are not apart. */
static struct track_memory all = { .max = TRACK_MEMORY / TRACK_MEMORY_TABLES };

void track_tables_limit(uint64_t bytes)
{
	all.max = bytes;
}

uint64_t track_tables_max(void)
{
	return all.max;
}

uint64_t track_tables_bytes(void)
{
	return all.used;
}

static uint32_t round_up(uint32_t n)
{
	return (n + 7u) & ~7u;
}

/* Of an odd number, by Newton: each step doubles the bits that are right, of which there are three at first. */
static uint64_t inverse_of(uint64_t odd)
{
	uint64_t x = odd;
	unsigned int bits;

	for (bits = 3; bits < 64; bits *= 2)
		x *= 2 - odd * x;
	return x;
}

/* Without getrandom(), e.g. in a jail that forbids it, secrets are only less surprising: SplitMix64 of Vigna, from the time. */
static void draw(uint64_t *secret, uint32_t n)
{
	const size_t bytes = n * sizeof(*secret);
	uint64_t state, x;

	if (getrandom(secret, bytes, GRND_NONBLOCK) == (ssize_t)bytes)
		return;
	for (state = (uint64_t)g_get_monotonic_time(); n; n--) {
		state += UINT64_C(0x9e3779b97f4a7c15);
		x = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
		*secret++ = x ^ x >> 31;
	}
}

struct track_table *track_table_new(uint32_t key_bytes, uint32_t value_bytes, uint32_t max)
{
	const uint32_t secrets = 1 + round_up(key_bytes) / 4;
	struct track_table *t = g_malloc0(sizeof(*t) + secrets * sizeof(t->secret[0]));

	draw(t->secret, secrets);
	t->key_bytes = key_bytes;
	t->value_at = round_up(sizeof(struct head)) + round_up(key_bytes);
	t->entry_bytes = t->value_at + round_up(value_bytes);
	t->twos = (uint32_t)__builtin_ctz(t->entry_bytes);
	t->inverse = inverse_of(t->entry_bytes >> t->twos);
	t->max = max;
	t->mask = SLOTS_FIRST - 1;
	t->slots = g_new0(struct slot, SLOTS_FIRST);
	t->oldest = t->newest = t->free = NONE;
	return t;
}

struct track_table *track_table_new_apart(uint32_t key_bytes, uint32_t value_bytes, uint32_t max)
{
	struct track_table *t = track_table_new(key_bytes, value_bytes, max);

	t->apart = true;
	return t;
}

/* With their slots, of which there are two to four an entry. */
static uint64_t bytes_of(const struct track_table *t, uint32_t entries)
{
	return entries * (t->entry_bytes + 4 * sizeof(struct slot));
}

void track_table_free(struct track_table *t)
{
	if (!t)
		return;
	if (!t->apart)
		all.used -= bytes_of(t, t->room);
	g_free(t->slots);
	g_free(t->entries);
	g_free(t);
}

static struct head *head_at(const struct track_table *t, uint32_t i)
{
	return (struct head *)(void *)(t->entries + (size_t)i * t->entry_bytes);
}

static uint8_t *key_of(struct head *h)
{
	return (uint8_t *)h + round_up(sizeof(*h));
}

static uint8_t *key_at(const struct track_table *t, uint32_t i)
{
	return key_of(head_at(t, i));
}

static void *value_at(const struct track_table *t, struct head *h)
{
	return (uint8_t *)h + t->value_at;
}

static void *value_of(const struct track_table *t, uint32_t i)
{
	return value_at(t, head_at(t, i));
}

static uint32_t number_at(const struct track_table *t, const struct head *h)
{
	uint64_t at = (uint64_t)((const uint8_t *)h - t->entries);

	return (uint32_t)((at >> t->twos) * t->inverse);
}

static uint32_t number_of(const struct track_table *t, const void *value)
{
	return number_at(t,
			 (const struct head *)(const void *)((const uint8_t *)value - t->value_at));
}

/* The bytes after the last whole word of a key: fewer than eight. */
static inline uint64_t rest_of(const uint8_t *p, uint32_t left)
{
	uint64_t word = 0;
	uint32_t four;
	uint16_t two;

	if (left & sizeof(four)) {
		memcpy(&four, p, sizeof(four));
		word = four;
		p += sizeof(four);
	}
	if (left & sizeof(two)) {
		memcpy(&two, p, sizeof(two));
		word = word << 16 | two;
		p += sizeof(two);
	}
	return left & 1 ? word << 8 | *p : word;
}

static inline uint64_t product(const uint64_t *secret, uint64_t word)
{
	return secret[0] * (uint32_t)word + secret[1] * (word >> 32);
}

/*
 * Each 32 bits of the key times a random number of 64 bits, and the upper half of the sum: "multilinear" of Lemire and Kaser, Strongly
 * universal string hashing is fast. Two keys have the same hash for one of 2^32 secrets, whatever the keys are, and a capture is
 * written before the secret is drawn. Keys in a row give hashes in a row, so bits are mixed at the end.
 */
static inline uint32_t hash_of(const struct track_table *t, const uint8_t *key)
{
	const uint64_t *secret = t->secret;
	uint64_t sum = *secret++, word;
	uint32_t left = t->key_bytes, hash;

	for (; left >= sizeof(word); left -= (uint32_t)sizeof(word), key += sizeof(word)) {
		memcpy(&word, key, sizeof(word));
		sum += product(secret, word);
		secret += 2;
	}
	if (left)
		sum += product(secret, rest_of(key, left));
	hash = (uint32_t)(sum >> 32);
	hash = (hash ^ hash >> 16) * 0x85ebca6bu;
	return hash ^ hash >> 13;
}

static inline uint64_t word_at(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

static inline bool is_long_key(const uint8_t *a, const uint8_t *b, uint32_t bytes)
{
	const uint8_t *end = a + (bytes & ~7u);

	for (; a < end; a += 8, b += 8)
		if (word_at(a) != word_at(b))
			return false;
	return rest_of(a, bytes & 7u) == rest_of(b, bytes & 7u);
}

/* Most keys have few words. */
static inline bool is_key(const struct track_table *t, struct head *h, const uint8_t *key)
{
	const uint8_t *at = key_of(h);
	const uint32_t bytes = t->key_bytes;

	if (bytes < sizeof(uint64_t))
		return rest_of(at, bytes) == rest_of(key, bytes);
	if (word_at(at) != word_at(key))
		return false;
	if (bytes == sizeof(uint64_t))
		return true;
	if (bytes == 2 * sizeof(uint64_t))
		return word_at(at + 8) == word_at(key + 8);
	return is_long_key(at + 8, key + 8, bytes - 8);
}

/* The slot of @key, or the empty one it would get. */
static uint32_t slot_of(const struct track_table *t, const void *key, uint32_t hash)
{
	uint32_t s = hash & t->mask;

	for (; t->slots[s].entry; s = (s + 1) & t->mask)
		if (t->slots[s].hash == hash && is_key(t, head_at(t, t->slots[s].entry - 1), key))
			break;
	return s;
}

/* The slot of an entry, whose key is in no cache where there are many. */
static uint32_t slot_of_entry(const struct track_table *t, uint32_t i)
{
	uint32_t s = head_at(t, i)->hash & t->mask;

	while (t->slots[s].entry != i + 1)
		s = (s + 1) & t->mask;
	return s;
}

static void unlink_use(struct track_table *t, uint32_t i)
{
	struct head *h = head_at(t, i);

	if (h->older != NONE)
		head_at(t, h->older)->newer = h->newer;
	else
		t->oldest = h->newer;
	if (h->newer != NONE)
		head_at(t, h->newer)->older = h->older;
	else
		t->newest = h->older;
}

static void append_use(struct track_table *t, uint32_t i)
{
	struct head *h = head_at(t, i);

	h->older = t->newest;
	h->newer = NONE;
	if (t->newest != NONE)
		head_at(t, t->newest)->newer = i;
	else
		t->oldest = i;
	t->newest = i;
}

/* Writes down that it was used now: see struct head. */
static inline void stamp(struct track_table *t, struct head *h)
{
	h->older = (uint32_t)t->uses;
	h->newer = (uint32_t)(t->uses++ >> 32);
}

/* It was asked for. */
static inline void use(struct track_table *t, struct head *h)
{
	uint32_t i;

	if (!t->in_order) {
		stamp(t, h);
		return;
	}
	i = number_at(t, h);
	if (t->newest != i) {
		unlink_use(t, i);
		append_use(t, i);
	}
}

static uint64_t last_use(const struct track_table *t, uint32_t i)
{
	return (uint64_t)head_at(t, i)->newer << 32 | head_at(t, i)->older;
}

/* The @n entries of @list by their last use, a byte of its number after the other. */
static void sort_by_use(const struct track_table *t, uint32_t *list, uint32_t n)
{
	uint32_t *from = g_new(uint32_t, n), place[256], i, sum, here;
	unsigned int shift;

	for (shift = 0; shift < 64 && t->uses >> shift; shift += 8) {
		memcpy(from, list, n * sizeof(*list));
		memset(place, 0, sizeof(place));
		for (i = 0; i < n; i++)
			place[last_use(t, from[i]) >> shift & 0xff]++;
		for (i = 0, sum = 0; i < 256; i++) {
			here = place[i];
			place[i] = sum;
			sum += here;
		}
		for (i = 0; i < n; i++)
			list[place[last_use(t, from[i]) >> shift & 0xff]++] = from[i];
	}
	g_free(from);
}

/* From now on each use moves the entry to the end of the list. */
static __attribute__((noinline)) void put_in_order(struct track_table *t)
{
	uint32_t *list, i, n = 0;

	t->in_order = true;
	if (!t->count)
		return;
	list = g_new(uint32_t, t->count);
	for (i = 0; i < t->top; i++)
		if (head_at(t, i)->used)
			list[n++] = i;
	sort_by_use(t, list, n);
	for (i = 0; i < n; i++)
		append_use(t, list[i]);
	g_free(list);
}

static inline void *used(struct track_table *t, struct head *h)
{
	use(t, h);
	return value_at(t, h);
}

void *track_table_get_hashed(struct track_table *t, const void *key, uint32_t hash)
{
	const uint32_t entry = t->slots[slot_of(t, key, hash)].entry;

	return entry ? used(t, head_at(t, entry - 1)) : NULL;
}

static inline void remember(struct track_table *t, struct head *h)
{
	t->last[1] = t->last[0];
	t->last[0] = h;
}

/* One of those asked for last; NULL: it is none of them. */
static inline struct head *recall(const struct track_table *t, const void *key)
{
	unsigned int i;

	for (i = 0; i < LAST; i++)
		if (t->last[i] && is_key(t, t->last[i], key))
			return t->last[i];
	return NULL;
}

/* The entry of @key, whose hash that is; NULL: there is none. */
static inline struct head *look_up(struct track_table *t, const void *key, uint32_t hash)
{
	const uint32_t entry = t->slots[slot_of(t, key, hash)].entry;
	struct head *h = entry ? head_at(t, entry - 1) : NULL;

	if (h)
		remember(t, h);
	return h;
}

/* The value of @key; NULL: there is none, and @hash is its hash. */
static inline void *find(struct track_table *t, const void *key, uint32_t *hash)
{
	struct head *h = recall(t, key);

	if (!h) {
		*hash = hash_of(t, key);
		h = look_up(t, key, *hash);
	}
	return h ? used(t, h) : NULL;
}

void *track_table_find(struct track_table *t, const void *key, uint32_t *hash)
{
	return find(t, key, hash);
}

void *track_table_get(struct track_table *t, const void *key)
{
	uint32_t hash;

	return t->count ? find(t, key, &hash) : NULL;
}

void track_table_used(struct track_table *t, const void *value)
{
	use(t, head_at(t, number_of(t, value)));
}

static void ask_neighbors(const struct track_table *t, uint32_t i)
{
	const struct head *h = head_at(t, i);

	if (h->older != NONE)
		__builtin_prefetch(head_at(t, h->older), 1);
	if (h->newer != NONE)
		__builtin_prefetch(head_at(t, h->newer), 1);
}

/* The entry of that hash, plus one; 0: there is none. */
static inline uint32_t entry_ahead(const struct track_table *t, uint32_t hash)
{
	uint32_t s = hash & t->mask;

	while (t->slots[s].entry && t->slots[s].hash != hash)
		s = (s + 1) & t->mask;
	return t->slots[s].entry;
}

/* Slots, entries, and the entries used before and after them: each is where the one before says. */
void track_table_ahead(const struct track_table *t, const void *const keys[], uint32_t hashes[],
		       void *guess[], unsigned int n)
{
	uint32_t entry[TRACK_TABLE_AHEAD];
	unsigned int i;

	for (i = 0; i < n; i++) {
		hashes[i] = hash_of(t, keys[i]);
		__builtin_prefetch(&t->slots[hashes[i] & t->mask]);
	}
	for (i = 0; i < n; i++) {
		entry[i] = entry_ahead(t, hashes[i]);
		if (entry[i])
			track_ask(head_at(t, entry[i] - 1), t->entry_bytes);
	}
	for (i = 0; i < n; i++) {
		guess[i] = entry[i] ? value_of(t, entry[i] - 1) : NULL;
		if (t->in_order && entry[i])
			ask_neighbors(t, entry[i] - 1);
	}
}

static void grow_slots(struct track_table *t)
{
	struct slot *before = t->slots;
	uint32_t i, s, n = t->mask + 1;

	t->mask = 2 * t->mask + 1;
	t->slots = g_new0(struct slot, (size_t)t->mask + 1);
	for (i = 0; i < n; i++) {
		if (!before[i].entry)
			continue;
		for (s = before[i].hash & t->mask; t->slots[s].entry; s = (s + 1) & t->mask)
			continue;
		t->slots[s] = before[i];
	}
	g_free(before);
}

static uint32_t place(struct track_table *t)
{
	uint32_t i = t->free;

	if (i != NONE) {
		t->free = head_at(t, i)->older;
		return i;
	}
	if (t->top == t->room) {
		const uint32_t before = t->room;

		t->room = t->room ? MIN(t->room * 2, t->max) : MIN(ROOM_FIRST, t->max);
		if (!t->apart)
			all.used += bytes_of(t, t->room) - bytes_of(t, before);
		t->entries = g_realloc_n(t->entries, t->room, t->entry_bytes);
		t->last[0] = t->last[1] = NULL;
	}
	return t->top++;
}

void *track_table_add_hashed(struct track_table *t, const void *key, uint32_t hash)
{
	struct head *h;
	uint32_t i, s;

	g_assert(t->count < t->max);
	if (t->count >= (t->mask + 1) / 2)
		grow_slots(t);
	i = place(t);
	h = head_at(t, i);
	memset(h, 0, t->entry_bytes);
	h->hash = hash;
	h->used = 1;
	memcpy(key_at(t, i), key, t->key_bytes);
	for (s = hash & t->mask; t->slots[s].entry; s = (s + 1) & t->mask)
		continue;
	t->slots[s] = (struct slot){ i + 1, hash };
	if (t->in_order)
		append_use(t, i);
	else
		stamp(t, h);
	t->count++;
	remember(t, h);
	return value_at(t, h);
}

void *track_table_add(struct track_table *t, const void *key)
{
	return track_table_add_hashed(t, key, hash_of(t, key));
}

/* Whether it would have to grow for one more entry, and may not. */
static bool is_held_back(const struct track_table *t)
{
	return t->free == NONE && t->top == t->room && t->room >= TRACK_TABLE_LEAST && !t->apart &&
	       all.used + bytes_of(t, MIN(t->room, t->max - t->room)) > all.max;
}

bool track_table_full(const struct track_table *t)
{
	return t->count == t->max || is_held_back(t);
}

void *track_table_oldest(struct track_table *t)
{
	if (!t->in_order)
		put_in_order(t);
	return t->oldest == NONE ? NULL : value_of(t, t->oldest);
}

void track_table_oldest_ahead(struct track_table *t, void *next[TRACK_TABLE_NEXT])
{
	const struct head *h;
	uint32_t i;
	unsigned int n;

	if (!t->in_order)
		put_in_order(t);
	for (n = 0, i = t->oldest; n < TRACK_TABLE_NEXT; n++) {
		next[n] = i == NONE ? NULL : value_of(t, i);
		if (i == NONE)
			continue;
		h = head_at(t, i);
		if (n)
			__builtin_prefetch(&t->slots[h->hash & t->mask], 1);
		i = h->newer;
	}
	if (i != NONE)
		track_hint(head_at(t, i), t->entry_bytes);
}

/* What comes after an emptied slot moves up, unless it is where it belongs. */
static void close_gap(struct track_table *t, uint32_t empty)
{
	uint32_t s = empty, home;

	for (;;) {
		s = (s + 1) & t->mask;
		if (!t->slots[s].entry)
			break;
		home = t->slots[s].hash & t->mask;
		if (((s - home) & t->mask) < ((s - empty) & t->mask))
			continue;
		t->slots[empty] = t->slots[s];
		empty = s;
	}
	t->slots[empty] = (struct slot){ 0, 0 };
}

void track_table_remove(struct track_table *t, void *value)
{
	uint32_t i = number_of(t, value);
	struct head *h = head_at(t, i);

	h->used = 0;
	close_gap(t, slot_of_entry(t, i));
	if (t->in_order)
		unlink_use(t, i);
	if (t->last[0] == h)
		t->last[0] = NULL;
	if (t->last[1] == h)
		t->last[1] = NULL;
	h->older = t->free;
	t->free = i;
	t->count--;
}

void track_table_evict(struct track_table *t, void *value)
{
	track_table_remove(t, value);
	t->evicted++;
}

uint64_t track_table_evicted(const struct track_table *t)
{
	return t->evicted;
}

uint32_t track_table_count(const struct track_table *t)
{
	return t->count;
}

uint32_t track_table_room(const struct track_table *t)
{
	return t->room;
}

uint64_t track_table_bytes(const struct track_table *t)
{
	return (uint64_t)t->top * t->entry_bytes + ((uint64_t)t->mask + 1) * sizeof(*t->slots);
}

const void *track_table_key(const struct track_table *t, const void *value)
{
	return key_at(t, number_of(t, value));
}

uint32_t track_table_number(const struct track_table *t, const void *value)
{
	return number_of(t, value);
}

void *track_table_at(const struct track_table *t, uint32_t number)
{
	return value_of(t, number);
}

void *track_table_next(const struct track_table *t, const void *value)
{
	uint32_t i = value ? number_of(t, value) + 1 : 0;

	while (i < t->top && !head_at(t, i)->used)
		i++;
	return i < t->top ? value_of(t, i) : NULL;
}

void *track_table_need(struct track_table *t, const void *key)
{
	uint32_t hash;
	void *value = find(t, key, &hash);

	if (value)
		return value;
	if (track_table_full(t))
		track_table_evict(t, track_table_oldest(t));
	return track_table_add_hashed(t, key, hash);
}
