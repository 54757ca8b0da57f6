/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wrap.h - breaks long lines on a terminal between words, and indents the rest. In a file or a pipe a line stays one
 * line, for grep, editors and programs.
 */
#ifndef PL_WRAP_H
#define PL_WRAP_H

#include "output.h"

/* No line is longer, however wide the terminal is: longer ones are hard to read. */
#define PL_WRAP_MAX 100u
/* A narrower terminal is taken to have so many columns. */
#define PL_WRAP_MIN 40u

/* The columns of lines on the terminal at @fd; 0: it is none. */
unsigned int pl_wrap_columns(int fd);

/* What was written to @output since its next character was at @from, as lines of output->columns; nothing if that is 0. */
void pl_wrap(struct pl_output *output, const char *from);

#endif /* PL_WRAP_H */
