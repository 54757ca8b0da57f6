/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interrupt.c - SIGINT and SIGTERM are an end of input. */
#include <poll.h>
#include <stddef.h>

#include "interrupt.h"

volatile sig_atomic_t pl_interrupt_signal;

static const int signals[] = { SIGINT, SIGTERM };

#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static void caught(int signal)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	size_t i;

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

/* A signal that comes after the last look and before poll() would otherwise not end it. */
void pl_interrupt_wait(int fd)
{
	struct pollfd input = { .fd = fd, .events = POLLIN };
	sigset_t ours, before;
	size_t i;

	sigemptyset(&ours);
	for (i = 0; i < SIGNALS; i++)
		sigaddset(&ours, signals[i]);
	sigprocmask(SIG_BLOCK, &ours, &before);
	if (!pl_interrupted())
		ppoll(&input, 1, NULL, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void pl_interrupt_end(void)
{
	raise((int)pl_interrupt_signal);
}
