/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spans.h - intervals of time without progress, in which no moment counts twice. */
#ifndef PL_SPANS_H
#define PL_SPANS_H

#include <stdint.h>

#include <glib.h>

/* The @ns before @end_ns; none if that is 0. *spans is NULL before the first one. */
void pl_spans_add(GArray **spans, uint64_t end_ns, uint64_t ns);

/* How long they are together: one may begin before the one before it ends, or before it begins. NULL: 0. */
uint64_t pl_spans_ns(GArray *spans);

void pl_spans_free(GArray *spans); /* NULL is fine */

#endif /* PL_SPANS_H */
