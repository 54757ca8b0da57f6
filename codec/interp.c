/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * interp.c - pack and unpack by reflection table, one bit at a time.
 *
 * A second opinion: nothing of bits.h or expand.h is used here, and nothing
 * is done for speed.
 */
#include <ibwire/interp.h>

/* Bit 0 is the most significant bit of byte 0. */
static unsigned int bit_get(const uint8_t *wire, unsigned int bit)
{
	return (unsigned int)wire[bit / 8] >> (7 - bit % 8) & 1;
}

static void bit_set(uint8_t *wire, unsigned int bit, unsigned int v)
{
	uint8_t mask = (uint8_t)(0x80u >> bit % 8);

	wire[bit / 8] = (uint8_t)(v ? wire[bit / 8] | mask : wire[bit / 8] & ~mask);
}

unsigned int ibw_interp_elements(const struct ibw_field *f)
{
	return f->flags & IBW_FIELD_BYTES ? f->bits / 8u : f->count;
}

unsigned int ibw_interp_width(const struct ibw_field *f)
{
	return f->flags & IBW_FIELD_BYTES ? 8u : f->bits;
}

uint64_t ibw_interp_get(const uint8_t *wire, const struct ibw_field *f, unsigned int element)
{
	unsigned int width = ibw_interp_width(f);
	unsigned int at = f->at + element * width;
	unsigned int i;
	uint64_t v = 0;

	for (i = 0; i < width; i++)
		v = v << 1 | bit_get(wire, at + i);
	return v;
}

void ibw_interp_set(uint8_t *wire, const struct ibw_field *f, unsigned int element, uint64_t v)
{
	unsigned int width = ibw_interp_width(f);
	unsigned int at = f->at + element * width;
	unsigned int i;

	for (i = width; i-- > 0; v >>= 1)
		bit_set(wire, at + i, (unsigned int)(v & 1));
}

uint64_t ibw_interp_value(const void *value, const struct ibw_field *f, unsigned int element)
{
	const uint8_t *member = (const uint8_t *)value + f->offset;
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	if (f->flags & IBW_FIELD_RSVD)
		return 0;
	switch (f->size) {
	case 2:
		IBW_COPY(&v16, member + sizeof(v16) * element, sizeof(v16));
		return v16;
	case 4:
		IBW_COPY(&v32, member + sizeof(v32) * element, sizeof(v32));
		return v32;
	case 8:
		IBW_COPY(&v64, member + sizeof(v64) * element, sizeof(v64));
		return v64;
	default: /* one byte, or one of a byte array */
		return member[element];
	}
}

void ibw_interp_set_value(void *value, const struct ibw_field *f, unsigned int element, uint64_t v)
{
	uint8_t *member = (uint8_t *)value + f->offset;
	uint16_t v16 = (uint16_t)v;
	uint32_t v32 = (uint32_t)v;

	if (f->flags & IBW_FIELD_RSVD)
		return;
	switch (f->size) {
	case 2:
		IBW_COPY(member + sizeof(v16) * element, &v16, sizeof(v16));
		break;
	case 4:
		IBW_COPY(member + sizeof(v32) * element, &v32, sizeof(v32));
		break;
	case 8:
		IBW_COPY(member + sizeof(v) * element, &v, sizeof(v));
		break;
	default:
		member[element] = (uint8_t)v;
	}
}

void ibw_interp_unpack(const struct ibw_header *h, void *value, const uint8_t *wire)
{
	const struct ibw_field *f;
	unsigned int i;

	for (f = h->fields; f->name; f++)
		for (i = 0; i < ibw_interp_elements(f); i++)
			ibw_interp_set_value(value, f, i, ibw_interp_get(wire, f, i));
}

void ibw_interp_pack(const struct ibw_header *h, uint8_t *wire, const void *value)
{
	const struct ibw_field *f;
	unsigned int i;

	IBW_FILL(wire, 0, h->bytes);
	for (f = h->fields; f->name; f++)
		for (i = 0; i < ibw_interp_elements(f); i++)
			if (!(f->flags & IBW_FIELD_RSVD))
				ibw_interp_set(wire, f, i, ibw_interp_value(value, f, i));
}
