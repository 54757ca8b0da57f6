/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* json.c - headers and their fields as JSON. */
#include <ibwire/json.h>
#include <ibwire/print.h>

/*
 * Bytes of the UTF-8 character at @s, of which @n are left; 0 if there is none: RFC 3629, 4.
 * Overlong forms, surrogates and values above U+10FFFF are none.
 */
static size_t utf8_bytes(const uint8_t *s, size_t n)
{
	uint8_t low = 0x80, high = 0xbf;
	size_t bytes, i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	bytes = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (bytes > n)
		return 0;
	/* The first byte narrows the second. */
	switch (s[0]) {
	case 0xe0:
		low = 0xa0;
		break;
	case 0xed:
		high = 0x9f;
		break;
	case 0xf0:
		low = 0x90;
		break;
	case 0xf4:
		high = 0x8f;
		break;
	default:
		break;
	}
	if (s[1] < low || s[1] > high)
		return 0;
	for (i = 2; i < bytes; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return bytes;
}

static void json_control(struct ibw_out *o, uint8_t c)
{
	static const char digits[] = "0123456789abcdef";

	switch (c) {
	case '\t':
		ibw_out_str(o, "\\t");
		break;
	case '\n':
		ibw_out_str(o, "\\n");
		break;
	case '\r':
		ibw_out_str(o, "\\r");
		break;
	default:
		ibw_out_str(o, "\\u00");
		ibw_out_char(o, digits[c >> 4]);
		ibw_out_char(o, digits[c & 15]);
	}
}

void ibw_json_string(struct ibw_out *o, const char *s, size_t n)
{
	const uint8_t *p = (const uint8_t *)s;
	size_t i, bytes;

	ibw_out_char(o, '"');
	for (i = 0; i < n; i += bytes) {
		bytes = utf8_bytes(p + i, n - i);
		if (bytes == 0) {
			ibw_out_str(o, "\xef\xbf\xbd"); /* U+FFFD */
			bytes = 1;
		} else if (p[i] < 0x20) {
			json_control(o, p[i]);
		} else {
			if (p[i] == '"' || p[i] == '\\')
				ibw_out_char(o, '\\');
			ibw_out_mem(o, s + i, bytes);
		}
	}
	ibw_out_char(o, '"');
}

static void json_integer(struct ibw_out *o, const struct ibw_field *f, uint64_t v)
{
	if (f->kind == IBW_KIND_IPV4) {
		ibw_out_char(o, '"');
		ibw_out_ipv4(o, (uint32_t)v);
		ibw_out_char(o, '"');
	} else if (f->bits > 32) {
		ibw_out_char(o, '"');
		ibw_out_hex(o, v, 16);
		ibw_out_char(o, '"');
	} else {
		ibw_out_dec(o, v);
	}
}

static void json_text(struct ibw_out *o, const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; i < n && p[i]; i++)
		continue;
	ibw_json_string(o, (const char *)p, i);
}

static void json_bytes(struct ibw_out *o, const struct ibw_field *f, const uint8_t *p, size_t n)
{
	if (f->kind == IBW_KIND_TEXT) {
		json_text(o, p, n);
		return;
	}
	if (f->kind == IBW_KIND_LE) {
		ibw_out_dec(o, ibw_get_le(p, n));
		return;
	}
	ibw_out_char(o, '"');
	if (f->kind == IBW_KIND_GID || f->kind == IBW_KIND_IPV6)
		ibw_out_ipv6(o, p);
	else if (f->kind == IBW_KIND_MAC)
		ibw_out_mac(o, p);
	else
		ibw_out_bytes(o, p, n);
	ibw_out_char(o, '"');
}

void ibw_json_value(struct ibw_out *o, const struct ibw_field *f, const void *wire)
{
	const uint8_t *p;
	unsigned int i;
	size_t n;

	p = ibw_field_bytes(f, wire, &n);
	if (p) {
		json_bytes(o, f, p, n);
		return;
	}
	if (f->count > 1)
		ibw_out_char(o, '[');
	for (i = 0; i < f->count; i++) {
		if (i)
			ibw_out_char(o, ',');
		json_integer(o, f, ibw_field_get(f, wire, i));
	}
	if (f->count > 1)
		ibw_out_char(o, ']');
}

void ibw_json_fields(struct ibw_out *o, const struct ibw_header *h, const void *wire)
{
	const struct ibw_field *f;
	bool first = true;

	ibw_out_char(o, '{');
	for (f = h->fields; f->name; f++) {
		if (!ibw_field_shown(f, wire))
			continue;
		if (!first)
			ibw_out_char(o, ',');
		first = false;
		ibw_out_char(o, '"');
		ibw_out_str(o, f->name);
		ibw_out_str(o, "\":");
		ibw_json_value(o, f, wire);
	}
	ibw_out_char(o, '}');
}
