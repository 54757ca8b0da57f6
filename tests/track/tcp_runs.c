/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * TCP segments to runs: whatever a stream is cut into, and however often and in what order it comes, the bytes are the same;
 * what is kept of it stays within its bounds, and what is missing is said once.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include <track/tcp/stream.h>

#define STREAM 40000

static uint8_t stream[STREAM];
static struct track_tcp_stream s;
static struct track_tcp_memory memory;
static uint64_t frame;
static uint32_t isn;

/* What came out. */
static uint8_t out[12 * STREAM];
static uint64_t n_out, n_missing, n_runs;
static bool conflict;

static void begin(const char *name, uint32_t first)
{
	unsigned int i;

	check_case("%s", name);
	for (i = 0; i < STREAM; i++)
		stream[i] = (uint8_t)(i * 7 + i / 256);
	memset(out, 0, sizeof(out));
	n_out = n_missing = n_runs = frame = 0;
	conflict = false;
	isn = first;
	track_tcp_begin(&s, first, true);
}

static void take(struct track_tcp_read *r)
{
	struct track_tcp_run run;

	while (track_tcp_next(r, &run)) {
		CHECK(run.n);
		CHECK_EQ(run.place, n_out);
		if (run.p && CHECK(n_out + run.n <= sizeof(out)))
			memcpy(out + n_out, run.p, run.n);
		n_missing += run.p ? 0 : run.n;
		n_out += run.n;
		n_runs++;
	}
	conflict |= r->conflict;
	CHECK(memory.used <= TRACK_TCP_KEPT_MAX + 65536 + TRACK_TCP_PIECES_MAX * 64);
}

static enum track_tcp_was put_as(uint32_t at, const uint8_t *p, uint32_t there, uint32_t n,
				 uint8_t flags, bool damaged)
{
	/* In memory of its own, which is no longer there afterwards. */
	uint8_t *bytes = g_malloc(there ? there : 1);
	struct track_tcp_segment segment = { .p = bytes,
					     .n = there,
					     .bytes = n,
					     .seq = isn + at,
					     .flags = flags,
					     .damaged = damaged };
	struct track_tcp_read r;
	enum track_tcp_was was;

	memcpy(bytes, p, there);
	was = track_tcp_read(&r, &s, &memory, &segment, ++frame);
	take(&r);
	g_free(bytes);
	return was;
}

static enum track_tcp_was put(uint32_t at, uint32_t n)
{
	return put_as(at, stream + at, n, n, TRACK_TCP_ACK, false);
}

static void end(uint64_t bytes, uint64_t missing)
{
	struct track_tcp_read r;

	track_tcp_read_rest(&r, &s, &memory);
	take(&r);
	CHECK_EQ(n_out, bytes);
	CHECK_EQ(n_missing, missing);
	if (!missing)
		CHECK(memcmp(out, stream, bytes) == 0);
	track_tcp_end(&s, &memory);
	CHECK_EQ(memory.used, 0);
	check_case("%s", "");
}

static uint32_t seed;

static uint32_t any(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

/* Cut at random; parts of it swapped, doubled, cut otherwise and sent again; over the end of the sequence numbers. */
static void cut(uint32_t round)
{
	struct {
		uint32_t at, n;
	} part[2 * STREAM], swap;
	uint32_t n = 0, at = 0, i, j, most;

	seed = round;
	begin("cut", round % 2 ? 0u - any(STREAM) : any(1u << 24));
	most = 1 + any(round % 3 ? 3000 : 4);
	while (at < STREAM && n < STREAM) {
		part[n].at = at;
		part[n].n = 1 + any(most);
		part[n].n = MIN(part[n].n, STREAM - at);
		at += part[n].n;
		n++;
		if (any(10) == 0) { /* some of it once more, otherwise cut */
			part[n].at = any(at);
			part[n].n = 1 + any(most);
			part[n].n = MIN(part[n].n, STREAM - part[n].at);
			n++;
		}
	}
	for (i = 0; i + 1 < n; i++) {
		j = i + any(round % 5 ? 2 : 8);
		if (j >= n)
			continue;
		swap = part[i];
		part[i] = part[j];
		part[j] = swap;
	}
	for (i = 0; i < n; i++)
		put(part[i].at, part[i].n);
	CHECK(!conflict);
	end(at, 0);
}

static void in_order(void)
{
	begin("in order", 0xfffffff0);
	CHECK_EQ(put(0, 100), TRACK_TCP_NEXT);
	CHECK_EQ(put(100, 100), TRACK_TCP_NEXT);
	CHECK_EQ(memory.used, 0);
	CHECK_EQ(put(100, 100), TRACK_TCP_AGAIN);
	CHECK_EQ(put(199, 1), TRACK_TCP_NOTHING); /* keep-alive */
	CHECK_EQ(put(150, 100), TRACK_TCP_NEXT);
	CHECK_EQ(put_as(250, stream, 0, 0, TRACK_TCP_ACK, false), TRACK_TCP_NOTHING);
	CHECK_EQ(put(250, 1), TRACK_TCP_NEXT); /* a probe of the window */
	CHECK_EQ(put(250, 100), TRACK_TCP_NEXT);
	CHECK(!track_tcp_is_finished(&s));
	CHECK_EQ(put_as(350, stream + 350, 50, 50, TRACK_TCP_ACK | TRACK_TCP_FIN, false),
		 TRACK_TCP_NEXT);
	CHECK(track_tcp_is_finished(&s));
	end(400, 0);
}

static void hole(void)
{
	begin("a hole that is filled", 1);
	put(0, 100);
	CHECK_EQ(put(200, 100), TRACK_TCP_AHEAD);
	CHECK_EQ(put(250, 100), TRACK_TCP_AHEAD);
	CHECK_EQ(put(250, 100), TRACK_TCP_AGAIN);
	CHECK_EQ(n_out, 100);
	CHECK_EQ(put(150, 50), TRACK_TCP_FILLS);
	CHECK_EQ(n_out, 100);
	CHECK_EQ(put(90, 70), TRACK_TCP_FILLS);
	CHECK_EQ(n_out, 350);
	end(350, 0);
}

static void first_copy(void)
{
	uint8_t other[300];

	begin("the first copy wins", 1);
	memset(other, 0xee, sizeof(other));
	put(0, 100);
	put(200, 100);
	CHECK(!conflict);
	put_as(100, other, 300, 300, TRACK_TCP_ACK, false);
	CHECK(conflict);
	CHECK_EQ(n_out, 400);
	CHECK(memcmp(out + 200, stream + 200, 100) == 0);
	CHECK(memcmp(out + 100, other, 100) == 0);
	CHECK(memcmp(out + 300, other, 100) == 0);
	track_tcp_end(&s, &memory);
	check_case("%s", "");
}

/* Where the other end acknowledges them, bytes were not lost by the network: they do not come any more. */
static void acknowledged(void)
{
	unsigned int i;

	begin("acknowledged and not there", 1);
	put(0, 100);
	put(200, 10);
	track_tcp_acknowledged(&s, isn + 210);
	for (i = 1; i <= TRACK_TCP_PATIENCE; i++) {
		CHECK_EQ(n_out, 100);
		put(200 + 10 * i, 10);
	}
	CHECK_EQ(n_out, 210 + 10 * TRACK_TCP_PATIENCE);
	CHECK_EQ(n_missing, 100);
	CHECK_EQ(put(100, 100), TRACK_TCP_AGAIN);
	end(210 + 10 * TRACK_TCP_PATIENCE, 100);
}

static void not_acknowledged(void)
{
	unsigned int i;

	begin("not acknowledged", 1);
	put(0, 100);
	for (i = 0; i < 10 * TRACK_TCP_PATIENCE; i++)
		put(200 + 10 * i, 10);
	CHECK_EQ(n_out, 100);
	put(100, 100);
	end(200 + 100 * TRACK_TCP_PATIENCE, 0);
}

/* Where frames are cut, what was cut off does not come. */
static void sliced(void)
{
	begin("cut by the snap length", 1);
	put_as(0, stream, 60, 100, TRACK_TCP_ACK, false);
	CHECK_EQ(n_out, 100);
	CHECK_EQ(n_missing, 40);
	put_as(200, stream + 200, 60, 100, TRACK_TCP_ACK, false);
	put_as(100, stream + 100, 0, 100, TRACK_TCP_ACK, false);
	CHECK(memcmp(out + 200, stream + 200, 60) == 0);
	end(300, 180);
}

static void damaged(void)
{
	unsigned int i;

	begin("a wrong checksum", 1);
	put_as(0, stream, 10, 10, TRACK_TCP_ACK,
	       true); /* none is right yet: an adapter makes them */
	CHECK_EQ(n_out, 10);
	for (i = 1; i < 10; i++)
		put(10 * i, 10);
	CHECK_EQ(put_as(100, stream, 10, 10, TRACK_TCP_ACK, true), TRACK_TCP_DAMAGED);
	CHECK_EQ(n_out, 100);
	CHECK_EQ(put(100, 10), TRACK_TCP_NEXT);
	for (i = 0; i < 10; i++) /* most are wrong */
		put_as(110 + 10 * i, stream + 110 + (size_t)10 * i, 10, 10, TRACK_TCP_ACK, true);
	CHECK(n_out > 110);
	track_tcp_end(&s, &memory);
	check_case("%s", "");
}

/* A hole that never closes, with one byte a segment after it, every second one. */
static void bounded(void)
{
	unsigned int i;

	begin("bytes after a hole", 1);
	for (i = 0; i < STREAM / 2; i++)
		put(2 * i + 1, 1);
	CHECK(n_missing > 0);
	end(STREAM, STREAM / 2);
	begin("too much after a hole", 1);
	for (i = 0; i < 20; i++)
		put_as(20000 * (i + 1), stream, 20000, 20000, TRACK_TCP_ACK, false);
	CHECK(n_out > 20000);
	track_tcp_end(&s, &memory);
	CHECK_EQ(memory.used, 0);
	check_case("%s", "");
}

int main(int argc, char **argv)
{
	uint32_t rounds = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 200, i;

	in_order();
	hole();
	first_copy();
	acknowledged();
	not_acknowledged();
	sliced();
	damaged();
	bounded();
	for (i = 0; i < rounds; i++)
		cut(i);
	return check_end();
}
