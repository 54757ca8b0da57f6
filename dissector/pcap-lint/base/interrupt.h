/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupt.h - makes SIGINT and SIGTERM an end of input: what has been read is reported, outputs are completed, and then
 * the signal takes effect. A second signal takes effect at once.
 *
 * A pipe is read on until its writer closes it, for a second at most: a shell sends the signal to both, and the writer may
 * have some packets left.
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

/* After a signal, whether nothing more is read: of a pipe, or another input that is live, not before its time is over. */
bool pl_interrupt_ends(bool live);

/* After a signal: waits for the rest of what is in @fd; false: it is no pipe, or its time is over. */
bool pl_interrupt_rest(int fd);

/* Waits until @fd can be read, a signal has come, or so many milliseconds have gone; -1: however long. */
void pl_interrupt_wait(int fd, int ms);

/* The signal has its effect. */
void pl_interrupt_end(void);

#endif /* PL_INTERRUPT_H */
