/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mad_comp.c - the bits of an SA component mask, by the schema of the record. IBTA vol 1, 15.2.1 */
#include <ibwire/mad_walk.h>

static uint16_t elements(const struct ibw_field *f)
{
	return f->flags & IBW_FIELD_BYTES ? 1 : f->count;
}

/* Components of one layer: none, or one more than its last field has. */
static unsigned int of_layer(uint16_t layer)
{
	const struct ibw_header *h = &ibw_headers[layer];
	const struct ibw_field *last = h->fields + h->n_fields - 1;

	return last->comp < 0 ? 0 : (unsigned int)last->comp + elements(last);
}

unsigned int ibw_sa_components(const struct ibw_mad_attr_row *attr)
{
	unsigned int n = 0, i;

	for (i = 0; i < 3 && attr->layers[i] != IBW_LAYER_COUNT; i++)
		n += of_layer(attr->layers[i]);
	return n;
}

/* A bit no field begins with belongs to the field before: a service id has two. */
static void find(uint16_t layer, unsigned int bit, struct ibw_sa_component *c)
{
	const struct ibw_field *f = ibw_headers[layer].fields, *best = f;

	for (; f->name; f++)
		if (f->comp <= (int)bit && f->comp > best->comp)
			best = f;
	c->layer = layer;
	c->field = best;
	c->element = 0;
	if (elements(best) > 1)
		c->element = (uint16_t)(bit - (unsigned int)best->comp);
	c->at += best->at + (uint32_t)c->element * best->bits;
}

bool ibw_sa_component_at(const struct ibw_mad_attr_row *attr, unsigned int bit,
			 struct ibw_sa_component *c)
{
	unsigned int i, n;

	c->at = 0;
	for (i = 0; i < 3 && attr->layers[i] != IBW_LAYER_COUNT; i++) {
		n = of_layer(attr->layers[i]);
		if (bit < n) {
			find(attr->layers[i], bit, c);
			return true;
		}
		bit -= n;
		c->at += ibw_headers[attr->layers[i]].bytes * 8u;
	}
	return false;
}
