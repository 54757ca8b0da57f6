/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * schema_check.h - the inline code of a header against the interpreter, which
 * reads the same table bit by bit: pack, unpack, each getter and setter,
 * reserved bits, and how far each of them reads.
 */
#ifndef TESTS_SCHEMA_CHECK_H
#define TESTS_SCHEMA_CHECK_H

#include "accessors.h"
#include "check.h"
#include "codecs.h"
#include "guard.h"
#include <ibwire/interp.h>

#define ROUNDS 64
#define STALE 0xa5 /* what a buffer holds before it is written */

static uint8_t wire[CODEC_ROOM], twin[CODEC_ROOM], before[CODEC_ROOM];
static union {
	uint64_t align;
	uint8_t b[CODEC_ROOM];
} value, other;

/* xorshift64*: the same values on every machine, every time. */
static uint64_t random64(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15u;

	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1du;
}

static void random_bytes(uint8_t *p, size_t n)
{
	while (n--)
		*p++ = (uint8_t)(random64() >> 56);
}

static uint64_t width_mask(const struct ibw_field *f)
{
	return ~(uint64_t)0 >> (64 - ibw_interp_width(f));
}

/* A value in every member, padding included, that fits its field or, for @wide, does not. */
static void random_value(const struct ibw_header *h, void *v, bool wide)
{
	const struct ibw_field *f;
	unsigned int i;

	random_bytes(v, h->value_bytes);
	for (f = h->fields; f->name; f++) {
		if (wide || f->flags & IBW_FIELD_RSVD)
			continue; /* a reserved field has no member, and may be wider than an integer */
		for (i = 0; i < ibw_interp_elements(f); i++)
			ibw_interp_set_value(v, f, i, random64() & width_mask(f));
	}
}

static void check_values(const struct ibw_header *h, const void *got, const void *want)
{
	const struct ibw_field *f;
	unsigned int i;

	for (f = h->fields; f->name; f++)
		for (i = 0; i < ibw_interp_elements(f); i++) {
			check_case("%s.%s[%u]", h->name, f->name, i);
			CHECK_EQ(ibw_interp_value(got, f, i), ibw_interp_value(want, f, i));
		}
	check_case("%s", h->name);
}

/* The rows tile the header: no gap, no overlap, nothing after the end. */
static void test_table(const struct ibw_header *h, const struct codec *c)
{
	const struct ibw_field *f, *g;
	unsigned int at = 0, rows = 0;

	CHECK_STR(h->name, c->name);
	CHECK_EQ(h->bytes, c->bytes);
	CHECK_EQ(h->value_bytes, c->value_bytes);
	CHECK(h->title && *h->title);
	for (f = h->fields; f->name; f++, rows++) {
		check_case("%s.%s", h->name, f->name);
		CHECK_EQ(f->at, at);
		CHECK(f->bits > 0 && f->count > 0 && f->kind < IBW_KIND_COUNT);
		CHECK(f->label && *f->label);
		CHECK(f->flags & IBW_FIELD_BYTES || f->bits <= 64 || f->flags & IBW_FIELD_RSVD);
		at += ibw_interp_elements(f) * ibw_interp_width(f);
		if (!(f->flags & IBW_FIELD_RSVD))
			CHECK(f->offset + ibw_interp_elements(f) * (f->size ? f->size : 1u) <=
			      h->value_bytes);
		for (g = h->fields; g != f; g++)
			CHECK(strcmp(f->name, g->name) != 0);
	}
	check_case("%s", h->name);
	CHECK_EQ(f->at, at);
	CHECK_EQ(at, h->bytes * 8u);
	CHECK_EQ(rows, h->n_fields);
}

static void test_pack(const struct ibw_header *h, const struct codec *c, bool wide)
{
	random_value(h, value.b, wide);
	memset(wire, STALE, sizeof(wire));
	memset(twin, STALE, sizeof(twin));
	c->pack(wire, value.b);
	ibw_interp_pack(h, twin, value.b);
	CHECK_MEM(wire, twin, sizeof(wire));
	CHECK(!c->rsvd_set(wire));
	if (wide)
		return;
	memset(other.b, STALE, sizeof(other.b));
	c->unpack(other.b, wire);
	check_values(h, other.b, value.b);
	CHECK_EQ(other.b[h->value_bytes], STALE);
}

static void test_unpack(const struct ibw_header *h, const struct codec *c)
{
	random_bytes(wire, h->bytes);
	memset(value.b, STALE, sizeof(value.b));
	memset(other.b, STALE, sizeof(other.b));
	c->unpack(value.b, wire);
	ibw_interp_unpack(h, other.b, wire);
	check_values(h, value.b, other.b);
	CHECK_EQ(value.b[h->value_bytes], STALE);
}

/* Integers, one or an array of them: the getter, and the setter between its neighbours. */
static void test_integer(const struct ibw_header *h, const struct ibw_field *f,
			 const struct accessor *a)
{
	unsigned int i;
	uint64_t v;

	for (i = 0; i < f->count; i++) {
		random_bytes(wire, h->bytes);
		CHECK_EQ(a->get(wire, i), ibw_interp_get(wire, f, i));
		v = random64();
		memcpy(twin, wire, sizeof(twin));
		a->set(wire, i, v);
		ibw_interp_set(twin, f, i, v);
		CHECK_MEM(wire, twin, sizeof(wire));
		CHECK_EQ(a->get(wire, i), v & width_mask(f));
		memcpy(before, wire, sizeof(before));
		a->set(wire, i, a->get(wire, i));
		CHECK_MEM(wire, before, sizeof(wire));
	}
}

static void test_bytes(const struct ibw_header *h, const struct ibw_field *f,
		       const struct accessor *a)
{
	uint8_t bytes[CODEC_ROOM / 2];
	unsigned int i;

	random_bytes(wire, h->bytes);
	random_bytes(bytes, f->bits / 8u);
	CHECK(a->bytes(wire) == wire + f->at / 8);
	memcpy(twin, wire, sizeof(twin));
	a->set_bytes(wire, bytes);
	for (i = 0; i < f->bits / 8u; i++)
		ibw_interp_set(twin, f, i, bytes[i]);
	CHECK_MEM(wire, twin, sizeof(wire));
	CHECK_MEM(a->bytes(wire), bytes, f->bits / 8u);
}

static void test_accessors(const struct ibw_header *h, const struct accessor *a)
{
	const struct ibw_field *f;

	memset(wire, STALE, sizeof(wire));
	for (f = h->fields; f->name; f++) {
		if (f->flags & IBW_FIELD_RSVD)
			continue;
		check_case("%s.%s", h->name, f->name);
		if (!CHECK_STR(a->name, f->name))
			return;
		CHECK_EQ(a->at, f->at);
		if (f->flags & IBW_FIELD_BYTES)
			test_bytes(h, f, a);
		else
			test_integer(h, f, a);
		a++;
	}
	check_case("%s", h->name);
	CHECK(!a->name);
}

static bool is_reserved(const struct ibw_header *h, unsigned int bit)
{
	const struct ibw_field *f;

	for (f = h->fields; f->name; f++)
		if (bit >= f->at && bit < f->at + ibw_interp_elements(f) * ibw_interp_width(f))
			return f->flags & IBW_FIELD_RSVD;
	return false;
}

/* rsvd_set() sees each reserved bit by itself, and no other bit. */
static void test_reserved(const struct ibw_header *h, const struct codec *c)
{
	unsigned int bit;

	for (bit = 0; bit < h->bytes * 8u; bit++) {
		memset(wire, 0, sizeof(wire));
		wire[bit / 8] = (uint8_t)(0x80 >> bit % 8);
		check_case("%s bit %u", h->name, bit);
		CHECK_EQ(c->rsvd_set(wire), is_reserved(h, bit));
	}
	check_case("%s", h->name);
	/* All that is not reserved set at once, as well. */
	memset(wire, 0xff, sizeof(wire));
	for (bit = 0; bit < h->bytes * 8u; bit++)
		if (is_reserved(h, bit))
			wire[bit / 8] = (uint8_t)(wire[bit / 8] & ~(0x80 >> bit % 8));
	CHECK(!c->rsvd_set(wire));
}

/* A view of exactly the header: anything that touches a byte outside it faults. */
static void test_bounds(const struct ibw_header *h, const struct codec *c,
			const struct accessor *all, struct guard *g, bool tail)
{
	const struct accessor *a;
	const struct ibw_field *f;
	unsigned int i;
	uint8_t *p;

	random_bytes(wire, h->bytes);
	p = tail ? guard_tail(g, wire, h->bytes) : guard_head(g, wire, h->bytes);
	CHECK(c->view(p, h->bytes) == p);
	CHECK(c->view_mut(p, h->bytes) == p);
	CHECK(c->view(p, SIZE_MAX) == p);
	c->unpack(value.b, p);
	c->rsvd_set(p);
	for (f = h->fields; f->name; f++) {
		a = accessor_find(all, f->name);
		if (!a)
			continue;
		for (i = 0; i < ibw_interp_elements(f); i++) {
			if (a->get)
				a->set(p, i, a->get(p, i));
			else
				CHECK_EQ(a->bytes(p)[i], wire[f->at / 8 + i]);
		}
	}
	CHECK_MEM(p, wire, h->bytes);
	c->pack(p, value.b);
}

/* Too few bytes: no view, and not one of them is looked at. */
static void test_short(const struct ibw_header *h, const struct codec *c, struct guard *g)
{
	size_t left;

	for (left = 0; left < h->bytes; left++) {
		check_case("%s of %zu bytes", h->name, left);
		CHECK(c->view(guard_tail_room(g, 0), left) == NULL);
		CHECK(c->view_mut(guard_tail_room(g, 0), left) == NULL);
	}
	check_case("%s", h->name);
}

/* All of it, for one header. */
static void test_header(const struct ibw_header *h, const struct codec *c, const struct accessor *a,
			struct guard *g)
{
	unsigned int round;

	check_case("%s", h->name);
	test_table(h, c);
	for (round = 0; round < ROUNDS; round++) {
		test_pack(h, c, false);
		test_pack(h, c, true);
		test_unpack(h, c);
		test_accessors(h, a);
		test_bounds(h, c, a, g, round % 2 == 0);
	}
	test_reserved(h, c);
	test_short(h, c, g);
}

#endif /* TESTS_SCHEMA_CHECK_H */
