/* SPDX-License-Identifier: GPL-2.0-or-later */
/* copies.c - finds out, by a first reading of a capture, which of its frames are copies: one bit a frame. */
#include <glib.h>

#include "copies.h"

/* A packet of which it is not decided. */
struct open_one {
	uint64_t frame;
	uint32_t ticket;
};

struct pl_copies {
	struct track_twice *twice;
	GArray *open;     /* struct open_one */
	GByteArray *bits; /* by frame; those after the end are 0 */
};

struct pl_copies *pl_copies_new(void)
{
	struct pl_copies *c = g_new0(struct pl_copies, 1);

	c->twice = track_twice_new();
	c->open = g_array_new(FALSE, FALSE, sizeof(struct open_one));
	c->bits = g_byte_array_new();
	return c;
}

void pl_copies_free(struct pl_copies *c)
{
	if (!c)
		return;
	track_twice_free(c->twice);
	g_array_free(c->open, TRUE);
	g_byte_array_free(c->bits, TRUE);
	g_free(c);
}

static void add(struct pl_copies *c, uint64_t frame)
{
	static const uint8_t zeros[4096];
	const uint64_t at = frame / 8;

	if (at >= UINT32_MAX)
		return;
	while (c->bits->len <= at)
		g_byte_array_append(c->bits, zeros,
				    (guint)MIN(at + 1 - c->bits->len, sizeof(zeros)));
	c->bits->data[at] = (uint8_t)(c->bits->data[at] | 1u << frame % 8);
}

static void decided(struct pl_copies *c)
{
	const struct open_one *o;
	unsigned int i;

	track_twice_decide(c->twice);
	for (i = 0; i < c->open->len; i++) {
		o = &g_array_index(c->open, struct open_one, i);
		if (track_twice_is_copy(c->twice, o->ticket))
			add(c, o->frame);
	}
	g_array_set_size(c->open, 0);
}

void pl_copies_packet(struct pl_copies *c, struct track_view *view, const struct track_at *at,
		      uint32_t iface)
{
	struct open_one o = { .frame = at->frame };

	switch (track_twice_feed(c->twice, view, at, iface, &o.ticket)) {
	case TRACK_TWICE_NEW:
		break;
	case TRACK_TWICE_COPY:
		add(c, at->frame);
		break;
	case TRACK_TWICE_OPEN:
		g_array_append_val(c->open, o);
		break;
	}
	if (c->open->len && track_twice_is_due(c->twice, c->open->len, 0))
		decided(c);
}

void pl_copies_end(struct pl_copies *c)
{
	if (c->open->len)
		decided(c);
}

bool pl_copies_has(const struct pl_copies *c, uint64_t frame)
{
	return c && frame / 8 < c->bits->len && c->bits->data[frame / 8] >> frame % 8 & 1;
}
