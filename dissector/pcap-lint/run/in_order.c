/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * in_order.c - threads that read, prepare and take a series of pieces.
 *
 * The threads are those of POSIX, not of GLib: ThreadSanitizer knows them.
 */
#include <glib.h>
#include <pthread.h>
#include <stdint.h>

#include "in_order.h"

#define PLACES_MAX PL_PLACES(PL_THREADS_MAX)

struct order {
	const struct pl_in_order *work;
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t changed;
	unsigned int places;
	unsigned int free[PLACES_MAX], n_free;
	unsigned int at[PLACES_MAX]; /* the place of piece number n, at n % places */
	bool ready[PLACES_MAX];      /* likewise: it is prepared */
	uint64_t n_read, n_taken;    /* pieces */
	bool reading, taking;        /* a thread is */
	bool ended;                  /* there is nothing more to be read */
	bool stopped;                /* no more is wanted */
};

static bool can_take(const struct order *o)
{
	return !o->taking && o->n_taken < o->n_read && o->ready[o->n_taken % o->places];
}

static bool can_read(const struct order *o)
{
	return !o->reading && !o->ended && o->n_free;
}

static bool is_over(const struct order *o)
{
	return o->stopped || (o->ended && o->n_taken == o->n_read);
}

static void take(struct order *o)
{
	const unsigned int n = (unsigned int)(o->n_taken % o->places), place = o->at[n];
	bool more;

	o->taking = true;
	pthread_mutex_unlock(&o->lock);
	more = o->work->take(o->work->user, place);
	pthread_mutex_lock(&o->lock);
	o->taking = false;
	o->ready[n] = false;
	o->free[o->n_free++] = place;
	o->n_taken++;
	o->stopped |= !more;
}

static void read_and_prepare(struct order *o)
{
	const unsigned int place = o->free[--o->n_free];
	unsigned int n;
	bool more;

	o->reading = true;
	pthread_mutex_unlock(&o->lock);
	more = o->work->read(o->work->user, place);
	pthread_mutex_lock(&o->lock);
	o->reading = false;
	o->ended |= !more;
	n = (unsigned int)(o->n_read++ % o->places);
	o->at[n] = place;
	pthread_cond_broadcast(&o->changed); /* somebody else may read on */
	pthread_mutex_unlock(&o->lock);
	o->work->prepare(o->work->user, place);
	pthread_mutex_lock(&o->lock);
	o->ready[n] = true;
}

/* What one thread does until nothing is left. */
static void *work(void *order)
{
	struct order *o = order;

	pthread_mutex_lock(&o->lock);
	while (!is_over(o)) {
		if (can_take(o)) {
			take(o);
		} else if (can_read(o)) {
			read_and_prepare(o);
		} else {
			pthread_cond_wait(&o->changed, &o->lock);
			continue;
		}
		pthread_cond_broadcast(&o->changed);
	}
	pthread_mutex_unlock(&o->lock);
	return NULL;
}

void pl_in_order(const struct pl_in_order *in_order)
{
	struct order o = { .work = in_order,
			   .lock = PTHREAD_MUTEX_INITIALIZER,
			   .changed = PTHREAD_COND_INITIALIZER,
			   .places = PL_PLACES(MIN(in_order->threads, PL_THREADS_MAX)) };
	pthread_t thread[PL_THREADS_MAX];
	unsigned int n = 0;

	while (o.n_free < o.places) {
		o.free[o.n_free] = o.n_free;
		o.n_free++;
	}
	while (n + 1 < MIN(in_order->threads, PL_THREADS_MAX) &&
	       pthread_create(&thread[n], NULL, work, &o) == 0)
		n++;
	work(&o);
	while (n > 0)
		pthread_join(thread[--n], NULL);
	pthread_cond_destroy(&o.changed);
	pthread_mutex_destroy(&o.lock);
}
