/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mad_made.h - a MAD made for a test, walked, and its layers as others write them: "sa+lft*2". */
#ifndef TESTS_MAD_MADE_H
#define TESTS_MAD_MADE_H

#include "check.h"
#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>

#include <stdlib.h>

#define MADE_SPANS 128

static uint8_t made[IBW_MAD_BYTES];
static struct ibw_mad_walked made_walked;
static struct ibw_span made_span[MADE_SPANS];

/* A sequence of layers. */
struct made_layers {
	uint16_t layer[MADE_SPANS];
	uint32_t n;
};

/* @method has its R bit. */
static inline void made_start(uint8_t mgmt_class, uint8_t method, uint16_t attr_id)
{
	struct ibw_mad v = { .base_version = IBW_MAD_BASE_VERSION,
			     .mgmt_class = mgmt_class,
			     .method = method & 0x7f,
			     .r = method >> 7,
			     .attr_id = attr_id };

	memset(made, 0, sizeof(made));
	ibw_mad_pack(ibw_mad_view_mut(made, sizeof(made)), &v);
}

static inline void made_walk(void)
{
	ibw_mad_walk(&made_walked, made, sizeof(made), sizeof(made), made_span, MADE_SPANS);
	CHECK_EQ(made_walked.outcome, IBW_OK);
	CHECK_EQ(made_walked.n_spans, made_walked.needed_spans);
}

/* The layers that start in [@from, @to), without the common header. */
static inline void made_layers_of(struct made_layers *l, uint32_t from, uint32_t to)
{
	uint32_t i;

	l->n = 0;
	for (i = 1; i < made_walked.n_spans; i++)
		if (made_span[i].off >= from && made_span[i].off < to)
			l->layer[l->n++] = made_span[i].layer;
}

/* "a+b*3"; "none" if there is none. */
static inline const char *made_text(const struct made_layers *l, char *text, size_t room)
{
	uint32_t i, same;
	size_t n = 0;

	snprintf(text, room, "none");
	for (i = 0; i < l->n && n < room; i += same) {
		for (same = 1; i + same < l->n && l->layer[i + same] == l->layer[i];)
			same++;
		n += (size_t)snprintf(text + n, room - n, "%s%s", n ? "+" : "",
				      ibw_headers[l->layer[i]].name);
		if (same > 1 && n < room)
			n += (size_t)snprintf(text + n, room - n, "*%u", same);
	}
	return text;
}

/* The header called the first @n characters of @name. */
static inline uint16_t made_layer(const char *name, size_t n)
{
	unsigned int i;

	for (i = 0; i < IBW_LAYER_COUNT; i++)
		if (strlen(ibw_headers[i].name) == n && strncmp(ibw_headers[i].name, name, n) == 0)
			break;
	return (uint16_t)i;
}

/* What made_text() wrote; false if a name is no header of ours. */
static inline bool made_parse(struct made_layers *l, const char *text)
{
	unsigned long times;
	uint16_t layer;
	char *end;

	l->n = 0;
	if (strcmp(text, "none") == 0)
		return true;
	for (;;) {
		layer = made_layer(text, strcspn(text, "+*"));
		if (!CHECK(layer < IBW_LAYER_COUNT))
			return false;
		text += strcspn(text, "+*");
		times = 1;
		if (*text == '*') {
			times = strtoul(text + 1, &end, 10);
			text = end;
		}
		for (; times > 0 && l->n < MADE_SPANS; times--)
			l->layer[l->n++] = layer;
		if (!CHECK_EQ(times, 0))
			return false;
		if (!*text)
			return true;
		text++;
	}
}

static inline uint32_t made_bytes(const struct made_layers *l)
{
	uint32_t bytes = 0, i;

	for (i = 0; i < l->n; i++)
		bytes += ibw_headers[l->layer[i]].bytes;
	return bytes;
}

#endif /* TESTS_MAD_MADE_H */
