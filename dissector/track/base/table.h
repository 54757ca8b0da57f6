/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - a hash table of bounded size, for state between packets.
 *
 * Keys and values have fixed sizes and are compared as bytes, so keys must have no padding. A sender of packets
 * cannot choose keys that collide: the hash has random factors of its own (multilinear). The number of entries is
 * limited; when another entry needs room, track_table_need() evicts the least recently used one, or the caller
 * evicts it.
 *
 * All tables share one memory limit: when it is used up, a table is full before it has @max entries, but never with
 * fewer than TRACK_TABLE_LEAST.
 *
 * Entries are numbered, and values stay where they are until the next one is added.
 */
#ifndef IBWIRE_TRACK_TABLE_H
#define IBWIRE_TRACK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct track_table;

/*
 * A table for at most @max entries (1 to 2^31) with keys and values of these sizes. Never NULL:
 * GLib aborts without memory.
 */
struct track_table *track_table_new(uint32_t key_bytes, uint32_t value_bytes, uint32_t max);
/* A table whose memory the caller accounts for. */
struct track_table *track_table_new_apart(uint32_t key_bytes, uint32_t value_bytes, uint32_t max);
void track_table_free(struct track_table *t); /* NULL is fine */

/*
 * The memory limit of all tables of this process, from now on, and their use, except for those that
 * the caller accounts for.
 */
#define TRACK_TABLE_LEAST 64u
void track_tables_limit(uint64_t bytes);
uint64_t track_tables_max(void);
uint64_t track_tables_bytes(void);

/* The value kept under @key, which counts as used now; NULL: there is none. */
void *track_table_get(struct track_table *t, const void *key);

/* The same; where there is none, *@hash gets what track_table_add_hashed() is given to add it. */
void *track_table_find(struct track_table *t, const void *key, uint32_t *hash);

/*
 * The same in two steps for many keys: the first step fetches all @n of them into the cache and
 * leaves their hashes, the second finds one by its hash. @guess: the likely value of each; NULL:
 * none.
 */
#define TRACK_TABLE_AHEAD 64
void track_table_ahead(const struct track_table *t, const void *const keys[], uint32_t hashes[],
		       void *guess[], unsigned int n);
void *track_table_get_hashed(struct track_table *t, const void *key, uint32_t hash);

/* @value counts as used now, as after a look-up. */
void track_table_used(struct track_table *t, const void *value);

/* Adds a value, all bytes 0, under @key, which must be new. There must be room. */
void *track_table_add(struct track_table *t, const void *key);
void *track_table_add_hashed(struct track_table *t, const void *key, uint32_t hash);

/*
 * The value under @key; if there is none, adds one, and evicts the least recently used one if necessary.
 */
void *track_table_need(struct track_table *t, const void *key);

/* Whether the table is full. */
bool track_table_full(const struct track_table *t);

/* The least recently used value; NULL: the table is empty. */
void *track_table_oldest(struct track_table *t);

/*
 * The next oldest values: @next[0] the first; NULL: there is none. It also fetches the one after them into the
 * cache (ahead.h); earlier calls have fetched these.
 */
#define TRACK_TABLE_NEXT 3
void track_table_oldest_ahead(struct track_table *t, void *next[TRACK_TABLE_NEXT]);

/* Removes @value; the second function counts it as evicted. */
void track_table_remove(struct track_table *t, void *value);
void track_table_evict(struct track_table *t, void *value);

/* How many were evicted. */
uint64_t track_table_evicted(const struct track_table *t);

/*
 * The number of entries, and the number for which memory is allocated: when that grows, values move. The
 * key of a value.
 */
uint32_t track_table_count(const struct track_table *t);
uint32_t track_table_room(const struct track_table *t);

/* The memory of the entries in use, with their slots. */
uint64_t track_table_bytes(const struct track_table *t);
const void *track_table_key(const struct track_table *t, const void *value);

/* The number of an entry, and the entry of a number: fixed until the entry is removed. */
uint32_t track_table_number(const struct track_table *t, const void *value);
void *track_table_at(const struct track_table *t, uint32_t number);

/*
 * All values, in the order of their addition as long as none was removed: for (v = NULL; (v =
 * track_table_next(t, v));)
 */
void *track_table_next(const struct track_table *t, const void *value);

#endif /* IBWIRE_TRACK_TABLE_H */
