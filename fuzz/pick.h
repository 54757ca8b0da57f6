/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pick.h - what an input is about, said in a way that a new header or link type does not change: a header
 * by its name and a newline before its bytes, a link type by its number.
 */
#ifndef FUZZ_PICK_H
#define FUZZ_PICK_H

#include <stddef.h>
#include <string.h>

#include <ibwire/bits.h>
#include <ibwire/packet.h>
#include <ibwire/tables.h>

#define PICK_NAME_MAX 64

/* The header that the input names; NULL: it names none. @data and @size are then those of the bytes. */
static inline const struct ibw_header *pick_header(const uint8_t **data, size_t *size)
{
	char name[PICK_NAME_MAX];
	const uint8_t *end = *size ? memchr(*data, '\n', *size) : NULL;
	size_t n = end ? (size_t)(end - *data) : sizeof(name);

	if (n >= sizeof(name))
		return NULL;
	memcpy(name, *data, n);
	name[n] = '\0';
	*data += n + 1;
	*size -= n + 1;
	return ibw_header_find(name);
}

/* Two bytes; Ethernet, if there is no such link type. */
static inline uint32_t pick_linktype(const uint8_t *p)
{
	const uint32_t linktype = ibw_get_be16(p);

	return ibw_linktype_known(linktype) ? linktype : IBW_LINKTYPE_ETHERNET;
}

#endif /* FUZZ_PICK_H */
