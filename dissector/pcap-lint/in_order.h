/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * in_order.h - several threads on a run of pieces that are read, and taken, one after the other.
 *
 * What lies between, to prepare a piece, is done for several of them at a time. Whoever finds that the next piece is ready
 * takes it, so the order is that of one thread: everything that take() changes needs no lock.
 *
 *	reading		one thread at a time, piece after piece
 *	preparing	any number of threads
 *	taking		one thread at a time, piece after piece, none left out
 */
#ifndef PL_IN_ORDER_H
#define PL_IN_ORDER_H

#include <stdbool.h>

/* Threads at most. */
#define PL_THREADS_MAX 64u

/* Places for pieces: of @threads each can hold one, and so many wait for their turn or are read ahead. */
#define PL_PLACES(threads) (2 * (threads) + 1)

struct pl_in_order {
	unsigned int threads;
	/* Fills place @i; false: nothing comes after it. */
	bool (*read)(void *user, unsigned int i);
	void (*prepare)(void *user, unsigned int i);
	/* False: no more is wanted. */
	bool (*take)(void *user, unsigned int i);
	void *user;
};

/*
 * Returns when all is taken, or no more is wanted; the calling thread is one of the threads. Where the system refuses
 * others, those that it grants do the work.
 */
void pl_in_order(const struct pl_in_order *work);

#endif /* PL_IN_ORDER_H */
