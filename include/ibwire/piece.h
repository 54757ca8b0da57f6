/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * piece.h - reads bytes that lie in several pieces of memory, and computes a CRC over them.
 *
 *	struct ibw_piece piece[] = { { head, head_len }, { page, page_len } };
 *	struct ibw_piece_cursor c = { piece, 2, 0 };
 *	uint32_t crc = 0xffffffff;
 *
 *	if (!ibw_piece_crc32(&c, &crc, n, crc32_le))
 *		... there are fewer than n bytes ...
 *
 * The pieces are cut anywhere, and some may be empty.
 */
#ifndef IBWIRE_PIECE_H
#define IBWIRE_PIECE_H

#include "base.h"

/* One piece of a payload or of a received packet. */
struct ibw_piece {
	const void *p;
	size_t n; /* bytes */
};

/*
 * One step of a reflected CRC register of 32 bits, neither preset nor complemented: crc32_le() and crc32c() of
 * Linux as they are (where they take a const void *, through a function of one line), or ibw_crc32_step() and
 * ibw_crc32c_step() of libibwire.
 */
typedef uint32_t ibw_crc32_step_fn(uint32_t crc, const unsigned char *p, size_t n);

/* A place in a list of pieces. */
struct ibw_piece_cursor {
	const struct ibw_piece *piece;
	unsigned int left; /* pieces, this one included */
	size_t at;         /* bytes of it that were taken */
};

/* The next contiguous bytes, at most @n of them; returns their number, 0 at the end. */
static inline size_t ibw_piece_next(struct ibw_piece_cursor *c, size_t n, const uint8_t **p)
{
	size_t here;

	while (c->left && c->at == c->piece->n) {
		c->piece++;
		c->left--;
		c->at = 0;
	}
	if (!c->left)
		return 0;
	here = c->piece->n - c->at;
	if (here > n)
		here = n;
	*p = (const uint8_t *)c->piece->p + c->at;
	c->at += here;
	return here;
}

/* Copies @n bytes to @to; false: there are fewer. */
static inline bool ibw_piece_copy(struct ibw_piece_cursor *c, uint8_t *to, size_t n)
{
	const uint8_t *p;
	size_t here;

	for (; n; n -= here, to += here) {
		here = ibw_piece_next(c, n, &p);
		if (!here)
			return false;
		ibw_copy_bytes(to, p, here);
	}
	return true;
}

/* Steps @crc over @n bytes; false: there are fewer. */
static inline bool ibw_piece_crc32(struct ibw_piece_cursor *c, uint32_t *crc, size_t n,
				   ibw_crc32_step_fn *crc32)
{
	const uint8_t *p;
	size_t here;

	for (; n; n -= here) {
		here = ibw_piece_next(c, n, &p);
		if (!here)
			return false;
		*crc = crc32(*crc, p, here);
	}
	return true;
}

#endif /* IBWIRE_PIECE_H */
