/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* held.h - how much memory the reassembly of messages has, by what it asks wmem for: held.c. */
#ifndef FUZZ_HELD_H
#define FUZZ_HELD_H

#include <stdint.h>

void held_begin(void);    /* a file is opened */
uint64_t held_most(void); /* bytes at once since then */

#endif /* FUZZ_HELD_H */
