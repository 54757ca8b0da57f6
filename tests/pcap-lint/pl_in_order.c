/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pl_in_order(): pieces are read and taken one at a time and in order, each once and prepared in between, by any number of
 * threads; it ends with the last one, or with the one after which no more is wanted.
 */
#include <sched.h>
#include <stdatomic.h>

#include "check.h"
#include "random.h"
#include <pcap-lint/run/in_order.h>

#define PIECES 2000u
#define NOT_PREPARED UINT32_MAX

struct pieces {
	unsigned int n;    /* that there are */
	unsigned int stop; /* no more is wanted after so many */
	unsigned int read, taken;
	uint32_t number[PL_PLACES(PL_THREADS_MAX)];   /* of the piece in each place */
	uint32_t prepared[PL_PLACES(PL_THREADS_MAX)]; /* likewise */
	uint32_t breaks; /* which threads give way to others, and when */
	atomic_int reading, taking, preparing;
	atomic_uint faults;
};

static void expect(struct pieces *p, bool right)
{
	if (!right)
		atomic_fetch_add(&p->faults, 1);
}

static void give_way(const struct pieces *p, uint32_t number)
{
	if ((p->breaks >> number % 29 & 7) == 0)
		sched_yield();
}

static bool read_piece(void *user, unsigned int place)
{
	struct pieces *p = user;

	expect(p, atomic_fetch_add(&p->reading, 1) == 0);
	p->number[place] = p->read++;
	p->prepared[place] = NOT_PREPARED;
	give_way(p, p->read);
	atomic_fetch_sub(&p->reading, 1);
	return p->read < p->n;
}

static void prepare_piece(void *user, unsigned int place)
{
	struct pieces *p = user;

	atomic_fetch_add(&p->preparing, 1);
	give_way(p, p->number[place] * 7);
	p->prepared[place] = p->number[place];
	atomic_fetch_sub(&p->preparing, 1);
}

static bool take_piece(void *user, unsigned int place)
{
	struct pieces *p = user;

	expect(p, atomic_fetch_add(&p->taking, 1) == 0);
	expect(p, p->number[place] == p->taken && p->prepared[place] == p->taken);
	p->taken++;
	give_way(p, p->taken * 3);
	atomic_fetch_sub(&p->taking, 1);
	return p->taken < p->stop;
}

static void check_pieces(unsigned int threads, unsigned int n, unsigned int stop)
{
	static struct pieces p;
	const struct pl_in_order work = { threads, read_piece, prepare_piece, take_piece, &p };

	memset(&p, 0, sizeof(p));
	p.n = n;
	p.stop = stop;
	p.breaks = (uint32_t)next_random();
	pl_in_order(&work);
	CHECK(p.faults == 0);
	CHECK(p.preparing == 0 && p.reading == 0 && p.taking == 0);
	CHECK(p.taken == (n < stop ? n : stop));
	CHECK(p.read >= p.taken && p.read <= n);
}

int main(void)
{
	static const unsigned int threads[] = { 1, 2, 3, 8, PL_THREADS_MAX, PL_THREADS_MAX + 9 };
	unsigned int i;

	for (i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		check_pieces(threads[i], PIECES, PIECES + 1);
		check_pieces(threads[i], PIECES, 1 + (unsigned int)(next_random() % PIECES));
		check_pieces(threads[i], 1, 2);
		check_pieces(threads[i], 1, 1);
	}
	return check_end();
}
