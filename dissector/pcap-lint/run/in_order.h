/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * in_order.h - threads that read, prepare and take a series of pieces, such as the chunks of a capture.
 *
 *	read	one thread at a time, in order
 *	prepare	any number of threads at a time, in any order
 *	take	one thread at a time, in the order of reading
 *
 * Each thread takes the next piece if that is prepared, else it reads and prepares one, else it waits. take() needs no lock
 * for what it changes, and sees the pieces as a single thread would.
 */
#ifndef PL_IN_ORDER_H
#define PL_IN_ORDER_H

#include <stdbool.h>

#include "pcap-lint/options/options.h"

/* Places for pieces: each of @threads works on one at most; the others are read ahead or wait to be taken. */
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
