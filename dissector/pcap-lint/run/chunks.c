/* SPDX-License-Identifier: GPL-2.0-or-later */
/* chunks.c - reads a capture in chunks of packets. */
#include <stdlib.h>

#include "chunks.h"
#include "pcap-lint/base/interrupt.h"

/* Bytes that packets of chunks lie in; who refers to it counts: the reader, and each chunk. */
struct pl_window {
	int refs;
	uint8_t *bytes; /* NULL: the capture's own, which is used but once */
};

struct pl_chunks {
	struct capture *cap;
	struct pl_chunk *chunk;
	unsigned int places;
	unsigned int packets; /* of a chunk at most */
	struct pl_window *window;
	unsigned int n_windows;
	struct pl_window *now; /* that is read into */
	bool holds;            /* what begins the next chunk: it lies in another window */
	struct pl_item held;
	uint64_t *speeds;
	unsigned int n_speeds;
};

/* Tests make chunks of other sizes: what is found does not depend on them. */
static unsigned int packets_of_chunk(void)
{
	const char *said = g_getenv("IBW_TEST_CHUNK");
	guint64 n;

	return said && g_ascii_string_to_unsigned(said, 10, 1, PL_CHUNK_PACKETS, &n, NULL)
		       ? (unsigned int)n
		       : PL_CHUNK_PACKETS;
}

/* One that nobody refers to any more. There is one: each chunk refers to one at most, as does the reader. */
static uint8_t *next_window(void *user)
{
	struct pl_chunks *c = user;
	struct pl_window *w = c->now;

	if (w->bytes && g_atomic_int_get(&w->refs) == 1)
		return w->bytes;
	g_atomic_int_add(&w->refs, -1);
	for (w = c->window + 1; g_atomic_int_get(&w->refs); w++)
		g_assert(w + 1 < c->window + c->n_windows);
	if (!w->bytes)
		w->bytes = g_malloc(CAPTURE_WINDOW);
	g_atomic_int_set(&w->refs, 1);
	c->now = w;
	return w->bytes;
}

/* Before each read: a signal ends the file, which is no pipe. Threads may ask at any time. */
static bool goes_on(void *user, int fd)
{
	(void)user;
	(void)fd;
	return !pl_interrupted();
}

struct pl_chunks *pl_chunks_new(struct capture *cap, unsigned int places)
{
	struct pl_chunks *c = g_new0(struct pl_chunks, 1);

	c->cap = cap;
	c->places = places;
	c->packets = packets_of_chunk();
	c->chunk = g_new0(struct pl_chunk, places);
	c->n_windows = places +
		       3; /* the capture's own, one of each chunk, the reader's, and the next one */
	c->window = g_new0(struct pl_window, c->n_windows);
	c->now = c->window;
	c->now->refs = 1;
	c->speeds = g_new0(uint64_t, CAPTURE_INTERFACES_MAX);
	capture_windows(cap, next_window, goes_on, c);
	return c;
}

void pl_chunks_free(struct pl_chunks *c)
{
	unsigned int i;

	for (i = 0; i < c->places; i++)
		g_free(c->chunk[i].item);
	for (i = 0; i < c->n_windows; i++)
		g_free(c->window[i].bytes);
	g_free(c->chunk);
	g_free(c->window);
	g_free(c->speeds);
	g_free(c);
}

struct pl_chunk *pl_chunks_at(struct pl_chunks *c, unsigned int place)
{
	return &c->chunk[place];
}

static void know_interfaces(struct pl_chunks *c)
{
	const unsigned int n = MIN(capture_interface_count(c->cap), CAPTURE_INTERFACES_MAX);

	for (; c->n_speeds < n; c->n_speeds++)
		c->speeds[c->n_speeds] = capture_interface(c->cap, c->n_speeds)->speed;
}

/* The next one that is a packet, a fault or the end. */
static void read_item(struct pl_chunks *c, struct pl_item *item)
{
	do
		item->result = (uint8_t)capture_next(c->cap, &item->packet);
	while (item->result == CAPTURE_BLOCK);
	item->has_record = capture_record(c->cap, &item->offset, &item->bytes);
}

/* The first one of a chunk. */
static void begin(struct pl_chunks *c, struct pl_chunk *chunk)
{
	struct pl_item *first = chunk->item;

	if (c->holds)
		*first = c->held;
	else
		read_item(c, first);
	c->holds = false;
	chunk->n = first->result != CAPTURE_END;
	chunk->window = c->now;
	g_atomic_int_inc(&c->now->refs);
}

/* The others; a fault ends it. */
static bool go_on(struct pl_chunks *c, struct pl_chunk *chunk)
{
	struct pl_item *last = &chunk->item[chunk->n - 1];

	while (last->result != CAPTURE_FAULT && chunk->n < c->packets) {
		struct pl_item *item = last + 1;

		read_item(c, item);
		if (item->result == CAPTURE_END)
			return false;
		if (c->now != chunk->window) {
			c->held = *item;
			c->holds = true;
			break;
		}
		last = item;
		chunk->n++;
	}
	return true;
}

bool pl_chunks_read(struct pl_chunks *c, unsigned int place)
{
	struct pl_chunk *chunk = &c->chunk[place];
	bool more;

	if (!chunk->item)
		chunk->item = g_new(struct pl_item, c->packets);
	begin(c, chunk);
	more = chunk->n && go_on(c, chunk);
	if (chunk->n && chunk->item[chunk->n - 1].result == CAPTURE_FAULT)
		chunk->fault = *capture_fault(c->cap); /* nothing was read after it */
	know_interfaces(c);
	chunk->position = capture_position(c->cap);
	chunk->speeds = c->speeds;
	return more;
}

void pl_chunks_done(struct pl_chunks *c, unsigned int place)
{
	g_atomic_int_add(&c->chunk[place].window->refs, -1);
}
