/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spans.c - computes the union of time intervals. */
#include "spans.h"

struct span {
	uint64_t from, end; /* ns */
};

void pl_spans_add(GArray **spans, uint64_t end_ns, uint64_t ns)
{
	const struct span span = { end_ns - ns, end_ns };

	if (!ns)
		return;
	if (!*spans)
		*spans = g_array_new(FALSE, FALSE, sizeof(span));
	g_array_append_val(*spans, span);
}

static int by_begin(const void *a, const void *b)
{
	const struct span *one = a, *other = b;

	return one->from < other->from ? -1 : one->from > other->from;
}

uint64_t pl_spans_ns(GArray *spans)
{
	uint64_t ns = 0, until = 0;
	unsigned int i;

	if (!spans)
		return 0;
	g_array_sort(spans, by_begin);
	for (i = 0; i < spans->len; i++) {
		const struct span *span = &g_array_index(spans, struct span, i);

		ns += span->end > until ? span->end - MAX(span->from, until) : 0;
		until = MAX(until, span->end);
	}
	return ns;
}

void pl_spans_free(GArray *spans)
{
	if (spans)
		g_array_unref(spans);
}
