/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - what is remembered between packets: a hash table of bounded size.
 *
 * Keys and values are of fixed sizes and compared as bytes, so keys must have no holes. Nobody
 * who writes packets can choose keys that collide: the hash has a random key of its own
 * (SipHash-1-3). No more than a given number of entries is kept; when a further one needs a
 * place, the one that was not asked for the longest makes room: track_table_need(), or the caller takes leave of it.
 *
 * All tables together take no more than they may, as far as they ask: where that is used up, a table is full before
 * it has @max entries, but never with fewer than TRACK_TABLE_LEAST.
 *
 * Entries are numbered, and values stay where they are until the next one is added.
 */
#ifndef IBWIRE_TRACK_TABLE_H
#define IBWIRE_TRACK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct track_table;

/* For at most @max entries (1 to 2^31) of so many bytes. Never NULL: GLib aborts without memory. */
struct track_table *track_table_new(uint32_t key_bytes, uint32_t value_bytes, uint32_t max);
/* One whose entries are counted by the caller. */
struct track_table *track_table_new_apart(uint32_t key_bytes, uint32_t value_bytes, uint32_t max);
void track_table_free(struct track_table *t); /* NULL is fine */

/* What all tables of this process but those apart may take, from now on, and what they do. */
#define TRACK_TABLE_LEAST 64u
void track_tables_limit(uint64_t bytes);
uint64_t track_tables_max(void);
uint64_t track_tables_bytes(void);

/* The value kept under @key, which counts as used now; NULL: there is none. */
void *track_table_get(struct track_table *t, const void *key);

/*
 * The same in two steps, where many are asked for: to see to it that all @n of them are at hand,
 * then to ask for one after the other, by the hash that the first step leaves. @guess: what is likely
 * the value of each; NULL: there is none.
 */
#define TRACK_TABLE_AHEAD 64
void track_table_ahead(const struct track_table *t, const void *const keys[], uint32_t hashes[],
		       void *guess[], unsigned int n);
void *track_table_get_hashed(struct track_table *t, const void *key, uint32_t hash);

/* @value counts as used now, as if it had been asked for. */
void track_table_used(struct track_table *t, const void *value);

/* A new value, all bytes 0, under @key, which has none yet. There must be room. */
void *track_table_add(struct track_table *t, const void *key);
void *track_table_add_hashed(struct track_table *t, const void *key, uint32_t hash);

/* The value under @key; where there is none a new one, for which the one used longest ago makes room. */
void *track_table_need(struct track_table *t, const void *key);

/* Whether there are as many entries as there may be. */
bool track_table_full(const struct track_table *t);

/* The value used longest ago; NULL: the table is empty. */
void *track_table_oldest(struct track_table *t);

/*
 * The ones that are the oldest next, before that is asked for: @next[0] the first; NULL: there is none. The one
 * after them is asked for, as it is in no cache (ahead.h); these were by calls before.
 */
#define TRACK_TABLE_NEXT 3
void track_table_oldest_ahead(struct track_table *t, void *next[TRACK_TABLE_NEXT]);

/* Takes @value out; the second one counts it as lost for want of room. */
void track_table_remove(struct track_table *t, void *value);
void track_table_evict(struct track_table *t, void *value);

/* How many were evicted. */
uint64_t track_table_evicted(const struct track_table *t);

/* How many entries there are, how many there is memory for: as that grows, values move. The key of one. */
uint32_t track_table_count(const struct track_table *t);
uint32_t track_table_room(const struct track_table *t);

/* What the entries in use take, with their slots. */
uint64_t track_table_bytes(const struct track_table *t);
const void *track_table_key(const struct track_table *t, const void *value);

/* The number of an entry, and the entry of that number: fixed as long as it is not taken out. */
uint32_t track_table_number(const struct track_table *t, const void *value);
void *track_table_at(const struct track_table *t, uint32_t number);

/*
 * All values, in the order they were added as long as none was taken out:
 * for (v = NULL; (v = track_table_next(t, v));)
 */
void *track_table_next(const struct track_table *t, const void *value);

#endif /* IBWIRE_TRACK_TABLE_H */
