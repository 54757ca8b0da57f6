/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * out.h - writes text into the caller's buffer, piece by piece; print.h and json.h use it.
 *
 *	char text[64];
 *	struct ibw_out out = ibw_out_open(text, sizeof(text));
 *
 *	ibw_out_str(&out, "qp ");
 *	ibw_out_hex(&out, dqpn, 6);
 *	ibw_out_close(&out);
 *
 * Text that does not fit is left out, and @cut is set; nothing is ever written past the buffer.
 * Needs libibwire.
 */
#ifndef IBWIRE_OUT_H
#define IBWIRE_OUT_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ibw_out {
	char *p;     /* the next character */
	size_t left; /* characters that still fit, the NUL of ibw_out_close() not counted */
	bool cut;    /* something did not fit */
};

/* A writer into the @size bytes at @buf, of which one is for the NUL. Into 0 bytes nothing goes. */
IBW_INLINE struct ibw_out ibw_out_open(char *buf, size_t size)
{
	struct ibw_out o = { size ? buf : NULL, size ? size - 1 : 0, !size };

	return o;
}

/* Ends the text with a NUL, which the next piece would overwrite. */
IBW_INLINE void ibw_out_close(struct ibw_out *o)
{
	if (o->p)
		*o->p = '\0';
}

/* One character. */
IBW_INLINE void ibw_out_char(struct ibw_out *o, char c)
{
	if (!o->left) {
		o->cut = true;
		return;
	}
	*o->p++ = c;
	o->left--;
}

/* @n characters; if they do not all fit, as many as fit. */
void ibw_out_mem(struct ibw_out *o, const char *s, size_t n);
void ibw_out_str(struct ibw_out *o, const char *s);

/* "4791"; "0x00a1c4" with at least @digits digits. */
void ibw_out_dec(struct ibw_out *o, uint64_t v);
void ibw_out_hex(struct ibw_out *o, uint64_t v, unsigned int digits);

/* "0a0b0c": two digits a byte, nothing between. */
void ibw_out_bytes(struct ibw_out *o, const uint8_t *p, size_t n);

/* "52:54:00:00:07:01" of the 6 bytes at @mac. */
void ibw_out_mac(struct ibw_out *o, const uint8_t *mac);

/* "10.0.0.1" of a host integer. */
void ibw_out_ipv4(struct ibw_out *o, uint32_t addr);

/*
 * The 16 bytes of an IPv6 address or GID as RFC 5952 writes them, and like inet_ntop()
 * of glibc: an IPv4 address in the last four bytes (::ffff:10.0.0.1, ::10.0.0.1) dotted.
 */
void ibw_out_ipv6(struct ibw_out *o, const uint8_t *addr);

/*
 * Characters that came off the wire, safe on a terminal: printable ASCII as it is, a
 * backslash doubled, everything else as \x1b.
 */
void ibw_out_escaped(struct ibw_out *o, const uint8_t *s, size_t n);

/* How many characters ibw_out_escaped() writes for this byte. */
IBW_INLINE unsigned int ibw_out_escaped_len(uint8_t c)
{
	if (c < 0x20 || c >= 0x7f)
		return 4;
	return c == '\\' ? 2 : 1;
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* IBWIRE_OUT_H */
