/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * guard.h - buffers between two pages that must not be touched (POSIX).
 *
 * guard_tail() places bytes so that the first one after them faults,
 * guard_head() so that the last one before them does: a read or write one
 * byte too far ends the program, with or without a sanitizer.
 */
#ifndef TESTS_GUARD_H
#define TESTS_GUARD_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct guard {
	uint8_t *map; /* PROT_NONE page, capacity rounded up to pages, PROT_NONE page */
	size_t page;
	size_t room; /* bytes between the two */
};

/* Room for @capacity bytes; ends the test if there is no memory. */
static inline struct guard guard_open(size_t capacity)
{
	struct guard g = { .page = (size_t)sysconf(_SC_PAGESIZE) };

	g.room = (capacity / g.page + 1) * g.page;
	g.map = mmap(NULL, g.room + 2 * g.page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (g.map == MAP_FAILED || mprotect(g.map + g.page, g.room, PROT_READ | PROT_WRITE)) {
		perror("guard_open");
		exit(1);
	}
	return g;
}

static inline void guard_close(struct guard *g)
{
	munmap(g->map, g->room + 2 * g->page);
	g->map = NULL;
}

/* Where @len bytes (at most the capacity) end at the page after them. */
static inline uint8_t *guard_tail_room(struct guard *g, size_t len)
{
	if (len > g->room) {
		fprintf(stderr, "guard: %zu bytes do not fit %zu\n", len, g->room);
		exit(1);
	}
	return g->map + g->page + g->room - len;
}

/* A copy of @data that ends at the page after it. */
static inline uint8_t *guard_tail(struct guard *g, const void *data, size_t len)
{
	uint8_t *p = guard_tail_room(g, len);

	if (len)
		memcpy(p, data, len);
	return p;
}

/* A copy of @data that starts at the page before it. */
static inline uint8_t *guard_head(struct guard *g, const void *data, size_t len)
{
	uint8_t *p = g->map + g->page;

	guard_tail_room(g, len);
	if (len)
		memcpy(p, data, len);
	return p;
}

#endif /* TESTS_GUARD_H */
