/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ahead.c - packets that were read before it is known what they are. */
#include <glib.h>

#include "ahead.h"

struct capture_ahead {
	GArray *kept;      /* struct capture_kept; packet.data is NULL */
	GByteArray *bytes; /* of all, one after the other */
	unsigned int next;
	size_t next_at; /* where its bytes begin */
};

struct capture_ahead *capture_ahead_new(void)
{
	struct capture_ahead *a = g_new0(struct capture_ahead, 1);

	a->kept = g_array_new(FALSE, FALSE, sizeof(struct capture_kept));
	a->bytes = g_byte_array_new();
	return a;
}

void capture_ahead_free(struct capture_ahead *a)
{
	if (!a)
		return;
	g_array_free(a->kept, TRUE);
	g_byte_array_free(a->bytes, TRUE);
	g_free(a);
}

void capture_ahead_add(struct capture_ahead *a, const struct capture_kept *kept)
{
	struct capture_kept copy = *kept;

	copy.packet.data = NULL;
	g_array_append_val(a->kept, copy);
	g_byte_array_append(a->bytes, kept->packet.data, kept->packet.caplen);
}

unsigned int capture_ahead_count(const struct capture_ahead *a)
{
	return a->kept->len;
}

uint64_t capture_ahead_bytes(const struct capture_ahead *a)
{
	return a->bytes->len;
}

const struct capture_kept *capture_ahead_next(struct capture_ahead *a, unsigned int nth)
{
	struct capture_kept *kept = &g_array_index(a->kept, struct capture_kept, a->next);

	if (a->next == a->kept->len || kept->nth != nth)
		return NULL;
	a->next++;
	kept->packet.data = a->bytes->data + a->next_at;
	a->next_at += kept->packet.caplen;
	return kept;
}

void capture_ahead_clear(struct capture_ahead *a)
{
	g_array_set_size(a->kept, 0);
	g_byte_array_set_size(a->bytes, 0);
	a->next = 0;
	a->next_at = 0;
}
