/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* out.c - text into the caller's buffer: characters, numbers, addresses. */
#include <ibwire/out.h>

static const char hex_digits[] = "0123456789abcdef";

void ibw_out_mem(struct ibw_out *o, const char *s, size_t n)
{
	if (n > o->left) {
		n = o->left;
		o->cut = true;
	}
	if (!n)
		return;
	IBW_COPY(o->p, s, n);
	o->p += n;
	o->left -= n;
}

void ibw_out_str(struct ibw_out *o, const char *s)
{
	ibw_out_mem(o, s, __builtin_strlen(s));
}

void ibw_out_dec(struct ibw_out *o, uint64_t v)
{
	char digits[20]; /* of UINT64_MAX */
	size_t i = sizeof(digits);

	do
		digits[--i] = (char)('0' + v % 10);
	while (v /= 10);
	ibw_out_mem(o, digits + i, sizeof(digits) - i);
}

/* At least @min digits, at most 16. */
static void out_digits(struct ibw_out *o, uint64_t v, unsigned int min)
{
	char digits[16];
	size_t i = sizeof(digits);

	do
		digits[--i] = hex_digits[v & 15];
	while ((v >>= 4) || (i && sizeof(digits) - i < min));
	ibw_out_mem(o, digits + i, sizeof(digits) - i);
}

void ibw_out_hex(struct ibw_out *o, uint64_t v, unsigned int digits)
{
	ibw_out_mem(o, "0x", 2);
	out_digits(o, v, digits);
}

static void out_byte(struct ibw_out *o, uint8_t byte)
{
	ibw_out_char(o, hex_digits[byte >> 4]);
	ibw_out_char(o, hex_digits[byte & 15]);
}

void ibw_out_bytes(struct ibw_out *o, const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		out_byte(o, p[i]);
}

void ibw_out_mac(struct ibw_out *o, const uint8_t *mac)
{
	unsigned int i;

	for (i = 0; i < 6; i++) {
		if (i)
			ibw_out_char(o, ':');
		out_byte(o, mac[i]);
	}
}

void ibw_out_ipv4(struct ibw_out *o, uint32_t addr)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		if (i)
			ibw_out_char(o, '.');
		ibw_out_dec(o, addr >> (24 - 8 * i) & 0xff);
	}
}

/* The longest run of zero groups, the first of equals, of at least two: RFC 5952, 4.2 */
static void longest_zeros(const uint16_t group[8], unsigned int *at, unsigned int *len)
{
	unsigned int i, run = 0;

	*at = 8;
	*len = 1;
	for (i = 0; i < 8; i++) {
		run = group[i] ? 0 : run + 1;
		if (run > *len) {
			*len = run;
			*at = i + 1 - run;
		}
	}
}

void ibw_out_ipv6(struct ibw_out *o, const uint8_t *addr)
{
	uint16_t group[8];
	unsigned int i, at, len;

	for (i = 0; i < 8; i++)
		group[i] = ibw_get_be16(addr + sizeof(group[0]) * i);
	longest_zeros(group, &at, &len);
	for (i = 0; i < 8; i++) {
		if (i == at) {
			ibw_out_str(o, i + len == 8 ? "::" : ":");
			i += len - 1;
			continue;
		}
		if (i)
			ibw_out_char(o, ':');
		if (i == 6 && at == 0 && (len == 6 || (len == 5 && group[5] == 0xffff))) {
			ibw_out_ipv4(o, ibw_get_be32(addr + 12));
			return;
		}
		out_digits(o, group[i], 1);
	}
}

void ibw_out_escaped(struct ibw_out *o, const uint8_t *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		switch (ibw_out_escaped_len(s[i])) {
		case 1:
			ibw_out_char(o, (char)s[i]);
			break;
		case 2:
			ibw_out_str(o, "\\\\");
			break;
		default:
			ibw_out_str(o, "\\x");
			out_byte(o, s[i]);
			break;
		}
	}
}
