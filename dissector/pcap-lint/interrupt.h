/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupt.h - SIGINT and SIGTERM are an end of input: what has been read is reported, outputs are
 * completed, and then the signal has its effect. The second one has it at once.
 */
#ifndef PL_INTERRUPT_H
#define PL_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/* From now on; not those that were ignored before. */
void pl_interrupt_catch(void);

/* Which signal came; 0: none. */
extern volatile sig_atomic_t pl_interrupt_signal;

static inline bool pl_interrupted(void)
{
	return pl_interrupt_signal != 0;
}

/* Waits until @fd can be read or a signal has come. */
void pl_interrupt_wait(int fd);

/* The signal has its effect. */
void pl_interrupt_end(void);

#endif /* PL_INTERRUPT_H */
