/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interrupt.c - makes SIGINT and SIGTERM an end of input. */
#include <poll.h>
#include <stddef.h>
#include <sys/stat.h>
#include <time.h>

#include "interrupt.h"

volatile sig_atomic_t pl_interrupt_signal;

/* Of a pipe, after the signal. */
#define REST_MS 1000

static struct timespec signalled_at; /* written once, by the handler */

static const int signals[] = { SIGINT, SIGTERM };

#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static void caught(int signal)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	size_t i;

	clock_gettime(CLOCK_MONOTONIC, &signalled_at);
	pl_interrupt_signal = signal;
	for (i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &action, NULL);
}

void pl_interrupt_catch(void)
{
	/* Restarting, so that no write is cut short; of waiting, poll() never starts again. */
	struct sigaction action = { .sa_handler = caught, .sa_flags = SA_RESTART }, before;
	size_t i;

	for (i = 0; i < SIGNALS; i++)
		if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}

/* Milliseconds that are left for the rest of a pipe. */
static int left_ms(void)
{
	struct timespec now;
	long long ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (long long)(now.tv_sec - signalled_at.tv_sec) * 1000 +
	     (now.tv_nsec - signalled_at.tv_nsec) / 1000000;
	return ms < REST_MS ? REST_MS - (int)ms : 0;
}

bool pl_interrupt_ends(bool live)
{
	return !live || !left_ms();
}

bool pl_interrupt_rest(int fd)
{
	struct pollfd input = { .fd = fd, .events = POLLIN };
	struct stat st;
	int ms = left_ms();

	if (!ms || fstat(fd, &st) || S_ISREG(st.st_mode))
		return false;
	return poll(&input, 1, ms) > 0;
}

/* A signal that comes after the last look and before poll() would otherwise not end it. */
void pl_interrupt_wait(int fd, int ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000L };
	struct pollfd input = { .fd = fd, .events = POLLIN };
	sigset_t ours, before;
	size_t i;

	sigemptyset(&ours);
	for (i = 0; i < SIGNALS; i++)
		sigaddset(&ours, signals[i]);
	sigprocmask(SIG_BLOCK, &ours, &before);
	if (!pl_interrupted())
		ppoll(&input, 1, ms < 0 ? NULL : &time, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void pl_interrupt_end(void)
{
	raise((int)pl_interrupt_signal);
}
