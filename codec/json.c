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

/*
 * Controls of ASCII and Latin 1, ends of lines, and what turns or hides the text around it on a
 * terminal: U+007F to U+009F, U+061C, U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F, U+FEFF.
 */
static bool is_shown(const uint8_t *s)
{
	switch (s[0]) {
	case 0x7f:
		return false;
	case 0xc2:
		return s[1] > 0x9f;
	case 0xd8:
		return s[1] != 0x9c;
	case 0xe2:
		if (s[1] == 0x80)
			return s[2] < 0x8b || (s[2] > 0x8f && s[2] < 0xa8) || s[2] > 0xae;
		return s[1] != 0x81 || s[2] < 0xa0 || s[2] > 0xaf;
	case 0xef:
		return s[1] != 0xbb || s[2] != 0xbf;
	default:
		return s[0] >= 0x20;
	}
}

/* A character of the first plane, as an escape. */
static void json_escaped(struct ibw_out *o, const uint8_t *s, size_t bytes)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int c = s[0], shift;

	if (bytes == 2)
		c = (s[0] & 0x1fu) << 6 | (s[1] & 0x3fu);
	else if (bytes == 3)
		c = (s[0] & 0x0fu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
	ibw_out_str(o, "\\u");
	for (shift = 16; shift;) {
		shift -= 4;
		ibw_out_char(o, digits[c >> shift & 15]);
	}
}

static void json_control(struct ibw_out *o, uint8_t c)
{
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
		json_escaped(o, &c, 1);
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
		} else if (!is_shown(p + i)) {
			json_escaped(o, p + i, bytes);
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
	if (f->kind == IBW_KIND_LE || f->kind == IBW_KIND_LE_HEX) {
		json_integer(o, f, ibw_get_le(p, n));
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
