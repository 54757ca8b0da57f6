/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * held.c - how much memory the reassembly of messages has.
 *
 * The linker puts these functions in the place of those that the plugin calls (--wrap): what is asked for while
 * a packet is put to its message counts, until it is freed.
 */
#include <epan/packet.h>

#include "held.h"
#include "track/track.h"

struct iw_frame;

#define WRAPPED(type, function, ...)                                                               \
	type __real_##function(__VA_ARGS__);                                                       \
	WS_DLL_PUBLIC type __wrap_##function(                                                      \
		__VA_ARGS__); /* libwireshark calls most of them, too */                           \
	type __wrap_##function(__VA_ARGS__)

static GHashTable *sizes; /* pointer -> bytes */
static uint64_t now, most;
static bool inside;

void held_begin(void)
{
	if (!sizes)
		sizes = g_hash_table_new(g_direct_hash, g_direct_equal);
	g_hash_table_remove_all(sizes);
	now = most = 0;
}

uint64_t held_most(void)
{
	return most;
}

static void forget(const void *p)
{
	if (!p || !sizes)
		return;
	now -= GPOINTER_TO_SIZE(g_hash_table_lookup(sizes, p));
	g_hash_table_remove(sizes, p);
}

static void *hold(void *p, size_t bytes)
{
	if (!inside || !p || !sizes)
		return p;
	g_hash_table_insert(sizes, p, GSIZE_TO_POINTER(bytes));
	now += bytes;
	most = MAX(most, now);
	return p;
}

WRAPPED(void *, wmem_alloc, wmem_allocator_t *scope, const size_t bytes)
{
	return hold(__real_wmem_alloc(scope, bytes), bytes);
}

WRAPPED(void *, wmem_alloc0, wmem_allocator_t *scope, const size_t bytes)
{
	return hold(__real_wmem_alloc0(scope, bytes), bytes);
}

WRAPPED(void *, wmem_memdup, wmem_allocator_t *scope, const void *from, const size_t bytes)
{
	return hold(__real_wmem_memdup(scope, from, bytes), bytes);
}

WRAPPED(void *, wmem_realloc, wmem_allocator_t *scope, void *p, const size_t bytes)
{
	forget(p);
	return hold(__real_wmem_realloc(scope, p, bytes), bytes);
}

WRAPPED(void, wmem_free, wmem_allocator_t *scope, void *p)
{
	forget(p);
	__real_wmem_free(scope, p);
}

WRAPPED(void, iw_reassemble_packet, const struct track *trackers, struct iw_frame *frame,
	packet_info *pinfo)
{
	inside = true;
	__real_iw_reassemble_packet(trackers, frame, pinfo);
	inside = false;
}
